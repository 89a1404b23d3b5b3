//! One case: its program on the interpreter, before and after the passes, and as kernels on the
//! emulator.

use super::program::Program;
use crate::failing::{
    interpreted::{interpret, same},
    swept::{self, Drawn},
};
use stencil_driver::pipelines;

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
    let between = [(Stage::Sweeps, pipelines::to_sweeps())];
    let is_thorough = drawn.seed.is_multiple_of(4);
    swept::run(drawn, |case| case.compare(if is_thorough { &between } else { &[] }))
}
