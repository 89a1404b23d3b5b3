//! What accesses read: cells in memory, or what fills compute, through other fills where these read
//! filled cells.

use super::{
    Filled, NODES_MAX, Seen,
    body::{Body, Stored},
    elsewhere, unbounded,
};
use crate::analysis::{
    placement, point_code,
    statement::{Unfit, named},
    time_loop::slot_in,
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use std::ops::Range;
use stencil_dialects::{
    Bounds, StencilType, build,
    ops::{AccessOp, ApplyOp, DynAccessOp},
    types, walk,
};

/// An access to be resolved, at an offset from the point of its reader.
pub(super) struct Asked<'c, 'a, 'k> {
    /// The points of the reader that computes it; none where the cells alone are asked for.
    pub(super) points: Option<&'k Bounds>,
    pub(super) load: OperationRef<'c, 'a>,
    /// Whether a fill loads it.
    pub(super) is_of_fill: bool,
    pub(super) field: Value<'c, 'a>,
    pub(super) offset: &'k [i64],
    /// The cells that are read.
    pub(super) cells: Bounds,
}

impl<'c: 'a, 'a> Body<'c, 'a> {
    /// What an access reads.
    pub(super) fn seen(
        &self,
        asked: &Asked<'c, 'a, '_>,
        nodes: &mut usize,
    ) -> Result<Seen<'c, 'a>, Unfit> {
        let of_field = self.stores.iter().filter(|stored| {
            stored.field == asked.field
                && self.fills.contains(&stored.apply)
                && self.is_filled_at(stored, asked)
        });
        let before = of_field.collect::<Vec<_>>();
        self.seen_of(asked, &before, asked.cells.clone(), nodes)
    }

    /// Whether a fill is made before a load: those of the iteration before are, except to fills.
    fn is_filled_at(&self, stored: &Stored<'c, 'a>, asked: &Asked<'c, 'a, '_>) -> bool {
        let is_before = || {
            stored.operation.block() == asked.load.block()
                && stored.operation.is_before_in_block(asked.load)
        };
        (self.is_late && !asked.is_of_fill) || is_before()
    }

    /// The same, if only these stores have been made.
    fn seen_of(
        &self,
        asked: &Asked<'c, 'a, '_>,
        stores: &[&Stored<'c, 'a>],
        cells: Bounds,
        nodes: &mut usize,
    ) -> Result<Seen<'c, 'a>, Unfit> {
        *nodes += 1;
        if *nodes > NODES_MAX {
            let what = "fills ghost cells from so many others that no statement computes them";
            return Err(Unfit::new(what, "fill them from cells inside the domain"));
        }
        let reaches = |stored: &&Stored| !stored.bounds.intersection(&cells).is_empty();
        let Some(position) = stores.iter().rposition(reaches) else {
            self.check_cell(asked, &cells)?;
            return Ok(Seen::Cell { field: asked.field, offset: asked.offset.to_vec() });
        };
        let stored = stores[position];
        let filled = stored.bounds.intersection(&cells);
        let otherwise = match filled == cells {
            true => None,
            false => {
                let rest = without(&cells, &filled);
                Some(self.seen_of(asked, &stores[..position], rest, nodes)?)
            }
        };
        let value = stored.apply.terminator().values()[stored.result];
        let inputs = self.inputs(asked, (stored.apply, value), &filled, nodes)?;
        let points = (0..cells.rank()).map(|d| {
            let end = |is_cut: bool, end: i64| is_cut.then_some(end - asked.offset[d]);
            let (own, all) = (&stored.bounds, &cells);
            [
                end(all.lower[d] < own.lower[d], own.lower[d]),
                end(own.upper[d] < all.upper[d], own.upper[d]),
            ]
        });
        let points = points.collect();
        let (fill, offset) = (stored.apply, asked.offset.to_vec());
        Ok(Seen::Filled(Box::new(Filled { fill, value, offset, points, inputs, otherwise })))
    }

    /// What the accesses of a fill read that computes these cells.
    #[allow(clippy::type_complexity)]
    fn inputs(
        &self,
        asked: &Asked<'c, 'a, '_>,
        (fill, value): (ApplyOp<'c, 'a>, Value<'c, 'a>),
        filled: &Bounds,
        nodes: &mut usize,
    ) -> Result<Vec<(OperationRef<'c, 'a>, Seen<'c, 'a>)>, Unfit> {
        let mut inputs = Vec::new();
        let arguments = fill.arguments();
        for operation in point_code::computing(fill.body(), &[value]) {
            if operation.region_count() > 0 || DynAccessOp::of(operation).is_some() {
                let what = "fills ghost cells with a branch, or from computed cells";
                return Err(Unfit::new(what, "fill each part by an apply of its own"));
            }
            let Some(access) = AccessOp::of(operation) else { continue };
            let position = fill.argument_of(access.source());
            let argument = arguments[position.expect("an access reads an argument")];
            let offset = constant(operation, fill.rank())?.offset();
            let from = asked.offset.iter().zip(&offset).map(|(one, two)| one + two);
            let from = from.collect::<Vec<_>>();
            match self.filled_load(argument)? {
                Some((load, field)) => {
                    let field = self.read_by_fill(load, field)?;
                    let (cells, is_of_fill) = (moved(filled, &offset), true);
                    let points = asked.points;
                    let inner = Asked { points, load, is_of_fill, field, offset: &from, cells };
                    inputs.push((operation, self.seen(&inner, nodes)?));
                }
                None => {
                    self.check_lasting(argument)?;
                    check_operand(asked.points, argument, &from)?;
                }
            }
        }
        Ok(inputs)
    }

    /// What a fill for the next iteration reads of other fields is the same there.
    fn check_lasting(&self, operand: Value<'c, 'a>) -> Result<(), Unfit> {
        let body = build::block_of(self.carried.operation(), 0);
        let loaded = walk::definition(operand).filter(|load| load.block() == Some(body));
        let field = match types::is_field(operand.r#type()) {
            true => named(operand),
            false => loaded.and_then(|_| placement::loaded_field(operand)).and_then(named),
        };
        let changes = |field| {
            let is_stored = self.cycles.iter().any(|cycle| cycle.fields.contains(&field));
            is_stored
                || slot_in(body, field).is_some_and(|_| self.renamed(field).ok() != Some(field))
        };
        match self.is_late && field.is_some_and(changes) {
            true => {
                let what = "fills ghost cells, for the next iteration, from a field that changes";
                Err(Unfit::new(what, "fill them before the first statement"))
            }
            false => Ok(()),
        }
    }

    /// A cell holds in memory what is read if it is filled by nothing, and the access stays inside
    /// the field at every point.
    fn check_cell(&self, asked: &Asked<'c, 'a, '_>, cells: &Bounds) -> Result<(), Unfit> {
        let cycle = self.filled_cycle(asked.field).expect("it was asked for");
        let mut own = self.stores.iter().filter(|stored| stored.cycle == cycle);
        let is_filled = own.any(|stored| {
            self.fills.contains(&stored.apply) && !stored.bounds.intersection(cells).is_empty()
        });
        if is_filled {
            let what = "reads ghost cells that the iteration has not filled before";
            return Err(Unfit::new(what, "fill all ghost cells before the first statement"));
        }
        if self.is_copied_later(asked, cycle, cells) {
            let what = "fills ghost cells from others that it then copies from the other end";
            return Err(Unfit::new(what, "fill those of periodic sides first"));
        }
        let main = self.main(cycle);
        let is_stored = main.field == asked.field
            && main.operation.block() == asked.load.block()
            && main.operation.is_before_in_block(asked.load);
        if is_stored && !main.bounds.contains(cells) {
            let what = "reads ghost cells of a field that it has stored";
            return Err(Unfit::new(what, "store to another field, and let the two change places"));
        }
        check_field(asked.points, asked.field, asked.offset)
    }

    /// Whether cells that a fill reads are copied from the other end of the domain between it and
    /// the statement that computes it.
    fn is_copied_later(&self, asked: &Asked<'c, 'a, '_>, cycle: usize, cells: &Bounds) -> bool {
        let main = self.main(cycle).operation;
        let mut copies = self.stores.iter().filter(|stored| {
            let is_kept = !self.fills.contains(&stored.apply) && stored.operation != main;
            stored.cycle == cycle && is_kept && !stored.bounds.intersection(cells).is_empty()
        });
        let is_before = |stored: &Stored<'c, 'a>| {
            stored.operation.block() == asked.load.block()
                && stored.operation.is_before_in_block(asked.load)
        };
        asked.is_of_fill
            && copies.any(|stored| match self.is_late {
                false => stored.field == asked.field && !is_before(stored),
                true => stored.field == asked.field || !is_before(stored),
            })
    }
}

/// An access at a constant offset in all dimensions.
pub(super) fn constant<'c: 'a, 'a>(
    user: OperationRef<'c, 'a>,
    rank: usize,
) -> Result<AccessOp<'c, 'a>, Unfit> {
    let access = AccessOp::of(user);
    access.filter(|access| access.mapping().into_iter().eq(0..rank)).ok_or_else(elsewhere)
}

/// What is read at an offset from all points lies in a field.
fn check_field(points: Option<&Bounds>, field: Value, offset: &[i64]) -> Result<(), Unfit> {
    let bounds = StencilType::of(field.r#type()).and_then(|it| it.bounds).ok_or_else(unbounded)?;
    match points.is_none_or(|points| bounds.contains(&moved(points, offset))) {
        true => Ok(()),
        false => Err(Unfit::new(
            "fills ghost cells from cells that other points do not have",
            "give the field as many ghost cells on the other side",
        )),
    }
}

/// The same for an operand of a fill.
fn check_operand<'c: 'a, 'a>(
    points: Option<&Bounds>,
    operand: Value<'c, 'a>,
    offset: &[i64],
) -> Result<(), Unfit> {
    let field = match types::is_field(operand.r#type()) {
        true => named(operand),
        false => placement::loaded_field(operand).and_then(named),
    };
    let what = "fills ghost cells from a temp that it computes";
    let field = field.ok_or_else(|| Unfit::new(what, "fill them from fields"))?;
    check_field(points, field, offset)
}

/// Bounds moved by an offset.
pub(super) fn moved(bounds: &Bounds, offset: &[i64]) -> Bounds {
    crate::analysis::statements::moved(bounds, offset)
}

/// Cells without some of them: a box where these are all across one end, all cells elsewhere.
pub(super) fn without(cells: &Bounds, gone: &Bounds) -> Bounds {
    let along = |d: usize| -> [Range<i64>; 2] {
        [cells.lower[d]..cells.upper[d], gone.lower[d]..gone.upper[d]]
    };
    let mut partial = (0..cells.rank()).filter(|d| {
        let [all, own] = along(*d);
        all != own
    });
    let mut rest = cells.clone();
    let (Some(d), None) = (partial.next(), partial.next()) else { return rest };
    let [all, own] = along(d);
    if own.start == all.start {
        rest.lower[d] = own.end;
    } else if own.end == all.end {
        rest.upper[d] = own.start;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::{Bounds, without};

    #[test]
    fn cells_across_an_end_are_cut_off() {
        let bounds = |lower: [i64; 2], upper: [i64; 2]| Bounds::new(lower.into(), upper.into());
        let cells = bounds([0, 0], [8, 8]);
        assert_eq!(without(&cells, &bounds([0, 0], [2, 8])), bounds([2, 0], [8, 8]));
        assert_eq!(without(&cells, &bounds([0, 7], [8, 8])), bounds([0, 0], [8, 7]));
        assert_eq!(without(&cells, &bounds([0, 0], [2, 4])), cells);
        assert_eq!(without(&cells, &bounds([3, 0], [4, 8])), cells);
    }
}
