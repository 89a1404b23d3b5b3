//! Traffic between the levels of memory.
//!
//! The addresses of a warp are in the code ([`requests`](crate::requests)), and so is the reuse
//! within a block. How much of the rest comes from memory, and how much other blocks have brought
//! into the second level, depends on the launch: the caller provides it.

use std::collections::HashSet;

use crate::{
    coefficients::Coefficients,
    kernel::{Kernel, Residence},
    machine_code::INSTRUCTION_BYTES,
    path::Path,
    requests::{Requests, SECTOR_BYTES},
    unit::{Access, Timing},
};
use stencil_model::{product::Product, target::Architecture};

/// The caller's data on a launch, averaged per thread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traffic {
    /// Bytes between memory and the second level, read and written.
    pub hbm_bytes_per_thread: f64,
    /// Bytes stored to global memory, where known: determines unknown trip counts.
    pub stored_bytes_per_thread: Option<f64>,
}

/// The shares of the memory levels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    /// Fraction of a block's first requests that miss in the second level.
    pub cold_part: f64,
    /// Fraction of stores that reach memory.
    pub stored_part: f64,
    /// Fraction of local accesses that miss in both levels.
    pub local_hbm_part: f64,
    /// Capacity of the first level.
    pub l1_bytes: f64,
    /// Minimum cycles of the second level per warp.
    pub l2_cycles_per_warp: f64,
    /// Minimum cycles of memory per warp under full load.
    pub hbm_cycles_per_warp: f64,
    /// Cycles of an issue slot: more than one if code exceeds the instruction cache.
    pub issue_cycles: f64,
}

impl Shares {
    /// The shares for a kernel with this residence, one of whose blocks has these `requests`.
    pub fn of(
        kernel: &Kernel,
        path: &Path,
        residence: Residence,
        traffic: Option<Traffic>,
        requests: &[Requests],
        machine: Machine<'_>,
    ) -> Self {
        let Machine { target, coefficients, .. } = machine;
        let lanes = f64::from(target.threads_per_warp);
        let warps = f64::from(residence.warps_per_block);
        let asked = asked(kernel, path, requests, machine);
        let per_warp = (asked.cold + asked.stored) / warps;
        // The default is a cold second level.
        let hbm = traffic.map_or(per_warp, |it| it.hbm_bytes_per_thread * lanes);
        let threads = f64::from(residence.warps()) * lanes;
        // Local memory of all threads, in a second level that all other data streams through.
        let local_bytes = f64::from(kernel.local_bytes_per_thread) * threads;
        let of_chip = local_bytes * f64::from(machine.multiprocessors);
        let l2_bytes =
            machine.measured().sheet.l2_bytes as f64 * coefficients.memory.l2_local_part.value;
        Self {
            cold_part: part(hbm * warps - asked.stored, asked.cold),
            stored_part: part(hbm * warps, asked.stored),
            local_hbm_part: part(of_chip - l2_bytes, of_chip),
            l1_bytes: machine.l1_bytes(residence),
            l2_cycles_per_warp: per_warp / coefficients.memory.l2_bytes_per_cycle.value,
            hbm_cycles_per_warp: hbm / machine.hbm_bytes_per_cycle(),
            issue_cycles: issue_cycles(path, target, coefficients),
        }
    }
}

/// Bytes requested by a block.
struct Asked {
    /// Bytes loaded for the first time in the block.
    cold: f64,
    stored: f64,
}

fn asked(kernel: &Kernel, path: &Path, requests: &[Requests], machine: Machine<'_>) -> Asked {
    let mut asked = Asked { cold: 0.0, stored: 0.0 };
    let mut seen = HashSet::new();
    for (place, step) in path.steps.iter().enumerate() {
        let instruction = &kernel.code[step.instruction];
        let access = Timing::of(instruction, machine.coefficients).access;
        if !matches!(access, Access::LoadGlobal | Access::CopyToShared | Access::StoreGlobal) {
            continue;
        }
        let unknown = instruction.access_bytes() * machine.target.threads_per_warp;
        for warp in requests {
            let sectors = warp[place].map(|request| request.sectors());
            let bytes = |count: usize| (count as u64 * SECTOR_BYTES) as f64;
            if access == Access::StoreGlobal {
                let all = sectors.map_or(f64::from(unknown), |it| bytes(it.len()));
                asked.stored += step.weight * all;
                continue;
            }
            let new = sectors.map(|it| it.into_iter().filter(|&it| seen.insert(it)).count());
            asked.cold += step.weight * new.map_or(f64::from(unknown), bytes);
        }
    }
    asked
}

/// The fraction of `whole` that `piece` is, from 0 to 1.
fn part(piece: f64, whole: f64) -> f64 {
    if whole > 0.0 { (piece / whole).clamp(0.0, 1.0) } else { 0.0 }
}

/// Code larger than the instruction cache comes from the second level, in the worst case anew for
/// each warp; all partitions fetch the same way.
fn issue_cycles(path: &Path, target: &Architecture, coefficients: &Coefficients) -> f64 {
    let bytes = (path.distinct() * INSTRUCTION_BYTES) as f64;
    let beyond = (bytes - coefficients.memory.instruction_cache_bytes.value).max(0.0);
    let fetched = INSTRUCTION_BYTES as f64 * f64::from(target.partitions_per_sm);
    1.0 + part(beyond, bytes) * fetched / coefficients.memory.l2_bytes_per_cycle.value
}

/// The machine of a launch.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'m> {
    /// Its limits.
    pub target: &'static Architecture,
    /// Its multiprocessors.
    pub multiprocessors: u32,
    /// Its measured numbers.
    pub coefficients: &'m Coefficients,
}

impl Machine<'_> {
    /// The first level's share of the common store. Launchers of this project select the smallest
    /// shared memory carve-out that holds the resident blocks.
    pub fn l1_bytes(&self, residence: Residence) -> f64 {
        let target = self.target;
        let of_block = residence.shared_bytes_per_block + target.shared_bytes_reserved_per_block;
        let least = self.measured().calibration.shared_bytes_taken_min;
        let shared = target.shared_size_for((residence.blocks * of_block).max(least));
        (self.coefficients.memory.l1_bytes.value - f64::from(shared)).max(0.0)
    }

    /// The chip that its numbers were measured on.
    fn measured(&self) -> &'static Product {
        let known = Product::named(&self.coefficients.chip);
        known.unwrap_or_else(|| Product::of_architecture(self.target))
    }

    /// Memory bandwidth of one multiprocessor under full load.
    pub fn hbm_bytes_per_cycle(&self) -> f64 {
        let chip = self.coefficients.memory.hbm_bytes_per_cycle.value;
        chip / f64::from(self.multiprocessors.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{flow::Iterations, kernel::Launch, listings::kernel, requests};

    /// The shares of a kernel with two loads and a store of rows, where the second load requests
    /// what the first of another warp has requested.
    fn shares(traffic: Option<Traffic>, shared_bytes_per_block: u32) -> Shares {
        let coefficients = Coefficients::parse(include_str!("../coefficients/sm_90.json")).unwrap();
        let target = Architecture::parse("sm_90a").unwrap();
        let machine = Machine { target, multiprocessors: 100, coefficients: &coefficients };
        let kernel = kernel(
            "S2R R2, SR_TID.X\nLDC.64 R4, c[0x0][0x210]\nLDC.64 R8, c[0x0][0x218]
             IMAD.WIDE R4, R2, 0x8, R4\nIMAD.WIDE R8, R2, 0x8, R8\nLDG.E.64 R6, [R4.64]
             LDG.E.64 R6, [R4.64+0x100]\nSTG.E.64 [R8.64], R6\nEXIT",
        );
        let launch = Launch {
            target,
            multiprocessors: 100,
            block: [128, 1, 1],
            grid: [1000, 1, 1],
            shared_bytes_dynamic: 0,
            iterations: Iterations::new(),
        };
        let path = Path::of(&kernel, &Iterations::new());
        let residence = Residence { blocks: 2, warps_per_block: 4, shared_bytes_per_block };
        let requests = requests::of_block(&kernel, &path, &launch, launch.middle());
        Shares::of(&kernel, &path, residence, traffic, &requests, machine)
    }

    #[test]
    fn what_a_block_asks_for_first_is_counted_once() {
        let traffic = Traffic { hbm_bytes_per_thread: 12.0, stored_bytes_per_thread: None };
        let found = shares(Some(traffic), 0);
        // Five rows of a warp are loaded, four stored; memory moves six, of which four are stored.
        let row = 256.0;
        let coefficients = Coefficients::parse(include_str!("../coefficients/sm_90.json")).unwrap();
        let l2_bytes = found.l2_cycles_per_warp * coefficients.memory.l2_bytes_per_cycle.value;
        assert!((l2_bytes - 9.0 * row / 4.0).abs() < 1e-6, "{l2_bytes}");
        assert_eq!((found.cold_part, found.stored_part), (0.4, 1.0));
        assert_eq!(found.issue_cycles, 1.0);
        // By default everything comes from memory.
        assert_eq!(shares(None, 0).cold_part, 1.0);
    }

    #[test]
    fn shared_memory_is_taken_from_the_first_level_in_steps() {
        let coefficients = Coefficients::parse(include_str!("../coefficients/sm_90.json")).unwrap();
        let all = coefficients.memory.l1_bytes.value;
        let taken = |shared| (all - shares(None, shared).l1_bytes) / 1024.0;
        assert_eq!(taken(0), 32.0);
        // Two blocks of 31 KiB and the system's one need 64 KiB.
        assert_eq!((taken(31 * 1024), taken(32 * 1024)), (64.0, 100.0));
        assert_eq!(taken(113 * 1024), 228.0);
    }
}
