//! Our model: simulated in-order issue of the warps of a multiprocessor.
//!
//! A multiprocessor is simulated with its resident warps, for a few consecutive blocks per slot.
//! Each warp follows its [`Path`]. An instruction is issued when the stall of the previous one is
//! over, its scoreboards are released, its unit is free, and its partition issues no other warp in
//! that cycle. The last warp has priority until it waits, yields or accesses shared resources; then
//! the one with the fewest completed loop iterations, then the one that has waited longest. So all
//! warps progress alike, which the weights of walked iterations assume. The partitions share the
//! path to shared memory and to the caches, the first level, and the multiprocessor's share of the
//! bandwidths of the second level and of memory. Addresses are used where known
//! ([`requests`](crate::requests)): the first level serves what was requested before, within its
//! capacity.
//!
//! Not modelled: address translation, write-backs of the second level, other kernels.

mod first_level;
mod memory;
mod partition;
mod pipes;
mod warp;

use crate::{
    instruction::Instruction,
    kernel::{Kernel, Launch, Residence},
    path::Path,
    requests::{self, Requests},
    traffic::{Machine, Shares},
    unit::{Access, Timing},
};
use memory::{Asked, MemorySystem};
use partition::{Partition, Turn};
use warp::Warp;

/// Blocks simulated per slot: the first ones start together, the later ones as others end. Of many
/// rounds only those between ramp-up and ramp-down count.
const ROUNDS_MAX: u32 = 4;

/// The inputs of a simulation.
#[derive(Clone, Copy)]
pub struct Scene<'k> {
    /// The kernel.
    pub kernel: &'k Kernel,
    /// The path of its warps.
    pub path: &'k Path,
    /// Its launch.
    pub launch: &'k Launch,
    /// Its residence.
    pub residence: Residence,
    /// The memory shares.
    pub shares: &'k Shares,
    /// The machine.
    pub machine: Machine<'k>,
}

/// The cost of the resident blocks, averaged over all rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Cycles.
    pub cycles: f64,
    /// Traffic of the second level, in bytes.
    pub l2_bytes: f64,
    /// Traffic of memory, in bytes.
    pub hbm_bytes: f64,
}

/// Simulates this many `rounds`, or fewer that represent them.
pub fn simulate(scene: Scene<'_>, rounds: f64) -> Outcome {
    let code = &scene.kernel.code;
    let timings = code.iter().map(|it| Timing::of(it, scene.machine.coefficients)).collect();
    let rounds = (rounds.ceil() as u32).clamp(1, ROUNDS_MAX);
    Multiprocessor::new(scene, timings, rounds).run()
}

/// A slot for a block, and its current block.
struct Slot {
    /// Its warps, as indices into the list of all.
    warps: std::ops::Range<usize>,
    /// Their requests.
    requests: Vec<Requests>,
    /// The global index of its first warp.
    first_warp: u64,
    begun_at: f64,
}

struct Multiprocessor<'k> {
    scene: Scene<'k>,
    code: &'k [Instruction],
    timings: Vec<Timing>,
    warps: Vec<Warp>,
    slots: Vec<Slot>,
    partitions: Vec<Partition>,
    memory: MemorySystem,
    /// Blocks to start, and started ones.
    blocks: u64,
    blocks_begun: u64,
    /// End times of blocks.
    ends: Vec<f64>,
    /// Lifetimes of the finished blocks: weighted by execution counts, and as simulated.
    lifetimes: (f64, f64),
}

impl<'k> Multiprocessor<'k> {
    fn new(scene: Scene<'k>, timings: Vec<Timing>, rounds: u32) -> Self {
        let Residence { blocks, warps_per_block, .. } = scene.residence;
        let count = (blocks * warps_per_block) as usize;
        let partitions = scene.machine.target.partitions_per_sm as usize;
        let mut it = Self {
            scene,
            code: &scene.kernel.code,
            timings,
            warps: vec![Warp::default(); count],
            slots: Vec::new(),
            partitions: (0..partitions)
                .map(|first| Partition::new((first..count).step_by(partitions).collect()))
                .collect(),
            memory: MemorySystem::new(scene.shares, scene.machine),
            blocks: u64::from(blocks * rounds),
            blocks_begun: 0,
            ends: Vec::new(),
            lifetimes: (0.0, 0.0),
        };
        for first in (0..count).step_by(warps_per_block.max(1) as usize) {
            let warps = first..first + warps_per_block as usize;
            let (first_warp, requests) = it.next_block();
            it.slots.push(Slot { warps, requests, first_warp, begun_at: 0.0 });
        }
        for which in 0..count {
            it.prepare(which);
        }
        it
    }

    /// The requests of the next block, and its first warp's global index. Blocks are distributed
    /// round-robin to the multiprocessors, starting in the middle of the grid.
    fn next_block(&mut self) -> (u64, Vec<Requests>) {
        let Scene { kernel, path, launch, residence, machine, .. } = self.scene;
        let dealt = launch.middle() + self.blocks_begun * u64::from(machine.multiprocessors);
        let first_warp = self.blocks_begun * u64::from(residence.warps_per_block);
        self.blocks_begun += 1;
        (first_warp, requests::of_block(kernel, path, launch, dealt % launch.blocks().max(1)))
    }

    fn run(mut self) -> Outcome {
        while let Some((which, turn)) = self.next_partition() {
            self.issue(which, turn);
        }
        self.ends.sort_by(f64::total_cmp);
        let resident = self.slots.len();
        let rounds = self.ends.len() as f64 / resident as f64;
        let (stands_for, simulated) = self.lifetimes;
        let end = |number: usize| self.ends[number - 1];
        let cycles = if self.ends.len() > 2 * resident {
            // Without ramp-up and ramp-down.
            let last = self.ends.len() - resident;
            (end(last) - end(resident)) / (last - resident) as f64 * resident as f64
        } else {
            end(self.ends.len()) / rounds
        };
        let (l2_bytes, hbm_bytes) = self.memory.passed();
        Outcome {
            cycles: cycles * stands_for / simulated,
            l2_bytes: l2_bytes / rounds,
            hbm_bytes: hbm_bytes / rounds,
        }
    }

    /// The partition that issues next. If others have used memory since a partition chose its warp,
    /// it chooses again.
    fn next_partition(&mut self) -> Option<(usize, Turn)> {
        loop {
            let turns = self.partitions.iter().enumerate();
            let turns = turns.filter_map(|(which, it)| Some((which, it.turn?)));
            let (which, turn) = turns.min_by(|a, b| a.1.order(&b.1))?;
            self.choose(which);
            if self.partitions[which].turn == Some(turn) {
                return Some((which, turn));
            }
        }
    }

    fn choose(&mut self, partition: usize) {
        let chosen = self.partitions[partition].choose(&self.warps, &self.timings, &self.memory);
        self.partitions[partition].turn = chosen;
    }

    /// Determines what a warp waits for before its next instruction.
    fn prepare(&mut self, which: usize) {
        let warp = &mut self.warps[which];
        let step = self.scene.path.steps.get(warp.at);
        warp.prepare(step.map(|step| (step, &self.code[step.instruction])));
        self.choose(which % self.partitions.len());
    }

    fn issue(&mut self, partition: usize, turn: Turn) {
        let Turn { warp: which, at, .. } = turn;
        let place = self.warps[which].at;
        let step = self.scene.path.steps[place];
        let instruction = &self.code[step.instruction];
        let timing = &self.timings[step.instruction];
        let slot = &self.slots[self.slot_of(which)];
        let number = which - slot.warps.start;
        let asked = Asked {
            instruction,
            timing,
            request: slot.requests[number][place].as_ref(),
            warp: slot.first_warp + number as u64,
            weight: step.weight,
        };
        let served = self.memory.serve(asked, at);
        let goes_on = !instruction.control.yields;
        let next_at = at + self.scene.shares.issue_cycles;
        self.partitions[partition].issued(turn, timing, next_at, goes_on);
        self.warps[which].issue(instruction, served, at, step.weight);
        if self.warps[which].at == self.scene.path.steps.len() {
            self.end_of(which);
        } else if timing.access == Access::Barrier {
            self.warps[which].blocked = true;
        }
        self.prepare(which);
        self.release_barrier(which);
    }

    fn slot_of(&self, which: usize) -> usize {
        which / self.scene.residence.warps_per_block as usize
    }

    /// Releases a barrier when all running warps of the block have arrived.
    fn release_barrier(&mut self, which: usize) {
        let warps = self.slots[self.slot_of(which)].warps.clone();
        let end = self.scene.path.steps.len();
        let mut running = self.warps[warps.clone()].iter().filter(|warp| warp.at < end).peekable();
        if running.peek().is_none() || !running.all(|warp| warp.blocked) {
            return;
        }
        let last = self.warps[warps.clone()].iter().map(|warp| warp.issued_at).fold(0.0, f64::max);
        let released = last + self.scene.machine.coefficients.latency.barrier.value;
        for which in warps {
            if self.warps[which].blocked {
                self.warps[which].blocked = false;
                self.warps[which].wait_until(released);
                self.prepare(which);
            }
        }
    }

    /// Ends a block with its last warp, and starts the next in its slot.
    fn end_of(&mut self, which: usize) {
        let slot = self.slot_of(which);
        let end = self.scene.path.steps.len();
        let range = self.slots[slot].warps.clone();
        let warps = &self.warps[range.clone()];
        if warps.iter().any(|warp| warp.at < end) {
            return;
        }
        let launch_cycles = self.scene.machine.coefficients.memory.block_launch_cycles.value;
        let longest = warps.iter().map(|warp| warp.lifetime).fold(0.0, f64::max);
        let ended = warps.iter().map(|warp| warp.issued_at).fold(0.0, f64::max) + launch_cycles;
        self.lifetimes.0 += longest + launch_cycles;
        self.lifetimes.1 += ended - self.slots[slot].begun_at;
        self.ends.push(ended);
        if self.blocks_begun == self.blocks {
            return;
        }
        // Of two blocks the earlier one has priority.
        let laps = self.scene.path.steps.last().map_or(0, |step| step.lap + 1);
        let laps_before = warps[0].laps_before + laps;
        let (first_warp, requests) = self.next_block();
        self.slots[slot] = Slot { warps: range.clone(), requests, first_warp, begun_at: ended };
        for which in range {
            self.warps[which] = Warp::starting(ended, laps_before);
            self.prepare(which);
        }
    }
}

#[cfg(test)]
mod tests;
