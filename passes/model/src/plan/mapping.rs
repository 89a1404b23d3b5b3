//! Mappings: who computes a point, and through what neighbours exchange values.
//!
//! A mapping of sweeps is a file in `mapping/`, which implements [`SweepMapping`], and a line of
//! the table below. It says where the threads of a block lie ([`Layout`]), which shapes of blocks
//! there are, and which the planner tries. What a tile loses, what is exchanged and where, which
//! threads wait for each other, addresses and coordinates all follow from the layout; nothing else
//! in the compiler asks which mapping a sweep has.

mod block;
mod row;
mod warp;

use super::{PlanError, words::words};
use crate::sweep::tiling::LANES;
use std::ops::Deref;

/// Declares the mappings: their words, and what those of sweeps are.
macro_rules! mappings {
    (
        $(#[$thread_doc:meta])* $thread:ident = $thread_word:literal;
        $($(#[$doc:meta])* $name:ident = $word:literal => $sweep:expr;)*
    ) => {
        words! {
            /// Who computes a point, and through what neighbours exchange values.
            Mapping {
                $(#[$thread_doc])* $thread = $thread_word,
                $($(#[$doc])* $name = $word,)*
            }
        }

        impl Mapping {
            /// Those of sweeps.
            pub const SWEEPS: &[Self] = &[$(Self::$name),*];

            /// Their words.
            pub const SWEEP_WORDS: &[&str] = &[$($word),*];

            /// How the mapping sweeps; none if each thread computes its points by itself.
            pub fn sweep(self) -> Option<SweptBy> {
                let sweep: &'static dyn SweepMapping = match self {
                    Self::$thread => return None,
                    $(Self::$name => &$sweep,)*
                };
                Some(SweptBy { mapping: self, sweep })
            }
        }
    };
}

mappings! {
    /// Each thread computes its points straight from global memory and its caches.
    Thread = "thread";
    /// A warp sweeps over a tile; its lanes exchange values by shuffles.
    Warp = "warp" => warp::Warp;
    /// A block sweeps over a tile; lanes exchange values by shuffles, warps through shared memory.
    Block = "block" => block::Block;
    /// The threads of a block lie along a row of a tile, which they sweep together; they exchange
    /// values through shared memory.
    Row = "row" => row::Row;
}

impl Mapping {
    /// Whether tiles are swept.
    pub fn is_sweep(self) -> bool {
        Self::SWEEPS.contains(&self)
    }

    /// Whether the warps of a block sweep over a tile together.
    pub fn shares_tiles(self) -> bool {
        self.sweep().is_some_and(|by| by.shares_tiles())
    }
}

/// A mapping of sweeps.
pub trait SweepMapping: Sync {
    /// Refuses a domain of so many dimensions, or threads of a block that do not lie as the mapping
    /// has them; `threads` along each dimension, slowest first.
    ///
    /// # Errors
    /// The key of the plan, and what it takes instead.
    fn check(&self, threads: &[u32]) -> Result<(), PlanError>;

    /// Where the threads of a block lie.
    fn layout(&self, threads: &[u32]) -> Layout;

    /// Whether the warps of a block sweep over a tile together.
    fn shares_tiles(&self) -> bool;

    /// Planes that a block of these threads takes in an iteration.
    fn lines(&self, _threads: &[u32]) -> u32 {
        1
    }

    /// The blocks that the planner tries in a domain of so many dimensions, the usual ones and
    /// those that measurements alone tell apart: warps, and rows and columns of a thread.
    fn tried(&self, rank: usize) -> [&'static [[u32; 3]]; 2];
}

/// Where the threads of a block lie in the tiles that it sweeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Threads next to each other along the fastest dimension, in one row of a tile.
    pub lanes: i64,
    /// Groups of so many threads.
    pub groups: i64,
    /// Where the groups lie to each other.
    pub along: Groups,
    /// How a thread reads what others hold of a plane.
    pub exchange: PlaneExchange,
}

/// Where groups of threads lie to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    /// Each sweeps over a tile of its own, and waits for no other.
    Tiles,
    /// They lie along the rows of one tile.
    Rows,
    /// Each takes a line of two dimensions, one after the other along the streamed one.
    Lines,
}

/// How a thread reads what others hold of a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaneExchange {
    /// Columns by shuffles in a warp, and rows, where other warps have them, through shared memory.
    Shuffles,
    /// All through shared memory.
    Shared,
}

/// The mapping of a plan that sweeps.
#[derive(Clone, Copy)]
pub struct SweptBy {
    mapping: Mapping,
    sweep: &'static dyn SweepMapping,
}

impl SweptBy {
    /// The mapping.
    pub fn mapping(self) -> Mapping {
        self.mapping
    }
}

impl Deref for SweptBy {
    type Target = dyn SweepMapping;

    fn deref(&self) -> &Self::Target {
        self.sweep
    }
}

impl PartialEq for SweptBy {
    fn eq(&self, other: &Self) -> bool {
        self.mapping == other.mapping
    }
}

impl Eq for SweptBy {}

impl std::fmt::Debug for SweptBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.mapping.fmt(f)
    }
}

/// Refuses a domain of so many dimensions.
fn refuse_rank(mapping: Mapping, reason: &str) -> Result<(), PlanError> {
    let value = format!("{:?}", mapping.word());
    Err(PlanError::Unfit { key: "mapping", value, reason: reason.to_owned() })
}

/// Refuses a block whose threads along the fastest dimension are not whole warps.
fn whole_warps(threads: &[u32]) -> Result<(), PlanError> {
    let along = threads.last().copied().unwrap_or(0);
    if i64::from(along) % LANES == 0 {
        return Ok(());
    }
    let reason = "whole warps of 32 lie along the fastest dimension".to_owned();
    Err(PlanError::Unfit { key: "threads", value: along.to_string(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(mapping: Mapping, threads: &[u32]) -> Layout {
        mapping.sweep().unwrap().layout(threads)
    }

    #[test]
    fn threads_lie_as_the_mapping_has_them() {
        let apart = layout(Mapping::Warp, &[1, 96]);
        assert_eq!((apart.lanes, apart.groups, apart.along), (32, 3, Groups::Tiles));
        assert_eq!(layout(Mapping::Block, &[1, 96]), apart);
        let rows = layout(Mapping::Block, &[1, 12, 32]);
        assert_eq!((rows.lanes, rows.groups, rows.along), (32, 12, Groups::Rows));
        let lines = layout(Mapping::Block, &[4, 64]);
        assert_eq!((lines.lanes, lines.groups, lines.along), (64, 4, Groups::Lines));
        for threads in [&[96][..], &[1, 96]] {
            let row = layout(Mapping::Row, threads);
            assert_eq!((row.lanes, row.groups, row.along), (96, 1, Groups::Rows));
            assert_eq!(row.exchange, PlaneExchange::Shared);
        }
    }

    #[test]
    fn other_dimensions_and_parts_of_warps_are_refused() {
        let check = |mapping: Mapping, threads: &[u32]| mapping.sweep().unwrap().check(threads);
        for mapping in Mapping::SWEEPS {
            assert!(check(*mapping, &[1, 48]).is_err(), "{mapping:?}");
            assert!(check(*mapping, &[1, 64]).is_ok(), "{mapping:?}");
        }
        assert!(check(Mapping::Warp, &[1, 1, 32]).is_err());
        assert!(check(Mapping::Row, &[1, 1, 32]).is_err());
        assert!(check(Mapping::Block, &[32]).is_err());
        assert!(check(Mapping::Block, &[1, 4, 64]).is_err());
        assert_eq!(Mapping::Thread.sweep(), None);
    }
}
