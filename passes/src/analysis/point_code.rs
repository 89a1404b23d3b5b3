//! The code of an apply's point as plain data: what uses what, which cells it reads, which of its
//! operations add to a sum, and what its results overwrite.

use super::{
    alias::may_alias,
    fission::{Cell, Code, Item, Output, Role},
    footprint::{self, Read},
    placement,
};
use melior::ir::{OperationRef, TypeLike, Value, ValueLike, operation::OperationLike};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use stencil_dialects::{
    build,
    ods::{arith, math, scf, stencil},
    ops::{AccessOp, ApplyOp, StoreOp},
    types, walk,
};

/// The code of an apply, and the operation of each of its items.
pub fn of<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>) -> (Code, Vec<OperationRef<'c, 'a>>) {
    let mut operations = walk::operations(apply.body());
    let returned = operations.pop().expect("a return ends the region");
    // The item that an operation is, or is inside of.
    let mut places = HashMap::new();
    for (place, operation) in operations.iter().enumerate() {
        let nested = walk::nested(*operation);
        places.extend(nested.into_iter().map(|inner| (key(inner), place)));
    }
    let mut cells = cells(apply, &places);
    let points = apply.terminator().unroll().map_or(1, |unroll| unroll.iter().product::<i64>());
    let item = |(place, operation): (usize, &OperationRef<'c, 'a>)| Item {
        operands: operands(*operation, place, &places),
        reads: cells.remove(&place).unwrap_or_default(),
        operations: walk::nested(*operation)
            .into_iter()
            .filter(|inner| is_arithmetic(*inner))
            .count() as u64,
        role: role(*operation),
        is_storable: points == 1 && is_number(*operation),
    };
    let items = operations.iter().enumerate().map(item).collect();
    let values = returned.operands().collect::<Vec<_>>();
    let results = values.chunks(points as usize).enumerate().map(|(number, values)| Output {
        values: values.iter().filter_map(|value| place_of(*value, &places)).collect(),
        overwrites: overwritten(apply, number),
    });
    (Code { items, results: results.collect() }, operations)
}

fn key(operation: OperationRef) -> usize {
    operation.to_raw().ptr as usize
}

fn place_of(value: Value, places: &HashMap<usize, usize>) -> Option<usize> {
    places.get(&key(walk::definition(value)?)).copied()
}

/// The items that an operation and those inside of it use, the sum of an addition first.
fn operands(operation: OperationRef, own: usize, places: &HashMap<usize, usize>) -> Vec<usize> {
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
    !others.contains(&name.as_str())
        && ![stencil::ACCESS, stencil::DYN_ACCESS].contains(&name.as_str())
}

fn role(operation: OperationRef) -> Role {
    match walk::name(&operation).as_str() {
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
fn cells(apply: ApplyOp, places: &HashMap<usize, usize>) -> BTreeMap<usize, Vec<Cell>> {
    let mut labels = BTreeMap::new();
    let mut cells: BTreeMap<usize, Vec<Cell>> = BTreeMap::new();
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
