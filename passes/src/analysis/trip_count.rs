//! How many iterations a loop makes, where that is constant.

use melior::ir::{OperationRef, Value, operation::OperationLike};
use stencil_dialects::{attributes, ods::arith, walk};

/// The number of iterations of a loop, if it is constant.
pub fn trip_count(time_loop: OperationRef) -> Option<i64> {
    if time_loop.has_attribute("unsignedCmp") {
        return None;
    }
    let number = |position: usize| known(time_loop.operand(position).ok()?);
    let (lower, upper, step) = (number(0)?, number(1)?, number(2)?);
    (step > 0).then(|| rounded_up(lower, upper, step))
}

/// The number of iterations of a loop with these bounds and this step, at most `i64::MAX`.
pub(crate) fn rounded_up(lower: i64, upper: i64, step: i64) -> i64 {
    let [lower, upper, step] = [lower, upper, step].map(i128::from);
    let count = (upper - lower + step - 1).div_euclid(step).max(0);
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// An integer of the host that is computed from constants by a few operations.
pub(crate) fn known(value: Value) -> Option<i64> {
    known_within(value, &mut 64)
}

/// The same, by so many operations at most: a value may be the sum of sums of one value.
fn known_within(value: Value, operations: &mut u32) -> Option<i64> {
    if let Some(constant) = constant(value) {
        return Some(constant);
    }
    *operations = operations.checked_sub(1)?;
    let operation = walk::definition(value)?;
    let mut operand = |position: usize| known_within(operation.operand(position).ok()?, operations);
    match walk::name(&operation) {
        arith::ADDI => operand(0)?.checked_add(operand(1)?),
        arith::SUBI => operand(0)?.checked_sub(operand(1)?),
        arith::MULI => operand(0)?.checked_mul(operand(1)?),
        arith::MAXSI => Some(operand(0)?.max(operand(1)?)),
        arith::MINSI => Some(operand(0)?.min(operand(1)?)),
        arith::DIVSI => operand(0)?.checked_div(operand(1)?),
        _ => None,
    }
}

/// An integer constant.
pub(crate) fn constant(value: Value) -> Option<i64> {
    walk::constant(value).and_then(attributes::integer)
}
