//! Host loops with unsigned bounds.
//!
//! Host programs compare signed. Flipping the sign bit maps unsigned order to signed order; so the
//! bounds of such a loop are flipped, and its body flips the induction variable back. Steps are the
//! same, and a trip count is computed without overflow.

use super::checks::width;
use melior::ir::{BlockRef, OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    build::{self, Inserter},
    ods::arith,
};

/// Set on an `scf.for` that is written `unsigned`.
const UNSIGNED: &str = "unsignedCmp";

/// Converts the bounds among an unsigned loop's operands to those of a signed loop.
pub fn make_signed<'c: 'a, 'a>(
    time_loop: OperationRef<'c, 'a>,
    at: Inserter<'c, 'a>,
    operands: &mut [Value<'c, 'a>],
) {
    if time_loop.has_attribute(UNSIGNED) {
        operands[..2].iter_mut().for_each(|bound| *bound = flip_sign_bit(at, *bound));
    }
}

/// The induction variable of a loop, at the start of its lowered body.
pub fn counter<'c: 'a, 'a>(
    time_loop: OperationRef<'c, 'a>,
    new_body: BlockRef<'c, 'a>,
) -> Value<'c, 'a> {
    let counter = build::argument(new_body, 0);
    match time_loop.has_attribute(UNSIGNED) {
        true => flip_sign_bit(Inserter::at_end(new_body, time_loop.location()), counter),
        false => counter,
    }
}

/// A number with its sign bit flipped. An index has 64 bits, as everywhere on the host.
fn flip_sign_bit<'c: 'a, 'a>(at: Inserter<'c, 'a>, number: Value<'c, 'a>) -> Value<'c, 'a> {
    let highest = at.integer(number.r#type(), i64::MIN >> (64 - width(number.r#type())));
    arith::xori(at, number, highest)
}
