//! Lexer: every byte belongs to a token, including unreadable ones.
//!
//! [`Lexeme`] is the form of a word, [`Token`] its meaning in context: `stream` is a clause in a
//! pragma and a name elsewhere, `copy-in` a keyword at the start of an item and a difference after
//! `=`. Wrong words become the token that was probably meant, with an error.

use super::{comments, numbers, place::Place};
use crate::diagnostic::{Diagnostic, Span};
use logos::Logos;
use std::ops::Range;

/// What the parser reads; the grammar names them.
#[expect(clippy::upper_case_acronyms, reason = "the generated parser asks for the name EOF")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
pub enum Token {
    EOF, Error,
    Parameter, Iterator, Stencil, Iterate, Inout, Bool, Int, Float, Double,
    AllocIn, CopyIn, CopyOut, Constant, Coefficient, Shmem, NoShmem, Gmem, True, False,
    Name, Integer, Number,
    LPar, RPar, LBrak, RBrak, LBrace, RBrace, Comma, Semi, Colon, DotDot,
    Assign, AddAssign, SubAssign, MulAssign, DivAssign, AndAssign, OrAssign,
    Or, And, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual,
    Plus, Minus, Star, Slash, Percent, Power,
    PragmaStart, AssignStart, PragmaEnd, Stream, Block, Unroll, Shared, Occupancy, Begin, End,
    Tool, Size, Unknown,
    Vector, At, Temporary, Return,
    Whitespace, Comment,
}

/// The reserved words, with their spellings.
pub const KEYWORDS: [(&str, Token); 25] = [
    ("parameter", Token::Parameter),
    ("iterator", Token::Iterator),
    ("stencil", Token::Stencil),
    ("function", Token::Stencil),
    ("iterate", Token::Iterate),
    ("inout", Token::Inout),
    ("bool", Token::Bool),
    ("int", Token::Int),
    ("float", Token::Float),
    ("double", Token::Double),
    ("allocin", Token::AllocIn),
    ("alloc-in", Token::AllocIn),
    ("copyin", Token::CopyIn),
    ("copy-in", Token::CopyIn),
    ("copyout", Token::CopyOut),
    ("copy-out", Token::CopyOut),
    ("constant", Token::Constant),
    ("coefficient", Token::Coefficient),
    ("shmem", Token::Shmem),
    ("no-shmem", Token::NoShmem),
    ("gmem", Token::Gmem),
    ("true", Token::True),
    ("false", Token::False),
    ("#pragma", Token::PragmaStart),
    ("#assign", Token::AssignStart),
];

/// The clauses of pragmas.
pub const CLAUSES: [(&str, Token); 6] = [
    ("stream", Token::Stream),
    ("block", Token::Block),
    ("unroll", Token::Unroll),
    ("shared", Token::Shared),
    ("shmem", Token::Shmem),
    ("occupancy", Token::Occupancy),
];

/// Words that may precede the clauses.
const INTRODUCTIONS: [(&str, Token); 3] =
    [("begin", Token::Begin), ("end", Token::End), ("stencilgen", Token::Tool)];

fn find(table: &[(&str, Token)], word: &str) -> Option<Token> {
    table.iter().find(|(spelling, _)| *spelling == word).map(|(_, token)| *token)
}

impl Token {
    /// Whether the parser skips it.
    pub fn is_trivia(self) -> bool {
        matches!(self, Token::Whitespace | Token::Comment | Token::Error)
    }

    /// Whether it is a reserved word.
    pub fn is_reserved(self) -> bool {
        !matches!(self, Token::PragmaStart | Token::AssignStart)
            && KEYWORDS.iter().any(|(_, token)| *token == self)
    }
}

/// The forms of words.
#[derive(Logos, Clone, Copy, Debug, PartialEq)]
enum Lexeme {
    #[regex(r"[ \t\r\n\f\u{feff}]+")]
    Blank,
    #[token("//")]
    LineComment,
    #[token("/*")]
    BlockComment,
    #[regex(r"#[ \t]*[a-zA-Z]*")]
    Directive,
    #[regex(r"\\[ \t]*\r?\n")]
    Continuation,
    #[regex(r"[a-zA-Z][a-zA-Z0-9_]*")]
    #[regex(r"(copy|alloc)-in", priority = 100)]
    #[token("copy-out")]
    #[token("no-shmem")]
    Word,
    #[regex(r"(copy-in|alloc-in|copy-out|no-shmem)[a-zA-Z0-9_]+", priority = 50)]
    LongerWord,
    #[regex(r"vector[ \t]*#[ \t]*[0-9]+", priority = 100)]
    Vector,
    #[regex(r"[_\p{L}][_\p{L}\p{N}]*", priority = 1)]
    BadWord,
    #[regex(r"[0-9]+", priority = 20)]
    Integer,
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?[fF]?", priority = 20)]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+[fF]?", priority = 20)]
    #[regex(r"[0-9]+[fF]", priority = 20)]
    Number,
    #[regex(r"\.[0-9]+([eE][+-]?[0-9]+)?[fF]?")]
    #[regex(r"[0-9]+\.([eE][+-]?[0-9]+)?[fF]?", priority = 20)]
    BadNumber,
    #[regex(r"[0-9]+\.\.", priority = 20)]
    IntegerDotDot,
    #[regex(r"[0-9]+(\.[0-9]+)?[_a-zA-Z][_a-zA-Z0-9]*", priority = 1)]
    NumberAndWord,
    #[token("(", |_| Token::LPar)]
    #[token(")", |_| Token::RPar)]
    #[token("[", |_| Token::LBrak)]
    #[token("]", |_| Token::RBrak)]
    #[token("{", |_| Token::LBrace)]
    #[token("}", |_| Token::RBrace)]
    #[token(",", |_| Token::Comma)]
    #[token(";", |_| Token::Semi)]
    #[token(":", |_| Token::Colon)]
    #[token("..", |_| Token::DotDot)]
    #[token("=", |_| Token::Assign)]
    #[token("+=", |_| Token::AddAssign)]
    #[token("-=", |_| Token::SubAssign)]
    #[token("*=", |_| Token::MulAssign)]
    #[token("/=", |_| Token::DivAssign)]
    #[token("&=", |_| Token::AndAssign)]
    #[token("|=", |_| Token::OrAssign)]
    #[token("|", |_| Token::Or)]
    #[token("&", |_| Token::And)]
    #[token("==", |_| Token::Equal)]
    #[token("!=", |_| Token::NotEqual)]
    #[token("<", |_| Token::Less)]
    #[token("<=", |_| Token::LessEqual)]
    #[token(">", |_| Token::Greater)]
    #[token(">=", |_| Token::GreaterEqual)]
    #[token("+", |_| Token::Plus)]
    #[token("-", |_| Token::Minus)]
    #[token("*", |_| Token::Star)]
    #[token("/", |_| Token::Slash)]
    #[token("%", |_| Token::Percent)]
    #[token("^", |_| Token::Power)]
    #[token("@", |_| Token::At)]
    Punctuation(Token),
    #[token("&&", |_| Token::And)]
    #[token("||", |_| Token::Or)]
    #[token("**", |_| Token::Power)]
    OtherLanguage(Token),
    #[token("?")]
    #[token("++")]
    Missing,
}

/// A text in tokens.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// What they are.
    pub kinds: Vec<Token>,
    /// Where they are; without gaps, from the first byte to the last.
    pub spans: Vec<Range<usize>>,
    /// What is wrong with them.
    pub diagnostics: Vec<Diagnostic>,
}

/// Cuts a text into tokens.
pub fn tokenize(text: &str, artemis_compat: bool) -> Tokens {
    let last_semi = text.rfind(';').unwrap_or(0);
    let mut lexer = Lexer { text, artemis_compat, last_semi, ..Lexer::default() };
    lexer.program();
    lexer.tokens
}

#[derive(Default)]
struct Lexer<'t> {
    text: &'t str,
    artemis_compat: bool,
    /// After this offset there is no other one.
    last_semi: usize,
    tokens: Tokens,
    place: Place,
    is_in_pragma: bool,
    /// Whether the rest of the statement is unreadable.
    is_lost: bool,
    /// ARTEMIS's reading of the comments is known up to here.
    comments_read: usize,
}

impl Lexer<'_> {
    fn program(&mut self) {
        let mut base = 0;
        let mut lexemes = Lexeme::lexer(self.text);
        while let Some(lexeme) = lexemes.next() {
            let span = base + lexemes.span().start..base + lexemes.span().end;
            let end = match lexeme {
                Ok(Lexeme::LineComment) => self.line_comment(span, self.text.len()),
                Ok(Lexeme::BlockComment) => self.block_comment(span, self.text.len()),
                Ok(Lexeme::Directive) => self.directive(span),
                lexeme => self.lexeme(lexeme, span),
            };
            // A comment of ARTEMIS may end before its line, or far after it.
            if end != base + lexemes.span().end {
                base = end;
                lexemes = Lexeme::lexer(&self.text[base..]);
            }
        }
    }

    /// A lexeme that is the same in pragmas and elsewhere, if it is not a word. Returns its end.
    fn lexeme(&mut self, lexeme: Result<Lexeme, ()>, span: Range<usize>) -> usize {
        let end = span.end;
        let word = &self.text[span.clone()];
        match lexeme {
            Ok(Lexeme::Blank) => self.push(Token::Whitespace, span),
            Ok(Lexeme::Word) => self.word(span),
            Ok(Lexeme::LongerWord) => self.difference(span),
            Ok(Lexeme::Vector) => self.push(Token::Vector, span),
            Ok(Lexeme::BadWord) => {
                let message = format!("'{word}' is not a valid name");
                let help = "names are made of a-z, A-Z, 0-9 and '_', and begin with a letter";
                self.error(&span, message, help);
                self.push(Token::Name, span);
            }
            Ok(Lexeme::Integer) => {
                self.tokens.diagnostics.extend(numbers::check_integer(word, span.clone().into()));
                self.push(Token::Integer, span);
            }
            Ok(Lexeme::Number | Lexeme::BadNumber) => {
                self.tokens.diagnostics.extend(numbers::check(word, span.clone().into()));
                self.push(Token::Number, span);
            }
            Ok(Lexeme::IntegerDotDot) => {
                self.lexeme(Ok(Lexeme::Integer), span.start..end - 2);
                self.push(Token::DotDot, end - 2..end);
            }
            Ok(Lexeme::NumberAndWord) => {
                let message = format!("'{word}' is neither a number nor a name");
                self.error(&span, message, "names begin with a letter; 'f' ends a 32-bit number");
                self.push(Token::Number, span);
            }
            Ok(Lexeme::Punctuation(token)) => self.push(token, span),
            Ok(Lexeme::OtherLanguage(token)) => {
                let meant = if token == Token::Power { "^" } else { &word[..1] };
                self.error(&span, format!("there is no '{word}'"), format!("write '{meant}'"));
                self.push(token, span);
            }
            Ok(Lexeme::Missing) => {
                let (operator, help) = match word {
                    "?" => ("?:", "use regions of statements, or a product with a condition"),
                    _ => (word, "write 'a += 1'"),
                };
                if !self.is_lost {
                    self.error(&span, format!("there is no '{operator}'"), help);
                }
                self.is_lost = true;
                self.push(Token::Error, span);
            }
            Ok(
                Lexeme::LineComment
                | Lexeme::BlockComment
                | Lexeme::Directive
                | Lexeme::Continuation,
            )
            | Err(()) => self.unknown(span),
        }
        end
    }

    /// Unknown characters: one error for a run of them.
    fn unknown(&mut self, span: Range<usize>) {
        let is_run = self.tokens.kinds.last() == Some(&Token::Error);
        if !is_run && !self.is_lost {
            let word = self.text[span.clone()].trim_end().escape_debug().to_string();
            self.error(&span, format!("unexpected character '{word}'"), "remove it");
        }
        self.push(Token::Error, span);
    }

    fn word(&mut self, span: Range<usize>) {
        let word = &self.text[span.clone()];
        let token = match word {
            // A name everywhere else.
            "temporary" if self.place.is_start() && self.is_before_name(span.end) => {
                Token::Temporary
            }
            _ => find(&KEYWORDS, word).unwrap_or(Token::Name),
        };
        // A difference, `a = copy-in;`, within an item.
        if word.contains('-') && token != Token::NoShmem && !self.place.is_start() {
            return self.difference(span);
        }
        self.push(token, span);
    }

    fn is_before_name(&self, end: usize) -> bool {
        self.text[end..].trim_start().starts_with(|next: char| next.is_ascii_alphabetic())
    }

    /// `copy-inner` is a difference.
    fn difference(&mut self, span: Range<usize>) {
        let minus = self.text[span.clone()].find('-').map_or(span.end, |at| span.start + at);
        self.word(span.start..minus);
        self.push(Token::Minus, minus..minus + 1);
        self.word(minus + 1..span.end);
    }

    fn block_comment(&mut self, span: Range<usize>, limit: usize) -> usize {
        let end = self.text[span.end..limit].find("*/").map(|at| span.end + at + 2);
        if end.is_none() {
            self.error(&span, "this comment is not terminated", "write '*/' after it");
        }
        let token = if end.is_some() { Token::Comment } else { Token::Error };
        let end = end.unwrap_or(limit);
        self.push(token, span.start..end);
        end
    }

    fn line_comment(&mut self, span: Range<usize>, limit: usize) -> usize {
        let is_before_statement = self.place.is_statement_start() && !self.is_in_pragma;
        let line_end = || self.text[span.end..limit].find('\n').map_or(limit, |at| span.end + at);
        let mut end = None;
        if self.artemis_compat {
            let rest = if span.start < self.last_semi { &self.text[span.start..] } else { "" };
            match rest.find(';') {
                Some(semi) if is_before_statement => end = Some(span.start + semi + 1),
                None if is_before_statement => {
                    let message =
                        "this comment is not terminated: it takes out all up to the next ';'";
                    self.error(&span, message, "write ';' after it, or remove --artemis-compat");
                }
                _ => {
                    let message =
                        "for ARTEMIS '//' is allowed only before a statement of a stencil";
                    let help = "write '/* */' around the comment, or remove --artemis-compat";
                    self.error(&span, message, help);
                }
            }
        } else if is_before_statement && span.start >= self.comments_read {
            let reading = comments::read_as_artemis(self.text, span.start);
            self.comments_read = reading.end;
            self.tokens.diagnostics.extend(reading.difference);
        }
        let end = end.unwrap_or_else(line_end);
        self.push(Token::Comment, span.start..end);
        end
    }

    /// A line that begins with `#`.
    fn directive(&mut self, span: Range<usize>) -> usize {
        let end = comments::end_of_line(self.text, span.end);
        let word = self.text[span.start + 1..span.end].trim_start();
        let token = find(&KEYWORDS, &format!("#{word}"));
        match token {
            Some(token) => {
                self.is_lost = false;
                self.push(token, span.clone());
                self.is_in_pragma = true;
                self.pragma(token, span.end..end);
                self.is_in_pragma = false;
            }
            None => {
                let help = match word {
                    "define" => "sizes are parameters: 'parameter N = 512;'",
                    "include" => "write what the file holds",
                    _ => "a line with '#' is '#pragma' or '#assign'",
                };
                self.error(&span, format!("there is no '#{word}'"), help);
                self.push(Token::Error, span.start..end);
            }
        }
        end
    }

    fn pragma(&mut self, start: Token, range: Range<usize>) {
        let mut lexemes = Lexeme::lexer(&self.text[range.clone()]);
        let mut pragma = Pragma { start, last: [Token::EOF; 2], is_lost: false };
        while let Some(lexeme) = lexemes.next() {
            let span = range.start + lexemes.span().start..range.start + lexemes.span().end;
            let first = self.tokens.kinds.len();
            let end = match lexeme {
                Ok(Lexeme::Word) => {
                    let rest = &self.text[span.end..range.end];
                    let token = pragma.word(&self.text[span.clone()], rest);
                    self.push(token, span.clone());
                    span.end
                }
                Ok(Lexeme::NumberAndWord) if numbers::size(&self.text[span.clone()]).is_some() => {
                    self.push(Token::Size, span.clone());
                    span.end
                }
                Ok(Lexeme::Continuation) => {
                    self.push(Token::Whitespace, span.clone());
                    span.end
                }
                Ok(Lexeme::BlockComment) => self.block_comment(span.clone(), range.end),
                Ok(Lexeme::LineComment) => self.line_comment(span.clone(), range.end),
                lexeme => self.lexeme(lexeme, span.clone()),
            };
            lexemes.bump((end - span.end).min(lexemes.remainder().len()));
            for token in &mut self.tokens.kinds[first..] {
                pragma.see(token);
            }
        }
        self.is_lost = false;
        self.push(Token::PragmaEnd, range.end..range.end);
    }

    fn push(&mut self, token: Token, span: Range<usize>) {
        if matches!(token, Token::Semi | Token::LBrace | Token::RBrace) {
            self.is_lost = false;
        }
        let token = if self.is_lost && !token.is_trivia() { Token::Error } else { token };
        self.place.see(token);
        self.tokens.kinds.push(token);
        self.tokens.spans.push(span);
    }

    fn error(&mut self, span: &Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        let error = Diagnostic::error(Span::from(span.clone()), message);
        self.tokens.diagnostics.push(error.help(help));
    }
}

/// The words of a pragma so far.
struct Pragma {
    start: Token,
    /// The last two tokens that are not trivia.
    last: [Token; 2],
    /// Whether this is after an unknown clause, whose operands are unknown.
    is_lost: bool,
}

impl Pragma {
    /// The token of a word, given the text after it.
    fn word(&self, word: &str, rest: &str) -> Token {
        if self.start == Token::AssignStart {
            return find(&KEYWORDS, word).unwrap_or(Token::Name);
        }
        let [before, last] = self.last;
        let is_axis = matches!(last, Token::Stream | Token::Block | Token::Unroll)
            || matches!(last, Token::Begin | Token::End | Token::Comma)
            || (last == Token::LPar && before != Token::Unknown);
        if is_axis || rest.trim_start().starts_with('=') {
            return Token::Name;
        }
        find(&CLAUSES, word).or_else(|| find(&INTRODUCTIONS, word)).unwrap_or(Token::Unknown)
    }

    fn see(&mut self, token: &mut Token) {
        if token.is_trivia() {
            return;
        }
        let is_clause = CLAUSES.iter().any(|(_, clause)| clause == token);
        if self.start == Token::PragmaStart && self.is_lost && !is_clause {
            *token = Token::Error;
            return;
        }
        self.is_lost = *token == Token::Unknown;
        self.last = [self.last[1], *token];
    }
}
