//! Lists with a number for each dimension, of which a field or an apply may have some.

use super::{grids::Grid, ops::Respeller};
use crate::diagnostic::Diagnostic;
use std::ops::Range;

impl Respeller<'_, '_> {
    /// Of a list for all dimensions the numbers of those that a type has, in today's order.
    pub fn of_grid(
        &self,
        values: &[i64],
        grid: Option<&Grid>,
        range: Range<usize>,
    ) -> Result<Vec<i64>, Diagnostic> {
        match grid {
            Some(grid) => self.chosen(values, &grid.has(), range),
            None => self.chosen(values, &vec![true; values.len()], range),
        }
    }

    /// Of a list for all dimensions the numbers of those that the apply around it has.
    pub fn of_apply(&self, values: &[i64], range: Range<usize>) -> Result<Vec<i64>, Diagnostic> {
        match self.apply() {
            Some(has) => self.chosen(values, has, range),
            None => self.chosen(values, &vec![true; values.len()], range),
        }
    }

    fn chosen(
        &self,
        values: &[i64],
        has: &[bool],
        range: Range<usize>,
    ) -> Result<Vec<i64>, Diagnostic> {
        if values.len() == has.len() {
            return Ok(self.select(values, has));
        }
        // What xDSL gives to an operand of lower rank is as long as its rank.
        if !self.spelling.is_reversed {
            return Ok(values.to_vec());
        }
        let message = format!("{} numbers for {} dimensions", values.len(), has.len());
        Err(self.error(range, message).help("there is a number for an absent dimension too"))
    }

    /// Today's number of a dimension of a type, or of the apply around it.
    pub fn dimension(
        &self,
        dim: i64,
        grid: Option<&Grid>,
        range: Range<usize>,
    ) -> Result<i64, Diagnostic> {
        if !self.spelling.is_reversed {
            return Ok(dim);
        }
        let has = match (grid, self.apply()) {
            (Some(grid), _) => grid.has(),
            (None, Some(has)) => has.to_vec(),
            (None, None) => vec![true; 3],
        };
        let numbers: Vec<i64> = (0..).take(has.len()).collect();
        let there = self.select(&numbers, &has);
        let position = there.iter().position(|number| *number == dim);
        position
            .and_then(|position| i64::try_from(position).ok())
            .ok_or_else(|| self.error(range, format!("there is no dimension {dim} here")))
    }

    /// The offset of an access in today's order and, for an operand that lacks dimensions of the
    /// apply, which of them it has.
    pub fn access_offset(
        &self,
        values: &[i64],
        operand: Option<&Grid>,
        range: Range<usize>,
    ) -> Result<(Vec<i64>, Option<Vec<i64>>), Diagnostic> {
        let own = operand.map_or(vec![true; values.len()], Grid::has);
        let offset = self.chosen(values, &own, range.clone())?;
        let apply = self.apply().unwrap_or(&own);
        if own.len() != apply.len() || own.iter().zip(apply).any(|(own, apply)| *own && !apply) {
            let message = "the operand has a dimension that the results of the apply lack";
            return Err(self.error(range, message));
        }
        let positions: Vec<i64> = {
            let owns = self.select(&own, apply);
            (0..).zip(owns).filter(|(_, owns)| *owns).map(|(position, _)| position).collect()
        };
        let is_whole = own == apply;
        Ok((offset, (!is_whole).then_some(positions)))
    }

    /// Refuses an unrolling of two dimensions: reversed, its operands would be in another order.
    pub fn check_unroll(&self, values: &[i64], range: Range<usize>) -> Result<(), Diagnostic> {
        if !self.spelling.is_reversed || values.iter().filter(|factor| **factor != 1).count() < 2 {
            return Ok(());
        }
        let message = "two dimensions are unrolled: the order of the values is not known";
        Err(self.error(range, message).help(
            "give the program before '--stencil-unrolling'; 'stencil-opt --stencil-unroll' unrolls",
        ))
    }
}
