//! The scalars of a region: temporaries, constants, and arguments of its function.

use super::{
    declarations::Variable, expressions::Reader, points, program, regions::Statement, scope::Scope,
    surroundings::FrameKind,
};
use crate::{
    diagnostic::{Diagnostic, Span},
    stencilgen::{
        ast::{Assign, Declaration, Expression, Local, Name, Type},
        sink::did_you_mean,
    },
};
use std::collections::BTreeSet;

/// Limit on scalars that are set to others.
const CHAIN_MAX: usize = 64;

/// The scalars of a region.
pub struct Scalars<'s, 't> {
    scope: Scope<'s, 't>,
    iterators: &'s [Name],
    /// Those that have a value per point, in order.
    pub locals: Vec<Local>,
    /// Those that the caller gives.
    pub arguments: Vec<(Name, Type)>,
    seen: BTreeSet<String>,
}

impl<'s, 't> Scalars<'s, 't> {
    /// None yet.
    pub fn new(scope: Scope<'s, 't>, iterators: &'s [Name]) -> Self {
        let (locals, arguments, seen) = Default::default();
        Self { scope, iterators, locals, arguments, seen }
    }

    /// The scalars of statements.
    pub fn gather(
        &mut self,
        statements: &[Statement],
        is_array: &dyn Fn(&str) -> bool,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        for name in self.iterators {
            self.seen.insert(name.text.clone());
        }
        let is_scalar = |one: &&Statement| one.target.indices.is_empty();
        for one in statements.iter().filter(is_scalar) {
            let name = &one.target.name;
            if !is_array(&name.text) && self.seen.insert(name.text.clone()) {
                self.temporary(one, statements, diagnostics);
            } else if self.iterators.iter().any(|iterator| iterator.text == name.text) {
                let what = format!("iterator '{}' is assigned to", name.text);
                let help = "a region computes every point of its loops; use another name";
                diagnostics.push(Diagnostic::error(name.span, what).help(help));
            } else if let (Some(_), Some(first)) = (
                one.declares,
                self.locals.iter().find(|local| local.declaration.name.text == name.text),
            ) {
                let what = format!("'{}' is declared twice", name.text);
                let error = Diagnostic::error(name.span, what);
                diagnostics.push(error.note(first.declaration.name.span, "declared here first"));
            }
        }
        for (_, value) in statements.iter().filter_map(|one| one.value.as_ref()) {
            for name in program::scalars(value) {
                if !is_array(&name.text) && !self.seen.contains(&name.text) {
                    self.outer(name, 0, diagnostics);
                }
            }
        }
    }

    /// A scalar that the region assigns to.
    fn temporary(
        &mut self,
        first: &Statement,
        statements: &[Statement],
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let name = &first.target.name;
        let variable = self.scope.variable(&name.text).cloned();
        let of_header = self.scope.file.header.datatype.unwrap_or(Type::Double);
        let outer = variable.as_ref().and_then(|variable| variable.r#type);
        let r#type = first.declares.or(outer).unwrap_or(of_header);
        let mut local = Local {
            declaration: Declaration { r#type, name: name.clone(), extents: Vec::new() },
            value: None,
        };
        let exact = |one: &&Variable| first.declares.is_some() || one.is_plain_number();
        if let Some(other) = variable.as_ref().filter(|one| !exact(one)) {
            diagnostics.push(not_computed(name, other));
        }
        let before = statements.iter().take_while(|one| !std::ptr::eq(*one, first));
        let mut values = before.chain([first]).filter_map(|one| one.value.as_ref());
        let is_read =
            |value: &Expression| program::scalars(value).iter().any(|one| one.text == name.text);
        let reads = first.value.as_ref().is_some_and(|(operator, _)| *operator != Assign::Set)
            || values.any(|(_, value)| is_read(value));
        if reads && first.declares.is_some() && variable.is_some() {
            let what = format!("'{}' is another variable before this declaration", name.text);
            let error = Diagnostic::error(name.span, what);
            diagnostics.push(error.help("give one of them another name"));
        }
        if reads && first.declares.is_none() {
            let variable = variable.filter(|one| self.is_per_point(one.name.span.start));
            let value = variable.as_ref().and_then(|one| one.value);
            match value.map(|tokens| self.reader(tokens).whole()) {
                Some(Ok(value)) => {
                    for name in program::scalars(&value) {
                        if !self.seen.contains(&name.text) {
                            self.outer(name, 0, diagnostics);
                        }
                    }
                    local.value = Some(value);
                }
                _ => {
                    let what = format!("'{}' keeps a value from point to point", name.text);
                    let help = "the result depends on the order of the loops; declare it with a \
                                value inside of them: double x = 0.0;";
                    diagnostics.push(Diagnostic::error(name.span, what).help(help));
                }
            }
        }
        self.locals.push(local);
    }

    fn reader(&self, tokens: &'t [super::tokens::Token]) -> Reader<'t> {
        Reader::of_values(self.scope.file.text, tokens, self.scope.file.calls)
    }

    /// Whether what is declared at a place has a new value at each point.
    fn is_per_point(&self, place: usize) -> bool {
        let innermost = self.scope.loops().next();
        let start = innermost.map(|(id, ..)| self.scope.file.surroundings.frames[id].span.start);
        let is_kernel = self.scope.file.surroundings.is_kernel(self.scope.region.frame);
        start.map_or(is_kernel, |start| place > start)
    }

    /// A scalar of the surroundings.
    fn outer(&mut self, name: &Name, chain: usize, diagnostics: &mut Vec<Diagnostic>) {
        if !self.seen.insert(name.text.clone()) {
            return;
        }
        let Some(variable) = self.scope.variable(&name.text).cloned() else {
            if self.scope.is_loop_variable(&name.text) {
                let of_int = (name.clone(), Type::Int);
                return self.arguments.push(of_int);
            }
            return diagnostics.push(self.unknown(name));
        };
        let at = variable.name.span;
        let Some(r#type) = variable.r#type.filter(|_| variable.is_plain_number()) else {
            return diagnostics.push(not_computed(name, &variable));
        };
        if let Some(span) = self.assigned_by_others(&variable) {
            let what =
                format!("'{}' is assigned to outside of the region, at each point", name.text);
            let help = "move this statement into the region";
            return diagnostics.push(Diagnostic::error(name.span, what).note(span, help));
        }
        let is_kernel = self.scope.file.surroundings.is_kernel(self.scope.region.frame);
        let value = variable.value.filter(|_| !self.scope.is_assigned(&variable));
        let value = value.and_then(|tokens| self.reader(tokens).whole().ok());
        let is_inner = self.is_inner(at.start);
        if let Some(value) = value.filter(|value| {
            // Its value is a part of the program if it is one of numbers alone. In a kernel, and
            // inside of the loops, the caller does not have it.
            chain < CHAIN_MAX && (is_kernel || is_inner || self.is_constant(value, 0))
        }) && !program::scalars(&value).iter().any(|one| one.text == name.text)
        {
            for one in program::scalars(&value) {
                self.outer(one, chain + 1, diagnostics);
            }
            let declaration =
                Declaration { r#type, name: variable.name.clone(), extents: Vec::new() };
            self.locals.push(Local { declaration, value: Some(value) });
            return;
        }
        if (is_kernel || is_inner) && !variable.is_parameter && self.is_inside_function(at.start) {
            let what = format!("the value of '{}' is not read", name.text);
            let help = "it is neither an argument of the function nor set once, by an expression; \
                        compute it in the region";
            return diagnostics
                .push(Diagnostic::error(name.span, what).note(at, "declared here").help(help));
        }
        self.arguments.push((variable.name.clone(), r#type));
    }

    /// An assignment in the loops, or in the kernel, that is not in the region.
    fn assigned_by_others(&self, variable: &Variable) -> Option<Span> {
        let surroundings = self.scope.file.surroundings;
        let is_kernel = surroundings.is_kernel(self.scope.region.frame);
        let region = self.scope.region.span;
        let assigned = self.scope.file.assigned.iter().filter(|(word, span)| {
            *word == variable.name.text
                && *span != variable.name.span
                && !(region.start..region.end).contains(&span.start)
        });
        let is_inside = |span: &Span| {
            self.is_inner(span.start) || (is_kernel && self.is_inside_function(span.start))
        };
        assigned.map(|(_, span)| *span).find(is_inside)
    }

    /// Whether a place is inside of the loops over points.
    fn is_inner(&self, place: usize) -> bool {
        let outermost = points::outermost(&self.scope, self.iterators);
        let span = outermost.map(|id| self.scope.file.surroundings.frames[id].span);
        span.is_some_and(|span| (span.start..span.end).contains(&place))
    }

    fn is_inside_function(&self, place: usize) -> bool {
        let mut around = self.scope.file.surroundings.around(self.scope.region.frame);
        around.any(|(_, frame)| {
            let is_function = matches!(frame.kind, FrameKind::Function { .. });
            is_function && (frame.span.start..frame.span.end).contains(&place)
        })
    }

    /// Whether an expression is made of numbers, and of scalars that are.
    fn is_constant(&self, value: &Expression, chain: usize) -> bool {
        let reads_memory = !value.accesses().is_empty();
        !reads_memory
            && program::calls(value).iter().all(|name| self.scope.file.calls.is_known(name))
            && program::scalars(value).iter().all(|name| {
                let variable = self.scope.variable(&name.text);
                let Some(variable) = variable.filter(|one| !self.scope.is_assigned(one)) else {
                    return false;
                };
                let value = variable.value.and_then(|tokens| self.reader(tokens).whole().ok());
                chain < CHAIN_MAX && value.is_some_and(|value| self.is_constant(&value, chain + 1))
            })
    }

    fn unknown(&self, name: &Name) -> Diagnostic {
        let text = &name.text;
        let surroundings = &self.scope.file.surroundings;
        let around = surroundings.around(self.scope.region.frame);
        let known = around.flat_map(|(_, frame)| &frame.variables).map(|one| &one.name.text);
        let error = Diagnostic::error(name.span, format!("unknown name '{text}'"));
        let error = match did_you_mean(text, known.map(String::as_str)) {
            Some(hint) => error.help(hint),
            None => error,
        };
        let error = error.help(format!("declare it in C, or write '// stencil: double {text};'"));
        match self.scope.file.preprocessed.includes.iter().find(|one| one.starts_with('"')) {
            Some(file) => error.help(format!("included files are not read: {file}")),
            None => error,
        }
    }
}

/// An error at a scalar whose type a stencil does not compute with as C does.
fn not_computed(name: &Name, variable: &Variable) -> Diagnostic {
    let what = format!("'{}' is not of double, float or int", name.text);
    let error = Diagnostic::error(name.span, what).note(variable.name.span, "declared here");
    error.help("nothing else is computed exactly; use a variable of one of these")
}
