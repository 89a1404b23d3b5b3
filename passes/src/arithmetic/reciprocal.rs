//! 1 / x in double precision without a branch.
//!
//! A GPU estimates 1 / x from the high half of x, y with e = 1 - x y, and refines it [as ptxas 13.0
//! does for `rcp.rn.f64` between its branches]:
//!
//! 1. y' = y + y (e + e^2) leaves e^3 of the error: with |e| < 2^-18.6 that is an eighth of a unit
//!    in the last place at most, and y' is within 5/8 of a unit of 1 / x.
//! 2. e' = 1 - x y' is exact [Markstein, Computation of Elementary Functions on the IBM RISC
//!    System/6000 Processor, IBM Journal of Research and Development 1990], and y' + y' e' is
//!    (1 - e'^2) / x before it is rounded.
//!
//! That rounds as 1 / x does unless the midpoint m of two numbers lies between them. Let x be X
//! 2^-52, in [1, 2), and m be M 2^-54, with M odd: then 1 - x m is a multiple of 2^-106, and
//! e'^2 is below (5/8)^2 x^2 2^-106, which is less than two of them. So X M would be 2^106 - 1. Of
//! its divisors one has 53 bits, X = 2^53 - 1: x whose digits are all ones, whose reciprocal is
//! 2^-106 of itself above such a midpoint. There step 2 is right if y' is the number above it. The
//! instruction gives the high half of y, here that of 1/2 at least; with [`LOW_HALF`] y is larger
//! than 1 / x, and e below -2^-22. Step 1 is then too large by -e^3, a thousand times what its
//! roundings may take away. (With low halves of few digits they may take more.)
//!
//! Exponents scale all of that as long as x, y and the result are normal: in the range of
//! [`reciprocal`] they are.

use super::machine::{INFINITY, Machine, NAN, ONE_EXPONENT, Operand, SIGN};

/// The low half of an estimate: half a unit of the high one.
pub const LOW_HALF: u32 = 1 << 31;

/// What is added to the high half of x. Without the sign, sums of numbers in range are the largest;
/// what is larger than these wraps around.
const OFFSET: u32 = 0x0040_0000;

const WITHOUT_SIGN: u32 = !SIGN;
/// Sums of NaN begin above that of infinity, and of zeros and subnormal numbers at the offset.
const ABOVE_INFINITY: u32 = ((INFINITY + 1).wrapping_add(OFFSET)) & WITHOUT_SIGN;
/// The sum of the least normal number.
const IN_RANGE: u32 = ONE_EXPONENT + OFFSET;

/// 1 / x, rounded correctly, of a normal x below 2^1021 in absolute value; of larger ones, infinity
/// too, a zero with its sign; of zeros and subnormal numbers an infinity; of NaN NaN.
pub fn reciprocal<M: Machine>(on: &M, x: M::F64, operand: Operand) -> M::F64 {
    let x_high = on.high(on.bits(x));
    let sum = on.and(on.add(x_high, on.i32(OFFSET)), on.i32(WITHOUT_SIGN));
    let is_zero = on.less(sum, on.i32(ABOVE_INFINITY));
    let special = match operand {
        Operand::Normal => on.select(is_zero, on.i32(0), on.i32(NAN)),
        Operand::Any => {
            let is_nan = on.less(sum, on.i32(OFFSET));
            let special = on.select(is_nan, on.i32(NAN), on.i32(INFINITY));
            let special = on.select(is_zero, on.i32(0), special);
            on.or(special, on.and(x_high, on.i32(SIGN)))
        }
    };
    let normal = on.bits(on.normal_reciprocal(x));
    let is_special = on.less(sum, on.i32(IN_RANGE));
    let high = on.select(is_special, special, on.high(normal));
    on.number(on.join(high, on.select(is_special, on.i32(0), on.low(normal))))
}

/// 1 / x from -x and an estimate of 1 / x, both normal, whose low half is [`LOW_HALF`].
pub fn refined<V: Copy>(fused: impl Fn(V, V, V) -> V, (minus_x, one): (V, V), estimate: V) -> V {
    let rest = fused(minus_x, estimate, one);
    let near = fused(estimate, fused(rest, rest, rest), estimate);
    let rest = fused(minus_x, near, one);
    fused(near, rest, near)
}

#[cfg(test)]
#[path = "reciprocal_tests.rs"]
mod tests;
