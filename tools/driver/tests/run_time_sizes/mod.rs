//! Programs whose extents are given when they run: one compilation, run by the emulator at drawn
//! extents, gives what the interpreter computes of the program that is resized to them.
//!
//! Extents are drawn from the least ones on: 1, odd ones, those of a block and one more. A usual
//! run takes a few for each program of `test/kernels` and for random programs, the nightly run
//! fifty.

pub mod swept;

use crate::{
    failing::{
        self, Said, at,
        interpreted::{interpret, requests, same},
    },
    faults, kernel_programs, parallel,
    random_programs::run::random_plan,
};
use melior::ir::Module;
use stencil_dialects::{ods::func, walk};
use stencil_driver::{
    DriverError, arguments,
    emulated::Emulation,
    input::Input,
    monitor::Silent,
    session::{self, Session},
    target::{self, Target},
    variants,
};
use stencil_fuzz::{Construct, Options, generate};
use stencil_passes::analysis::domain::Domain;
use stencil_runtime::{
    ScalarType,
    bind::Requests,
    manifest::{Argument, ArgumentKind, Extents, Function},
    random,
};

/// Extents that a program is run at, in a usual run and at night.
const RUNS: u64 = 2;
const RUNS_NIGHTLY: u64 = 50;

/// Random programs of a usual run, and of a nightly one.
const PROGRAMS: u64 = 40;
const PROGRAMS_NIGHTLY: u64 = 2_000;

/// The most points of a drawn domain.
const POINTS_MAX: u64 = 20_000;

/// Points along each dimension of the domain that programs are written for: bounds are far from its
/// middle.
const REFERENCE: u64 = 48;

/// Programs that are for one size, and the reason.
const FIXED: [(&str, &str); 1] = [("forced-heat3d", "is used in a computation")];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Generalize,
    Compile,
    Resize,
    Interpret,
    Instantiate,
    Emulate,
    Differs,
}

pub type Failure = failing::Failure<Stage>;

fn runs() -> u64 {
    if crate::nightly() { RUNS_NIGHTLY } else { RUNS }
}

/// A number below `limit` that is drawn by a seed.
fn drawn(seed: u64, number: usize, limit: u64) -> u64 {
    random::random_scalar(seed, number, ScalarType::I64).bits() % limit
}

/// Extents of a domain: each near one that kernels treat in a way of its own, or any; of those that
/// a function is for.
fn draw(seed: u64, given: &Extents) -> Vec<u64> {
    let least = &given.least;
    let extent = |(d, least): (usize, &u64)| {
        let choices = [0, 1, 2, drawn(seed, 8 * d + 1, 7), drawn(seed, 8 * d + 2, 40), 31, 63, 64];
        least + choices[drawn(seed, 8 * d, choices.len() as u64) as usize]
    };
    let mut extents: Vec<u64> = least.iter().enumerate().map(extent).collect();
    while extents.iter().product::<u64>() > POINTS_MAX {
        let longest = (0..extents.len()).max_by_key(|d| extents[*d] - least[*d]).unwrap();
        if extents[longest] == least[longest] {
            break;
        }
        extents[longest] = least[longest] + (extents[longest] - least[longest]) / 2;
    }
    let reference = given.reference.iter().zip(&given.multiples);
    for (extent, (reference, multiple)) in extents.iter_mut().zip(reference) {
        *extent += (reference + multiple * *extent - *extent) % multiple;
    }
    extents
}

fn joined(extents: &[u64]) -> String {
    extents.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// Random programs compute with their coordinates: at other extents they compute something else,
/// and so does the one package.
const ALLOW_INDEX: &str = "allow-index=true";

/// Said of coordinates that are sums of extents, after offsets longer than half of a small domain.
const UNCLEAR: &str = "how it moves with the domain is unclear";

/// A program with other extents.
fn resized<'c>(
    session: &Session<'c>,
    module: &Module<'c>,
    extents: &[u64],
) -> Result<Module<'c>, DriverError> {
    let options = format!("extents={} allow-index=true", joined(extents));
    let pipeline = format!("builtin.module(stencil-resize-domain{{{options}}})");
    session.transform(module, &pipeline)
}

/// A program for the reference whose extents are given when it runs, in a session.
struct General<'s, 'c> {
    session: &'s Session<'c>,
    reference: Module<'c>,
    emulation: Emulation,
}

impl<'s, 'c> General<'s, 'c> {
    /// `options`: of the pass that makes the program one for all extents.
    fn compile(
        session: &'s Session<'c>,
        (rank, extent): (usize, u64),
        options: &str,
    ) -> Result<Self, Failure> {
        let generalize = at(Stage::Generalize);
        let module = session.parse().map_err(&generalize)?;
        let reference = resized(session, &module, &vec![extent; rank]).map_err(&generalize)?;
        // Small programs with long offsets do not fit the reference.
        session.freeze(&reference).map_err(&generalize)?;
        let pipeline = format!("builtin.module(stencil-generalize-domain{{{options}}})");
        let module = session.transform(&reference, &pipeline).map_err(&generalize)?;
        variants::add_swept(session, &module).map_err(&generalize)?;
        let frozen = session.freeze(&module).map_err(at(Stage::Compile))?;
        let mapped = faults::map(session, &frozen).map_err(at(Stage::Compile))?;
        let emulation = Emulation::of_kernels(session, &mapped).map_err(at(Stage::Compile))?;
        Ok(Self { session, reference, emulation })
    }

    /// Functions whose extents are given, with what is said of these.
    fn functions(&self) -> Vec<(Function, Extents)> {
        let functions = self.emulation.manifest().functions.iter();
        let general = functions
            .filter_map(|function| Some((function.clone(), function.extents.as_ref()?.clone())));
        general.collect()
    }

    /// Compares one run.
    fn check(
        &self,
        function: &Function,
        extents: &[u64],
        requests: impl Fn(&[Argument]) -> Requests,
    ) -> Result<(), Failure> {
        let session = self.session;
        let resized = resized(session, &self.reference, extents).map_err(at(Stage::Resize))?;
        let frozen = session.freeze(&resized).map_err(at(Stage::Resize))?;
        let base = function.variant_of.as_ref().unwrap_or(&function.name);
        let program = session.decode(&frozen, base).map_err(at(Stage::Interpret))?;
        let arguments = arguments::arguments(&program, &frozen).map_err(at(Stage::Interpret))?;
        let requests = requests(&arguments);
        let expected = interpret(session, &frozen, base, &requests);
        let expected = expected.map_err(at(Stage::Interpret))?;
        let fixed = self.emulation.at(&function.name, extents).map_err(at(Stage::Instantiate))?;
        let emulate = at(Stage::Emulate);
        let mut bound = arguments::bind(&expected.0, &requests).map_err(&emulate)?;
        fixed.run(&function.name, &mut bound, &Silent).map_err(&emulate)?;
        same(Stage::Differs, &expected, &bound.values)
    }
}

/// Values for the scalars among some arguments: small numbers.
fn small_scalars(seed: u64, arguments: &[Argument]) -> Requests {
    let mut count = 0;
    let scalar = |(position, argument): (usize, &Argument)| match &argument.kind {
        ArgumentKind::Field(_) => None,
        ArgumentKind::Scalar { scalar, .. } if scalar.is_float() => {
            Some((position, "0.25".to_owned()))
        }
        ArgumentKind::Scalar { .. } => {
            count += 1;
            Some((position, count.to_string()))
        }
    };
    requests(seed, arguments.iter().enumerate().filter_map(scalar).collect())
}

/// The rank of a program's domain.
fn rank(session: &Session) -> Option<usize> {
    let module = session.parse().ok()?;
    let operations = walk::operations(module.body()).into_iter();
    let functions = operations.filter(|operation| walk::name(operation) == func::FUNC);
    let domain = Domain::of(&functions.collect::<Vec<_>>()).ok()??;
    Some(domain.bounds.rank())
}

/// All runs of a program of `test/kernels`.
fn check_kernel(input: &Input) -> Result<(), String> {
    let context = session::new_context();
    context.enable_multi_threading(false);
    let session = Session::new(&context, input, Target::new(target::DEFAULT, None).unwrap());
    let said = Said::listen(&context);
    let told = |failure: Failure, extents: &str| {
        let error = said.error().unwrap_or_default();
        format!("{}{extents}: {failure}: {error}", input.name)
    };
    let rank = rank(&session).expect("the program has a domain");
    let general =
        General::compile(&session, (rank, REFERENCE), "").map_err(|failure| told(failure, ""))?;
    for (function, given) in general.functions() {
        for seed in 0..runs() {
            let extents = draw(seed + input.text.len() as u64, &given);
            let done = general.check(&function, &extents, |all| small_scalars(seed, all));
            done.map_err(|failure| told(failure, &format!(" at {}", joined(&extents))))?;
        }
    }
    Ok(())
}

#[test]
fn one_package_of_each_kernel_runs_at_all_extents() {
    kernel_programs::check(&FIXED, check_kernel);
}

/// What is seen of random programs.
#[derive(Default)]
struct Seen {
    general: u64,
    runs: u64,
}

fn check_random(seed: u64, seen: &mut Seen) -> Result<(), Failure> {
    let program = generate(seed, &Options::default().without(Construct::Unroll));
    let input = Input { name: format!("seed-{seed}.mlir"), text: program.text() };
    let context = session::new_context();
    context.enable_multi_threading(false);
    let plan = random_plan(seed).parse().expect("the keys are known");
    let session = Session::new(&context, &input, crate::drawn_target(seed)).with_plan(plan);
    let said = Said::listen(&context);
    let told = |failure: Failure| {
        let error = said.error().unwrap_or_default();
        Failure { why: format!("{}: {error}\n{}", failure.why, input.text), ..failure }
    };
    let Some(rank) = rank(&session) else { return Ok(()) };
    let general = match General::compile(&session, (rank, REFERENCE), ALLOW_INDEX) {
        Err(Failure { stage: Stage::Generalize, .. }) => return Ok(()),
        Err(_) if said.error().is_some_and(|error| error.contains(UNCLEAR)) => return Ok(()),
        general => general.map_err(told)?,
    };
    seen.general += 1;
    for (function, given) in general.functions() {
        for run in 0..RUNS {
            let extents = draw(RUNS * seed + run, &given);
            let requests = |_: &[Argument]| requests(seed, program.scalar_arguments());
            match general.check(&function, &extents, requests) {
                // A program may compute with what it reads, and trap elsewhere.
                Err(Failure { stage: Stage::Resize | Stage::Interpret, .. }) => {}
                done => done.map_err(told).map_err(|failure| Failure {
                    why: format!("at {}: {}", joined(&extents), failure.why),
                    ..failure
                })?,
            }
            seen.runs += 1;
        }
    }
    Ok(())
}

#[test]
fn random_programs_run_at_all_extents() {
    let count = if crate::nightly() { PROGRAMS_NIGHTLY } else { PROGRAMS };
    let merge = |all: &mut Seen, seen: Seen| {
        all.general += seen.general;
        all.runs += seen.runs;
    };
    let (seen, failures) = parallel::search(0..count, check_random, merge);
    let failures = failures.iter().map(|(seed, failure)| format!("seed {seed}: {failure}"));
    let failures = failures.collect::<Vec<_>>();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(3 * seen.general > count, "{} of {count} programs are general", seen.general);
}
