//! One case: its program on the interpreter, with its plan on interpreter and emulator, and what
//! differs.

use crate::failing::{
    self, Said,
    interpreted::{interpret, requests, same},
};
use stencil_driver::{
    DriverError, arguments, crash,
    emulated::{Emulation, Watch},
    input::Input,
    monitor::Silent,
    pipelines::{self, Kernels, LoweringOptions},
    session::{self, Session},
    target::{self, Target},
};
use stencil_emulator::Races;
use stencil_runtime::bind::Requests;

/// How a case ended that did not fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All runs gave the same bits, and nothing raced.
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
    /// After the pass that fuses statements.
    Sweeps,
    /// After that which makes planes of them.
    Planes,
    Emit,
    Emulate,
    Compare,
}

pub type Failure = failing::Failure<Stage>;

/// The pass after which sweeps are planes.
const TO_PLANES: &str = "convert-sweep-to-planes";

/// Runs a program whose loop has a plan; with `is_thorough` also after the passes between.
pub fn run(
    text: &str,
    scalars: Vec<(usize, String)>,
    seed: u64,
    is_thorough: bool,
) -> Result<Outcome, Failure> {
    let requests = requests(seed, scalars);
    let input = Input { name: format!("seed-{seed}.mlir"), text: text.to_owned() };
    let panicked = |error: DriverError| Failure { stage: Stage::Panic, why: error.to_string() };
    crash::guard(|| Ok(compare(&input, &requests, is_thorough))).map_err(panicked)?
}

fn compare(input: &Input, requests: &Requests, is_thorough: bool) -> Result<Outcome, Failure> {
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
    let frozen = session.parse().and_then(|module| session.freeze(&module));
    let frozen = frozen.map_err(at(Stage::Freeze))?;
    let mapped = match session.map(&frozen, Kernels::Checked) {
        Ok(mapped) => mapped,
        Err(DriverError::Diagnosed) => {
            let why = reason(&said, &DriverError::Diagnosed);
            // A pass that panics says so in a diagnostic, and what it makes is verified.
            let is_wrong = ["internal error", "see current operation", "op needs at least"];
            return match is_wrong.iter().any(|words| why.contains(words)) {
                true => Err(Failure { stage: Stage::Panic, why }),
                false => Ok(Outcome::Refused(why)),
            };
        }
        Err(error) => return Err(at(Stage::Emit)(error)),
    };
    let expected = interpret(&session, &frozen, "main", requests).map_err(at(Stage::Interpret))?;
    let options = LoweringOptions { kernels: Kernels::Planned, plan: &session.plan() };
    let planes = pipelines::MAP.iter().position(|step| step.passes.contains(TO_PLANES));
    let planes = planes.expect("sweeps become planes");
    let between =
        [(Stage::Sweeps, pipelines::to_sweeps()), (Stage::Planes, &pipelines::MAP[..=planes])];
    for (stage, steps) in between.into_iter().filter(|_| is_thorough) {
        let pipeline = pipelines::text(steps, target::DEFAULT, &options);
        let module = session.transform(&frozen, &pipeline).map_err(at(stage))?;
        let (_, found) = interpret(&session, &module, "main", requests).map_err(at(stage))?;
        same(stage, &expected, &found)?;
    }
    let emulation = Emulation::of_kernels(&session, &mapped).map_err(at(Stage::Emit))?;
    let watch = Watch { races: Races::All, order_seed: Some(requests.seed) };
    let emulation = emulation.watched(watch);
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
