//! `stencil-merge-applies`: make one apply of those that are to be one kernel.
//!
//! Before: applies of a block with the same `stencil.merge`.
//! After:  where the first of them was, one apply with the operands, bodies and results of all of
//!         them, one after the other, and with that name as its stage.
//!
//! Why: one kernel reads once what all of them read. No operation changes.
//! Loads and casts that a later one needs move up to the first, and its stores with it. Loads of
//! one field are one operand, with the hull of their bounds.
//! Requires `stencil-place-copies`, and preserves its guarantees: applies are merged only where no
//! field is written between them that one of them accesses.
//! Declines, with a remark, an apply that computes other points than the first, has unwritten
//! points, computes several points at once, or has a plan of its own; that depends on the first or
//! on an apply between the two, through a temp or through memory; or an operand of which is
//! computed between them.
//! Does not decide what is merged: `stencil-select-merging` or the user does.

use super::{
    place_copies::{replace_apply, replace_return},
    point_copy::{self, Names, Shift},
};
use crate::{
    analysis::stages::{self, Block},
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
    strategy::decisions,
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use std::collections::HashMap;
use stencil_dialects::{
    StencilType, attributes,
    build::{self, Inserter},
    ods::stencil::{self, attribute},
    ops::{self, ApplyOp, StoreOp},
    types,
    walk::{self, ValueKey},
};

/// The table entry.
pub const MERGE_APPLIES: PassInfo = PassInfo {
    argument: "stencil-merge-applies",
    summary: "make one apply of those that are to be one kernel",
    source: include_str!("merge_applies.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[MERGED, DECLINED],
    dialects: &[],
    run: merge_applies,
};

const MERGED: Statistic = statistic("num-merged", "applies that became part of another");
const DECLINED: Statistic = statistic("num-declined", "applies that could not be merged");

fn merge_applies(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    for Block { applies, stages, .. } in stages::blocks(function) {
        let mut groups = Vec::<Vec<usize>>::new();
        let mut names = Vec::<String>::new();
        for (number, apply) in applies.iter().enumerate() {
            let Some(name) = mark(*apply) else { continue };
            let Some(group) = names.iter().position(|other| *other == name) else {
                groups.push(vec![number]);
                names.push(name);
                continue;
            };
            match stages.joins(&groups, group, number) {
                Ok(()) => groups[group].push(number),
                Err(why) => {
                    cx.decline(&apply.operation(), &format!("is not merged: {why}"));
                    cx.count(DECLINED, 1);
                }
            }
        }
        for (group, name) in groups.iter().zip(&names).filter(|(group, _)| group.len() > 1) {
            let members = group.iter().map(|member| applies[*member]).collect::<Vec<_>>();
            rewrite(&members, name);
            cx.count(MERGED, group.len() as u64);
        }
    }
    Ok(())
}

fn mark(apply: ApplyOp) -> Option<String> {
    attributes::string(apply.operation().attribute(attribute::MERGE).ok()?)
}

fn rewrite<'c: 'a, 'a>(members: &[ApplyOp<'c, 'a>], name: &str) {
    let (first, others) = (members[0], &members[1..]);
    let operation = first.operation();
    finish_stores(operation, others[others.len() - 1].operation());
    let loads = members.iter().flat_map(ApplyOp::arguments).filter_map(walk::definition);
    let loads = loads.filter(|operation| walk::name(operation) == stencil::LOAD);
    let loads = loads.map(|load| (ValueKey::of(&build::single(load)), load));
    let loads = loads.collect::<HashMap<_, _>>();
    let mut types = operation.results().map(|result| result.r#type()).collect::<Vec<_>>();
    let mut values = first.terminator().values();
    for other in others {
        let mut names = operands(first, *other);
        let returned = other.terminator();
        for inner in walk::operations(other.body()) {
            if inner != returned.operation() {
                let at = Inserter::before(first.terminator().operation());
                point_copy::copy(inner, at, &mut names, &Shift::within(vec![0; first.rank()]));
            }
        }
        let own = returned.values();
        values.extend(own.iter().map(|value| *names.get(&ValueKey::of(value)).unwrap_or(value)));
        types.extend(other.operation().results().map(|result| result.r#type()));
        for what in decisions::includes(other.operation()) {
            decisions::include(operation, what);
        }
    }
    replace_return(first.terminator().operation(), &values);
    let mut number = operation.result_count();
    let merged = replace_apply(operation, 0..number, &types);
    for other in others {
        for result in other.operation().results() {
            build::replace_uses(result.into(), build::result(merged, number));
            number += 1;
        }
        build::erase(other.operation());
    }
    let stores = merged.results().flat_map(|result| walk::uses(result.into()));
    let stores = stores.filter_map(|used| StoreOp::of(used.user));
    let stores = stores.filter(|store| store.operation().block() == merged.block());
    // The last first: each goes right after the apply.
    for store in stores.collect::<Vec<_>>().into_iter().rev() {
        // The field first: its own op may be what comes after the apply.
        move_up(store.field(), merged);
        let after = merged.next_in_block().expect("a terminator ends the block");
        if store.operation() != after {
            build::move_before(store.operation(), after);
        }
    }
    for load in loads.into_values().filter(|load| walk::uses(build::single(*load)).is_empty()) {
        build::erase(load);
    }
    build::remove_attribute(merged, attribute::MERGE);
    build::set_attribute(merged, attribute::STAGE, build::string(build::context(&merged), name));
}

/// Moves stores of earlier applies that lie between two ops before the first: the stores of what is
/// merged, which come after them in the text, would come before them.
fn finish_stores<'c: 'a, 'a>(first: OperationRef<'c, 'a>, last: OperationRef<'c, 'a>) {
    let mut next = first.next_in_block();
    while let Some(operation) = next.filter(|operation| *operation != last) {
        next = operation.next_in_block();
        let Some(store) = StoreOp::of(operation) else { continue };
        if walk::definition(store.temp()).is_some_and(|it| it.is_before_in_block(first)) {
            move_up(store.field(), first);
            build::move_before(operation, first);
        }
    }
}

/// Adds the operands of another apply to the first; maps its arguments to those of the first.
fn operands<'c: 'a, 'a>(first: ApplyOp<'c, 'a>, other: ApplyOp<'c, 'a>) -> Names<'c, 'a> {
    let mut names = Names::new();
    for (position, operand) in other.arguments().into_iter().enumerate() {
        move_up(operand, first.operation());
        let outer = first.arguments();
        let known = outer.iter().position(|own| *own == operand || widen(first, *own, operand));
        let inner = match known {
            Some(known) => build::argument(first.body(), known),
            None => ops::add_apply_argument(first, operand),
        };
        names.insert(ValueKey::of(&build::argument(other.body(), position)), inner);
    }
    names
}

/// Moves what computes an operand before an op of its block, if it is not there.
fn move_up<'c: 'a, 'a>(operand: Value<'c, 'a>, place: OperationRef<'c, 'a>) {
    let Some(definition) = walk::definition(operand) else { return };
    if definition.block() != place.block() || definition.is_before_in_block(place) {
        return;
    }
    for inner in definition.operands().collect::<Vec<_>>() {
        move_up(inner, place);
    }
    build::move_before(definition, place);
}

/// Whether two operands are loads of one field; the first then has the hull of their bounds.
fn widen<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>, own: Value<'c, 'a>, other: Value<'c, 'a>) -> bool {
    let load = |temp| walk::definition(temp).filter(|it| walk::name(it) == stencil::LOAD);
    let (Some(one), Some(two)) = (load(own), load(other)) else { return false };
    let bounds = |temp: Value<'c, 'a>| StencilType::of(temp.r#type()).and_then(|it| it.bounds);
    let (Some(known), Some(more)) = (bounds(own), bounds(other)) else { return false };
    if one.operand(0).ok() != two.operand(0).ok() {
        return false;
    }
    if !known.contains(&more) {
        let position = apply.arguments().iter().position(|operand| *operand == own);
        let position = position.expect("the operand is one of the apply's");
        let element = StencilType::of(own.r#type()).expect("a load gives a temp").element;
        let at = Inserter::before(apply.operation());
        let hull = types::temp(at.context(), &known.union(&more), element);
        let field = one.operand(0).expect("a load has a field");
        let wide = at.value(stencil::LOAD, &[field], &[], hull);
        build::set_operand(apply.operation(), position, wide);
        build::argument(apply.body(), position).set_type(hull);
    }
    true
}
