//! The predictor of Sakdhnagool et al. (Regdem: Increasing GPU Performance via Shared Memory
//! Register Spilling, 2019), and the naive one that the paper compares it with.
//!
//! Cycles that a warp stalls are summed over the blocks of a kernel, each multiplied by 10 for each
//! loop around it. An instruction stalls as long as its control word says, longer the more warps
//! there are and the lower the throughput of its unit is; one that waits for a scoreboard stalls
//! for the remaining latency of the instruction that set it. The sum is scaled by the slowdown of
//! compute-bound kernels at the kernel's occupancy relative to the highest of all variants.
//!
//! Our reading where the paper is ambiguous: occupancy is the fraction of the maximum resident
//! warps; accesses of local memory are as long as those of global memory, all
//! other instructions with a scoreboard as long as those of shared memory; blocks that the kernel
//! calls count as often as they are called.

use crate::{
    coefficients::Coefficients,
    flow::ITERATIONS_UNKNOWN,
    instruction::SCOREBOARDS,
    kernel::{Kernel, Residence},
    unit::{Access, Timing},
};
use stencil_model::target::Architecture;

/// Cycles of an access to global memory, in the model of the paper.
const GLOBAL_LATENCY_CYCLES: f64 = 200.0;
/// Cycles of an access to shared memory, in the model of the paper.
const SHARED_LATENCY_CYCLES: f64 = 24.0;

/// Cycles that the control words of a kernel tell a warp to stall, loops and waits left out.
pub fn naive(kernel: &Kernel) -> f64 {
    kernel.code.iter().map(|it| f64::from(it.control.stall_cycles)).sum()
}

/// Stalled cycles of a kernel that has `residence` of a multiprocessor.
pub fn stalls(
    kernel: &Kernel,
    residence: Residence,
    target: &Architecture,
    coefficients: &Coefficients,
) -> f64 {
    let occupancy = f64::from(residence.warps()) / f64::from(target.warps_max_per_sm);
    let weights = kernel.flow.weights_by_level(&kernel.code, ITERATIONS_UNKNOWN);
    let blocks = kernel.flow.blocks.iter().zip(weights);
    let timings: Vec<_> = kernel.code.iter().map(|it| Timing::of(it, coefficients)).collect();
    let partition_cycles = |it: &Timing| it.partition_cycles(target.partitions_per_sm);
    // The instruction of the highest throughput takes the fewest cycles.
    let fewest = coefficients.throughput.ffma.value;
    let mut sum = 0.0;
    for (block, weight) in blocks.filter(|(_, weight)| *weight > 0.0) {
        let mut now = 0.0;
        let mut stalled = 0.0;
        let mut set: [Option<(f64, f64)>; SCOREBOARDS] = [None; SCOREBOARDS];
        for index in block.instructions() {
            let (instruction, timing) = (&kernel.code[index], &timings[index]);
            for which in instruction.control.waits() {
                if let Some((since, latency)) = set[which].take() {
                    let wait = (latency - (now - since)).max(0.0);
                    stalled += wait;
                    now += wait;
                }
            }
            let field = f64::from(instruction.control.stall_cycles);
            stalled += field * occupancy * partition_cycles(timing) / fewest;
            let control = instruction.control;
            for which in control.write_scoreboard.into_iter().chain(control.read_scoreboard) {
                set[usize::from(which)] = Some((now, latency_cycles(timing.access)));
            }
            now += field;
        }
        sum += weight * stalled;
    }
    sum
}

fn latency_cycles(access: Access) -> f64 {
    match access {
        Access::LoadGlobal
        | Access::CopyToShared
        | Access::StoreGlobal
        | Access::LoadLocal
        | Access::StoreLocal => GLOBAL_LATENCY_CYCLES,
        _ => SHARED_LATENCY_CYCLES,
    }
}

/// How much longer a kernel takes for its occupancy than one with `warps_max` warps.
pub fn occupancy_factor(warps: u32, warps_max: u32, coefficients: &Coefficients) -> f64 {
    let speed = |warps: u32| coefficients.relative_speed(f64::from(warps));
    speed(warps_max) / speed(warps)
}

#[cfg(test)]
mod tests;
