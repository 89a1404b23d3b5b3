//! Expressions of C: indices, sizes, and values at a point.
//!
//! Macros are replaced already. What C has and a stencil cannot compute is refused with what to
//! write instead.

use super::{
    calls::Calls,
    numbers::number,
    tokens::{Cursor, Kind, Token},
};
use crate::{
    diagnostic::{Diagnostic, Span},
    stencilgen::ast::{Expression, ExpressionKind, Integer, IntegerOperator, Name, Operator},
};

/// Limit on nested brackets and signs.
const DEPTH_MAX: usize = 200;

/// Why a text is no expression.
pub type Refusal = Box<Diagnostic>;

/// Reads expressions.
pub struct Reader<'t> {
    /// The place in the text.
    pub cursor: Cursor<'t>,
    calls: &'t Calls,
    depth: usize,
    /// Whether what is read is computed with, so that the types of numbers matter.
    is_value: bool,
}

/// An error with its remedy.
pub fn refuse<T>(
    span: Span,
    what: impl Into<String>,
    help: impl Into<String>,
) -> Result<T, Refusal> {
    Err(Box::new(Diagnostic::error(span, what).help(help)))
}

impl<'t> Reader<'t> {
    /// Before the first of some tokens.
    pub fn new(text: &'t str, tokens: &'t [Token], calls: &'t Calls) -> Self {
        Self { cursor: Cursor::new(text, tokens), calls, depth: 0, is_value: false }
    }

    /// As [`Reader::new`], for what is computed with.
    pub fn of_values(text: &'t str, tokens: &'t [Token], calls: &'t Calls) -> Self {
        Self { is_value: true, ..Self::new(text, tokens, calls) }
    }

    /// All of the tokens as an expression.
    pub fn whole(mut self) -> Result<Expression, Refusal> {
        let value = self.expression()?;
        self.end()?;
        Ok(value)
    }

    /// All of the tokens as an integer.
    pub fn whole_integer(mut self) -> Result<Integer, Refusal> {
        let value = self.integer()?;
        self.end()?;
        Ok(value)
    }

    fn end(&self) -> Result<(), Refusal> {
        if self.cursor.is_end() { Ok(()) } else { self.unexpected("the end of the expression") }
    }

    /// An error at the next token.
    pub fn unexpected<T>(&self, expected: &str) -> Result<T, Refusal> {
        let found = match self.cursor.word(0) {
            "" => "the end".to_owned(),
            word => format!("'{}'", word.lines().next().unwrap_or_default()),
        };
        let what = format!("expected {expected}, found {found}");
        Err(Box::new(Diagnostic::error(self.cursor.span(), what)))
    }

    fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        if self.depth >= DEPTH_MAX {
            let what = format!("this is nested more than {DEPTH_MAX} deep");
            return refuse(self.cursor.span(), what, "use scalars for parts of it");
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }

    /// A value.
    pub fn expression(&mut self) -> Result<Expression, Refusal> {
        self.nested(|reader| reader.binary(0))
    }

    /// Operators that bind at least as much as `level`.
    fn binary(&mut self, level: u8) -> Result<Expression, Refusal> {
        let mut left = self.unary()?;
        loop {
            let span = self.cursor.span();
            let word = if self.cursor.is_end() { "" } else { self.cursor.word(0) };
            let Some((operator, binding)) = operator(word) else {
                let help = match word {
                    "?" => "write it with fmin, fmax, or a product with a comparison",
                    "^" => "'^' is C's exclusive or; a power is pow(x, n)",
                    "<<" | ">>" => "write a product or a quotient",
                    _ => return Ok(left),
                };
                return refuse(span, format!("'{word}' cannot be computed at a point"), help);
            };
            if binding < level {
                return Ok(left);
            }
            self.cursor.skip();
            let mut right = self.nested(|reader| reader.binary(binding + 1))?;
            if matches!(word, "&&" | "||") {
                (left, right) = (truth(left), truth(right));
            }
            let span = left.span.to(right.span);
            let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
            left = Expression { kind, span };
        }
    }

    fn unary(&mut self) -> Result<Expression, Refusal> {
        let start = self.cursor.span();
        if self.cursor.eat("+") {
            return self.nested(Self::unary);
        }
        if self.cursor.eat("-") {
            let inner = self.nested(Self::unary)?;
            let span = start.to(inner.span);
            return Ok(Expression { kind: ExpressionKind::Negate(Box::new(inner)), span });
        }
        if self.cursor.eat("!") {
            let inner = self.nested(Self::unary)?;
            let span = start.to(inner.span);
            return Ok(compared_with_zero(Operator::Equal, inner, span));
        }
        let help = match self.cursor.word(0) {
            "*" | "&" => "write the cell, as in a[k][j][i]",
            "++" | "--" => "write 'x += 1' as a statement",
            "~" => "write it without bits",
            _ => return self.primary(),
        };
        let what = format!("'{}' cannot be computed at a point", self.cursor.word(0));
        refuse(start, what, help)
    }

    fn primary(&mut self) -> Result<Expression, Refusal> {
        let start = self.cursor.span();
        let word = self.cursor.word(0);
        match self.cursor.kind(0) {
            Kind::Number => {
                self.cursor.skip();
                Ok(Expression { kind: number(word, start, self.is_value)?, span: start })
            }
            Kind::Mark if word == "(" => self.parenthesized(start),
            Kind::Word if !is_keyword(word) => self.reference(start),
            Kind::Text => refuse(start, "a text is no number", "write a number"),
            _ => self.unexpected("a number, a name or '('"),
        }
    }

    fn parenthesized(&mut self, start: Span) -> Result<Expression, Refusal> {
        self.cursor.skip();
        let word = self.cursor.word(0);
        let is_type = self.calls.types.contains(word) && self.cursor.word(1) == ")";
        if is_type || super::declarations::type_word(word).is_some() {
            let help = "remove the cast: an operation takes the wider type of its operands";
            return refuse(start, "casts are not read here", help);
        }
        let mut inner = self.expression()?;
        if !self.cursor.eat(")") {
            return self.unexpected("')'");
        }
        inner.span = start.to(self.cursor.last_span());
        Ok(inner)
    }

    fn reference(&mut self, start: Span) -> Result<Expression, Refusal> {
        let text = self.cursor.word(0).to_owned();
        self.cursor.skip();
        let name = Name { text, span: start };
        let kind = match self.cursor.word(0) {
            "[" if !self.cursor.is_end() => {
                let indices = self.indices()?;
                ExpressionKind::Access { name, indices }
            }
            "(" if !self.cursor.is_end() => self.call(name)?,
            "." | "->" | "::" | "++" | "--" => {
                let what = format!("'{}' cannot be computed at a point", self.cursor.word(0));
                let help = "use arrays, scalars and C's mathematical functions";
                return refuse(self.cursor.span(), what, help);
            }
            _ => ExpressionKind::Name(name),
        };
        Ok(Expression { kind, span: start.to(self.cursor.last_span()) })
    }

    fn call(&mut self, name: Name) -> Result<ExpressionKind, Refusal> {
        let name = self.calls.called(name)?;
        self.cursor.skip();
        let mut arguments = Vec::new();
        while !self.cursor.eat(")") {
            if !arguments.is_empty() && !self.cursor.eat(",") {
                return self.unexpected("',' or ')'");
            }
            arguments.push(self.expression()?);
        }
        Ok(ExpressionKind::Call { name, arguments })
    }

    /// `[k+1][j]` or `[k+1,j]`.
    pub fn indices(&mut self) -> Result<Vec<Integer>, Refusal> {
        let mut indices = Vec::new();
        while !self.cursor.is_end() && self.cursor.eat("[") {
            loop {
                indices.push(self.integer()?);
                if !self.cursor.eat(",") {
                    break;
                }
            }
            if !self.cursor.eat("]") {
                return self.unexpected("']' or ','");
            }
        }
        Ok(indices)
    }

    /// An integer of names and numbers.
    pub fn integer(&mut self) -> Result<Integer, Refusal> {
        let is_value = std::mem::replace(&mut self.is_value, false);
        let value = self.nested(|reader| reader.binary(4));
        self.is_value = is_value;
        integer(&value?)
    }
}

/// What `&&`, `||` and `!` take a value for: C's comparison with zero.
fn truth(value: Expression) -> Expression {
    let span = value.span;
    match is_truth(&value) {
        true => value,
        false => compared_with_zero(Operator::NotEqual, value, span),
    }
}

fn compared_with_zero(operator: Operator, value: Expression, span: Span) -> Expression {
    let zero = Expression { kind: ExpressionKind::Int(0), span };
    Expression { kind: ExpressionKind::Binary(operator, Box::new(value), Box::new(zero)), span }
}

/// Whether a value is a comparison, or made of comparisons by `&&` and `||`.
fn is_truth(value: &Expression) -> bool {
    use Operator::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
    match &value.kind {
        ExpressionKind::Binary(And | Or, one, two) => is_truth(two) && is_truth(one),
        ExpressionKind::Binary(operator, ..) => {
            matches!(operator, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
        }
        _ => false,
    }
}

/// An expression as an integer.
pub fn integer(value: &Expression) -> Result<Integer, Refusal> {
    let span = value.span;
    match &value.kind {
        ExpressionKind::Int(number) => Ok(Integer::Literal(*number, span)),
        ExpressionKind::Name(name) => Ok(Integer::Name(name.clone())),
        ExpressionKind::Negate(one) => Ok(Integer::Negate(Box::new(integer(one)?), span)),
        ExpressionKind::Binary(operator, one, two) => {
            let operator = match operator {
                Operator::Add => IntegerOperator::Add,
                Operator::Subtract => IntegerOperator::Subtract,
                Operator::Multiply => IntegerOperator::Multiply,
                Operator::Divide => IntegerOperator::Divide,
                _ => return refuse(span, NO_INDEX, INDEX_HELP),
            };
            Ok(Integer::Binary(operator, Box::new(integer(one)?), Box::new(integer(two)?), span))
        }
        ExpressionKind::Access { .. } => {
            let help = "an index that is read from memory cannot be analysed; indices are \
                        iterators and numbers";
            refuse(span, NO_INDEX, help)
        }
        _ => refuse(span, NO_INDEX, INDEX_HELP),
    }
}

const NO_INDEX: &str = "this is no index and no size";
const INDEX_HELP: &str = "indices are an iterator plus a number, as in k+1";

/// C's operators, and how much they bind.
fn operator(word: &str) -> Option<(Operator, u8)> {
    Some(match word {
        "||" => (Operator::Or, 0),
        "&&" => (Operator::And, 1),
        "|" => (Operator::Or, 2),
        "&" => (Operator::And, 3),
        "==" => (Operator::Equal, 4),
        "!=" => (Operator::NotEqual, 4),
        "<" => (Operator::Less, 5),
        "<=" => (Operator::LessEqual, 5),
        ">" => (Operator::Greater, 5),
        ">=" => (Operator::GreaterEqual, 5),
        "+" => (Operator::Add, 6),
        "-" => (Operator::Subtract, 6),
        "*" => (Operator::Multiply, 7),
        "/" => (Operator::Divide, 7),
        "%" => (Operator::Remainder, 7),
        _ => return None,
    })
}

/// Words that begin no value.
fn is_keyword(word: &str) -> bool {
    const KEYWORDS: [&str; 12] = [
        "if", "else", "for", "while", "do", "return", "switch", "case", "sizeof", "goto", "break",
        "continue",
    ];
    KEYWORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokenize;
    use super::*;

    fn read(text: &str) -> Result<Expression, Refusal> {
        let tokens = tokenize(text, 0..text.len());
        Reader::of_values(text, &tokens, &Calls::default()).whole()
    }

    /// The value of an expression of numbers.
    fn value(expression: &Expression) -> f64 {
        match &expression.kind {
            ExpressionKind::Int(value) => *value as f64,
            ExpressionKind::Double(value) => *value,
            ExpressionKind::Float(value) => f64::from(*value),
            ExpressionKind::Negate(one) => -value(one),
            ExpressionKind::Binary(operator, one, two) => {
                let (one, two) = (value(one), value(two));
                match operator {
                    Operator::Add => one + two,
                    Operator::Subtract => one - two,
                    Operator::Multiply => one * two,
                    Operator::Divide => one / two,
                    Operator::Less => f64::from(one < two),
                    Operator::NotEqual => f64::from(one != two),
                    Operator::And => f64::from(one as i32 & two as i32),
                    Operator::Or => f64::from(one as i32 | two as i32),
                    Operator::Equal => f64::from(one == two),
                    other => panic!("{other:?}"),
                }
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn operators_bind_as_in_c() {
        for (text, expected) in [
            ("1 - 2 - 3 * -4.", 11.0),
            ("-(.5 + 1e-1) * 10", -6.0),
            ("1 < 2 == 1", 1.0),
            ("8 / 2 / 2 + 0x10", 18.0),
            ("!(1 < 2) + !0", 1.0),
            ("2 && 1", 1.0),
            ("(4 && 0) || 0", 0.0),
            ("6 & 3", 2.0),
        ] {
            assert_eq!(value(&read(text).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_computed_names_the_remedy() {
        for (text, message) in [
            ("a ? b : c", "'?' cannot be computed at a point"),
            ("a ^ 2", "'^' cannot be computed at a point"),
            ("(double) a", "casts are not read here"),
            ("a[b[i]]", "this is no index and no size"),
            ("a + ", "expected a number, a name or '(', found the end"),
            ("08", "number '08' is octal"),
            ("1e999", "number '1e999' is too large"),
            ("0.1L", "number '0.1L' is a long double"),
            ("2u", "number '2u' is unsigned"),
            ("2 * 3L", "number '3L' is a long"),
            ("max(a, b)", "'max' is no function of C"),
        ] {
            assert_eq!(read(text).unwrap_err().message, message, "{text}");
        }
        let deep = "(".repeat(100_000);
        assert!(read(&deep).unwrap_err().message.starts_with("this is nested"));
    }

    #[test]
    fn cells_have_either_spelling() {
        let one = read("a[k+1][j][i-2]").unwrap();
        let two = read("a[k+1,j,i-2]").unwrap();
        let count = |one: &Expression| match &one.kind {
            ExpressionKind::Access { indices, .. } => indices.len(),
            _ => 0,
        };
        assert_eq!((count(&one), count(&two)), (3, 3));
    }
}
