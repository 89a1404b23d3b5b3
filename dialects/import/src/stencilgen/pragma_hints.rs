//! Collects the pragmas and placement hints of a stencil.

use super::{
    ast::{Clause, Count, Name, Placement, Stencil},
    program::{IteratorId, PragmaHints},
    sink::{Sink, did_you_mean},
};
use crate::diagnostic::{Diagnostic, Span};

/// Gathers the hints of a stencil. Later clauses win.
pub fn gather(stencil: &Stencil, iterators: &[String], sink: &mut Sink) -> PragmaHints {
    let mut hints = PragmaHints::default();
    for hint in &stencil.hints {
        let name = &hint.name;
        let formals = stencil.formals.iter().map(|formal| &formal.name.text);
        let locals = stencil.locals.iter().map(|local| &local.declaration.name.text);
        let known = formals.chain(locals).map(String::as_str).collect::<Vec<_>>();
        if !known.contains(&name.text.as_str()) {
            let message = format!("'{}' is not an array of this stencil", name.text);
            let warning = Diagnostic::warning(name.span, message);
            let hint = did_you_mean(&name.text, known);
            sink.push(warning.help(hint.unwrap_or_else(|| "the hint is ignored".to_owned())));
            continue;
        }
        let list = match hint.placement {
            Placement::Shared => &mut hints.shared,
            Placement::NotShared => &mut hints.not_shared,
            Placement::Global => &mut hints.global,
        };
        if !list.contains(&name.text) {
            list.push(name.text.clone());
        }
    }
    for clause in &stencil.clauses {
        add(&mut hints, clause, iterators, sink);
    }
    hints
}

fn add(hints: &mut PragmaHints, clause: &Clause, iterators: &[String], sink: &mut Sink) {
    match clause {
        Clause::Stream { axis } => hints.stream = iterator(axis, iterators, sink),
        Clause::Block { threads, span } => {
            for (position, (name, count)) in threads.iter().enumerate() {
                let axis = match name {
                    Some(name) => axis(name, iterators, sink),
                    None => nth_from_last(position, iterators, *span, sink),
                };
                if let (Some(axis), Some(count)) = (axis, positive(count, sink)) {
                    hints.threads.insert(axis, count);
                }
            }
        }
        Clause::Unroll { points, .. } => {
            for (name, count) in points {
                let axis = iterator(name, iterators, sink);
                if let (Some(axis), Some(count)) = (axis, positive(count, sink)) {
                    hints.points.insert(axis, count);
                }
            }
        }
        Clause::Shared { bytes } => hints.shared_bytes = positive(bytes, sink),
        Clause::Occupancy { part, span } => {
            if *part > 0.0 && *part <= 1.0 {
                hints.occupancy = Some(*part);
            } else {
                let message = format!("occupancy {part} is out of range");
                let help = "it must be above 0 and at most 1";
                sink.push(Diagnostic::error(*span, message).help(help));
            }
        }
    }
}

fn iterator(name: &Name, iterators: &[String], sink: &mut Sink) -> Option<IteratorId> {
    let found = iterators.iter().position(|iterator| *iterator == name.text);
    if found.is_none() {
        let message = format!("'{}' is not an iterator", name.text);
        let help = format!("iterators are {}", iterators.join(", "));
        sink.push(Diagnostic::error(name.span, message).help(help));
    }
    found
}

/// An axis by its name in CUDA, x the fastest, or by its iterator.
fn axis(name: &Name, iterators: &[String], sink: &mut Sink) -> Option<IteratorId> {
    if iterators.contains(&name.text) {
        return iterator(name, iterators, sink);
    }
    match ["x", "y", "z"].iter().position(|axis| *axis == name.text) {
        Some(position) => nth_from_last(position, iterators, name.span, sink),
        None => iterator(name, iterators, sink),
    }
}

fn nth_from_last(
    position: usize,
    iterators: &[String],
    span: Span,
    sink: &mut Sink,
) -> Option<IteratorId> {
    let found = iterators.len().checked_sub(position + 1);
    if found.is_none() {
        let message = format!("a block has at most {} axes here", iterators.len());
        sink.push(Diagnostic::error(span, message).help("one for each iterator, x first"));
    }
    found
}

fn positive(count: &Count, sink: &mut Sink) -> Option<i64> {
    let value = i64::try_from(count.value).ok().filter(|value| *value > 0);
    if value.is_none() {
        let message = format!("{} is out of range", count.value);
        sink.push(Diagnostic::error(count.span, message).help("write a positive number"));
    }
    value
}
