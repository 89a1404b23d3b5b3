//! Ghost cells that are copied from the other end of the domain.
//!
//! Strips are recognised one after the other: `valid` is the box of cells that hold, at the time of
//! the strip, the value of the cell that lies whole extents away inside the domain. It begins as
//! the domain; a strip outside one of its sides that copies over the extent of the domain, and
//! covers all of the box across, extends it; a statement's store makes it the domain again. Each
//! iteration fills all ghost cells that it reads before it reads them, those of what it computes
//! between the statements, so the grid is a ring along these dimensions. A temp that is computed in
//! ghost cells as well, from theirs, is a value on the ring: its statement computes the domain.
//! A field that the loop does not store, as of coefficients, is valid as what stands before the
//! loop left it: strips there extend its box in the same way, and any other store makes it the
//! domain again.
//! Along other dimensions nothing may be read outside of the domain, but for what a statement then
//! leaves out: where walls were folded into it, it chooses by the coordinates of the point.

use super::{
    Source, Statements,
    body::{Body, stores_of},
    moved,
};
use crate::analysis::{
    alias::Aliases,
    comparison::Comparison,
    placement,
    statement::{Unfit, named},
};
use melior::ir::{OperationRef, Value, operation::OperationLike};
use std::ops::Range;
use stencil_dialects::{
    Bounds, build,
    ods::arith,
    ops::{AccessOp, ApplyOp, DynAccessOp, IndexOp, StoreOp},
    walk,
};

/// An apply that copies cells of a field to others of it, along one dimension.
#[derive(Clone, Debug)]
pub struct Strip<'c, 'a> {
    /// The apply.
    operation: OperationRef<'c, 'a>,
    /// The field.
    pub field: Value<'c, 'a>,
    /// The cells that are written.
    bounds: Bounds,
    dimension: usize,
    /// How far away the cells are that are read.
    distance: i64,
}

impl<'c: 'a, 'a> Strip<'c, 'a> {
    /// The strip that an apply is, if it is one.
    pub fn of(apply: ApplyOp<'c, 'a>) -> Option<Self> {
        let [argument] = apply.arguments()[..] else { return None };
        let operations = walk::operations(apply.body());
        let [read, _] = operations[..] else { return None };
        let access = AccessOp::of(read)?;
        if apply.terminator().values() != [access.operation().result(0).ok()?.into()] {
            return None;
        }
        let offset = access.offset();
        let every = (0..apply.rank()).collect::<Vec<_>>();
        let mut along = offset.iter().enumerate().filter(|(_, by)| **by != 0);
        let (dimension, distance) = along.next()?;
        let stores = stores_of(apply);
        let [(_, store)] = stores[..] else { return None };
        let field = named(placement::loaded_field(argument)?)?;
        let is_own = named(store.field()) == Some(field);
        let is_strip = along.next().is_none() && access.mapping() == every && is_own;
        is_strip.then(|| Self {
            operation: apply.operation(),
            field,
            bounds: store.bounds(),
            dimension,
            distance: *distance,
        })
    }
}

/// Finds the dimensions along which a loop's grid is periodic.
pub(super) fn find<'c: 'a, 'a>(
    stages: &mut Statements<'c, 'a>,
    found: &Body<'c, 'a>,
) -> Result<(), Unfit> {
    if found.strips.is_empty() {
        return Ok(());
    }
    let is_stored = |strip: &Strip<'c, 'a>| {
        stages.histories.iter().any(|history| history.homes.contains(&strip.field))
    };
    if !found.strips.iter().all(is_stored) {
        let what = "copies ghost cells of a field that none of its statements stores";
        return Err(Unfit::new(what, "fill them before the loop"));
    }
    let mut periodic = found.strips.iter().map(|strip| strip.dimension).collect::<Vec<_>>();
    periodic.sort_unstable();
    periodic.dedup();
    let domain = stages.stages[stages.histories[0].stage].domain.clone();
    let computed = stages.stages.iter().map(|stage| stage.domain.clone()).collect::<Vec<_>>();
    let is_stored = |number: usize| stages.histories.iter().any(|it| it.stage == number);
    let may_be = |(number, own): (usize, &Bounds)| match is_stored(number) {
        true => *own == domain,
        false => is_around(own, &domain, &periodic),
    };
    if !computed.iter().enumerate().all(may_be) {
        let what = "copies ghost cells of a grid whose statements compute different points";
        return Err(Unfit::new(what, "compute the same points in all of them"));
    }
    for strip in &found.strips {
        let valid = valid_before(strip.operation, strip.field, &domain);
        extended(valid, strip, &domain).ok_or_else(elsewhere)?;
    }
    Reads { stages, domain: &domain, periodic: &periodic }.check()?;
    for stage in &mut stages.stages {
        stage.domain = domain.clone();
    }
    stages.periodic = periodic;
    Ok(())
}

/// What statements read of a grid that may be periodic.
struct Reads<'c, 'a, 'k> {
    stages: &'k Statements<'c, 'a>,
    domain: &'k Bounds,
    periodic: &'k [usize],
}

impl<'c: 'a, 'a> Reads<'c, 'a, '_> {
    /// Checks that all cells outside of the domain that are read have the values of the other end.
    fn check(&self) -> Result<(), Unfit> {
        for stage in &self.stages.stages {
            for (position, source) in stage.inputs.iter().enumerate() {
                if matches!(source, Source::Scalar(_)) {
                    continue;
                }
                let argument = stage.apply.arguments()[position];
                let valid = self.valid(source, argument);
                let is_read = |cells: &Bounds| {
                    self.domain.contains(cells)
                        || valid.as_ref().is_some_and(|valid| valid.contains(cells))
                };
                let every = (0..stage.domain.rank()).collect::<Vec<_>>();
                let accesses = stage.accesses(position).filter_map(AccessOp::of);
                // A point outside of the domain reads what the point at the other end does of a
                // field of fewer dimensions, which is never a stream.
                for access in accesses.filter(|access| access.mapping() == every) {
                    let cells = moved(&stage.domain, &access.offset());
                    let chosen = self.chosen(access, &stage.domain, &cells);
                    if !is_read(&cells) && !chosen.is_some_and(|cells| is_read(&cells)) {
                        return Err(elsewhere());
                    }
                }
            }
            check_coordinates(stage.apply, self.periodic)?;
        }
        Ok(())
    }

    /// The cells whose values a statement uses of those that an access reads, if it leaves out all
    /// that lie outside of the domain along dimensions that are not periodic.
    fn chosen(&self, access: AccessOp, points: &Bounds, cells: &Bounds) -> Option<Bounds> {
        let mut chosen = cells.clone();
        for d in (0..points.rank()).filter(|d| !self.periodic.contains(d)) {
            let (lower, upper) = (self.domain.lower[d], self.domain.upper[d]);
            let (before, after) = (lower - cells.lower[d], cells.upper[d] - upper);
            let (first, end) = (points.lower[d], points.upper[d]);
            if before > 0 && !is_left_out(access, d, first..first + before)
                || after > 0 && !is_left_out(access, d, end - after..end)
            {
                return None;
            }
            chosen.lower[d] = chosen.lower[d].max(lower);
            chosen.upper[d] = chosen.upper[d].min(upper);
        }
        Some(chosen)
    }

    /// The cells of an argument of a statement that have a value on the ring; none of numbers.
    fn valid(&self, source: &Source<'c, 'a>, argument: Value<'c, 'a>) -> Option<Bounds> {
        let loaded = placement::loaded_field(argument).and_then(named);
        let filled = || Some(valid_before(walk::definition(argument)?, loaded?, self.domain));
        match *source {
            Source::Level { .. } => filled(),
            Source::Field(field) => {
                Some(valid_before(self.stages.operation, named(field)?, self.domain))
            }
            Source::Result { stage, result } => match self.stages.history(stage, result) {
                Some(_) => filled(),
                None => Some(self.stages.stages[stage].domain.clone()),
            },
            Source::Scalar(_) => None,
        }
    }
}

/// The valid cells of a field when an op of a block runs, as the loop or a load: the domain, and
/// what strips in the block have copied since anything else was stored to the field.
fn valid_before<'c: 'a, 'a>(
    end: OperationRef<'c, 'a>,
    field: Value<'c, 'a>,
    domain: &Bounds,
) -> Bounds {
    let mut aliases = Aliases::default();
    let mut valid = domain.clone();
    let block = end.block().into_iter().flat_map(walk::operations);
    for operation in block.take_while(|operation| *operation != end) {
        if let Some(store) = StoreOp::of(operation) {
            if aliases.may_alias(store.field(), field) {
                let strip = walk::definition(store.temp()).and_then(ApplyOp::of);
                let strip = strip.and_then(Strip::of).filter(|strip| strip.field == field);
                let longer = strip.and_then(|strip| extended(valid, &strip, domain));
                valid = longer.unwrap_or_else(|| domain.clone());
            }
        } else if placement::may_write(operation, field, &mut aliases) {
            valid = domain.clone();
        }
    }
    valid
}

/// Whether the value of an access is used at none of the points with these coordinates along a
/// dimension: other values are chosen there.
fn is_left_out(access: AccessOp, dimension: usize, points: Range<i64>) -> bool {
    let mut value = build::single(access.operation());
    loop {
        let [used] = walk::uses(value)[..] else { return false };
        if walk::name(&used.user) != arith::SELECT || used.operand == 0 {
            return false;
        }
        let condition = used.user.operand(0).ok().and_then(walk::definition);
        let compared = condition.and_then(Comparison::of);
        let compared = compared.filter(|compared| compared.dimension == dimension);
        let taken = used.operand == 1;
        if compared.and_then(|it| it.within(&points)).is_some_and(|holds| holds != taken) {
            return true;
        }
        value = build::single(used.user);
    }
}

/// Whether points are those of the domain, and others beyond its ends along periodic dimensions:
/// what they are computed from, they have in common with points inside.
fn is_around(points: &Bounds, domain: &Bounds, periodic: &[usize]) -> bool {
    points.contains(domain)
        && (0..domain.rank())
            .filter(|d| !periodic.contains(d))
            .all(|d| (points.lower[d], points.upper[d]) == (domain.lower[d], domain.upper[d]))
}

/// Coordinates along a periodic dimension are those of the domain, and fields are read at them: a
/// point outside has others.
fn check_coordinates(apply: ApplyOp, periodic: &[usize]) -> Result<(), Unfit> {
    let operations = walk::nested(apply.operation());
    let is_other = |operation: &OperationRef| {
        DynAccessOp::of(*operation).is_some()
            || IndexOp::of(*operation).is_some_and(|it| periodic.contains(&it.dimension()))
    };
    match operations.iter().any(is_other) {
        true => Err(Unfit::new(
            "uses coordinates along periodic dimensions",
            "pass what depends on these coordinates as a field",
        )),
        false => Ok(()),
    }
}

fn elsewhere() -> Unfit {
    Unfit::new(
        "copies cells of a field that it also computes from, not from the other end of the domain",
        "fill the ghost cells outside each side, one dimension after the other, before what reads \
         them",
    )
}

/// The valid box after a strip; none if it does not extend it.
fn extended(mut valid: Bounds, strip: &Strip, domain: &Bounds) -> Option<Bounds> {
    let (d, cells) = (strip.dimension, &strip.bounds);
    if cells.rank() != domain.rank() {
        return None;
    }
    let extent = domain.upper[d] - domain.lower[d];
    let covers = |e: usize| cells.lower[e] <= valid.lower[e] && valid.upper[e] <= cells.upper[e];
    let width = cells.upper[d] - cells.lower[d];
    let is_across = (0..domain.rank()).all(|e| e == d || covers(e));
    if !is_across || width > extent {
        return None;
    }
    if strip.distance == extent && cells.upper[d] == domain.lower[d] {
        valid.lower[d] = cells.lower[d];
        return Some(valid);
    }
    if strip.distance == -extent && cells.lower[d] == domain.upper[d] {
        valid.upper[d] = cells.upper[d];
        return Some(valid);
    }
    None
}
