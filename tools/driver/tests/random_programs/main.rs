//! Random programs through the whole compiler: interpreter and emulator must agree, bit for bit.
//!
//! Each seed is a program, the plan of its kernels, into how many parts each of them is split, and
//! the content of its fields. Three runs are
//! compared: the program as written, the program with frozen arithmetic, and its kernels. The first
//! is left out where a program permits other values (`fastmath`): from freezing on there is one
//! answer again.
//!
//! `STENCIL_RANDOM_PROGRAMS` says how many programs; `STENCIL_LONG=1` runs many more than a change
//! can wait for. A program that fails is made small, for `test/regressions`.
#![allow(clippy::unwrap_used)]

#[path = "../failing/mod.rs"]
mod failing;
mod shapes;
mod splits;

use failing::{Cases, at};
use melior::ir::Module;
use splits::Seen;
use std::{
    env,
    io::{self, Write},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};
use stencil_driver::{
    DriverError,
    arguments::{self, Bound},
    crash,
    emulated::Emulation,
    input::Input,
    interpreted,
    monitor::Silent,
    session::{self, Session},
    target::{self, Target},
    verify,
};
use stencil_fuzz::{Histogram, Options, Program, generate};
use stencil_runtime::{
    ScalarType,
    bind::{Assignment, Requests, Value},
    manifest::Argument,
    random,
};

/// Programs of a usual run, and of a long one.
const PROGRAMS: u64 = 300;
const PROGRAMS_LONG: u64 = 10_000;

/// Failures after which no further program is tried: there is enough to look at.
const FAILURES_MAX: usize = 10;

/// Programs tried to make a failing one small.
const SHRINK_TRIES: usize = 2_000;

/// Where a program fails. One that fails elsewhere shows another bug, so shrinking keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Panic,
    Compile,
    RunOriginal,
    RunFrozen,
    Emulate,
    OriginalAgainstFrozen,
    FrozenAgainstEmulated,
}

type Failure = failing::Failure<Stage>;

#[test]
fn interpreter_and_emulator_agree() {
    let long = env::var("STENCIL_LONG").is_ok_and(|value| value == "1");
    let count = match env::var("STENCIL_RANDOM_PROGRAMS") {
        Ok(text) => text.parse().expect("STENCIL_RANDOM_PROGRAMS is a number"),
        Err(_) if long => PROGRAMS_LONG,
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
}

/// What fails among the first seeds, in their order, and what the programs held.
fn run_all(count: u64, splits: &Seen) -> (Vec<(u64, Failure)>, Histogram) {
    let next = AtomicU64::new(0);
    let failures = Mutex::new(Vec::new());
    let histogram = Mutex::new(Histogram::default());
    let work = || {
        let mut seen = Histogram::default();
        while failures.lock().unwrap().len() < FAILURES_MAX {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= count {
                break;
            }
            let program = generate(seed, &Options::default());
            seen.add(&program.features());
            if let Err(failure) = check(&program, seed, splits) {
                failures.lock().unwrap().push((seed, failure));
            }
        }
        histogram.lock().unwrap().merge(&seen);
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort_by_key(|(seed, _)| *seed);
    (failures, histogram.into_inner().unwrap())
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

/// Runs a program in every way and compares.
fn check(program: &Program, seed: u64, splits: &Seen) -> Result<(), Failure> {
    let assign = |(position, value): (usize, String)| {
        let key = position.to_string();
        Assignment { key, value }
    };
    let arguments = program.scalar_arguments().into_iter().map(assign).collect();
    let requests = Requests { arguments, seed, ..Requests::default() };
    let input = Input { name: format!("seed-{seed}.mlir"), text: program.text() };
    crash::guard(|| Ok(compare(&input, &requests, splits))).map_err(at(Stage::Panic))?
}

fn compare(input: &Input, requests: &Requests, splits: &Seen) -> Result<(), Failure> {
    let compile = at(Stage::Compile);
    let context = session::new_context();
    let target = Target::new(target::DEFAULT, None).map_err(&compile)?;
    let plan = random_plan(requests.seed).parse().expect("the keys are known");
    let session = Session::new(&context, input, target).with_plan(plan);
    let original = session.parse().map_err(&compile)?;
    let frozen = session.freeze(&original).map_err(&compile)?;
    let drawn = splits::draw(&frozen, requests.seed, splits);
    let shaped = shapes::draw(&frozen, requests.seed);
    run(&session, (&original, &frozen), requests).map_err(|failure| Failure {
        why: format!("{}; (apply, parts): {drawn:?}, (apply, plan): {shaped:?}", failure.why),
        ..failure
    })
}

/// Runs a program as it was written, where that has one answer, frozen, and as kernels.
fn run<'c>(
    session: &Session<'c>,
    (original, frozen): (&Module<'c>, &Module<'c>),
    requests: &Requests,
) -> Result<(), Failure> {
    let emulation = Emulation::compile(session, frozen).map_err(at(Stage::Compile))?;
    let (arguments, expected) =
        interpret(session, frozen, requests).map_err(at(Stage::RunFrozen))?;
    if !original.as_operation().to_string().contains("fastmath") {
        let (_, meant) = interpret(session, original, requests).map_err(at(Stage::RunOriginal))?;
        same(Stage::OriginalAgainstFrozen, &arguments, &meant, &expected)?;
    }
    let emulate = at(Stage::Emulate);
    let mut bound = arguments::bind(&arguments, requests, &[]).map_err(&emulate)?;
    emulation.run("main", &mut bound, &Silent).map_err(&emulate)?;
    same(Stage::FrozenAgainstEmulated, &arguments, &expected, &bound.values)
}

/// A plan for kernels of any rank; sometimes it leaves all to the compiler.
fn random_plan(seed: u64) -> String {
    let pick = |what: usize, choices: &[&str]| {
        let fraction =
            random::random_scalar(seed, PLAN_KEYS + what, ScalarType::F64).to_f64() - 0.5;
        choices[(fraction * choices.len() as f64) as usize].to_owned()
    };
    [
        pick(0, &["", "points=1,", "points=3,", "points=1x2,", "points=2x1x3,", "points=1x1x2,"]),
        pick(1, &["", "threads=64,", "threads=4x32,", "threads=3x5x7,", "threads=2x1x33,"]),
        pick(2, &["", "lead=0,", "lead=1,", "lead=5,", "lead=31,", "lead=127,"]),
        pick(4, &["", "schedule=trees,", "schedule=interleave,", "schedule=both,"]),
        pick(3, &["", "max_registers=64", "max_registers=255"]),
    ]
    .concat()
}

/// Positions of the random numbers that choose a plan: beyond those of any argument.
const PLAN_KEYS: usize = 1 << 20;

/// The arguments of `main`, and their values after a run on the interpreter.
fn interpret<'c>(
    session: &Session<'c>,
    module: &Module<'c>,
    requests: &Requests,
) -> Result<(Vec<Argument>, Vec<Value>), DriverError> {
    let program = session.decode(module, "main")?;
    let arguments = arguments::arguments(&program, module)?;
    let mut bound: Bound = arguments::bind(&arguments, requests, &[])?;
    interpreted::run(session, &program, &arguments, &mut bound, &Silent)?;
    Ok((arguments, bound.values))
}

fn same(
    stage: Stage,
    arguments: &[Argument],
    expected: &[Value],
    found: &[Value],
) -> Result<(), Failure> {
    let comparison = verify::compare(arguments, expected, found);
    match comparison.is_identical() {
        true => Ok(()),
        false => Err(Failure { stage, why: verify::text(&comparison) }),
    }
}
