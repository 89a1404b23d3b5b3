//! Tokens of a C or CUDA file: words, numbers, marks, and each line of the preprocessor as one.

use crate::diagnostic::Span;
use logos::Logos;
use std::ops::Range;

/// What a token is.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+")]
#[logos(skip r"\\[ \t]*\r?\n")]
pub enum Kind {
    /// A comment, of either form.
    #[token("//", line_comment)]
    #[token("/*", block_comment)]
    Comment,
    /// A line that begins with `#`, with its continuations.
    #[token("#", directive)]
    Directive,
    /// A name or a keyword.
    #[regex(r"[\p{L}_$][\p{L}\p{N}_$]*")]
    Word,
    /// What C's preprocessor takes for a number.
    #[regex(r"\.?[0-9]([eEpP][+-]|[0-9a-zA-Z_.])*")]
    Number,
    /// A string or a character.
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    #[regex(r"'([^'\\\n]|\\[^\n])*'")]
    Text,
    /// An operator or a bracket.
    #[regex(r"<<=|>>=|\.\.\.|->|\+\+|--|&&|\|\||[-+*/%&|^=!<>]=|<<|>>|::")]
    #[token("<<<")]
    #[token(">>>")]
    #[regex(r"[-+*/%&|^=!<>()\[\]{},;:.?~@]")]
    Mark,
    /// Anything else, and what follows the last token.
    Other,
}

fn line_comment(lexer: &mut logos::Lexer<Kind>) {
    let end = end_of_line(lexer.remainder(), false);
    lexer.bump(end);
}

fn block_comment(lexer: &mut logos::Lexer<Kind>) {
    let rest = lexer.remainder();
    lexer.bump(rest.find("*/").map_or(rest.len(), |at| at + 2));
}

fn directive(lexer: &mut logos::Lexer<Kind>) {
    let end = end_of_line(lexer.remainder(), true);
    lexer.bump(end);
}

/// The end of a line with its continuations, and with the comments that begin in it.
fn end_of_line(text: &str, has_comments: bool) -> usize {
    let mut at = 0;
    while let Some(next) = text.as_bytes().get(at) {
        let rest = &text[at..];
        match next {
            b'\n' => break,
            b'\\' => {
                let skipped = rest[1..].trim_start_matches([' ', '\t', '\r']);
                let is_continued = skipped.starts_with('\n');
                at += if is_continued { rest.len() - skipped.len() + 1 } else { 1 };
            }
            b'/' if has_comments && rest.starts_with("/*") => {
                at += rest[2..].find("*/").map_or(rest.len(), |end| end + 4);
            }
            _ => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    at
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it is: for one that a macro gives, where the macro is used.
    pub span: Span,
    /// Where its text is: for one that a macro gives, where the macro is defined.
    pub source: Span,
}

impl Token {
    /// Its text.
    pub fn text(self, all: &str) -> &str {
        &all[self.source.start..self.source.end]
    }

    /// Whether a macro gives it.
    pub fn is_expanded(self) -> bool {
        self.span != self.source
    }

    /// The first word of a directive (`pragma`), and the range of what follows it.
    pub fn directive(self, all: &str) -> Option<(&str, Range<usize>)> {
        if self.kind != Kind::Directive {
            return None;
        }
        let line = self.text(all);
        let rest = line[1..].trim_start_matches([' ', '\t']);
        let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let length = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
        let start = self.span.end - rest.len() + length;
        Some((&rest[..length], start..self.span.end))
    }
}

/// Cuts a part of a text into tokens; comments are among them.
pub fn tokenize(text: &str, part: Range<usize>) -> Vec<Token> {
    let spanned = Kind::lexer(&text[part.clone()]).spanned();
    spanned
        .map(|(kind, span)| {
            let span = Span::new(part.start + span.start, part.start + span.end);
            Token { kind: kind.unwrap_or(Kind::Other), span, source: span }
        })
        .collect()
}

/// Without comments.
pub fn without_comments(mut tokens: Vec<Token>) -> Vec<Token> {
    tokens.retain(|token| token.kind != Kind::Comment);
    tokens
}

/// A place among tokens.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'t> {
    /// All of the text.
    pub text: &'t str,
    /// The tokens.
    pub tokens: &'t [Token],
    /// The next one.
    pub at: usize,
}

impl<'t> Cursor<'t> {
    /// Before the first of some tokens.
    pub fn new(text: &'t str, tokens: &'t [Token]) -> Self {
        Self { text, tokens, at: 0 }
    }

    /// The kind of a token that follows; `Other` at the end.
    pub fn kind(&self, ahead: usize) -> Kind {
        self.tokens.get(self.at + ahead).map_or(Kind::Other, |token| token.kind)
    }

    /// The text of a token that follows; empty at the end.
    pub fn word(&self, ahead: usize) -> &'t str {
        self.tokens.get(self.at + ahead).map_or("", |token| token.text(self.text))
    }

    /// The location of the next token, or of the end.
    pub fn span(&self) -> Span {
        let last = || self.tokens.last().map(|token| Span::new(token.span.end, token.span.end));
        self.tokens.get(self.at).map(|token| token.span).or_else(last).unwrap_or_default()
    }

    /// The location of the token before.
    pub fn last_span(&self) -> Span {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.map_or(self.span(), |token| token.span)
    }

    /// Whether all tokens were passed.
    pub fn is_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Whether the next token is this mark or word.
    pub fn is(&self, word: &str) -> bool {
        self.word(0) == word && self.kind(0) != Kind::Text
    }

    /// Passes a mark or a word, if it is the next one.
    pub fn eat(&mut self, word: &str) -> bool {
        let is = !self.is_end() && self.is(word);
        self.at += usize::from(is);
        is
    }

    /// Passes a token.
    pub fn skip(&mut self) {
        self.at += 1;
    }

    /// Passes a bracket and all up to the one that closes it; one token if it is no bracket.
    pub fn skip_group(&mut self) {
        let mut depth = 0_usize;
        while !self.is_end() {
            match (self.kind(0), self.word(0)) {
                (Kind::Mark, "(" | "[" | "{") => depth += 1,
                (Kind::Mark, ")" | "]" | "}") => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.skip();
            if depth == 0 {
                return;
            }
        }
    }

    /// The tokens from here to one of these marks outside of brackets, which is not passed.
    pub fn until(&mut self, ends: &[&str]) -> &'t [Token] {
        let start = self.at;
        let ends_here = |at: &Self| at.kind(0) == Kind::Mark && ends.contains(&at.word(0));
        while !self.is_end() && !ends_here(self) {
            if self.kind(0) == Kind::Mark && matches!(self.word(0), ")" | "]" | "}") {
                break;
            }
            self.skip_group();
        }
        &self.tokens[start.min(self.tokens.len())..self.at.min(self.tokens.len())]
    }
}

/// The words of a `#pragma`, if it begins (`begin`) or ends (`end`) a region.
pub fn boundary(token: Token, text: &str) -> Option<(&str, Range<usize>)> {
    let ("pragma", rest) = token.directive(text)? else { return None };
    let words = text[rest.clone()].trim_start();
    let length = words.find(char::is_whitespace).unwrap_or(words.len());
    let word = words[..length].trim_end();
    let start = rest.end - words.len() + length;
    matches!(word, "begin" | "end").then_some((word, start..rest.end))
}

/// The word that a text begins with.
pub fn first_word(text: &str) -> &str {
    let text = text.trim_start();
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    &text[..text.find(|character| !is_word(character)).unwrap_or(text.len())]
}

/// The location of some tokens.
pub fn span_of(tokens: &[Token]) -> Option<Span> {
    let spans = tokens.iter().map(|token| token.span);
    spans.reduce(Span::to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let tokens = without_comments(tokenize(text, 0..text.len()));
        tokens.into_iter().map(|token| token.text(text)).collect()
    }

    #[test]
    fn numbers_of_c_are_one_token() {
        assert_eq!(words("1e-5 .5 5.f-2"), ["1e-5", ".5", "5.f", "-", "2"]);
    }

    #[test]
    fn lines_of_the_preprocessor_are_one_token() {
        let text = "#define N \\\n 512 // all\n  # pragma begin r /* of\n two lines */ unroll\nx";
        let found = words(text);
        assert_eq!(found.len(), 3);
        let token = tokenize(text, 0..text.len())[1];
        let (word, rest) = token.directive(text).unwrap();
        assert_eq!((word, &text[rest.start..rest.start + 6]), ("pragma", " begin"));
    }

    #[test]
    fn comments_and_launches_are_told_apart() {
        assert_eq!(words("f<<<g, b>>>(a) /* x */ // y\n;").len(), 10);
        assert_eq!(words("/* open"), [""; 0]);
    }
}
