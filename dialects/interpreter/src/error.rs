//! Errors: the op, the cause, and the remedy.

use std::fmt;
use thiserror::Error;

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The program is wrong: it reads outside a temp, divides by zero, uses an unbound symbol.
    Program,
    /// The interpreter does not support such programs.
    Unsupported,
    /// The arguments or options do not fit the program.
    Arguments,
}

/// An error at an op.
///
/// `location` is the op's place in the user's text, as `file:line:column`, so that a caller can
/// make a diagnostic of it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct InterpreterError {
    /// Whose fault it is.
    pub kind: ErrorKind,
    /// `file:line:column` of the op.
    pub location: String,
    /// The op's name, as `stencil.access`.
    pub op: String,
    /// What is wrong, to be read after the op's name.
    pub message: String,
    /// The remedy, where one is known.
    pub remedy: Option<String>,
}

impl fmt::Display for InterpreterError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: '{}' op {}", self.location, self.op, self.message)?;
        match &self.remedy {
            Some(remedy) => write!(formatter, "; {remedy}"),
            None => Ok(()),
        }
    }
}

/// An op of the program, as errors name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// `file:line:column`.
    pub location: String,
    /// Name of the op.
    pub op: String,
}

impl Site {
    /// An error at this op.
    pub fn error(&self, kind: ErrorKind, message: impl Into<String>) -> InterpreterError {
        InterpreterError {
            kind,
            location: self.location.clone(),
            op: self.op.clone(),
            message: message.into(),
            remedy: None,
        }
    }
}

impl InterpreterError {
    /// The same error with a remedy.
    pub(crate) fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

/// Number of an op in a program's list of sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SiteId(pub u32);

/// A run-time error, before the op's number is replaced by its location. Boxed in results, because
/// it is large and rare.
#[derive(Debug)]
pub(crate) struct Failure {
    pub site: SiteId,
    pub message: String,
    pub remedy: Option<String>,
}

impl Failure {
    pub fn new(site: SiteId, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { site, message: message.into(), remedy: None })
    }

    /// The same with a remedy.
    pub fn with_remedy(mut self: Box<Self>, remedy: impl Into<String>) -> Box<Self> {
        self.remedy = Some(remedy.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_place_op_message_and_remedy() {
        let site = Site { location: "a.mlir:3:5".to_owned(), op: "arith.divsi".to_owned() };
        let error = site.error(ErrorKind::Program, "divides by zero");
        assert_eq!(error.to_string(), "a.mlir:3:5: 'arith.divsi' op divides by zero");
        let error = error.with_remedy("guard it");
        assert_eq!(error.to_string(), "a.mlir:3:5: 'arith.divsi' op divides by zero; guard it");
    }
}
