//! Answers `demote=fit`: as many registers are demoted as make the program fastest.
//!
//! What fits under a register cap is not known before the assembler has run: addresses and
//! conditions take registers too, and it loads ahead as far as it may. Nor do its spills alone say
//! how long a kernel takes: slots cost time as well, and a kernel that is bound by arithmetic hides
//! some spills. So several numbers are compiled, and the [predictor](crate::prediction) says of
//! each how many cycles its kernels take; the number with the fewest is taken, of those within a
//! percent the smallest. The numbers go up from none until nothing is spilled, or a few in a
//! row need so much shared memory that fewer blocks are resident than without demotion; then the
//! neighbours of the best are tried.
//!
//! Without a cap in the plan the compiler's own choice is none; that version is compared with those
//! under the cap of the next step of occupancy below the registers that the kernel takes by itself,
//! but none below [`LEAST_CAP`]. All kernels of a program get one answer; the one that takes the
//! most registers says where the next step is.
//!
//! Where nothing can be predicted, spilled bytes decide, and the report says so: the fewest
//! registers that leave nothing to spill and keep no block out; where nobody has set a cap and
//! something is left, nothing is demoted.

mod choice;
mod search;

pub use choice::{Outcome, Version};

use crate::{
    DriverError,
    compile::{self, Compilation, Emit},
    session::{Module, Session},
};
use search::{LEAST_CAP, Search};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use stencil_dialects::walk;
use stencil_passes::strategy::plan;

/// How many registers are demoted, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fit {
    /// 32-bit registers by which the most that is live at once is to shrink; 0: none moves.
    pub registers: u32,
    /// The cap of the next step of occupancy, where nobody had set one and it is fastest.
    pub cap: Option<u32>,
    /// What was tried, and what was found.
    pub tried: Vec<Tried>,
    /// Why it is this number.
    pub why: String,
}

/// A version that was compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// Which.
    #[serde(flatten)]
    pub version: Version,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
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

/// Replaces auto values of the session's plan, for callers that do not use [`compile::compile`].
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
    let mut search = Search::new(session, frozen, &wanted);
    search.outcome(Version::UNCHANGED)?;
    let step = match asked.value("max_registers") {
        Some(cap) => Step { cap: None, text: format!("{cap} registers") },
        None if has_caps(frozen) => {
            Step { cap: None, text: "the caps of the program's plans".to_owned() }
        }
        None => {
            let Some((registers, cap)) = search.next_step() else {
                let why =
                    format!("none: no cap from {LEAST_CAP} registers on lets another block in");
                return search.take(Version::UNCHANGED, why);
            };
            let below = format!("the next step of occupancy below {registers}");
            Step { cap: Some(cap), text: format!("{cap} registers, {below}") }
        }
    };
    choice::try_steps(|registers| search.outcome(step.version(registers)))?;
    if search.tried().len() == 1 && search.found(Version::UNCHANGED).is_some_and(spills_nothing) {
        let why = format!("none: nothing is spilled under {}", step.text);
        return search.take(Version::UNCHANGED, why);
    }
    match search.fastest(step.cap)? {
        Ok(version) => {
            let why = why_fastest(version, &step, &search.tried());
            search.take(version, why)
        }
        Err(reason) => {
            let registers = choice::fewest(|registers| search.outcome(step.version(registers)))?;
            let (version, why) = by_spills(registers, &step, &search);
            let why = format!("{why}; by spilled bytes, not by predicted time: {reason}");
            search.take(version, why)
        }
    }
}

/// Whether a kernel's own plan has a cap.
fn has_caps(frozen: &Module) -> bool {
    let own = |operation| plan::written(operation)?.max_registers;
    walk::nested(frozen.as_operation()).into_iter().any(|operation| own(operation).is_some())
}

fn spills_nothing(outcome: Outcome) -> bool {
    outcome.spill_bytes == 0
}

/// Under what registers are demoted.
struct Step {
    /// The cap, where nobody has set one.
    cap: Option<u32>,
    /// What to call it.
    text: String,
}

impl Step {
    fn version(&self, registers: u32) -> Version {
        Version { cap: self.cap, registers }
    }
}

/// Why a version is taken after predictions.
fn why_fastest(chosen: Version, step: &Step, tried: &[Tried]) -> String {
    let of = |version: Version| tried.iter().find(|tried| tried.version == version);
    let cycles = |tried: &Tried| tried.outcome.predicted_cycles.unwrap_or(0);
    let taken = of(chosen).map_or(0, cycles);
    let under = &step.text;
    let without = if step.cap.is_some() { " without a cap" } else { "" };
    let before = of(Version::UNCHANGED).map_or(0, cycles);
    if chosen.registers > 0 {
        let spilled = |version| of(version).map_or(0, |tried| tried.outcome.spill_bytes);
        let (left, all) = (spilled(chosen), spilled(step.version(0)));
        return format!(
            "{} registers, so that {taken} cycles are predicted under {under}, in the place of \
             {before}{without}; {left} bytes are spilled, {all} without demotion",
            chosen.registers,
        );
    }
    if chosen.cap.is_some() {
        return format!(
            "none: {taken} cycles are predicted under {under}, in the place of {before}{without}"
        );
    }
    let others = tried.iter().filter(|tried| tried.version != chosen);
    let Some(best) = others.min_by_key(|tried| cycles(tried)) else {
        return format!("none: no register can be demoted under {under}");
    };
    let (least, number) = (cycles(best), best.version.registers);
    let little = if least < taken { ", less than a percent fewer" } else { "" };
    match step.cap {
        Some(_) => format!(
            "none: {taken} cycles are predicted without a cap, and {least} at best under {under}, \
             with {number} demoted{little}"
        ),
        None => format!(
            "none: {taken} cycles are predicted under {under}, and {least} at best with demotion, \
             of {number} registers{little}"
        ),
    }
}

/// The version that spilled bytes choose, and why, where so many registers are the fewest under the
/// step.
fn by_spills(registers: u32, step: &Step, search: &Search) -> (Version, String) {
    let chosen = step.version(registers);
    let spilled = |version| search.found(version).map_or(0, |found| found.spill_bytes);
    let (without, left, under) = (spilled(step.version(0)), spilled(chosen), &step.text);
    if step.cap.is_some() && left > 0 {
        let why = format!("none: at best {left} bytes are spilled under {under}, so no cap is set");
        return (Version::UNCHANGED, why);
    }
    let why = match (registers, without, left) {
        (0, 0, _) => format!("none: nothing is spilled under {under}"),
        (0, ..) => {
            format!("none: {without} bytes are spilled under {under}, and no number leaves fewer")
        }
        (_, _, 0) => format!(
            "{registers} registers, so that nothing is spilled under {under}, in the place of \
             {without} bytes"
        ),
        _ => format!(
            "{registers} registers, so that {left} bytes are spilled under {under}, in the place \
             of {without}; no other number leaves fewer"
        ),
    };
    (chosen, why)
}
