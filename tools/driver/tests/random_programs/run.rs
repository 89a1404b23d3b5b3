//! One random program: on the interpreter as it was written and frozen, as kernels on the emulator,
//! and what differs.

use super::{
    failing::{
        self, Said, at,
        interpreted::{interpret, requests, same},
    },
    shapes,
    splits::{self, Seen},
};
use crate::faults;
use melior::ir::Module;
use stencil_driver::{
    arguments, crash,
    emulated::Emulation,
    input::Input,
    levels,
    monitor::Silent,
    session::{self, Session},
};
use stencil_fuzz::Program;
use stencil_runtime::{ScalarType, bind::Requests, random};

/// Where a program fails. One that fails elsewhere shows another bug, so shrinking keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Panic,
    Compile,
    RunOriginal,
    RunFrozen,
    Emulate,
    OriginalAgainstFrozen,
    FrozenAgainstEmulated,
}

/// Of so many programs one is compiled without drawn plans, too.
const FUSED_ONE_OF: u64 = 3;

pub type Failure = failing::Failure<Stage>;

/// Runs a program in every way and compares.
pub fn check(program: &Program, seed: u64, splits: &Seen) -> Result<(), Failure> {
    check_text(&program.text(), program.scalar_arguments(), seed, splits)
}

/// The same, of a program that is given as text and what its scalar arguments are.
pub fn check_text(
    text: &str,
    scalars: Vec<(usize, String)>,
    seed: u64,
    splits: &Seen,
) -> Result<(), Failure> {
    let requests = requests(seed, scalars);
    let input = Input { name: format!("seed-{seed}.mlir"), text: text.to_owned() };
    crash::guard(|| Ok(compare(&input, &requests, splits))).map_err(at(Stage::Panic))?
}

fn compare(input: &Input, requests: &Requests, splits: &Seen) -> Result<(), Failure> {
    let context = session::new_context();
    // All of a program in the thread that was asked: others have programs of their own.
    context.enable_multi_threading(false);
    let target = crate::drawn_target(requests.seed);
    let plan = random_plan(requests.seed).parse().expect("the keys are known");
    let session = Session::new(&context, input, target).with_plan(plan);
    let said = Said::listen(&context);
    compare_in(&session, requests, splits).map_err(|failure| match said.error() {
        Some(error) => Failure { why: format!("{}: {error}", failure.why), ..failure },
        None => failure,
    })
}

fn compare_in(session: &Session, requests: &Requests, splits: &Seen) -> Result<(), Failure> {
    let compile = at(Stage::Compile);
    let original = session.parse().map_err(&compile)?;
    let frozen = faults::freeze(session, &original).map_err(&compile)?;
    // Applies with plans are kernels of their own: fusion is tested where there are none.
    if requests.seed.is_multiple_of(FUSED_ONE_OF) {
        run(session, (&original, &frozen), requests, splits)?;
    }
    let drawn = splits::draw(&frozen, requests.seed, splits);
    let shaped = shapes::draw(&frozen, requests.seed);
    run(session, (&original, &frozen), requests, splits).map_err(|failure| Failure {
        why: format!("{}; (apply, parts): {drawn:?}, (apply, plan): {shaped:?}", failure.why),
        ..failure
    })
}

/// Runs a program as it was written, where that has one answer, frozen, and as kernels.
fn run<'c>(
    session: &Session<'c>,
    (original, frozen): (&Module<'c>, &Module<'c>),
    requests: &Requests,
    seen: &Seen,
) -> Result<(), Failure> {
    let mapped = failing::map(session, frozen, requests.seed).map_err(at(Stage::Compile))?;
    seen.add_fused(&mapped);
    let emulation = Emulation::of_kernels(session, &mapped).map_err(at(Stage::Compile))?;
    if crate::emits(requests.seed) {
        levels::ptx(session, &mapped).map_err(at(Stage::Compile))?;
    }
    let expected = interpret(session, frozen, "main", requests).map_err(at(Stage::RunFrozen))?;
    if !original.as_operation().to_string().contains("fastmath") {
        let meant = interpret(session, original, "main", requests);
        let meant = meant.map_err(at(Stage::RunOriginal))?;
        same(Stage::OriginalAgainstFrozen, &meant, &expected.1)?;
    }
    let emulate = at(Stage::Emulate);
    let mut bound = arguments::bind(&expected.0, requests).map_err(&emulate)?;
    emulation.run("main", &mut bound, &Silent).map_err(&emulate)?;
    same(Stage::FrozenAgainstEmulated, &expected, &bound.values)
}

/// A plan for kernels of any rank; sometimes it leaves all to the compiler.
pub fn random_plan(seed: u64) -> String {
    let pick = |what: usize, choices: &[&str]| {
        let fraction =
            random::random_scalar(seed, PLAN_KEYS + what, ScalarType::F64).to_f64() - 0.5;
        choices[(fraction * choices.len() as f64) as usize].to_owned()
    };
    [
        pick(0, &["", "points=1,", "points=3,", "points=1x2,", "points=2x1x3,", "points=1x1x2,"]),
        pick(1, &["", "threads=64,", "threads=4x32,", "threads=3x5x7,", "threads=2x1x33,"]),
        pick(
            2,
            &[
                "",
                "alignment_offset=0,",
                "alignment_offset=1,",
                "alignment_offset=5,",
                "alignment_offset=31,",
                "alignment_offset=127,",
            ],
        ),
        pick(4, &["", "schedule=trees,", "schedule=interleave,", "schedule=both,"]),
        demoted(&pick),
        pick(3, &["", "max_registers=64", "max_registers=255"]),
    ]
    .concat()
}

/// Keys that let values of a thread live in shared memory, for two of three plans: a few, or all
/// that can.
fn demoted(pick: &impl Fn(usize, &[&str]) -> String) -> String {
    let registers = pick(5, &["", "", "demote=2,", "demote=8,", "demote=255,", "demote=255,"]);
    if registers.is_empty() {
        return registers;
    }
    let heuristic = pick(6, &["", "", "accesses", "weighted-accesses", "operand-conflicts"]);
    let keys = [
        ("heuristic", heuristic),
        ("layout", pick(7, &["", "interleaved-32", "thread-major"])),
        ("redundant", pick(8, &["", "kept"])),
        ("values", pick(9, &["", "2", "4"])),
        ("hoist", pick(10, &["", "0", "1", "64"])),
        ("remat", pick(11, &["", "", "none"])),
        ("schedule", pick(12, &["", "", "kept"])),
    ];
    let said = keys.into_iter().filter(|(_, word)| !word.is_empty());
    let said = said.map(|(key, word)| format!("demote_{key}={word},"));
    [registers, said.collect()].concat()
}

/// Positions of the random numbers that choose a plan: beyond those of any argument.
pub const PLAN_KEYS: usize = 1 << 20;
