//! `stencil-place-copies`: make the copies explicit that value semantics needs in memory.
//!
//! Before: temps are values: later stores do not change them. After:  every store is direct (the
//! apply that computes its temp may write the field itself), and
//!         every load is in place (its temp may be read from the field until the last use).
//!         Otherwise an apply that copies point by point is inserted.
//!
//! Why: after this pass an apply is a kernel, a load is an alias of a field, and a store is a
//! kernel's output. Copies have a stage name and a plan like any other kernel.
//! A temp with stores among several uses is returned once more for each store, so that one kernel
//! writes all of them. An apply with unwritten points cannot be copied through memory: it is
//! computed again at its store instead.
//! Dead ops are erased first.
//! Requires `stencil-infer-bounds`, `stencil-unify-applies` and `stencil-lower-combines`.
//! Does not allocate memory for temps: the lowering does.

use crate::{
    analysis::placement::{self, Indirect},
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
    },
};
use melior::ir::{OperationRef, Type, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds, StencilType, attributes,
    build::{self, Inserter},
    ods::stencil::{self, attribute},
    ops::{ApplyOp, StoreOp},
    types, walk,
};
use stencil_faults::{Fault, planted};

/// The table entry.
pub const PLACE_COPIES: PassInfo = PassInfo {
    argument: "stencil-place-copies",
    summary: "make the copies explicit that value semantics needs in memory",
    source: include_str!("place_copies.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[RETURNED, COPIED_STORES, COPIED_LOADS, REPEATED],
    dialects: &[],
    run: place_copies,
};

const RETURNED: Statistic =
    statistic("num-returned", "results added so that a kernel writes twice");
const COPIED_STORES: Statistic = statistic("num-copied-stores", "stores that copy");
const COPIED_LOADS: Statistic = statistic("num-copied-loads", "loads that copy");
const REPEATED: Statistic = statistic("num-repeated", "applies computed again at their store");

fn place_copies(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    erase_dead(function);
    // Applies and their returns are replaced: the list must not be read again.
    let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of).collect::<Vec<_>>();
    for apply in applies {
        cx.count(RETURNED, return_shared_results(apply));
    }
    for store in walk::nested(function).into_iter().filter_map(StoreOp::of) {
        make_direct(store, cx)?;
    }
    for load in walk::nested(function) {
        if walk::name(&load) == stencil::LOAD && !placement::is_in_place(load) {
            copy_load(load, cx)?;
        }
    }
    Ok(())
}

/// Erases dead ops, users first: a dead temp has no bounds to copy.
fn erase_dead(function: OperationRef) {
    for operation in walk::nested(function).into_iter().rev() {
        let is_value = matches!(
            walk::name(&operation),
            stencil::LOAD | stencil::APPLY | stencil::COMBINE | stencil::CAST
        );
        if is_value
            && operation.result_count() > 0
            && operation.results().all(|result| walk::uses(result.into()).is_empty())
        {
            build::erase(operation);
        }
    }
}

/// Gives each store of a temp with other uses a result of its own; says how many.
pub(super) fn return_shared_results(apply: ApplyOp) -> u64 {
    let operation = apply.operation();
    let mut stores = Vec::new();
    for (number, result) in operation.results().enumerate() {
        let uses = walk::uses(result.into());
        let is_here = |store: &StoreOp| store.operation().block() == operation.block();
        let here = uses.iter().filter_map(|used| StoreOp::of(used.user)).filter(is_here);
        let here = here.collect::<Vec<_>>();
        // If every use is a store, one of them keeps the result.
        let keeps = usize::from(here.len() == uses.len());
        stores.extend(here.into_iter().skip(keeps).map(|store| (number, store)));
    }
    if stores.is_empty() {
        return 0;
    }
    let returned = apply.terminator();
    let points = returned.unroll().map_or(1, |unroll| unroll.iter().product::<i64>()) as usize;
    let mut values = returned.values();
    let mut result_types = operation.results().map(|result| result.r#type()).collect::<Vec<_>>();
    for (number, _) in &stores {
        let from = if planted(Fault::SharedResult) { 0 } else { *number };
        values.extend_from_within(from * points..(from + 1) * points);
        result_types.push(result_types[*number]);
    }
    replace_return(returned.operation(), &values);
    let wider = replace_apply(operation, 0..operation.result_count(), &result_types);
    let first = result_types.len() - stores.len();
    for (position, (_, store)) in stores.iter().enumerate() {
        build::set_operand(store.operation(), 0, build::result(wider, first + position));
    }
    stores.len() as u64
}

/// Ends a point with these values.
pub(super) fn replace_return<'c: 'a, 'a>(returned: OperationRef<'c, 'a>, values: &[Value<'c, 'a>]) {
    let attributes = build::attributes(&returned);
    let attributes =
        attributes.iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>();
    Inserter::before(returned).create(stencil::RETURN, values, &attributes, &[], Vec::new());
    build::erase(returned);
}

/// The same apply with other results; the first ones take over the uses of these old ones, and
/// nothing uses others.
pub(super) fn replace_apply<'c: 'a, 'a>(
    old: OperationRef<'c, 'a>,
    kept: impl IntoIterator<Item = usize>,
    result_types: &[Type<'c>],
) -> OperationRef<'c, 'a> {
    let attributes = build::attributes(&old);
    let attributes =
        attributes.iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>();
    let operands = old.operands().collect::<Vec<_>>();
    let region = build::take_region(old, 0);
    let at = Inserter::before(old);
    let new = at.create(stencil::APPLY, &operands, &attributes, result_types, vec![region]);
    for (position, result) in kept.into_iter().enumerate() {
        build::replace_uses(build::result(old, result), build::result(new, position));
    }
    build::erase(old);
    new
}

fn make_direct(store: StoreOp, cx: &mut PassContext) -> PassResult {
    let Err(why) = placement::direct(store) else { return Ok(()) };
    let operation = store.operation();
    let computed = walk::definition(store.temp()).and_then(ApplyOp::of);
    let number = walk::result_number(store.temp()).unwrap_or_default();
    if let Some(apply) = computed.filter(|apply| placement::is_optional(*apply, number)) {
        let again = Inserter::before(operation).insert(build::clone(apply.operation()));
        build::remove_attribute(again, attribute::STAGE);
        build::set_operand(operation, 0, build::result(again, number));
        cx.count(REPEATED, 1);
        return Ok(());
    }
    let reason = match why {
        Indirect::NotComputedHere => "the temp is not computed in the block of its store",
        Indirect::Shared => "the temp has other uses",
        Indirect::Interference => "the field is accessed between the apply and its store",
        Indirect::NotYetKnown => "the field is chosen between the apply and its store",
    };
    let Some(copy) = copy_of(Inserter::before(operation), store.temp(), Some(store.bounds()))
    else {
        return Err(unknown_bounds(operation));
    };
    build::set_operand(operation, 0, copy);
    cx.passed(&operation, &format!("copies its temp: {reason}"));
    cx.count(COPIED_STORES, 1);
    Ok(())
}

fn copy_load(load: OperationRef, cx: &mut PassContext) -> PassResult {
    let temp = build::single(load);
    let users = walk::uses(temp);
    let Some(copy) = copy_of(Inserter::after(load), temp, None) else {
        return Err(unknown_bounds(load));
    };
    for used in users {
        build::set_operand(used.user, used.operand, copy);
    }
    cx.passed(&load, "copies its points: the field is overwritten before their last use");
    cx.count(COPIED_LOADS, 1);
    Ok(())
}

fn unknown_bounds(operation: OperationRef) -> crate::framework::Failed {
    refuse(&operation, "has a temp of unknown bounds", "run stencil-infer-bounds first")
}

/// An apply that copies a temp at `bounds`, or at its own bounds; none if they are unknown.
fn copy_of<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    temp: Value<'c, 'a>,
    bounds: Option<Bounds>,
) -> Option<Value<'c, 'a>> {
    let r#type = StencilType::of(temp.r#type())?;
    let bounds = bounds.or(r#type.bounds)?;
    let context = at.context();
    let result = types::temp(context, &bounds, r#type.element);
    let region = build::region_with_block(&[temp.r#type()], at.location());
    let segments = build::attribute(context, "array<i32: 1, 0>");
    let apply = at.create(
        stencil::APPLY,
        &[temp],
        &[("operandSegmentSizes", segments)],
        &[result],
        vec![region],
    );
    let body = build::block_of(apply, 0);
    let point = Inserter::at_end(body, at.location());
    let offset = attributes::make_index(context, &vec![0; bounds.rank()]);
    let argument = build::argument(body, 0);
    let value = point.value(stencil::ACCESS, &[argument], &[("offset", offset)], r#type.element);
    point.create(stencil::RETURN, &[value], &[], &[], Vec::new());
    Some(build::single(apply))
}
