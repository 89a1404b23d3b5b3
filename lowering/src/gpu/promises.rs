//! Traps where an integer operation breaks what its `nsw`, `nuw` or `exact` promises.
//!
//! Each check computes the result once more without the promise. On a GPU such a result is poison.

use super::checks::{trap_if, width};
use melior::ir::{
    OperationRef, Type, TypeLike, Value, ValueLike, operation::OperationLike, r#type::IntegerType,
};
use stencil_dialects::{
    build::{self, Compare, Inserter},
    ods::arith,
};

/// What an operation promises.
struct Promises {
    no_signed_wrap: bool,
    no_unsigned_wrap: bool,
    exact: bool,
}

impl Promises {
    fn of(operation: OperationRef) -> Self {
        let flags = operation.attribute("overflowFlags").map(|flags| flags.to_string());
        let has = |flag: &str| flags.as_ref().is_ok_and(|text| text.contains(flag));
        Self {
            no_signed_wrap: has("nsw"),
            no_unsigned_wrap: has("nuw"),
            exact: operation.has_attribute("isExact"),
        }
    }
}

/// Traps if an operation on integers breaks a promise for these operands.
pub fn check<'c: 'a, 'a>(
    name: &str,
    operands: &[Value<'c, 'a>],
    operation: OperationRef<'c, 'a>,
    at: Inserter<'c, 'a>,
) {
    let promises = Promises::of(operation);
    if promises.exact {
        inexact(name, operands, at);
    }
    let narrow = || build::single(operation).r#type();
    if promises.no_signed_wrap {
        wraps(name, operands, (narrow(), true), at);
    }
    if promises.no_unsigned_wrap {
        wraps(name, operands, (narrow(), false), at);
    }
}

/// A division leaves a remainder, or a shift drops a set bit.
fn inexact<'c: 'a, 'a>(name: &str, operands: &[Value<'c, 'a>], at: Inserter<'c, 'a>) {
    let [one, two] = [operands[0], operands[1]];
    let remainder = match name {
        arith::DIVSI => arith::remsi(at, one, two),
        arith::DIVUI => arith::remui(at, one, two),
        _ => {
            let kept = at.binary(arith::SHLI, arith::shrui(at, one, two), two);
            arith::xori(at, one, kept)
        }
    };
    let zero = at.integer(remainder.r#type(), 0);
    trap_if(at, at.compare(Compare::NotEqual, remainder, zero));
}

/// The result does not fit, read with a sign or without one.
fn wraps<'c: 'a, 'a>(
    name: &str,
    operands: &[Value<'c, 'a>],
    (narrow, is_signed): (Type<'c>, bool),
    at: Inserter<'c, 'a>,
) {
    let one = operands[0];
    let result = |two| at.binary(name, one, two);
    let differ = |value, other| arith::xori(at, value, other);
    let is_lost = |back| at.compare(Compare::NotEqual, back, one);
    let wrapped = match (name, is_signed) {
        // A sum has the sign of an operand, if they have the same.
        (arith::ADDI, true) => {
            let sum = result(operands[1]);
            negative(at, arith::andi(at, differ(one, sum), differ(operands[1], sum)))
        }
        (arith::ADDI, false) => at.compare(Compare::UnsignedLess, result(operands[1]), one),
        (arith::SUBI, true) => {
            let difference = result(operands[1]);
            negative(at, arith::andi(at, differ(one, operands[1]), differ(one, difference)))
        }
        (arith::SUBI, false) => at.compare(Compare::UnsignedLess, one, operands[1]),
        (arith::MULI, _) => product_wraps(at, [one, operands[1]], is_signed),
        (arith::SHLI, true) => is_lost(arith::shrsi(at, result(operands[1]), operands[1])),
        (arith::SHLI, false) => is_lost(arith::shrui(at, result(operands[1]), operands[1])),
        (arith::TRUNCI, _) => {
            let (cut, wide) = (arith::trunci(at, narrow, one), one.r#type());
            is_lost(match is_signed {
                true => arith::extsi(at, wide, cut),
                false => arith::extui(at, wide, cut),
            })
        }
        _ => return,
    };
    trap_if(at, wrapped);
}

/// The upper half of a product is not what the lower half extends to.
fn product_wraps<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    operands: [Value<'c, 'a>; 2],
    is_signed: bool,
) -> Value<'c, 'a> {
    let [one, two] = operands.map(|it| fixed(at, it));
    if is_signed {
        let product = arith::mulsi_extended(at, one, two);
        let sign = at.integer(one.r#type(), i64::from(width(one.r#type()) - 1));
        let extended = arith::shrsi(at, product.low(), sign);
        return at.compare(Compare::NotEqual, product.high(), extended);
    }
    let product = arith::mului_extended(at, one, two);
    at.compare(Compare::NotEqual, product.high(), at.integer(one.r#type(), 0))
}

fn negative<'c: 'a, 'a>(at: Inserter<'c, 'a>, value: Value<'c, 'a>) -> Value<'c, 'a> {
    at.compare(Compare::Less, value, at.integer(value.r#type(), 0))
}

/// The same number as an integer: extended products are not defined on index.
fn fixed<'c: 'a, 'a>(at: Inserter<'c, 'a>, value: Value<'c, 'a>) -> Value<'c, 'a> {
    match value.r#type().is_index() {
        true => arith::index_cast(at, IntegerType::new(at.context(), 64).into(), value),
        false => value,
    }
}
