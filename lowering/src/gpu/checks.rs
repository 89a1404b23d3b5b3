//! Traps for undefined behaviour on a GPU, and for loops that do not end, emitted in `checked`
//! kernels.

use super::promises;
use crate::builders;
use melior::ir::{OperationRef, Type, TypeLike, Value, ValueLike, r#type::IntegerType};
use stencil_dialects::{
    build::{self, Compare, CompareFloats, Inserter},
    ods::{arith, llvm, math, scf},
};

/// Traps if a condition holds.
pub fn trap_if<'c: 'a, 'a>(at: Inserter<'c, 'a>, condition: Value<'c, 'a>) {
    builders::when(at, condition, |at| {
        llvm::intr_trap(at);
    });
}

/// Traps before an operation if its operands make it undefined.
pub fn before<'c: 'a, 'a>(
    name: &str,
    operands: &[Value<'c, 'a>],
    operation: OperationRef<'c, 'a>,
    at: Inserter<'c, 'a>,
) {
    match name {
        arith::DIVUI | arith::REMUI | arith::CEILDIVUI => zero_divisor(at, operands[1]),
        arith::DIVSI | arith::REMSI | arith::CEILDIVSI | arith::FLOORDIVSI => {
            zero_divisor(at, operands[1]);
            lowest_by_minus_one(at, operands[0], operands[1]);
        }
        arith::SHLI | arith::SHRSI | arith::SHRUI => wide_shift(at, operands[1]),
        arith::FPTOSI => conversion(at, operands[0], width_of(operation), true),
        arith::FPTOUI => conversion(at, operands[0], width_of(operation), false),
        scf::FOR => no_step(at, operands[2]),
        _ => {}
    }
    if !operands.is_empty() && operands.iter().all(|it| is_number(it.r#type())) {
        promises::check(name, operands, operation, at);
    }
}

fn is_number(r#type: Type) -> bool {
    r#type.is_integer() || r#type.is_index()
}

/// A loop with such a step does not end.
fn no_step<'c: 'a, 'a>(at: Inserter<'c, 'a>, step: Value<'c, 'a>) {
    let zero = at.integer(step.r#type(), 0);
    trap_if(at, at.compare(Compare::LessEqual, step, zero));
}

fn width_of(operation: OperationRef) -> u32 {
    width(build::single(operation).r#type())
}

/// Bits of an integer; index has 64.
pub(super) fn width(r#type: Type) -> u32 {
    IntegerType::try_from(r#type).map_or(64, |integer| integer.width())
}

fn zero_divisor<'c: 'a, 'a>(at: Inserter<'c, 'a>, divisor: Value<'c, 'a>) {
    let zero = at.integer(divisor.r#type(), 0);
    trap_if(at, at.compare(Compare::Equal, divisor, zero));
}

fn lowest_by_minus_one<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    dividend: Value<'c, 'a>,
    divisor: Value<'c, 'a>,
) {
    let r#type = dividend.r#type();
    let lowest = at.integer(r#type, i64::MIN >> (64 - width(r#type)));
    let minus_one = at.integer(r#type, -1);
    let both = arith::andi(
        at,
        at.compare(Compare::Equal, dividend, lowest),
        at.compare(Compare::Equal, divisor, minus_one),
    );
    trap_if(at, both);
}

fn wide_shift<'c: 'a, 'a>(at: Inserter<'c, 'a>, amount: Value<'c, 'a>) {
    let r#type = amount.r#type();
    let bits = at.integer(r#type, i64::from(width(r#type)));
    trap_if(at, at.compare(Compare::UnsignedGreaterEqual, amount, bits));
}

/// Traps unless the truncated float is representable. NaN never is.
fn conversion<'c: 'a, 'a>(at: Inserter<'c, 'a>, value: Value<'c, 'a>, bits: u32, signed: bool) {
    let r#type = value.r#type();
    // The value is truncated first: both limits are powers of two or zero, which f64 holds exactly.
    let f64_type = Type::float64(at.context());
    let wide = match r#type == f64_type {
        true => value,
        false => arith::extf(at, f64_type, value),
    };
    let magnitude = |bits: u32| f64::from(bits).exp2();
    let (lower, upper) = match signed {
        true => (-magnitude(bits - 1), magnitude(bits - 1)),
        false => (0.0, magnitude(bits)),
    };
    let truncated = math::trunc(at, wide);
    let inside = |predicate: CompareFloats, limit: f64| {
        at.compare_floats(predicate, truncated, at.float(f64_type, limit))
    };
    let fits = arith::andi(
        at,
        inside(CompareFloats::OrderedGreaterEqual, lower),
        inside(CompareFloats::OrderedLess, upper),
    );
    let one = at.integer(fits.r#type(), -1);
    trap_if(at, arith::xori(at, fits, one));
}
