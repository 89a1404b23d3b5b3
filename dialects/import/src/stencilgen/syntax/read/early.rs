//! The parts of the early forms: types of formal arguments, what stencils and programs return.

use super::{
    super::{lexer::Token, parser::Rule, tree::Node},
    declared_type, expressions, name,
};
use crate::{
    diagnostic::Diagnostic,
    stencilgen::{
        ast::Stencil,
        early::{Nested, Parts, Rank},
    },
};

/// Gathers the parts of a stencil, which is the next one of its program.
pub fn stencil(
    node: Node,
    (position, stencil): (usize, &Stencil),
    parts: &mut Parts,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let formals = node.rules().filter(|(rule, _)| *rule == Rule::Formal);
    for ((_, formal), read) in formals.zip(&stencil.formals) {
        let Some(r#type) = declared_type(formal) else { continue };
        parts.sign.get_or_insert(formal.span());
        parts.formals.insert(read.name.span, (rank(formal), r#type));
    }
    let mut open = vec![node];
    while let Some(one) = open.pop() {
        if let Some(at) = one.tokens(Token::At).next() {
            parts.sign.get_or_insert(at.span());
        }
        open.extend(one.rules().map(|(_, child)| child));
    }
    let Some(answer) = node.find(Rule::Answer) else { return };
    parts.sign.get_or_insert(answer.span());
    let value = answer.rules().find_map(|(_, child)| expressions::expression(child, diagnostics));
    parts.answers.extend(value.map(|value| (position, value)));
    if let Some(after) = node.rules().filter(|(rule, _)| *rule == Rule::Answer).nth(1) {
        let error = Diagnostic::error(after.1.span(), "a stencil returns one value");
        diagnostics.push(error.note(answer.span(), "returned here"));
    }
}

/// The number of `vector#3`.
fn rank(node: Node) -> Option<Rank> {
    let vector = node.tokens(Token::Vector).next()?;
    let number = vector.text().trim_start_matches(|one: char| !one.is_ascii_digit());
    Some((number.parse().unwrap_or(usize::MAX), vector.span()))
}

/// Checks `vector#3 float a[L,M,N];`.
pub fn declaration(node: Node, parts: &mut Parts, diagnostics: &mut Vec<Diagnostic>) {
    let Some((rank, span)) = rank(node) else { return };
    parts.sign.get_or_insert(span);
    for (_, declarator) in node.rules().filter(|(rule, _)| *rule == Rule::Declarator) {
        let extents = declarator.find(Rule::Indices).map_or(0, |indices| indices.rules().count());
        if extents != rank {
            let message = format!("this array has {extents} dimensions, not {rank}");
            let error = Diagnostic::error(declarator.span(), message);
            diagnostics.push(error.note(span, "as this says"));
        }
    }
}

/// `f(g(a), b)`; recurses once per level of parentheses.
pub fn nested(node: Node) -> Option<Nested> {
    let arguments = node.rules().filter(|(rule, _)| *rule == Rule::Nested);
    let arguments = arguments.filter_map(|(_, one)| nested(one)).collect();
    Some(Nested {
        name: node.tokens(Token::Name).next().map(name)?,
        arguments: node.tokens(Token::LPar).next().map(|_| arguments),
        span: node.span(),
    })
}
