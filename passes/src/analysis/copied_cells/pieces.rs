//! The pieces of a field's ghost cells, one side after the other.

use super::Strip;
use crate::analysis::{run_time_extents::RunTimeExtents, statement::Unfit};
use melior::ir::{Attribute, Type};
use std::ops::Range;
use stencil_dialects::Bounds;

/// What cells hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'c> {
    /// The value of the cell that is copied.
    Same,
    /// The negative of it.
    Negated,
    /// A number.
    Constant(Attribute<'c>, Type<'c>),
}

/// Cells beyond the others along a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece<'c> {
    /// The dimension.
    pub dimension: usize,
    /// The coordinates of the cells along it.
    pub cells: Range<i64>,
    /// Whether they lie behind the cells inside.
    pub is_high: bool,
    /// The coordinate of the cell inside that the first cell is a copy of.
    pub first: i64,
    /// How far the copied cells of neighbours lie apart: 1, -1 as in a mirror, or 0.
    pub factor: i64,
    /// What they hold.
    pub content: Content<'c>,
    /// How often the growth of the extent over the reference's is added to the coordinate of the
    /// copied cell.
    pub growths: i64,
}

impl Piece<'_> {
    /// The coordinate of the cell that a cell is a copy of.
    fn copied(&self, cell: i64) -> i64 {
        self.first + self.factor * (cell - self.cells.start)
    }

    /// The coordinates of the cells that are copied.
    fn all_copied(&self) -> Range<i64> {
        let ends = [self.first, self.copied(self.cells.end - 1)];
        ends[0].min(ends[1])..ends[0].max(ends[1]) + 1
    }

    fn is_single(&self) -> bool {
        self.cells.end - self.cells.start == 1
    }

    /// Both as one, if the copied cells of `next`, whose coordinates follow, go on as theirs.
    fn joined(&self, next: &Self) -> Option<Self> {
        let last = self.copied(self.cells.end - 1);
        let factor = next.first.checked_sub(last)?;
        let fits = |piece: &Self| piece.is_single() || piece.factor == factor;
        let is_one = self.cells.end == next.cells.start && self.content == next.content;
        let holds = is_one && (-1..=1).contains(&factor) && fits(self) && fits(next);
        holds.then(|| Self { cells: self.cells.start..next.cells.end, factor, ..self.clone() })
    }
}

/// Cells that are filled so far.
pub(super) struct Filled<'c, 'k> {
    inside: Bounds,
    extents: Option<&'k RunTimeExtents>,
    /// All that are filled.
    pub valid: Bounds,
    pieces: Vec<Piece<'c>>,
}

impl<'c, 'k> Filled<'c, 'k> {
    /// The cells inside.
    pub fn new(inside: &Bounds, extents: Option<&'k RunTimeExtents>) -> Self {
        Self { inside: inside.clone(), extents, valid: inside.clone(), pieces: Vec::new() }
    }

    /// Adds the cells of a strip.
    pub fn add(&mut self, strip: &Strip<'c, '_>) -> Result<(), Unfit> {
        let piece = self.piece(strip).ok_or_else(|| {
            let what = "has cells that do not lie side by side around those that are copied";
            Unfit::new(what, "fill whole sides, one dimension after the other")
        })?;
        let (d, cells) = (piece.dimension, &piece.cells);
        match piece.is_high {
            true => self.valid.upper[d] = cells.end,
            false => self.valid.lower[d] = cells.start,
        }
        // What is the same may be copied before or after pieces along other dimensions.
        let candidates = match piece.content {
            Content::Same => 0..self.pieces.len(),
            _ => self.pieces.len().saturating_sub(1)..self.pieces.len(),
        };
        let mut others = self.pieces[candidates].iter_mut();
        let is_beside = |other: &Piece| other.dimension == d && other.is_high == piece.is_high;
        let joined = others.find_map(|other| {
            let both = match piece.is_high {
                true => other.joined(&piece),
                false => piece.joined(other),
            };
            Some((both.filter(|_| is_beside(other))?, other))
        });
        match joined {
            Some((both, other)) => *other = both,
            None => self.pieces.push(piece),
        }
        Ok(())
    }

    /// A strip as a piece of its own; none if it is not one.
    fn piece(&self, strip: &Strip<'c, '_>) -> Option<Piece<'c>> {
        let (cells, valid, rank) = (&strip.bounds, &self.valid, self.inside.rank());
        let is_across = |d: usize| {
            let others = (0..rank).filter(|e| *e != d);
            let covers =
                |e: usize| cells.lower[e] <= valid.lower[e] && valid.upper[e] <= cells.upper[e];
            others.into_iter().all(covers)
        };
        let is_beside =
            |d: &usize| cells.upper[*d] == valid.lower[*d] || cells.lower[*d] == valid.upper[*d];
        let dimension = (0..rank).filter(is_beside).find(|d| is_across(*d))?;
        let is_along = |(d, by): (usize, &i64)| d == dimension || *by == 0;
        if cells.is_empty() || !strip.offset.iter().enumerate().all(is_along) {
            return None;
        }
        let along = cells.lower[dimension]..cells.upper[dimension];
        let (is_high, content) = (along.start == valid.upper[dimension], strip.content);
        let piece = |first, factor| Piece {
            dimension,
            cells: along.clone(),
            is_high,
            first,
            factor,
            content,
            growths: 0,
        };
        let inside = self.inside.lower[dimension]..self.inside.upper[dimension];
        if matches!(content, Content::Constant(..)) {
            return Some(piece(inside.start, 0));
        }
        let by = strip.offset[dimension];
        let copied = along.start.checked_add(by)?..along.end.checked_add(by)?;
        let is_single = copied.end - copied.start == 1;
        let lies_in = |whole: &Range<i64>| whole.start <= copied.start && copied.end <= whole.end;
        if lies_in(&inside) {
            return Some(piece(copied.start, i64::from(!is_single)));
        }
        let around = self.pieces.iter().find(|other| {
            other.dimension == dimension && other.content == Content::Same && lies_in(&other.cells)
        })?;
        let factor = if is_single { 0 } else { around.factor };
        Some(piece(around.copied(copied.start), factor))
    }

    /// The pieces, and the least extents along each dimension.
    pub fn finish(mut self) -> Result<(Vec<Piece<'c>>, Vec<i64>), Unfit> {
        let mut least = vec![1; self.inside.rank()];
        let Some(extents) = self.extents else { return Ok((self.pieces, least)) };
        if extents.reference.rank() != self.inside.rank() {
            let what = "has fewer dimensions than the domain, whose extents are given at run time";
            return Err(Unfit::new(what, "give extents, or fill it in the caller"));
        }
        for piece in &mut self.pieces {
            if matches!(piece.content, Content::Constant(..)) {
                continue;
            }
            let d = piece.dimension;
            let (shift, copied) = (extents.shift(d), piece.all_copied());
            let [begins, ends] = [copied.start, copied.end - 1].map(|it| shift.moves(it));
            let sides = [piece.cells.start, piece.cells.end - 1].map(|it| shift.moves(it));
            if begins != ends || sides != [piece.is_high; 2] {
                let what = "copies cells of both halves of a domain whose extents are given at \
                            run time";
                return Err(Unfit::new(what, "give extents"));
            }
            piece.growths = i64::from(ends) - piece.factor * i64::from(piece.is_high);
            // For less, the copied cells would be ghost cells themselves.
            let missing = match ends {
                true => self.inside.lower[d] - copied.start,
                false => copied.end - self.inside.upper[d],
            };
            least[d] = least[d].max(shift.upper - shift.lower + missing);
        }
        Ok((self.pieces, least))
    }
}
