//! The points of a kernel far from the ends of its domain.
//!
//! Where walls are folded into statements, these compare coordinates, and compute what lies beyond
//! a wall at every point. In the middle all comparisons are known, so that a kernel has a path of
//! its own for threads there: without what is not chosen, and without its loads.

use crate::cuts::Cuts;
use melior::ir::OperationRef;
use std::ops::Range;
use stencil_dialects::{Bounds, ops::ApplyOp, walk};
use stencil_passes::analysis::{comparison::Comparison, run_time_extents::RunTimeExtents};

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
}
