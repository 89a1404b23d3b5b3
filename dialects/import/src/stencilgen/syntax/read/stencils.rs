//! Stencil functions.

use super::{
    super::{lexer::Token, parser::Rule, tree::Node},
    declared_type, expressions, name, names,
};
use crate::{
    diagnostic::Diagnostic,
    stencilgen::ast::{
        Assign, Declaration, Expression, Formal, Hint, Local, Placement, Statement, Stencil, Target,
    },
};

/// A stencil function, without its pragmas.
pub fn stencil(node: Node, diagnostics: &mut Vec<Diagnostic>) -> Option<Stencil> {
    let mut stencil = Stencil {
        name: node.tokens(Token::Name).next().map(name)?,
        formals: Vec::new(),
        locals: Vec::new(),
        hints: Vec::new(),
        clauses: Vec::new(),
        statements: Vec::new(),
        span: node.span(),
    };
    for (rule, member) in node.rules() {
        match rule {
            Rule::Formal => stencil.formals.extend(formal(member)),
            Rule::Local => locals(member, &mut stencil.locals, diagnostics),
            Rule::Hint => stencil.hints.extend(hints(member)),
            Rule::Statement => stencil.statements.extend(statement(member, diagnostics)),
            _ => {}
        }
    }
    Some(stencil)
}

fn formal(node: Node) -> Option<Formal> {
    let name = node.tokens(Token::Name).next().map(name)?;
    Some(Formal { name, inout: node.tokens(Token::Inout).next().is_some() })
}

fn locals(node: Node, locals: &mut Vec<Local>, diagnostics: &mut Vec<Diagnostic>) {
    let Some(r#type) = declared_type(node) else { return };
    for (_, variable) in node.rules().filter(|(rule, _)| *rule == Rule::Variable) {
        let Some(name) = variable.tokens(Token::Name).next().map(name) else { continue };
        let extents = expressions::indices(variable, diagnostics);
        let value = value(variable, diagnostics);
        if let (false, Some(value)) = (extents.is_empty(), &value) {
            let message = format!("array '{}' cannot have a value here", name.text);
            let error = Diagnostic::error(value.span, message);
            diagnostics.push(error.help("assign to it in a statement"));
        }
        locals.push(Local { declaration: Declaration { r#type, name, extents }, value });
    }
}

/// The only right-hand side among the children.
fn value(node: Node, diagnostics: &mut Vec<Diagnostic>) -> Option<Expression> {
    node.rules().find_map(|(_, child)| expressions::expression(child, diagnostics))
}

/// The words of a list of hints; also of a pragma's placement.
pub fn hints(node: Node) -> Vec<Hint> {
    let placement = match node.first_token() {
        Some(Token::Shmem) => Placement::Shared,
        Some(Token::NoShmem) => Placement::NotShared,
        Some(Token::Gmem) => Placement::Global,
        _ => return Vec::new(),
    };
    names(node).map(|name| Hint { placement, name }).collect()
}

fn statement(node: Node, diagnostics: &mut Vec<Diagnostic>) -> Option<Statement> {
    let region = node.find(Rule::Region).map(|region| expressions::region(region, diagnostics));
    let target = target(node.find(Rule::Target)?, diagnostics)?;
    let operator = match node.find(Rule::Assign)?.first_token()? {
        Token::Assign => Assign::Set,
        Token::AddAssign => Assign::Add,
        Token::SubAssign => Assign::Subtract,
        Token::MulAssign => Assign::Multiply,
        Token::DivAssign => Assign::Divide,
        Token::AndAssign => Assign::And,
        Token::OrAssign => Assign::Or,
        _ => return None,
    };
    let value = value(node, diagnostics)?;
    Some(Statement { region, target, operator, value, span: node.span() })
}

fn target(node: Node, diagnostics: &mut Vec<Diagnostic>) -> Option<Target> {
    // Parentheses around it have no meaning; the span includes them.
    let mut inner = node;
    while let Some(one) = inner.find(Rule::Target) {
        inner = one;
    }
    Some(Target {
        name: inner.tokens(Token::Name).next().map(name)?,
        indices: expressions::indices(inner, diagnostics),
        span: node.span(),
    })
}
