//! The code of an apply's point as plain data: what uses what, which cells it reads, which of its
//! operations add to a sum, and what its results overwrite.

use super::{
    alias::may_alias,
    fission::{Cell, Code, Operation, Output, Role},
    footprint::{self, Read},
    placement,
};
use melior::ir::{BlockRef, OperationRef, TypeLike, Value, ValueLike, operation::OperationLike};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use stencil_code::{Dag, Item, ItemId};
use stencil_dialects::{
    build,
    ods::{arith, math, scf, stencil},
    ops::{AccessOp, ApplyOp, StoreOp},
    types,
    walk::{self, ValueKey},
};

/// The code of an apply, an item for each operation.
pub fn of(apply: ApplyOp) -> Code {
    let mut operations = walk::operations(apply.body());
    let returned = operations.pop().expect("a return ends the region");
    let mut places = Places::new();
    for (place, operation) in operations.iter().enumerate() {
        let nested = walk::nested(*operation);
        places.extend(nested.into_iter().map(|inner| (key(inner), ItemId::new(place))));
    }
    let mut cells = cells(apply, &places);
    let points = apply.terminator().unroll().map_or(1, |unroll| unroll.iter().product::<i64>());
    let mut dag = Dag::default();
    for operation in operations {
        let own = ItemId::new(dag.len());
        let nested = walk::nested(operation).into_iter();
        let computes = Operation {
            reads: cells.remove(&own).unwrap_or_default(),
            operations: nested.filter(|inner| is_arithmetic(*inner)).count() as u64,
            role: role(operation),
            is_storable: points == 1 && is_number(operation),
        };
        dag.push(Item::new(computes, operands(operation, own, &places), 0));
    }
    let values = returned.operands().collect::<Vec<_>>();
    let results = values.chunks(points as usize).enumerate().map(|(number, values)| Output {
        values: values.iter().filter_map(|value| place_of(*value, &places)).collect(),
        overwrites: overwritten(apply, number),
    });
    Code { dag, results: results.collect() }
}

fn key(operation: OperationRef) -> usize {
    operation.to_raw().ptr as usize
}

/// The item that an operation is, or is inside of.
type Places = HashMap<usize, ItemId>;

fn place_of(value: Value, places: &Places) -> Option<ItemId> {
    places.get(&key(walk::definition(value)?)).copied()
}

/// The items that an operation and those inside of it use, the sum of an addition first.
fn operands(operation: OperationRef, own: ItemId, places: &Places) -> Vec<ItemId> {
    let mut operands = Vec::new();
    for inner in walk::nested(operation) {
        let used = inner.operands().filter_map(|value| place_of(value, places));
        operands.extend(used.filter(|place| *place != own));
    }
    if walk::name(&operation) == math::FMA
        && let Some(sum) = operation.operand(2).ok().and_then(|sum| place_of(sum, places))
    {
        operands.insert(0, sum);
    }
    operands
}

fn is_arithmetic(operation: OperationRef) -> bool {
    let name = walk::name(&operation);
    let others = [arith::CONSTANT, scf::YIELD, stencil::INDEX, stencil::STORE_RESULT];
    !others.contains(&name) && ![stencil::ACCESS, stencil::DYN_ACCESS].contains(&name)
}

fn role(operation: OperationRef) -> Role {
    match walk::name(&operation) {
        arith::ADDF | arith::SUBF | math::FMA => Role::Sum,
        arith::NEGF | arith::MULF | arith::DIVF | arith::TRUNCF | arith::EXTF => Role::Through,
        stencil::STORE_RESULT => Role::Through,
        _ => Role::Other,
    }
}

/// Whether an operation gives one number that a temp may hold.
fn is_number(operation: OperationRef) -> bool {
    operation.result_count() == 1 && build::single(operation).r#type().is_float()
}

/// The cells that each item reads.
fn cells(apply: ApplyOp, places: &Places) -> BTreeMap<ItemId, Vec<Cell>> {
    let mut labels = BTreeMap::new();
    let mut cells: BTreeMap<ItemId, Vec<Cell>> = BTreeMap::new();
    for (number, read) in footprint::reads(apply).into_iter().enumerate() {
        // Which cell a dynamic access reads is not known.
        let own = AccessOp::of(read.operation).is_none().then_some(number);
        let (next, plane) = (labels.len(), plane(&read));
        let name = (read.argument, read.mapping, read.lower, own);
        let label = *labels.entry(name).or_insert(next);
        let cell = Cell { array: read.argument, label, plane };
        cells.entry(places[&key(read.operation)]).or_default().push(cell);
    }
    cells
}

/// The offset along the slowest dimension; 0 where cells do not follow it.
fn plane(read: &Read) -> i64 {
    let along = |mapping: &Vec<usize>| mapping.iter().position(|dimension| *dimension == 0);
    read.mapping.as_ref().and_then(along).map_or(0, |position| read.lower[position])
}

/// The arguments that are loaded from memory which a result is stored to.
fn overwritten(apply: ApplyOp, result: usize) -> BTreeSet<usize> {
    let uses = walk::uses(build::result(apply.operation(), result));
    let fields = uses.into_iter().filter_map(|used| StoreOp::of(used.user)).map(|s| s.field());
    let fields = fields.collect::<Vec<_>>();
    let arguments = apply.arguments().into_iter().enumerate();
    let is_overwritten = |argument: Value| {
        let loaded =
            types::is_temp(argument.r#type()).then(|| placement::loaded_field(argument)).flatten();
        loaded.is_some_and(|loaded| fields.iter().any(|field| may_alias(loaded, *field)))
    };
    arguments.filter(|(_, argument)| is_overwritten(*argument)).map(|(place, _)| place).collect()
}

/// The ops of a body, in order, that these values of it are computed by.
pub fn computing<'c: 'a, 'a>(
    body: BlockRef<'c, 'a>,
    values: &[Value<'c, 'a>],
) -> Vec<OperationRef<'c, 'a>> {
    let mut needed = values.iter().map(ValueKey::of).collect::<HashSet<_>>();
    let mut operations = walk::operations(body);
    operations.reverse();
    operations.retain(|operation| {
        let is_needed = operation.results().any(|result| needed.contains(&ValueKey::of(&result)));
        if is_needed {
            let inner = walk::nested(*operation);
            needed.extend(inner.iter().flat_map(OperationLike::operands).map(|v| ValueKey::of(&v)));
        }
        is_needed
    });
    operations.reverse();
    operations
}
