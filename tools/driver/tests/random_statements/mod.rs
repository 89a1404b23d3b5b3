//! Random time loops and groups of several statements, made one sweep by random plans, and programs
//! made several kernels by random plans of theirs: interpreter and emulator must agree in every
//! bit.
//!
//! Each seed is a program, a plan for its loop, its group of applies or all of it, the content of
//! its fields, and the order in which threads run. The program with frozen arithmetic runs on the
//! interpreter, which makes one step at a time. What the plan makes of it runs on the emulator,
//! which watches every access for races, and some of it on the interpreter as the stages of sweeps,
//! and as planes.
//! A plan may be refused, with a reason; then another one is drawn.
//!
//! `STENCIL_RANDOM_STATEMENTS` says how many programs, `STENCIL_FIRST_SEED` where they begin; the
//! nightly run (`STENCIL_NIGHTLY=1`) takes many more, and `STENCIL_REFUSALS=1` lists why plans were
//! refused.

mod plan;
mod program;
pub mod run;
mod text;

use crate::{
    failing::swept::Drawn, parallel, random_imports::Random, random_sweeps::refusals::Refusals,
};
use program::Program;
use run::{Failure, Outcome};
use std::{
    env,
    io::{self, Write},
};

/// Programs of each kind of a usual run, and of a nightly one.
const PROGRAMS: u64 = 16;
const PROGRAMS_NIGHTLY: u64 = 3_000;

/// Where statements are.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Loop,
    Group,
    Program,
}

/// Plans drawn for a program, of which one must be accepted.
const PLANS_MAX: usize = 12;

#[derive(Default)]
struct Findings {
    same: u64,
    refusals: Refusals,
}

/// The program of a seed.
fn program(kind: Kind, seed: u64) -> Program {
    let mut random = Random::new(seed.wrapping_mul(1_000_003));
    match kind {
        Kind::Loop => Program::random(&mut random),
        Kind::Group => Program::group(&mut random),
        Kind::Program => Program::planned(&mut random),
    }
}

/// The program of a seed with one of its plans.
pub fn drawn(kind: Kind, seed: u64, tries: usize) -> Drawn {
    let program = program(kind, seed);
    let mut random = Random::new(seed ^ ((tries as u64 + 1) << 40));
    let plan = match kind {
        Kind::Program => plan::of_program(&mut random, &program, tries),
        _ => plan::random(&mut random, &program, tries),
    };
    Drawn { text: program.text(&plan), scalars: program.scalars(), plan: String::new(), seed }
}

/// What fails of a seed, if anything does, and how.
pub fn failing(kind: Kind, seed: u64) -> Option<(Drawn, Failure)> {
    let (tries, failure) = try_one(kind, seed, &mut Findings::default()).err()?;
    Some((drawn(kind, seed, tries), failure))
}

#[test]
fn one_sweep_gives_what_statements_give() {
    search(Kind::Loop);
}

#[test]
fn one_sweep_gives_what_a_group_gives() {
    search(Kind::Group);
}

#[test]
fn kernels_of_a_program_plan_give_what_statements_give() {
    search(Kind::Program);
}

/// A program whose blocks raced for values that nothing used, so that no result tells.
#[test]
fn cells_beyond_a_field_are_not_copied() {
    let text = include_str!("../../../../test/regressions/halo-beyond-a-field.mlir").to_owned();
    let scalars = vec![(4, "0.75".to_owned())];
    let drawn = Drawn { text, scalars, plan: String::new(), seed: 135 };
    assert!(matches!(run::run(&drawn, false), Ok(Outcome::Same)));
}

fn search(kind: Kind) {
    let number = |name: &str| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let usual = if crate::nightly() { PROGRAMS_NIGHTLY } else { PROGRAMS };
    let count = number("STENCIL_RANDOM_STATEMENTS").unwrap_or(usual);
    let first = number("STENCIL_FIRST_SEED").unwrap_or(0);
    let merge = |all: &mut Findings, other: Findings| {
        all.same += other.same;
        all.refusals.merge(&other.refusals);
    };
    let tried = |seed: u64, seen: &mut Findings| try_one(kind, seed, seen);
    let (findings, failures) = parallel::search(first..first + count, tried, merge);
    let refused = findings.refusals.total() as u64;
    if env::var("STENCIL_REFUSALS").is_ok() {
        writeln!(io::stderr(), "{} same, {:#?}", findings.same, findings.refusals)
            .expect("standard error takes text");
    }
    let list = failures.iter().map(|(seed, failure)| explain(kind, *seed, failure));
    assert!(failures.is_empty(), "{}", list.collect::<String>());
    assert_eq!(findings.same, count);
    let drawn = findings.same + refused;
    assert!(10 * findings.same >= 7 * drawn, "{refused} of {drawn}: {:#?}", findings.refusals);
}

/// Draws plans until one is accepted.
fn try_one(kind: Kind, seed: u64, seen: &mut Findings) -> Result<(), (usize, Failure)> {
    let program = program(kind, seed);
    let is_stale = program.fills_late && program.ghosts().iter().any(|(_, age)| *age == 0);
    for tries in 0..PLANS_MAX {
        let is_thorough = seed.is_multiple_of(3);
        match run::run(&drawn(kind, seed, tries), is_thorough).map_err(|it| (tries, it))? {
            Outcome::Same => {
                seen.same += 1;
                return Ok(());
            }
            // What reads ghost cells before they are filled is no sweep.
            Outcome::Refused(_) if is_stale => {
                seen.same += 1;
                return Ok(());
            }
            Outcome::Refused(why) => seen.refusals.add(&why),
        }
    }
    let why = format!("no plan is accepted: {:#?}", seen.refusals);
    Err((PLANS_MAX - 1, Failure { stage: run::Stage::Emit, why }))
}

/// Everything that is needed to look into a failure.
fn explain(kind: Kind, seed: u64, (tries, failure): &(usize, Failure)) -> String {
    let case = drawn(kind, seed, *tries);
    let scalars = case.scalars.iter().map(|(position, value)| format!(" --arg {position}={value}"));
    format!(
        "\nseed {seed}: {failure}\n// RUN: stencilc run %s --on=emulator --verify --seed \
         {seed}{}\n{}",
        scalars.collect::<String>(),
        case.text
    )
}
