//! Random programs under a plan: how a case ends, and what all of them are run with.

use super::{
    Failure, Said,
    interpreted::{Run, interpret, requests, same},
};
use melior::ir::Module;
use stencil_driver::{
    DriverError, arguments, crash,
    emulated::{Emulation, Watch},
    input::Input,
    levels,
    monitor::Silent,
    pipelines::{self, Kernels, LoweringOptions, PlanRequest, Step},
    session::{self, Session},
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
    Interpret,
    /// A pass by itself.
    Transform,
    /// The same once more.
    TransformAgain,
    Freeze,
    /// Frozen arithmetic against what was written.
    Frozen,
    /// After the pass that fuses statements.
    Sweeps,
    /// After that which makes planes of them.
    Planes,
    Emit,
    Emulate,
    Compare,
}

/// A failure of a case.
pub type Fault = Failure<Stage>;

/// A program with its session.
pub struct Case<'s, 'c> {
    /// The session.
    pub session: &'s Session<'c>,
    /// What was reported.
    said: Said,
    /// What the program is run with.
    pub requests: &'s Requests,
}

/// What is run.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The program.
    pub text: String,
    /// Its scalar arguments, by position.
    pub scalars: Vec<(usize, String)>,
    /// Keys of plans as the option has them, if those of the program are not all.
    pub plan: String,
    /// What decides fields and the order of threads.
    pub seed: u64,
}

/// What errors hold that are the compiler's: a pass that panics says so in a diagnostic, and what
/// it makes is verified.
const WRONG: [&str; 3] = ["internal error", "see current operation", "op needs at least"];

/// Whether a diagnostic is of an error of the compiler.
pub fn is_wrong(why: &str) -> bool {
    WRONG.iter().any(|words| why.contains(words))
}

/// Runs a program in a context of its own.
pub fn run<R>(
    drawn: &Drawn,
    compare: impl for<'s, 'c> FnOnce(&Case<'s, 'c>) -> Result<R, Fault>,
) -> Result<R, Fault> {
    let seed = drawn.seed;
    let requests = requests(seed, drawn.scalars.clone());
    let input = Input { name: format!("seed-{seed}.mlir"), text: drawn.text.clone() };
    let guarded = crash::guard(|| {
        let context = session::new_context();
        // All of a program in the thread that was asked: others have programs of their own.
        context.enable_multi_threading(false);
        let target = crate::drawn_target(seed);
        let plan = drawn.plan.parse::<PlanRequest>().expect("plans have the option's syntax");
        let session = Session::new(&context, &input, target).with_plan(plan);
        let said = Said::listen(&context);
        Ok(compare(&Case { session: &session, said, requests: &requests }))
    });
    guarded.map_err(super::at(Stage::Panic))?
}

impl Case<'_, '_> {
    /// A failure at a stage.
    pub fn at(&self, stage: Stage) -> impl Fn(DriverError) -> Fault + use<> {
        let said = self.said.clone();
        move |error| Failure { stage, why: reason(&said, &error) }
    }

    /// What it means that no kernels were made: a refusal, unless it was for another cause, or the
    /// reason is one of an error of the compiler.
    pub fn refused(
        &self,
        error: DriverError,
        is_wrong: impl Fn(&str) -> bool,
    ) -> Result<Outcome, Fault> {
        if !matches!(error, DriverError::Diagnosed) {
            return Err(self.at(Stage::Emit)(error));
        }
        let why = reason(&self.said, &error);
        match is_wrong(&why) {
            true => Err(Failure { stage: Stage::Panic, why }),
            false => Ok(Outcome::Refused(why)),
        }
    }

    /// Compiles the program, and compares its kernels with what it is with frozen arithmetic; and
    /// so what passes between the two make of it, each up to a stage.
    pub fn compare(&self, between: &[(Stage, &[Step])]) -> Result<Outcome, Fault> {
        let Case { session, requests, .. } = *self;
        let frozen = session.parse().and_then(|module| session.freeze(&module));
        let frozen = frozen.map_err(self.at(Stage::Freeze))?;
        let mapped = match super::map(session, &frozen, requests.seed) {
            Ok(mapped) => mapped,
            Err(error) => return self.refused(error, is_wrong),
        };
        let expected = interpret(session, &frozen, "main", requests);
        let expected = expected.map_err(self.at(Stage::Interpret))?;
        let options =
            LoweringOptions { kernels: Kernels::Planned, plan: &session.plan(), chip: "" };
        for (stage, steps) in between {
            let pipeline = pipelines::text(steps, session.target().name(), &options);
            let module = session.transform(&frozen, &pipeline).map_err(self.at(*stage))?;
            let found = interpret(session, &module, "main", requests);
            same(*stage, &expected, &found.map_err(self.at(*stage))?.1)?;
        }
        let kernels = Emulation::of_kernels(session, &mapped).map_err(self.at(Stage::Emit))?;
        self.emit(&mapped)?;
        self.emulate(kernels, &expected)
    }

    /// Makes PTX of the kernels of some programs.
    pub fn emit(&self, mapped: &Module) -> Result<(), Fault> {
        match crate::emits(self.requests.seed) {
            true => levels::ptx(self.session, mapped).map(|_| ()).map_err(self.at(Stage::Emit)),
            false => Ok(()),
        }
    }

    /// Runs the kernels, and compares with what the interpreter gave.
    pub fn emulate(&self, kernels: Emulation, expected: &Run) -> Result<Outcome, Fault> {
        let watch = Watch { races: Races::All, order_seed: Some(self.requests.seed) };
        let kernels = kernels.watched(watch);
        let bound = arguments::bind(&expected.0, self.requests);
        let mut found = bound.map_err(self.at(Stage::Emulate))?;
        kernels.run("main", &mut found, &Silent).map_err(self.at(Stage::Emulate))?;
        same(Stage::Compare, expected, &found.values).map(|()| Outcome::Same)
    }
}

/// Why something failed: what was reported, if anything was.
fn reason(said: &Said, error: &DriverError) -> String {
    match (error, said.error()) {
        (DriverError::Diagnosed, Some(kept)) => kept,
        (error, Some(kept)) => format!("{error}: {kept}"),
        (error, None) => error.to_string(),
    }
}
