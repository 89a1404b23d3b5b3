//! One case: its program on the interpreter, its sweeps on the emulator, and what differs.

use super::failing::{
    self, Said,
    interpreted::{interpret, requests, same},
};
use crate::faults;
use stencil_driver::{
    DriverError, arguments, crash,
    emulated::{Emulation, Watch},
    input::Input,
    monitor::Silent,
    session::{self, Session},
    target::{self, Target},
};
use stencil_emulator::Races;
use stencil_fuzz::Program;
use stencil_runtime::bind::Requests;

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

pub type Failure = failing::Failure<Stage>;

/// Runs a program, whose kernels have their plans, in both ways.
pub fn run(program: &Program, seed: u64) -> Result<Outcome, Failure> {
    run_text(&program.text(), program.scalar_arguments(), seed)
}

/// The same, of a program that is given as text and what its scalar arguments are.
pub fn run_text(text: &str, scalars: Vec<(usize, String)>, seed: u64) -> Result<Outcome, Failure> {
    let requests = requests(seed, scalars);
    let input = Input { name: format!("seed-{seed}.mlir"), text: text.to_owned() };
    let panicked = |error: DriverError| Failure { stage: Stage::Panic, why: error.to_string() };
    crash::guard(|| Ok(compare(&input, &requests))).map_err(panicked)?
}

fn compare(input: &Input, requests: &Requests) -> Result<Outcome, Failure> {
    let context = session::new_context();
    // All of a program in the thread that was asked: others have programs of their own.
    context.enable_multi_threading(false);
    let target = Target::new(target::DEFAULT, None);
    let target =
        target.map_err(|error| Failure { stage: Stage::Freeze, why: error.to_string() })?;
    let session = Session::new(&context, input, target);
    let said = Said::listen(&context);
    let at = |stage: Stage| {
        let said = said.clone();
        move |error: DriverError| Failure { stage, why: reason(&said, &error) }
    };
    let frozen = session.parse().and_then(|module| faults::freeze(&session, &module));
    let frozen = frozen.map_err(at(Stage::Freeze))?;
    let emulation = match faults::map(&session, &frozen)
        .and_then(|mapped| Emulation::of_kernels(&session, &mapped))
    {
        Ok(emulation) => emulation,
        Err(DriverError::Diagnosed) => {
            let why = reason(&said, &DriverError::Diagnosed);
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

    let expected = interpret(&session, &frozen, "main", requests).map_err(at(Stage::Interpret))?;
    let mut found = arguments::bind(&expected.0, requests).map_err(at(Stage::Emulate))?;
    emulation.run("main", &mut found, &Silent).map_err(at(Stage::Emulate))?;
    same(Stage::Compare, &expected, &found.values).map(|()| Outcome::Same)
}

/// Why something failed: what was reported, if anything was.
fn reason(said: &Said, error: &DriverError) -> String {
    match (error, said.error()) {
        (DriverError::Diagnosed, Some(kept)) => kept,
        (error, Some(kept)) => format!("{error}: {kept}"),
        (error, None) => error.to_string(),
    }
}
