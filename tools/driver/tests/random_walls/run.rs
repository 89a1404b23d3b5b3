//! One case: its program on the interpreter, before and after the passes, and as kernels on the
//! emulator.

use super::program::Program;
use crate::{
    failing::{
        interpreted::{interpret, same},
        swept::{self, Case, Drawn},
    },
    faults,
};
use melior::ir::Module;
use stencil_driver::{
    DriverError,
    emulated::Emulation,
    pipelines::{self, Kernels, LoweringOptions},
    session::Session,
    target,
};

pub use crate::failing::swept::{Fault as Failure, Outcome, Stage};

/// What the passes made of a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changes {
    /// No iteration but the first and last ones fills ghost cells.
    pub is_folded: bool,
    /// A statement computes what overwrites its points.
    pub is_merged: bool,
}

/// The passes in question, with what they require.
const FOLD: &str = "builtin.module(func.func(stencil-infer-bounds,stencil-unify-applies,\
                    stencil-lower-combines,stencil-merge-stores,stencil-fold-ghost-cells,\
                    stencil-infer-bounds))";

/// A program with a plan, and what belongs to a seed.
pub fn drawn(program: &Program, seed: u64, plan: &str) -> Drawn {
    let plan = plan.to_owned();
    Drawn { text: program.text(), scalars: program.scalars(), plan, seed }
}

/// What the passes make of a program computes what it computes.
pub fn fold(program: &Program, seed: u64) -> Result<Changes, Failure> {
    swept::run(&drawn(program, seed, ""), |case| {
        let (session, requests) = (case.session, case.requests);
        let module = session.parse().map_err(case.at(Stage::Interpret))?;
        let expected =
            interpret(session, &module, "main", requests).map_err(case.at(Stage::Interpret))?;
        let folded = session.transform(&module, FOLD).map_err(case.at(Stage::Transform))?;
        let found = interpret(session, &folded, "main", requests);
        same(Stage::Transform, &expected, &found.map_err(case.at(Stage::Transform))?.1)?;
        let text = folded.as_operation().to_string();
        if seed.is_multiple_of(4) {
            let again = session.transform(&folded, FOLD).map_err(case.at(Stage::TransformAgain))?;
            let found = interpret(session, &again, "main", requests);
            let found = found.map_err(case.at(Stage::TransformAgain))?;
            same(Stage::TransformAgain, &expected, &found.1)?;
        }
        let is_folded = text.contains("stencil.continued");
        Ok(Changes { is_folded, is_merged: text.contains("stencil.includes") })
    })
}

/// Compiles a program with its plan, and runs its kernels.
pub fn compile(drawn: &Drawn) -> Result<Outcome, Failure> {
    swept::run(drawn, |case| compare(case, drawn.seed.is_multiple_of(4)))
}

fn compare(case: &Case, is_thorough: bool) -> Result<Outcome, Failure> {
    let (session, requests) = (case.session, case.requests);
    let frozen = session.parse().and_then(|module| session.freeze(&module));
    let frozen = frozen.map_err(case.at(Stage::Freeze))?;
    let mapped = match faults::map(session, &frozen) {
        Ok(mapped) => mapped,
        Err(error) => return case.refused(error, swept::is_wrong),
    };
    let expected = interpret(session, &frozen, "main", requests);
    let expected = expected.map_err(case.at(Stage::Interpret))?;
    if is_thorough {
        let found = sweeps(session, &frozen).map_err(case.at(Stage::Sweeps))?;
        let found = interpret(session, &found, "main", requests).map_err(case.at(Stage::Sweeps))?;
        same(Stage::Sweeps, &expected, &found.1)?;
    }
    let kernels = Emulation::of_kernels(session, &mapped).map_err(case.at(Stage::Emit))?;
    case.emulate(kernels, &expected)
}

/// The program with all that was decided about its sweeps.
fn sweeps<'c>(session: &Session<'c>, frozen: &Module<'c>) -> Result<Module<'c>, DriverError> {
    let options = LoweringOptions { kernels: Kernels::Planned, plan: &session.plan() };
    session.transform(frozen, &pipelines::text(pipelines::to_sweeps(), target::DEFAULT, &options))
}
