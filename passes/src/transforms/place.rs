//! What passes share that choose by the place of a point, and make one apply part of another.

use melior::ir::{Attribute, OperationRef, Type, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    attributes,
    build::{self, Compare, Inserter},
    ods::stencil,
    ops::{self, ApplyOp},
    walk::{self, ValueKey},
};
use stencil_faults::{Fault, planted};

/// The coordinate of the point along a dimension.
pub fn coordinate<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    dimension: usize,
    rank: usize,
) -> Value<'c, 'a> {
    index(at, dimension, &vec![0; rank], &[])
}

/// How the coordinate of the point along a dimension compares with one that moves with the domain,
/// where extents are given at run time.
pub fn compared<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    how: Compare,
    (dimension, rank): (usize, usize),
    with: i64,
    is_general: bool,
) -> Value<'c, 'a> {
    match is_general {
        true => at.compare(how, distance(at, dimension, rank, with), at.index(0)),
        false => at.compare(how, coordinate(at, dimension, rank), at.index(with)),
    }
}

/// The distance of the point from a coordinate along a dimension, which moves with a domain of
/// run-time extents; a constant would not.
pub fn distance<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    dimension: usize,
    rank: usize,
    from: i64,
) -> Value<'c, 'a> {
    let mut offset = vec![0; rank];
    offset[dimension] = -from;
    let mark = (stencil::attribute::DISTANCE, Attribute::unit(at.context()));
    index(at, dimension, &offset, &[mark])
}

fn index<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    dimension: usize,
    offset: &[i64],
    more: &[(&str, Attribute<'c>)],
) -> Value<'c, 'a> {
    let context = at.context();
    let dimension = build::attribute(context, &format!("{dimension} : index"));
    let own = [("dim", dimension), ("offset", attributes::make_index(context, offset))];
    at.value(stencil::INDEX, &[], &[&own, more].concat(), Type::index(context))
}

/// What an apply's region has for a value outside, an operand of the apply that is added if need
/// be.
pub fn argument<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>, outer: Value<'c, 'a>) -> Value<'c, 'a> {
    match apply.arguments().into_iter().position(|known| known == outer) {
        Some(position) => build::argument(apply.body(), position),
        None => ops::add_apply_argument(apply, outer),
    }
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

/// Reads the value of an op of a point's code from a temp instead, at the point.
pub fn read_instead<'c: 'a, 'a>(
    apply: ApplyOp<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    temp: Value<'c, 'a>,
    fault: Fault,
) {
    let inner = ops::add_apply_argument(apply, temp);
    let mut offset = vec![0; apply.rank()];
    offset[apply.rank() - 1] = i64::from(planted(fault));
    let point = Inserter::at_start(apply.body(), operation.location());
    let offset = attributes::make_index(point.context(), &offset);
    let old = build::single(operation);
    let loaded = point.value(stencil::ACCESS, &[inner], &[("offset", offset)], old.r#type());
    build::replace_uses(old, loaded);
}

/// Removes unused ops of a point's code, and then operands of the apply.
pub fn remove_unused(apply: ApplyOp) {
    for operation in walk::operations(apply.body()).into_iter().rev().skip(1) {
        if operation.results().all(|result| walk::uses(result.into()).is_empty()) {
            build::erase(operation);
        }
    }
    ops::remove_unused_apply_arguments(apply);
}
