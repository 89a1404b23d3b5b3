//! Copies of a point's code for another point at a constant offset.
//!
//! Accesses and coordinates are shifted, everything else is unchanged. Inlining and unrolling use
//! such copies. A copy may go into a body of higher rank, whose extra dimensions it does not depend
//! on.
//!
//! Offsets saturate at 64 bits: bounds inference refuses such an access anyway.

use melior::ir::{
    OperationRef, Type, Value, attribute::IntegerAttribute, operation::OperationLike,
};
use std::collections::HashMap;
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ops::{AccessOp, DynAccessOp, IndexOp},
    walk::{self, ValueKey},
};

/// Maps values of the original code to those of the copy.
pub type Names<'c, 'a> = HashMap<ValueKey, Value<'c, 'a>>;

/// The point of a copy relative to the point of the body that it is inserted into.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shift {
    /// Distance in each dimension of the code that is copied.
    pub offset: Vec<i64>,
    /// For each dimension of the code that is copied, the dimension of the body that it follows.
    pub mapping: Vec<usize>,
    /// Dimensions of the body.
    pub rank: usize,
}

impl Shift {
    /// The distance of a point from another of the same body.
    pub fn within(offset: Vec<i64>) -> Self {
        let rank = offset.len();
        Self { offset, mapping: (0..rank).collect(), rank }
    }

    /// Offset and mapping of an access of the copy, from those of the access that is copied.
    pub fn access(&self, offset: &[i64], mapping: &[usize]) -> (Vec<i64>, Vec<usize>) {
        let moved = offset.iter().zip(mapping).map(|(own, d)| own.saturating_add(self.offset[*d]));
        (moved.collect(), mapping.iter().map(|d| self.mapping[*d]).collect())
    }

    /// Dimension and offset of a coordinate of the copy.
    pub fn index(&self, dimension: usize, offset: i64) -> (usize, Vec<i64>) {
        let mut moved = vec![0; self.rank];
        moved[self.mapping[dimension]] = offset.saturating_add(self.offset[dimension]);
        (self.mapping[dimension], moved)
    }
}

/// Copies an op of a point's code with all that is inside, and enters its results into `names`.
pub fn copy<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    at: Inserter<'c, 'a>,
    names: &mut Names<'c, 'a>,
    shift: &Shift,
) -> OperationRef<'c, 'a> {
    let copied = at.insert(build::clone(operation));
    for inner in walk::nested(copied) {
        for (position, operand) in inner.operands().collect::<Vec<_>>().into_iter().enumerate() {
            if let Some(name) = names.get(&ValueKey::of(&operand)) {
                build::set_operand(inner, position, *name);
            }
        }
        move_point(inner, shift);
    }
    for (old, new) in operation.results().zip(copied.results()) {
        names.insert(ValueKey::of(&old), new.into());
    }
    copied
}

/// Makes an op that depends on the point depend on the one at a distance.
fn move_point(operation: OperationRef, shift: &Shift) {
    let context = build::context(&operation);
    let index = |values: &[i64]| attributes::make_index(context, values);
    if let Some(access) = AccessOp::of(operation) {
        let (offset, mapping) = shift.access(&access.offset(), &access.mapping());
        build::set_attribute(operation, "offset", index(&offset));
        if mapping.len() < shift.rank {
            let mapping = mapping.into_iter().map(|d| d as i64).collect::<Vec<_>>();
            build::set_attribute(operation, "offset_mapping", index(&mapping));
        }
    } else if let Some(access) = DynAccessOp::of(operation).filter(|access| !access.absolute()) {
        let moved = |extent: Vec<i64>| {
            let ends = extent.iter().zip(&shift.offset);
            ends.map(|(own, by)| own.saturating_add(*by)).collect::<Vec<_>>()
        };
        build::set_attribute(operation, "lb", index(&moved(access.lb())));
        build::set_attribute(operation, "ub", index(&moved(access.ub())));
    } else if let Some(coordinate) = IndexOp::of(operation) {
        let (dimension, offset) = shift.index(coordinate.dimension(), coordinate.offset());
        let dimension = IntegerAttribute::new(Type::index(context), dimension as i64);
        build::set_attribute(operation, "dim", dimension.into());
        build::set_attribute(operation, "offset", index(&offset));
    }
}

#[cfg(test)]
mod tests {
    use super::Shift;

    #[test]
    fn accesses_move_along_the_dimensions_that_they_follow() {
        // A plane's code, which follows dimensions 0 and 2 of a volume.
        let shift = Shift { offset: vec![1, -2], mapping: vec![0, 2], rank: 3 };
        assert_eq!(shift.access(&[10, 10], &[0, 1]), (vec![11, 8], vec![0, 2]));
        assert_eq!(shift.access(&[10], &[1]), (vec![8], vec![2]));
        assert_eq!(shift.index(1, 5), (2, vec![0, 0, 3]));
    }

    #[test]
    fn what_lacks_a_dimension_does_not_move_along_it() {
        let shift = Shift::within(vec![0, 3]);
        assert_eq!(shift.access(&[7], &[0]), (vec![7], vec![0]));
        assert_eq!(shift.access(&[7], &[1]), (vec![10], vec![1]));
        assert_eq!(Shift::within(vec![1]).access(&[i64::MAX], &[0]).0, [i64::MAX]);
    }
}
