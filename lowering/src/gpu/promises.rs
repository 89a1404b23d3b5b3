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
    if promises.no_signed_wrap {
        let narrow = build::single(operation).r#type();
        wraps_signed(name, operands, narrow, at);
    }
    if promises.no_unsigned_wrap {
        let narrow = build::single(operation).r#type();
        wraps_unsigned(name, operands, narrow, at);
    }
}

/// A division leaves a remainder, or a shift drops a set bit.
fn inexact<'c: 'a, 'a>(name: &str, operands: &[Value<'c, 'a>], at: Inserter<'c, 'a>) {
    let [one, two] = [operands[0], operands[1]];
    let remainder = match name {
        arith::DIVSI => arith::remsi(at, one, two),
        arith::DIVUI => arith::remui(at, one, two),
        _ => {
            let kept = shifted_back(at, arith::shrui(at, one, two), two);
            arith::xori(at, one, kept)
        }
    };
    let zero = at.integer(remainder.r#type(), 0);
    trap_if(at, at.compare(Compare::NotEqual, remainder, zero));
}

fn shifted_back<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    value: Value<'c, 'a>,
    amount: Value<'c, 'a>,
) -> Value<'c, 'a> {
    at.binary(arith::SHLI, value, amount)
}

fn wraps_signed<'c: 'a, 'a>(
    name: &str,
    operands: &[Value<'c, 'a>],
    narrow: Type<'c>,
    at: Inserter<'c, 'a>,
) {
    let one = operands[0];
    let result = |two| at.binary(name, one, two);
    // Bits that differ from the sign of a result that does not wrap.
    let differ = |value, other| arith::xori(at, value, other);
    let wrapped = match name {
        arith::ADDI => {
            let sum = result(operands[1]);
            negative(at, arith::andi(at, differ(one, sum), differ(operands[1], sum)))
        }
        arith::SUBI => {
            let difference = result(operands[1]);
            negative(at, arith::andi(at, differ(one, operands[1]), differ(one, difference)))
        }
        arith::MULI => {
            let [one, two] = [one, operands[1]].map(|it| fixed(at, it));
            let product = arith::mulsi_extended(at, one, two);
            let sign = at.integer(one.r#type(), i64::from(width(one.r#type()) - 1));
            let sign = arith::shrsi(at, product.low(), sign);
            at.compare(Compare::NotEqual, product.high(), sign)
        }
        arith::SHLI => {
            let back = arith::shrsi(at, result(operands[1]), operands[1]);
            at.compare(Compare::NotEqual, back, one)
        }
        arith::TRUNCI => {
            let back = arith::extsi(at, one.r#type(), arith::trunci(at, narrow, one));
            at.compare(Compare::NotEqual, back, one)
        }
        _ => return,
    };
    trap_if(at, wrapped);
}

fn wraps_unsigned<'c: 'a, 'a>(
    name: &str,
    operands: &[Value<'c, 'a>],
    narrow: Type<'c>,
    at: Inserter<'c, 'a>,
) {
    let one = operands[0];
    let result = |two| at.binary(name, one, two);
    let wrapped = match name {
        arith::ADDI => at.compare(Compare::UnsignedLess, result(operands[1]), one),
        arith::SUBI => at.compare(Compare::UnsignedLess, one, operands[1]),
        arith::MULI => {
            let [one, two] = [one, operands[1]].map(|it| fixed(at, it));
            let product = arith::mului_extended(at, one, two);
            let zero = at.integer(one.r#type(), 0);
            at.compare(Compare::NotEqual, product.high(), zero)
        }
        arith::SHLI => {
            let back = arith::shrui(at, result(operands[1]), operands[1]);
            at.compare(Compare::NotEqual, back, one)
        }
        arith::TRUNCI => {
            let back = arith::extui(at, one.r#type(), arith::trunci(at, narrow, one));
            at.compare(Compare::NotEqual, back, one)
        }
        _ => return,
    };
    trap_if(at, wrapped);
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
