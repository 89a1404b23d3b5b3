//! Where a variable may get another value: every use of it that is no plain read.

use super::tokens::{Kind, Token};
use crate::diagnostic::Span;

/// Words that may change, anywhere in the file: what is assigned to, in brackets or not, and of
/// which an address is taken; in C++ also what a reference is bound to.
pub fn assignments<'t>(text: &'t str, tokens: &[Token], is_cxx: bool) -> Vec<(&'t str, Span)> {
    let mut found = Vec::new();
    let mut asm = 0;
    for (at, token) in tokens.iter().enumerate() {
        let uses = Uses { text, tokens, is_cxx };
        if matches!(token.text(text), "asm" | "__asm__" | "__asm") {
            asm = uses.end_of_group(at);
        }
        if token.kind == Kind::Word && (at < asm || uses.may_change(at, at)) {
            found.push((token.text(text), token.span));
        }
    }
    found
}

struct Uses<'t, 's> {
    text: &'t str,
    tokens: &'s [Token],
    is_cxx: bool,
}

impl<'t> Uses<'t, '_> {
    fn word(&self, at: usize) -> &'t str {
        match self.tokens.get(at) {
            Some(token) if token.kind != Kind::Text => token.text(self.text),
            _ => "",
        }
    }

    fn before(&self, at: usize) -> &'t str {
        at.checked_sub(1).map_or("", |at| self.word(at))
    }

    /// After the brackets that follow, before the next semicolon.
    fn end_of_group(&self, at: usize) -> usize {
        let end = self.tokens[at..].iter().position(|token| token.text(self.text) == ";");
        end.map_or(self.tokens.len(), |end| at + end)
    }

    /// Whether what is at these tokens, a name and brackets around it, may change.
    fn may_change(&self, first: usize, last: usize) -> bool {
        const SETS: [&str; 13] =
            ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"];
        let (before, after) = (self.before(first), self.word(last + 1));
        if SETS.contains(&after) || matches!(before, "++" | "--") {
            return true;
        }
        if before == "&" && !self.is_operand(first.wrapping_sub(2)) {
            return true;
        }
        // `std::cin >> a`, `double &b = a;`
        if self.is_cxx && (before == ">>" || (before == "=" && self.is_reference(first))) {
            return true;
        }
        let is_bracketed = before == "(" && after == ")";
        let head = first.checked_sub(2).map_or("", |at| self.word(at));
        is_bracketed
            && !matches!(head, "if" | "while" | "for" | "switch" | "sizeof")
            && self.may_change(first - 1, last + 1)
    }

    /// Whether the token ends an operand, so that `&` after it is C's bitwise and. A bracket may
    /// end a cast.
    fn is_operand(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        let word = token.text(self.text);
        match token.kind {
            Kind::Number => true,
            Kind::Word => !matches!(word, "return" | "sizeof" | "case" | "else" | "do"),
            _ => word == "]",
        }
    }

    fn is_reference(&self, first: usize) -> bool {
        let Some(at) = first.checked_sub(3) else { return false };
        self.word(at) == "&" && self.tokens[at + 1].kind == Kind::Word
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::{tokenize, without_comments};
    use super::*;

    #[test]
    fn all_but_plain_reads_may_change_a_variable() {
        let may = |text: &str, is_cxx| {
            let tokens = without_comments(tokenize(text, 0..text.len()));
            assignments(text, &tokens, is_cxx).iter().any(|(name, _)| *name == "d")
        };
        for text in [
            "d = 1",
            "d >>= 1",
            "d <<= 2",
            "d ^= 1",
            "d++",
            "--d",
            "(d) = 1",
            "((d))++",
            "++(d)",
            "f(&d)",
            "f(a, &(d))",
            "memcpy((void *)&d, p, 8)",
            "p = (T *)&d",
            "{&d}",
            "return &d",
            "asm(\"\" : \"+x\"(d));",
            "&d",
            "x = a + *(&d)",
        ] {
            assert!(may(text, false), "{text}");
        }
        for text in [
            "x = d",
            "x = a & d",
            "x = a[i] & d",
            "f(d)",
            "(d) + 1",
            "d == 1",
            "if (d) ++x",
            "x = 3 & d",
            "asm(\"\" : \"+x\"(e)); x = d",
            "d <= 1",
            "d != 2",
            "\"&\" d",
            "T &e = d",
        ] {
            assert!(!may(text, false), "{text}");
        }
        assert!(may("T &e = d", true));
        assert!(may("std::cin >> d", true));
    }
}
