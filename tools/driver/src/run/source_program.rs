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
use stencil_interpreter::Program;
use stencil_runtime::{bind::Requests, manifest::Argument};

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

    /// Binds what was asked for and runs; `known` are the symbols that the program reads by name.
    pub fn execute(
        &self,
        session: &Session,
        requests: &Requests,
        known: &[String],
        monitor: &dyn Monitor,
    ) -> Result<Bound, DriverError> {
        let mut bound = arguments::bind(&self.arguments, requests, known)?;
        self.run(session, &mut bound, monitor)?;
        Ok(bound)
    }

    /// Runs on values that are bound; fields among them change.
    pub fn run(
        &self,
        session: &Session,
        bound: &mut Bound,
        monitor: &dyn Monitor,
    ) -> Result<(), DriverError> {
        interpreted::run(session, &self.program, &self.arguments, bound, monitor)?;
        Ok(())
    }
}
