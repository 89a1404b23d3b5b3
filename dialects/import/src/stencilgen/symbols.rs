//! The symbol table of a program: sizes are bound, declarations joined with the copy lists.

use super::{
    ast::{self, Declaration, IntegerOperator, List, Name},
    program::{Array, ArrayId, IteratorId, LoopId, Scalar, ScalarId},
    sink::{Sink, did_you_mean},
};
use crate::diagnostic::{Diagnostic, Span};
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A size.
    Parameter(i64),
    /// An iterator.
    Iterator(IteratorId),
    /// An array.
    Array(ArrayId),
    /// A scalar argument.
    Scalar(ScalarId),
    /// A scalar without a value from the caller: zero.
    Zero(ast::Type),
    /// The variable of a loop over time.
    Loop(LoopId),
    /// A name with a wrong declaration, which has been reported.
    Unknown,
}

/// The names of a program.
#[derive(Debug, Default)]
pub struct Symbols {
    names: BTreeMap<String, (Meaning, Span)>,
    used: RefCell<BTreeSet<String>>,
    /// Names of the iterators, outermost first.
    pub iterators: Vec<String>,
    /// The arrays.
    pub arrays: Vec<Array>,
    /// The scalars that the caller gives.
    pub scalars: Vec<Scalar>,
}

/// Gathers the names of a program; parameters get the values of `definitions` first.
pub fn gather(
    program: &ast::Program,
    definitions: &BTreeMap<String, i64>,
    sink: &mut Sink,
) -> Symbols {
    let mut symbols = Symbols::default();
    for parameter in &program.parameters {
        let value = symbols.parameter(parameter, definitions, sink);
        symbols.declare(&parameter.name, value.map_or(Meaning::Unknown, Meaning::Parameter), sink);
    }
    for (position, name) in program.iterators.iter().enumerate() {
        symbols.iterators.push(name.text.clone());
        symbols.declare(name, Meaning::Iterator(position), sink);
    }
    let lists = lists(&program.listed);
    for declaration in &program.declarations {
        let meaning = symbols.variable(declaration, &lists, sink);
        symbols.declare(&declaration.name, meaning, sink);
    }
    for listed in &program.listed {
        symbols.check_listed(listed, sink);
    }
    symbols
}

/// The lists that each name is in.
type Lists<'p> = BTreeMap<&'p str, BTreeMap<List, Span>>;

fn lists(listed: &[ast::Listed]) -> Lists<'_> {
    let mut lists = Lists::new();
    for entry in listed {
        lists.entry(&entry.name.text).or_default().entry(entry.list).or_insert(entry.name.span);
    }
    lists
}

/// Most dimensions of an array, one of them a component where there are four.
const RANK_MAX: usize = 4;
/// Most cells of an array: their bytes must be countable.
const CELLS_MAX: i64 = 1 << 48;

impl Symbols {
    /// Looks up a name and records its use.
    pub fn find(&self, name: &str) -> Option<Meaning> {
        let (meaning, _) = self.names.get(name)?;
        self.used.borrow_mut().insert(name.to_owned());
        Some(*meaning)
    }

    /// An error at an unknown name; `local` names are suggested too.
    pub fn unknown<'n>(
        &'n self,
        name: &Name,
        local: impl IntoIterator<Item = &'n str>,
    ) -> Diagnostic {
        let error = Diagnostic::error(name.span, format!("unknown name '{}'", name.text));
        let known = self.names.keys().map(String::as_str).chain(local);
        match did_you_mean(&name.text, known) {
            Some(hint) => error.help(hint),
            None => error.help("declare it, or list it among the stencil's arguments"),
        }
    }

    /// The value of an integer of sizes and numbers alone.
    pub fn evaluate(&self, integer: &ast::Integer, sink: &mut Sink) -> Option<i64> {
        match integer {
            ast::Integer::Literal(value, _) => Some(*value),
            ast::Integer::Name(name) => match self.find(&name.text) {
                Some(Meaning::Parameter(value)) => Some(value),
                Some(Meaning::Unknown) => None,
                Some(_) => {
                    let message = format!("'{}' is not a parameter", name.text);
                    let help = "sizes and regions are made of parameters and numbers";
                    sink.push(Diagnostic::error(name.span, message).help(help));
                    None
                }
                None => {
                    sink.push(self.unknown(name, []));
                    None
                }
            },
            ast::Integer::Negate(one, span) => {
                checked(self.evaluate(one, sink)?.checked_neg(), *span, sink)
            }
            ast::Integer::Binary(operator, one, two, span) => {
                let (one, two) = (self.evaluate(one, sink)?, self.evaluate(two, sink)?);
                let value = match operator {
                    IntegerOperator::Add => one.checked_add(two),
                    IntegerOperator::Subtract => one.checked_sub(two),
                    IntegerOperator::Multiply => one.checked_mul(two),
                    IntegerOperator::Divide => one.checked_div(two),
                };
                checked(value, *span, sink)
            }
        }
    }

    /// Warnings at parameters and variables that nothing uses.
    pub fn warn_unused(&self, program: &ast::Program, sink: &mut Sink) {
        let used = self.used.borrow();
        let parameters = program.parameters.iter().map(|one| ("parameter", &one.name));
        let variables = program.declarations.iter().map(|one| ("variable", &one.name));
        for (kind, name) in parameters.chain(variables) {
            if !used.contains(&name.text) {
                let message = format!("{kind} '{}' is not used", name.text);
                sink.push(Diagnostic::warning(name.span, message).help("remove it"));
            }
        }
    }

    fn declare(&mut self, name: &Name, meaning: Meaning, sink: &mut Sink) {
        if let Some((_, first)) = self.names.get(&name.text) {
            let error = Diagnostic::error(name.span, format!("'{}' is declared twice", name.text));
            sink.push(error.note(*first, "declared here first"));
        } else {
            self.names.insert(name.text.clone(), (meaning, name.span));
        }
    }

    fn parameter(
        &self,
        parameter: &ast::Parameter,
        definitions: &BTreeMap<String, i64>,
        sink: &mut Sink,
    ) -> Option<i64> {
        let name = &parameter.name;
        if let Some(value) = definitions.get(&name.text) {
            return Some(*value);
        }
        if let Some(default) = &parameter.default {
            return self.evaluate(default, sink);
        }
        let text = &name.text;
        let remedy = format!("pass -D {text}=512, or write 'parameter {text} = 512;'");
        let message = format!("parameter '{text}' has no value");
        sink.push(Diagnostic::error(name.span, message).help(remedy));
        None
    }

    fn variable(&mut self, one: &Declaration, lists: &Lists, sink: &mut Sink) -> Meaning {
        let name = &one.name;
        let none = BTreeMap::new();
        let lists = lists.get(name.text.as_str()).unwrap_or(&none);
        let is_constant = [List::Constant, List::Coefficient].iter().any(|l| lists.contains_key(l));
        let copied_in = is_constant || lists.contains_key(&List::CopyIn);
        if !one.extents.is_empty() {
            let Some(extents) = self.extents(one, sink) else { return Meaning::Unknown };
            self.arrays.push(Array {
                name: name.text.clone(),
                span: name.span,
                element: one.r#type,
                extents,
                copied_in,
                copied_out: lists.contains_key(&List::CopyOut),
                read_only: is_constant,
            });
            if let (true, Some(span)) = (is_constant, lists.get(&List::CopyOut)) {
                let message = format!("'{}' is constant and copied out", name.text);
                sink.push(Diagnostic::error(*span, message).help("remove one of them"));
            }
            return Meaning::Array(self.arrays.len() - 1);
        }
        if let Some(span) = lists.get(&List::CopyOut) {
            let message = format!("scalar '{}' cannot be copied out", name.text);
            sink.push(Diagnostic::error(*span, message).help("declare an array of one cell"));
        }
        if !copied_in {
            return Meaning::Zero(one.r#type);
        }
        self.scalars.push(Scalar { name: name.text.clone(), span: name.span, r#type: one.r#type });
        Meaning::Scalar(self.scalars.len() - 1)
    }

    /// The extents that a declaration states, all of them sound.
    pub fn extents(&self, one: &Declaration, sink: &mut Sink) -> Option<Vec<i64>> {
        if one.extents.len() > RANK_MAX {
            let message = format!("'{}' has {} dimensions", one.name.text, one.extents.len());
            let help = "arrays have 1 to 3 dimensions, and one more for a component";
            sink.push(Diagnostic::error(one.name.span, message).help(help));
            return None;
        }
        let mut extents = Vec::new();
        for integer in &one.extents {
            let extent = self.evaluate(integer, sink)?;
            if extent < 1 {
                let message = format!("'{}' has an extent of {extent}", one.name.text);
                sink.push(Diagnostic::error(integer.span(), message).help("extents are positive"));
                return None;
            }
            extents.push(extent);
        }
        let cells = extents.iter().try_fold(1_i64, |cells, extent| cells.checked_mul(*extent));
        if cells.is_none_or(|cells| cells > CELLS_MAX) {
            let message = format!("'{}' has too many cells", one.name.text);
            let help = format!("at most {CELLS_MAX} cells");
            sink.push(Diagnostic::error(one.name.span, message).help(help));
            return None;
        }
        Some(extents)
    }

    /// An undeclared name in a list is an error where its content matters.
    fn check_listed(&self, listed: &ast::Listed, sink: &mut Sink) {
        let name = &listed.name;
        let word = match listed.list {
            List::AllocIn => "allocin",
            List::CopyIn => "copyin",
            List::CopyOut => "copyout",
            List::Constant => "constant",
            List::Coefficient => "coefficient",
        };
        let is_output = listed.list == List::CopyOut;
        let make = if is_output { Diagnostic::error } else { Diagnostic::warning };
        match self.names.get(&name.text) {
            None => {
                let message = format!("'{}' in {word} is not declared", name.text);
                let known = self.names.keys().map(String::as_str);
                let hint = did_you_mean(&name.text, known).unwrap_or_else(|| {
                    if is_output { "declare it" } else { "it is ignored" }.to_owned()
                });
                sink.push(make(name.span, message).help(hint));
            }
            Some((Meaning::Parameter(_) | Meaning::Iterator(_), _)) => {
                let message = format!("'{}' in {word} is no array and no scalar", name.text);
                sink.push(make(name.span, message).help("sizes need no copy"));
            }
            Some(_) => {
                // An argument is used by its caller.
                if listed.list != List::AllocIn && !is_output {
                    return;
                }
                self.used.borrow_mut().insert(name.text.clone());
            }
        }
    }
}

fn checked(value: Option<i64>, span: Span, sink: &mut Sink) -> Option<i64> {
    if value.is_none() {
        let message = "this overflows or divides by zero";
        sink.push(Diagnostic::error(span, message).help("integers have 64 bits"));
    }
    value
}
