//! What moves between the levels of memory, and which part of the loads each level answers.
//!
//! How many bytes a thread must have from memory follows from the tiles, not from the machine code:
//! the caller says it. How many it asks for is in the code. The difference is found again in the
//! first level, as far as that is large enough: shared memory is taken from the same store.

use crate::{
    coefficients::Coefficients,
    instruction::Instruction,
    kernel::{Kernel, Residence},
    machine_code::INSTRUCTION_BYTES,
    path::Path,
    unit::{Access, Timing},
};
use stencil_model::{product::Product, target::Architecture};

/// Bytes of a launch, read and written together, a thread on average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traffic {
    /// Between the second level and the multiprocessors, if the first level keeps what is used
    /// again.
    pub l2_bytes_per_thread: f64,
    /// Between memory and the second level.
    pub hbm_bytes_per_thread: f64,
    /// What a block must find again in the first level for that; 0 if nothing is used twice.
    pub reused_bytes_per_block: f64,
    /// Bytes stored to global memory, where they are known: loops whose iterations are not are
    /// taken to turn as often as it takes to store so much.
    pub stored_bytes_per_thread: Option<f64>,
}

impl Traffic {
    /// That of a launch whose blocks touch `overlap` times the bytes that they would if none read
    /// what another one has: 1 for tiles without a halo. Of a block that streams, all it touches is
    /// more than it uses at a time; say there what it has to find again.
    pub fn of_tiles(hbm_bytes_per_thread: f64, threads_per_block: u32, overlap: f64) -> Self {
        let l2_bytes_per_thread = hbm_bytes_per_thread * overlap;
        Self {
            l2_bytes_per_thread,
            hbm_bytes_per_thread,
            reused_bytes_per_block: l2_bytes_per_thread * f64::from(threads_per_block),
            stored_bytes_per_thread: None,
        }
    }
}

/// Which part of the accesses each level answers, and the cycles that the rates of levels allow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    /// Loads of global memory that the first level does not have.
    pub l2_part: f64,
    /// Of those, what the second level does not have either.
    pub hbm_part: f64,
    /// Accesses to local memory that the first level does not have.
    pub local_part: f64,
    /// Of those, what the second level does not have either.
    pub local_hbm_part: f64,
    /// Cycles of the multiprocessor that the second level needs for a warp.
    pub l2_cycles_per_warp: f64,
    /// Cycles of the multiprocessor that memory needs for a warp, all others doing the same.
    pub hbm_cycles_per_warp: f64,
    /// Cycles of an issue slot: more than one where code is fetched again and again.
    pub issue_cycles: f64,
}

/// Bytes a thread asks for.
struct Asked {
    loaded: f64,
    stored: f64,
    local: f64,
}

impl Shares {
    /// The parts for a kernel with this residence.
    pub fn of(
        kernel: &Kernel,
        path: &Path,
        residence: Residence,
        traffic: Option<Traffic>,
        machine: Machine<'_>,
    ) -> Self {
        let Machine { target, coefficients, .. } = machine;
        let asked = asked(kernel, path, coefficients);
        // Who says nothing has no reuse that the first level could see, and a cold second level.
        let total = asked.loaded + asked.stored;
        let traffic = traffic.unwrap_or(Traffic {
            l2_bytes_per_thread: total,
            hbm_bytes_per_thread: total,
            reused_bytes_per_block: 0.0,
            stored_bytes_per_thread: None,
        });
        let shared = f64::from(residence.shared_bytes_per_block) * f64::from(residence.blocks);
        let room = (coefficients.memory.l1_bytes.value - shared).max(0.0);
        let threads = f64::from(residence.warps() * target.threads_per_warp);
        let local_bytes = f64::from(kernel.local_bytes_per_thread) * threads;
        let wanted = traffic.reused_bytes_per_block * f64::from(residence.blocks) + local_bytes;
        let kept = if wanted > room { room / wanted } else { 1.0 };
        let least = (traffic.l2_bytes_per_thread - asked.stored).max(0.0);
        let missing = part(least, asked.loaded);
        let l2_part = 1.0 - (1.0 - missing) * kept;
        let local_part = 1.0 - kept;
        // Local memory of all threads at once, in a second level that all else passes through.
        let of_chip = local_bytes * f64::from(machine.multiprocessors);
        let l2_bytes = Product::known_by(target).l2_bytes as f64;
        let local_hbm_part = part(of_chip - l2_bytes, of_chip);
        let hbm_part = part(traffic.hbm_bytes_per_thread, traffic.l2_bytes_per_thread);
        let through_l2 = asked.loaded * l2_part + asked.stored + asked.local * local_part;
        let lanes = f64::from(target.threads_per_warp);
        let local_hbm = asked.local * local_part * local_hbm_part;
        let hbm = (traffic.hbm_bytes_per_thread.min(total) + local_hbm) * lanes;
        Self {
            l2_part,
            hbm_part,
            local_part,
            local_hbm_part,
            l2_cycles_per_warp: through_l2 * lanes / coefficients.memory.l2_bytes_per_cycle.value,
            hbm_cycles_per_warp: hbm / machine.hbm_bytes_per_cycle(),
            issue_cycles: issue_cycles(path, target, coefficients),
        }
    }
}

/// The part of `whole` that `piece` is, from none to all.
fn part(piece: f64, whole: f64) -> f64 {
    if whole > 0.0 { (piece / whole).clamp(0.0, 1.0) } else { 0.0 }
}

fn asked(kernel: &Kernel, path: &Path, coefficients: &Coefficients) -> Asked {
    let mut asked = Asked { loaded: 0.0, stored: 0.0, local: 0.0 };
    for step in &path.steps {
        let instruction: &Instruction = &kernel.code[step.instruction];
        let bytes = step.weight * f64::from(instruction.access_bytes());
        match Timing::of(instruction, coefficients).access {
            Access::LoadGlobal | Access::CopyToShared => asked.loaded += bytes,
            Access::StoreGlobal => asked.stored += bytes,
            Access::LoadLocal | Access::StoreLocal => asked.local += bytes,
            Access::None | Access::Shared | Access::Shuffle | Access::Barrier => {}
        }
    }
    asked
}

/// Code that the cache of instructions cannot hold comes from the second level, for each warp anew
/// in the worst case; all partitions fetch the same way.
fn issue_cycles(path: &Path, target: &Architecture, coefficients: &Coefficients) -> f64 {
    let bytes = (path.distinct() * INSTRUCTION_BYTES) as f64;
    let beyond = (bytes - coefficients.memory.instruction_cache_bytes.value).max(0.0);
    let fetched = INSTRUCTION_BYTES as f64 * f64::from(target.partitions_per_sm);
    1.0 + part(beyond, bytes) * fetched / coefficients.memory.l2_bytes_per_cycle.value
}

/// The machine that a kernel is launched on.
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
    /// What memory gives to one multiprocessor while all ask.
    pub fn hbm_bytes_per_cycle(&self) -> f64 {
        let chip = self.coefficients.memory.hbm_bytes_per_cycle.value;
        chip / f64::from(self.multiprocessors.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{flow::Iterations, listings::kernel};

    fn shares(traffic: Option<Traffic>, shared_bytes_per_block: u32) -> Shares {
        let coefficients = Coefficients::parse(include_str!("../coefficients/sm_90.json")).unwrap();
        let target = Architecture::parse("sm_90a").unwrap();
        let machine = Machine { target, multiprocessors: 100, coefficients: &coefficients };
        let kernel =
            kernel("LDG.E.64 R2, [R4.64]\nLDG.E.64 R6, [R4.64+0x8]\nSTG.E.64 [R8.64], R2\nEXIT");
        let path = Path::of(&kernel, &Iterations::new());
        let residence = Residence { blocks: 2, warps_per_block: 4, shared_bytes_per_block };
        Shares::of(&kernel, &path, residence, traffic, machine)
    }

    #[test]
    fn what_is_not_fetched_is_found_in_the_first_level() {
        let traffic = Traffic {
            l2_bytes_per_thread: 16.0,
            hbm_bytes_per_thread: 12.0,
            reused_bytes_per_block: 1024.0,
            stored_bytes_per_thread: None,
        };
        let found = shares(Some(traffic), 0);
        assert_eq!((found.l2_part, found.hbm_part, found.local_part), (0.5, 0.75, 0.0));
        // Shared memory leaves no room: everything is fetched.
        let room_taken = shares(Some(traffic), 1 << 20);
        assert_eq!((room_taken.l2_part, room_taken.hbm_part), (1.0, 0.75));
        assert!(room_taken.l2_cycles_per_warp > found.l2_cycles_per_warp);
        assert_eq!(room_taken.hbm_cycles_per_warp, found.hbm_cycles_per_warp);
    }

    #[test]
    fn tiles_that_overlap_are_read_more_than_once_from_the_second_level() {
        let tiles = Traffic::of_tiles(16.0, 128, 1.5);
        assert_eq!((tiles.hbm_bytes_per_thread, tiles.l2_bytes_per_thread), (16.0, 24.0));
        assert_eq!(tiles.reused_bytes_per_block, 3072.0);
    }

    #[test]
    fn without_a_word_of_the_caller_everything_comes_from_memory() {
        let unknown = shares(None, 0);
        assert_eq!((unknown.l2_part, unknown.hbm_part), (1.0, 1.0));
        assert_eq!(unknown.issue_cycles, 1.0);
    }
}
