//! Names, views and builders of ops, generated from their definitions in ODS.
//!
//! `ods::arith::ADDF` is the name of an op, `ods::arith::AddFOp::of(op)` a view of one, and
//! `ods::arith::addf(at, a, b)` inserts one. Accessors rely on the op having passed its verifier:
//! a required operand or attribute that is missing is a panic.
// Functions that insert an op have as many parameters as ODS requires, and accessors its names.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::{
    Bounds, attributes,
    build::{self, Inserter},
    walk,
};
use melior::ir::{
    Attribute, BlockRef, OperationRef, Region, RegionRef, Type, Value, ValueLike,
    attribute::DenseI32ArrayAttribute, operation::OperationLike, r#type::IntegerType,
};

/// A view of an op of one kind.
pub trait View<'c, 'a>: Copy {
    /// The name of the op.
    const NAME: &'static str;

    /// The view, if the op is of this kind.
    fn of(operation: OperationRef<'c, 'a>) -> Option<Self>;

    /// The op itself.
    fn operation(&self) -> OperationRef<'c, 'a>;
}

macro_rules! view {
    ($(#[$doc:meta])* $view:ident, $name:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $view<'c, 'a>(OperationRef<'c, 'a>);

        impl<'c: 'a, 'a> $view<'c, 'a> {
            /// The view, if the op is of this kind.
            #[inline]
            pub fn of(operation: OperationRef<'c, 'a>) -> Option<Self> {
                (walk::name(&operation) == $name).then_some(Self(operation))
            }

            /// The op itself.
            #[inline]
            pub fn operation(&self) -> OperationRef<'c, 'a> {
                self.0
            }
        }

        impl<'c: 'a, 'a> View<'c, 'a> for $view<'c, 'a> {
            const NAME: &'static str = $name;

            #[inline]
            fn of(operation: OperationRef<'c, 'a>) -> Option<Self> {
                Self::of(operation)
            }

            #[inline]
            fn operation(&self) -> OperationRef<'c, 'a> {
                self.0
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/ods.rs"));

const REQUIRED: &str = "the verifier checked what the op requires";

fn operand<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, position: usize) -> Value<'c, 'a> {
    operation.operand(position).expect(REQUIRED)
}

fn result<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, position: usize) -> Value<'c, 'a> {
    operation.result(position).expect(REQUIRED).into()
}

/// The operands without the first `before` and the last `after`.
fn operands_between<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    before: usize,
    after: usize,
) -> Vec<Value<'c, 'a>> {
    let end = operation.operand_count() - after;
    (before..end).map(|position| operand(operation, position)).collect()
}

/// The results without the first `before` and the last `after`.
fn results_between<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    before: usize,
    after: usize,
) -> Vec<Value<'c, 'a>> {
    let end = operation.result_count() - after;
    (before..end).map(|position| result(operation, position)).collect()
}

pub(crate) fn operand_segment<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    which: usize,
) -> Vec<Value<'c, 'a>> {
    let (start, end) = segment(operation, which);
    (start..end).map(|position| operand(operation, position)).collect()
}

/// Where a segment begins and ends.
fn segment(operation: OperationRef, which: usize) -> (usize, usize) {
    let sizes = operation.attribute("operandSegmentSizes").ok().and_then(attributes::integers);
    let sizes = sizes.expect(REQUIRED);
    let start = sizes[..which].iter().sum::<i64>();
    (start as usize, (start + sizes[which]) as usize)
}

fn regions_from<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    first: usize,
) -> Vec<RegionRef<'c, 'a>> {
    operation.regions().skip(first).collect()
}

fn segment_sizes<'c>(at: Inserter<'c, '_>, sizes: &[usize]) -> Attribute<'c> {
    let sizes = sizes.iter().map(|&size| size as i32).collect::<Vec<_>>();
    DenseI32ArrayAttribute::new(at.context(), &sizes).into()
}

fn integer_type<'c>(at: Inserter<'c, '_>, bits: u32) -> Type<'c> {
    IntegerType::new(at.context(), bits).into()
}
