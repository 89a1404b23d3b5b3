//! One case: its program on the interpreter, its sweeps on the emulator, and what differs.

use crate::{
    failing::{
        self,
        interpreted::{interpret, same},
        swept::{self, Case, Drawn},
    },
    faults,
};
use stencil_driver::emulated::Emulation;
use stencil_fuzz::Program;

pub use crate::failing::swept::{Fault as Failure, Outcome, Stage};

/// Runs a program, whose kernels have their plans, in both ways.
pub fn run(program: &Program, seed: u64) -> Result<Outcome, Failure> {
    run_text(&program.text(), program.scalar_arguments(), seed)
}

/// The same, of a program that is given as text and what its scalar arguments are.
pub fn run_text(text: &str, scalars: Vec<(usize, String)>, seed: u64) -> Result<Outcome, Failure> {
    let (text, plan) = (text.to_owned(), String::new());
    swept::run(&Drawn { text, scalars, plan, seed }, compare)
}

fn compare(case: &Case) -> Result<Outcome, Failure> {
    let session = case.session;
    let original = session.parse().map_err(case.at(Stage::Freeze))?;
    let frozen = faults::freeze(session, &original).map_err(case.at(Stage::Freeze))?;
    let made = failing::map(session, &frozen, case.requests.seed)
        .and_then(|mapped| Ok((Emulation::of_kernels(session, &mapped)?, mapped)));
    let (kernels, mapped) = match made {
        Ok(made) => made,
        // A pass that panics says so in a diagnostic.
        Err(error) => return case.refused(error, |why| why.starts_with("internal error")),
    };
    case.emit(&mapped)?;
    let expected = interpret(session, &frozen, "main", case.requests);
    let expected = expected.map_err(case.at(Stage::Interpret))?;
    // What both runs start from is compared too, where it has one meaning.
    if !original.as_operation().to_string().contains("fastmath") {
        let meant = interpret(session, &original, "main", case.requests);
        same(Stage::Frozen, &meant.map_err(case.at(Stage::Interpret))?, &expected.1)?;
    }
    case.emulate(kernels, &expected)
}
