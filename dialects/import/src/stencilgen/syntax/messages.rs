//! Syntax errors: one readable message per statement.

use super::{
    lexer::{Token, Tokens},
    parser::Unexpected,
    place::Place,
};
use crate::diagnostic::{Diagnostic, Span};
use std::collections::BTreeSet;

/// Limit on the number of messages.
pub const MESSAGES_MAX: usize = 50;

/// Explains unexpected tokens.
///
/// Errors after the first of a statement, or after an unreadable token, are usually consequences
/// and are not reported.
pub fn explain(text: &str, tokens: &Tokens, errors: &[Unexpected]) -> Vec<Diagnostic> {
    let mut statements = Statements::default();
    let known = tokens.diagnostics.iter().map(|one| one.span.start).collect::<BTreeSet<_>>();
    let mut diagnostics = Vec::new();
    let mut told = None;
    for error in errors {
        statements.go_to(tokens, error.token);
        let is_known = tokens.spans.get(error.token).is_some_and(|one| known.contains(&one.start));
        let is_new = told != Some(statements.start) && !is_known;
        if is_new && !statements.is_unreadable && diagnostics.len() < MESSAGES_MAX {
            told = Some(statements.start);
            let situation = Situation::new(text, tokens, error, &statements);
            diagnostics.push(situation.diagnostic());
        }
    }
    diagnostics
}

/// Walks from statement to statement, as errors are in the order of the text.
#[derive(Default)]
struct Statements {
    /// The next token.
    at: usize,
    /// The first token of the statement.
    start: usize,
    /// Whether one of its tokens is unreadable.
    is_unreadable: bool,
    place: Place,
    /// The braces that are open.
    braces: Vec<usize>,
}

impl Statements {
    fn go_to(&mut self, tokens: &Tokens, end: usize) {
        while self.at < end {
            let token = tokens.kinds[self.at];
            match token {
                Token::LBrace => self.braces.push(self.at),
                Token::RBrace => drop(self.braces.pop()),
                _ => {}
            }
            self.place.see(token);
            self.at += 1;
            if matches!(token, Token::Semi | Token::LBrace | Token::RBrace | Token::PragmaEnd) {
                self.start = self.at;
                self.is_unreadable = false;
            }
            self.is_unreadable |= token == Token::Error;
        }
    }
}

/// The context of an error.
struct Situation<'t> {
    text: &'t str,
    tokens: &'t Tokens,
    /// The unexpected token.
    found: Token,
    at: usize,
    /// The previous token.
    before: Option<usize>,
    /// The tokens of the statement so far.
    statement: Vec<usize>,
    /// The innermost bracket of the statement that is open.
    open: Option<usize>,
    /// The innermost brace that is open.
    brace: Option<usize>,
    in_body: bool,
    expected: Vec<&'t str>,
}

impl<'t> Situation<'t> {
    fn new(
        text: &'t str,
        tokens: &'t Tokens,
        error: &'t Unexpected,
        statements: &Statements,
    ) -> Self {
        let at = error.token;
        let is_seen = |one: &usize| !tokens.kinds[*one].is_trivia();
        let statement = (statements.start..at).filter(is_seen).collect::<Vec<_>>();
        let mut brackets = Vec::new();
        for one in &statement {
            match tokens.kinds[*one] {
                Token::LPar | Token::LBrak => brackets.push(*one),
                Token::RPar | Token::RBrak => drop(brackets.pop()),
                _ => {}
            }
        }
        let list = error.expected.split_once(": ").map_or("", |(_, list)| list);
        Self {
            text,
            tokens,
            found: tokens.kinds.get(at).copied().unwrap_or(Token::EOF),
            at,
            before: (0..at).rev().find(is_seen),
            statement,
            open: brackets.last().copied(),
            brace: statements.braces.last().copied(),
            in_body: statements.place.is_in_body(),
            expected: list.split(", ").filter(|one| !one.is_empty()).collect(),
        }
    }

    fn diagnostic(&self) -> Diagnostic {
        let wanted = self.wanted();
        let found = self.found();
        let semicolon_is_missing = wanted.contains("';'") && self.is_behind_statement();
        let error = if semicolon_is_missing {
            let message = format!("expected ';' after this {}, found {found}", self.kind());
            Diagnostic::error(self.end_of_last(), message)
        } else {
            Diagnostic::error(self.place(), format!("expected {wanted}, found {found}"))
        };
        let error = match self.open_bracket(&wanted) {
            Some((span, note)) => error.note(span, note),
            None => error,
        };
        match self.help(semicolon_is_missing) {
            Some(help) => error.help(help),
            None => error,
        }
    }

    /// The location of the message.
    fn place(&self) -> Span {
        if self.found == Token::EOF {
            return self.end_of_last();
        }
        self.tokens.spans[self.at].clone().into()
    }

    fn end_of_last(&self) -> Span {
        let end = self.before.map_or(0, |before| self.tokens.spans[before].end);
        Span::new(end, end)
    }

    fn word(&self, token: usize) -> &str {
        &self.text[self.tokens.spans[token].clone()]
    }

    fn found(&self) -> String {
        match self.found {
            Token::EOF => "the end of the file".to_owned(),
            Token::PragmaEnd => "the end of the line".to_owned(),
            _ => format!("'{}'", self.word(self.at)),
        }
    }

    fn expects(&self, one: &str) -> bool {
        self.expected.contains(&one)
    }

    /// The expected construct, in few words.
    fn wanted(&self) -> String {
        if self.expects("'stream'") {
            return "a clause, or the end of the line".to_owned();
        }
        if self.expects("'parameter'") {
            return "a declaration, a stencil or a call".to_owned();
        }
        if self.expects("'gmem'") && self.expects("'('") {
            return "a statement or '}'".to_owned();
        }
        if self.expects("'iterate'") {
            return "a call or '}'".to_owned();
        }
        let is_target = self.in_body && !self.is_declaration() && !self.has_assignment();
        if self.expects("'+='") && self.open.is_none() && is_target {
            return "an assignment, such as '='".to_owned();
        }
        if self.expects("<number>") && self.expects("'true'") {
            return "an expression".to_owned();
        }
        if self.expects("<integer>") && self.expects("<name>") {
            return "a size, an iterator or an integer".to_owned();
        }
        let is_behind_operand =
            ["'^'", "'*'", "'+'", "'|'", "'..'"].iter().any(|one| self.expects(one));
        if is_behind_operand || (self.expects("')'") && self.expects("';'")) {
            return self.wanted_behind_operand().to_owned();
        }
        self.alternatives()
    }

    /// Whether the statement begins with a type.
    fn is_declaration(&self) -> bool {
        self.statement.first().is_some_and(|one| {
            use Token::{Bool, Double, Float, Int};
            matches!(self.tokens.kinds[*one], Bool | Int | Float | Double)
        })
    }

    /// Whether this is after the assignment of a statement.
    fn has_assignment(&self) -> bool {
        self.statement.iter().any(|one| is_assignment(self.tokens.kinds[*one]))
    }

    fn wanted_behind_operand(&self) -> &'static str {
        let first = self.statement.first().map(|one| self.tokens.kinds[*one]);
        match self.open.map(|open| self.tokens.kinds[open]) {
            Some(Token::LPar) if first == Some(Token::Iterate) => "')'",
            Some(Token::LPar) if self.open_is_call() => "',', ')' or an operator",
            Some(Token::LPar) => "')' or an operator",
            Some(_) if first == Some(Token::Iterate) => "']'",
            Some(_) => "',' or ']'",
            None if first == Some(Token::Iterate) => "'{'",
            None if first == Some(Token::Parameter) => "',' or ';'",
            None if self.is_declaration() && !self.has_assignment() => "',' or ';'",
            None => "';' or an operator",
        }
    }

    fn open_is_call(&self) -> bool {
        let open = self.statement.iter().position(|one| Some(*one) == self.open);
        let before = open.and_then(|open| open.checked_sub(1)).map(|one| self.statement[one]);
        before.is_some_and(|before| self.tokens.kinds[before] == Token::Name)
    }

    fn alternatives(&self) -> String {
        // The call of an early form that is assigned is no likely remedy.
        let is_call = self.expects("'('");
        let mut words = self
            .expected
            .iter()
            .filter(|one| !(is_call && **one == "'='"))
            .map(|one| match *one {
                "<name>" => "a name",
                "<integer>" => "an integer",
                "<number>" => "a number",
                "<size>" => "a size such as 48K",
                "<end of file>" => "the end of the file",
                "<end of the pragma>" => "the end of the line",
                other => other,
            })
            .collect::<Vec<_>>();
        let last = words.pop().unwrap_or("something else");
        match words.is_empty() {
            true => last.to_owned(),
            false => format!("{} or {last}", words.join(", ")),
        }
    }

    /// Whether the found token begins something else, so that only a semicolon is missing.
    fn is_behind_statement(&self) -> bool {
        let Some(before) = self.before else { return false };
        if matches!(self.found, Token::EOF | Token::RBrace | Token::PragmaStart) {
            return true;
        }
        let between = self.tokens.spans[before].end..self.tokens.spans[self.at].start;
        let is_next_line = self.text[between].contains('\n');
        self.found.is_reserved()
            || (is_next_line && matches!(self.found, Token::Name | Token::LPar | Token::LBrak))
    }

    /// The name of the kind of statement.
    fn kind(&self) -> &'static str {
        match self.statement.first().map(|one| self.tokens.kinds[*one]) {
            Some(Token::Parameter | Token::Iterator) => "declaration",
            _ if self.is_declaration() => "declaration",
            Some(first) if first.is_reserved() => "list",
            _ if self.in_body => "statement",
            _ => "call",
        }
    }

    /// The bracket that is not closed.
    fn open_bracket(&self, wanted: &str) -> Option<(Span, &'static str)> {
        let ends = matches!(self.found, Token::EOF | Token::Semi | Token::Stencil);
        match (self.open, self.brace) {
            (Some(open), _) if ends && (wanted.contains("')'") || wanted.contains("']'")) => {
                Some((self.tokens.spans[open].clone().into(), "opened here"))
            }
            (_, Some(brace)) if wanted.contains("'}'") => {
                Some((self.tokens.spans[brace].clone().into(), "opened here"))
            }
            _ => None,
        }
    }

    /// The remedy, where one is known.
    fn help(&self, semicolon_is_missing: bool) -> Option<String> {
        let first = self.statement.first().map(|one| self.tokens.kinds[*one]);
        let help = match self.found {
            _ if semicolon_is_missing => "write ';' here",
            Token::Plus if self.expects("'-'") => "unary '+' is not supported: remove it",
            Token::Assign if self.in_body && self.expects("'^'") => "equality is '=='",
            Token::Assign if !self.in_body && self.is_declaration() => {
                "scalars get their values from the caller; only parameters have one of their own"
            }
            Token::LPar if self.in_body && self.statement.len() == 1 => {
                "calls of stencils belong after the stencils, not in them"
            }
            _ if !self.in_body && self.is_outer_statement() => {
                "statements belong in the braces of a stencil"
            }
            _ if !self.in_body && first == Some(Token::Name) && self.open.is_some() => {
                "arguments of calls are names"
            }
            found if found.is_reserved() && self.expected == ["<name>"] => {
                "this word is reserved: write another name"
            }
            Token::Name if !self.in_body && self.statement.len() == 1 && self.expects("'('") => {
                "calls are 'f (a, b);', and declarations begin with a reserved word"
            }
            Token::RBrace if self.brace.is_none() => "no brace is open here: remove it",
            _ => return None,
        };
        Some(help.to_owned())
    }

    fn is_outer_statement(&self) -> bool {
        let is_name_or_region = self
            .statement
            .first()
            .is_some_and(|one| matches!(self.tokens.kinds[*one], Token::Name | Token::LBrak));
        let is_target = self.found == Token::LBrak || is_assignment(self.found);
        is_name_or_region && is_target && self.expects("'('")
    }
}

fn is_assignment(token: Token) -> bool {
    use Token::{AddAssign, AndAssign, Assign, DivAssign, MulAssign, OrAssign, SubAssign};
    matches!(token, Assign | AddAssign | SubAssign | MulAssign | DivAssign | AndAssign | OrAssign)
}
