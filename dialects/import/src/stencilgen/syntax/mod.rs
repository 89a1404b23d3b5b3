//! Parses text to abstract syntax: `lexer` makes tokens, `repair` fixes common mistakes, `parser`
//! (generated from `stencilgen.llw`) makes a lossless tree, and `read` the abstract syntax.
//!
//! No text makes it panic, hang, or overflow the stack: nesting is limited before any recursion,
//! and chains of operators are flat.

mod comments;
mod lexer;
mod messages;
mod numbers;
#[allow(
    missing_docs,
    clippy::pedantic,
    clippy::style,
    clippy::complexity,
    reason = "most of it is generated, and documented in the generator"
)]
mod parser;
mod place;
mod read;
mod repair;
#[cfg(test)]
mod tests;
mod tree;

use super::ast;
use crate::diagnostic::{Diagnostic, Severity};
pub use lexer::KEYWORDS;
pub use tree::Tree;

/// The result of parsing.
pub struct Syntax {
    /// Its abstract syntax; complete if there is no error.
    pub file: ast::File,
    /// Errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a text. With `artemis_compat`, `//` removes the next statement, as in ARTEMIS.
pub fn parse(text: &str, artemis_compat: bool) -> Syntax {
    with_stack(|| {
        let (tree, mut diagnostics) = tree_and_diagnostics(text, artemis_compat);
        let file = read::file(&tree, &mut diagnostics);
        Syntax { file, diagnostics: first(diagnostics) }
    })
}

/// The first errors and the first warnings, in the order of the text.
fn first(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    const MESSAGES_MAX: usize = 100;
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    let (mut errors, mut warnings) = (0, 0);
    diagnostics.retain(|diagnostic| {
        let is_error = diagnostic.severity == Severity::Error;
        let count = if is_error { &mut errors } else { &mut warnings };
        *count += 1;
        *count <= MESSAGES_MAX
    });
    diagnostics
}

/// The lossless tree of a text.
pub fn tree(text: &str, artemis_compat: bool) -> Tree<'_> {
    with_stack(|| tree_and_diagnostics(text, artemis_compat).0)
}

fn tree_and_diagnostics(text: &str, artemis_compat: bool) -> (Tree<'_>, Vec<Diagnostic>) {
    let mut tokens = lexer::tokenize(text, artemis_compat);
    repair::repair(text, &mut tokens);
    let mut errors = Vec::new();
    let input = (tokens.kinds.clone(), tokens.spans.clone());
    let cst = parser::Parser::new_with_context(text, &mut errors, input).parse(&mut errors);
    let mut diagnostics = messages::explain(text, &tokens, &errors);
    diagnostics.append(&mut tokens.diagnostics);
    (Tree::new(cst), diagnostics)
}

/// Runs a recursion as deep as [`repair::DEPTH_MAX`] allows: each level of brackets is a dozen
/// calls, one for each precedence.
fn with_stack<R>(run: impl FnOnce() -> R) -> R {
    const BYTES: usize = 16 << 20;
    stacker::maybe_grow(BYTES, BYTES, run)
}
