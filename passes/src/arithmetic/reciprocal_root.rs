//! 1 / sqrt(x) in double and in single precision, from operations that round exactly.
//!
//! Results are bit-identical on all machines: they do not depend on inexact estimates.
//!
//! In double precision a first guess is a constant less half of the bits of x [Blinn,
//! Floating-Point Tricks, IEEE Computer Graphics and Applications 1997]. A step y (c - x y^2) costs
//! three operations where Newton's costs four, as its second constant is one: y has to be off by a
//! known factor then, which the constant of the guess gives, or the step before [the idea of tuning
//! constants of guess and step together is that of Moroz et al., Fast Calculation of Inverse Square
//! Root with the Use of Magic Constant, Applied Mathematics and Computation 2018]. All constants
//! were computed for these sequences: c so that errors of both signs are equally large. The last
//! step is of third order: y + y r (1/2 + 3/8 r) with r = 1 - x y^2.
//!
//! Single precision: the guess is an estimate, whose last bits are machine-dependent.
//!
//! 1. A subnormal x is multiplied by 2^24, so that it is not flushed to zero. Numbers above 2^126
//!    are clamped, or the square of the guess would be subnormal.
//! 2. The estimate is within 2^-22.5 of the root, relative to it (the instruction of NVIDIA's GPUs
//!    within 2^-22.9, PTX ISA 9.0, rsqrt.approx.ftz), and is truncated to 12 bits.
//! 3. y^2 is exact, so r = 1 - x y^2 is rounded once, and is below 2^-10. The step of third order
//!    leaves 2^-35 of it: the result is within 0.501 units in the last place.
//!
//! Two estimates differ after step 2 only where the root is next to a number of 12 bits: for some
//! 12,000 of the 2^24 numbers of two neighbouring exponents, to which all others scale. With most
//! constants in step 3 a handful of those has two results, as the root is near the midpoint of two
//! numbers. The constants here are perturbed minimally so that both results agree; the tests cover
//! every number.
//!
//! Double precision: the seed is computed in single precision, on other units.
//!
//! 1. A subnormal x is multiplied by 2^54, so that it has an exponent.
//! 2. The exponent is split into an even part, 2j, and the rest: x = m 2^(2j - 1022) with m in
//!    [1/2, 2). m is truncated to 24 bits. This and step 4 are bit operations.
//! 3. The guess for m, and two steps of three operations each in single precision: x y^2 is off
//!    from 1 by less than 3e-6, rounding and truncation included.
//! 4. The exponent is put back; y is now a double-precision number with 24 significant bits.
//! 5. The step of third order. y^2 is exact, so r is rounded once; the truncation error is
//!    5/16 r^3. The constant 1/2 is increased slightly to compensate most of that: the remainder is
//!    below 2e-18.
//!
//! The last addition of step 5 rounds a number that is within 2^-58 of the root, relative to it:
//! the result is within 0.52 units in the last place.
//!
//! Zeros, negative and subnormal numbers cost selects, which are omitted if x is known to be none
//! of them. NaN propagates; infinity becomes an infinity in the last step, which no other number
//! does, and is replaced by 0. All steps are generic over a machine, which is the IR or the host
//! processor, so that the tests cover the emitted code.

use super::machine::{INFINITY, Machine, NAN, ONE_EXPONENT, Operand, SIGN};

/// Double precision: the guess, as bits, with half of the bits of m subtracted.
const GUESS: u32 = 0x5eff_0b00;
/// The constants of the steps of the seed.
const STEPS: [f32; 2] = [1.621_486_4, 1.889_883_2];
/// 1/2 + 15/64 R^2 where |r| < R = 2.87e-6: 5/16 r^3 less its part along r.
const HALF: f64 = 0.500_000_000_001_93;

/// 2^54, and the exponent of its root.
const SCALE: u32 = (1023 + 54) << 20;
const SCALE_ROOT: u32 = 27 << 20;

/// 1 / sqrt(x) within 0.52 units in the last place for every positive x; of a zero an infinity with
/// its sign, of infinity 0, of negative numbers and NaN NaN.
pub fn reciprocal_root<M: Machine>(on: &M, x: M::F64, operand: Operand) -> M::F64 {
    let is_special = operand == Operand::Any;
    // 1. Zeros are multiplied too; negative numbers are not.
    let is_tiny = is_special.then(|| on.less(on.high(on.bits(x)), on.i32(ONE_EXPONENT)));
    let x = is_tiny.map_or(x, |is_tiny| {
        let scale = on.select(is_tiny, on.i32(SCALE), on.i32(1023 << 20));
        on.multiply(x, on.number(on.join(scale, on.i32(0))))
    });
    // 2 to 4.
    let bits = on.bits(x);
    let y = seed(on, bits);
    // 5.
    let square = on.multiply(y, y);
    let rest = on.fused(on.negate(x), square, on.f64(1.0));
    let slope = on.fused(rest, on.f64(0.375), on.f64(HALF));
    let root = on.bits(on.fused(on.multiply(y, rest), slope, y));
    let (high, low) = (on.high(root), on.low(root));
    let is_infinite = on.equal(high, on.i32(INFINITY));
    let Some(is_tiny) = is_tiny else {
        return on.number(on.join(on.select(is_infinite, on.i32(0), high), low));
    };
    // The root of the scale, 2^27 or 1.
    let raised = on.add(high, on.select(is_tiny, on.i32(SCALE_ROOT), on.i32(0)));
    let high = on.select(is_infinite, on.i32(0), raised);
    // 0 becomes infinity, -0 its negative, what is negative NaN; subnormal it still has digits in
    // its low half, and is NaN with the exponent of infinity.
    let (x_high, x_low) = (on.high(bits), on.low(bits));
    let is_negative = on.less(on.i32(SIGN), x_high);
    let special = on.select(is_negative, on.i32(NAN), on.or(x_high, on.i32(INFINITY)));
    let is_positive = on.is_positive(x_high);
    let high = on.select(is_positive, high, special);
    on.number(on.join(high, on.select(is_positive, low, x_low)))
}

/// 1 / sqrt(x) within 1.5e-6, with 24 bits; arbitrary unless x is a positive normal number.
fn seed<M: Machine>(on: &M, bits: M::I64) -> M::F64 {
    let digits = on.and(on.low(on.right_i64(bits, 29)), on.i32(0x00ff_ffff));
    let digits = on.or(digits, on.i32(126 << 23));
    let m = on.number_f32(digits);
    let guess = on.number_f32(on.subtract(on.i32(GUESS), on.right(digits, 1)));
    let y = STEPS.into_iter().fold(guess, |y, constant| step(on, m, y, constant));

    // 896 is the difference of the exponents' offsets; 2^(511 - j) is the root of 2^(1022 - 2j).
    let y = on.bits_f32(y);
    let even = on.right(on.and(on.high(bits), on.i32(0x7fe0_0000)), 1);
    let offset = on.subtract(on.i32((896 + 511) << 20), even);
    let high = on.add(on.right(y, 3), offset);
    on.number(on.join(high, on.left(y, 29)))
}

/// y (c - x y^2).
fn step<M: Machine>(on: &M, x: M::F32, y: M::F32, constant: f32) -> M::F32 {
    let product = on.negate_f32(on.multiply_f32(x, y));
    on.multiply_f32(y, on.fused_f32(product, y, on.f32(constant)))
}

/// Mask of twelve significant bits in single precision: the square has at most 24.
const GUESS_DIGITS: u32 = 0xffff_f000;
/// 1/2 and 3/8, perturbed by some 2^-25 so that the last bits of the estimate do not matter.
const HALF_F32: f32 = 0.5 - 5.0 / 33_554_432.0;
const SLOPE_F32: f32 = 0.375 + 14_694.0 / 33_554_432.0;
/// 2^126: the square of the guess for a larger number would be subnormal.
const LARGEST_F32: f32 = 8.507_059_e37;

const ONE_EXPONENT_F32: u32 = 1 << 23;
const ONE_F32: u32 = 127 << 23;
const INFINITY_F32: u32 = 0x7f80_0000;
const NAN_F32: u32 = 0x7fc0_0000;
/// 2^24, and the exponent of its root.
const SCALE_F32: u32 = (127 + 24) << 23;
const SCALE_ROOT_F32: u32 = 12 << 23;

/// 1 / sqrt(x) within 0.501 units in the last place for every positive x up to 2^126, and 2^-63 of
/// larger ones; other special numbers as above.
pub fn reciprocal_root_f32<M: Machine>(on: &M, x: M::F32, operand: Operand) -> M::F32 {
    let is_special = operand == Operand::Any;
    // 1.
    let bits = on.bits_f32(x);
    let is_tiny = is_special.then(|| on.less(bits, on.i32(ONE_EXPONENT_F32)));
    let x = is_tiny.map_or(x, |is_tiny| {
        let scale = on.select(is_tiny, on.i32(SCALE_F32), on.i32(ONE_F32));
        on.multiply_f32(x, on.number_f32(scale))
    });
    let x = on.minimum_f32(x, on.f32(LARGEST_F32));
    // 2.
    let guess = on.and(on.bits_f32(on.estimate(x)), on.i32(GUESS_DIGITS));
    let y = on.number_f32(guess);
    // 3.
    let square = on.multiply_f32(y, y);
    let rest = on.fused_f32(on.negate_f32(x), square, on.f32(1.0));
    let slope = on.fused_f32(rest, on.f32(SLOPE_F32), on.f32(HALF_F32));
    let root = on.fused_f32(on.multiply_f32(y, rest), slope, y);
    let Some(is_tiny) = is_tiny else {
        return root;
    };
    // The root of the scale, 2^12 or 1.
    let raised = on.select(is_tiny, on.i32(SCALE_ROOT_F32), on.i32(0));
    let root = on.add(on.bits_f32(root), raised);
    let is_negative = on.less(on.i32(SIGN), bits);
    let infinity = on.or(bits, on.i32(INFINITY_F32));
    let special = on.select(is_negative, on.i32(NAN_F32), infinity);
    on.number_f32(on.select(on.is_positive(bits), root, special))
}

#[cfg(test)]
#[path = "reciprocal_root_tests.rs"]
mod tests;
