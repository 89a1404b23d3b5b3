//! Tokens of MLIR text, and what belongs together: each bracket knows its partner.
//!
//! Comments and blanks are no tokens, a string is one. Unreadable bytes are tokens of their own;
//! MLIR's parser reports them.

use crate::diagnostic::{Diagnostic, Span};
use logos::Logos;
use std::ops::Range;

/// What a token is.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub enum Kind {
    /// `arith.addf`, `func`, `x72xf64`
    #[regex(r"[A-Za-z_][A-Za-z0-9_$.]*")]
    Word,
    /// `%0`, `%-by4`
    #[regex(r"%([0-9]+|[A-Za-z_$.\-][A-Za-z0-9_$.\-]*)")]
    Value,
    /// `@laplace`, `@"a name"`
    #[regex(r#"@([A-Za-z_][A-Za-z0-9_$.]*|"([^"\\\n]|\\.)*")"#)]
    Symbol,
    /// `!stencil.field`, without what is between `<` and `>`
    #[regex(r"![A-Za-z_][A-Za-z0-9_$.]*")]
    Type,
    /// `#stencil.index`, `#1` of `%0#1`
    #[regex(r"#[A-Za-z0-9_$.\-]+")]
    Attribute,
    /// `^bb0`
    #[regex(r"\^[A-Za-z0-9_$.\-]+")]
    Label,
    /// `1`, `0x7ff0`, `-1.0` without its sign
    #[regex(r"0x[0-9a-fA-F]+|[0-9]+(\.[0-9]*([eE][+\-]?[0-9]+)?)?")]
    Number,
    /// `"a string"`
    #[regex(r#""([^"\\\n]|\\.)*""#)]
    Text,
    /// An opening bracket.
    #[regex(r"[(\[{<]")]
    Open,
    /// A closing bracket.
    #[regex(r"[)\]}>]")]
    Close,
    /// Any other sign.
    #[regex(r"->|::|>=|<=|==|[-+*=:,?]")]
    Sign,
    /// What no MLIR text contains.
    Unknown,
}

/// A word, sign or bracket of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its bytes.
    pub span: Span,
}

/// The tokens of a text whose brackets match.
pub struct Tokens<'t> {
    source: &'t str,
    tokens: Vec<Token>,
    /// For an opening bracket the number of its closing one.
    partners: Vec<usize>,
}

impl<'t> Tokens<'t> {
    /// Reads a text; a bracket without a partner is an error.
    pub fn of(source: &'t str) -> Result<Tokens<'t>, Diagnostic> {
        let tokens = Tokens::of_damaged(source);
        let partners = partners(source, &tokens.tokens)?;
        Ok(Tokens { partners, ..tokens })
    }

    /// Reads a text whose brackets have no partners.
    pub fn of_damaged(source: &'t str) -> Tokens<'t> {
        let lexer = Kind::lexer(source).spanned();
        let token = |(kind, range): (Result<Kind, ()>, Range<usize>)| Token {
            kind: kind.unwrap_or(Kind::Unknown),
            span: range.into(),
        };
        Tokens { source, tokens: lexer.map(token).collect(), partners: Vec::new() }
    }

    /// The whole text.
    pub fn source(&self) -> &'t str {
        self.source
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// What a token is; the end of the text is unknown.
    pub fn kind(&self, at: usize) -> Kind {
        self.tokens.get(at).map_or(Kind::Unknown, |token| token.kind)
    }

    /// The characters of a token; none at the end.
    pub fn text(&self, at: usize) -> &'t str {
        let span = self.span(at);
        &self.source[span.start..span.end]
    }

    /// The bytes of a token.
    pub fn span(&self, at: usize) -> Span {
        let end = Span::new(self.source.len(), self.source.len());
        self.tokens.get(at).map_or(end, |token| token.span)
    }

    /// The bytes from the first token of a range to its last.
    pub fn span_of(&self, tokens: Range<usize>) -> Span {
        match tokens.is_empty() {
            true => Span::new(self.span(tokens.start).start, self.span(tokens.start).start),
            false => self.span(tokens.start).to(self.span(tokens.end - 1)),
        }
    }

    /// The text between two brackets.
    pub fn inside(&self, open: usize) -> &'t str {
        &self.source[self.span(open).end..self.span(self.close(open)).start]
    }

    /// The closing bracket of an opening one.
    pub fn close(&self, open: usize) -> usize {
        self.partners[open]
    }

    /// Whether it is this sign, bracket or word.
    pub fn is(&self, at: usize, text: &str) -> bool {
        self.kind(at) != Kind::Text && self.text(at) == text
    }

    /// Whether a token is the first of its line.
    pub fn starts_line(&self, at: usize) -> bool {
        let before = &self.source[..self.span(at).start];
        before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
    }
}

/// Finds the partners of brackets. In MLIR text every `<` is one: comparisons are words.
fn partners(source: &str, tokens: &[Token]) -> Result<Vec<usize>, Diagnostic> {
    let mut partners = vec![0; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    let text = |at: usize| &source[tokens[at].span.start..tokens[at].span.end];
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Open => open.push(at),
            Kind::Close => {
                let expected = |open: &usize| closing(text(*open)) == text(at);
                let Some(start) = open.pop().filter(expected) else {
                    let message = format!("'{}' closes no bracket", text(at));
                    return Err(Diagnostic::error(token.span, message));
                };
                partners[start] = at;
            }
            _ => {}
        }
    }
    match open.last() {
        None => Ok(partners),
        Some(start) => {
            let message = format!("'{}' has no '{}'", text(*start), closing(text(*start)));
            Err(Diagnostic::error(tokens[*start].span, message))
        }
    }
}

fn closing(open: &str) -> &'static str {
    match open {
        "(" => ")",
        "[" => "]",
        "{" => "}",
        _ => ">",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        let tokens = Tokens::of(source).unwrap();
        (0..tokens.len()).map(|at| tokens.text(at)).collect()
    }

    #[test]
    fn comments_are_skipped_and_strings_are_one_token() {
        assert_eq!(
            texts("a // b ( \"\n\"c // ) \\\" d\" %-by4"),
            ["a", "\"c // ) \\\" d\"", "%-by4"]
        );
        assert_eq!(texts("%0#1 : !stencil.temp<?x0xf64> -> ()").len(), 11);
    }

    #[test]
    fn brackets_know_their_partners() {
        let tokens = Tokens::of("f ([<1>], {})").unwrap();
        assert_eq!((tokens.close(1), tokens.close(2), tokens.close(3)), (10, 6, 5));
        assert_eq!(tokens.inside(2), "<1>");
    }

    #[test]
    fn a_bracket_without_a_partner_is_named() {
        let message = |text| Tokens::of(text).err().map(|error| (error.span.start, error.message));
        assert_eq!(message("a (b]"), Some((4, "']' closes no bracket".to_owned())));
        assert_eq!(message("a {b"), Some((2, "'{' has no '}'".to_owned())));
        assert_eq!(message(")"), Some((0, "')' closes no bracket".to_owned())));
    }
}
