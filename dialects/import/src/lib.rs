//! Front ends: programs in other languages become verified modules of the `stencil` dialect, with
//! locations in the user's file.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod diagnostic;
mod language;
pub mod pragma;
pub mod respell;
pub mod stencilgen;

pub use language::Language;
pub use stencilgen::open::{OpenExtent, OpenProgram, OpenSize};

use diagnostic::{Diagnostic, Severity, Span};
use melior::{
    Context,
    ir::{Location, Module, operation::OperationLike},
};
use std::path::Path;
use stencil_dialects::diagnostics;
use stencilgen::open;

/// Import options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Values of parameters, `L=512`; they override the defaults in the file.
    pub definitions: Vec<(String, i64)>,
    /// Parameters whose definitions stand for any value, as the text has none: they have to be
    /// extents.
    pub open: Vec<String>,
    /// Declarations of the surroundings of pragma regions, as in a header comment of the file.
    pub declarations: Vec<String>,
    /// Whether sums and products keep the order and the operations of the text: otherwise
    /// operations carry fastmath `reassoc`, `contract`, `arcp` and `afn`.
    pub strict: bool,
    /// Whether a region whose reads leave an array is an error, instead of being clipped.
    pub strict_bounds: bool,
    /// Whether `//` removes the next statement, as in ARTEMIS, instead of the rest of the line.
    pub artemis_compat: bool,
}

/// Imports a text as a verified module; none after diagnostics at locations in `file`.
///
/// Functions are named after the stem of `file`.
pub fn import<'c>(
    context: &'c Context,
    language: Language,
    file: &str,
    text: &str,
    options: &Options,
) -> Option<Module<'c>> {
    // Nested expressions are handled recursively; their depth is limited to what this stack allows.
    stacker::grow(STACK_BYTES, || import_here(context, language, file, text, options))
}

/// The sizes that a text leaves open, program by program, and the place of each.
pub fn open_programs(
    language: Language,
    text: &str,
    options: &Options,
) -> Vec<(OpenProgram, Vec<(usize, usize)>)> {
    if language != Language::Stencilgen {
        return Vec::new();
    }
    let lines = Lines::of(text);
    let programs = stacker::grow(STACK_BYTES, || open::programs(text, options));
    let place = |program: OpenProgram| {
        let places = program.sizes.iter().map(|size| lines.place(size.span.start)).collect();
        (program, places)
    };
    programs.into_iter().map(place).collect()
}

/// What of a C file becomes calls of its regions' functions; none after diagnostics.
pub fn embeddings(
    context: &Context,
    file: &str,
    text: &str,
    options: &Options,
) -> Option<Vec<pragma::Embedding>> {
    stacker::grow(STACK_BYTES, || {
        let declared = pragma::with_declarations(text, &options.declarations);
        let source = pragma::Source { text: &declared, end: text.len(), is_cxx: is_cxx(file) };
        let (found, messages) = pragma::embeddings(source, options);
        let lines = Lines::of(text);
        let location = |span: Span| {
            let (line, column) = lines.place(span.start.min(text.len()));
            Location::new(context, file, line, column)
        };
        messages.iter().for_each(|message| emit(message, &location));
        messages.is_empty().then_some(found)
    })
}

const STACK_BYTES: usize = 256 << 20;

fn import_here<'c>(
    context: &'c Context,
    language: Language,
    file: &str,
    text: &str,
    options: &Options,
) -> Option<Module<'c>> {
    let declared = pragma::with_declarations(text, &options.declarations);
    let lines = Lines::of(text);
    let declared_lines = Lines::of(declared.get(text.len() + 1..).unwrap_or_default());
    let location = |span: Span| {
        let (name, (line, column)) = match span.start.checked_sub(text.len() + 1) {
            Some(at) => ("--declare", pragma::place_in_declaration(declared_lines.place(at))),
            None => (file, lines.place(span.start)),
        };
        Location::new(context, name, line, column)
    };
    let stem = stem(file);
    let (module, messages) = match language {
        Language::Stencilgen => stencilgen::import(context, &stem, text, options, &location),
        Language::Oec => respell::import(context, &respell::oec::SPELLING, file, text),
        Language::Xdsl => respell::import(context, &respell::xdsl::SPELLING, file, text),
        Language::Pragma => {
            let source = pragma::Source { text: &declared, end: text.len(), is_cxx: is_cxx(file) };
            pragma::import(context, source, options, &location)
        }
    };
    for message in &messages {
        emit(message, &location);
    }
    module.filter(|module| module.as_operation().verify())
}

/// Whether a file is one of C++ or CUDA, by its ending.
fn is_cxx(file: &str) -> bool {
    let ending = Path::new(whole(file)).extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| matches!(ending, "cu" | "cuh" | "cc" | "cpp" | "cxx" | "hpp"))
}

/// The name of the file that a part is of: MLIR calls it `within split at FILE:LINE offset `.
fn whole(file: &str) -> &str {
    let part = file.strip_prefix("within split at ");
    part.and_then(|part| part.rsplit_once(':')).map_or(file, |(file, _)| file)
}

/// The stem of a file name.
fn stem(file: &str) -> String {
    let stem = Path::new(whole(file)).file_stem().and_then(|stem| stem.to_str());
    stem.unwrap_or("stdin").trim_matches(['<', '>']).to_owned()
}

fn emit<'c>(message: &Diagnostic, location: &dyn Fn(Span) -> Location<'c>) {
    let here = location(message.span);
    let mut report = match message.severity {
        Severity::Error => diagnostics::error_at(here, &message.message),
        Severity::Warning => diagnostics::warning_at(here, &message.message),
        Severity::Remark => diagnostics::remark_at(here, &message.message),
    };
    for (span, note) in &message.notes {
        report = report.note_at(span.map_or(here, location), note);
    }
    report.emit();
}

/// The offsets of line starts.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self([0].into_iter().chain(ends.map(|(position, _)| position + 1)).collect())
    }

    /// The first byte of a line, counted from 0.
    fn start(&self, line: usize) -> Option<usize> {
        self.0.get(line).copied()
    }

    /// Line and column of a byte, both counted from 1.
    fn place(&self, byte: usize) -> (usize, usize) {
        let line = self.0.partition_point(|start| *start <= byte);
        (line, byte - self.0[line - 1] + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, stem};

    #[test]
    fn names_come_from_files_and_their_parts() {
        assert_eq!(stem("a/heat.idsl"), "heat");
        assert_eq!(stem("<stdin>"), "stdin");
        assert_eq!(stem("within split at a/heat.idsl:12 offset "), "heat");
    }

    #[test]
    fn places_count_from_one() {
        let lines = Lines::of("ab\n\nc");
        assert_eq!(lines.place(0), (1, 1));
        assert_eq!(lines.place(2), (1, 3));
        assert_eq!(lines.place(3), (2, 1));
        assert_eq!(lines.place(4), (3, 1));
    }
}
