//! One sweep instead of a group of applies.

use super::build::{Levels, Sweep, numbers};
use melior::ir::{OperationRef, Value, operation::OperationLike};
use stencil_dialects::{
    build::{self, Inserter},
    ods::stencil,
    ops::{ApplyOp, StoreOp},
    walk,
};
use stencil_model::plan::SweepPlan;
use stencil_passes::analysis::statements::Statements;

/// Replaces the applies of a group, and their stores, by a sweep of one step where the last is.
pub fn replace<'c: 'a, 'a>(stages: &Statements<'c, 'a>, plan: SweepPlan) {
    let levels = stages.histories.iter().map(|history| Levels {
        inputs: Vec::new(),
        of_inputs: Vec::new(),
        outside: history.homes.clone(),
        outputs: history.homes.clone(),
        is_from_shadows: false,
    });
    let names = numbers(stages);
    let [scalars, level_scalars] = names.clone();
    let renamed = |field: Value<'c, 'a>| field;
    let levels = levels.collect();
    Sweep { stages, plan, levels, names, scalars, level_scalars, renamed: &renamed }
        .build(Inserter::before(stages.operation));
    for apply in stages.applies.iter().rev() {
        erase(*apply);
    }
}

/// Erases an apply without readers, its stores, and loads that only it has used.
fn erase(apply: ApplyOp) {
    let operation = apply.operation();
    let users = operation.results().flat_map(|result| walk::uses(result.into()));
    for store in users.filter_map(|used| StoreOp::of(used.user)).collect::<Vec<_>>() {
        build::erase(store.operation());
    }
    let mut loads: Vec<OperationRef> = Vec::new();
    for load in apply.arguments().into_iter().filter_map(walk::definition) {
        if walk::name(&load) == stencil::LOAD && !loads.contains(&load) {
            loads.push(load);
        }
    }
    build::erase(operation);
    for load in loads {
        if walk::uses(build::single(load)).is_empty() {
            build::erase(load);
        }
    }
}
