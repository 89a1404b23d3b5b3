//! `row`: in one and two dimensions, the threads of a block lie along a row of one tile.
//!
//! A tile is as wide as the block, and loses at its ends what a warp's tile would: with many time
//! steps, or a stencil that reaches far, little of it where a warp would lose most of its cells.
//! In exchange all warps wait for each other once a level.

use super::{Groups, Layout, Mapping, PlanError, PlaneExchange, SweepMapping};

/// The mapping.
pub(super) struct Row;

/// Warps of a block, rows and columns of a thread. In two dimensions, where a plane arrives in each
/// iteration, warps with tiles of their own were two to three times as fast (j2d5pt and j2d9pt in
/// f32 and f64, 4 to 12 steps, on an H200).
const USUAL: &[[u32; 3]] = &[[4, 1, 8], [8, 1, 8], [8, 1, 4]];
const MORE: &[[u32; 3]] = &[[16, 1, 8], [2, 1, 8], [4, 1, 4]];

impl SweepMapping for Row {
    fn check(&self, threads: &[u32]) -> Result<(), PlanError> {
        if threads.len() == 3 {
            let reason = "a row of threads sweeps rows, of at most two dimensions; take \"block\"";
            return super::refuse_rank(Mapping::Row, reason);
        }
        super::whole_warps(threads)
    }

    fn layout(&self, threads: &[u32]) -> Layout {
        Layout {
            lanes: threads.last().copied().map_or(1, i64::from),
            groups: 1,
            along: Groups::Rows,
            exchange: PlaneExchange::Shared,
        }
    }

    fn shares_tiles(&self) -> bool {
        true
    }

    fn tried(&self, rank: usize) -> [&'static [[u32; 3]]; 2] {
        if rank == 1 { [USUAL, MORE] } else { [&[], &[]] }
    }
}
