//! Random programs through the whole compiler: interpreter and emulator must agree, bit for bit.
//!
//! Each seed is a program, the plan of its kernels, into how many parts each of them is split, and
//! the content of its fields. Three runs are
//! compared: the program as written, the program with frozen arithmetic, and its kernels. The first
//! is left out where a program permits other values (`fastmath`): from freezing on there is one
//! answer again.
//!
//! `STENCIL_RANDOM_PROGRAMS` says how many programs; the nightly run (`STENCIL_NIGHTLY=1`) takes
//! many more. A program that fails is made small, for `test/regressions`. What this test would
//! notice is measured by `proof`, with faults in the compiler.

pub mod run;
pub mod shapes;
pub mod splits;

use crate::{failing, parallel};
use failing::Cases;
use run::{Failure, check, random_plan};
use splits::Seen;
use std::{
    env,
    io::{self, Write},
};
use stencil_fuzz::{Histogram, Options, Program, generate};

/// Programs of a usual run, and of a nightly one.
const PROGRAMS: u64 = 120;
const PROGRAMS_NIGHTLY: u64 = 10_000;

/// Programs tried to make a failing one small.
const SHRINK_TRIES: usize = 2_000;

#[test]
fn interpreter_and_emulator_agree() {
    let long = crate::nightly();
    let count = match env::var("STENCIL_RANDOM_PROGRAMS") {
        Ok(text) => text.parse().expect("STENCIL_RANDOM_PROGRAMS is a number"),
        Err(_) if long => PROGRAMS_NIGHTLY,
        Err(_) => PROGRAMS,
    };
    let seen = Seen::default();
    let (failures, histogram) = run_all(count, &seen);
    if long {
        // Not `print!`, which the harness keeps to itself when a test passes.
        writeln!(io::stderr(), "{histogram}").unwrap();
    }
    assert!(failures.is_empty(), "{}", explain(&failures));
    assert_eq!(histogram.programs() as u64, count);
    assert!(count < PROGRAMS || seen.is_enough(count), "few kernels were split: {seen:?}");
    assert!(count < PROGRAMS || seen.is_fused(count), "few kernels were fused: {seen:?}");
}

/// What fails among the first seeds, in their order, and what the programs held.
fn run_all(count: u64, splits: &Seen) -> (Vec<(u64, Failure)>, Histogram) {
    let try_one = |seed, seen: &mut Histogram| {
        let program = generate(seed, &Options::default());
        seen.add(&program.features());
        check(&program, seed, splits)
    };
    let (histogram, failures) = parallel::search(0..count, try_one, |all, seen| all.merge(&seen));
    (failures, histogram)
}

/// Everything that is needed to look into failures.
fn explain(failures: &[(u64, Failure)]) -> String {
    let cases = Cases {
        program: |seed| generate(seed, &Options::default()),
        run: |program: &Program, seed| check(program, seed, &Seen::default()),
        told: |_| String::new(),
        mode: failing::KERNELS.to_owned(),
        command: format!(" --function main --plan {}", random_plan(failures[0].0)),
        tries: SHRINK_TRIES,
    };
    cases.explain(failures)
}
