//! The points of a kernel far from the ends of its domain.
//!
//! Where walls are folded into statements, these compare coordinates, and compute what lies beyond
//! a wall at every point. In the middle all comparisons are known, so that a kernel has a path of
//! its own for threads there: without what is not chosen, and without its loads.

use super::{comparison::Comparison, cuts::Cuts, run_time_extents::RunTimeExtents};
use melior::ir::{OperationRef, Value, operation::OperationLike};
use std::{collections::BTreeSet, ops::Range};
use stencil_dialects::{
    Bounds, attributes,
    ods::{arith, stencil::attribute::DISTANCE},
    ops::{ApplyOp, DynAccessOp, IndexOp},
    walk::{self, ValueKey},
};

/// How many points from an end a comparison may change its result for the points beyond it to be
/// left to the other path, which is slow: those of mirrors and walls do within a radius or two.
const NEAR: i64 = 8;

/// The points where comparisons of coordinates near the ends of a domain are known.
pub struct Middle {
    /// Coordinates along each dimension; of the reference's extents, if they are given at run time.
    ranges: Vec<Range<i64>>,
    /// Points before and after them.
    pub margins: Vec<[i64; 2]>,
    is_general: bool,
}

impl Middle {
    /// The middle of an apply's points; none if nothing is known there that is not known
    /// everywhere, or if it has less than half of them.
    pub fn of(apply: ApplyOp, bounds: &Bounds) -> Option<Self> {
        let is_general = RunTimeExtents::around(apply.operation()).is_some();
        let mut cuts = vec![Vec::new(); bounds.rank()];
        for operation in walk::nested(apply.operation()) {
            let comparison = Comparison::in_domain(operation, is_general);
            // A source costs a comparison; a cut there would leave the points before it to the
            // other path.
            if let Some(comparison) = comparison.filter(|it| !it.is_of_one_point()) {
                cuts[comparison.dimension].extend(comparison.cuts());
            }
        }
        let whole = bounds.lower.iter().zip(&bounds.upper).map(|(lower, upper)| *lower..*upper);
        let ranges = cuts.into_iter().zip(whole.clone());
        let ranges = ranges.map(|(places, whole)| Cuts { places, near: NEAR }.without(whole));
        let ranges = ranges.collect::<Vec<_>>();
        let margins = ranges.iter().zip(whole);
        let margins = margins.map(|(left, all)| [left.start - all.start, all.end - left.end]);
        let margins = margins.collect::<Vec<_>>();
        let points = ranges.iter().map(|range| (range.end - range.start).max(0)).product::<i64>();
        let is_other = margins.iter().any(|margins| *margins != [0, 0]);
        let made = is_other && 2 * points >= bounds.points();
        made.then_some(Self { ranges, margins, is_general })
    }

    /// The result of a comparison, if it is the same at all points.
    pub fn known(&self, operation: OperationRef) -> Option<bool> {
        let comparison = Comparison::in_domain(operation, self.is_general)?;
        comparison.within(&self.ranges[comparison.dimension])
    }

    /// What a value is: where the condition of a choice is known, what is chosen.
    pub fn chosen<'c: 'a, 'a>(&self, value: Value<'c, 'a>) -> Value<'c, 'a> {
        let mut value = value;
        while let Some(select) =
            walk::definition(value).filter(|it| walk::name(it) == arith::SELECT)
        {
            let condition = select.operand(0).ok().and_then(walk::definition);
            let Some(known) = condition.and_then(|it| self.known(it)) else { break };
            value = select.operand(if known { 1 } else { 2 }).expect("a choice is of two values");
        }
        value
    }

    /// How far from the point the cell lies that is read at computed coordinates, if it lies
    /// equally far from all points.
    pub fn offset(&self, access: DynAccessOp) -> Option<Vec<i64>> {
        let along = |(d, coordinate): (usize, Value)| self.distance(coordinate, d);
        access.offset().into_iter().enumerate().map(along).collect()
    }

    /// How far a coordinate along a dimension is from the point's, if it is equally far everywhere.
    fn distance(&self, coordinate: Value, d: usize) -> Option<i64> {
        let definition = walk::definition(self.chosen(coordinate))?;
        if let Some(index) = IndexOp::of(definition) {
            let is_own = index.dimension() == d && !index.operation().has_attribute(DISTANCE);
            return is_own.then(|| index.offset());
        }
        let number = |position| {
            let constant = walk::constant(definition.operand(position).ok()?)?;
            attributes::integer(constant)
        };
        let of = |position| self.distance(definition.operand(position).ok()?, d);
        match walk::name(&definition) {
            arith::ADDI if number(0).is_some() => of(1)?.checked_add(number(0)?),
            arith::ADDI => of(0)?.checked_add(number(1)?),
            arith::SUBI => of(0)?.checked_sub(number(1)?),
            _ => None,
        }
    }

    /// The ops that the values of an apply need, at any depth: those of what is not chosen are left
    /// out.
    pub fn operations<'c: 'a, 'a>(&self, apply: ApplyOp<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
        let is_inside = |operation: &OperationRef<'c, 'a>| {
            let parents = std::iter::successors(Some(*operation), |it| it.parent_operation());
            parents.skip(1).any(|parent| parent == apply.operation())
        };
        let mut found = vec![apply.operation(), apply.terminator().operation()];
        let (mut open, mut seen) = (apply.terminator().values(), BTreeSet::new());
        while let Some(value) = open.pop() {
            let definition = walk::definition(self.chosen(value)).filter(is_inside);
            for inner in definition.into_iter().flat_map(walk::nested) {
                let result = inner.results().next().map(|result| ValueKey::of(&result));
                if result.is_some_and(|result| !seen.insert(result)) {
                    continue;
                }
                found.push(inner);
                let read = DynAccessOp::of(inner).filter(|access| self.offset(*access).is_some());
                match read {
                    Some(access) => open.push(access.source()),
                    None => open.extend(inner.operands()),
                }
            }
        }
        found
    }
}
