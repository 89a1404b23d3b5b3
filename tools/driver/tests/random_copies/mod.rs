//! Random programs that copy a field to memory with ghost cells, fill these, and read them once:
//! reading what was copied where it was copied from must give every bit that the program gives.
//!
//! Each seed is a program, the content of its fields, and the order in which threads run. The
//! program runs on the interpreter before and after the pass, and with frozen arithmetic; its
//! kernels, which are one sweep of some of them, run on the emulator, which watches every access
//! for races.
//! Some programs store to what they have copied, read ghost cells before all are filled, or fill
//! cells inside too: the pass must decline them, or keep what they mean.
//!
//! `STENCIL_RANDOM_COPIES` says how many programs, `STENCIL_FIRST_SEED` where they begin; the
//! nightly run (`STENCIL_NIGHTLY=1`) takes many more.

mod draw;
mod program;

use crate::{
    failing::{
        interpreted::{interpret, same},
        swept::{self, Drawn},
    },
    parallel,
    random_imports::Random,
};
use std::env;
use stencil_driver::pipelines;
pub use swept::{Fault as Failure, Outcome, Stage};

/// Programs of a usual run, and of a nightly one.
const PROGRAMS: u64 = 60;
const PROGRAMS_NIGHTLY: u64 = 6_000;

/// The pass, with what it requires.
const FORWARD: &str = "builtin.module(func.func(stencil-infer-bounds,stencil-unify-applies,\
                       stencil-lower-combines,stencil-forward-copies,stencil-infer-bounds))";

#[derive(Debug, Default)]
struct Findings {
    forwarded: u64,
    /// Forwarded, and one sweep.
    swept: u64,
}

#[test]
fn copies_are_what_they_are_copies_of() {
    let number = |name: &str| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let usual = if crate::nightly() { PROGRAMS_NIGHTLY } else { PROGRAMS };
    let count = number("STENCIL_RANDOM_COPIES").unwrap_or(usual);
    let first = number("STENCIL_FIRST_SEED").unwrap_or(0);
    let merge = |all: &mut Findings, other: Findings| {
        all.forwarded += other.forwarded;
        all.swept += other.swept;
    };
    let (findings, failures) = parallel::search(first..first + count, try_one, merge);
    let list = failures.iter().map(|(seed, failure)| format!("seed {seed}: {failure}\n"));
    let small = failures.first().map_or(String::new(), |(seed, _)| drawn(*seed).text);
    assert!(failures.is_empty(), "{}\n{small}", list.collect::<String>());
    if count >= PROGRAMS {
        assert!(2 * findings.forwarded >= count, "of {count} programs {findings:?}");
        assert!(5 * findings.swept >= count, "of {count} programs {findings:?}");
    }
}

fn try_one(seed: u64, seen: &mut Findings) -> Result<(), Failure> {
    let drawn = drawn(seed);
    let is_forwarded = forward(&drawn)?;
    let is_swept = run(&drawn)? == Outcome::Same && drawn.text.contains("stencil.group");
    seen.forwarded += u64::from(is_forwarded);
    seen.swept += u64::from(is_forwarded && is_swept);
    Ok(())
}

/// The program of a seed.
pub fn drawn(seed: u64) -> Drawn {
    let program = draw::program(&mut Random::new(seed.wrapping_mul(1_000_003)));
    Drawn { text: program.text(), scalars: Vec::new(), plan: String::new(), seed }
}

/// What fails of a seed when it is compiled, if anything does, and how.
pub fn failing(seed: u64) -> Option<(Drawn, Failure)> {
    let drawn = drawn(seed);
    run(&drawn).err().map(|failure| (drawn, failure))
}

/// Compiles a program, and runs its kernels.
pub fn run(drawn: &Drawn) -> Result<Outcome, Failure> {
    let between = [(Stage::Sweeps, pipelines::to_sweeps())];
    let is_thorough = drawn.seed.is_multiple_of(4);
    swept::run(drawn, |case| case.compare(if is_thorough { &between } else { &[] }))
}

/// What the pass makes of a program computes what it computes; whether it changes anything.
fn forward(drawn: &Drawn) -> Result<bool, Failure> {
    swept::run(drawn, |case| {
        let (session, requests) = (case.session, case.requests);
        let module = session.parse().map_err(case.at(Stage::Interpret))?;
        let expected =
            interpret(session, &module, "main", requests).map_err(case.at(Stage::Interpret))?;
        let forwarded = session.transform(&module, FORWARD).map_err(case.at(Stage::Transform))?;
        let found = interpret(session, &forwarded, "main", requests);
        same(Stage::Transform, &expected, &found.map_err(case.at(Stage::Transform))?.1)?;
        if drawn.seed.is_multiple_of(4) {
            let again = session.transform(&forwarded, FORWARD);
            let again = again.map_err(case.at(Stage::TransformAgain))?;
            let found = interpret(session, &again, "main", requests);
            let found = found.map_err(case.at(Stage::TransformAgain))?;
            same(Stage::TransformAgain, &expected, &found.1)?;
        }
        Ok(forwarded.as_operation().to_string().contains("absolute"))
    })
}
