//! Recurrences: statements that a loop in the order of the text would compute from their results.
//!
//! A statement reads what was there before it. Where all cells that it reads of its own array, and
//! writes too, lie before the point, the text of a sequential program means a scan: both readings
//! differ, so that it is refused. With cells on both sides it is a relaxation in place, which is
//! meant as an array statement.

use super::Body;
use crate::{
    diagnostic::Diagnostic,
    stencilgen::{
        program::{Coordinate, Output, Read, reads_below},
        sink::Sink,
        symbols::Meaning,
    },
};
use std::cmp::Ordering;
use stencil_dialects::types::Bounds;

impl Body<'_> {
    /// Refuses a statement that looks like a scan.
    pub fn check_recurrence(&self, output: &Output, region: &Bounds, sink: &mut Sink) {
        let own =
            |(read, _): &(&Read, _)| (read.array, read.version) == (output.array, output.version);
        let mut before = None;
        for (read, span) in reads_below([&output.value]).filter(own) {
            match side(&self.frame, region, read) {
                Side::Before => before = before.or(Some(span)),
                Side::Other => return,
                Side::Apart => {}
            }
        }
        let formals = self.callee.stencil.formals.iter().zip(&self.callee.arguments);
        let mut marked = formals.filter(|(formal, _)| formal.inout);
        let Some(span) = before else { return };
        if marked.any(|(_, meaning)| *meaning == Meaning::Array(output.array)) {
            return;
        }
        let name = &self.scope.arrays[output.array].name;
        let message = format!(
            "this is a recurrence: '{name}' is computed from cells of its own that a loop has \
             computed before"
        );
        let help = "a statement reads what was there before it, and scans along an axis are not \
                    supported; to read old values, write another array, or mark the argument: \
                    stencil f (inout : a)";
        let error = Diagnostic::error(span, message).note(output.span, "the cell is written here");
        sink.push(error.help(help));
    }
}

/// Where a cell that a statement reads of its own array lies.
#[derive(Debug, PartialEq)]
enum Side {
    /// A loop writes it before it comes to the point.
    Before,
    /// After the point, or nowhere in particular.
    Other,
    /// At the point, or where the statement writes nothing.
    Apart,
}

fn side(frame: &[Coordinate], region: &Bounds, read: &Read) -> Side {
    let mut offsets = Vec::new();
    for ((coordinate, index), extent) in frame.iter().zip(&read.indices).zip(region.extents()) {
        let affine = index.affine();
        let offset = match (coordinate, &affine) {
            (Coordinate::Iterator(iterator, shift), Some(affine)) => {
                let found = affine.shifted_iterator().filter(|(found, _)| found == iterator);
                found.map(|(found, number)| (found, number - shift))
            }
            (Coordinate::Constant(cell), Some(affine)) if affine.factors.is_empty() => {
                match affine.constant == *cell {
                    true => None,
                    false => return Side::Apart,
                }
            }
            _ => return Side::Other,
        };
        match (coordinate, offset) {
            (_, Some((_, offset))) if offset.abs() >= extent => return Side::Apart,
            (_, Some(offset)) => offsets.push(offset),
            (Coordinate::Constant(_), None) => {}
            (Coordinate::Iterator(..), None) => return Side::Other,
        }
    }
    // Loops are in the order of the iterators, outermost first, each of them upwards.
    offsets.sort_unstable();
    match offsets.iter().map(|(_, offset)| offset.cmp(&0)).find(|one| *one != Ordering::Equal) {
        Some(Ordering::Less) => Side::Before,
        Some(_) => Side::Other,
        None => Side::Apart,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stencilgen::index::{Index, Variable};

    fn at(offsets: [i64; 2]) -> Side {
        let frame = [Coordinate::Iterator(0, 0), Coordinate::Iterator(1, 0)];
        let region = Bounds::new(vec![1, 1], vec![2, 9]);
        let index = |(iterator, offset): (usize, i64)| {
            let iterator = Box::new(Index::Variable(Variable::Iterator(iterator)));
            let operator = crate::stencilgen::ast::IntegerOperator::Add;
            Index::Binary(operator, iterator, Box::new(Index::Constant(offset)))
        };
        let indices = offsets.into_iter().enumerate().map(index).collect();
        side(&frame, &region, &Read { array: 0, version: 0, indices })
    }

    #[test]
    fn cells_that_a_loop_wrote_before_lie_before_the_point() {
        assert_eq!(at([0, -1]), Side::Before);
        assert_eq!(at([0, 1]), Side::Other);
        assert_eq!(at([0, 0]), Side::Apart);
        // One row only: no other row is written, and no cell so far away.
        assert_eq!(at([-1, 0]), Side::Apart);
        assert_eq!(at([0, -8]), Side::Apart);
    }
}
