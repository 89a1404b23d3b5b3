//! Converts the lossless tree to abstract syntax.
//!
//! After syntax errors the abstract syntax is incomplete. Errors that the grammar accepts are
//! reported here.

mod early;
mod expressions;
mod pragmas;
mod programs;
mod stencils;

use super::{
    lexer::Token,
    parser::Rule,
    tree::{Node, Tree},
};
use crate::{
    diagnostic::Diagnostic,
    stencilgen::ast::{File, Name, Type},
};

/// Reads a file; errors are added to the diagnostics.
pub fn file(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) -> File {
    programs::Programs::new(diagnostics).file(tree.root())
}

/// The name that a token is.
fn name(token: Node) -> Name {
    Name { text: token.text().to_owned(), span: token.span() }
}

/// The names among the children of a node.
fn names(node: Node) -> impl Iterator<Item = Name> {
    node.tokens(Token::Name).map(name)
}

/// The type that a declaration begins with.
fn declared_type(node: Node) -> Option<Type> {
    match node.find(Rule::Type)?.first_token()? {
        Token::Bool => Some(Type::Bool),
        Token::Int => Some(Type::Int),
        Token::Float => Some(Type::Float),
        Token::Double => Some(Type::Double),
        _ => None,
    }
}
