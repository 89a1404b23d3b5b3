//! Types of values in a region that C computes otherwise than a stencil does: an iterator of
//! unsigned, long or another type that is not int.
//!
//! Such an iterator is exact as an index, as a value alone, and with a number with a point. Added
//! to or multiplied by an integer it would be computed in its own type, which no stencil has.

use super::{regions::Statement, scope::Scope};
use crate::{
    diagnostic::{Diagnostic, Span},
    stencilgen::ast::{Expression, ExpressionKind, Local, Name, Type},
};

/// What C computes a value in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// int, or what is converted to it.
    Int,
    /// float or double.
    Float,
    /// Another type of integers.
    Other,
}

/// Refuses operations on integers that are not int.
pub fn check(
    scope: &Scope,
    iterators: &[Name],
    statements: &[Statement],
    locals: &[Local],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let is_other = |name: &&Name| scope.variable(&name.text).is_some_and(|one| !one.is_exact);
    let others = iterators.iter().filter(is_other).map(|name| name.text.as_str());
    let mut typing = Typing { scope, others: others.collect(), locals, found: None };
    if typing.others.is_empty() {
        return;
    }
    let of_statements =
        statements.iter().filter_map(|one| one.value.as_ref().map(|(_, value)| value));
    let of_locals = locals.iter().filter_map(|local| local.value.as_ref());
    for value in of_statements.chain(of_locals) {
        typing.kind(value);
    }
    if let Some((name, span)) = typing.found {
        let what = format!("'{name}' is not of int, and this operation is one of its own type");
        let help = "declare the variable of the loop as int, or store it in a double first";
        diagnostics.push(Diagnostic::error(span, what).help(help));
    }
}

struct Typing<'r, 's, 't> {
    scope: &'r Scope<'s, 't>,
    /// Iterators that are not of int.
    others: Vec<&'r str>,
    locals: &'r [Local],
    found: Option<(String, Span)>,
}

impl Typing<'_, '_, '_> {
    fn of(r#type: Option<Type>) -> Kind {
        match r#type {
            Some(Type::Int | Type::Bool) => Kind::Int,
            _ => Kind::Float,
        }
    }

    fn name(&self, name: &Name) -> Kind {
        if self.others.contains(&name.text.as_str()) {
            return Kind::Other;
        }
        let mut locals = self.locals.iter().map(|local| &local.declaration);
        match locals.find(|one| one.name.text == name.text) {
            Some(local) => Self::of(Some(local.r#type)),
            None => Self::of(self.scope.variable(&name.text).and_then(|one| one.r#type)),
        }
    }

    fn kind(&mut self, value: &Expression) -> Kind {
        match &value.kind {
            ExpressionKind::Bool(_) | ExpressionKind::Int(_) => Kind::Int,
            ExpressionKind::Float(_) | ExpressionKind::Double(_) => Kind::Float,
            ExpressionKind::Name(name) | ExpressionKind::Access { name, .. } => self.name(name),
            ExpressionKind::Negate(one) => {
                let kind = self.kind(one);
                self.refuse(kind == Kind::Other, value);
                kind
            }
            ExpressionKind::Binary(operator, one, two) => {
                use crate::stencilgen::ast::Operator as O;
                let (one, two) = (self.kind(one), self.kind(two));
                let is_float = one == Kind::Float || two == Kind::Float;
                self.refuse(!is_float && (one == Kind::Other || two == Kind::Other), value);
                match operator {
                    O::Equal | O::NotEqual | O::Less | O::LessEqual => Kind::Int,
                    O::Greater | O::GreaterEqual | O::And | O::Or | O::Remainder => Kind::Int,
                    _ if is_float => Kind::Float,
                    _ => Kind::Int,
                }
            }
            ExpressionKind::Call { name, arguments } => {
                let kinds = arguments.iter().map(|one| self.kind(one)).collect::<Vec<_>>();
                let of_ints = matches!(name.text.as_str(), "int abs" | "abs" | "min" | "max");
                self.refuse(of_ints && kinds.contains(&Kind::Other), value);
                match of_ints && !kinds.contains(&Kind::Float) {
                    true => Kind::Int,
                    false => Kind::Float,
                }
            }
        }
    }

    fn refuse(&mut self, is_refused: bool, value: &Expression) {
        if is_refused && self.found.is_none() {
            let names = super::program::scalars(value);
            let name = names.iter().find(|name| self.others.contains(&name.text.as_str()));
            self.found = name.map(|name| (name.text.clone(), value.span));
        }
    }
}
