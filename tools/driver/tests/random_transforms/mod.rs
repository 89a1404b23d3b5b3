//! Random programs through single transforms: whatever a transform does, results keep every bit.
//!
//! Each seed is a program and the content of its fields. The interpreter runs the program as it was
//! written and after each transform, and compares all fields. After one of them, by turns, the
//! program is compiled too, and its kernels run on the emulator.
//!
//! `STENCIL_RANDOM_TRANSFORMS` says how many programs; `STENCIL_NIGHTLY=1` runs many more than a
//! change can wait for. A program that fails is made small, for `test/regressions`.

mod run;

use crate::{failing, parallel};
use failing::Cases;
use run::{Failure, Seen, TRANSFORMS, check};
use std::env;
use stencil_fuzz::{Options, Program, generate};

/// Programs of a usual run, and of a nightly one.
const PROGRAMS: u64 = 80;
const PROGRAMS_NIGHTLY: u64 = 10_000;

/// Programs tried to make a failing one small.
const SHRINK_TRIES: usize = 2_000;

#[test]
fn transforms_keep_results() {
    let long = crate::nightly();
    let count = match env::var("STENCIL_RANDOM_TRANSFORMS") {
        Ok(text) => text.parse().expect("STENCIL_RANDOM_TRANSFORMS is a number"),
        Err(_) if long => PROGRAMS_NIGHTLY,
        Err(_) => PROGRAMS,
    };
    let seen = Seen::default();
    let failures = run_all(count, &seen);
    assert!(failures.is_empty(), "{}", explain(&failures));
    if count >= PROGRAMS {
        for (transform, changed) in TRANSFORMS.iter().zip(seen.changed()) {
            let enough = count / transform.changes_one_of;
            let name = transform.name;
            assert!(
                changed >= enough,
                "{name} changed {changed} of {count} programs, not {enough}"
            );
        }
    }
}

/// What fails among the first seeds, in their order.
fn run_all(count: u64, seen: &Seen) -> Vec<(u64, Failure)> {
    let try_one = |seed, (): &mut ()| check(&generate(seed, &Options::default()), seed, seen);
    parallel::search(0..count, try_one, |(), ()| ()).1
}

/// Everything that is needed to look into failures.
fn explain(failures: &[(u64, Failure)]) -> String {
    let (seed, first) = &failures[0];
    let pipeline = TRANSFORMS[first.stage.transform].pipeline(*seed);
    let cases = Cases {
        program: |seed| generate(seed, &Options::default()),
        run: |program: &Program, seed| check(program, seed, &Seen::default()),
        told: |_| String::new(),
        mode: format!("--on=interpreter --same-after='{pipeline}'"),
        command: " --function main".to_owned(),
        tries: SHRINK_TRIES,
    };
    cases.explain(failures)
}
