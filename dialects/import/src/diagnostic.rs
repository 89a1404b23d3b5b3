//! Diagnostics of a front end: location, message, reason and remedy.

/// A range of bytes of the text, end excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The bytes from `start` to before `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }
}

impl From<std::ops::Range<usize>> for Span {
    fn from(range: std::ops::Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// No module is made.
    Error,
    /// A module is made, but perhaps not the intended one.
    Warning,
    /// A module is made; this is what the text was understood to mean.
    Remark,
}

/// One message about a text, with its notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its severity.
    pub severity: Severity,
    /// Its location.
    pub span: Span,
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// Reasons and remedies; those without a span use the message's.
    pub notes: Vec<(Option<Span>, String)>,
}

impl Diagnostic {
    /// An error.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, span, message: message.into(), notes: Vec::new() }
    }

    /// A warning.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message) }
    }

    /// A remark.
    pub fn remark(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Remark, ..Self::error(span, message) }
    }

    /// Adds a note at the message's location: the reason, or the remedy.
    pub fn help(mut self, message: impl Into<String>) -> Self {
        self.notes.push((None, message.into()));
        self
    }

    /// Adds a note at another location.
    pub fn note(mut self, span: Span, message: impl Into<String>) -> Self {
        self.notes.push((Some(span), message.into()));
        self
    }
}
