//! One case: its program on the interpreter, its sweeps on the emulator, and what differs.

use crate::{
    failing::{
        interpreted::interpret,
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
    let frozen = session.parse().and_then(|module| faults::freeze(session, &module));
    let frozen = frozen.map_err(case.at(Stage::Freeze))?;
    let mapped = faults::map(session, &frozen);
    let kernels = match mapped.and_then(|mapped| Emulation::of_kernels(session, &mapped)) {
        Ok(kernels) => kernels,
        // A pass that panics says so in a diagnostic.
        Err(error) => return case.refused(error, |why| why.starts_with("internal error")),
    };
    let expected = interpret(session, &frozen, "main", case.requests);
    case.emulate(kernels, &expected.map_err(case.at(Stage::Interpret))?)
}
