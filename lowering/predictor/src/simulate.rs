//! Our model: the warps of a multiprocessor issue in order, and wait for what hardware makes them
//! wait for.
//!
//! A multiprocessor is simulated with the warps that are resident there, for a few blocks one after
//! the other in each place. Each warp goes its [`Path`]. An instruction is issued when the stall of
//! the one before is over, the scoreboards that it names are released, its unit is free, and its
//! partition issues no other warp in that cycle. Of several warps the last one goes on, until it
//! has to wait or yields or asks the memory that all share; then it is the turn of the one with the
//! fewest iterations of loops behind it, then of the one that has waited longest. So all get on
//! alike, without which the walked iterations would not stand for the others.
//! The partitions share the path to shared memory and to the caches, the first level, and the
//! multiprocessor's part of the rates of the second level and of memory. What a warp asks for is
//! known as far as its addresses are ([`requests`](crate::requests)): the first level answers what
//! somebody asked for before, as long as there was room.
//!
//! Left out: the translation of addresses, write-backs of the second level, other kernels.

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

/// Blocks that are simulated for each place: the first ones start together, the later ones as
/// others end. Of many rounds only those count in which neither all begin nor the last ones end.
const ROUNDS_MAX: u32 = 4;

/// What is simulated.
#[derive(Clone, Copy)]
pub struct Scene<'k> {
    /// The kernel.
    pub kernel: &'k Kernel,
    /// The way of its warps.
    pub path: &'k Path,
    /// How it is launched.
    pub launch: &'k Launch,
    /// What is resident at once.
    pub residence: Residence,
    /// What the levels of memory answer.
    pub shares: &'k Shares,
    /// The machine.
    pub machine: Machine<'k>,
}

/// What the blocks that are resident at once need, on average over all rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Cycles.
    pub cycles: f64,
    /// Bytes that pass the second level.
    pub l2_bytes: f64,
    /// Bytes that pass memory.
    pub hbm_bytes: f64,
}

/// Simulates so many `rounds`, or fewer that stand for them.
pub fn simulate(scene: Scene<'_>, rounds: f64) -> Outcome {
    let code = &scene.kernel.code;
    let timings = code.iter().map(|it| Timing::of(it, scene.machine.coefficients)).collect();
    let rounds = (rounds.ceil() as u32).clamp(1, ROUNDS_MAX);
    Multiprocessor::new(scene, timings, rounds).run()
}

/// The place of a block, and the block that is in it.
struct Slot {
    /// Its warps, as places in the list of all.
    warps: std::ops::Range<usize>,
    /// What each of them asks for.
    requests: Vec<Requests>,
    /// The first of them among all warps that there ever were.
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
    /// Blocks that begin, and those that have begun.
    blocks: u64,
    blocks_begun: u64,
    /// When blocks have ended.
    ends: Vec<f64>,
    /// Lifetimes of the blocks that have ended: with each instruction as often as it stands for,
    /// and as they were simulated.
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

    /// What the block that comes next asks for, and its first warp's number among all. Blocks are
    /// dealt to the multiprocessors in turn; this one's begin in the middle of the grid.
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
            // Neither while all fill up nor while the last ones run dry.
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

    /// The partition that issues next. Memory may have been taken by others since a partition chose
    /// its warp: then it chooses again.
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

    /// Says what a warp waits for before its next instruction.
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

    /// Lets a block go on when all its warps that still run have come to the barrier.
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

    /// Ends a block with its last warp, and begins the next in its place.
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
        // Of two blocks the one that was launched first goes first.
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
