//! The same for variants that have sweeps: random sweeps, random sweeps of several statements,
//! random loops with walls, mirrors and sources, and the programs of `test/kernels` under plans for
//! sweeps.
//!
//! Extents are drawn from the least ones of the variants on, at which a tile is as large as the
//! domain; the reference is sometimes smaller than a tile and sometimes larger. Few programs are
//! run in a usual run; `STENCIL_RANDOM_SWEEPS` says how many, and `STENCIL_FIRST_SEED` where they
//! begin.

use super::{
    ALLOW_INDEX, Failure, General, POINTS_MAX, REFERENCE, Stage, UNCLEAR, draw, drawn, joined,
    rank, requests, small_scalars,
};
use crate::{
    failing::{Said, swept::Drawn},
    kernel_programs, parallel,
    random_statements::{self, Kind},
    random_walls,
};
use std::{
    env,
    io::{self, Write},
};
use stencil_driver::{
    input::Input,
    pipelines::PlanRequest,
    session::{self, Session},
    target::{self, Target},
};
use stencil_fuzz::{Program, generate_sweep};
use stencil_runtime::manifest::Argument;

/// Programs of each kind of a usual run, and of a nightly one.
const PROGRAMS: u64 = 16;
const PROGRAMS_NIGHTLY: u64 = 3_000;

/// Extents that each is run at.
const RUNS: u64 = 2;

/// The reference of every second program: larger than most tiles.
const REFERENCE_LARGE: u64 = 600;

/// Plans of which those of `test/kernels` that fit are swept, and one with vectors, which the
/// variant for aligned rows has.
const PLANS: [&str; 6] = [
    "mapping=block,steps=2",
    "mapping=warp,steps=3,chunks=2",
    "mapping=block,steps=2,loads=halo",
    "mapping=block,steps=2,loads=ring,ring=3,reads=queue",
    "mapping=block,steps=1,loads=direct",
    "mapping=thread,vector=2,points=2x1x2,threads=2x2x16",
];

/// What is seen of programs.
#[derive(Default)]
struct Seen {
    swept: u64,
    /// Those that have a variant for aligned rows too.
    aligned: u64,
    runs: u64,
    refused: Vec<String>,
}

impl Seen {
    fn merge(&mut self, other: Seen) {
        self.swept += other.swept;
        self.aligned += other.aligned;
        self.runs += other.runs;
        self.refused.extend(other.refused);
    }
}

/// What is run.
struct Subject {
    text: String,
    plan: String,
    scalars: Option<Vec<(usize, String)>>,
    target: Target,
}

/// Of some programs the rows are aligned.
fn reference(seed: u64) -> u64 {
    let least = if seed.is_multiple_of(2) { REFERENCE } else { REFERENCE_LARGE };
    least + drawn(seed, 1, 8)
}

/// Compiles a program and runs its variants; whether it has one.
fn check(subject: &Subject, seed: u64, seen: &mut Seen) -> Result<bool, Failure> {
    let input = Input { name: format!("seed-{seed}.mlir"), text: subject.text.clone() };
    let context = session::new_context();
    context.enable_multi_threading(false);
    let plan = subject.plan.parse::<PlanRequest>().expect("plans have the option's syntax");
    let session = Session::new(&context, &input, subject.target).with_plan(plan);
    let said = Said::listen(&context);
    let told = |failure: Failure| {
        let error = said.error().unwrap_or_default();
        let (plan, text) = (&subject.plan, &input.text);
        Failure { why: format!("{}: {error}\n{plan}\n{text}", failure.why), ..failure }
    };
    let Some(rank) = rank(&session) else { return Ok(false) };
    let general = match General::compile(&session, (rank, reference(seed)), ALLOW_INDEX) {
        Ok(general) => general,
        Err(failure @ Failure { stage: Stage::Generalize | Stage::Compile, .. }) => {
            let why = said.error().unwrap_or_default();
            let is_ours = why.contains("internal error") || why.contains("see current operation");
            if is_ours || (why.is_empty() && failure.stage == Stage::Compile) {
                return Err(told(failure));
            }
            seen.refused.push(why);
            return Ok(false);
        }
        Err(failure) => return Err(told(failure)),
    };
    let functions = general.functions().into_iter();
    let swept = functions.filter(|(function, _)| function.variant_of.is_some());
    let swept = swept.collect::<Vec<_>>();
    for (function, given) in &swept {
        for run in 0..RUNS {
            let extents = draw(RUNS * seed + run, given);
            if extents.iter().product::<u64>() > 4 * POINTS_MAX {
                continue;
            }
            let done =
                general.check(function, &extents, |all: &[Argument]| match &subject.scalars {
                    Some(scalars) => requests(seed, scalars.clone()),
                    None => small_scalars(seed, all),
                });
            match done {
                // A program may compute with what it reads, and trap elsewhere.
                Err(Failure { stage: Stage::Resize | Stage::Interpret, .. }) => continue,
                done => done.map_err(told).map_err(|failure| Failure {
                    why: format!("at {}: {}", joined(&extents), failure.why),
                    ..failure
                })?,
            }
            seen.runs += 1;
        }
    }
    seen.swept += u64::from(!swept.is_empty());
    seen.aligned += u64::from(swept.len() > 1);
    Ok(!swept.is_empty())
}

/// A program of a seed for which faults are looked for: a sweep, or a loop with walls and sources
/// with one of its plans.
pub fn case(seed: u64, tries: usize) -> Drawn {
    match seed.is_multiple_of(2) {
        true => case_of_sweep(&generate_sweep(seed / 2).program, seed),
        false => Drawn { seed, ..random_walls::drawn(seed / 2, tries) },
    }
}

/// A sweep with what belongs to a seed.
pub fn case_of_sweep(program: &Program, seed: u64) -> Drawn {
    let scalars = program.scalar_arguments();
    Drawn { text: program.text(), scalars, plan: String::new(), seed }
}

/// Compiles a program for all extents and runs its variants; whether it has one.
pub fn run(drawn: &Drawn) -> Result<bool, Failure> {
    let Drawn { text, scalars, plan, seed } = drawn.clone();
    let target = crate::drawn_target(seed);
    check(&Subject { text, plan, scalars: Some(scalars), target }, seed, &mut Seen::default())
}

fn count() -> (u64, u64) {
    let number = |name: &str| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let usual = if crate::nightly() { PROGRAMS_NIGHTLY } else { PROGRAMS };
    let first = number("STENCIL_FIRST_SEED").unwrap_or(0);
    (first, number("STENCIL_RANDOM_SWEEPS").unwrap_or(usual))
}

/// Runs programs of some seeds, of which one of so many must be swept.
fn search(of: u64, try_one: impl Fn(u64, &mut Seen) -> Result<(), Failure> + Sync) {
    let (first, count) = count();
    let (seen, failures) = parallel::search(first..first + count, try_one, Seen::merge);
    let failures = failures.iter().map(|(seed, failure)| format!("seed {seed}: {failure}"));
    let failures = failures.collect::<Vec<_>>();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    if env::var("STENCIL_REFUSALS").is_ok() {
        let Seen { swept, aligned, runs, refused } = &seen;
        writeln!(io::stderr(), "{swept} of {count} swept, {aligned} aligned, {runs}: {refused:#?}")
            .expect("standard error takes text");
    }
    let (swept, refused) = (seen.swept, seen.refused);
    assert!(of * swept >= count && seen.runs > 0, "{swept} of {count} are swept: {refused:#?}");
}

#[test]
fn random_sweeps_run_at_all_extents() {
    search(2, |seed, seen| {
        let program = generate_sweep(seed).program;
        let (text, scalars) = (program.text(), Some(program.scalar_arguments()));
        let target = crate::drawn_target(seed);
        let subject = Subject { text, plan: String::new(), scalars, target };
        check(&subject, seed, seen).map(|_| ())
    });
}

#[test]
fn random_sweeps_of_statements_run_at_all_extents() {
    search(2, |seed, seen| {
        for tries in 0..3 {
            let kind = [Kind::Loop, Kind::Group][drawn(seed, 0, 2) as usize];
            let case = random_statements::drawn(kind, seed, tries);
            let target = crate::drawn_target(seed);
            let (text, scalars) = (case.text, Some(case.scalars));
            if check(&Subject { text, plan: case.plan, scalars, target }, seed, seen)? {
                break;
            }
        }
        Ok(())
    });
}

#[test]
fn random_walls_and_sources_run_at_all_extents() {
    // Many are no sweep, as their ghost cells cannot be folded; each takes little time.
    search(2, |seed, seen| {
        for (more, tries) in (0..3).flat_map(|more| (0..3).map(move |tries| (more, tries))) {
            let case = random_walls::drawn(3 * seed + more, tries);
            let target = crate::drawn_target(seed);
            let (text, scalars) = (case.text, Some(case.scalars));
            if check(&Subject { text, plan: case.plan, scalars, target }, seed, seen)? {
                break;
            }
        }
        Ok(())
    });
}

#[test]
fn kernels_under_plans_for_sweeps_run_at_all_extents() {
    let inputs = kernel_programs::all();
    let tried = inputs
        .iter()
        .enumerate()
        .flat_map(|(number, input)| PLANS.iter().map(move |plan| (number as u64, input, *plan)));
    // In a usual run one plan of each program.
    let tried = tried.enumerate().filter(|(number, (program, ..))| {
        crate::nightly() || *number as u64 % PLANS.len() as u64 == program % PLANS.len() as u64
    });
    let tried = tried.map(|(_, it)| it).collect::<Vec<_>>();
    let target = Target::new(target::DEFAULT, None).unwrap();
    let done = parallel::map(&tried, |(number, input, plan)| {
        let (text, plan) = (input.text.clone(), (*plan).to_owned());
        let mut seen = Seen::default();
        let swept = check(&Subject { text, plan, scalars: None, target }, *number, &mut seen);
        swept.map(|_| seen).map_err(|failure| format!("{}: {failure}", input.name))
    });
    let wrong = done.iter().filter_map(|done| done.as_ref().err()).cloned().collect::<Vec<_>>();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut seen = Seen::default();
    done.into_iter().flatten().for_each(|one| seen.merge(one));
    assert!(seen.refused.iter().all(|why| !why.contains(UNCLEAR)), "{:#?}", seen.refused);
    assert!(3 * seen.swept > tried.len() as u64, "{}: {:#?}", seen.swept, seen.refused);
}
