//! `stencil-gather-updates`: turn stores of single cells into applies over the field that they
//! change.
//!
//! Before: `memref.store` to a cast of a field outside of applies, by itself or in loops and
//!         branches without stencils, as Devito writes the injection of sources.
//! After:  an apply for each field that is stored to. Every point of the field goes through the
//!         iterations in their order, and takes the value of each store to its cell. Loads of other
//!         fields are dynamic accesses.
//!
//! Why: two iterations may store to one cell, which makes a race of threads that run iterations.
//! A thread for each cell runs all iterations one after the other: the result is that of the
//! sequential loop, on every backend. The price is one visit of the field, times the number of
//! iterations, which are few: sources, receivers, cells of a boundary.
//! Iterations of `scf.parallel` are run in this order as well, the last dimension fastest.
//! Requires `stencil-bind-memrefs`. Refuses loads from a field that is stored to, but for the cell
//! that is stored; indices that depend on such loads; iteration arguments; and other operations
//! than arithmetic on numbers.
//! Does not touch loops without stores of cells.

mod emit;

use self::emit::Gather;
use crate::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    StencilType, attributes,
    build::{self, Inserter},
    ods::{builtin, func, memref, scf, stencil},
    types, walk,
};

/// The table entry.
pub const GATHER_UPDATES: PassInfo = PassInfo {
    argument: "stencil-gather-updates",
    summary: "turn stores of single cells into applies over the field that they change",
    source: include_str!("gather_updates.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[UPDATES],
    dialects: &["arith", "scf", "stencil"],
    run: gather_updates,
};

const UPDATES: Statistic = statistic("num-updates", "applies made for stores of single cells");

fn gather_updates(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let is_store = |operation: &OperationRef| walk::name(operation) == memref::STORE;
    while let Some(store) = walk::nested(function).into_iter().find(is_store) {
        let update = outermost(store)?;
        let count = gather(update)?;
        cx.passed(&update, "every cell goes through all of its stores");
        cx.count(UPDATES, count);
        build::erase(update);
    }
    Ok(())
}

/// The largest loop or branch around a store that holds no stencils; else the store itself.
fn outermost<'c: 'a, 'a>(store: OperationRef<'c, 'a>) -> PassResult<OperationRef<'c, 'a>> {
    let (mut update, mut around) = (store, store.parent_operation());
    while let Some(operation) = around {
        match walk::name(&operation) {
            func::FUNC => break,
            stencil::APPLY => {
                let remedy = "return the value, and store the result of the apply";
                return Err(refuse(&store, "stores to memory from a point", remedy));
            }
            scf::FOR | scf::IF | scf::PARALLEL if !holds_stencils(operation) => update = operation,
            _ => {}
        }
        around = operation.parent_operation();
    }
    Ok(update)
}

fn holds_stencils(operation: OperationRef) -> bool {
    walk::nested(operation).iter().any(|inner| walk::name(inner).starts_with("stencil."))
}

/// The field that a memref is a cast of.
fn field_of<'c: 'a, 'a>(
    user: OperationRef<'c, 'a>,
    memory: Value<'c, 'a>,
) -> PassResult<Value<'c, 'a>> {
    let cast = walk::definition(memory)
        .filter(|cast| walk::name(cast) == builtin::UNREALIZED_CONVERSION_CAST)
        .and_then(|cast| cast.operand(0).ok())
        .filter(|field| types::is_field(field.r#type()));
    let known =
        |field: &Value| StencilType::of(field.r#type()).is_some_and(|it| it.bounds.is_some());
    cast.filter(known).ok_or_else(|| {
        let message = format!("accesses cells of {}, which is no field", memory.r#type());
        let remedy = "a memref of 1 to 3 dimensions and known extents that is an argument of the \
                      function, or allocated in it, is a field";
        refuse(&user, message, remedy)
    })
}

/// Makes the applies of an update before it; returns their number.
fn gather<'c: 'a, 'a>(update: OperationRef<'c, 'a>) -> PassResult<u64> {
    let mut targets: Vec<Value> = Vec::new();
    for operation in walk::nested(update) {
        if walk::name(&operation) == memref::STORE {
            let memory = operation.operand(1).expect("a store has a memref");
            let field = field_of(operation, memory)?;
            if !targets.contains(&field) {
                targets.push(field);
            }
        }
    }
    let at = Inserter::before(update);
    let mut made = Vec::new();
    for target in &targets {
        made.push(Gather::new(at, *target, &targets).apply(update)?);
    }
    for (target, temp) in targets.iter().zip(&made) {
        let bounds = StencilType::of(target.r#type()).and_then(|it| it.bounds);
        let bounds = bounds.expect("a field that cells are stored to has bounds");
        let all = attributes::make_bounds(at.context(), &bounds);
        at.create(stencil::STORE, &[*temp, *target], &[("bounds", all)], &[], Vec::new());
    }
    Ok(targets.len() as u64)
}
