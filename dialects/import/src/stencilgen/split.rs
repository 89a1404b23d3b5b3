//! Explains messages that come from a text's being read as several programs.
//!
//! A file may hold several: a declaration after calls begins the next one. Who writes one that
//! belongs above has two, and messages about names of the other.

use super::{
    ast::{File, List, Program, Step},
    sink::Sink,
};
use crate::diagnostic::Span;

/// Adds a note to each message about a program, those of `sink` from `first` on, where it, or the
/// one after it, is only a part of one.
pub fn explain(file: &File, position: usize, first: usize, sink: &mut Sink) {
    let program = &file.programs[position];
    if let Some(above) = position.checked_sub(1).map(|above| &file.programs[above])
        && is_part(program)
    {
        let (end, word) = end(above);
        let note = format!(
            "the program above ends with this {word}: a declaration after calls begins another \
             program; move it before the calls"
        );
        sink.note_from(first, |_| Some((end, note.clone())));
    }
    let Some(below) = file.programs.get(position + 1).filter(|below| is_part(below)) else {
        return;
    };
    let parameters = below.parameters.iter().map(|one| &one.name);
    let declared = below.declarations.iter().map(|one| &one.name);
    let names = parameters.chain(&below.iterators).chain(declared).collect::<Vec<_>>();
    sink.note_from(first, |message| {
        let is_about = |name: &str| message.contains(&format!("'{name}'"));
        let name = names.iter().find(|name| is_about(&name.text))?;
        let note = format!(
            "'{}' is declared here, in another program: a declaration after calls begins one; \
             move it before the calls",
            name.text
        );
        Some((name.span, note))
    });
}

/// Whether a program cannot have been meant as one.
fn is_part(program: &Program) -> bool {
    program.steps.is_empty() || program.iterators.is_empty()
}

/// The last of what ends a program, and its name.
fn end(program: &Program) -> (Span, &'static str) {
    let outputs = program.listed.iter().filter(|listed| listed.list == List::CopyOut);
    let outputs = outputs.map(|listed| (listed.name.span, "copyout"));
    let steps = program.steps.iter().map(|step| match step {
        Step::Call(call) => (call.span, "call"),
        Step::Iterate(iterate) => (iterate.span, "loop"),
    });
    outputs.chain(steps).max().unwrap_or((program.span, "program"))
}
