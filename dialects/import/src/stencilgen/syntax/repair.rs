//! Repairs common mistakes before parsing: they are replaced by what was meant, with an error, so
//! that they cause no further errors.
//!
//! Misspelled keywords, reserved words as names, statements of C; and nesting too deep for a
//! recursive parser, after which the text is not read.

use super::{
    lexer::{KEYWORDS, Token, Tokens},
    place::Place,
};
use crate::diagnostic::{Diagnostic, Span};

/// Limit on nested brackets, minus signs and powers.
pub const DEPTH_MAX: usize = 256;

/// Repairs the tokens of a text.
pub fn repair(text: &str, tokens: &mut Tokens) {
    let seen = (0..tokens.kinds.len()).filter(|one| !tokens.kinds[*one].is_trivia()).collect();
    let is_early = tokens.kinds.iter().any(|token| matches!(token, Token::Vector | Token::At));
    let mut repair =
        Repair { text, tokens, seen, place: Place::default(), pragma: false, brace: 0, is_early };
    repair.limit_depth();
    for at in 0..repair.seen.len() {
        match repair.kind(at) {
            Token::PragmaStart | Token::AssignStart if repair.place.is_in_body() => {
                repair.inner_pragma(at);
            }
            Token::PragmaStart | Token::AssignStart => repair.pragma = true,
            Token::PragmaEnd => repair.pragma = false,
            _ if repair.pragma => {}
            Token::Name => repair.name(at),
            token if is_outer(token) && repair.is_misplaced(at) => repair.inner_list(at),
            token if token.is_reserved() => repair.reserved(at),
            _ => {}
        }
        repair.place.see(repair.kind(at));
    }
}

struct Repair<'t> {
    text: &'t str,
    tokens: &'t mut Tokens,
    /// The tokens that the parser sees.
    seen: Vec<usize>,
    place: Place,
    pragma: bool,
    /// The next token that begins or ends a braced item, as far as known.
    brace: usize,
    /// Whether stencils return their value, as in the earliest form of the language.
    is_early: bool,
}

impl Repair<'_> {
    fn kind(&self, at: usize) -> Token {
        self.seen.get(at).map_or(Token::EOF, |one| self.tokens.kinds[*one])
    }

    fn set(&mut self, at: usize, token: Token) {
        if let Some(one) = self.seen.get(at) {
            self.tokens.kinds[*one] = token;
        }
    }

    fn span(&self, at: usize) -> Span {
        self.tokens.spans[self.seen[at]].clone().into()
    }

    fn word(&self, at: usize) -> &str {
        let span = self.span(at);
        &self.text[span.start..span.end]
    }

    fn error(&mut self, at: usize, message: String, help: String) {
        let error = Diagnostic::error(self.span(at), message);
        self.tokens.diagnostics.push(error.help(help));
    }

    /// A name at the start of an item or a statement may be a misspelled keyword, or one of C.
    fn name(&mut self, at: usize) {
        if !self.place.is_start() {
            return;
        }
        if self.is_early && self.word(at) == "return" {
            return self.set(at, Token::Return);
        }
        if self.is_control(at) {
            return self.control(at);
        }
        let looks_like_keyword = match self.kind(at + 1) {
            Token::Name => true,
            Token::Integer => !self.place.is_in_body(),
            Token::LPar => self.kind(self.behind_brackets(at + 1)) == Token::LBrace,
            _ => false,
        };
        if !looks_like_keyword {
            return;
        }
        let in_body = self.place.is_in_body();
        if let Some((spelling, token)) = nearest(self.word(at), |token| begins(token, in_body)) {
            let message = format!("unknown keyword '{}'", self.word(at));
            self.error(at, message, format!("did you mean '{spelling}'?"));
            self.set(at, token);
        } else if self.is_declaration(at) {
            let message = format!("unknown type '{}'", self.word(at));
            self.error(at, message, "types are double, float, int and bool".to_owned());
            self.set(at, Token::Double);
        }
    }

    /// Whether what a name begins would be a declaration, if the name were a type. In a body,
    /// `a b;` rather lacks an assignment.
    fn is_declaration(&self, at: usize) -> bool {
        use Token::{Assign, Comma, LBrak, Semi};
        let next = self.kind(at + 2);
        let is_end = next == Semi && !self.place.is_in_body();
        self.kind(at + 1) == Token::Name && (is_end || matches!(next, Assign | Comma | LBrak))
    }

    fn is_control(&self, at: usize) -> bool {
        let is_control = match self.word(at) {
            "if" | "for" | "while" | "switch" => self.kind(at + 1) == Token::LPar,
            "else" | "do" => matches!(self.kind(at + 1), Token::LBrace | Token::Name),
            "return" => !is_assignment(self.kind(at + 1)),
            _ => false,
        };
        // A stencil may have one of these names, and be called.
        is_control && (self.place.is_in_body() || !self.is_call(at))
    }

    fn is_call(&self, at: usize) -> bool {
        self.kind(at + 1) == Token::LPar && {
            let end = self.behind_brackets(at + 1);
            let names = (at + 2..end.saturating_sub(1)).map(|one| self.kind(one));
            let only_names = names.into_iter().all(|one| matches!(one, Token::Name | Token::Comma));
            only_names && self.kind(end) == Token::Semi
        }
    }

    /// A statement of C: its head and braces are skipped.
    fn control(&mut self, at: usize) {
        let word = self.word(at).to_owned();
        let help = match word.as_str() {
            "for" | "while" | "do" if self.place.is_in_body() => {
                "a statement is done for every point of its region already"
            }
            "for" | "while" | "do" => "write 'iterate 10 { ... }' to repeat calls",
            "return" => "assign to an argument of the stencil",
            _ => "write a region before a statement, as in '[1:N-2] : a[i] = b[i];'",
        };
        self.error(at, format!("there is no '{word}'"), help.to_owned());
        if word == "return" {
            return self.lose_statement(at);
        }
        let is_bracket = self.kind(at + 1) == Token::LPar;
        let mut end = if is_bracket { self.behind_brackets(at + 1) } else { at + 1 };
        if self.kind(end) == Token::LBrace {
            let brace = self.behind_brackets(end).saturating_sub(1);
            if self.kind(brace) == Token::RBrace {
                self.set(brace, Token::Error);
            }
            end += 1;
        }
        for one in at..end {
            self.set(one, Token::Error);
        }
    }

    /// A pragma inside a stencil belongs to none.
    fn inner_pragma(&mut self, at: usize) {
        let message = format!("'{}' belongs before a stencil, not in it", self.word(at));
        self.error(at, message, "move it".to_owned());
        for one in at..self.seen.len() {
            let is_end = self.kind(one) == Token::PragmaEnd;
            self.set(one, Token::Error);
            if is_end {
                return;
            }
        }
    }

    /// Whether a declaration is inside a body, rather than the body's brace missing.
    fn is_misplaced(&mut self, at: usize) -> bool {
        use Token::{Iterate, LBrace, RBrace, Stencil};
        if !self.place.is_statement_start() {
            return false;
        }
        if self.brace < at {
            let is_brace = |one| matches!(self.kind(one), LBrace | RBrace | Stencil | Iterate);
            self.brace = (at..self.seen.len()).find(|one| is_brace(*one)).unwrap_or(usize::MAX);
        }
        self.kind(self.brace) == RBrace
    }

    /// A declaration inside a stencil that belongs before it.
    fn inner_list(&mut self, at: usize) {
        let message = format!("'{}' belongs before the stencils, not in them", self.word(at));
        self.error(at, message, "move it out of the braces".to_owned());
        self.lose_statement(at);
    }

    /// Skips the rest of a statement.
    fn lose_statement(&mut self, at: usize) {
        for one in at..self.seen.len() {
            if ends_statement(self.kind(one)) {
                return;
            }
            self.set(one, Token::Error);
        }
    }

    /// The position after the bracket that closes the one at `at`.
    fn behind_brackets(&self, at: usize) -> usize {
        let mut depth = 0_usize;
        for one in at..self.seen.len() {
            match self.kind(one) {
                Token::LPar | Token::LBrak | Token::LBrace => depth += 1,
                Token::RPar | Token::RBrak | Token::RBrace if depth == 1 => return one + 1,
                Token::RPar | Token::RBrak | Token::RBrace => depth = depth.saturating_sub(1),
                Token::Semi if self.kind(at) == Token::LPar && self.word_before(at) != "for" => {
                    return one;
                }
                _ => {}
            }
        }
        self.seen.len()
    }

    fn word_before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |before| self.word(before))
    }

    /// A reserved word where a name is needed.
    fn reserved(&mut self, at: usize) {
        let (token, next) = (self.kind(at), self.kind(at + 1));
        let is_bool = matches!(token, Token::True | Token::False);
        let is_name = match self.place.last() {
            Some(last) if is_followed_by_name(last) => true,
            Some(last) if is_followed_by_value(last) => !is_bool && !self.place.is_start(),
            _ => false,
        };
        let is_name = is_name && may_follow_name(next) && !(token, next).eq(&INOUT);
        let is_target = self.place.is_start() && token != Token::Iterate;
        let is_target = is_target && (is_assignment(next) || next == Token::LBrak);
        if is_name || is_target {
            let word = self.word(at).to_owned();
            let name = word.replace('-', "_");
            let message = format!("'{word}' is a reserved word and cannot be a name");
            self.error(at, message, format!("write another name, such as '{name}_1'"));
            self.set(at, Token::Name);
        }
    }

    /// Stops reading where more than [`DEPTH_MAX`] recursions would be needed.
    fn limit_depth(&mut self) {
        // Minus signs and powers since each open bracket.
        let mut chains = vec![0_usize];
        let mut depth = 0;
        for at in 0..self.seen.len() {
            let before = at.checked_sub(1).map_or(Token::Semi, |before| self.kind(before));
            let is_inside = chains.len() > 1;
            let chain = chains.last_mut().expect("the outermost is never taken away");
            match self.kind(at) {
                Token::LPar | Token::LBrak | Token::LBrace => {
                    chains.push(0);
                    depth += 1;
                }
                Token::RPar | Token::RBrak | Token::RBrace if is_inside => {
                    depth -= 1 + *chain;
                    chains.pop();
                }
                Token::Power => {
                    *chain += 1;
                    depth += 1;
                }
                Token::Minus if !ends_operand(before) => {
                    *chain += 1;
                    depth += 1;
                }
                token if is_operator(token) => {
                    depth -= *chain;
                    *chain = 0;
                }
                _ => {}
            }
            if depth > DEPTH_MAX {
                return self.give_up(at);
            }
        }
    }

    fn give_up(&mut self, at: usize) {
        let message = format!("this is nested more than {DEPTH_MAX} deep");
        self.error(at, message, "use locals for parts of it".to_owned());
        for one in at..self.seen.len() {
            self.set(one, Token::Error);
        }
        self.seen.truncate(at);
    }
}

const INOUT: (Token, Token) = (Token::Inout, Token::Colon);

fn is_type(token: Token) -> bool {
    matches!(token, Token::Bool | Token::Int | Token::Float | Token::Double)
}

fn is_list(token: Token) -> bool {
    use Token::{AllocIn, Coefficient, Constant, CopyIn, CopyOut, Gmem, NoShmem, Shmem};
    matches!(token, AllocIn | CopyIn | CopyOut | Constant | Coefficient | Shmem | NoShmem | Gmem)
}

/// Whether it begins a declaration of the whole program.
fn is_outer(token: Token) -> bool {
    use Token::{AllocIn, Coefficient, Constant, CopyIn, CopyOut, Iterator, Parameter};
    matches!(token, AllocIn | CopyIn | CopyOut | Constant | Coefficient | Parameter | Iterator)
}

/// Whether an item, or in a body a statement, begins with it.
fn begins(token: Token, in_body: bool) -> bool {
    if in_body {
        return is_type(token) || matches!(token, Token::Shmem | Token::NoShmem | Token::Gmem);
    }
    matches!(token, Token::Parameter | Token::Iterator | Token::Stencil | Token::Iterate)
        || is_type(token)
        || (is_list(token) && !matches!(token, Token::Shmem | Token::NoShmem | Token::Gmem))
}

fn is_followed_by_name(token: Token) -> bool {
    let begins_names = matches!(token, Token::Parameter | Token::Iterator | Token::Stencil);
    begins_names || is_type(token) || is_list(token)
}

fn is_followed_by_value(token: Token) -> bool {
    matches!(token, Token::Comma | Token::LPar | Token::LBrak) || is_operator(token)
}

fn may_follow_name(token: Token) -> bool {
    use Token::{Comma, DotDot, LBrak, LPar, RBrak, RPar, Semi};
    matches!(token, Comma | DotDot | LBrak | LPar | RBrak | RPar | Semi) || is_operator(token)
}

fn is_assignment(token: Token) -> bool {
    use Token::{AddAssign, AndAssign, Assign, DivAssign, MulAssign, OrAssign, SubAssign};
    matches!(token, Assign | AddAssign | SubAssign | MulAssign | DivAssign | AndAssign | OrAssign)
}

/// Whether the operand before it has ended; a power's has not.
fn is_operator(token: Token) -> bool {
    use Token::{And, Colon, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
    use Token::{Comma, DotDot, Minus, Percent, Plus, Semi, Slash, Star};
    is_assignment(token)
        || matches!(token, Or | And | Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
        || matches!(token, Plus | Minus | Star | Slash | Percent)
        || matches!(token, Comma | Semi | Colon | DotDot)
}

fn ends_operand(token: Token) -> bool {
    use Token::{False, Integer, Name, Number, RBrak, RPar, True};
    matches!(token, Name | Integer | Number | True | False | RPar | RBrak)
}

fn ends_statement(token: Token) -> bool {
    matches!(token, Token::Semi | Token::RBrace)
}

/// The most similar keyword, if one is similar.
fn nearest(word: &str, allowed: impl Fn(Token) -> bool) -> Option<(&'static str, Token)> {
    let word = word.to_lowercase();
    KEYWORDS
        .iter()
        .filter(|(_, token)| allowed(*token))
        .map(|(spelling, token)| (strsim::damerau_levenshtein(&word, spelling), *spelling, *token))
        .filter(|(distance, spelling, _)| distance * 3 <= spelling.len().max(word.len()))
        .min_by_key(|(distance, spelling, _)| (*distance, *spelling))
        .map(|(_, spelling, token)| (spelling, token))
}
