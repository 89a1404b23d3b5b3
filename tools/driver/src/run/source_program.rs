//! A function as its program gives it, on the interpreter.
//!
//! Comparisons of programs run them without the compiler's own pipeline, so that nothing but what
//! is to be compared makes a difference.

use crate::{
    DriverError,
    arguments::{self, Bound},
    interpreted,
    monitor::Monitor,
    session::Session,
};
use melior::ir::Module;
use stencil_interpreter::{ArgumentValue, Program};
use stencil_runtime::{
    bind::{self, Requests},
    manifest::Argument,
};

/// A function and what it takes.
pub struct SourceProgram {
    program: Program,
    /// What it takes.
    pub arguments: Vec<Argument>,
}

impl SourceProgram {
    /// A function of a module.
    pub fn new(session: &Session, module: &Module, function: &str) -> Result<Self, DriverError> {
        let program = session.decode(module, function)?;
        let arguments = arguments::arguments(&program, module)?;
        Ok(SourceProgram { program, arguments })
    }

    /// Says which symbols were given and not used; `known` are those that are read by name.
    pub fn note_unused_symbols(
        &self,
        requests: &Requests,
        known: &[String],
        monitor: &dyn Monitor,
    ) {
        let notes = bind::unused_symbols(&self.arguments, requests, known);
        notes.iter().for_each(|note| monitor.note(note));
    }

    /// Runs on values that are bound, of which fields change; gives what the function returns.
    pub fn run(
        &self,
        session: &Session,
        bound: &mut Bound,
        monitor: &dyn Monitor,
    ) -> Result<Vec<ArgumentValue>, DriverError> {
        let done = interpreted::run(session, &self.program, &self.arguments, bound, monitor)?;
        Ok(done.outcome.results)
    }
}
