//! Random time loops with walls, mirrors, values at rest and sources: what computes ghost cells and
//! overwritten points where they are read must give every bit that the program gives.
//!
//! Each seed is a program, plans for its loop, the content of its fields, and the order in which
//! threads run. The program runs on the interpreter before and after the passes that fold ghost
//! cells and merge stores, and with frozen arithmetic; what plans make of that runs on the
//! emulator, which watches every access for races.
//! Some programs are wrong on purpose: they fill ghost cells too late, from values that were
//! overwritten, from cells that nothing has filled, or partly over each other. Passes must decline
//! them, or keep what they mean.
//! Plans may be refused, with a reason: then the compiler's own choice runs.
//!
//! `STENCIL_RANDOM_WALLS` says how many programs, `STENCIL_FIRST_SEED` where they begin; the
//! nightly run (`STENCIL_NIGHTLY=1`) takes many more, and `STENCIL_REFUSALS=1` lists why plans were
//! refused. A program that fails is made small, for `test/regressions`.

mod cells;
mod draw;
mod plan;
pub mod program;
pub mod run;
mod text;
mod wraps;

use crate::{
    failing::swept::Drawn, parallel, random_imports::Random, random_sweeps::refusals::Refusals,
};
use program::{Program, Role};
use run::{Failure, Outcome, Stage};
use std::{
    env,
    io::{self, Write},
};

/// Programs of a usual run, and of a nightly one.
const PROGRAMS: u64 = 40;
const PROGRAMS_NIGHTLY: u64 = 4_000;

/// Plans drawn for a program before it gets the compiler's own.
const PLANS_MAX: usize = 3;

/// Programs tried to make a failing one small.
const SHRINK_TRIES: usize = 300;

#[derive(Debug, Default)]
struct Findings {
    folded: u64,
    merged: u64,
    /// Folded or merged, and one sweep.
    swept: u64,
    /// One sweep, with ghost cells of coefficients that were filled before.
    wrapped: u64,
    /// Kernels by the compiler's own choice, as no plan was accepted.
    chosen: u64,
    refusals: Refusals,
}

impl Findings {
    fn merge(&mut self, other: &Self) {
        self.folded += other.folded;
        self.merged += other.merged;
        self.swept += other.swept;
        self.wrapped += other.wrapped;
        self.chosen += other.chosen;
        self.refusals.merge(&other.refusals);
    }
}

/// How a program fails: with which plan, if it was compiled, and why.
type Found = (Option<String>, Failure);

#[test]
fn ghost_cells_and_overwritten_points_are_what_programs_say() {
    let number = |name: &str| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let usual = if crate::nightly() { PROGRAMS_NIGHTLY } else { PROGRAMS };
    let count = number("STENCIL_RANDOM_WALLS").unwrap_or(usual);
    let first = number("STENCIL_FIRST_SEED").unwrap_or(0);
    let merge = |all: &mut Findings, other: Findings| all.merge(&other);
    let (findings, failures) = parallel::search(first..first + count, try_one, merge);
    if env::var("STENCIL_REFUSALS").is_ok() {
        writeln!(io::stderr(), "{count} programs, {findings:#?}").unwrap();
    }
    assert!(failures.is_empty(), "{}", explain(&failures));
    let enough = |what: &str, seen: u64, of: u64| {
        assert!(of * seen >= count, "{what}: {seen} of {count} programs, {findings:#?}");
    };
    if count >= PROGRAMS {
        enough("ghost cells are folded", findings.folded, 3);
        enough("points are merged", findings.merged, 4);
        enough("folded or merged loops are swept", findings.swept, 6);
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    draw::program(&mut Random::new(seed.wrapping_mul(1_000_003)))
}

fn try_one(seed: u64, seen: &mut Findings) -> Result<(), Found> {
    let program = program(seed);
    let changes = run::fold(&program, seed).map_err(|failure| (None, failure))?;
    seen.folded += u64::from(changes.is_folded);
    seen.merged += u64::from(changes.is_merged);
    let mut random = Random::new(seed ^ (1 << 40));
    // Some programs get kernels for each statement; so do those that cannot be one sweep.
    let is_one = changes.is_folded || program.count(Role::Fill) == 0;
    let tries = match random.one_in(8) {
        true => 0,
        false if is_one => PLANS_MAX,
        false => 1,
    };
    for tries in 0..tries {
        let plan = plan::random(&mut random, &program, tries);
        let tried = run::compile(&run::drawn(&program, seed, &plan));
        match tried.map_err(|it| (Some(plan), it))? {
            Outcome::Same => {
                seen.swept += u64::from(changes.is_folded || changes.is_merged);
                seen.wrapped += u64::from(!program.wraps.is_empty());
                return Ok(());
            }
            Outcome::Refused(why) => seen.refusals.add(&why),
        }
    }
    let plan = if random.one_in(2) { "mapping=thread" } else { "" };
    let tried = run::compile(&run::drawn(&program, seed, plan));
    match tried.map_err(|it| (Some(plan.to_owned()), it))? {
        Outcome::Same => seen.chosen += 1,
        Outcome::Refused(why) => {
            let why = format!("the program is refused: {why}");
            return Err((Some(plan.to_owned()), Failure { stage: Stage::Emit, why }));
        }
    }
    Ok(())
}

/// The program of a seed with one of its plans for a sweep.
pub fn drawn(seed: u64, tries: usize) -> Drawn {
    let program = program(seed);
    let mut random = Random::new(seed ^ ((tries as u64 + 2) << 40));
    let plan = plan::random(&mut random, &program, tries);
    run::drawn(&program, seed, &plan)
}

/// What fails of a seed when it is compiled, if anything does, and how.
pub fn failing(seed: u64) -> Option<(Drawn, Failure)> {
    let (plan, failure) = try_one(seed, &mut Findings::default()).err()?;
    Some((run::drawn(&program(seed), seed, &plan?), failure))
}

/// A small program that fails with the plan of another one; so many are tried.
pub fn smaller(drawn: &Drawn, tries: usize, fails: impl Fn(&Drawn) -> bool) -> Drawn {
    let of = |program: &Program| run::drawn(program, drawn.seed, &drawn.plan);
    of(&smallest(program(drawn.seed), tries, |program| fails(&of(program))))
}

/// All failures in short, and a small program that fails as the first of them does.
fn explain(failures: &[(u64, Found)]) -> String {
    let list = failures.iter().map(|(seed, (_, failure))| format!("seed {seed}: {failure}\n"));
    let list = list.collect::<String>();
    // Making one small takes minutes, and a time limit would hide that there are any.
    writeln!(io::stderr(), "{list}").expect("standard error takes text");
    let (seed, (plan, failure)) = &failures[0];
    let seed = *seed;
    let run = |program: &Program| match plan {
        None => run::fold(program, seed).map(|_| ()),
        Some(plan) => run::compile(&run::drawn(program, seed, plan)).map(|_| ()),
    };
    let fails = |it: &Program| run(it).is_err_and(|it| it.stage == failure.stage);
    let small = smallest(program(seed), SHRINK_TRIES, fails);
    let scalars = small.scalars().into_iter();
    let scalars = scalars.map(|(position, value)| format!(" --arg {position}={value}"));
    let how = match plan.as_deref() {
        None => "--on=interpreter --same-after='...'".to_owned(),
        Some("") => "--on=emulator --verify".to_owned(),
        Some(plan) => format!("--on=emulator --verify --plan={plan}"),
    };
    format!(
        "{list}\n// RUN: stencilc run %s {how} --seed={seed}{}\n{}",
        scalars.collect::<String>(),
        small.text()
    )
}

/// A small program that fails; so many are tried.
fn smallest(mut program: Program, tries: usize, fails: impl Fn(&Program) -> bool) -> Program {
    let (mut next, mut since) = (0, 0);
    for _ in 0..tries {
        let smaller = program.smaller();
        if since > smaller.len() {
            break;
        }
        // What follows the part that was left out comes next.
        next %= smaller.len();
        let candidate = smaller.into_iter().nth(next).expect("it is one of them");
        if fails(&candidate) {
            (program, since) = (candidate, 0);
        } else {
            (next, since) = (next + 1, since + 1);
        }
    }
    program
}
