//! The time steps for which a function's tables can be read.
//!
//! A table is a field, or a temp, that an apply reads at absolute coordinates of which one is
//! computed from the induction variable of the time loop, the only loop at the top level of the
//! function. The access promises a range of coordinates; so the induction variable has a range too,
//! whatever the bounds of the loop are.
//!
//! Only accesses that every point makes in every iteration count: those that are conditional in
//! their apply, or whose apply is in a nested loop, may be made for the right steps only.
//! Coordinates are linear in the induction variable, or do not count.

use super::alias;
use melior::ir::{
    BlockLike, BlockRef, OperationRef, Value,
    attribute::{ArrayAttribute, DictionaryAttribute},
    operation::OperationLike,
};
use std::collections::BTreeMap;
use stencil_dialects::{
    attributes, build,
    ods::{arith, stencil},
    ops::{ApplyOp, DynAccessOp},
    walk::{self, ValueKey},
};

/// The values of the induction variable for which a table can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepLimit {
    /// The argument of the function that is the table; none if it is something else.
    pub argument: Option<usize>,
    /// The least value.
    pub first: i64,
    /// The greatest value, inclusive.
    pub last: i64,
}

/// The limits of a function, one for each table: arguments first, in their order.
pub fn step_limits(function: OperationRef) -> Vec<StepLimit> {
    let Some(entry) = build::entry_block(function) else { return Vec::new() };
    let top = walk::operations(entry);
    let mut loops = top.into_iter().filter(walk::is_loop);
    let (Some(time_loop), None) = (loops.next(), loops.next()) else { return Vec::new() };
    if time_loop.has_attribute("unsignedCmp") {
        return Vec::new();
    }
    let body = build::block_of(time_loop, 0);
    let mut limits = BTreeMap::new();
    for apply in walk::operations(body).into_iter().filter_map(ApplyOp::of) {
        for access in walk::operations(apply.body()).into_iter().filter_map(DynAccessOp::of) {
            if let Some(range) = induction_range(access, apply, build::argument(body, 0)) {
                let table = table(access, apply, entry);
                // Tables that are no arguments come last.
                let limit = limits.entry((table.is_none(), table)).or_insert(Range::ALL);
                *limit = limit.intersection(range);
            }
        }
    }
    let limit = |((_, argument), Range { first, last })| StepLimit { argument, first, last };
    limits.into_iter().map(limit).collect()
}

/// The limits that a function's attribute states.
pub fn stated(function: OperationRef) -> Vec<StepLimit> {
    let attribute = function.attribute(stencil::attribute::STEP_LIMITS).ok();
    let Some(tables) = attribute.and_then(|found| ArrayAttribute::try_from(found).ok()) else {
        return Vec::new();
    };
    let limit = |position: usize| {
        let entry = DictionaryAttribute::try_from(tables.element(position).ok()?).ok()?;
        let number = |key: &str| attributes::integer(entry.element_by_name(key)?);
        let argument = number("argument").and_then(|number| usize::try_from(number).ok());
        Some(StepLimit { argument, first: number("first")?, last: number("last")? })
    };
    (0..tables.len()).filter_map(limit).collect()
}

/// The values of the induction variable for which all coordinates of an access are in its range;
/// none if no coordinate is computed from it.
fn induction_range<'c: 'a, 'a>(
    access: DynAccessOp<'c, 'a>,
    apply: ApplyOp<'c, 'a>,
    induction: Value<'c, 'a>,
) -> Option<Range> {
    if !access.absolute() {
        return None;
    }
    let (lower, upper) = (access.lb(), access.ub());
    let ranges = access.offset().into_iter().enumerate().filter_map(|(d, coordinate)| {
        let linear = linear(coordinate, apply, induction)?;
        linear.preimage(Range { first: lower[d], last: upper[d] })
    });
    ranges.reduce(Range::intersection)
}

/// The argument of the function that an access reads.
fn table<'c: 'a, 'a>(
    access: DynAccessOp<'c, 'a>,
    apply: ApplyOp<'c, 'a>,
    entry: BlockRef<'c, 'a>,
) -> Option<usize> {
    let operand = apply.arguments()[apply.argument_of(access.source())?];
    let load = walk::definition(operand).filter(|load| walk::name(load) == stencil::LOAD);
    let field = load.map_or(Some(operand), |load| load.operand(0).ok())?;
    let roots = alias::roots(field)?;
    let is_root = |position: &usize| {
        roots.contains(&ValueKey::of(&build::argument(entry, *position))) && roots.len() == 1
    };
    (0..entry.argument_count()).find(is_root)
}

/// A value as a linear function of the induction variable.
fn linear<'c: 'a, 'a>(
    value: Value<'c, 'a>,
    apply: ApplyOp<'c, 'a>,
    induction: Value<'c, 'a>,
) -> Option<Linear> {
    if value == induction {
        return Some(Linear { scale: 1, offset: 0 });
    }
    if let Some(constant) = walk::constant(value).and_then(attributes::integer) {
        return Some(Linear { scale: 0, offset: constant.into() });
    }
    if let Some(position) = apply.argument_of(value) {
        return linear(apply.arguments()[position], apply, induction);
    }
    let operation = walk::definition(value)?;
    let operand = |position: usize| linear(operation.operand(position).ok()?, apply, induction);
    match walk::name(&operation) {
        arith::INDEX_CAST | arith::EXTSI => operand(0),
        arith::ADDI => operand(0)?.plus(operand(1)?),
        arith::SUBI => operand(0)?.plus(operand(1)?.times(-1)?),
        arith::MULI => match (operand(0)?, operand(1)?) {
            (one, Linear { scale: 0, offset }) => one.times(offset),
            (Linear { scale: 0, offset }, two) => two.times(offset),
            _ => None,
        },
        _ => None,
    }
}

/// `scale * t + offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Linear {
    scale: i128,
    offset: i128,
}

impl Linear {
    fn plus(self, other: Self) -> Option<Self> {
        let scale = self.scale.checked_add(other.scale)?;
        Some(Self { scale, offset: self.offset.checked_add(other.offset)? })
    }

    fn times(self, factor: i128) -> Option<Self> {
        let scale = self.scale.checked_mul(factor)?;
        Some(Self { scale, offset: self.offset.checked_mul(factor)? })
    }

    /// The `t` for which the value is in a range; none if it does not depend on `t`.
    fn preimage(self, range: Range) -> Option<Range> {
        if self.scale == 0 {
            return None;
        }
        let distance = |end: i64| i128::from(end).checked_sub(self.offset);
        let (mut least, mut most) = (distance(range.first)?, distance(range.last)?);
        let mut scale = self.scale;
        if scale < 0 {
            (least, most, scale) =
                (most.checked_neg()?, least.checked_neg()?, scale.checked_neg()?);
        }
        // Rounded inwards.
        let first = least.checked_neg()?.div_euclid(scale).checked_neg()?;
        let clamp = |number: i128| number.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        Some(Range { first: clamp(first), last: clamp(most.div_euclid(scale)) })
    }
}

/// Integers from `first` to `last`, inclusive; none if `last` is less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    first: i64,
    last: i64,
}

impl Range {
    const ALL: Self = Self { first: i64::MIN, last: i64::MAX };

    fn intersection(self, other: Self) -> Self {
        Self { first: self.first.max(other.first), last: self.last.min(other.last) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Linear, Range};

    fn preimage(scale: i128, offset: i128, first: i64, last: i64) -> Option<(i64, i64)> {
        let range = Linear { scale, offset }.preimage(Range { first, last })?;
        Some((range.first, range.last))
    }

    #[test]
    fn ranges_are_those_of_all_values_that_fit() {
        for (scale, offset, first, last) in [
            (1, 0, 0, 6),
            (1, -2, -1, 4),
            (2, 1, 0, 9),
            (3, -5, -7, 11),
            (-1, 6, 0, 6),
            (-2, 3, -4, 8),
        ] {
            let fits = |t: &i64| {
                let value = scale * i128::from(*t) + offset;
                (i128::from(first)..=i128::from(last)).contains(&value)
            };
            let all = (-40..40).filter(fits).collect::<Vec<_>>();
            let ends = (*all.first().unwrap(), *all.last().unwrap());
            assert_eq!(preimage(scale, offset, first, last), Some(ends), "{scale} t + {offset}");
        }
    }

    #[test]
    fn ranges_may_be_empty_or_reach_the_ends_of_the_type() {
        assert_eq!(preimage(2, 0, 1, 1), Some((1, 0)));
        assert_eq!(preimage(0, 3, 0, 9), None);
        let least = i128::from(i64::MIN);
        assert_eq!(preimage(1, least, 0, i64::MAX), Some((i64::MAX, i64::MAX)));
        assert_eq!(preimage(1, i128::MIN, 0, 1), None);
    }

    #[test]
    fn sums_and_products_that_overflow_are_not_linear() {
        let one = Linear { scale: i128::MAX, offset: 1 };
        assert_eq!(one.plus(Linear { scale: 1, offset: 0 }), None);
        assert_eq!(one.times(2), None);
        assert_eq!(one.times(-1), Some(Linear { scale: -i128::MAX, offset: -1 }));
    }
}
