//! Pragma regions in C and CUDA: what is between `#pragma begin NAME` and `#pragma end NAME` is
//! one point of a stencil, a function of its name.
//!
//! `tokens` cuts the file, `preprocess` follows its `#define` and `#if` with `macros` and
//! `conditions`, `surroundings` walks over it with `declarations`, `header` reads header comments;
//! `regions` reads statements by `expressions`. `scope` knows what names stand for,
//! `points` where a region is computed, and `program` makes the abstract syntax of a STENCILGEN
//! program of all that, with locations in the C file, which `stencilgen` checks and lowers.
//!
//! The outside is walked over, not parsed: a region is often cut out of a program whose headers and
//! types are not there, and a parser of all of C or CUDA would refuse the file for them.

mod arrays;
mod assignments;
mod calls;
mod conditions;
mod declarations;
mod embedding;
mod expressions;
mod guards;
mod header;
mod macros;
mod numbers;
mod points;
mod preprocess;
mod program;
mod regions;
mod scalars;
mod scope;
mod surroundings;
mod tokens;
mod types;

pub use embedding::Embedding;
pub use header::{place_in_declaration, with_declarations};

use crate::{
    Options,
    diagnostic::{Diagnostic, Severity, Span},
    stencilgen::{self, ast},
};
use calls::Calls;
use melior::{
    Context,
    ir::{Location, Module},
};
use preprocess::Stated;
use program::Understood;
use scope::FileScope;
use std::{cell::RefCell, collections::BTreeMap};

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

/// A file with regions.
#[derive(Clone, Copy, Debug)]
pub struct Source<'t> {
    /// The file with the texts of `--declare`, as [`with_declarations`] joins them.
    pub text: &'t str,
    /// Where the file ends.
    pub end: usize,
    /// Whether it is one of C++ or CUDA, whose functions of mathematics are there for each type.
    pub is_cxx: bool,
}

/// Checks a file and lowers its regions to the functions of a module; none after errors.
pub fn import<'c>(
    context: &'c Context,
    source: Source,
    options: &Options,
    location: &dyn Fn(Span) -> Location<'c>,
) -> (Option<Module<'c>>, Vec<Diagnostic>) {
    let (regions, diagnostics) = with_file(source, options, regions);
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
pub fn embeddings(source: Source, options: &Options) -> (Vec<Embedding>, Vec<Diagnostic>) {
    let (mut found, mut diagnostics) = with_file(source, options, |file, diagnostics| {
        let regions = regions(file, diagnostics);
        if diagnostics.iter().any(|one| one.severity == Severity::Error) {
            return Vec::new();
        }
        let pairs = regions.iter().zip(&file.surroundings.regions);
        let one = |(understood, region)| embedding::embed(file, region, understood, diagnostics);
        pairs.filter_map(one).flatten().collect::<Vec<_>>()
    });
    diagnostics.retain(|one| one.severity == Severity::Error);
    found.sort_by_key(|one| one.span);
    (found, diagnostics)
}

/// Reads what is around the regions of a file, and does something with it.
fn with_file<R>(
    source: Source,
    options: &Options,
    run: impl FnOnce(&FileScope, &mut Vec<Diagnostic>) -> R,
) -> (R, Vec<Diagnostic>) {
    let Source { text, end, is_cxx } = source;
    let all = tokens::tokenize(text, 0..text.len());
    let header = header::tokens(text, &all, end);
    let definitions = options.definitions.iter().cloned().collect::<BTreeMap<_, _>>();
    let parameters = header::sizes(text, &header);
    let stated = Stated { definitions: &definitions, parameters: &parameters, is_cxx };
    let tokens = tokens::without_comments(all);
    let mut preprocessed = preprocess::preprocess(text, &tokens, &header, stated);
    let mut diagnostics = std::mem::take(&mut preprocessed.diagnostics);
    let text = preprocessed.text.as_str();
    let tokens = preprocessed.tokens.as_slice();
    let mut surroundings = surroundings::walk(text, tokens, &preprocessed.enumerators);
    let mut header = header::read(text, &preprocessed.header, &surroundings.aliases);
    diagnostics.append(&mut surroundings.diagnostics);
    diagnostics.append(&mut header.diagnostics);
    let calls = Calls {
        own: surroundings.functions.clone(),
        types: surroundings.aliases.keys().cloned().collect(),
        is_overloaded: is_cxx || preprocessed.includes.contains("<tgmath.h>"),
    };
    let file = FileScope {
        text,
        end,
        preprocessed: &preprocessed,
        calls: &calls,
        surroundings: &surroundings,
        header: &header,
        definitions: &definitions,
        assigned: &assignments::assignments(text, tokens, is_cxx),
        used: RefCell::new(preprocessed.asked.clone()),
    };
    let found = run(&file, &mut diagnostics);
    (found, diagnostics)
}

/// The regions of a file, with what was understood of each; incomplete after errors.
fn regions(file: &FileScope, diagnostics: &mut Vec<Diagnostic>) -> Vec<Understood> {
    let mut found = Vec::<Understood>::new();
    for region in &file.surroundings.regions {
        let Some(one) = program::understand(file, region, diagnostics) else { continue };
        if let Some(first) = found.iter().find(|other| other.name == one.name) {
            let what = format!("region '{}' is there twice", one.name);
            let error = Diagnostic::error(one.program.span, what);
            let error = error.help("each region is a function of its name; rename one of them");
            diagnostics.push(error.note(first.program.span, "the first one is here"));
        }
        found.push(one);
    }
    let is_begin = |token: &&tokens::Token| {
        tokens::boundary(**token, file.text).is_some_and(|(word, _)| word == "begin")
    };
    let read = &file.surroundings.regions;
    for token in file.preprocessed.tokens.iter().filter(is_begin) {
        if diagnostics.is_empty() && !read.iter().any(|region| region.begin.span == token.span) {
            let error = Diagnostic::error(token.span, "this region is in no function that is read");
            let help = "put it into a function of the file, outside of classes and expressions";
            diagnostics.push(error.help(help));
        }
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
        let known = file.preprocessed.names.iter().map(String::as_str);
        let hint = stencilgen::sink::did_you_mean(name, known);
        diagnostics.push(error.help(hint.unwrap_or_else(|| "remove it".to_owned())));
    }
    if diagnostics.is_empty() {
        diagnostics.extend(found.iter().map(|one| one.remark.clone()));
    }
    found
}
