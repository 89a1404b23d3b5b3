//! Answers `demote=fit`: as few registers are demoted as leave the assembler nothing to spill.
//!
//! What fits under a register cap is not known before the assembler has run: addresses and
//! conditions take registers too, and it loads ahead as far as it may. So it is asked, for one
//! number after the other. Shared memory that would keep blocks out, which are resident without
//! demotion, ends the search: what does not fit then is spilled.
//!
//! Where nobody has set a cap, the compiler's own choice is none: the search tries that of the next
//! step of occupancy below the registers that the kernel takes by itself, but none below
//! [`LEAST_CAP`]. If something is spilled there, or shared memory does not suffice, nothing is
//! demoted and no cap is set. All kernels of a program get one answer; the one that takes the most
//! registers says where the next step is.

use crate::{
    DriverError,
    compile::{self, Assembler, Compilation, Emit},
    pipelines::PlanRequest,
    session::{Module, Session},
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use stencil_dialects::walk;
use stencil_model::{
    occupancy::{BlockDemand, occupancy, registers_of_next_step},
    plan::PlanError,
    target::Architecture,
};
use stencil_passes::strategy::plan;
use stencil_runtime::manifest::Kernel;

/// Registers between two numbers that are tried.
const STEP: u32 = 8;
/// The same, once it is known between which two the fewest is.
const FINE_STEP: u32 = 4;
/// The lowest cap that is tried where nobody has set one.
const LEAST_CAP: u32 = 32;

/// How many registers are demoted, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fit {
    /// 32-bit registers by which the most that is live at once is to shrink; 0: none moves.
    pub registers: u32,
    /// The cap of the next step of occupancy, where nobody had set one.
    pub cap: Option<u32>,
    /// What was found with each number that was tried, under the cap that was taken at last.
    pub tried: BTreeMap<u32, Outcome>,
    /// Why it is this number.
    pub why: String,
}

/// What a number of demoted registers leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Bytes that the assembler spills, stored and loaded, in the kernel that spills most.
    pub spill_bytes: u32,
    /// Whether as many blocks are resident as without demotion.
    pub keeps_blocks: bool,
}

/// The fewest registers with which nothing is spilled and no block is kept out; where there are
/// none, those of the fewest spills. `outcome` is asked for multiples of some step, none where so
/// many cannot be demoted.
///
/// # Errors
/// What `outcome` says.
pub fn fewest<E>(mut outcome: impl FnMut(u32) -> Result<Option<Outcome>, E>) -> Result<u32, E> {
    let mut best: Option<(u32, u32)> = None;
    let mut tried = 0;
    while let Some(found) = outcome(tried)? {
        if !found.keeps_blocks && tried > 0 {
            break;
        }
        if best.is_none_or(|(least, _)| found.spill_bytes < least) {
            best = Some((found.spill_bytes, tried));
        }
        if found.spill_bytes == 0 {
            break;
        }
        tried += STEP;
    }
    let (least, mut chosen) = best.unwrap_or_default();
    while chosen >= FINE_STEP && least == 0 {
        match outcome(chosen - FINE_STEP)? {
            Some(found) if found.spill_bytes == 0 && found.keeps_blocks => chosen -= FINE_STEP,
            _ => break,
        }
    }
    Ok(chosen)
}

/// Compiles a program whose arithmetic is frozen, as [`compile::compile`] does. What the session's
/// plan asks of the assembler is answered first; the session then has the answer.
///
/// # Errors
/// If the program is refused without demotion, or there is no assembler to be asked.
pub fn compile<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
    wanted: &BTreeSet<Emit>,
) -> Result<Compilation, DriverError> {
    let asked = session.plan();
    // Above kernels no plan has a say.
    if !asked.fits_demotion() || wanted.last() == Some(&Emit::Stencil) {
        return compile::compile(session, frozen, wanted);
    }
    let answered = answer(session, frozen, wanted);
    if answered.is_err() {
        session.set_plan(asked);
    }
    answered
}

/// Answers what the session's plan asks, for somebody who makes other things than
/// [`compile::compile`].
///
/// # Errors
/// As [`compile`].
pub fn settle<'c>(session: &Session<'c>, frozen: &Module<'c>) -> Result<(), DriverError> {
    match session.plan().fits_demotion() {
        true => compile(session, frozen, &BTreeSet::from([Emit::Cubin])).map(drop),
        false => Ok(()),
    }
}

fn answer<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
    wanted: &BTreeSet<Emit>,
) -> Result<Compilation, DriverError> {
    let mut wanted = wanted.clone();
    wanted.insert(Emit::Cubin);
    let asked = session.plan();
    let with = |plan| Search { session, frozen, wanted: &wanted, plan, made: BTreeMap::new() };
    let mut search = with(asked.clone());
    if asked.says("max_registers") || has_caps(frozen) {
        let under = match asked.value("max_registers") {
            Some(cap) => format!("{cap} registers"),
            None => "the caps of the program's plans".to_owned(),
        };
        let registers = fewest(|registers| search.outcome(registers))?;
        let why = search.why(registers, &under);
        return search.take(registers, None, why);
    }
    search.outcome(0)?;
    let Some((registers, cap)) = search.next_step() else {
        let why = format!("none: no cap from {LEAST_CAP} registers on lets another block in");
        return search.take(0, None, why);
    };
    let step = format!("{cap} registers, the next step of occupancy below {registers}");
    let mut under_cap = with(asked.capped(cap).map_err(refused)?);
    let registers = fewest(|registers| under_cap.outcome(registers))?;
    let left = under_cap.outcome(registers)?.map_or(0, |found| found.spill_bytes);
    if left > 0 {
        let why = format!("none: at best {left} bytes are spilled under {step}, so no cap is set");
        return search.take(0, None, why);
    }
    let why = under_cap.why(registers, &step);
    under_cap.take(registers, Some(cap), why)
}

/// Whether a kernel's own plan has a cap.
fn has_caps(frozen: &Module) -> bool {
    let own = |operation| plan::of(operation)?.ok()?.max_registers;
    walk::nested(frozen.as_operation()).into_iter().any(|operation| own(operation).is_some())
}

fn refused(error: PlanError) -> DriverError {
    DriverError::Option(error.to_string())
}

/// Compilations with one plan but for the number of registers that are demoted.
struct Search<'s, 'c> {
    session: &'s Session<'c>,
    frozen: &'s Module<'c>,
    wanted: &'s BTreeSet<Emit>,
    plan: PlanRequest,
    made: BTreeMap<u32, Option<(Compilation, Outcome)>>,
}

impl Search<'_, '_> {
    /// None where so many cannot be demoted.
    fn outcome(&mut self, registers: u32) -> Result<Option<Outcome>, DriverError> {
        if !self.made.contains_key(&registers) {
            let made = self.compile(registers)?;
            self.made.insert(registers, made);
        }
        Ok(self.made[&registers].as_ref().map(|(_, outcome)| *outcome))
    }

    fn compile(&self, registers: u32) -> Result<Option<(Compilation, Outcome)>, DriverError> {
        let plan = match self.plan.demoting(registers) {
            Ok(plan) => plan,
            // More than a plan can say is more than a thread has.
            Err(_) if registers > 0 => return Ok(None),
            Err(error) => return Err(refused(error)),
        };
        self.session.set_plan(plan);
        let work = || compile::compile(self.session, self.frozen, self.wanted);
        let compiled = match registers {
            0 => work(),
            // More than a block may have of shared memory is refused, and ends the search.
            _ => self.session.quietly(work),
        };
        match compiled {
            Ok(Compilation { assembler: Assembler::Missing, .. }) => Err(DriverError::NobodyToAsk),
            Ok(Compilation { assembler: Assembler::Failed(why), .. }) if registers == 0 => {
                Err(DriverError::Assembler(why))
            }
            Ok(Compilation { assembler: Assembler::Failed(_), .. }) => Ok(None),
            Ok(compiled) => {
                let outcome = self.judge(&compiled);
                Ok(Some((compiled, outcome)))
            }
            Err(error) if registers == 0 => Err(error),
            Err(_) => {
                // Nobody is to take it for the reason of a later failure.
                self.session.forget_quiet_reason();
                Ok(None)
            }
        }
    }

    fn judge(&self, compiled: &Compilation) -> Outcome {
        let spilled = |kernel: &Kernel| {
            kernel.resources.map_or(0, |used| used.spill_store_bytes + used.spill_load_bytes)
        };
        let blocks = |kernels: &[Kernel]| {
            let blocks = |kernel| occupancy(self.target(), demand(kernel)).blocks;
            kernels.iter().map(blocks).collect::<Vec<_>>()
        };
        let (now, without) = (kernels(compiled), self.without());
        let keeps_blocks = without.is_none_or(|without| {
            blocks(now).iter().zip(blocks(without)).all(|(now, before)| *now >= before)
        });
        Outcome { spill_bytes: now.iter().map(spilled).max().unwrap_or(0), keeps_blocks }
    }

    fn target(&self) -> &'static Architecture {
        self.session.target().architecture
    }

    /// The kernels without demotion, once they are made.
    fn without(&self) -> Option<&[Kernel]> {
        let (compiled, _) = self.made.get(&0)?.as_ref()?;
        Some(kernels(compiled))
    }

    /// The most registers that a kernel takes without demotion, and the cap with which one more of
    /// its blocks is resident.
    fn next_step(&self) -> Option<(u32, u32)> {
        let demands = self.without()?.iter().map(demand);
        let most = demands.max_by_key(|demand| demand.registers_per_thread)?;
        let cap = registers_of_next_step(self.target(), most, LEAST_CAP)?;
        Some((most.registers_per_thread, cap))
    }

    /// Why so many are demoted.
    fn why(&self, registers: u32, under: &str) -> String {
        let spilled = |registers: u32| {
            let found = self.made.get(&registers).and_then(Option::as_ref);
            found.map_or(0, |(_, outcome)| outcome.spill_bytes)
        };
        match (registers, spilled(0), spilled(registers)) {
            (0, 0, _) => format!("none: nothing is spilled under {under}"),
            (0, without, _) => {
                format!(
                    "none: {without} bytes are spilled under {under}, and no number leaves fewer"
                )
            }
            (_, without, 0) => {
                format!(
                    "{registers} registers, so that nothing is spilled under {under}, in the \
                         place of {without} bytes"
                )
            }
            (_, without, left) => {
                format!(
                    "{registers} registers, so that {left} bytes are spilled under {under}, in \
                         the place of {without}; no other number leaves fewer"
                )
            }
        }
    }

    /// The compilation with so many, whose plan the session keeps.
    fn take(
        mut self,
        registers: u32,
        cap: Option<u32>,
        why: String,
    ) -> Result<Compilation, DriverError> {
        self.session.set_plan(self.plan.demoting(registers).map_err(refused)?);
        let tried = self.made.iter().filter_map(|(tried, made)| Some((*tried, made.as_ref()?.1)));
        let fit = Fit { registers, cap, tried: tried.collect(), why };
        let made = self.made.remove(&registers).flatten();
        let (mut compiled, _) = made.expect("what is chosen was compiled");
        compiled.fit = Some(fit);
        Ok(compiled)
    }
}

fn kernels(compiled: &Compilation) -> &[Kernel] {
    compiled.package.as_ref().map_or(&[], |package| &package.code.manifest.kernels)
}

fn demand(kernel: &Kernel) -> BlockDemand {
    let used = kernel.resources.map_or((0, 0), |used| (used.registers, used.static_shared_bytes));
    BlockDemand {
        threads: kernel.block.iter().product(),
        registers_per_thread: used.0,
        shared_bytes: used.1 + kernel.shared_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(spill_bytes: u32, keeps_blocks: bool) -> Outcome {
        Outcome { spill_bytes, keeps_blocks }
    }

    fn chosen(outcome: impl Fn(u32) -> Option<Outcome>) -> u32 {
        fewest(|registers| Ok::<_, ()>(outcome(registers))).unwrap()
    }

    #[test]
    fn as_few_go_as_leave_nothing_to_spill() {
        let falls = |registers: u32| Some(found(100u32.saturating_sub(4 * registers), true));
        assert_eq!(chosen(falls), 28);
        assert_eq!(chosen(|_| Some(found(0, true))), 0);
    }

    #[test]
    fn what_keeps_blocks_out_is_no_gain() {
        let crowded = |registers: u32| Some(found(100 - registers, registers <= 24));
        assert_eq!(chosen(crowded), 24);
        assert_eq!(chosen(|registers| (registers < 20).then(|| found(80 - registers, true))), 16);
    }

    #[test]
    fn spills_that_rise_again_are_left_behind() {
        let uneven = |registers: u32| match registers {
            0..=8 => Some(found(60, true)),
            9..=16 => Some(found(90, true)),
            17..=24 => Some(found(40, true)),
            _ => None,
        };
        assert_eq!(chosen(uneven), 24);
    }
}
