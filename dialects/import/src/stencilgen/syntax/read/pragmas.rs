//! Pragmas: hints for the plan of a stencil.

use super::{
    super::{
        lexer::{CLAUSES, Token},
        numbers,
        parser::Rule,
        tree::Node,
    },
    names, stencils,
};
use crate::{
    diagnostic::{Diagnostic, Span},
    stencilgen::{
        ast::{Clause, Count, Hint, Name, Stencil},
        sink::did_you_mean,
    },
};

/// The content of one pragma.
pub struct Pragma {
    /// Of a `#pragma`.
    pub clauses: Vec<Clause>,
    /// Of an `#assign`.
    pub hints: Vec<Hint>,
    /// All of it.
    pub span: Span,
}

impl Pragma {
    /// Whether it has no effect, as the end of a region.
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty() && self.hints.is_empty()
    }

    /// Adds it to all stencils of a program: to each the hints for its own arrays. Clauses are
    /// prepended, so that a stencil's own override them.
    pub fn add_to_all(self, stencils: &mut [Stencil]) {
        for hint in self.hints {
            let mut users = stencils.iter_mut().filter(|one| uses(one, &hint.name)).peekable();
            if users.peek().is_some() {
                users.for_each(|stencil| stencil.hints.push(hint.clone()));
            } else if let Some(first) = stencils.first_mut() {
                // The check of the stencil reports the wrong name.
                first.hints.push(hint);
            }
        }
        for stencil in stencils {
            stencil.clauses.splice(0..0, self.clauses.iter().cloned());
        }
    }
}

fn uses(stencil: &Stencil, name: &Name) -> bool {
    let formals = stencil.formals.iter().map(|formal| &formal.name);
    let locals = stencil.locals.iter().map(|local| &local.declaration.name);
    formals.chain(locals).any(|one| one.text == name.text)
}

/// Reads an `#assign`.
pub fn assignment(node: Node) -> Pragma {
    let hints = node.rules().flat_map(|(_, placement)| stencils::hints(placement)).collect();
    Pragma { clauses: Vec::new(), hints, span: node.span() }
}

/// Reads a `#pragma`.
pub fn pragma(node: Node, diagnostics: &mut Vec<Diagnostic>) -> Pragma {
    let mut clauses = Vec::new();
    for (rule, one) in node.rules() {
        match rule {
            Rule::Unknown => diagnostics.push(unknown(one)),
            rule => clauses.extend(clause(rule, one)),
        }
    }
    Pragma { clauses, hints: Vec::new(), span: node.span() }
}

fn unknown(node: Node) -> Diagnostic {
    let word = node.text();
    let error = Diagnostic::error(node.span(), format!("unknown clause '{word}'"));
    let known = CLAUSES.map(|(clause, _)| clause);
    let error = match (word, did_you_mean(word, known)) {
        ("gmem", _) => error.help("write '#assign gmem (a)'"),
        (_, Some(hint)) => error.help(hint),
        (_, None) => error,
    };
    error.help(format!("the clauses are {}", known.join(", ")))
}

fn clause(rule: Rule, node: Node) -> Option<Clause> {
    let span = node.span();
    match rule {
        Rule::Stream => Some(Clause::Stream { axis: names(node).next()? }),
        Rule::Block => {
            let threads = node.rules().filter(|(rule, _)| *rule == Rule::Threads);
            let threads = threads.filter_map(|(_, one)| Some((names(one).next(), count(one)?)));
            Some(Clause::Block { threads: threads.collect(), span })
        }
        Rule::Unroll => {
            let points = node.rules().filter(|(rule, _)| *rule == Rule::Points);
            let points = points.filter_map(|(_, one)| Some((names(one).next()?, count(one)?)));
            Some(Clause::Unroll { points: points.collect(), span })
        }
        Rule::Shared => {
            let size = node.tokens(Token::Size).next();
            let bytes = match size {
                Some(size) => Count { value: numbers::size(size.text())?, span: size.span() },
                None => count(node)?,
            };
            Some(Clause::Shared { bytes })
        }
        Rule::Occupancy => {
            let number = node
                .children()
                .find(|child| matches!(child.token(), Some(Token::Integer | Token::Number)))?;
            let part = number.text().trim_end_matches(['f', 'F']).parse().ok()?;
            Some(Clause::Occupancy { part, span: number.span() })
        }
        _ => None,
    }
}

/// The integer among the children.
fn count(node: Node) -> Option<Count> {
    let integer = node.tokens(Token::Integer).next()?;
    Some(Count { value: integer.text().parse().ok()?, span: integer.span() })
}
