//! Comparisons of a point's coordinates with constants, as programs write walls and sources.

use melior::ir::{OperationRef, Value, operation::OperationLike};
use std::ops::Range;
use stencil_dialects::{
    attributes,
    build::Compare,
    ods::{arith, stencil::attribute},
    ops::IndexOp,
    walk,
};
use stencil_faults::{Fault, off_by_one, planted};

/// A comparison of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The dimension of the domain.
    pub dimension: usize,
    /// How the coordinate, which comes first, is compared.
    how: How,
    /// With what, the offset of the coordinate subtracted.
    constant: i64,
    /// Whether that moves with a domain of run-time extents: else it is the same for all of them.
    pub moves: bool,
}

/// How a coordinate is compared; strict comparisons of integers are these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Less,
    AtLeast,
    Equal,
    NotEqual,
}

impl Comparison {
    /// The comparison that an op makes; none for other ops.
    pub fn of(operation: OperationRef) -> Option<Self> {
        if walk::name(&operation) != arith::CMPI {
            return None;
        }
        let how = attributes::integer(operation.attribute("predicate").ok()?)?;
        let [one, two] = [operation.operand(0).ok()?, operation.operand(1).ok()?];
        let (index, how, with) = match (index(one), index(two)) {
            (Some(index), None) => (index, how, constant(two)?),
            (None, Some(index)) => (index, swapped(how)?, constant(one)?),
            _ => return None,
        };
        let moves = with == 0 && index.operation().has_attribute(attribute::DISTANCE);
        Some(Self { moves, ..Self::new((index.dimension(), index.offset()), how, with)? })
    }

    /// The same, if its place in the domain is known: where extents are given at run time,
    /// constants that do not move with the domain compare otherwise than at the reference's.
    pub fn in_domain(operation: OperationRef, is_general: bool) -> Option<Self> {
        Self::of(operation).filter(|comparison| comparison.moves || !is_general)
    }

    fn new((dimension, offset): (usize, i64), how: i64, constant: i64) -> Option<Self> {
        let is = |known: Compare| how == known as i64;
        let constant = constant.checked_sub(offset)?;
        let (how, constant) = match () {
            () if is(Compare::Less) => (How::Less, constant),
            () if is(Compare::GreaterEqual) => (How::AtLeast, constant),
            () if is(Compare::LessEqual) => (How::Less, constant.checked_add(1)?),
            () if is(Compare::Greater) => (How::AtLeast, constant.checked_add(1)?),
            () if is(Compare::Equal) => (How::Equal, constant),
            () if is(Compare::NotEqual) => (How::NotEqual, constant),
            () => return None,
        };
        Some(Self { dimension, how, constant, moves: false })
    }

    /// The result for all coordinates of a range, if it is the same.
    pub fn within(&self, range: &Range<i64>) -> Option<bool> {
        let start = off_by_one(Fault::LowCut, range.start);
        let (below, above) = (range.end <= self.constant, start >= self.constant);
        let other = start > self.constant || planted(Fault::PointCut);
        match self.how {
            How::Less => (below || above).then_some(below),
            How::AtLeast => (below || above).then_some(above),
            How::Equal => (below || other).then_some(false),
            How::NotEqual => (below || other).then_some(true),
        }
    }

    /// Whether it singles out one coordinate, as a source at a point does.
    pub fn is_of_one_point(&self) -> bool {
        matches!(self.how, How::Equal | How::NotEqual)
    }

    /// The coordinates whose result differs from that of the one before.
    pub fn cuts(&self) -> Vec<i64> {
        match self.how {
            How::Less | How::AtLeast => vec![self.constant],
            How::Equal | How::NotEqual if planted(Fault::PointCut) => Vec::new(),
            How::Equal | How::NotEqual => vec![self.constant, self.constant + 1],
        }
    }
}

/// The coordinate that a value is.
fn index<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<IndexOp<'c, 'a>> {
    IndexOp::of(walk::definition(value)?)
}

fn constant(value: Value) -> Option<i64> {
    walk::constant(value).and_then(attributes::integer)
}

/// The comparison with its operands exchanged.
fn swapped(how: i64) -> Option<i64> {
    use Compare::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    let pairs = [
        (Equal, Equal),
        (NotEqual, NotEqual),
        (Less, Greater),
        (Greater, Less),
        (LessEqual, GreaterEqual),
        (GreaterEqual, LessEqual),
    ];
    pairs.into_iter().find(|(from, _)| *from as i64 == how).map(|(_, to)| to as i64)
}

#[cfg(test)]
mod tests {
    use super::{Compare, Comparison, swapped};

    fn comparison(how: Compare, constant: i64) -> Comparison {
        Comparison::new((0, 0), how as i64, constant).unwrap()
    }

    #[test]
    fn ranges_on_one_side_are_known() {
        let holds = |how, constant| comparison(how, constant).within(&(2..5));
        for (how, expected) in [
            (Compare::Less, [Some(false), None, Some(true)]),
            (Compare::LessEqual, [None, Some(true), Some(true)]),
            (Compare::GreaterEqual, [Some(true), None, Some(false)]),
            (Compare::Greater, [None, Some(false), Some(false)]),
            (Compare::Equal, [None, None, Some(false)]),
            (Compare::NotEqual, [None, None, Some(true)]),
        ] {
            assert_eq!([2, 4, 5].map(|constant| holds(how, constant)), expected, "{how:?}");
        }
        assert_eq!(holds(Compare::LessEqual, 1), Some(false));
        assert_eq!(holds(Compare::Equal, 1), Some(false));
    }

    #[test]
    fn offsets_of_coordinates_move_constants() {
        let moved = Comparison::new((1, -2), Compare::Less as i64, 3).unwrap();
        assert_eq!((moved.dimension, moved.cuts()), (1, vec![5]));
        assert_eq!(comparison(Compare::Equal, 3).cuts(), [3, 4]);
        assert_eq!(swapped(Compare::Less as i64), Some(Compare::Greater as i64));
    }
}
