//! `block`: in three dimensions, the warps of a block lie along the rows of a tile; in two, rows of
//! threads take a line each, where there are several, and warps have tiles of their own where not.

use super::{Groups, Layout, Mapping, PlanError, PlaneExchange, SweepMapping, warp};
use crate::sweep::tiling::LANES;

/// The mapping.
pub(super) struct Block;

/// Warps of a block, rows and columns of a thread. Blocks of few warps have more registers for each
/// thread: they are first, and taken where others are as fast.
const USUAL: &[[u32; 3]] = &[
    [8, 4, 2],
    [8, 3, 2],
    [8, 2, 2],
    [8, 6, 2],
    [8, 4, 1],
    [12, 3, 2],
    [16, 2, 2],
    [16, 4, 2],
    [16, 2, 1],
    [16, 1, 2],
];
const MORE: &[[u32; 3]] = &[[12, 2, 2], [16, 1, 4], [8, 2, 4], [4, 4, 2]];

impl SweepMapping for Block {
    fn check(&self, threads: &[u32]) -> Result<(), PlanError> {
        match *threads {
            [_] => {
                let reason = "one dimension has no planes to stream; take \"warp\"";
                super::refuse_rank(Mapping::Block, reason)
            }
            [_, _, along] if i64::from(along) != LANES => Err(PlanError::Unfit {
                key: "threads",
                value: along.to_string(),
                reason: "the lanes of one warp, 32, lie along the fastest dimension, and warps \
                         along the next"
                    .to_owned(),
            }),
            _ => super::whole_warps(threads),
        }
    }

    fn layout(&self, threads: &[u32]) -> Layout {
        let exchange = PlaneExchange::Shuffles;
        match *threads {
            [_, groups, _] => {
                Layout { lanes: LANES, groups: i64::from(groups), along: Groups::Rows, exchange }
            }
            // Lines lie in shared memory whole, whatever threads exchange elsewhere.
            [lines, lanes] if lines > 1 => Layout {
                lanes: i64::from(lanes),
                groups: i64::from(lines),
                along: Groups::Lines,
                exchange,
            },
            _ => warp::apart(threads),
        }
    }

    fn shares_tiles(&self) -> bool {
        true
    }

    fn lines(&self, threads: &[u32]) -> u32 {
        match *threads {
            [lines, _] => lines,
            _ => 1,
        }
    }

    fn tried(&self, rank: usize) -> [&'static [[u32; 3]]; 2] {
        if rank == 3 { [USUAL, MORE] } else { [&[], &[]] }
    }
}
