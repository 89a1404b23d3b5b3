//! `stencil-select-inlining`: decide which applies are inlined into their reader.
//!
//! Before: applies without `stencil.inline`.
//! After:  those for which it costs nothing have `stencil.inline`, for
//!         `stencil-inline-producers{marked=true}`.
//!
//! Why: an apply that another one reads only at its own point needs no kernel, and its result no
//! memory: this saves a launch, a write and a read of every point, without redundant computation.
//! An apply is marked if its results have a single reader, an apply of the same block, at one
//! offset. After `stencil-freeze-arithmetic` results are bit-identical wherever they are computed.
//! Not marked: applies if either of the two has a plan or constraints, which refer to it as a
//! kernel; an apply that reads a field that is overwritten before or by its reader, as the field
//! would have to be copied.
//! `plain=true` marks nothing, for the reference kernels of verification. Existing marks are kept.
//! Requires `stencil-unify-applies` and `stencil-lower-combines`, behind which applies read loads.
//! Does not consider redundant computation: with several offsets nothing is marked.

use crate::{
    analysis::alias,
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, statistic,
    },
};
use melior::ir::{Attribute, OperationRef, operation::OperationLike};
use stencil_dialects::{
    build,
    ods::stencil::{self, attribute},
    ops::{AccessOp, ApplyOp, DynAccessOp, StoreOp},
    walk::{self, ValueKey},
};

/// The table entry.
pub const SELECT_INLINING: PassInfo = PassInfo {
    argument: "stencil-select-inlining",
    summary: "decide which applies are inlined into their reader",
    source: include_str!("select_inlining.rs"),
    anchor: Anchor::Function,
    options: &[flag("plain", "mark nothing", false)],
    statistics: &[SELECTED],
    dialects: &[],
    run: select_inlining,
};

const SELECTED: Statistic = statistic("num-selected", "applies marked");

fn select_inlining(
    function: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    if options.flag("plain") {
        return Ok(());
    }
    for producer in walk::nested(function).into_iter().filter_map(ApplyOp::of) {
        let operation = producer.operation();
        if !operation.has_attribute(attribute::INLINE)
            && Facts::of(producer).is_some_and(Facts::is_free)
        {
            let unit = Attribute::unit(build::context(&operation));
            build::set_attribute(operation, attribute::INLINE, unit);
            cx.count(SELECTED, 1);
        }
    }
    Ok(())
}

/// Facts about an apply with one reader.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// Offsets at which it is read; none if a coordinate is computed.
    offsets: Option<usize>,
    /// Whether either of the two has a plan or constraints.
    is_planned: bool,
    /// Whether a field that it reads is overwritten before the reader has finished.
    is_overwritten: bool,
}

impl Facts {
    /// The facts; none unless exactly one apply of its block uses it.
    fn of(producer: ApplyOp) -> Option<Facts> {
        let operation = producer.operation();
        let users = operation.results().flat_map(|result| walk::uses(result.into()));
        let users = users.map(|one| one.user).collect::<Vec<_>>();
        let reader = ApplyOp::of(*users.first()?)?;
        let is_only = users.iter().all(|user| *user == reader.operation());
        if !is_only || reader.operation().block() != operation.block() {
            return None;
        }
        let has = |name| [operation, reader.operation()].iter().any(|one| one.has_attribute(name));
        Some(Facts {
            offsets: offsets(producer, reader),
            is_planned: has(attribute::PLAN) || has(attribute::CONSTRAINTS),
            is_overwritten: is_overwritten(producer, reader),
        })
    }

    fn is_free(self) -> bool {
        self.offsets == Some(1) && !self.is_planned && !self.is_overwritten
    }
}

/// The number of offsets at which a reader needs the producer.
fn offsets(producer: ApplyOp, reader: ApplyOp) -> Option<usize> {
    let operation = producer.operation();
    let results = operation.results().map(|result| ValueKey::of(&result)).collect::<Vec<_>>();
    let outer = reader.arguments();
    let is_its = |source| {
        reader.argument_of(source).is_some_and(|at| results.contains(&ValueKey::of(&outer[at])))
    };
    let mut found = Vec::new();
    for operation in walk::nested(reader.operation()) {
        if DynAccessOp::of(operation).is_some_and(|access| is_its(access.source())) {
            return None;
        }
        let access = AccessOp::of(operation).filter(|access| is_its(access.source()));
        if let Some(place) = access.map(|access| (access.offset(), access.mapping()))
            && !found.contains(&place)
        {
            found.push(place);
        }
    }
    Some(found.len())
}

/// Whether a field that the producer reads is stored to between the two, or by the reader.
fn is_overwritten(producer: ApplyOp, reader: ApplyOp) -> bool {
    let loads = producer.arguments().into_iter().filter_map(walk::definition);
    let loads = loads.filter(|definition| walk::name(definition) == stencil::LOAD);
    let fields = loads.filter_map(|load| load.operand(0).ok()).collect::<Vec<_>>();
    let Some(block) = producer.operation().block() else { return true };
    let between = walk::operations(block)
        .into_iter()
        .skip_while(|operation| *operation != producer.operation())
        .take_while(|operation| *operation != reader.operation())
        .flat_map(walk::nested)
        .filter_map(StoreOp::of);
    let operation = reader.operation();
    let own = operation.results().flat_map(|result| walk::uses(result.into()));
    let own = own.filter_map(|one| StoreOp::of(one.user));
    let stores = between.chain(own).collect::<Vec<_>>();
    stores
        .iter()
        .filter_map(|store| store.operation().operand(1).ok())
        .any(|target| fields.iter().any(|field| alias::may_alias(*field, target)))
}

#[cfg(test)]
mod tests {
    use super::Facts;

    #[test]
    fn one_offset_and_nothing_against_it() {
        let free = Facts { offsets: Some(1), is_planned: false, is_overwritten: false };
        assert!(free.is_free());
        for offsets in [None, Some(0), Some(2)] {
            assert!(!Facts { offsets, ..free }.is_free());
        }
        assert!(!Facts { is_planned: true, ..free }.is_free());
        assert!(!Facts { is_overwritten: true, ..free }.is_free());
    }
}
