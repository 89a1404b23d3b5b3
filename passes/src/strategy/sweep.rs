//! What a plan for a sweep gets where it leaves a key open.
//!
//! A lane owns 16 bytes of each row, so that it reads them at once; in three dimensions four rows
//! of a plane, of which only the first and the last are handed to other warps. Registers: as many
//! as the blocks that must be resident together leave each thread.

use super::choice::Facts;
use stencil_model::{
    plan::{Mapping, Plan},
    target::Architecture,
};

/// Bytes that a thread reads at once.
const BYTES_OF_A_READ: u32 = 16;
/// Rows of a plane that a thread owns, in three dimensions.
const ROWS: u32 = 4;
/// Warps of a block that work for themselves.
const WARPS_APART: u32 = 4;
/// Warps of a block that work together on a plane.
const WARPS_TOGETHER: u32 = 8;

/// The plan with everything decided that it leaves open.
pub fn complete(mut plan: Plan, facts: &Facts, target: &Architecture) -> Plan {
    let rank = facts.domain.len();
    if plan.points.is_empty() {
        plan.points = vec![1; rank];
        plan.points[rank - 1] = BYTES_OF_A_READ / 4 / facts.words.max(1) as u32;
        if rank == 3 {
            plan.points[1] = ROWS;
        }
    }
    if plan.threads.is_empty() {
        plan.threads = vec![1; rank];
        let warps = match plan.mapping {
            Mapping::Block => WARPS_TOGETHER,
            _ => WARPS_APART,
        };
        match rank {
            3 => {
                plan.threads[1] = warps;
                plan.threads[2] = target.threads_per_warp;
            }
            _ => plan.threads[rank - 1] = warps * target.threads_per_warp,
        }
    }
    if plan.max_registers.is_none() {
        let threads = plan.threads_per_block().max(1) * plan.min_blocks;
        let fitting = (target.registers_per_sm / threads / 8 * 8).max(16);
        plan.max_registers = Some(fitting.min(target.registers_max_per_thread));
    }
    plan
}
