//! The footprint of an apply: the cells that it reads around a point.

use super::middle::Middle;
use melior::ir::OperationRef;
use stencil_dialects::{
    Bounds,
    ops::{AccessOp, ApplyOp, DynAccessOp},
    walk,
};
use stencil_faults::{Fault, off_by_one};

/// One access of an apply to one of its arguments.
pub struct Read<'c, 'a> {
    /// The access.
    pub operation: OperationRef<'c, 'a>,
    /// Position among the apply's arguments.
    pub argument: usize,
    /// For each dimension of the argument, the dimension of the iteration that it follows; none if
    /// the cells do not depend on the point.
    pub mapping: Option<Vec<usize>>,
    /// Lowest and highest offset, inclusive, per dimension of the argument; coordinates where there
    /// is no mapping. They differ for dynamic accesses only.
    pub lower: Vec<i64>,
    /// See `lower`.
    pub upper: Vec<i64>,
    /// Points that the body computes at once, per dimension of the iteration.
    pub unroll: Vec<i64>,
}

/// All accesses of an apply, at any depth of its region, in order.
pub fn reads<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>) -> Vec<Read<'c, 'a>> {
    let unroll = apply.terminator().unroll().unwrap_or_else(|| vec![1; apply.rank()]);
    let mut reads = Vec::new();
    for operation in walk::nested(apply.operation()) {
        let (source, mapping, lower, upper) = if let Some(access) = AccessOp::of(operation) {
            (access.source(), Some(access.mapping()), access.offset(), access.offset())
        } else if let Some(access) = DynAccessOp::of(operation) {
            let mapping = (!access.absolute()).then(|| (0..access.lb().len()).collect());
            (access.source(), mapping, access.lb(), access.ub())
        } else {
            continue;
        };
        let Some(argument) = apply.argument_of(source) else { continue };
        reads.push(Read { operation, argument, mapping, lower, upper, unroll: unroll.clone() });
    }
    reads
}

/// The accesses of points far from the ends of an apply's domain, if it tells them apart, in no
/// order; else all. Computed cells that lie equally far from all of these points are at an offset.
pub fn reads_in<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>, middle: Option<&Middle>) -> Vec<Read<'c, 'a>> {
    let all = reads(apply);
    let Some(middle) = middle else { return all };
    let computed = middle.operations(apply);
    let read = |read: Read<'c, 'a>| {
        let access = DynAccessOp::of(read.operation).filter(DynAccessOp::absolute);
        match access.and_then(|access| middle.offset(access)) {
            Some(offset) => {
                let mapping = Some((0..offset.len()).collect());
                Read { mapping, lower: offset.clone(), upper: offset, ..read }
            }
            None => read,
        }
    };
    all.into_iter().filter(|read| computed.contains(&read.operation)).map(read).collect()
}

impl Read<'_, '_> {
    /// The cells read while the apply computes the points of `bounds`; none on overflow.
    ///
    /// With unroll, the body runs once per group of points, at the group's first.
    pub fn reach(&self, bounds: &Bounds) -> Option<Bounds> {
        let Some(mapping) = &self.mapping else {
            let ends = self.upper.iter().map(|last| last.checked_add(1));
            return Some(Bounds::new(self.lower.clone(), ends.collect::<Option<_>>()?));
        };
        let mut reached = Bounds { lower: Vec::new(), upper: Vec::new() };
        for (position, &d) in mapping.iter().enumerate() {
            let unroll = off_by_one(Fault::HaloAbove, self.unroll[d]);
            let last = bounds.upper[d].checked_sub(unroll - 1)?;
            let first = off_by_one(Fault::HaloBelow, self.lower[position]);
            reached.lower.push(bounds.lower[d].checked_add(first)?);
            reached.upper.push(last.checked_add(self.upper[position])?);
        }
        Some(reached)
    }

    /// Whether the access reads only the cell of the point itself.
    pub fn is_own_point(&self) -> bool {
        self.lower == self.upper
            && self.lower.iter().all(|offset| *offset == 0)
            && self.mapping.as_ref().is_some_and(|mapping| mapping.len() == self.unroll.len())
            && self.unroll.iter().all(|points| *points == 1)
    }
}
