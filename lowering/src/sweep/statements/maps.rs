//! The operations of a statement at every point of a plane, as a `sweep.map`.

use super::graph::Level;
use crate::sweep::{
    planes::{
        number,
        scalars::{self, Known},
        tile_type,
    },
    shape::{Offset, offset},
};
use melior::ir::{Type, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    StencilType,
    build::{self, Inserter},
    ods::{self, sweep as ops},
    ops::AccessOp,
    walk::{self, ValueKey},
};

/// The tile of an input of a statement at an offset.
pub struct Operand<'c, 'a> {
    /// The input.
    pub input: usize,
    /// The offset.
    pub offset: Offset,
    /// The tile.
    pub tile: Value<'c, 'a>,
}

/// Computes a level at a plane, counted from the arriving one; gives the tiles of its results.
/// `known`: fields and scalars of the kernel, by the statement's operands.
pub fn map<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    level: &Level<'c, 'a>,
    plane: i64,
    operands: &[Operand<'c, 'a>],
    known: &Known<'c, 'a>,
) -> Vec<Value<'c, 'a>> {
    let stage = level.stage;
    let element = element_of(level);
    let tiles = operands.iter().map(|operand| operand.tile).collect::<Vec<_>>();
    let elements = vec![element; tiles.len()];
    let region = build::region_with_block(&elements, at.location());
    let results = vec![tile_type(at, element); stage.streams().len()];
    let made = ops::map(at, &results, &tiles, number(at, plane), region);
    let body = made.body();
    let mut inside = Known::new();
    for (position, value) in stage.inputs().iter().enumerate() {
        if let Some(own) = known.get(&ValueKey::of(value)) {
            inside.insert(ValueKey::of(&build::argument(stage.body(), position)), *own);
        }
    }
    let read = |access: AccessOp<'c, 'a>| {
        let (block, input) = walk::block_argument(access.source())?;
        let is_own = block == stage.body() && level.inputs[input].is_some();
        let place = operands
            .iter()
            .position(|operand| (operand.input, operand.offset) == (input, offset(access)));
        is_own.then(|| build::argument(body, place.expect("all accesses were collected")))
    };
    for operation in walk::operations(stage.body()) {
        let at = Inserter::at_end(body, operation.location());
        if walk::name(&operation) == ods::sweep::YIELD {
            let values = operation.operands().map(|value| inside[&ValueKey::of(&value)]);
            ops::r#yield(at, &values.collect::<Vec<_>>());
            continue;
        }
        if let Some(argument) = AccessOp::of(operation).and_then(read) {
            inside.insert(ValueKey::of(&build::single(operation)), argument);
            continue;
        }
        let copy = scalars::copy(at, operation, &mut inside);
        for access in walk::nested(copy).into_iter().filter_map(AccessOp::of) {
            let Some(argument) = read(access) else { continue };
            build::replace_uses(build::single(access.operation()), argument);
            build::erase(access.operation());
        }
    }
    made.values()
}

/// The type of a statement's values.
fn element_of<'c: 'a, 'a>(level: &Level<'c, 'a>) -> Type<'c> {
    let result = level.stage.streams()[0].r#type();
    StencilType::of(result).expect("the verifier checked the results").element
}
