//! Builders of short sequences of operations that kernels are made of.

use melior::ir::{Attribute, Region, Type, Value, ValueLike, r#type::IntegerType};
use stencil_dialects::{
    build::{self, Compare, Inserter},
    ods::{arith, llvm, memref, nvvm, scf, vector},
};

/// `i32`.
pub fn i32_type<'c>(context: &'c melior::Context) -> Type<'c> {
    IntegerType::new(context, 32).into()
}

/// A value plus a constant; nothing is added for 0.
pub fn plus<'c: 'a, 'a>(at: Inserter<'c, 'a>, value: Value<'c, 'a>, number: i64) -> Value<'c, 'a> {
    match number {
        0 => value,
        _ => arith::addi(at, value, at.integer(value.r#type(), number)),
    }
}

/// A value times a constant.
pub fn times<'c: 'a, 'a>(at: Inserter<'c, 'a>, value: Value<'c, 'a>, number: i64) -> Value<'c, 'a> {
    match number {
        1 => value,
        _ => arith::muli(at, value, at.integer(value.r#type(), number)),
    }
}

/// Clamps a number to `lower..upper`.
pub fn clamped<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    value: Value<'c, 'a>,
    lower: i64,
    upper: i64,
) -> Value<'c, 'a> {
    let r#type = value.r#type();
    let least = arith::maxsi(at, value, at.integer(r#type, lower));
    arith::minsi(at, least, at.integer(r#type, upper - 1))
}

/// Whether a number lies in `lower..upper`.
pub fn within<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    value: Value<'c, 'a>,
    lower: i64,
    upper: i64,
) -> Value<'c, 'a> {
    let distance = plus(at, value, -lower);
    let extent = at.integer(value.r#type(), upper - lower);
    at.compare(Compare::UnsignedLess, distance, extent)
}

/// Conjunction.
pub fn both<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    one: Value<'c, 'a>,
    two: Value<'c, 'a>,
) -> Value<'c, 'a> {
    arith::andi(at, one, two)
}

/// Negation of a condition.
pub fn not<'c: 'a, 'a>(at: Inserter<'c, 'a>, one: Value<'c, 'a>) -> Value<'c, 'a> {
    arith::xori(at, one, at.integer(one.r#type(), 1))
}

/// Casts to `index`.
pub fn index<'c: 'a, 'a>(at: Inserter<'c, 'a>, value: Value<'c, 'a>) -> Value<'c, 'a> {
    cast(at, Type::index(at.context()), value)
}

/// Casts between `index` and an integer type, or not at all.
pub fn cast<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    r#type: Type<'c>,
    value: Value<'c, 'a>,
) -> Value<'c, 'a> {
    match value.r#type() == r#type {
        true => value,
        false => arith::index_cast(at, r#type, value),
    }
}

/// `scf.if` with results, from the branches `then` and `otherwise`.
pub fn choose<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    condition: Value<'c, 'a>,
    types: &[Type<'c>],
    then: impl FnOnce(Inserter<'c, 'a>) -> Vec<Value<'c, 'a>>,
    otherwise: impl FnOnce(Inserter<'c, 'a>) -> Vec<Value<'c, 'a>>,
) -> Vec<Value<'c, 'a>> {
    let region = || build::region_with_block(&[], at.location());
    let branch = scf::r#if(at, types, condition, region(), region()).operation();
    let inside = |region| Inserter::at_end(build::block_of(branch, region), at.location());
    for (place, values) in [(inside(0), then(inside(0))), (inside(1), otherwise(inside(1)))] {
        place.create(scf::YIELD, &values, &[], &[], Vec::new());
    }
    (0..types.len()).map(|position| build::result(branch, position)).collect()
}

/// `scf.if` without values and without else.
pub fn when<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    condition: Value<'c, 'a>,
    then: impl FnOnce(Inserter<'c, 'a>),
) {
    let regions = vec![build::region_with_block(&[], at.location()), Region::new()];
    let branch = at.create(scf::IF, &[condition], &[], &[], regions);
    let place = Inserter::at_end(build::block_of(branch, 0), at.location());
    then(place);
    place.create(scf::YIELD, &[], &[], &[], Vec::new());
}

/// `gpu.thread_id` or `gpu.block_id` along x, y or z, as a number.
pub fn id<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    number: Type<'c>,
    op: &str,
    axis: &str,
) -> Value<'c, 'a> {
    let dimension = build::attribute(at.context(), &format!("#gpu<dim {axis}>"));
    let index = Type::index(at.context());
    let id = at.value(op, &[], &[("dimension", dimension)], index);
    match number == index {
        true => id,
        false => arith::index_cast(at, number, id),
    }
}

/// A vector load from a flat memref, aligned to the vector's size.
pub fn load<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    buffer: Value<'c, 'a>,
    place: Value<'c, 'a>,
    (element, bytes, count): (Type<'c>, i64, i64),
) -> Vec<Value<'c, 'a>> {
    let place = index(at, place);
    if count == 1 {
        return vec![at.value(memref::LOAD, &[buffer, place], &[], element)];
    }
    let vector = vector_type(at.context(), element, count);
    let alignment = [("alignment", alignment(at, bytes * count))];
    let loaded = at.value(vector::LOAD, &[buffer, place], &alignment, vector);
    let lane = |number: i64| {
        let position = build::attribute(at.context(), &format!("array<i64: {number}>"));
        at.value(vector::EXTRACT, &[loaded], &[("static_position", position)], element)
    };
    (0..count).map(lane).collect()
}

/// A vector store to a flat memref, aligned to the vector's size.
pub fn store<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    values: &[Value<'c, 'a>],
    buffer: Value<'c, 'a>,
    place: Value<'c, 'a>,
    bytes: i64,
) {
    let place = index(at, place);
    if let [value] = values {
        at.create(memref::STORE, &[*value, buffer, place], &[], &[], Vec::new());
        return;
    }
    let count = values.len() as i64;
    let vector = vector_type(at.context(), values[0].r#type(), count);
    let together = at.value(vector::FROM_ELEMENTS, values, &[], vector);
    let alignment = [("alignment", alignment(at, bytes * count))];
    at.create(vector::STORE, &[together, buffer, place], &alignment, &[], Vec::new());
}

fn alignment<'c: 'a, 'a>(at: Inserter<'c, 'a>, bytes: i64) -> Attribute<'c> {
    build::attribute(at.context(), &format!("{bytes} : i64"))
}

fn vector_type<'c>(context: &'c melior::Context, element: Type<'c>, count: i64) -> Type<'c> {
    Type::parse(context, &format!("vector<{count}x{element}>")).expect("the text is a type")
}

/// The value of the lane at a distance, by shuffles of 32-bit words.
pub fn from_lane<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    value: Value<'c, 'a>,
    distance: i64,
) -> Value<'c, 'a> {
    let (kind, edge) = if distance < 0 { ("up", 0) } else { ("down", 31) };
    shuffled(at, value, (kind, distance.abs(), edge))
}

/// The value of the first lane. All lanes having it already, it tells the assembler so, which keeps
/// what follows from it once for the warp instead of in registers of each lane.
pub fn from_first_lane<'c: 'a, 'a>(at: Inserter<'c, 'a>, value: Value<'c, 'a>) -> Value<'c, 'a> {
    shuffled(at, value, ("idx", 0, 31))
}

/// The value of another lane, by a kind of shuffle with its lane or distance, and its bound.
fn shuffled<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    value: Value<'c, 'a>,
    (kind, lane, edge): (&str, i64, i64),
) -> Value<'c, 'a> {
    let context = at.context();
    let (r#type, word) = (value.r#type(), i32_type(context));
    let one = |word_value: Value<'c, 'a>| {
        let kind = build::attribute(context, &format!("#nvvm<shfl_kind {kind}>"));
        let operands =
            [at.integer(word, -1), word_value, at.integer(word, lane), at.integer(word, edge)];
        at.value(nvvm::SHFL_SYNC, &operands, &[("kind", kind)], word_value.r#type())
    };
    if r#type == Type::index(context) {
        let wide = arith::index_cast(at, IntegerType::new(context, 64).into(), value);
        return arith::index_cast(at, r#type, shuffled(at, wide, (kind, lane, edge)));
    }
    match stencil_dialects::types::element_bytes(r#type) {
        Some(8) => {
            let pair = Type::parse(context, "vector<2xi32>").expect("the text is a type");
            let words = llvm::bitcast(at, pair, value);
            let mut moved = llvm::mlir_undef(at, pair);
            for position in 0..2 {
                let position = at.integer(word, position);
                let half = llvm::extractelement(at, word, words, position);
                moved = llvm::insertelement(at, moved, one(half), position);
            }
            llvm::bitcast(at, r#type, moved)
        }
        Some(4) => one(value),
        _ => {
            let short = IntegerType::new(context, 16).into();
            let bits = arith::bitcast(at, short, value);
            let wide = arith::extui(at, word, bits);
            let narrow = arith::trunci(at, short, one(wide));
            arith::bitcast(at, r#type, narrow)
        }
    }
}
