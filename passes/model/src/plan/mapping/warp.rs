//! `warp`: in one and two dimensions, each warp sweeps over a tile of its own.

use super::{Groups, Layout, Mapping, PlanError, PlaneExchange, SweepMapping};
use crate::sweep::tiling::LANES;

/// The mapping.
pub(super) struct Warp;

/// Warps of a block, rows and columns of a thread.
const USUAL: &[[u32; 3]] = &[[4, 1, 4], [4, 1, 2], [4, 1, 8], [4, 1, 1]];
const MORE: &[[u32; 3]] = &[[1, 1, 4], [2, 1, 4], [8, 1, 4], [2, 1, 2], [8, 1, 2], [2, 1, 8]];

impl SweepMapping for Warp {
    fn check(&self, threads: &[u32]) -> Result<(), PlanError> {
        if threads.len() == 3 {
            let reason = "a warp sweeps rows, of at most two dimensions; take \"block\"";
            return super::refuse_rank(Mapping::Warp, reason);
        }
        super::whole_warps(threads)
    }

    fn layout(&self, threads: &[u32]) -> Layout {
        apart(threads)
    }

    fn shares_tiles(&self) -> bool {
        false
    }

    fn tried(&self, rank: usize) -> [&'static [[u32; 3]]; 2] {
        if rank < 3 { [USUAL, MORE] } else { [&[], &[]] }
    }
}

/// The layout of a block whose warps have tiles of their own.
pub(super) fn apart(threads: &[u32]) -> Layout {
    let along = threads.last().copied().map_or(LANES, i64::from);
    Layout {
        lanes: LANES,
        groups: along / LANES,
        along: Groups::Tiles,
        exchange: PlaneExchange::Shuffles,
    }
}
