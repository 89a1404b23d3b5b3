//! The path of a typical warp through a kernel, with few iterations of each loop.
//!
//! Machine code does not say which branches are taken. A stencil has an interior and a boundary,
//! and most blocks are interior; so of two paths the one with less overhead for the same work is
//! taken. Guards are assumed to hold, since they test whether there is a point. Paths that only
//! handle rare values are recognised by their calls and skipped.
//!
//! A loop of many iterations is walked a few times: its first iterations, in which queues fill, and
//! its last one represent themselves, those between all the others. So each step has a weight, the
//! executions that it represents.

mod branch;

use crate::{
    flow::{Flow, Iterations},
    instruction::Instruction,
    kernel::Kernel,
};

/// Limits on the walked iterations of a loop, smaller for longer paths.
const WALKED_ITERATIONS: [usize; 9] = [192, 96, 48, 24, 12, 6, 4, 3, 2];
/// Number of steps above which fewer iterations are walked.
const STEPS_WANTED: usize = 12_000;
/// Limit on the steps.
const STEPS_MAX: usize = 1_000_000;

/// Limit of the search for a trip count.
const SOLVED_ITERATIONS_MAX: f64 = 1e6;
/// Its relative precision.
const SOLVED_PRECISION: f64 = 0.01;

/// One execution of an instruction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The number of the instruction in the kernel.
    pub instruction: usize,
    /// Its weight: the executions that it represents.
    pub weight: f64,
    /// Loop iterations begun before it.
    pub lap: u32,
}

/// A path through a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Its steps, in order.
    pub steps: Vec<Step>,
}

impl Path {
    /// The path through `kernel` with known trip counts.
    pub fn of(kernel: &Kernel, known: &Iterations) -> Self {
        let chooser = branch::Chooser::new(&kernel.code, &kernel.flow);
        Self::with(kernel, known, &chooser)
    }

    /// The same with known bytes stored by a thread to global memory: all loops with unknown trip
    /// counts get an equal one that gives these bytes.
    pub fn storing(kernel: &Kernel, known: &Iterations, stored_bytes: f64) -> Self {
        let chooser = branch::Chooser::new(&kernel.code, &kernel.flow);
        let unknown = kernel.flow.unknown(&kernel.code, known);
        let turning = |iterations: f64| {
            let assumed = unknown.iter().map(|&address| (address, iterations));
            let known = known.clone().into_iter().chain(assumed).collect();
            Self::with(kernel, &known, &chooser)
        };
        let stored = |path: &Self| path.stored_bytes(kernel);
        let (mut fewer, mut more) = (1.0, SOLVED_ITERATIONS_MAX);
        let can_be = !unknown.is_empty()
            && stored(&turning(fewer)) < stored_bytes
            && stored(&turning(more)) > stored_bytes;
        if !can_be {
            return Self::with(kernel, known, &chooser);
        }
        while more / fewer > 1.0 + SOLVED_PRECISION {
            let between = f64::sqrt(fewer * more);
            if stored(&turning(between)) < stored_bytes { fewer = between } else { more = between }
        }
        turning(more)
    }

    fn with(kernel: &Kernel, known: &Iterations, chooser: &branch::Chooser<'_>) -> Self {
        let mut steps = Vec::new();
        for walked in WALKED_ITERATIONS {
            let (code, flow) = (&kernel.code, &kernel.flow);
            let walk = Walk { code, flow, known, chooser, walked, frames: Vec::new(), lap: 0 };
            steps = walk.steps();
            if steps.len() <= STEPS_WANTED {
                break;
            }
        }
        Self { steps }
    }

    /// Bytes that a thread stores to global memory.
    fn stored_bytes(&self, kernel: &Kernel) -> f64 {
        let steps = self.steps.iter().map(|step| (step.weight, &kernel.code[step.instruction]));
        let stores = steps.filter(|(_, it)| it.opcode == "STG");
        stores.map(|(weight, it)| weight * f64::from(it.access_bytes())).sum()
    }

    /// Instructions that a warp executes.
    pub fn executed(&self) -> f64 {
        self.steps.iter().map(|step| step.weight).sum()
    }

    /// Distinct instructions of the path.
    pub fn distinct(&self) -> usize {
        let mut seen: Vec<usize> = self.steps.iter().map(|step| step.instruction).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len()
    }
}

/// An enclosing loop of the walk.
struct Frame {
    which: usize,
    /// Times the header has been passed.
    iteration: usize,
    /// Walked iterations.
    walked: usize,
    /// Actual iterations.
    iterations: f64,
}

impl Frame {
    fn weight(&self) -> f64 {
        if self.walked < 3 {
            return self.iterations / self.walked as f64;
        }
        let filling = self.walked / 2;
        let between = self.walked - filling - 1;
        let alone = self.iteration < filling || self.iteration + 1 >= self.walked;
        if alone { 1.0 } else { (self.iterations - (filling + 1) as f64) / between as f64 }
    }
}

struct Walk<'k> {
    code: &'k [Instruction],
    flow: &'k Flow,
    known: &'k Iterations,
    chooser: &'k branch::Chooser<'k>,
    walked: usize,
    frames: Vec<Frame>,
    lap: u32,
}

impl Walk<'_> {
    fn steps(mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = (!self.flow.blocks.is_empty()).then_some(0);
        while let Some(block) = at {
            self.enter(block);
            let weight: f64 = self.frames.iter().map(Frame::weight).product();
            let lap = self.lap;
            let instructions = self.flow.blocks[block].instructions();
            let executed = instructions.filter(|&index| !self.code[index].never_executes());
            steps.extend(executed.map(|instruction| Step { instruction, weight, lap }));
            if steps.len() > STEPS_MAX {
                break;
            }
            at = self.next(block);
        }
        steps
    }

    /// Updates the loop frames on entering a block.
    fn enter(&mut self, block: usize) {
        let inside = |frame: &Frame| self.flow.loops[frame.which].blocks.contains(&block);
        while self.frames.last().is_some_and(|frame| !inside(frame)) {
            self.frames.pop();
        }
        if let Some(frame) = self.frames.last_mut()
            && self.flow.loops[frame.which].header == block
        {
            frame.iteration += 1;
            self.lap += 1;
            return;
        }
        // Of loops with one header the outer ones are entered first.
        for (which, it) in self.flow.loops.iter().enumerate().filter(|(_, it)| it.header == block) {
            debug_assert!(it.blocks.contains(&block));
            let iterations = self.flow.iterations(which, self.code, self.known).max(1.0);
            let walked = (iterations.ceil() as usize).clamp(1, self.walked);
            self.lap += 1;
            self.frames.push(Frame { which, iteration: 0, walked, iterations });
        }
    }

    fn next(&self, block: usize) -> Option<usize> {
        let it = &self.flow.blocks[block];
        let (Some(taken), Some(next)) = (it.taken, it.next) else { return it.taken.or(it.next) };
        if let Some(frame) = self.frames.last() {
            let around = &self.flow.loops[frame.which];
            let stays = |block: &usize| around.blocks.contains(block);
            match (stays(&taken), stays(&next)) {
                (true, false) => return Some(self.stay_or_leave(frame, taken, next)),
                (false, true) => return Some(self.stay_or_leave(frame, next, taken)),
                _ => {}
            }
            // The back edge only if nothing else is left in this iteration.
            if taken == around.header && next != around.header {
                return Some(next);
            }
        }
        Some(self.chooser.choose(block))
    }

    fn stay_or_leave(&self, frame: &Frame, inside: usize, outside: usize) -> usize {
        let header = self.flow.loops[frame.which].header;
        let last = frame.iteration + 1 >= frame.walked;
        // One more at the end of an iteration, or if the loop is tested at its header.
        let overdue = frame.iteration >= frame.walked;
        if (last && inside == header) || overdue { outside } else { inside }
    }
}

#[cfg(test)]
mod tests;
