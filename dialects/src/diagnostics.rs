//! Diagnostics at ops: an error, and notes with the reason or the remedy.

use crate::ffi;
use melior::ir::{Location, operation::OperationLike};
use std::ffi::c_int;

/// A diagnostic under construction; nothing is shown before `emit`.
#[must_use = "a diagnostic says nothing until it is emitted"]
pub struct Report<'c> {
    severity: c_int,
    location: Location<'c>,
    message: String,
    notes: Vec<(Location<'c>, String)>,
}

/// An error at an op, prefixed with the op's name as MLIR's own verifiers do.
pub fn error<'c: 'a, 'a>(
    operation: &impl OperationLike<'c, 'a>,
    message: impl AsRef<str>,
) -> Report<'c> {
    Report {
        severity: 0,
        location: operation.location(),
        message: named(operation, message.as_ref()),
        notes: Vec::new(),
    }
}

/// An error at a location.
pub fn error_at<'c>(location: Location<'c>, message: impl Into<String>) -> Report<'c> {
    Report { severity: 0, location, message: message.into(), notes: Vec::new() }
}

/// A warning at a location.
pub fn warning_at<'c>(location: Location<'c>, message: impl Into<String>) -> Report<'c> {
    Report { severity: 1, ..error_at(location, message) }
}

/// A remark at a location: what was understood, where that may not be what was meant.
pub fn remark_at<'c>(location: Location<'c>, message: impl Into<String>) -> Report<'c> {
    Report { severity: 3, ..error_at(location, message) }
}

impl<'c> Report<'c> {
    /// Adds a note at a location.
    pub fn note_at(mut self, location: Location<'c>, message: impl Into<String>) -> Self {
        self.notes.push((location, message.into()));
        self
    }

    /// Adds a note at an op.
    pub fn note<'a>(
        mut self,
        operation: &impl OperationLike<'c, 'a>,
        message: impl Into<String>,
    ) -> Self
    where
        'c: 'a,
    {
        self.notes.push((operation.location(), message.into()));
        self
    }

    /// Adds a note at the diagnostic's own location.
    pub fn help(mut self, message: impl Into<String>) -> Self {
        self.notes.push((self.location, message.into()));
        self
    }

    /// Emits it through MLIR's diagnostic engine.
    pub fn emit(self) {
        let notes = self
            .notes
            .iter()
            .map(|(location, message)| ffi::RawNote {
                location: location.to_raw(),
                message: ffi::string_ref(message),
            })
            .collect::<Vec<_>>();
        // SAFETY: locations belong to a live context; the texts live until the call returns.
        unsafe {
            ffi::stencilEmitDiagnostic(
                self.location.to_raw(),
                self.severity,
                ffi::string_ref(&self.message),
                notes.len() as isize,
                notes.as_ptr(),
            );
        }
    }
}

fn named<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>, message: &str) -> String {
    let name = operation.name();
    format!("'{}' op {message}", name.as_string_ref().as_str().unwrap_or("?"))
}

/// The kind of an optimization remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// The transform was applied.
    Passed,
    /// The transform was not applied.
    Missed,
    /// An analysis result.
    Analysis,
}

/// Emits an optimization remark of pass `category` at an op of `function`.
pub fn remark<'c: 'a, 'a>(
    kind: RemarkKind,
    operation: &impl OperationLike<'c, 'a>,
    category: &str,
    function: &str,
    message: &str,
) {
    // SAFETY: the location belongs to a live context; the texts live until the call returns.
    unsafe {
        ffi::stencilEmitRemark(
            kind as c_int,
            operation.location().to_raw(),
            ffi::string_ref(category),
            ffi::string_ref(function),
            ffi::string_ref(message),
        );
    }
}

/// A location as `file:line:column`, or as MLIR prints it where it is of another kind.
pub fn place(location: Location) -> String {
    let text = location.to_string();
    let inner = text.strip_prefix("loc(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(&text);
    inner.replace('"', "")
}
