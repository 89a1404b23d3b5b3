//! What the names of a region stand for: numbers known now, or variables.

use super::declarations::{Variable, type_word};
use super::{
    calls::Calls,
    expressions::Reader,
    header::Header,
    preprocess::Preprocessed,
    surroundings::{Frame, FrameId, FrameKind, Loop, Region, Surroundings},
    tokens::{Cursor, Kind, Token},
};
use crate::{
    diagnostic::{Diagnostic, Span},
    stencilgen::ast::{Integer, IntegerOperator, Name, Type},
};
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

/// What all regions of a file see.
pub struct FileScope<'t> {
    /// The text.
    pub text: &'t str,
    /// Where the file ends and what `--declare` says begins.
    pub end: usize,
    /// The file after the preprocessor.
    pub preprocessed: &'t Preprocessed,
    /// What functions are called.
    pub calls: &'t Calls,
    /// What is around the regions.
    pub surroundings: &'t Surroundings<'t>,
    /// What header comments say.
    pub header: &'t Header<'t>,
    /// `-D`.
    pub definitions: &'t BTreeMap<String, i64>,
    /// Where words are assigned to.
    pub assigned: &'t [(&'t str, Span)],
    /// Definitions that were asked for.
    pub used: RefCell<BTreeSet<String>>,
}

/// What one region sees.
#[derive(Clone, Copy)]
pub struct Scope<'s, 't> {
    /// What all of them see.
    pub file: &'s FileScope<'t>,
    /// The region.
    pub region: &'s Region<'t>,
}

/// Why an integer is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The name that has no value, if it is that.
    pub name: Option<String>,
    /// Where.
    pub span: Span,
}

/// A constant plus multiples of iterators, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Affine {
    /// The constant.
    pub constant: i64,
    /// The factors, none of them zero.
    pub factors: BTreeMap<String, i64>,
}

/// Limit on variables that are set to others.
const CHAIN_MAX: usize = 16;

impl FileScope<'_> {
    /// Whether a name is a macro.
    pub fn is_macro(&self, name: &str) -> bool {
        self.preprocessed.names.contains(name)
    }
}

impl<'t> Scope<'_, 't> {
    /// The loops around the region, innermost first.
    pub fn loops(&self) -> impl Iterator<Item = (FrameId, Loop<'t>, Option<Name>)> {
        let text = self.file.text;
        let around = self.file.surroundings.around(self.region.frame);
        around.filter_map(move |(id, frame)| match &frame.kind {
            FrameKind::For(head) => Some((id, *head, loop_variable(text, head))),
            _ => None,
        })
    }

    /// Whether a name is the variable of a loop around the region.
    pub fn is_loop_variable(&self, name: &str) -> bool {
        self.loops().any(|(_, _, variable)| variable.is_some_and(|one| one.text == name))
    }

    /// The variable that a name means: of the header, else of the text.
    pub fn variable(&self, name: &str) -> Option<&Variable<'t>> {
        let said = self.file.header.variables.iter().find(|one| one.name.text == name);
        let found = || self.file.surroundings.variable(self.region, name).map(|(_, one)| one);
        said.or_else(found)
    }

    /// Whether a variable has one value after its declaration.
    pub fn is_assigned(&self, variable: &Variable) -> bool {
        let name = variable.name.text.as_str();
        if variable.is_shared {
            return true;
        }
        let mut spans = self.file.assigned.iter().filter(|(word, _)| *word == name);
        // A macro may declare a variable and assign to it.
        let is_own = |span: &Span| *span == variable.name.span;
        let of_own = spans.clone().filter(|(_, span)| is_own(span)).count();
        of_own > 1 || spans.any(|(_, span)| !is_own(span))
    }

    /// Whether a name is a size, a number that is known and no scalar of floats.
    pub fn is_size(&self, name: &str) -> bool {
        let is_parameter = self.file.header.parameters.iter().any(|(one, _)| one.text == name);
        let is_integer = |one: &Variable| one.r#type == Some(Type::Int);
        is_parameter
            || self.file.definitions.contains_key(name)
            || self.variable(name).is_some_and(is_integer)
    }

    /// The value that a name stands for, if it is an integer that other names make.
    fn value(&self, name: &str) -> Option<Integer> {
        let FileScope { text, calls, header, .. } = *self.file;
        if let Some(value) = self.file.definitions.get(name) {
            self.file.used.borrow_mut().insert(name.to_owned());
            return Some(Integer::Literal(*value, Span::default()));
        }
        let read = |tokens| Reader::new(text, tokens, calls).whole_integer().ok();
        if let Some((_, value)) = header.parameters.iter().find(|(one, _)| one.text == name) {
            return read(value);
        }
        let variable = self.variable(name)?;
        if self.is_loop_variable(name) || self.is_assigned(variable) {
            return None;
        }
        read(variable.value?)
    }

    /// An integer in which all names that stand for others are replaced.
    pub fn resolve(&self, integer: &Integer) -> Integer {
        self.resolve_within(integer, 0)
    }

    fn resolve_within(&self, integer: &Integer, chain: usize) -> Integer {
        let inner = |one: &Integer| Box::new(self.resolve_within(one, chain));
        match integer {
            Integer::Literal(..) => integer.clone(),
            Integer::Name(name) => match self.value(&name.text) {
                Some(value) if chain < CHAIN_MAX => {
                    located(&self.resolve_within(&value, chain + 1), name.span)
                }
                _ => integer.clone(),
            },
            Integer::Negate(one, span) => Integer::Negate(inner(one), *span),
            Integer::Binary(operator, one, two, span) => {
                Integer::Binary(*operator, inner(one), inner(two), *span)
            }
        }
    }

    /// The value of an integer.
    pub fn evaluate(&self, integer: &Integer) -> Result<i64, Unknown> {
        let resolved = self.resolve(integer);
        let affine = affine(&resolved)?;
        match affine.factors.keys().next() {
            None => Ok(affine.constant),
            Some(name) => Err(Unknown { name: Some(name.clone()), span: integer.span() }),
        }
    }

    /// Whether a variable has another value when the region's loops are executed again.
    fn varies(&self, name: &str) -> bool {
        let frames = self.file.surroundings.around(self.region.frame);
        let is_repeated =
            |frame: &Frame| matches!(frame.kind, FrameKind::For(_) | FrameKind::Other(_));
        let loops = frames.filter(|(_, frame)| is_repeated(frame)).map(|(_, frame)| frame.span);
        let Some(outer) = loops.last() else { return false };
        let is_inside = |span: Span| outer.start <= span.start && span.end <= outer.end;
        let is_declared = self.variable(name).is_some_and(|one| is_inside(one.name.span));
        let mut assigned = self.file.assigned.iter().filter(|(word, _)| *word == name);
        is_declared || assigned.any(|(_, span)| is_inside(*span))
    }

    /// An error at an integer that is not known.
    pub fn no_value(&self, what: &str, unknown: &Unknown) -> Diagnostic {
        let Some(name) = &unknown.name else {
            return Diagnostic::error(unknown.span, format!("{what} cannot be computed"))
                .help("it is made of numbers, sizes, and + - * /");
        };
        let message = format!("{what} has no value: '{name}' is not known here");
        let error = Diagnostic::error(unknown.span, message);
        if self.varies(name) {
            let help = format!(
                "'{name}' changes in a loop around the region: indices and the ends of loops are \
                 sizes, and variables of the loops over points"
            );
            return error.help(help);
        }
        let help = format!("give -D {name}=512, or write '// stencil: parameter {name} = 512;'");
        error.help(help)
    }

    /// The value of a name, if it is known.
    pub fn evaluate_name(&self, name: &str) -> Option<i64> {
        let name = Name { text: name.to_owned(), span: Span::default() };
        self.evaluate(&Integer::Name(name)).ok()
    }

    /// The value of an integer of C.
    pub fn evaluate_tokens(&self, tokens: &[Token]) -> Result<i64, Unknown> {
        let span = super::tokens::span_of(tokens).unwrap_or_default();
        match Reader::new(self.file.text, tokens, self.file.calls).whole_integer() {
            Ok(integer) => self.evaluate(&integer),
            Err(refusal) => Err(Unknown { name: None, span: refusal.span.max(span) }),
        }
    }
}

/// The variable of a loop: what its start assigns.
pub fn loop_variable(text: &str, head: &Loop) -> Option<Name> {
    let at = head.start.iter().position(|token| token.text(text) == "=")?;
    // `for (i = 1, k = 2; ...)` does more than the loop.
    let is_declared = at > 1;
    if !is_declared && start_value(text, head).len() + at + 1 < head.start.len() {
        return None;
    }
    let name = head.start.get(at.checked_sub(1)?)?;
    let before = &head.start[..at - 1];
    let is_type = |token: &Token| token.kind == Kind::Word || type_word(token.text(text)).is_some();
    let is_name = name.kind == Kind::Word && before.iter().all(is_type);
    is_name.then(|| Name { text: name.text(text).to_owned(), span: name.span })
}

/// The first value of the variable of a loop.
pub fn start_value<'t>(text: &'t str, head: &Loop<'t>) -> &'t [Token] {
    let at = head.start.iter().position(|token| token.text(text) == "=");
    let rest = &head.start[at.map_or(0, |at| at + 1)..];
    Cursor::new(text, rest).until(&[","])
}

/// An integer at another location.
fn located(integer: &Integer, at: Span) -> Integer {
    match integer {
        Integer::Literal(value, _) => Integer::Literal(*value, at),
        Integer::Name(name) => Integer::Name(Name { text: name.text.clone(), span: at }),
        Integer::Negate(one, _) => Integer::Negate(Box::new(located(one, at)), at),
        Integer::Binary(operator, one, two, _) => {
            let (one, two) = (located(one, at), located(two, at));
            Integer::Binary(*operator, Box::new(one), Box::new(two), at)
        }
    }
}

/// An integer as an affine function of the names in it.
pub fn affine(integer: &Integer) -> Result<Affine, Unknown> {
    let span = integer.span();
    let unknown = || Unknown { name: None, span };
    match integer {
        Integer::Literal(constant, _) => {
            Ok(Affine { constant: *constant, factors: BTreeMap::new() })
        }
        Integer::Name(name) => {
            Ok(Affine { constant: 0, factors: BTreeMap::from([(name.text.clone(), 1)]) })
        }
        Integer::Negate(one, _) => affine(one)?.scaled(-1).ok_or_else(unknown),
        Integer::Binary(operator, one, two, _) => {
            let (one, two) = (affine(one)?, affine(two)?);
            let found = match operator {
                IntegerOperator::Add => one.plus(&two),
                IntegerOperator::Subtract => two.scaled(-1).and_then(|two| one.plus(&two)),
                IntegerOperator::Multiply => match (one.is_constant(), two.is_constant()) {
                    (true, _) => two.scaled(one.constant),
                    (_, true) => one.scaled(two.constant),
                    _ => None,
                },
                IntegerOperator::Divide if one.is_constant() && two.is_constant() => {
                    let constant = one.constant.checked_div(two.constant);
                    constant.map(|constant| Affine { constant, factors: BTreeMap::new() })
                }
                IntegerOperator::Divide => None,
            };
            found.ok_or_else(unknown)
        }
    }
}

impl Affine {
    /// Whether it depends on no name.
    pub fn is_constant(&self) -> bool {
        self.factors.is_empty()
    }

    /// The name and the constant, if it is a name plus a constant.
    pub fn shifted(&self) -> Option<(&str, i64)> {
        let (name, factor) = self.factors.iter().next()?;
        (self.factors.len() == 1 && *factor == 1).then_some((name.as_str(), self.constant))
    }

    fn scaled(mut self, factor: i64) -> Option<Self> {
        self.constant = self.constant.checked_mul(factor)?;
        for value in self.factors.values_mut() {
            *value = value.checked_mul(factor)?;
        }
        self.factors.retain(|_, value| *value != 0);
        Some(self)
    }

    fn plus(mut self, other: &Self) -> Option<Self> {
        self.constant = self.constant.checked_add(other.constant)?;
        for (name, factor) in &other.factors {
            let sum = self.factors.entry(name.clone()).or_default();
            *sum = sum.checked_add(*factor)?;
        }
        self.factors.retain(|_, value| *value != 0);
        Some(self)
    }

    /// This minus another.
    pub fn minus(self, other: Self) -> Option<Self> {
        self.plus(&other.scaled(-1)?)
    }
}
