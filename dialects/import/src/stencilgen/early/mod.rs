//! The early forms of the language, in terms of today's.
//!
//! Stencils have no iterators: `A@[0,0,1]` and `in[0,0,1]` are offsets from the point, and a bare
//! array is its cell at the point. In the first form stencils and programs return a value
//! (`return j3d(j3d(input));`), in the second a call names the array that is copied out
//! (`out = f (in, out);`). What is declared is copied in, unless it is `temporary`.
//!
//! The result is an abstract syntax tree with iterators, copy lists and calls: what these mean is
//! said there and nowhere else.

mod bodies;
mod calls;

use super::{
    ast::{Call, Declaration, Expression, Integer, List, Listed, Name, Program, Step, Type},
    elaborate::shape,
};
use crate::diagnostic::{Diagnostic, Severity, Span};
use std::collections::{BTreeMap, BTreeSet};

/// What a program in an early form has beyond today's syntax.
#[derive(Debug, Default)]
pub struct Parts {
    /// Where the form shows first.
    pub sign: Option<Span>,
    /// Types of formal arguments, by their location; with a rank those of arrays.
    pub formals: BTreeMap<Span, (Option<Rank>, Type)>,
    /// What stencils return, by their position.
    pub answers: BTreeMap<usize, Expression>,
    /// `temporary a, b;`
    pub temporaries: Vec<Name>,
    /// The `a` of `a = f (b, a);`, by the location of the call.
    pub outputs: BTreeMap<Span, Name>,
    /// What the program returns.
    pub results: Vec<Nested>,
}

/// The number of `vector#3`, and its location.
pub type Rank = (usize, Span);

/// `f(g(a), b)`
#[derive(Debug)]
pub struct Nested {
    /// A stencil, or an array.
    pub name: Name,
    /// The arguments of a stencil.
    pub arguments: Option<Vec<Nested>>,
    /// All of it.
    pub span: Span,
}

/// Whether a program is one of the early forms.
pub fn is_early(program: &Program, parts: &Parts) -> bool {
    let has_arrays = program.declarations.iter().any(|one| !one.extents.is_empty());
    let is_plain = program.iterators.is_empty() && program.listed.is_empty() && has_arrays;
    parts.sign.is_some() || (is_plain && bodies::assigns_bare_names(program))
}

/// Translates a program to today's form; after an error it is incomplete.
pub fn translate(program: &mut Program, mut parts: Parts, diagnostics: &mut Vec<Diagnostic>) {
    if let (Some(iterator), Some(sign)) = (program.iterators.first(), parts.sign) {
        let message = "this belongs to the early form of the language, which has no iterators";
        let error = Diagnostic::error(sign, message).note(iterator.span, "declared here");
        diagnostics
            .push(error.help("index arrays by iterators and list what is copied: a[k][j+1]"));
        return;
    }
    let before = errors(diagnostics);
    let Some(shape) = Shape::of(program, diagnostics) else { return };
    program.iterators = shape.iterators.clone();
    bodies::translate(program, &mut parts, &shape, diagnostics);
    if errors(diagnostics) == before {
        calls::translate(program, &parts, &shape, diagnostics);
    }
}

fn errors(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().filter(|one| one.severity == Severity::Error).count()
}

/// The shape of all arrays, and the names of its dimensions.
struct Shape {
    /// Of the first array that is declared.
    extents: Vec<Integer>,
    r#type: Type,
    /// An array with other extents: then undeclared arrays have none.
    other: Option<Name>,
    iterators: Vec<Name>,
}

/// Names of iterators, outermost first.
const ITERATORS: [&str; 3] = ["k", "j", "i"];

impl Shape {
    fn of(program: &Program, diagnostics: &mut Vec<Diagnostic>) -> Option<Shape> {
        let mut arrays = program.declarations.iter().filter(|one| !one.extents.is_empty());
        let Some(first) = arrays.next() else {
            let message = "this program declares no array";
            let error = Diagnostic::error(program.span, message);
            diagnostics.push(error.help("write 'float in[L,M,N];'"));
            return None;
        };
        let rank = first.extents.len();
        if rank > ITERATORS.len() {
            let message = format!("'{}' has {rank} dimensions", first.name.text);
            let error = Diagnostic::error(first.name.span, message);
            diagnostics.push(error.help("an early form has arrays of 1 to 3 dimensions"));
            return None;
        }
        let texts = |one: &Declaration| one.extents.iter().map(shape).collect::<Vec<_>>();
        let mut other = None;
        for array in arrays {
            if array.extents.len() != rank {
                let count = array.extents.len();
                let message = format!("'{}' has {count} dimensions, not {rank}", array.name.text);
                let help = "arrays of an early form have one rank; with iterators they may differ";
                let error = Diagnostic::error(array.name.span, message);
                diagnostics.push(error.note(first.name.span, "the first array").help(help));
                return None;
            }
            if texts(array) != texts(first) {
                other.get_or_insert(array.name.clone());
            }
        }
        let words = words(program);
        let iterators = ITERATORS[ITERATORS.len() - rank..].iter();
        let iterators = iterators.map(|name| fresh(name, &words, program.span)).collect();
        Some(Shape { extents: first.extents.clone(), r#type: first.r#type, other, iterators })
    }

    /// An array of this shape; an error where arrays have several.
    fn array(&self, name: &Name, diagnostics: &mut Vec<Diagnostic>) -> Declaration {
        if let Some(other) = &self.other {
            let message =
                format!("'{}' is not declared, and arrays have several extents", name.text);
            let error = Diagnostic::error(name.span, message).note(other.span, "such as this one");
            diagnostics.push(error.help(format!("write 'float {}[L,M,N];'", name.text)));
        }
        Declaration { r#type: self.r#type, name: name.clone(), extents: self.extents.clone() }
    }
}

/// The names that a program declares, passes or assigns to.
fn words(program: &Program) -> BTreeSet<String> {
    let mut names = program.parameters.iter().map(|one| &one.name).collect::<Vec<_>>();
    names.extend(program.declarations.iter().map(|one| &one.name));
    for stencil in &program.stencils {
        names.push(&stencil.name);
        names.extend(stencil.formals.iter().map(|one| &one.name));
        names.extend(stencil.locals.iter().map(|one| &one.declaration.name));
        names.extend(stencil.statements.iter().map(|one| &one.target.name));
    }
    for call in calls_of(&program.steps) {
        names.push(&call.callee);
        names.extend(&call.arguments);
    }
    names.into_iter().map(|name| name.text.clone()).collect()
}

/// A name that nothing else has.
fn fresh(word: &str, taken: &BTreeSet<String>, span: Span) -> Name {
    let mut text = word.to_owned();
    while taken.contains(&text) {
        text.push('_');
    }
    Name { text, span }
}

/// All calls, also those in loops.
fn calls_of(steps: &[Step]) -> Vec<&Call> {
    let mut calls = Vec::new();
    for step in steps {
        match step {
            Step::Call(call) => calls.push(call),
            Step::Iterate(iterate) => calls.extend(calls_of(&iterate.body)),
        }
    }
    calls
}

fn listed(list: List, name: &Name) -> Listed {
    Listed { list, name: name.clone() }
}
