//! Collects the diagnostics of one import, without duplicates.

use crate::diagnostic::{Diagnostic, Severity, Span};

/// The diagnostics so far.
#[derive(Debug, Default)]
pub struct Sink {
    found: Vec<Diagnostic>,
}

impl Sink {
    /// Adds a message unless it is a duplicate (a stencil may be called twice).
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let is_known =
            |old: &Diagnostic| old.span == diagnostic.span && old.message == diagnostic.message;
        if !self.found.iter().any(is_known) {
            self.found.push(diagnostic);
        }
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Adds notes to messages from this one on, by their texts.
    pub fn note_from(&mut self, first: usize, note: impl Fn(&str) -> Option<(Span, String)>) {
        for message in &mut self.found[first..] {
            if let Some((span, text)) = note(&message.message) {
                message.notes.push((Some(span), text));
            }
        }
    }

    /// Whether there will be no module.
    pub fn has_errors(&self) -> bool {
        self.found.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// All messages, in the order of the text.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|diagnostic| diagnostic.span);
        self.found
    }
}

/// The known name most similar to `name`, as a question.
pub fn did_you_mean<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    known
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.len().max(name.len()) / 2).min(3))
        .min()
        .map(|(_, candidate)| format!("did you mean '{candidate}'?"))
}
