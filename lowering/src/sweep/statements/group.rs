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
use stencil_passes::analysis::{alias::Aliases, placement, statements::Statements};

/// Replaces the applies of a group, and their stores, by a sweep of one step where the last is.
/// What others load of a field that the group stored before its last apply is loaded behind it.
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
    let behind = stages.operation.next_in_block().expect("a block has a terminator");
    for load in loads_of_stored(stages) {
        build::move_before(load, behind);
    }
    for apply in stages.applies.iter().rev() {
        erase(*apply);
    }
}

/// Loads before the last apply of a group of what it has stored by then.
fn loads_of_stored<'c: 'a, 'a>(stages: &Statements<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let (mut found, mut stored, mut aliases) = (Vec::new(), Vec::new(), Aliases::default());
    let mut next = Some(stages.applies[0].operation());
    while let Some(operation) = next.filter(|operation| *operation != stages.operation) {
        if let Some(store) = StoreOp::of(operation) {
            stored.push(store.field());
        }
        let loaded = operation.results().next().and_then(|it| placement::loaded_field(it.into()));
        if loaded.is_some_and(|field| stored.iter().any(|it| aliases.may_alias(*it, field))) {
            found.push(operation);
        }
        next = operation.next_in_block();
    }
    found
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
