//! Reads an op in custom form from left to right, and changes it on the way.

use super::{
    grids::{Grid, list},
    ops::Respeller,
    tokens::Kind,
};
use crate::diagnostic::Diagnostic;
use std::ops::Range;

/// An op that is being read.
pub struct Form<'r, 'a, 't> {
    /// What changes it.
    pub respeller: &'r mut Respeller<'a, 't>,
    /// The next token.
    pub at: usize,
    name: usize,
    /// How the op is written, for messages.
    example: &'static str,
}

/// What reading a part gives.
pub type Read<T> = Result<T, Diagnostic>;

/// Lower and upper bounds, and their tokens.
pub type Clause = ([Vec<i64>; 2], Range<usize>);

impl<'r, 'a, 't> Form<'r, 'a, 't> {
    /// Starts after the name of an op.
    pub fn new(
        respeller: &'r mut Respeller<'a, 't>,
        name: usize,
        example: &'static str,
    ) -> Form<'r, 'a, 't> {
        Form { respeller, at: name + 1, name, example }
    }

    /// Whether this is the next token.
    pub fn is(&self, text: &str) -> bool {
        self.respeller.tokens.is(self.at, text)
    }

    /// The number of the next token, if it is this one, which is read.
    pub fn optional(&mut self, text: &str) -> Option<usize> {
        let at = self.is(text).then_some(self.at)?;
        self.at += 1;
        Some(at)
    }

    /// Reads this token.
    pub fn expect(&mut self, text: &str) -> Read<usize> {
        self.optional(text).ok_or_else(|| self.unexpected(&format!("'{text}'")))
    }

    /// Reads this token and removes it.
    pub fn remove(&mut self, text: &str) -> Read<()> {
        let at = self.expect(text)?;
        self.respeller.put(at..at + 1, "");
        Ok(())
    }

    /// Reads a value.
    pub fn value(&mut self) -> Read<&'t str> {
        let tokens = self.respeller.tokens;
        if tokens.kind(self.at) != Kind::Value {
            return Err(self.unexpected("a value"));
        }
        self.at += 1;
        let value = tokens.text(self.at - 1);
        // The result of an op with several: `%0#1`.
        let is_result = tokens.text(self.at).starts_with("#") && tokens.text(self.at).len() > 1;
        if is_result && tokens.text(self.at)[1..].bytes().all(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(value)
    }

    /// Reads an integer.
    pub fn integer(&mut self) -> Read<(i64, Range<usize>)> {
        let start = self.at;
        let sign = if self.optional("-").is_some() { -1 } else { 1 };
        let number = self.respeller.tokens.text(self.at).parse::<i64>().ok();
        let Some(number) = number.and_then(|number| number.checked_mul(sign)) else {
            return Err(self.unexpected("an integer"));
        };
        self.at += 1;
        Ok((number, start..self.at))
    }

    /// Reads `[0, 1]`.
    pub fn list(&mut self) -> Read<(Vec<i64>, Range<usize>)> {
        let Some((values, end)) = self.respeller.one_list(self.at) else {
            return Err(self.unexpected("one to three integers in brackets"));
        };
        let start = std::mem::replace(&mut self.at, end);
        Ok((values, start..end))
    }

    /// Reads `([0, 1] : [2, 3])`, if it is there.
    pub fn bounds(&mut self) -> Read<Option<Clause>> {
        let Some(open) = self.optional("(") else { return Ok(None) };
        let Some((bounds, end)) = self.respeller.two_lists(self.at) else {
            return Err(self.unexpected("bounds, '[...] : [...]'"));
        };
        self.at = end;
        self.expect(")")?;
        Ok(Some((bounds, open..self.at)))
    }

    /// Reads a type and respells it; `value` has it.
    pub fn grid(&mut self, value: Option<&str>) -> Read<Option<Grid<'t>>> {
        if !matches!(self.respeller.tokens.kind(self.at), Kind::Type | Kind::Word) {
            return Err(self.unexpected("a type"));
        }
        let start = self.at;
        self.at = self.respeller.after_type(start);
        self.respeller.respell_type(start, value)
    }

    /// Reads a type in parentheses, which are removed, or one without.
    pub fn bare_grid(&mut self, value: Option<&str>) -> Read<Option<Grid<'t>>> {
        if !self.is("(") {
            return self.grid(value);
        }
        self.remove("(")?;
        let grid = self.grid(value)?;
        self.remove(")")?;
        Ok(grid)
    }

    /// Reads what is in brackets without looking at it.
    pub fn skip(&mut self, open: &str) -> Read<usize> {
        let open = self.expect(open)?;
        self.at = self.respeller.tokens.close(open) + 1;
        Ok(open)
    }

    /// Respells a list.
    pub fn put_index(&mut self, range: Range<usize>, values: &[i64]) {
        self.respeller.put(range, format!("<{}>", list(values)));
    }

    /// The next token is another one than expected.
    pub fn unexpected(&self, expected: &str) -> Diagnostic {
        let tokens = self.respeller.tokens;
        let found = match tokens.text(self.at) {
            "" => "the end of the text".to_owned(),
            text => format!("'{text}'"),
        };
        let name = tokens.text(self.name);
        let message = format!("'{name}' needs {expected} here, found {found}");
        let range = self.at..(self.at + 1).min(tokens.len());
        self.respeller.error(range, message).help(format!("it is written {}", self.example))
    }
}
