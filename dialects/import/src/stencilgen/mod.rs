//! The language of STENCILGEN and ARTEMIS, files `.idsl` and `.dsl`.
//!
//! `syntax` makes the tree, `elaborate` checks names and types and forms stages, `lower` generates
//! MLIR. Only the last depends on MLIR.

pub mod ast;
mod body;
mod components;
mod early;
mod elaborate;
mod export;
pub(crate) mod functions;
mod index;
mod lower;
pub mod open;
mod pragma_hints;
mod program;
mod regions;
mod roll;
mod scope;
pub(crate) mod sink;
mod slips;
mod split;
mod swapped;
mod symbols;
pub mod syntax;
mod values;

pub use export::{export, is_direct};

use crate::{
    Options,
    diagnostic::{Diagnostic, Span},
};
use melior::{
    Context,
    ir::{BlockLike, Location, Module},
};
use sink::{Sink, did_you_mean};
use std::collections::BTreeMap;

/// Checks a text and lowers it to a module; none after errors.
pub fn import<'c>(
    context: &'c Context,
    stem: &str,
    text: &str,
    options: &Options,
    location: &dyn Fn(Span) -> Location<'c>,
) -> (Option<Module<'c>>, Vec<Diagnostic>) {
    let parsed = syntax::parse(text, options.artemis_compat);
    let mut sink = Sink::default();
    parsed.diagnostics.into_iter().for_each(|diagnostic| sink.push(diagnostic));
    if sink.has_errors() {
        return (None, sink.into_sorted());
    }
    let definitions = options.definitions.iter().cloned().collect::<BTreeMap<_, _>>();
    check_definitions(&parsed.file, &definitions, &mut sink);
    if parsed.file.programs.is_empty() {
        let error = Diagnostic::error(Span::default(), "there is no program in this file");
        sink.push(error.help("it begins with 'parameter' or 'iterator'"));
    }
    let count = parsed.file.programs.len();
    let names = (0..count).map(|position| function_name(stem, position)).collect::<Vec<_>>();
    lower(context, &parsed.file, &names, options, sink.into_sorted(), location)
}

/// Lowers the programs of a file to functions of these names; none after errors, those that are
/// known among them.
pub(crate) fn lower<'c>(
    context: &'c Context,
    file: &ast::File,
    names: &[String],
    options: &Options,
    known: Vec<Diagnostic>,
    location: &dyn Fn(Span) -> Location<'c>,
) -> (Option<Module<'c>>, Vec<Diagnostic>) {
    let mut sink = Sink::default();
    known.into_iter().for_each(|diagnostic| sink.push(diagnostic));
    let definitions = options.definitions.iter().cloned().collect::<BTreeMap<_, _>>();
    for program in &file.programs {
        open::check(program, &options.open, &definitions, &mut sink);
    }
    let programs = file
        .programs
        .iter()
        .enumerate()
        .map(|(position, program)| {
            let first = sink.len();
            let elaborated = elaborate::elaborate(program, &definitions, options, &mut sink);
            split::explain(file, position, first, &mut sink);
            elaborated
        })
        .collect::<Vec<_>>();
    if sink.has_errors() {
        return (None, sink.into_sorted());
    }
    let module = Module::new(location(Span::default()));
    for (name, program) in names.iter().zip(&programs) {
        let function = lower::lower(context, program, name, options.strict, location);
        module.body().append_operation(function);
    }
    (Some(module), sink.into_sorted())
}

/// A definition of an unknown parameter is an error.
fn check_definitions(file: &ast::File, definitions: &BTreeMap<String, i64>, sink: &mut Sink) {
    let parameters = file.programs.iter().flat_map(|program| &program.parameters);
    let known = parameters.map(|one| one.name.text.as_str()).collect::<Vec<_>>();
    for name in definitions.keys().filter(|name| !known.contains(&name.as_str())) {
        let message = format!("no parameter is called '{name}', which -D gives a value");
        let error = Diagnostic::error(Span::default(), message);
        sink.push(match did_you_mean(name, known.iter().copied()) {
            Some(hint) => error.help(hint),
            None if known.is_empty() => error.help("this file has no parameters"),
            None => error.help(format!("parameters are {}", known.join(", "))),
        });
    }
}

/// The name of a file's function: an identifier in every language that may call it.
fn function_name(stem: &str, position: usize) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let mut name = stem
        .chars()
        .map(|character| if is_plain(character) { character } else { '_' })
        .collect::<String>();
    if !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        name.insert_str(0, "stencil_");
    }
    match position {
        0 => name,
        _ => format!("{name}_{}", position + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::function_name;

    #[test]
    fn functions_have_names_that_every_language_takes() {
        assert_eq!(function_name("j2d9pt-gol", 0), "j2d9pt_gol");
        assert_eq!(function_name("2d25pt", 0), "stencil_2d25pt");
        assert_eq!(function_name("heat", 1), "heat_2");
    }
}
