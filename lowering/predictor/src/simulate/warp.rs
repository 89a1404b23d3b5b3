//! The state of one warp.

use super::memory::Served;
use crate::{
    instruction::{Instruction, Operand, SCOREBOARDS},
    path::Step,
};

/// What a warp issues next.
#[derive(Debug, Clone, Copy)]
pub struct Next {
    /// The number of the instruction in the kernel.
    pub instruction: usize,
    /// Loop iterations begun before it.
    pub lap: u32,
    /// When it can be issued, as far as the warp is concerned.
    pub ready_at: f64,
}

/// A running warp.
#[derive(Debug, Clone, Default)]
pub struct Warp {
    /// The next step of the path.
    pub at: usize,
    /// When the last instruction was issued; the start before the first.
    pub issued_at: f64,
    /// The sum of the times between instructions, weighted.
    pub lifetime: f64,
    /// Completed loop iterations of earlier warps in its slot.
    pub laps_before: u32,
    /// Whether it waits at a barrier.
    pub blocked: bool,
    /// The instruction there, none at the end.
    pub next: Option<Next>,
    /// When the stall after the last instruction is over.
    ready_at: f64,
    /// The weight of the last instruction.
    weight: f64,
    /// When what each scoreboard counts is done, in the order of issue.
    scoreboards: [Vec<f64>; SCOREBOARDS],
    /// When copies to shared memory, not yet counted by a scoreboard, are done.
    copied_at: f64,
}

impl Warp {
    /// A warp that starts then, with the completed iterations of earlier warps in its slot.
    pub fn starting(at: f64, laps_before: u32) -> Self {
        Self { issued_at: at, ready_at: at, laps_before, ..Self::default() }
    }

    /// Finds out what the instruction that comes next waits for.
    pub fn prepare(&mut self, next: Option<(&Step, &Instruction)>) {
        self.next = next.map(|(step, instruction)| Next {
            instruction: step.instruction,
            lap: step.lap,
            ready_at: self.ready_at(instruction),
        });
    }

    /// When the next instruction can be issued, as far as this warp is concerned.
    fn ready_at(&self, next: &Instruction) -> f64 {
        let mut ready = self.ready_at;
        for which in next.control.waits() {
            ready = self.scoreboards[which].iter().copied().fold(ready, f64::max);
        }
        if let Some((which, may_be_left)) = counted_wait(next) {
            let counted = &self.scoreboards[which];
            let done = counted.len().saturating_sub(may_be_left);
            ready = counted[..done].iter().copied().fold(ready, f64::max);
        }
        ready
    }

    /// Issues `instruction`, whose result memory has ready as `served` says.
    pub fn issue(&mut self, instruction: &Instruction, served: Served, at: f64, weight: f64) {
        self.lifetime += (at - self.issued_at) * self.weight.max(f64::from(u8::from(self.at == 0)));
        let control = instruction.control;
        for which in control.waits() {
            self.scoreboards[which].clear();
        }
        if let Some((which, may_be_left)) = counted_wait(instruction) {
            let done = self.scoreboards[which].len().saturating_sub(may_be_left);
            self.scoreboards[which].drain(..done);
        }
        if served.copies {
            self.copied_at = self.copied_at.max(served.done_at);
        }
        if let Some(which) = control.write_scoreboard {
            let group = instruction.opcode == "LDGDEPBAR";
            let done_at = if group { self.copied_at.max(at) } else { served.done_at };
            self.scoreboards[usize::from(which)].push(done_at);
        }
        if let Some(which) = control.read_scoreboard {
            self.scoreboards[usize::from(which)].push(served.read_at);
        }
        self.ready_at = at + f64::from(control.stall_cycles.max(1));
        self.issued_at = at;
        self.weight = weight;
        self.at += 1;
    }

    /// Does not go on before then.
    pub fn wait_until(&mut self, at: f64) {
        self.ready_at = self.ready_at.max(at);
    }
}

/// `DEPBAR.LE SB0, 0x1`: the scoreboard, and how much of what it counts may be left.
fn counted_wait(instruction: &Instruction) -> Option<(usize, usize)> {
    if instruction.opcode != "DEPBAR" {
        return None;
    }
    match instruction.operands.as_slice() {
        [Operand::Word(name), Operand::Integer(left), ..] => {
            let which = name.strip_prefix("SB")?.parse().ok().filter(|&it| it < SCOREBOARDS)?;
            Some((which, usize::try_from(*left).ok()?))
        }
        _ => None,
    }
}
