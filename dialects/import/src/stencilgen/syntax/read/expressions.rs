//! Integers, boxes, and right-hand sides.

use super::{
    super::{
        lexer::Token,
        numbers::{self, Number},
        parser::Rule,
        tree::Node,
    },
    name,
};
use crate::{
    diagnostic::{Diagnostic, Span},
    stencilgen::ast::{
        Expression, ExpressionKind, Integer, IntegerOperator, Operator, Range, Region,
    },
};

/// Limit on the operands of an integer, which is read recursively.
const OPERANDS_MAX: usize = 256;

/// A size, a bound, an index.
pub fn integer(node: Node, diagnostics: &mut Vec<Diagnostic>) -> Option<Integer> {
    if !is_integer(node.rule()?) {
        return None;
    }
    let mut operands = 0;
    let mut open = vec![node];
    while let Some(one) = open.pop() {
        operands += one.tokens(Token::Name).chain(one.tokens(Token::Integer)).count();
        open.extend(one.rules().map(|(_, child)| child));
    }
    if operands > OPERANDS_MAX {
        let message = format!("an index or a size of {operands} operands is too long");
        let error = Diagnostic::error(node.span(), message);
        diagnostics.push(error.help(format!("at most {OPERANDS_MAX} of them are possible")));
        return None;
    }
    short_integer(node)
}

fn is_integer(rule: Rule) -> bool {
    use Rule::{IntegerLiteral, IntegerName, IntegerParen};
    use Rule::{IntegerProduct, IntegerSum, IntegerUnary};
    matches!(rule, IntegerLiteral | IntegerName | IntegerParen)
        || matches!(rule, IntegerProduct | IntegerSum | IntegerUnary)
}

fn short_integer(node: Node) -> Option<Integer> {
    let span = node.span();
    let inner = || node.rules().find_map(|(_, child)| short_integer(child));
    match node.rule()? {
        Rule::IntegerLiteral => Some(Integer::Literal(node.text().parse().ok()?, span)),
        Rule::IntegerName => Some(Integer::Name(name(node))),
        Rule::IntegerParen => inner(),
        Rule::IntegerUnary => Some(Integer::Negate(Box::new(inner()?), span)),
        Rule::IntegerSum | Rule::IntegerProduct => {
            chain(node, short_integer, |operator, one, two| {
                let operator = match operator {
                    Token::Plus => IntegerOperator::Add,
                    Token::Minus => IntegerOperator::Subtract,
                    Token::Star => IntegerOperator::Multiply,
                    Token::Slash => IntegerOperator::Divide,
                    _ => return None,
                };
                let span = one.span().to(two.span());
                Some(Integer::Binary(operator, Box::new(one), Box::new(two), span))
            })
        }
        _ => None,
    }
}

/// A left-associative chain of operators.
fn chain<T>(
    node: Node,
    mut operand: impl FnMut(Node) -> Option<T>,
    join: impl Fn(Token, T, T) -> Option<T>,
) -> Option<T> {
    let mut sum = None;
    let mut operator = None;
    for child in node.children() {
        match (child.rule(), child.token()) {
            (Some(Rule::Error), _) => {}
            (Some(_), _) => {
                let one = operand(child)?;
                sum = match sum.take() {
                    Some(sum) => Some(join(operator?, sum, one)?),
                    None => Some(one),
                };
            }
            (None, Some(token)) if !token.is_trivia() => operator = Some(token),
            (None, _) => {}
        }
    }
    sum
}

/// The indices after the name at the start of a node, if any.
pub fn indices(node: Node, diagnostics: &mut Vec<Diagnostic>) -> Vec<Integer> {
    let indices = node.find(Rule::Indices);
    let children = indices.into_iter().flat_map(Node::rules);
    children.filter_map(|(_, child)| integer(child, diagnostics)).collect()
}

/// `[1:M-2, 1:N-2] :`
pub fn region(node: Node, diagnostics: &mut Vec<Diagnostic>) -> Region {
    let ranges = node.rules().filter(|(rule, _)| *rule == Rule::Range);
    let ranges = ranges.filter_map(|(_, child)| range(child, diagnostics)).collect();
    let last = node.tokens(Token::RBrak).last().map_or(node.span(), Node::span);
    Region { ranges, span: Span::new(node.span().start, last.end) }
}

/// `1:M-2`
pub fn range(node: Node, diagnostics: &mut Vec<Diagnostic>) -> Option<Range> {
    let mut bounds = node.rules().filter_map(|(_, child)| integer(child, diagnostics));
    Some(Range { lower: bounds.next()?, upper: bounds.next(), span: node.span() })
}

/// A right-hand side; recurses once per level of parentheses.
pub fn expression(node: Node, diagnostics: &mut Vec<Diagnostic>) -> Option<Expression> {
    let span = node.span();
    let kind = match node.rule()? {
        Rule::Paren => {
            let mut inner = inner(node, diagnostics)?;
            inner.span = span;
            return Some(inner);
        }
        Rule::Literal => literal(node)?,
        Rule::Reference => ExpressionKind::Name(node.tokens(Token::Name).next().map(name)?),
        Rule::Access => ExpressionKind::Access {
            name: node.tokens(Token::Name).next().map(name)?,
            indices: indices(node, diagnostics),
        },
        Rule::Function => ExpressionKind::Call {
            name: node.tokens(Token::Name).next().map(name)?,
            arguments: node.rules().filter_map(|(_, one)| expression(one, diagnostics)).collect(),
        },
        Rule::Unary => ExpressionKind::Negate(Box::new(inner(node, diagnostics)?)),
        Rule::Disjunction
        | Rule::Conjunction
        | Rule::Comparison
        | Rule::Sum
        | Rule::Product
        | Rule::Power => {
            let operand = |one: Node| expression(one, diagnostics);
            return chain(node, operand, |token, one, two| {
                let span = one.span.to(two.span);
                let kind = ExpressionKind::Binary(operator(token)?, Box::new(one), Box::new(two));
                Some(Expression { kind, span })
            });
        }
        _ => return None,
    };
    Some(Expression { kind, span })
}

/// The only operand.
fn inner(node: Node, diagnostics: &mut Vec<Diagnostic>) -> Option<Expression> {
    node.rules().find_map(|(_, child)| expression(child, diagnostics))
}

fn literal(node: Node) -> Option<ExpressionKind> {
    match node.first_token()? {
        Token::True => Some(ExpressionKind::Bool(true)),
        Token::False => Some(ExpressionKind::Bool(false)),
        Token::Integer => Some(ExpressionKind::Int(node.text().parse().ok()?)),
        Token::Number => match numbers::value(node.text())? {
            Number::Float(value) => Some(ExpressionKind::Float(value)),
            Number::Double(value) => Some(ExpressionKind::Double(value)),
        },
        _ => None,
    }
}

fn operator(token: Token) -> Option<Operator> {
    match token {
        Token::Or => Some(Operator::Or),
        Token::And => Some(Operator::And),
        Token::Equal => Some(Operator::Equal),
        Token::NotEqual => Some(Operator::NotEqual),
        Token::Less => Some(Operator::Less),
        Token::LessEqual => Some(Operator::LessEqual),
        Token::Greater => Some(Operator::Greater),
        Token::GreaterEqual => Some(Operator::GreaterEqual),
        Token::Plus => Some(Operator::Add),
        Token::Minus => Some(Operator::Subtract),
        Token::Star => Some(Operator::Multiply),
        Token::Slash => Some(Operator::Divide),
        Token::Percent => Some(Operator::Remainder),
        Token::Power => Some(Operator::Power),
        _ => None,
    }
}
