//! How many registers of a plan to demote: as few as leave the assembler nothing to spill.
//!
//! What fits under a register cap is not known before the assembler has run: addresses and
//! conditions take registers too, and it loads ahead as far as it may. So it is asked, for one
//! number after the other. Shared memory that would keep blocks out, which the cap lets in, ends
//! the search: what does not fit then is spilled.

use crate::{
    DriverError,
    compile::{self, Assembler, Emit},
    pipelines::PlanRequest,
    session::{Module, Session},
};
use std::collections::BTreeSet;
use stencil_model::{
    occupancy::{BlockDemand, occupancy},
    target::Architecture,
};
use stencil_runtime::{Manifest, Package};

/// Registers between two numbers that are tried.
const STEP: u32 = 8;
/// The same, once it is known between which two the fewest is.
const FINE_STEP: u32 = 4;

/// What a number of demoted registers leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Bytes that the assembler spills, stored and loaded.
    pub spill_bytes: u32,
    /// Whether as many blocks are resident as its registers allow.
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

/// A session whose plan says how many registers are demoted: the fewest with which the kernels of a
/// frozen program spill nothing, under the cap that the plan has. Where they spill nothing anyway,
/// the plan says nothing of demotion.
///
/// # Errors
/// If the program is refused without demotion, or there is no assembler.
pub fn fit<'c>(
    session: Session<'c>,
    frozen: &Module<'c>,
    plan: &PlanRequest,
) -> Result<(Session<'c>, PlanRequest), DriverError> {
    let mut session = Some(session);
    let with = |registers: u32| -> Result<PlanRequest, DriverError> {
        if registers == 0 {
            return Ok(plan.without("demote"));
        }
        let plan = format!("{plan},demote={registers}").parse();
        plan.map_err(|error| DriverError::Option(format!("{error}")))
    };
    let chosen = fewest(|registers| {
        let plan = match with(registers) {
            Ok(plan) => plan,
            // More than a plan can say is more than a thread has.
            Err(_) if registers > 0 => return Ok(None),
            Err(error) => return Err(error),
        };
        let tried = session.take().expect("it is put back").with_plan(plan);
        let compiled = compile::compile(&tried, frozen, &BTreeSet::from([Emit::Cubin]));
        let target = tried.target().architecture;
        session = Some(tried);
        match compiled {
            Ok(compiled) if compiled.assembler == Assembler::Missing => Err(DriverError::NoPtxas),
            Ok(compiled) => Ok(compiled.package.as_ref().map(|made| outcome(made, target))),
            // More than a block may have of shared memory is refused, and ends the search.
            Err(_) if registers > 0 => Ok(None),
            Err(error) => Err(error),
        }
    })?;
    let plan = with(chosen)?;
    let session = session.take().expect("it is put back").with_plan(plan.clone());
    Ok((session, plan))
}

fn outcome(package: &Package, target: &Architecture) -> Outcome {
    let Manifest { kernels, .. } = &package.code.manifest;
    let mut outcome = Outcome { spill_bytes: 0, keeps_blocks: true };
    for kernel in kernels {
        let Some(used) = kernel.resources else { continue };
        outcome.spill_bytes =
            outcome.spill_bytes.max(used.spill_store_bytes + used.spill_load_bytes);
        let demand = BlockDemand {
            threads: kernel.block.iter().product(),
            registers_per_thread: used.registers,
            shared_bytes: used.static_shared_bytes + kernel.shared_bytes,
        };
        let alone = BlockDemand { shared_bytes: 0, ..demand };
        outcome.keeps_blocks &= occupancy(target, demand).blocks == occupancy(target, alone).blocks;
    }
    outcome
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
