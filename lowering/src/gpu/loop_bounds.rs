//! Loops of the host that compare their bounds as unsigned numbers.
//!
//! Host programs count signed numbers. With the highest bit turned round, numbers are in the order
//! as signed ones that they had as unsigned ones; so the bounds of such a loop are turned, and its
//! body turns the counter back. Steps are the same, and a trip count is computed without overflow.

use super::checks::width;
use melior::ir::{BlockRef, OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::build::{self, Inserter};

/// Set on an `scf.for` that is written `unsigned`.
const UNSIGNED: &str = "unsignedCmp";

/// Makes the bounds among a loop's operands what a signed loop takes.
pub fn make_signed<'c: 'a, 'a>(
    time_loop: OperationRef<'c, 'a>,
    at: Inserter<'c, 'a>,
    operands: &mut [Value<'c, 'a>],
) {
    if time_loop.has_attribute(UNSIGNED) {
        operands[..2].iter_mut().for_each(|bound| *bound = turned(at, *bound));
    }
}

/// The counter of a loop, at the begin of what its body has become.
pub fn counter<'c: 'a, 'a>(
    time_loop: OperationRef<'c, 'a>,
    new_body: BlockRef<'c, 'a>,
) -> Value<'c, 'a> {
    let counter = build::argument(new_body, 0);
    match time_loop.has_attribute(UNSIGNED) {
        true => turned(Inserter::at_end(new_body, time_loop.location()), counter),
        false => counter,
    }
}

/// A number with its highest bit turned round. An index has 64 bits, as everywhere on the host.
fn turned<'c: 'a, 'a>(at: Inserter<'c, 'a>, number: Value<'c, 'a>) -> Value<'c, 'a> {
    let highest = at.integer(number.r#type(), i64::MIN >> (64 - width(number.r#type())));
    at.binary("arith.xori", number, highest)
}
