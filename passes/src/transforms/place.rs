//! What passes share that choose by the place of a point, and make one apply part of another.

use melior::ir::{Type, Value};
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::stencil,
    walk::{self, ValueKey},
};

/// The coordinate of the point along a dimension.
pub fn coordinate<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    dimension: usize,
    rank: usize,
) -> Value<'c, 'a> {
    let context = at.context();
    let dimension = build::attribute(context, &format!("{dimension} : index"));
    let zero = attributes::make_index(context, &vec![0; rank]);
    let attributes = [("dim", dimension), ("offset", zero)];
    at.value(stencil::INDEX, &[], &attributes, Type::index(context))
}

/// Erases loads without uses among some operands.
pub fn erase_unused_loads<'c: 'a, 'a>(mut operands: Vec<Value<'c, 'a>>) {
    operands.sort_by_key(ValueKey::of);
    operands.dedup();
    for operand in operands {
        let load = walk::definition(operand).filter(|it| walk::name(it) == stencil::LOAD);
        if let Some(load) = load.filter(|_| walk::uses(operand).is_empty()) {
            build::erase(load);
        }
    }
}
