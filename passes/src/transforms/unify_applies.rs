//! `stencil-unify-applies`: convert every apply to value form, with temps as operands.
//!
//! Before: applies in buffer form (`outs`), applies that read fields, `stencil.buffer`, `dmp.swap`.
//! After:  value-form applies whose grid operands are all temps, each result followed by its
//!         `stencil.store`; a field operand is loaded right before the apply; buffers and swaps are
//!         replaced by their operands; a buffer that is a field becomes an allocation. Unused
//!         operands are removed.
//!
//! Why: one form to lower. Operands of applies are then values, and aliasing with written memory is
//! resolved in one place (`stencil-place-copies`).
//! Requires `stencil-infer-bounds`. Run after fusion: a buffer prevents it. Refuses a `dmp.swap` of
//! a program distributed over several ranks: this compiler supports one. Does not decide placement.

use crate::{
    analysis::footprint,
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
    },
    transforms::materialize_buffers,
};
use melior::ir::{OperationRef, ValueLike, attribute::ArrayAttribute, operation::OperationLike};
use stencil_dialects::{
    Bounds, StencilType, attributes,
    build::{self, Inserter},
    ods::stencil,
    ops::{self, ApplyOp},
    types, walk,
};

/// The table entry.
pub const UNIFY_APPLIES: PassInfo = PassInfo {
    argument: "stencil-unify-applies",
    summary: "convert every apply to value form, with temps as operands",
    source: include_str!("unify_applies.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[REWRITTEN, LOADED, DROPPED],
    dialects: &[],
    run: unify_applies,
};

const REWRITTEN: Statistic = statistic("num-rewritten", "applies converted to value form");
const DROPPED: Statistic = statistic("num-dropped", "operands removed that nothing used");
const LOADED: Statistic = statistic("num-loaded", "field operands replaced by loads");

fn unify_applies(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    for operation in walk::nested(function) {
        match walk::name(&operation) {
            stencil::BUFFER => remove_buffer(operation)?,
            "dmp.swap" => {
                check_swap(operation)?;
                forward(operation);
            }
            _ => {}
        }
    }
    for apply in walk::nested(function).into_iter().filter_map(ApplyOp::of) {
        cx.count(DROPPED, ops::remove_unused_apply_arguments(apply) as u64);
        cx.count(LOADED, load_fields(apply)?);
        if !apply.destinations().is_empty() {
            to_value_form(apply);
            cx.count(REWRITTEN, 1);
        }
    }
    Ok(())
}

/// Removes a buffer: one that is a field becomes an allocation.
fn remove_buffer(buffer: OperationRef) -> PassResult {
    if !buffer.results().any(|result| types::is_field(result.r#type())) {
        forward(buffer);
        return Ok(());
    }
    let temp = buffer.operand(0).expect("the op has an operand").r#type();
    let Some(bounds) = StencilType::of(temp).and_then(|known| known.bounds) else {
        let remedy = "give the types of the temp and of the field bounds";
        return Err(refuse(&buffer, "is memory of unknown bounds", remedy));
    };
    materialize_buffers::rewrite(buffer, &bounds);
    Ok(())
}

/// Replaces an op by its operand.
fn forward(operation: OperationRef) {
    let source = operation.operand(0).expect("the op has an operand");
    if let Some(result) = operation.results().next() {
        build::replace_uses(result.into(), source);
    }
    build::erase(operation);
}

fn check_swap(swap: OperationRef) -> PassResult {
    let is_empty = swap
        .attribute("swaps")
        .map_or(true, |swaps| ArrayAttribute::try_from(swaps).is_ok_and(|swaps| swaps.is_empty()));
    // Without a strategy the number of ranks is unknown; then nothing may be exchanged.
    let runs_here = match swap.attribute("strategy") {
        Ok(strategy) => is_one_rank(&strategy.to_string()),
        Err(_) => is_empty,
    };
    if runs_here {
        return Ok(());
    }
    let remedy = "this compiler runs one rank; distribute with a tool that has MPI, and compile \
                  each rank's kernels";
    Err(refuse(&swap, "exchanges halos between ranks", remedy))
}

/// Whether a strategy such as `#dmp.grid_slice_2d<#dmp.topo<1x1>, false>` has one rank.
fn is_one_rank(strategy: &str) -> bool {
    let Some((_, rest)) = strategy.split_once("#dmp.topo<") else { return false };
    let Some((topology, _)) = rest.split_once('>') else { return false };
    topology.split('x').all(|ranks| ranks.trim() == "1")
}

/// Loads every field operand right before the apply; gives their number.
pub(super) fn load_fields(apply: ApplyOp) -> PassResult<u64> {
    let mut loaded = 0;
    let operation = apply.operation();
    let context = build::context(&operation);
    for (position, argument) in apply.arguments().into_iter().enumerate() {
        let Some(field) = StencilType::of(argument.r#type()).filter(StencilType::is_field) else {
            continue;
        };
        let Some(own) = field.bounds else {
            let remedy = "give the field bounds, or cast it to a field that has them";
            return Err(refuse(&operation, "reads a field of unknown bounds", remedy));
        };
        let bounds = needed(apply, position).unwrap_or(own);
        let temp = types::temp(context, &bounds, field.element);
        let load = Inserter::before(operation).value(stencil::LOAD, &[argument], &[], temp);
        build::set_operand(operation, position, load);
        build::argument(apply.body(), position).set_type(temp);
        loaded += 1;
    }
    Ok(loaded)
}

/// The cells of an argument that the apply reads, if any.
fn needed(apply: ApplyOp, position: usize) -> Option<Bounds> {
    let bounds = apply.bounds()?;
    footprint::reads(apply)
        .into_iter()
        .filter(|read| read.argument == position)
        .filter_map(|read| read.reach(&bounds))
        .reduce(|one, two| one.union(&two))
}

fn to_value_form(apply: ApplyOp) {
    let operation = apply.operation();
    let context = build::context(&operation);
    let bounds = apply.bounds().expect("the verifier wants bounds of a buffer-form apply");
    let (arguments, destinations) = (apply.arguments(), apply.destinations());
    let results = apply
        .elements()
        .into_iter()
        .map(|element| types::temp(context, &bounds, element))
        .collect::<Vec<_>>();
    let segments = format!("array<i32: {}, 0>", arguments.len());
    let segments = build::attribute(context, &segments);
    let kept = build::attributes(&operation);
    let mut kept = kept
        .iter()
        .filter(|(name, _)| name != "operandSegmentSizes" && name != "bounds")
        .map(|(name, value)| (name.as_str(), *value))
        .collect::<Vec<_>>();
    kept.push(("operandSegmentSizes", segments));
    let region = build::take_region(operation, 0);
    let at = Inserter::before(operation);
    let value_form = at.create(stencil::APPLY, &arguments, &kept, &results, vec![region]);
    let bounds = attributes::make_bounds(context, &bounds);
    for (position, destination) in destinations.into_iter().enumerate() {
        let stored = build::result(value_form, position);
        at.create(stencil::STORE, &[stored, destination], &[("bounds", bounds)], &[], Vec::new());
    }
    build::erase(operation);
}

#[cfg(test)]
mod tests {
    use super::is_one_rank;

    #[test]
    fn one_rank_is_all_ones() {
        assert!(is_one_rank("#dmp.grid_slice_2d<#dmp.topo<1x1>, false>"));
        assert!(!is_one_rank("#dmp.grid_slice_2d<#dmp.topo<1x2>, false>"));
        assert!(!is_one_rank("#dmp.none"));
    }
}
