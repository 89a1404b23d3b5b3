//! Our model: the warps of one partition issue in order, and wait for what hardware makes them wait
//! for.
//!
//! The fullest partition of a multiprocessor is simulated with the warps that are resident there,
//! for a few blocks one after the other. Each warp goes its [`Path`]. An instruction is issued when
//! the stall of the one before is over, the scoreboards that it names are released, its unit is
//! free, and no other warp is issued in that cycle. Of several warps the last one goes on, until it
//! has to wait or yields or asks the memory that all share; then it is the turn of the one with the
//! fewest iterations of loops behind it, then of the one that has waited longest. So all get on
//! alike, without which the walked iterations would not stand for the others.
//! What the partitions share (the path to shared memory and to the caches, the rates of the second
//! level and of memory) is slower by the number of warps that do the same at the same time.
//!
//! Left out: conflicts of banks of shared memory and accesses that do not coalesce (layouts here
//! have none), the translation of addresses, write-backs of the second level, other kernels.

mod memory;
mod pipes;
mod warp;

use crate::{
    instruction::Instruction,
    kernel::{Kernel, Residence},
    path::Path,
    traffic::{Machine, Shares},
    unit::{Access, Timing, Unit},
};
use memory::MemorySystem;
use pipes::Pipes;
use warp::Warp;

/// Blocks that are simulated one after the other in each place: the first ones start together, the
/// later ones as others end.
const ROUNDS_MAX: u32 = 3;

/// Instructions of a kernel with their timing.
struct Program<'k> {
    code: &'k [Instruction],
    timings: Vec<Timing>,
    path: &'k Path,
}

/// Cycles that the blocks resident at once need, on average over `rounds` of them.
pub fn cycles(
    kernel: &Kernel,
    path: &Path,
    residence: Residence,
    shares: &Shares,
    machine: Machine<'_>,
    rounds: f64,
) -> f64 {
    let timings = kernel.code.iter().map(|it| Timing::of(it, machine.coefficients)).collect();
    let program = Program { code: &kernel.code, timings, path };
    let rounds = (rounds.ceil() as u32).clamp(1, ROUNDS_MAX);
    Partition::new(&program, residence, shares, machine, rounds).run()
}

/// A block as far as it is in this partition.
struct Slot {
    /// Its warps, as places in the list of all.
    warps: std::ops::Range<usize>,
    rounds_left: u32,
}

struct Partition<'k> {
    program: &'k Program<'k>,
    warps: Vec<Warp>,
    slots: Vec<Slot>,
    pipes: Pipes,
    memory: MemorySystem,
    barrier_cycles: f64,
    launch_cycles: f64,
    issue_cycles: f64,
    /// The first cycle in which an instruction can be issued.
    issue_at: f64,
    /// The warp that issued last, if it did not yield.
    greedy: Option<usize>,
    /// Weighted lifetimes of the blocks that have ended, and how many.
    lifetimes: (f64, u32),
}

impl<'k> Partition<'k> {
    fn new(
        program: &'k Program<'k>,
        residence: Residence,
        shares: &Shares,
        machine: Machine<'_>,
        rounds: u32,
    ) -> Self {
        let partitions = machine.target.partitions_per_sm;
        let here = residence.warps().div_ceil(partitions);
        // A block of fewer warps than partitions has one here, or none.
        let of_block = residence.warps_per_block.div_ceil(partitions);
        let mut slots = Vec::new();
        let mut first = 0;
        while first < here {
            let end = (first + of_block).min(here);
            slots.push(Slot { warps: first as usize..end as usize, rounds_left: rounds - 1 });
            first = end;
        }
        let sharing = f64::from(residence.warps()) / f64::from(here);
        Self {
            program,
            warps: (0..here as usize).map(|_| Warp::default()).collect(),
            slots,
            pipes: Pipes::default(),
            memory: MemorySystem::new(shares, machine, sharing),
            barrier_cycles: machine.coefficients.latency.barrier.value,
            launch_cycles: machine.coefficients.memory.block_launch_cycles.value,
            issue_cycles: shares.issue_cycles,
            issue_at: 0.0,
            greedy: None,
            lifetimes: (0.0, 0),
        }
    }

    fn run(mut self) -> f64 {
        while let Some((warp, at)) = self.pick() {
            self.issue(warp, at);
        }
        let (sum, blocks) = self.lifetimes;
        sum / f64::from(blocks.max(1))
    }

    /// The warp that issues next, and when.
    fn pick(&self) -> Option<(usize, f64)> {
        let mut best: Option<((f64, f64, f64), usize)> = None;
        for (which, warp) in self.warps.iter().enumerate() {
            let Some(step) = self.program.path.steps.get(warp.at).filter(|_| !warp.blocked) else {
                continue;
            };
            let timing = &self.program.timings[step.instruction];
            let ready = warp.ready_at(&self.program.code[step.instruction]);
            let free = self.pipes.free_at(timing.unit).max(self.memory.accepts_at(timing));
            let at = ready.max(free).max(self.issue_at);
            let goes_on = self.greedy == Some(which) && timing.unit != Unit::Memory;
            let (lap, waits) = (f64::from(warp.laps_before + step.lap), warp.issued_at);
            let turn = if goes_on { (at, f64::NEG_INFINITY, 0.0) } else { (at, lap, waits) };
            if best.is_none_or(|(first, _)| turn < first) {
                best = Some((turn, which));
            }
        }
        best.map(|((at, ..), which)| (which, at))
    }

    fn issue(&mut self, which: usize, at: f64) {
        let step = self.program.path.steps[self.warps[which].at];
        let instruction = &self.program.code[step.instruction];
        let timing = &self.program.timings[step.instruction];
        self.issue_at = at + self.issue_cycles;
        self.greedy = (!instruction.control.yields).then_some(which);
        self.pipes.take(timing, at);
        let served = self.memory.serve(instruction, timing, at);
        let warp = &mut self.warps[which];
        warp.issue(instruction, served, at, step.weight);
        if warp.at == self.program.path.steps.len() {
            self.end_of(which);
        } else if timing.access == Access::Barrier {
            self.warps[which].blocked = true;
        }
        self.release_barrier(which);
    }

    fn slot_of(&self, which: usize) -> usize {
        let found = self.slots.iter().position(|slot| slot.warps.contains(&which));
        found.expect("every warp belongs to a block")
    }

    /// Lets a block go on when all its warps that still run have come to the barrier.
    fn release_barrier(&mut self, which: usize) {
        let warps = self.slots[self.slot_of(which)].warps.clone();
        let end = self.program.path.steps.len();
        let mut running = self.warps[warps.clone()].iter().filter(|warp| warp.at < end).peekable();
        if running.peek().is_none() || !running.all(|warp| warp.blocked) {
            return;
        }
        let last = self.warps[warps.clone()].iter().map(|warp| warp.issued_at).fold(0.0, f64::max);
        for warp in self.warps[warps].iter_mut().filter(|warp| warp.blocked) {
            warp.blocked = false;
            warp.wait_until(last + self.barrier_cycles);
        }
    }

    /// Ends a block with its last warp, and begins the next in its place.
    fn end_of(&mut self, which: usize) {
        let slot = self.slot_of(which);
        let end = self.program.path.steps.len();
        let warps = &mut self.warps[self.slots[slot].warps.clone()];
        if warps.iter().any(|warp| warp.at < end) {
            return;
        }
        let longest = warps.iter().map(|warp| warp.lifetime).fold(0.0, f64::max);
        self.lifetimes.0 += longest + self.launch_cycles;
        self.lifetimes.1 += 1;
        if self.slots[slot].rounds_left > 0 {
            self.slots[slot].rounds_left -= 1;
            let ended = warps.iter().map(|warp| warp.issued_at).fold(0.0, f64::max);
            // Of two blocks the one that was launched first goes first.
            let laps = self.program.path.steps.last().map_or(0, |step| step.lap + 1);
            let laps_before = warps[0].laps_before + laps;
            let at = ended + self.launch_cycles;
            warps.fill_with(|| Warp::starting(at, laps_before));
        }
    }
}

#[cfg(test)]
mod tests;
