//! Bounds of temps that their types leave unknown: the points that their uses need.
//!
//! A block is visited from its end to its beginning, so that all uses of a temp come before its
//! definition. A store needs its bounds; an apply needs, of every temp that it reads, its own
//! points shifted by the offsets; a combine needs each side up to its index. Demands are united to
//! one box. A temp without demand is not computed.

use melior::ir::{BlockRef, OperationRef, RegionLike, Value, ValueLike, operation::OperationLike};
use std::collections::HashMap;
use stencil_dialects::{
    Bounds, StencilType, attributes,
    ods::stencil,
    ops::{AccessOp, ApplyOp, CombineOp, DynAccessOp, StoreOp},
    walk::{self, ValueKey},
};

/// The demanded boxes of a program's temps.
#[derive(Debug, Default)]
pub(super) struct Demand {
    boxes: HashMap<ValueKey, Bounds>,
}

impl Demand {
    /// The points that a temp has: those of its type, else those that its uses need.
    pub fn bounds<'c: 'a, 'a>(&self, temp: Value<'c, 'a>) -> Option<Bounds> {
        let known = StencilType::of(temp.r#type()).and_then(|stencil| stencil.bounds);
        known.or_else(|| self.boxes.get(&ValueKey::of(&temp)).cloned())
    }

    /// The points that an apply computes: its own bounds, else those of its results' types, else
    /// the union of its uses' demands, rounded up to whole groups of unrolled points.
    pub fn of_apply<'c: 'a, 'a>(&self, apply: ApplyOp<'c, 'a>) -> Option<Bounds> {
        let operation = apply.operation();
        let named = operation.attribute("bounds").ok().and_then(attributes::bounds);
        let wanted = operation.results().filter_map(|result| self.bounds(result.into()));
        let known = named.or_else(|| apply.bounds());
        known.or_else(|| {
            let needed = wanted.reduce(|one, other| one.union(&other))?;
            Some(whole_groups(apply, needed))
        })
    }

    /// Adds the demands of all ops of a block.
    pub fn of_block<'c: 'a, 'a>(&mut self, block: BlockRef<'c, 'a>) {
        for operation in walk::operations(block).into_iter().rev() {
            if walk::name(&operation) != stencil::APPLY {
                for region in operation.regions() {
                    if let Some(block) = region.first_block() {
                        self.of_block(block);
                    }
                }
            }
            self.of_operation(operation);
        }
    }

    fn of_operation<'c: 'a, 'a>(&mut self, operation: OperationRef<'c, 'a>) {
        if let Some(store) = StoreOp::of(operation) {
            self.need(store.temp(), store.bounds());
        } else if let Some(apply) = ApplyOp::of(operation) {
            self.of_accesses(apply);
        } else if let Some(combine) = CombineOp::of(operation) {
            self.of_combine(combine);
        } else if matches!(walk::name(&operation), stencil::BUFFER | "dmp.swap") {
            let (operand, result) = (operation.operand(0), operation.result(0));
            if let (Ok(operand), Ok(result)) = (operand, result)
                && let Some(bounds) = self.bounds(result.into())
            {
                self.need(operand, bounds);
            }
        }
    }

    fn of_combine<'c: 'a, 'a>(&mut self, combine: CombineOp<'c, 'a>) {
        let (dimension, index) = (combine.dimension(), combine.index());
        for (result, (lower, upper)) in combine.operation().results().zip(combine.sources()) {
            let Some(bounds) = self.bounds(result.into()) else { continue };
            if let Some(lower) = lower {
                let mut below = bounds.clone();
                below.upper[dimension] = below.upper[dimension].min(index);
                self.need(lower, below);
            }
            if let Some(upper) = upper {
                let mut above = bounds;
                above.lower[dimension] = above.lower[dimension].max(index);
                self.need(upper, above);
            }
        }
    }

    fn of_accesses<'c: 'a, 'a>(&mut self, apply: ApplyOp<'c, 'a>) {
        let Some(mut points) = self.of_apply(apply) else { return };
        // An unrolled body reads around the group's first point.
        for (d, factor) in apply.terminator().unroll().unwrap_or_default().into_iter().enumerate() {
            points.upper[d] = points.upper[d].saturating_sub(factor - 1);
        }
        let arguments = apply.arguments();
        for operation in walk::nested(apply.operation()) {
            let (source, needed) = if let Some(access) = AccessOp::of(operation) {
                let offset = access.offset();
                (access.source(), shifted(&points, &access.mapping(), &offset, &offset))
            } else if let Some(access) = DynAccessOp::of(operation) {
                (access.source(), extent(&points, access))
            } else {
                continue;
            };
            if let Some(number) = apply.argument_of(source) {
                self.need(arguments[number], needed);
            }
        }
    }

    fn need<'c: 'a, 'a>(&mut self, temp: Value<'c, 'a>, bounds: Bounds) {
        if bounds.is_empty() {
            return;
        }
        let entry = self.boxes.entry(ValueKey::of(&temp));
        entry.and_modify(|known| *known = known.union(&bounds)).or_insert(bounds);
    }
}

/// The bounds, rounded up at their upper end to whole groups of unrolled points.
fn whole_groups(apply: ApplyOp, mut bounds: Bounds) -> Bounds {
    for (d, factor) in apply.terminator().unroll().unwrap_or_default().into_iter().enumerate() {
        let excess = (bounds.upper[d] - bounds.lower[d]) % factor.max(1);
        if excess > 0 {
            bounds.upper[d] = bounds.upper[d].saturating_add(factor - excess);
        }
    }
    bounds
}

/// The cells that a computed coordinate may address: around the points, or absolute.
fn extent(points: &Bounds, access: DynAccessOp) -> Bounds {
    let (lower, upper) = (access.lb(), access.ub());
    if access.absolute() {
        let ends = upper.iter().map(|last| last.saturating_add(1)).collect();
        return Bounds::new(lower, ends);
    }
    let every: Vec<usize> = (0..points.rank()).collect();
    shifted(points, &every, &lower, &upper)
}

/// The cells that points read whose offsets lie between `lower` and `upper`, in the operand's
/// dimensions. Sums saturate at 64 bits, which no field reaches.
fn shifted(points: &Bounds, mapping: &[usize], lower: &[i64], upper: &[i64]) -> Bounds {
    let sums = |corner: &[i64], offsets: &[i64]| -> Vec<i64> {
        mapping.iter().zip(offsets).map(|(&d, &offset)| corner[d].saturating_add(offset)).collect()
    };
    Bounds::new(sums(&points.lower, lower), sums(&points.upper, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_the_dimensions_that_the_operand_has() {
        let points = Bounds::new(vec![0, 10, 20], vec![4, 14, 24]);
        let plane = shifted(&points, &[0, 2], &[-1, 0], &[-1, 0]);
        assert_eq!(plane, Bounds::new(vec![-1, 20], vec![3, 24]));
        let wide = shifted(&points, &[0, 1, 2], &[-1, 0, i64::MIN], &[1, 0, i64::MAX]);
        assert_eq!(wide, Bounds::new(vec![-1, 10, i64::MIN + 20], vec![5, 14, i64::MAX]));
    }
}
