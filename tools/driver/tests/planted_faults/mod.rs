//! Faults that are planted in right sweeps, each of which must be noticed: by a verifier, by the
//! interpreter of sweeps, by the emulator's watch for races and for reads of what was never
//! written, or by the comparison of the results.
//!
//! A fault is a change of one line of IR: in the text after the sweeps were made, or after the
//! kernels were. Without the change the same program must come out right. With `STENCIL_TELL` set
//! the test prints what was said of each fault.

mod edit;
mod faults;
mod place;
mod run;

use crate::parallel;
use faults::{CASES, Case, FAULTS, Fault};
use run::{Outcome, Stage, run};
use std::{
    env,
    io::{self, Write},
};

#[test]
fn programs_without_a_fault_are_right() {
    let wrong = each(CASES, |case| match run(&case.text(), case.end, Stage::Sweeps, None) {
        Outcome::Right => None,
        other => Some(format!("{}: {other:?}", case.name)),
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_fault_is_noticed() {
    assert!(FAULTS.len() >= 30);
    let missed = each(FAULTS, |fault| {
        let Fault { name, case, stage, edit } = fault;
        let case = CASES.iter().find(|known| known.name == *case).unwrap();
        match run(&case.text(), case.end, *stage, Some(edit)) {
            Outcome::Noticed(why) => {
                if env::var("STENCIL_TELL").is_ok() {
                    let line = why.lines().next().unwrap_or_default();
                    writeln!(io::stderr(), "{name} [{}]: {line}", case.name).unwrap();
                }
                None
            }
            other => Some(format!("{name} [{}, {edit:?}]: {other:?}", case.name)),
        }
    });
    assert!(missed.is_empty(), "{} of {}: {missed:#?}", missed.len(), FAULTS.len());
}

#[test]
fn names_of_faults_differ() {
    for (number, fault) in FAULTS.iter().enumerate() {
        let others = FAULTS[..number].iter();
        assert!(others.clone().all(|other| other.name != fault.name), "{}", fault.name);
    }
}

/// What a check says of each, on all cores.
fn each<T: Sync>(list: &[T], check: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    parallel::map(list, check).into_iter().flatten().collect()
}

impl Case {
    /// The program with its plan.
    fn text(&self) -> String {
        self.program.replace("PLAN", self.plan)
    }
}
