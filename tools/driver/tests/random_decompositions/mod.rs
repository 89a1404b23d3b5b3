//! Programs on several devices give the bits of the interpreter on one domain.
//!
//! A seed is a program with walls, mirrors, wraps, sources and rotations, or any random one;
//! devices, cuts, and time steps between exchanges; and a plan. What passes refuse is counted by
//! its reason. The emulator then runs every window, exchanges planes as the manifest says, and has
//! the interpreter's bits of the program that was not cut.
//!
//! `STENCIL_RANDOM_DECOMPOSITIONS` says how many programs, `STENCIL_FIRST_SEED` where they begin;
//! the nightly run takes many more. Faults are planted in decompositions too: each has to show.

mod faults;
mod kernels;
mod texts;

use crate::{
    failing::{
        self, at,
        interpreted::{Run, interpret, requests, same},
    },
    parallel,
    random_imports::Random,
    random_programs::run::random_plan,
    random_walls,
};
use faults::Planted;
use melior::{Context, ir::Module};
use std::{
    collections::BTreeMap,
    env,
    ops::RangeInclusive,
    sync::{Arc, Mutex},
};
use stencil_dialects::{ods::func, walk};
use stencil_driver::{
    DriverError, arguments,
    emulated::Emulation,
    input::Input,
    monitor::Silent,
    pipelines::Kernels,
    session::{self, Session},
    target::{self, Target},
};
use stencil_fuzz::{Construct, Options, SweepCase, generate, generate_sweep};
use stencil_passes::analysis::domain::Domain;
use stencil_runtime::{Manifest, bind::Requests};

/// Programs of a usual run, and of a nightly one.
const PROGRAMS: u64 = 40;
const PROGRAMS_NIGHTLY: u64 = 4_000;
/// The same of time loops with plans of sweeps.
const SWEEPS: u64 = 16;
const SWEEPS_NIGHTLY: u64 = 1_000;
/// The most devices of a drawn decomposition.
const DEVICES_MAX: usize = 8;

/// Time steps between exchanges of sweeps, at least: several pairs of short ones.
const STEPS_ENOUGH: i64 = 6;
/// The most iterations after which fields are in their places again.
const ROTATION_MAX: i64 = 3;

/// Numbers of devices that are also run as ranks, which send each other messages.
const RANKS: RangeInclusive<usize> = 2..=4;

/// What is done with a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Interpret,
    Decompose,
    Compile,
    Emulate,
    Differs,
}

type Failure = failing::Failure<Stage>;

/// What is seen of programs.
#[derive(Debug, Default)]
struct Seen {
    run: u64,
    exchanges: u64,
    seams: u64,
    padded: u64,
    refused: BTreeMap<String, u64>,
}

impl Seen {
    fn merge(&mut self, other: Seen) {
        self.run += other.run;
        self.exchanges += other.exchanges;
        self.seams += other.seams;
        self.padded += other.padded;
        for (why, count) in other.refused {
            *self.refused.entry(why).or_default() += count;
        }
    }
}

/// A program of a seed: its text, and values for its scalars.
pub struct Case {
    pub text: String,
    pub function: &'static str,
    pub scalars: Vec<(usize, String)>,
    pub plan: String,
    pub seed: u64,
    /// Options of the pass.
    pub options: Vec<String>,
    /// Planes that the domain has instead of its own.
    pub planes: Option<i64>,
    /// Bytes that rows are aligned to on devices.
    pub alignment: i64,
}

fn drawn(seed: u64) -> Case {
    let mut random = Random::new(seed ^ (1 << 41));
    let is_wall = !random.one_in(5);
    let (text, scalars, extent) = match is_wall {
        true => {
            let mut program = random_walls::program(seed);
            if !random.one_in(16) {
                without_what_is_refused(&mut program);
            }
            let extent = program.domain.upper[0] - program.domain.lower[0];
            (program.text(), program.scalars(), (program.domain.lower[0], extent))
        }
        false => {
            let program = generate(seed, &Options::default().without(Construct::Unroll));
            (program.text(), program.scalar_arguments(), (0, 0))
        }
    };
    let text = if random.one_in(2) { texts::returned(&text) } else { text };
    let devices = 1 + random.below(DEVICES_MAX.min(1 + extent.1.max(8) as usize / 3));
    let steps = [0, 8, 1, 2, 3, 4, 6, 12][random.below(8)];
    let mut shares = vec![format!("devices={devices}"), "devices=2".to_owned()];
    if is_wall && devices > 1 && random.one_in(2) {
        let mut cuts = (0..devices - 1)
            .map(|_| extent.0 + 1 + random.below(extent.1.max(2) as usize - 1) as i64)
            .collect::<Vec<_>>();
        cuts.sort_unstable();
        let cuts = cuts.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        shares.insert(0, format!("devices={devices} cuts={cuts}"));
    }
    // What does not fit is tried with the fewest steps, without cuts, and on fewer devices.
    let of_share = |share: String| [steps, 0].map(|steps| format!("{share} steps={steps}"));
    let options = shares.into_iter().flat_map(of_share).collect();
    let plan = if random.one_in(2) { String::new() } else { random_plan(seed) };
    // Steps that read the loop's counter are made one by one.
    let plan = match is_wall {
        true if text.contains("%time") && !random.one_in(4) => "mapping=thread".to_owned(),
        true => String::new(),
        false => plan,
    };
    let alignment = [1, 1, 32, 128][random.below(4)];
    Case { text, function: "main", scalars, plan, seed, options, planes: None, alignment }
}

/// A time loop with the plan of a sweep, on a domain that is long enough for pieces of it.
fn swept(seed: u64) -> Case {
    let mut random = Random::new(seed ^ (1 << 43));
    let SweepCase { program, plan, .. } = generate_sweep(seed);
    let scalars = program.scalar_arguments();
    let text = texts::longer(&program.text(), 5 * plan.steps + random.below(7) as i64);
    let text = if random.one_in(2) { texts::returned(&text) } else { text };
    let (_, step) = texts::constant_after(&text, "step").expect("a loop steps by a constant");
    let steps = steps_of_pieces(2 * plan.steps * step);
    let of_devices =
        |devices| steps.iter().map(move |steps| format!("devices={devices} steps={steps}"));
    let options = [2 + random.below(2), 2].into_iter().flat_map(of_devices).collect();
    let planes = Some(60 + random.below(60) as i64);
    let (plan, alignment) = (String::new(), [1, 128][random.below(2)]);
    Case { text, function: "main", scalars, plan, seed, options, planes, alignment }
}

/// Time steps between exchanges for sweeps that make so many in pairs, best first; the pass refuses
/// those that no rotation of the fields divides, and those that need halos too wide for the domain.
fn steps_of_pieces(at_once: i64) -> Vec<i64> {
    let least = (STEPS_ENOUGH + at_once - 1) / at_once;
    let pairs = (least..least + ROTATION_MAX).map(|count| count * at_once);
    let fewer = (1..=8).rev();
    pairs.chain(fewer).chain([0]).collect()
}

/// Most programs are to run.
fn without_what_is_refused(program: &mut random_walls::program::Program) {
    program.read_behind = None;
    // A loop of one iteration is no loop any more when it is compiled.
    program.iterations[2] = program.iterations[2].max(2);
    for part in program.items.iter_mut().flat_map(|item| &mut item.parts) {
        part.extras.carried = false;
    }
}

/// What a run did.
struct Done {
    exchanges: u64,
    has_seam: bool,
    is_padded: bool,
}

/// Runs a case, with a fault in its manifest; none if its program is refused, with the reason.
fn run(
    case: &Case,
    plant: impl Fn(&mut Manifest) -> bool,
) -> Result<Result<Done, String>, Failure> {
    let input = Input { name: format!("seed-{}.mlir", case.seed), text: case.text.clone() };
    let context = session::new_context();
    context.enable_multi_threading(false);
    let plan = case.plan.parse().expect("the keys are known");
    let target = Target::new(target::DEFAULT, None).unwrap();
    let session = Session::new(&context, &input, target).with_plan(plan);
    let said = listen(&context);
    let told = |failure: Failure| {
        let error = said.lock().unwrap().join("\n");
        Failure { why: format!("{}: {error}\n{}", failure.why, case.text), ..failure }
    };
    let module = session.parse();
    let module = module.and_then(|module| match case.planes {
        Some(planes) => resized(&session, module, |extents| extents[0] = planes),
        None => Ok(module),
    });
    let frozen = module.and_then(|module| Ok((session.freeze(&module)?, module)));
    // On another domain offsets may leave a field.
    let (frozen, module) = match (frozen, case.planes) {
        (Err(_), Some(_)) => return Ok(Err(reason(&said.lock().unwrap().join("\n")))),
        (made, _) => made.map_err(at(Stage::Interpret)).map_err(told)?,
    };
    let requests = requests(case.seed, case.scalars.clone());
    let expected = interpret(&session, &frozen, case.function, &requests);
    // A random program may trap.
    let Ok(expected) = expected else { return Ok(Err("traps".to_owned())) };
    let tried = case.options.iter().map(|options| cut(&session, &module, options));
    // Whatever is no refusal is a failure: options that the pass does not know, a panic.
    let made = tried.map(|made| made.map_err(at(Stage::Decompose)).map_err(told));
    let windows = made.filter_map(Result::transpose).next().transpose()?;
    let Some(windows) = windows else {
        return Ok(Err(reason(&said.lock().unwrap().join("\n"))));
    };
    let before = said.lock().unwrap().len();
    let windows = aligned(&session, &windows, case.alignment);
    let windows = windows.map_err(at(Stage::Compile)).map_err(told)?;
    let mut compiled = match compile(&session, &windows) {
        Ok(compiled) => compiled,
        Err(error) => {
            // Kernels that make several steps at once may not fit the pieces, with a reason; and
            // some plans of sweeps are drawn to be refused.
            let last = said.lock().unwrap()[before..].join("\n");
            let is_refused = last.contains("cannot be run by several devices");
            return match is_refused || case.planes.is_some() {
                true => Ok(Err(reason(&last))),
                false => Err(told(at(Stage::Compile)(error))),
            };
        }
    };
    if !plant(&mut compiled.0) {
        return Ok(Err("has no place for the fault".to_owned()));
    }
    let has_seam = compiled.0.functions.iter().any(|function| {
        let shared = function.decomposition.as_ref();
        shared.is_some_and(|shared| shared.windows.iter().any(|window| window.seam.is_some()))
    });
    let arguments = compiled.0.functions.iter().flat_map(|function| &function.arguments);
    let mut fields = arguments.filter_map(|argument| argument.kind.as_field());
    let is_padded = fields.any(|shape| shape.padding.is_some());
    let emulation = Emulation::of_llvm_ir(&session, compiled.0, &compiled.1);
    let emulation = emulation.map_err(at(Stage::Emulate)).map_err(told)?;
    let exchanges = emulate(case, &emulation, &requests, &expected).map_err(told)?;
    Ok(Ok(Done { exchanges, has_seam, is_padded }))
}

/// The windows of a program; none if they are refused, with a diagnostic.
fn cut<'c>(
    session: &Session<'c>,
    module: &Module<'c>,
    options: &str,
) -> Result<Option<Module<'c>>, DriverError> {
    let pipeline = format!("builtin.module(stencil-decompose-domain{{{options}}})");
    match session.transform(module, &pipeline) {
        Ok(windows) => Ok(Some(windows)),
        Err(DriverError::Diagnosed) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Windows whose rows are to be aligned.
fn aligned<'c>(
    session: &Session<'c>,
    windows: &Module<'c>,
    bytes: i64,
) -> Result<Module<'c>, DriverError> {
    let layout = format!("func.func(stencil-select-layout{{alignment={bytes}}})");
    session.transform(windows, &format!("builtin.module({layout})"))
}

/// Runs windows on devices, and a few of them as ranks too; the exchanges that they made.
fn emulate(
    case: &Case,
    emulation: &Emulation,
    requests: &Requests,
    expected: &Run,
) -> Result<u64, Failure> {
    let run = |emulation: &Emulation| {
        let mut bound = arguments::bind(&expected.0, requests).map_err(at(Stage::Emulate))?;
        let done = emulation.run(case.function, &mut bound, &Silent);
        let done = done.map_err(at(Stage::Emulate))?;
        same(Stage::Differs, expected, &bound.values)?;
        Ok(done.shared.map_or((1, 0), |shared| (shared.devices, shared.exchanges)))
    };
    let (devices, exchanges) = run(emulation)?;
    if RANKS.contains(&devices) {
        let by_ranks = run(&emulation.by_ranks())?;
        assert_eq!(by_ranks, (devices, exchanges), "ranks exchange as often as devices");
    }
    Ok(exchanges)
}

fn compile<'c>(
    session: &Session<'c>,
    windows: &Module<'c>,
) -> Result<(Manifest, String), DriverError> {
    let frozen = session.freeze(windows)?;
    let mapped = session.map(&frozen, Kernels::Checked)?;
    let manifest = session.export(&mapped)?;
    let llvm_ir = session.emit_llvm_ir(&session.to_nvvm(&mapped)?)?;
    Ok((manifest, llvm_ir))
}

/// All that is said from now on.
fn listen(context: &Context) -> Arc<Mutex<Vec<String>>> {
    let said = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&said);
    context.attach_diagnostic_handler(move |diagnostic| {
        listener.lock().unwrap().push(diagnostic.to_string());
        true
    });
    said
}

/// A refusal without its numbers.
fn reason(error: &str) -> String {
    let first = error.lines().next().unwrap_or_default();
    first.chars().map(|letter| if letter.is_ascii_digit() { '#' } else { letter }).collect()
}

fn try_one(seed: u64, seen: &mut Seen) -> Result<(), Failure> {
    try_case(&drawn(seed), seen)
}

fn try_swept(seed: u64, seen: &mut Seen) -> Result<(), Failure> {
    try_case(&swept(seed), seen)
}

fn try_case(case: &Case, seen: &mut Seen) -> Result<(), Failure> {
    match run(case, |_| true).map_err(|failure| Failure {
        why: format!("{:?}: {}", case.options, failure.why),
        ..failure
    })? {
        Ok(Done { exchanges, has_seam, is_padded }) => {
            seen.run += 1;
            seen.padded += u64::from(is_padded);
            seen.exchanges += u64::from(exchanges > 0);
            seen.seams += u64::from(has_seam);
        }
        Err(why) => *seen.refused.entry(why).or_default() += 1,
    }
    Ok(())
}

/// Runs cases, of which a part has to run, and to exchange planes.
fn check(
    usual: u64,
    try_one: fn(u64, &mut Seen) -> Result<(), Failure>,
    is_enough: impl Fn(&Seen, u64) -> bool,
) {
    let number = |name: &str| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let count = number("STENCIL_RANDOM_DECOMPOSITIONS").unwrap_or(usual);
    let first = number("STENCIL_FIRST_SEED").unwrap_or(0);
    let merge = |all: &mut Seen, seen: Seen| all.merge(seen);
    let (seen, failures) = parallel::search(first..first + count, try_one, merge);
    let failures = failures.iter().map(|(seed, failure)| format!("seed {seed}: {failure}"));
    let failures = failures.collect::<Vec<_>>();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let text = format!("{seen:#?}");
    assert!(is_enough(&seen, count), "of {count} programs: {text}");
    if env::var("STENCIL_REFUSALS").is_ok() {
        use std::io::Write;
        let told = format!("{count} programs, {text}\n");
        std::io::stderr().write_all(told.as_bytes()).unwrap();
    }
}

#[test]
fn random_programs_on_several_devices_give_the_bits_of_one() {
    let usual = if crate::nightly() { PROGRAMS_NIGHTLY } else { PROGRAMS };
    check(usual, try_one, |seen, count| {
        3 * seen.run > count && 8 * seen.exchanges > count && 16 * seen.padded > count
    });
}

#[test]
fn random_sweeps_on_several_devices_give_the_bits_of_one() {
    let usual = if crate::nightly() { SWEEPS_NIGHTLY } else { SWEEPS };
    check(usual, try_swept, |seen, count| 4 * seen.run > count && 8 * seen.exchanges > count);
}

/// A program on another domain.
fn resized<'c>(
    session: &Session<'c>,
    module: Module<'c>,
    change: impl Fn(&mut Vec<i64>),
) -> Result<Module<'c>, DriverError> {
    let operations = walk::operations(module.body()).into_iter();
    let functions = operations.filter(|operation| walk::name(operation) == func::FUNC);
    let domain = Domain::of(&functions.collect::<Vec<_>>()).ok().flatten();
    let mut extents = domain.expect("a kernel has a domain").bounds.extents();
    change(&mut extents);
    let extents = extents.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let pipeline =
        format!("builtin.module(stencil-resize-domain{{extents={extents} allow-index=true}})");
    session.transform(&module, &pipeline)
}

/// Each fault shows when some program runs, and soon.
#[test]
fn planted_faults_show() {
    for fault in Planted::ALL {
        let shows = |seed: &u64| {
            let case = if fault.is_of_sweeps() { swept(*seed) } else { drawn(*seed) };
            let done = run(&case, |manifest| fault.plant(manifest));
            matches!(done, Err(Failure { stage: Stage::Emulate | Stage::Differs, .. }))
        };
        let found = (0..faults::SEEDS).find(shows);
        assert!(found.is_some(), "{fault:?} shows in none of {} programs", faults::SEEDS);
    }
}
