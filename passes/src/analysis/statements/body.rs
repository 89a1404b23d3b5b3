//! Statements of applies, and the ops of a loop's body that are none.

use super::{Stage, periodic, unbounded};
use crate::analysis::{
    placement,
    statement::{Unfit, check_coordinates},
    time_loop::is_host_scalar,
};
use melior::ir::{BlockRef, OperationRef, Value, ValueLike, operation::OperationLike};
use std::{collections::HashSet, iter};
use stencil_dialects::{
    build,
    ods::stencil,
    ops::{AccessOp, ApplyOp, StoreOp},
    types,
    walk::{self, ValueKey},
};

impl<'c: 'a, 'a> Stage<'c, 'a> {
    /// The constant offsets at which the statement reads an argument.
    pub fn offsets(&self, position: usize) -> &[Vec<i64>] {
        &self.offsets[position]
    }

    /// The operations of the statement that use an argument.
    pub fn accesses(&self, position: usize) -> impl Iterator<Item = OperationRef<'c, 'a>> {
        let argument = build::argument(self.apply.body(), position);
        let users = walk::uses(argument).into_iter().map(|used| used.user);
        users.filter(|user| {
            let mut around = iter::successors(Some(*user), |it| it.parent_operation());
            around.any(|operation| self.operations.contains(&operation))
        })
    }

    /// The numbers of the results that are stored, and their stores.
    pub(super) fn stores(&self) -> Vec<(usize, StoreOp<'c, 'a>)> {
        let stores = stores_of(self.apply).into_iter();
        let own = stores.filter_map(|(result, store)| {
            let number = self.results.iter().position(|own| *own == result)?;
            Some((number, store))
        });
        own.collect()
    }
}

/// The statements of an apply: its results by the points that are stored, or else computed.
pub(super) fn statements<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>) -> Result<Vec<Stage<'c, 'a>>, Unfit> {
    let computed = apply.bounds().ok_or_else(unbounded)?;
    let stores = stores_of(apply);
    let mut stages: Vec<Stage> = Vec::new();
    for result in 0..apply.operation().result_count() {
        let store = stores.iter().find(|(of, _)| *of == result);
        let domain = store.map_or(computed.clone(), |(_, store)| store.bounds());
        check_coordinates(&domain)?;
        match stages.iter_mut().find(|stage| stage.domain == domain) {
            Some(stage) => stage.results.push(result),
            None => stages.push(Stage {
                apply,
                results: vec![result],
                operations: Vec::new(),
                offsets: Vec::new(),
                domain,
                inputs: Vec::new(),
            }),
        }
    }
    for stage in &mut stages {
        stage.operations = operations_of(apply, &stage.results);
        let read = |position| stage.accesses(position).filter_map(AccessOp::of);
        let offsets = |position| read(position).map(|access| access.offset()).collect();
        stage.offsets = (0..apply.arguments().len()).map(offsets).collect();
    }
    Ok(stages)
}

/// The operations of an apply that some results depend on, in order.
fn operations_of<'c: 'a, 'a>(
    apply: ApplyOp<'c, 'a>,
    results: &[usize],
) -> Vec<OperationRef<'c, 'a>> {
    let returned = apply.terminator().values();
    let mut wanted =
        results.iter().map(|result| ValueKey::of(&returned[*result])).collect::<HashSet<_>>();
    let mut operations = Vec::new();
    for operation in walk::operations(apply.body()).into_iter().rev() {
        let mut own = operation.results().map(Value::from);
        if own.any(|value| wanted.contains(&ValueKey::of(&value))) {
            let nested = walk::nested(operation);
            let operands = nested.iter().flat_map(|inner| inner.operands().collect::<Vec<_>>());
            wanted.extend(operands.map(|operand| ValueKey::of(&operand)));
            operations.push(operation);
        }
    }
    operations.reverse();
    operations
}

/// The ops of a loop's body.
pub(super) struct Body<'c, 'a> {
    /// Applies that are statements.
    pub applies: Vec<ApplyOp<'c, 'a>>,
    /// Applies that fill ghost cells.
    pub strips: Vec<periodic::Strip<'c, 'a>>,
}

impl<'c: 'a, 'a> Body<'c, 'a> {
    /// The ops of a loop's body.
    ///
    /// # Errors
    /// What no sweep does.
    pub fn of(body: BlockRef<'c, 'a>) -> Result<Self, Unfit> {
        let mut found = Self { applies: Vec::new(), strips: Vec::new() };
        for operation in walk::operations(body) {
            if let Some(apply) = ApplyOp::of(operation) {
                check_apply(apply)?;
                match periodic::Strip::of(apply) {
                    Some(strip) => found.strips.push(strip),
                    None => found.applies.push(apply),
                }
                continue;
            }
            let name = walk::name(&operation);
            let is_name = matches!(name, stencil::LOAD | stencil::CAST | stencil::STORE);
            let is_end = operation.next_in_block().is_none();
            if !is_name && !is_end && !is_host_scalar(operation, name) {
                let what = format!("holds '{name}'");
                return Err(Unfit::new(what, "move it out of the loop"));
            }
        }
        match found.applies.is_empty() {
            true => Err(Unfit::new("computes nothing", "make one step at a time")),
            false => Ok(found),
        }
    }
}

/// The stores of an apply's results.
pub(super) fn stores_of<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>) -> Vec<(usize, StoreOp<'c, 'a>)> {
    let results = 0..apply.operation().result_count();
    let stores = results.flat_map(|result| {
        let users = walk::uses(build::result(apply.operation(), result)).into_iter();
        users.filter_map(move |used| Some((result, StoreOp::of(used.user)?)))
    });
    stores.collect()
}

/// Checks that an apply computes one point at a time, and every point, and writes to its fields.
pub(super) fn check_apply(apply: ApplyOp) -> Result<(), Unfit> {
    let returned = apply.terminator();
    if returned.unroll().is_some_and(|unroll| unroll.iter().any(|points| *points != 1)) {
        let what = "computes several points at once";
        return Err(Unfit::new(what, "return one point, not unrolled"));
    }
    if returned.values().iter().any(|value| types::is_result(value.r#type())) {
        let what = "returns a stencil.result, which may leave points unwritten";
        return Err(Unfit::new(what, "return the number itself"));
    }
    let is_direct = |(_, store): (usize, StoreOp)| placement::direct(store).is_ok();
    match stores_of(apply).into_iter().all(is_direct) {
        true => Ok(()),
        false => Err(Unfit::new(
            "has a result that it cannot write to the field of its store",
            "store the result next to the apply, and use the field",
        )),
    }
}
