//! One case: its program on the interpreter, before and after the passes, and as kernels on the
//! emulator.

use super::program::Program;
use crate::failing::{
    self, Said,
    interpreted::{interpret, requests, same},
};
use melior::ir::Module;
use stencil_driver::{
    DriverError, arguments, crash,
    emulated::{Emulation, Watch},
    input::Input,
    monitor::Silent,
    pipelines::{self, Kernels, LoweringOptions, PlanRequest},
    session::{self, Session},
    target::{self, Target},
};
use stencil_emulator::Races;
use stencil_runtime::bind::Requests;

/// What a plan made of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All runs gave the same bits, and nothing raced.
    Same,
    /// The plan cannot be honoured for this program, for the reason.
    Refused(String),
}

/// What the passes made of a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changes {
    /// No iteration but the first and last ones fills ghost cells.
    pub is_folded: bool,
    /// A statement computes what overwrites its points.
    pub is_merged: bool,
}

/// Where a case fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Panic,
    Interpret,
    /// The passes by themselves.
    Fold,
    /// The passes once more.
    FoldAgain,
    Freeze,
    /// What the plan made of the program, before it is planes.
    Sweeps,
    Emit,
    Emulate,
    Compare,
}

pub type Failure = failing::Failure<Stage>;

/// The passes in question, with what they require.
const FOLD: &str = "builtin.module(func.func(stencil-infer-bounds,stencil-unify-applies,\
                    stencil-lower-combines,stencil-merge-stores,stencil-fold-ghost-cells,\
                    stencil-infer-bounds))";

/// What the passes make of a program computes what it computes.
pub fn fold(program: &Program, seed: u64) -> Result<Changes, Failure> {
    guarded(program, seed, "", |session, requests, said| {
        let at = |stage| said.at(stage);
        let module = session.parse().map_err(at(Stage::Interpret))?;
        let expected =
            interpret(session, &module, "main", requests).map_err(at(Stage::Interpret))?;
        let folded = session.transform(&module, FOLD).map_err(at(Stage::Fold))?;
        let found = interpret(session, &folded, "main", requests).map_err(at(Stage::Fold))?;
        same(Stage::Fold, &expected, &found.1)?;
        let text = folded.as_operation().to_string();
        if seed.is_multiple_of(4) {
            let again = session.transform(&folded, FOLD).map_err(at(Stage::FoldAgain))?;
            let found = interpret(session, &again, "main", requests);
            let found = found.map_err(at(Stage::FoldAgain))?;
            same(Stage::FoldAgain, &expected, &found.1)?;
        }
        let is_folded = text.contains("stencil.continued");
        Ok(Changes { is_folded, is_merged: text.contains("stencil.includes") })
    })
}

/// Compiles a program with a plan, and runs its kernels.
pub fn compile(program: &Program, seed: u64, plan: &str) -> Result<Outcome, Failure> {
    guarded(program, seed, plan, |session, requests, said| {
        let at = |stage| said.at(stage);
        let frozen = session.parse().and_then(|module| session.freeze(&module));
        let frozen = frozen.map_err(at(Stage::Freeze))?;
        let mapped = match session.map(&frozen, Kernels::Checked) {
            Ok(mapped) => mapped,
            Err(DriverError::Diagnosed) => {
                let why = said.reason(&DriverError::Diagnosed);
                // A pass that panics says so in a diagnostic, and what it makes is verified.
                let wrong = ["internal error", "see current operation", "op needs at least"];
                return match wrong.iter().any(|words| why.contains(words)) {
                    true => Err(Failure { stage: Stage::Panic, why }),
                    false => Ok(Outcome::Refused(why)),
                };
            }
            Err(error) => return Err(at(Stage::Emit)(error)),
        };
        let expected =
            interpret(session, &frozen, "main", requests).map_err(at(Stage::Interpret))?;
        if seed.is_multiple_of(4) {
            let found = sweeps(session, &frozen).map_err(at(Stage::Sweeps))?;
            let found = interpret(session, &found, "main", requests).map_err(at(Stage::Sweeps))?;
            same(Stage::Sweeps, &expected, &found.1)?;
        }
        let emulation = Emulation::of_kernels(session, &mapped).map_err(at(Stage::Emit))?;
        let watch = Watch { races: Races::All, order_seed: Some(requests.seed) };
        let emulation = emulation.watched(watch);
        let mut found = arguments::bind(&expected.0, requests).map_err(at(Stage::Emulate))?;
        emulation.run("main", &mut found, &Silent).map_err(at(Stage::Emulate))?;
        same(Stage::Compare, &expected, &found.values).map(|()| Outcome::Same)
    })
}

/// The program with all that was decided about its sweeps.
fn sweeps<'c>(session: &Session<'c>, frozen: &Module<'c>) -> Result<Module<'c>, DriverError> {
    let options = LoweringOptions { kernels: Kernels::Planned, plan: &session.plan() };
    session.transform(frozen, &pipelines::text(pipelines::to_sweeps(), target::DEFAULT, &options))
}

/// What a context reported, for failures.
struct Reports(Said);

impl Reports {
    fn at(&self, stage: Stage) -> impl Fn(DriverError) -> Failure + '_ {
        move |error| Failure { stage, why: self.reason(&error) }
    }

    /// Why something failed: what was reported, if anything was.
    fn reason(&self, error: &DriverError) -> String {
        match (error, self.0.error()) {
            (DriverError::Diagnosed, Some(kept)) => kept,
            (error, Some(kept)) => format!("{error}: {kept}"),
            (error, None) => error.to_string(),
        }
    }
}

/// Does something with a program in a session; a panic is a failure.
fn guarded<R>(
    program: &Program,
    seed: u64,
    plan: &str,
    work: impl Fn(&Session, &Requests, &Reports) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let requests = requests(seed, program.scalars());
    let input = Input { name: format!("seed-{seed}.mlir"), text: program.text() };
    let panicked = |error: DriverError| Failure { stage: Stage::Panic, why: error.to_string() };
    let run = || {
        let context = session::new_context();
        // All of a program in the thread that was asked: others have programs of their own.
        context.enable_multi_threading(false);
        let target = Target::new(target::DEFAULT, None)?;
        let request = plan.parse::<PlanRequest>().expect("plans have the option's syntax");
        let session = Session::new(&context, &input, target).with_plan(request);
        let said = Reports(Said::listen(&context));
        Ok(work(&session, &requests, &said))
    };
    crash::guard(run).map_err(panicked)?
}
