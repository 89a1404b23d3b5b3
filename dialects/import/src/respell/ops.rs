//! Walks the tokens of a text, and respells ops, types and attributes.

use super::{
    edits::Edits,
    grids::{Extent, Grid, integers, list},
    tokens::{Kind, Tokens},
};
use crate::diagnostic::Diagnostic;
use std::ops::Range;

/// What is particular about a language that is respelled.
pub struct Spelling {
    /// Whether dimension 0 is the fastest in memory: here the last one is.
    pub is_reversed: bool,
    /// Respells an op in custom form whose name is a token; tells where the walk continues.
    pub custom: for<'a, 't> fn(&mut Respeller<'a, 't>, usize) -> Result<usize, Diagnostic>,
    /// Today's name of an op in generic form.
    pub rename: fn(&str) -> Option<&'static str>,
}

/// Bounds of a field, one pair for each dimension that it has.
pub type FieldBounds = Vec<(i64, i64)>;

/// A field after its cast.
struct Cast<'t> {
    value: Option<&'t str>,
    extents: Vec<Extent>,
    bounds: FieldBounds,
}

const SCAN_REMEDY: &str = "keep the scan in the host's program, and make functions of the applies \
                           before and after it";

/// Ops that are read and refused: why, and what to do.
const REFUSED: [(&str, &str, &str); 3] = [
    (
        "stencil.depend",
        "reads what the point before it returned: a scan along a dimension is not compiled",
        SCAN_REMEDY,
    ),
    (
        "stencil.assert",
        "gave a field its bounds until August 2020",
        "'%1 = stencil.cast %0([-4, -4, -4] : [68, 68, 68]) : (!stencil.field<?x?x?xf64>) -> \
         !stencil.field<72x72x72xf64>' replaces it; loads and stores use %1",
    ),
    (
        "stencil.halo_swap",
        "exchanges halos between the ranks of MPI, one GPU has one rank",
        "give the program before 'distribute-stencil' or its older names",
    ),
];

/// The state of the walk.
pub struct Respeller<'a, 't> {
    pub spelling: &'static Spelling,
    pub tokens: &'a Tokens<'t>,
    edits: Edits,
    source: &'t str,
    errors: Vec<Diagnostic>,
    /// Tokens that need nothing more.
    done: Vec<bool>,
    /// Casts of the function so far.
    casts: Vec<Cast<'t>>,
    /// The last tokens of the applies around the current token, and which dimensions they have.
    applies: Vec<(usize, Vec<bool>)>,
}

impl<'a, 't> Respeller<'a, 't> {
    /// Starts at the first token.
    pub fn new(spelling: &'static Spelling, tokens: &'a Tokens<'t>) -> Respeller<'a, 't> {
        Respeller {
            spelling,
            tokens,
            edits: Edits::default(),
            source: tokens.source(),
            errors: Vec::new(),
            done: vec![false; tokens.len()],
            casts: Vec::new(),
            applies: Vec::new(),
        }
    }

    /// Walks over the whole text.
    pub fn run(mut self) -> (Edits, Vec<Diagnostic>) {
        let mut at = 0;
        while at < self.tokens.len() {
            self.applies.retain(|(end, _)| at <= *end);
            at = match self.step(at) {
                Ok(next) => next,
                // The rest of the line would be reported again.
                Err(error) => {
                    self.errors.push(error);
                    let is_later = |next: &usize| self.tokens.starts_line(*next);
                    (at + 1..self.tokens.len()).find(is_later).unwrap_or(self.tokens.len())
                }
            };
        }
        (self.edits, self.errors)
    }

    fn step(&mut self, at: usize) -> Result<usize, Diagnostic> {
        if self.done[at] {
            return Ok(at + 1);
        }
        match self.tokens.kind(at) {
            Kind::Word if self.is_op(at) => {
                if ["func", "func.func"].contains(&self.tokens.text(at)) {
                    self.clear_casts();
                }
                (self.spelling.custom)(self, at)
            }
            Kind::Text if self.tokens.is(at + 1, "(") => self.generic(at),
            Kind::Type => {
                self.respell_type(at, None)?;
                Ok(self.after_type(at))
            }
            Kind::Attribute => {
                self.respell_attribute(at);
                Ok(at + 1)
            }
            _ => Ok(at + 1),
        }
    }

    /// Whether a word is the name of an op: after its results, or at the start of a statement.
    fn is_op(&self, at: usize) -> bool {
        let tokens = self.tokens;
        let is_entry = tokens.is(at + 1, "=") || tokens.is(at + 1, ",");
        let is_alone = at > 0 && tokens.is(at - 1, "{") && tokens.is(at + 1, "}");
        if is_entry || (is_alone && !tokens.is(at, "return")) {
            return false;
        }
        self.has_results(at)
            || tokens.starts_line(at)
            || (at > 0 && (tokens.is(at - 1, "{") || tokens.is(at - 1, "}")))
    }

    /// Whether `%0 =`, `%0:2 =` or `%a, %b =` is before a token.
    pub fn has_results(&self, at: usize) -> bool {
        let tokens = self.tokens;
        let Some(value) = at.checked_sub(2).filter(|_| tokens.is(at - 1, "=")) else {
            return false;
        };
        tokens.kind(value) == Kind::Value
            || (tokens.kind(value) == Kind::Number && value > 0 && tokens.is(value - 1, ":"))
    }

    /// The value that an op with one result defines.
    pub fn result(&self, at: usize) -> Option<&'t str> {
        let value = at.checked_sub(2).filter(|_| self.has_results(at))?;
        (self.tokens.kind(value) == Kind::Value).then(|| self.tokens.text(value))
    }

    /// The token after the type that begins at a token.
    pub fn after_type(&self, at: usize) -> usize {
        match self.tokens.is(at + 1, "<") {
            true => self.tokens.close(at + 1) + 1,
            false => at + 1,
        }
    }

    /// Puts a text in the place of tokens that were not changed before.
    pub fn put(&mut self, range: Range<usize>, text: impl Into<String>) {
        if range.end > self.done.len() || self.done[range.clone()].contains(&true) {
            return;
        }
        self.done[range.clone()].fill(true);
        self.edits.replace(self.source, self.tokens.span_of(range), text);
    }

    /// Puts a text before a token, which is kept.
    pub fn insert(&mut self, at: usize, text: impl Into<String>) {
        if at < self.done.len() && !self.done[at] {
            self.done[at] = true;
            self.edits.insert(self.tokens.span(at).start, text);
        }
    }

    /// The text of some tokens.
    pub fn source_of(&self, range: &Range<usize>) -> &'t str {
        let span = self.tokens.span_of(range.clone());
        &self.source[span.start..span.end]
    }

    /// Forgets the casts of the function before.
    pub fn clear_casts(&mut self) {
        self.casts.clear();
    }

    /// Refuses an op that is not compiled, with what can be done.
    pub fn refuse(&self, name: &str, at: usize) -> Result<(), Diagnostic> {
        let Some((_, why, remedy)) = REFUSED.iter().find(|(refused, ..)| *refused == name) else {
            return Ok(());
        };
        Err(self.error(at..at + 1, format!("'{name}' {why}")).help(*remedy))
    }

    /// Refuses a scan along a dimension.
    pub fn sequential(&self, range: Range<usize>) -> Diagnostic {
        let message = "'stencil.apply seq' scans along a dimension, which is not compiled";
        self.error(range, message).help(SCAN_REMEDY)
    }

    /// An error at some tokens.
    pub fn error(&self, range: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.tokens.span_of(range), message)
    }

    /// The dimensions of the innermost apply around the current op.
    pub fn apply(&self) -> Option<&[bool]> {
        self.applies.last().map(|(_, has)| has.as_slice())
    }

    /// Notes the dimensions of an apply whose last token is `end`.
    pub fn enter_apply(&mut self, end: usize, has: Vec<bool>) {
        self.applies.push((end, has));
    }

    /// The values of the dimensions that are there, in today's order.
    pub fn select<T: Clone>(&self, values: &[T], has: &[bool]) -> Vec<T> {
        let there = values.iter().zip(has).filter(|(_, has)| **has).map(|(value, _)| value.clone());
        let mut there: Vec<T> = there.collect();
        if self.spelling.is_reversed {
            there.reverse();
        }
        there
    }

    /// Respells the type at a token, if it is a field's or a temp's; `value` has the type.
    pub fn respell_type(
        &mut self,
        at: usize,
        value: Option<&str>,
    ) -> Result<Option<Grid<'t>>, Diagnostic> {
        let Some(grid) = Grid::at(self.tokens, at) else { return Ok(None) };
        let text = self.spell(&grid, at, value)?;
        self.put(at..self.after_type(at), text);
        Ok(Some(grid))
    }

    /// Today's spelling of a type.
    pub fn spell(&self, grid: &Grid, at: usize, value: Option<&str>) -> Result<String, Diagnostic> {
        if grid.is_plain && !(self.spelling.is_reversed && grid.extents.iter().any(has_bounds)) {
            let span = self.tokens.span_of(at..self.after_type(at));
            return Ok(self.source[span.start..span.end].to_owned());
        }
        let is_temp = grid.word != "field";
        let is_there = |extent: &Extent| *extent != Extent::Absent;
        let mut extents: Vec<_> = grid.extents.iter().copied().filter(is_there).collect();
        if is_temp && grid.needs_bounds() {
            extents.fill(Extent::Unknown);
        } else if grid.needs_bounds() {
            let bounds = self.bounds(grid, at, value)?;
            extents =
                bounds.into_iter().map(|(lower, upper)| Extent::Bounds(lower, upper)).collect();
        }
        if extents.is_empty() {
            let message = format!("'{}' has no dimension", self.tokens.text(at));
            return Err(self.error(at..self.after_type(at), message));
        }
        let word = if is_temp { "temp" } else { "field" };
        let all = vec![true; extents.len()];
        let spelled: String = self.select(&extents, &all).iter().map(dimension).collect();
        Ok(format!("!stencil.{word}<{spelled}{}>", grid.element))
    }

    /// The bounds of a field whose type only says how many cells it has.
    fn bounds(
        &self,
        grid: &Grid,
        at: usize,
        value: Option<&str>,
    ) -> Result<FieldBounds, Diagnostic> {
        let casts = || self.casts.iter().rev();
        if let Some(cast) = casts().find(|cast| value.is_some() && cast.value == value) {
            return Ok(cast.bounds.clone());
        }
        let mut alike = casts().filter(|cast| cast.extents == grid.extents).map(|c| &c.bounds);
        let first = alike.next();
        let range = at..self.after_type(at);
        let Some(bounds) = first else {
            let message = "the type says how many cells the field has, and not where they are";
            return Err(self.error(range, message).help(
                "a 'stencil.cast' to this type says it by its bounds; make the argument dynamic, \
                 as in !stencil.field<?x?xf64>, and cast it",
            ));
        };
        match alike.find(|other| *other != bounds) {
            None => Ok(bounds.clone()),
            Some(other) => {
                let [one, other] = [bounds, other].map(pairs);
                let message = format!("fields of this type have bounds {one} and {other}");
                Err(self.error(range, message).help(
                    "only one of them can be meant here; use the result of a 'stencil.cast' itself",
                ))
            }
        }
    }

    /// Notes the result of a cast; `clause` are the tokens of its bounds.
    pub fn note_cast(
        &mut self,
        value: Option<&'t str>,
        grid: &Grid,
        clause: Range<usize>,
        [lower, upper]: [Vec<i64>; 2],
    ) -> Result<(), Diagnostic> {
        let rank = grid.extents.len();
        if lower.len() != rank || upper.len() != rank {
            let message = format!("bounds of a field with {rank} dimensions need {rank} numbers");
            return Err(self.error(clause, message));
        }
        let cells = |dim: usize| upper[dim].saturating_sub(lower[dim]);
        let wrong = |(dim, extent): (usize, &Extent)| match extent {
            Extent::Cells(expected) if cells(dim) != *expected => Some((dim, *expected)),
            _ => None,
        };
        let wrong = grid.extents.iter().enumerate().find_map(wrong);
        let pairs = lower.iter().copied().zip(upper.iter().copied()).zip(grid.has());
        let bounds = pairs.filter(|(_, has)| *has).map(|(pair, _)| pair).collect();
        // A wrong cast is reported once, not for each type that it gives bounds to.
        self.casts.push(Cast { value, extents: grid.extents.clone(), bounds });
        let Some((dim, expected)) = wrong else { return Ok(()) };
        let (cells, range) = (cells(dim), format!("[{}, {})", lower[dim], upper[dim]));
        let message = format!(
            "bounds {range} of dimension {dim} have {cells} cells, the type has {expected}"
        );
        Err(self.error(clause, message))
    }

    /// Respells `#stencil.index` and `#stencil.bounds` where they are not today's.
    fn respell_attribute(&mut self, at: usize) {
        let (name, open) = (self.tokens.text(at), at + 1);
        if self.tokens.kind(open) != Kind::Open {
            return;
        }
        let close = self.tokens.close(open);
        if name == "#stencil.index"
            && !self.is_plain_index(open)
            && let Some(values) = integers(self.tokens, open..close + 1)
        {
            self.put(at..close + 1, format!("#stencil.index<{}>", list(&values)));
        }
        if name == "#stencil.bounds"
            && self.tokens.is(open, "[")
            && let Some((bounds, end)) = self.two_lists(open)
        {
            let [lower, upper] = bounds.map(|bound| list(&bound));
            self.put(at..end, format!("#stencil.bounds<{lower}, {upper}>"));
        }
    }

    /// Whether `<[0, 1]>` is between the brackets: today's spelling.
    fn is_plain_index(&self, open: usize) -> bool {
        let close = self.tokens.close(open);
        self.tokens.is(open, "<")
            && self.tokens.is(open + 1, "[")
            && !(open..close).any(|at| self.tokens.is(at, ":"))
    }

    /// The list at a token, `[0, 1]`, and the token after it.
    pub fn one_list(&self, at: usize) -> Option<(Vec<i64>, usize)> {
        let end = self.tokens.is(at, "[").then(|| self.tokens.close(at) + 1)?;
        Some((integers(self.tokens, at..end)?, end))
    }

    /// `[0, 1] : [2, 3]` at a token, and the token after it.
    pub fn two_lists(&self, at: usize) -> Option<([Vec<i64>; 2], usize)> {
        let (lower, colon) = self.one_list(at)?;
        let (upper, end) =
            self.tokens.is(colon, ":").then(|| self.one_list(colon + 1)).flatten()?;
        Some(([lower, upper], end))
    }
}

fn has_bounds(extent: &Extent) -> bool {
    matches!(extent, Extent::Bounds(..))
}

fn dimension(extent: &Extent) -> String {
    match extent {
        Extent::Bounds(lower, upper) => format!("[{lower},{upper}]x"),
        _ => "?x".to_owned(),
    }
}

fn pairs(bounds: &FieldBounds) -> String {
    let pair = |(lower, upper): &(i64, i64)| format!("[{lower},{upper}]");
    bounds.iter().map(pair).collect::<Vec<_>>().join("x")
}
