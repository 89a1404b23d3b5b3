//! Faults that are planted in right sweeps, each of which must be noticed: by a verifier, by the
//! interpreter of sweeps, by the emulator's watch for races and for reads of what was never
//! written, or by the comparison of the results.
//!
//! A fault is a change of one line of IR: in the text after the sweeps were made, or after the
//! kernels were. Without the change the same program must come out right. With `STENCIL_TELL` set
//! the test prints what was said of each fault.

mod edit;
mod faults;
pub mod place;
mod run;

use crate::parallel;
use faults::{CASES, Case, Fault, OF_KERNELS, OF_SWEEPS};
use run::{Outcome, Stage, run};
use std::{
    collections::BTreeSet,
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

/// Every fault, with the stage that it is planted at.
fn faults() -> Vec<(Stage, Fault)> {
    let of = |stage, faults: &[Fault]| faults.iter().map(|it| (stage, *it)).collect::<Vec<_>>();
    [of(Stage::Sweeps, OF_SWEEPS), of(Stage::Kernels, OF_KERNELS)].concat()
}

#[test]
fn every_fault_is_noticed() {
    let faults = faults();
    assert!(faults.len() >= 90);
    let missed = each(&faults, |(stage, (name, case, edit))| {
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
    assert!(missed.is_empty(), "{} of {}: {missed:#?}", missed.len(), faults.len());
}

#[test]
fn names_of_faults_differ() {
    let names: BTreeSet<_> = faults().into_iter().map(|(_, (name, ..))| name).collect();
    assert_eq!(names.len(), faults().len());
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
