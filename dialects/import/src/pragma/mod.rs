//! Pragma regions in C and CUDA: what is between `#pragma begin NAME` and `#pragma end NAME` is
//! one point of a stencil, a function of its name.
//!
//! `tokens` cuts the file, `surroundings` walks over it with `declarations`, `header` reads header
//! comments; `regions` reads statements by `expressions`. `scope` knows what names stand for,
//! `points` where a region is computed, and `program` makes the abstract syntax of a STENCILGEN
//! program of all that, with locations in the C file, which `stencilgen` checks and lowers.
//!
//! The outside is walked over, not parsed: a region is often cut out of a program whose headers and
//! types are not there, and a parser of all of C or CUDA would refuse the file for them.

mod declarations;
mod embedding;
mod expressions;
mod header;
mod points;
mod program;
mod regions;
mod scalars;
mod scope;
mod surroundings;
mod tokens;

pub use embedding::Embedding;
pub use header::{place_in_declaration, with_declarations};

use crate::{
    Options,
    diagnostic::{Diagnostic, Severity, Span},
    stencilgen::{self, ast},
};
use declarations::Aliases;
use melior::{
    Context,
    ir::{Location, Module},
};
use program::Understood;
use scope::FileScope;
use std::{cell::RefCell, collections::BTreeMap};
use tokens::Token;

/// Whether a text has a line that begins a region.
pub fn has_region(text: &str) -> bool {
    text.lines().any(|line| {
        let rest = line.trim_start().strip_prefix('#').map(str::trim_start);
        let mut words = rest.unwrap_or_default().split_whitespace();
        words.next() == Some("pragma") && words.next() == Some("begin")
    })
}

/// A file in pieces: tokens, the words of lines of the preprocessor, and what is between them.
pub fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut end = 0;
    for token in tokens::tokenize(text, 0..text.len()) {
        pieces.push(&text[end..token.span.start]);
        match token.directive(text) {
            Some(_) => pieces.extend(token.text(text).split_inclusive([' ', '=', ','])),
            None => pieces.push(token.text(text)),
        }
        end = token.span.end;
    }
    pieces.push(&text[end..]);
    pieces
}

/// Checks a file and lowers its regions to the functions of a module; none after errors.
///
/// `text` is the file with the texts of `--declare`, as [`with_declarations`] joins them; `end` is
/// where the file ends.
pub fn import<'c>(
    context: &'c Context,
    text: &str,
    end: usize,
    options: &Options,
    location: &dyn Fn(Span) -> Location<'c>,
) -> (Option<Module<'c>>, Vec<Diagnostic>) {
    let (regions, diagnostics) = with_file(text, end, options, |file, aliases, _, diagnostics| {
        regions(file, aliases, diagnostics)
    });
    if diagnostics.iter().any(|one| one.severity == Severity::Error) {
        return (None, diagnostics);
    }
    let (names, programs): (Vec<_>, Vec<_>) =
        regions.into_iter().map(|one| (one.name, one.program)).unzip();
    let file = ast::File { programs };
    let options = Options { strict_bounds: true, ..options.clone() };
    let (module, mut diagnostics) =
        stencilgen::lower(context, &file, &names, &options, diagnostics, location);
    if module.is_none() {
        diagnostics.retain(|one| one.severity != Severity::Remark);
    }
    (module, diagnostics)
}

/// What of a file is replaced by calls of its regions' functions, in the order of the text.
pub fn embeddings(text: &str, end: usize, options: &Options) -> (Vec<Embedding>, Vec<Diagnostic>) {
    let (mut found, mut diagnostics) =
        with_file(text, end, options, |file, aliases, tokens, diagnostics| {
            let regions = regions(file, aliases, diagnostics);
            if diagnostics.iter().any(|one| one.severity == Severity::Error) {
                return Vec::new();
            }
            let pairs = regions.iter().zip(&file.surroundings.regions);
            let one = |(understood, region)| {
                embedding::embed(file, tokens, region, understood, diagnostics)
            };
            pairs.filter_map(one).flatten().collect::<Vec<_>>()
        });
    diagnostics.retain(|one| one.severity == Severity::Error);
    found.sort_by_key(|one| one.span);
    (found, diagnostics)
}

/// Reads what is around the regions of a file, and does something with it.
fn with_file<R>(
    text: &str,
    end: usize,
    options: &Options,
    run: impl FnOnce(&FileScope, &Aliases, &[Token], &mut Vec<Diagnostic>) -> R,
) -> (R, Vec<Diagnostic>) {
    let all = tokens::tokenize(text, 0..text.len());
    let header_tokens = header::tokens(text, &all, end);
    let tokens = tokens::without_comments(all);
    let definitions = options.definitions.iter().cloned().collect::<BTreeMap<_, _>>();
    let mut macros = expressions::macros(text, &tokens);
    let aliases = declarations::aliases(text, &tokens, &macros);
    let macro_names = macros.keys().cloned().collect::<Vec<_>>();
    macros.retain(|name, _| !definitions.contains_key(name));
    let mut surroundings = surroundings::walk(text, &tokens, &aliases);
    let mut header = header::read(text, &header_tokens, &aliases);
    let mut diagnostics = std::mem::take(&mut surroundings.diagnostics);
    diagnostics.append(&mut header.diagnostics);
    let file = FileScope {
        text,
        end,
        macros: &macros,
        macro_names: &macro_names,
        surroundings: &surroundings,
        header: &header,
        definitions: &definitions,
        assigned: &declarations::assignments(text, &tokens),
        used: RefCell::default(),
    };
    let found = run(&file, &aliases, &tokens, &mut diagnostics);
    (found, diagnostics)
}

/// The regions of a file, with what was understood of each; incomplete after errors.
fn regions(
    file: &FileScope,
    aliases: &Aliases,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Understood> {
    let mut found = Vec::<Understood>::new();
    for region in &file.surroundings.regions {
        let Some(one) = program::understand(file, aliases, region, diagnostics) else { continue };
        if let Some(first) = found.iter().find(|other| other.name == one.name) {
            let what = format!("region '{}' is there twice", one.name);
            let error = Diagnostic::error(one.program.span, what);
            let error = error.help("each region is a function of its name; rename one of them");
            diagnostics.push(error.note(first.program.span, "the first one is here"));
        }
        found.push(one);
    }
    if file.surroundings.regions.is_empty() && diagnostics.is_empty() {
        let error = Diagnostic::error(Span::default(), "there is no region in this file");
        diagnostics.push(error.help("it begins with '#pragma begin NAME' inside of its loops"));
    }
    for name in file.definitions.keys().filter(|name| !file.used.borrow().contains(*name)) {
        if !diagnostics.is_empty() {
            break;
        }
        let what = format!("no size of a region is called '{name}', which -D gives a value");
        let error = Diagnostic::error(Span::default(), what);
        let known = file.macro_names.iter().map(String::as_str);
        let hint = stencilgen::sink::did_you_mean(name, known);
        diagnostics.push(error.help(hint.unwrap_or_else(|| "remove it".to_owned())));
    }
    if diagnostics.is_empty() {
        diagnostics.extend(found.iter().map(|one| one.remark.clone()));
    }
    found
}
