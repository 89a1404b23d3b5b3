//! One case: its program on the interpreter, its sweeps on the emulator, and what differs.

use melior::diagnostic::DiagnosticSeverity;
use std::sync::{Arc, Mutex, PoisonError};
use stencil_driver::{
    DriverError,
    arguments::{self, Bound},
    crash,
    emulated::{Emulation, Watch},
    input::Input,
    interpreted,
    monitor::Silent,
    session::{self, Session},
    target::{self, Target},
    verify,
};
use stencil_emulator::Races;
use stencil_fuzz::Program;
use stencil_runtime::{
    bind::{Assignment, Requests, Value},
    manifest::Argument,
};

/// How a case ended that did not fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Both runs gave the same bits, and nothing raced.
    Same,
    /// The plan cannot be honoured for this program, for the reason.
    Refused(String),
}

/// Where a case fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Panic,
    Freeze,
    Interpret,
    Emit,
    Emulate,
    Compare,
}

pub type Failure = super::failing::Failure<Stage>;

/// The arguments of a run.
pub fn requests(program: &Program, seed: u64) -> Requests {
    let assign = |(position, value): (usize, String)| {
        let key = position.to_string();
        Assignment { key, value }
    };
    let arguments = program.scalar_arguments().into_iter().map(assign).collect();
    Requests { arguments, seed, ..Requests::default() }
}

/// Runs a program, whose kernels have their plans, in both ways.
pub fn run(program: &Program, seed: u64) -> Result<Outcome, Failure> {
    let requests = requests(program, seed);
    let input = Input { name: format!("seed-{seed}.mlir"), text: program.text() };
    let panicked = |error: DriverError| Failure { stage: Stage::Panic, why: error.to_string() };
    crash::guard(|| Ok(compare(&input, &requests))).map_err(panicked)?
}

fn compare(input: &Input, requests: &Requests) -> Result<Outcome, Failure> {
    let context = session::new_context();
    let target = Target::new(target::DEFAULT, None);
    let target =
        target.map_err(|error| Failure { stage: Stage::Freeze, why: error.to_string() })?;
    let session = Session::new(&context, input, target);
    let said = Said::listen(&context);
    let at = |stage: Stage| {
        let said = said.clone();
        move |error: DriverError| Failure { stage, why: said.reason(&error) }
    };
    let frozen = session.parse().and_then(|module| session.freeze(&module));
    let frozen = frozen.map_err(at(Stage::Freeze))?;
    let emulation = match Emulation::compile(&session, &frozen) {
        Ok(emulation) => emulation,
        Err(DriverError::Diagnosed) => {
            let why = said.reason(&DriverError::Diagnosed);
            // A pass that panics says so in a diagnostic.
            return match why.starts_with("internal error") {
                true => Err(Failure { stage: Stage::Panic, why }),
                false => Ok(Outcome::Refused(why)),
            };
        }
        Err(error) => return Err(at(Stage::Emit)(error)),
    };
    let watch = Watch { races: Races::All, order_seed: Some(requests.seed) };
    let emulation = emulation.watched(watch);

    let program = session.decode(&frozen, "main").map_err(at(Stage::Interpret))?;
    let arguments = arguments::arguments(&program, &frozen).map_err(at(Stage::Interpret))?;
    let mut expected: Bound =
        arguments::bind(&arguments, requests, &[]).map_err(at(Stage::Interpret))?;
    interpreted::run(&session, &program, &arguments, &mut expected, &Silent)
        .map_err(at(Stage::Interpret))?;
    let mut found = arguments::bind(&arguments, requests, &[]).map_err(at(Stage::Emulate))?;
    emulation.run("main", &mut found, &Silent).map_err(at(Stage::Emulate))?;
    same(&arguments, &expected.values, &found.values)
}

fn same(arguments: &[Argument], expected: &[Value], found: &[Value]) -> Result<Outcome, Failure> {
    let comparison = verify::compare(arguments, expected, found);
    match comparison.is_identical() {
        true => Ok(Outcome::Same),
        false => Err(Failure { stage: Stage::Compare, why: verify::text(&comparison) }),
    }
}

/// The first error that a context reported.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<Option<String>>>);

impl Said {
    /// Keeps errors from the terminal.
    fn listen(context: &melior::Context) -> Said {
        let said = Said::default();
        let keep = said.clone();
        context.attach_diagnostic_handler(move |diagnostic| {
            if matches!(diagnostic.severity(), DiagnosticSeverity::Error) {
                let mut kept = keep.0.lock().unwrap_or_else(PoisonError::into_inner);
                kept.get_or_insert_with(|| diagnostic.to_string());
            }
            true
        });
        said
    }

    fn reason(&self, error: &DriverError) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match (error, kept) {
            (DriverError::Diagnosed, Some(kept)) => kept,
            (error, Some(kept)) => format!("{error}: {kept}"),
            (error, None) => error.to_string(),
        }
    }
}
