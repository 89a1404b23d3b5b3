//! Placement of values in fields: direct stores, and loads in place.
//!
//! A store is *direct* if the apply that computes its temp may write the field itself: the temp has
//! no other uses, and no op between apply and store accesses memory that may alias the field. A
//! load is *in place* if its temp may be read from the field at all uses: nothing writes the field
//! before the last use. In-place updates are allowed where an apply reads only the cell that it
//! writes. A store to other cells than those that a use reads, as of another component, does not
//! count.

use super::{alias::Aliases, footprint};
use crate::framework::count_steps;
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    attributes, build,
    ods::{scf, stencil},
    ops::{ApplyOp, CombineOp, StoreOp},
    types, walk,
};
use stencil_faults::{Fault, planted};

/// Why a store is not direct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indirect {
    /// The temp does not come from an apply of the same block.
    NotComputedHere,
    /// The temp has other uses.
    Shared,
    /// The field is read or written between apply and store.
    Interference,
    /// What the field is, is known only after the apply: it is chosen there, or a loop leaves it.
    NotYetKnown,
}

/// The apply that may write a store's field itself, and the number of its result.
///
/// # Errors
/// The reason, if it may not.
pub fn direct<'c: 'a, 'a>(store: StoreOp<'c, 'a>) -> Result<(ApplyOp<'c, 'a>, usize), Indirect> {
    let temp = store.temp();
    let apply = walk::definition(temp).and_then(ApplyOp::of).ok_or(Indirect::NotComputedHere)?;
    if apply.operation().block() != store.operation().block() {
        return Err(Indirect::NotComputedHere);
    }
    if walk::uses(temp).len() != 1 {
        return Err(Indirect::Shared);
    }
    let mut aliases = Aliases::default();
    let mut between = apply.operation().next_in_block();
    while let Some(operation) = between.filter(|operation| *operation != store.operation()) {
        if touches(operation, store.field(), &mut aliases) && !planted(Fault::EarlyStore) {
            return Err(Indirect::Interference);
        }
        between = operation.next_in_block();
    }
    if !is_known(store.field(), apply.operation()) {
        return Err(Indirect::NotYetKnown);
    }
    let number = walk::result_number(temp).ok_or(Indirect::NotComputedHere)?;
    Ok((apply, number))
}

/// Whether a field is known when an op of a block runs: memory that is allocated later is, since it
/// can be allocated before, and so is a cast of it.
fn is_known<'c: 'a, 'a>(field: Value<'c, 'a>, operation: OperationRef<'c, 'a>) -> bool {
    let Some(definition) = walk::definition(field) else { return true };
    match walk::name(&definition) {
        stencil::ALLOC => true,
        stencil::CAST => definition.operand(0).is_ok_and(|field| is_known(field, operation)),
        _ => definition.block() != operation.block() || definition.is_before_in_block(operation),
    }
}

/// Whether an op, or one inside it, accesses memory that may alias the field.
pub fn touches<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    field: Value<'c, 'a>,
    aliases: &mut Aliases,
) -> bool {
    walk::nested(operation).into_iter().any(|inner| {
        count_steps(1);
        inner.operands().any(|operand| {
            let memory = if types::is_temp(operand.r#type()) {
                loaded_field(operand)
            } else {
                types::is_field(operand.r#type()).then_some(operand)
            };
            // A loop that carries the field accesses it in its body only; a cast is an alias.
            let is_name = matches!(walk::name(&inner), stencil::CAST | scf::FOR | scf::YIELD);
            memory.is_some_and(|memory| !is_name && aliases.may_alias(memory, field))
        })
    })
}

/// Whether an op, or one inside it, may store to memory that may alias the field: it is a store, or
/// has it as an operand and is not known to read it only.
pub fn may_write<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    field: Value<'c, 'a>,
    aliases: &mut Aliases,
) -> bool {
    let is_name =
        |name: &str| matches!(name, stencil::LOAD | stencil::CAST | scf::FOR | scf::YIELD);
    walk::nested(operation).into_iter().filter(|inner| !is_name(walk::name(inner))).any(|inner| {
        inner
            .operands()
            .any(|operand| types::is_field(operand.r#type()) && aliases.may_alias(operand, field))
    })
}

/// The field that a temp was loaded from.
pub fn loaded_field<'c: 'a, 'a>(temp: Value<'c, 'a>) -> Option<Value<'c, 'a>> {
    let load = walk::definition(temp)?;
    (walk::name(&load) == stencil::LOAD).then(|| load.operand(0).ok())?
}

/// Whether the temp of a load may be read from the field until its last use.
///
/// Requires direct stores: fields are then written by applies.
pub fn is_in_place<'c: 'a, 'a>(load: OperationRef<'c, 'a>) -> bool {
    let (Some(block), Ok(field)) = (load.block(), load.operand(0)) else { return false };
    let place = |operation: OperationRef<'c, 'a>| ancestor_in(operation, block);
    let uses = walk::uses(build::single(load)).into_iter();
    let uses = uses.map(|used| Some((place(used.user)?, used))).collect::<Option<Vec<_>>>();
    let Some(uses) = uses else { return false };
    let later = |one: OperationRef<'c, 'a>, two: OperationRef<'c, 'a>| {
        if one.is_before_in_block(two) { two } else { one }
    };
    let Some(last) = uses.iter().map(|(at, _)| *at).reduce(later) else { return true };
    let mut aliases = Aliases::default();
    // What is written after the last use does not matter.
    let following = std::iter::successors(load.next_in_block(), |it| it.next_in_block());
    let writers = following
        .take_while(|it| !last.is_before_in_block(*it))
        .flat_map(walk::nested)
        .flat_map(stores)
        .filter(|store| aliases.may_alias(store.field(), field))
        .filter_map(|store| Some((store, place(writer(store))?, writer(store))))
        .filter(|(_, at, _)| load.is_before_in_block(*at))
        .collect::<Vec<_>>();
    uses.into_iter().all(|(use_at, used)| {
        writers.iter().all(|(store, write_at, writer)| {
            if store.field() == field && reads_other_cells(used.user, used.operand, *store) {
                return true;
            }
            if *write_at != use_at {
                return use_at.is_before_in_block(*write_at);
            }
            // The apply that writes the field also reads it, and runs once after the load: in a
            // loop it would read what the iteration before has written.
            *writer == *write_at
                && *writer == used.user
                && reads_own_point_only(used.user, used.operand)
        })
    })
}

/// The store that an op is, or those of its results.
pub fn stores<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Vec<StoreOp<'c, 'a>> {
    count_steps(1);
    if let Some(store) = StoreOp::of(operation) {
        return vec![store];
    }
    let results = 0..operation.result_count();
    let users = results.flat_map(|result| walk::uses(build::result(operation, result)));
    users.filter_map(|used| StoreOp::of(used.user)).collect()
}

/// The op that writes a store's field.
fn writer<'c: 'a, 'a>(store: StoreOp<'c, 'a>) -> OperationRef<'c, 'a> {
    direct(store).map_or(store.operation(), |(apply, _)| apply.operation())
}

fn reads_own_point_only<'c: 'a, 'a>(user: OperationRef<'c, 'a>, operand: usize) -> bool {
    planted(Fault::StaleLoad)
        || ApplyOp::of(user).is_some_and(|apply| {
            let reads = footprint::reads(apply);
            reads.iter().filter(|read| read.argument == operand).all(footprint::Read::is_own_point)
        })
}

/// Whether an apply reads no cell of an operand that a store to the same field writes.
fn reads_other_cells<'c: 'a, 'a>(
    user: OperationRef<'c, 'a>,
    operand: usize,
    store: StoreOp<'c, 'a>,
) -> bool {
    let written = store.operation().attribute("bounds").ok().and_then(attributes::bounds);
    let apply = ApplyOp::of(user);
    let computed = apply.and_then(|apply| apply.bounds());
    let (Some(written), Some(apply), Some(computed)) = (written, apply, computed) else {
        return false;
    };
    let reads = footprint::reads(apply).into_iter().filter(|read| read.argument == operand);
    let mut cells = reads.map(|read| read.reach(&computed));
    cells.all(|cells| cells.is_some_and(|cells| cells.intersection(&written).is_empty()))
}

/// The op of `block` that `operation` is, or is inside.
fn ancestor_in<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    block: melior::ir::BlockRef<'c, 'a>,
) -> Option<OperationRef<'c, 'a>> {
    let mut current = operation;
    while current.block() != Some(block) {
        current = current.parent_operation()?;
    }
    Some(current)
}

/// Whether a result of an apply may be left unwritten at some point.
pub fn is_optional(apply: ApplyOp, result: usize) -> bool {
    let returned = apply.terminator();
    let values = returned.values();
    let points = returned.unroll().map_or(1, |unroll| unroll.iter().product::<i64>()) as usize;
    values[result * points..(result + 1) * points].iter().any(|value| {
        types::is_result(value.r#type())
            && !walk::definition(*value).is_some_and(|definition| {
                walk::name(&definition) == stencil::STORE_RESULT && definition.operand_count() == 1
            })
    })
}

/// Whether a temp may have unwritten points: of an apply, or on a side of a combine without a temp.
pub fn may_leave_out(temp: Value) -> bool {
    let Some((definition, number)) = walk::definition(temp).zip(walk::result_number(temp)) else {
        return false;
    };
    if let Some(apply) = ApplyOp::of(definition) {
        return is_optional(apply, number);
    }
    if let Some(combine) = CombineOp::of(definition) {
        let (lower, upper) = combine.sources()[number];
        return [lower, upper].into_iter().any(|side| side.is_none_or(may_leave_out));
    }
    let passes_on = matches!(walk::name(&definition), stencil::BUFFER | "dmp.swap");
    passes_on && definition.operand(0).is_ok_and(may_leave_out)
}
