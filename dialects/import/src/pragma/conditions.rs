//! The integers of `#if`: C's constant expressions of numbers, macros and `defined`.
//!
//! A name that is no macro is zero, as in C. Unsigned numbers are not read.

use super::{
    macros::Macros,
    preprocess::Stated,
    tokens::{Kind, Token},
};
use crate::diagnostic::Span;
use std::collections::BTreeSet;

/// Where a text is no condition.
type Unread = Option<Span>;

/// The value of what follows `#if`, and the names that were asked for.
pub fn value(
    macros: &mut Macros,
    stated: Stated,
    tokens: &[Token],
    asked: &mut BTreeSet<String>,
) -> Result<i64, Unread> {
    let tokens = decided(macros, stated, tokens, asked)?;
    let mut reader = Reader { macros, stated, tokens: &tokens, at: 0, asked, depth: 0 };
    let value = reader.ternary(true)?;
    if reader.at < tokens.len() { Err(Some(tokens[reader.at].span)) } else { Ok(value) }
}

/// A token, or what `defined` gives.
#[derive(Clone, Copy)]
enum Piece {
    Token(Token),
    Defined(bool),
}

/// A piece with its location.
#[derive(Clone, Copy)]
struct Located {
    piece: Piece,
    span: Span,
}

/// Replaces `defined`, then macros.
fn decided(
    macros: &mut Macros,
    stated: Stated,
    tokens: &[Token],
    asked: &mut BTreeSet<String>,
) -> Result<Vec<Located>, Unread> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let word = |at: usize| tokens.get(at).map_or("", |token| token.text(&macros.text));
        at += 1;
        if word(at - 1) == "defined" {
            let has_brackets = word(at) == "(";
            let name = word(at + usize::from(has_brackets)).to_owned();
            if has_brackets && word(at + 2) != ")" {
                return Err(Some(token.span));
            }
            at += if has_brackets { 3 } else { 1 };
            let is_defined = stated.definitions.contains_key(&name) || macros.is_defined(&name);
            asked.insert(name);
            found.push(Located { piece: Piece::Defined(is_defined), span: token.span });
            continue;
        }
        // Arguments of a macro are expanded with it.
        let start = at - 1;
        while at < tokens.len() && word(at) != "defined" {
            at += 1;
        }
        for token in &tokens[start..at] {
            if token.kind == Kind::Word {
                asked.insert(token.text(&macros.text).to_owned());
            }
        }
        for token in macros.expand(&tokens[start..at]) {
            found.push(Located { piece: Piece::Token(token), span: token.span });
        }
    }
    Ok(found)
}

struct Reader<'r> {
    macros: &'r Macros,
    stated: Stated<'r>,
    tokens: &'r [Located],
    at: usize,
    asked: &'r mut BTreeSet<String>,
    depth: usize,
}

/// Limit on nested brackets and signs.
const DEPTH_MAX: usize = 200;

/// Binary operators, and how much they bind.
const OPERATORS: [(&str, u8); 18] = [
    ("||", 1),
    ("&&", 2),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("==", 6),
    ("!=", 6),
    ("<", 7),
    ("<=", 7),
    (">", 7),
    (">=", 7),
    ("<<", 8),
    (">>", 8),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];

impl Reader<'_> {
    fn word(&self) -> &str {
        match self.tokens.get(self.at).map(|one| one.piece) {
            Some(Piece::Token(token)) => token.text(&self.macros.text),
            _ => "",
        }
    }

    fn unread(&self) -> Unread {
        self.tokens.get(self.at).or(self.tokens.last()).map(|one| one.span)
    }

    fn eat(&mut self, word: &str) -> bool {
        let is = self.word() == word;
        self.at += usize::from(is);
        is
    }

    /// What is not evaluated may divide by zero.
    fn ternary(&mut self, counts: bool) -> Result<i64, Unread> {
        if self.depth > DEPTH_MAX {
            return Err(self.unread());
        }
        self.depth += 1;
        let condition = self.binary(1, counts)?;
        let mut value = condition;
        if self.eat("?") {
            let one = self.ternary(counts && condition != 0)?;
            if !self.eat(":") {
                return Err(self.unread());
            }
            let two = self.ternary(counts && condition == 0)?;
            value = if condition != 0 { one } else { two };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, level: u8, counts: bool) -> Result<i64, Unread> {
        let mut left = self.unary(counts)?;
        loop {
            let known = OPERATORS.iter().find(|(word, _)| *word == self.word());
            let Some((word, binding)) = known.filter(|(_, binding)| *binding >= level) else {
                return Ok(left);
            };
            let here = self.unread();
            self.at += 1;
            let counts = counts
                && match *word {
                    "&&" => left != 0,
                    "||" => left == 0,
                    _ => true,
                };
            let right = self.binary(binding + 1, counts)?;
            left = match combined(word, left, right) {
                Some(value) => value,
                None if counts => return Err(here),
                None => 0,
            };
        }
    }

    fn unary(&mut self, counts: bool) -> Result<i64, Unread> {
        let here = self.unread();
        let Some(one) = self.tokens.get(self.at).copied() else { return Err(here) };
        if self.depth > DEPTH_MAX {
            return Err(here);
        }
        self.at += 1;
        let token = match one.piece {
            Piece::Defined(is_defined) => return Ok(i64::from(is_defined)),
            Piece::Token(token) => token,
        };
        let word = token.text(&self.macros.text).to_owned();
        self.depth += 1;
        let value = match (token.kind, word.as_str()) {
            (_, "+") => self.unary(counts)?,
            (_, "-") => self.unary(counts)?.checked_neg().ok_or(here)?,
            (_, "!") => i64::from(self.unary(counts)? == 0),
            (_, "~") => !self.unary(counts)?,
            (_, "(") => {
                let value = self.ternary(counts)?;
                if !self.eat(")") {
                    return Err(self.unread());
                }
                value
            }
            (Kind::Number, word) => number(word).ok_or(here)?,
            // `f(2)` is an error in C, too, where no `f` is defined.
            (Kind::Word, _) if self.word() == "(" => return Err(here),
            (Kind::Word, "true") if self.stated.is_cxx => 1,
            (Kind::Word, word) => {
                self.asked.insert(word.to_owned());
                self.stated.definitions.get(word).copied().unwrap_or(0)
            }
            _ => return Err(here),
        };
        self.depth -= 1;
        Ok(value)
    }
}

fn combined(word: &str, one: i64, two: i64) -> Option<i64> {
    Some(match word {
        "||" => i64::from(one != 0 || two != 0),
        "&&" => i64::from(one != 0 && two != 0),
        "|" => one | two,
        "^" => one ^ two,
        "&" => one & two,
        "==" => i64::from(one == two),
        "!=" => i64::from(one != two),
        "<" => i64::from(one < two),
        "<=" => i64::from(one <= two),
        ">" => i64::from(one > two),
        ">=" => i64::from(one >= two),
        "<<" if one >= 0 => one.checked_mul(1_i64.checked_shl(u32::try_from(two).ok()?)?)?,
        ">>" if one >= 0 => one.checked_shr(u32::try_from(two).ok()?)?,
        "+" => one.checked_add(two)?,
        "-" => one.checked_sub(two)?,
        "*" => one.checked_mul(two)?,
        "/" => one.checked_div(two)?,
        "%" => one.checked_rem(two)?,
        _ => return None,
    })
}

fn number(word: &str) -> Option<i64> {
    let digits = word.trim_end_matches(['l', 'L']);
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return i64::from_str_radix(hex, 16).ok();
    }
    match digits.strip_prefix('0').filter(|rest| !rest.is_empty()) {
        Some(octal) => i64::from_str_radix(octal, 8).ok(),
        None => digits.parse().ok(),
    }
}
