//! 1 / sqrt(x) in double and in single precision, from operations that round exactly.
//!
//! Every machine gives the same bits: what is not rounded exactly leaves no trace.
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
//! Single precision: the guess is an estimate, whose last bits each machine may choose.
//!
//! 1. A subnormal x is multiplied by 2^24, so that no instruction takes it for zero. What is larger
//!    than 2^126 becomes 2^126, or the square of the guess would be subnormal.
//! 2. The estimate is within 2^-22.5 of the root, relative to it (the instruction of NVIDIA's GPUs
//!    within 2^-22.9, PTX ISA 9.0, rsqrt.approx.ftz), and is cut off to 12 digits.
//! 3. y^2 is exact, so r = 1 - x y^2 is rounded once, and is below 2^-10. The step of third order
//!    has 2^-35 left of it: the result is within 0.501 units in the last place.
//!
//! Two estimates differ after step 2 only where the root is next to a number of 12 digits: for some
//! 12,000 of the 2^24 numbers of two neighbouring exponents, which all others repeat. With most
//! constants in step 3 a handful of those has two results, as its root lies next to the middle of
//! two numbers. The constants here are changed by as little as makes both results the same, for all
//! of them; the tests go through every number.
//!
//! Double precision: the seed is computed in single precision, which other units do.
//!
//! 1. A subnormal x is multiplied by 2^54, so that it has an exponent.
//! 2. The exponent is split into an even part, 2j, and the rest: x = m 2^(2j - 1022) with m in
//!    [1/2, 2). m is cut off to 24 digits. This and step 4 are operations on the bits.
//! 3. The guess for m, and two steps of three operations each in single precision: x y^2 is off
//!    from 1 by less than 3e-6, roundings and the cut included.
//! 4. The exponent is put back; y is now a number of double precision with 24 digits.
//! 5. The step of third order. y^2 is exact, so r is rounded once; what the step leaves out is
//!    5/16 r^3. Its constant 1/2 is a little larger, so that a line in r takes most of that away:
//!    what remains is below 2e-18.
//!
//! The last addition of step 5 rounds a number that is within 2^-58 of the root, relative to it:
//! the result is within 0.52 units in the last place.
//!
//! Zeros, negative numbers and subnormal ones cost selections; where it is known that x is none of
//! them they are left out. NaN stays NaN on its own; infinity becomes an infinity in the last step,
//! which no other number does, and is replaced by 0. All steps are written once, for a machine that
//! is the IR or the processor that this runs on, so that what is tested is what is emitted.

/// Whatever computes: numbers are in double (`Double`) and single (`Single`) precision, and bits
/// (`Word` has 64 of them, `Half` 32).
pub trait Machine {
    /// A number of double precision.
    type Double: Copy;
    /// A number of single precision.
    type Single: Copy;
    /// 64 bits.
    type Word: Copy;
    /// 32 bits.
    type Half: Copy;
    /// Yes or no.
    type Flag: Copy;

    /// A constant.
    fn double(&self, number: f64) -> Self::Double;
    /// A constant.
    fn single(&self, number: f32) -> Self::Single;
    /// A constant.
    fn word(&self, bits: u64) -> Self::Word;
    /// A constant.
    fn half(&self, bits: u32) -> Self::Half;

    /// a * b.
    fn multiply(&self, a: Self::Double, b: Self::Double) -> Self::Double;
    /// a * b + c, rounded once.
    fn fused(&self, a: Self::Double, b: Self::Double, c: Self::Double) -> Self::Double;
    /// -a.
    fn negate(&self, a: Self::Double) -> Self::Double;
    /// a * b.
    fn multiply_single(&self, a: Self::Single, b: Self::Single) -> Self::Single;
    /// a * b + c, rounded once.
    fn fused_single(&self, a: Self::Single, b: Self::Single, c: Self::Single) -> Self::Single;
    /// -a.
    fn negate_single(&self, a: Self::Single) -> Self::Single;
    /// The smaller one; NaN if one of them is NaN.
    fn minimum_single(&self, a: Self::Single, b: Self::Single) -> Self::Single;
    /// 1 / sqrt(a) within 2^-22.5, relative to it, for a positive normal number a. Which of those
    /// numbers it is differs from machine to machine.
    fn estimate(&self, a: Self::Single) -> Self::Single;

    /// The bits of a number.
    fn bits(&self, a: Self::Double) -> Self::Word;
    /// The number with these bits.
    fn number(&self, a: Self::Word) -> Self::Double;
    /// The bits of a number.
    fn bits_single(&self, a: Self::Single) -> Self::Half;
    /// The number with these bits.
    fn number_single(&self, a: Self::Half) -> Self::Single;
    /// The high 32 bits.
    fn high(&self, a: Self::Word) -> Self::Half;
    /// The low 32 bits.
    fn low(&self, a: Self::Word) -> Self::Half;
    /// 64 bits from their halves.
    fn join(&self, high: Self::Half, low: Self::Half) -> Self::Word;

    /// Shifted to the right; zeros come in.
    fn right_word(&self, a: Self::Word, places: u32) -> Self::Word;
    /// Shifted to the right; zeros come in.
    fn right(&self, a: Self::Half, places: u32) -> Self::Half;
    /// Shifted to the left.
    fn left(&self, a: Self::Half, places: u32) -> Self::Half;
    /// Bit by bit.
    fn and(&self, a: Self::Half, b: Self::Half) -> Self::Half;
    /// Bit by bit.
    fn or(&self, a: Self::Half, b: Self::Half) -> Self::Half;
    /// Modulo 2^32.
    fn add(&self, a: Self::Half, b: Self::Half) -> Self::Half;
    /// Modulo 2^32.
    fn subtract(&self, a: Self::Half, b: Self::Half) -> Self::Half;
    /// a < b, without signs.
    fn less(&self, a: Self::Half, b: Self::Half) -> Self::Flag;
    /// a > 0, with a sign.
    fn is_positive(&self, a: Self::Half) -> Self::Flag;
    /// a = b.
    fn equal(&self, a: Self::Half, b: Self::Half) -> Self::Flag;
    /// One of two.
    fn select(&self, which: Self::Flag, yes: Self::Half, no: Self::Half) -> Self::Half;
}

/// What is known of a number before its root is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Nothing.
    Any,
    /// It is normal and positive, or infinity, or NaN.
    Normal,
}

const SIGN: u32 = 1 << 31;

/// Double precision: the guess, as bits, with half of the bits of m subtracted.
const GUESS: u32 = 0x5eff_0b00;
/// The constants of the steps of the seed.
const STEPS: [f32; 2] = [1.621_486_4, 1.889_883_2];
/// 1/2 + 15/64 R^2 where |r| < R = 2.87e-6: 5/16 r^3 less its part along r.
const HALF: f64 = 0.500_000_000_001_93;

const ONE_EXPONENT: u32 = 0x0010_0000;
const INFINITY: u32 = 0x7ff0_0000;
const NAN: u32 = 0x7ff8_0000;
/// 2^54, and the exponent of its root.
const SCALE: u32 = (1023 + 54) << 20;
const SCALE_ROOT: u32 = 27 << 20;

/// 1 / sqrt(x) within 0.52 units in the last place for every positive x; of a zero an infinity with
/// its sign, of infinity 0, of negative numbers and NaN NaN.
pub fn reciprocal_root<M: Machine>(on: &M, x: M::Double, operand: Operand) -> M::Double {
    let is_special = operand == Operand::Any;
    // 1. Zeros are multiplied too; negative numbers are not.
    let is_tiny = is_special.then(|| on.less(on.high(on.bits(x)), on.half(ONE_EXPONENT)));
    let x = is_tiny.map_or(x, |is_tiny| {
        let scale = on.select(is_tiny, on.half(SCALE), on.half(1023 << 20));
        on.multiply(x, on.number(on.join(scale, on.half(0))))
    });
    // 2 to 4.
    let bits = on.bits(x);
    let y = seed(on, bits);
    // 5.
    let square = on.multiply(y, y);
    let rest = on.fused(on.negate(x), square, on.double(1.0));
    let slope = on.fused(rest, on.double(0.375), on.double(HALF));
    let root = on.bits(on.fused(on.multiply(y, rest), slope, y));
    let (high, low) = (on.high(root), on.low(root));
    let is_infinite = on.equal(high, on.half(INFINITY));
    let Some(is_tiny) = is_tiny else {
        return on.number(on.join(on.select(is_infinite, on.half(0), high), low));
    };
    // The root of the scale, 2^27 or 1.
    let raised = on.add(high, on.select(is_tiny, on.half(SCALE_ROOT), on.half(0)));
    let high = on.select(is_infinite, on.half(0), raised);
    // 0 becomes infinity, -0 its negative, what is negative NaN; subnormal it still has digits in
    // its low half, and is NaN with the exponent of infinity.
    let (x_high, x_low) = (on.high(bits), on.low(bits));
    let is_negative = on.less(on.half(SIGN), x_high);
    let special = on.select(is_negative, on.half(NAN), on.or(x_high, on.half(INFINITY)));
    let is_positive = on.is_positive(x_high);
    let high = on.select(is_positive, high, special);
    on.number(on.join(high, on.select(is_positive, low, x_low)))
}

/// 1 / sqrt(x) within 1.5e-6, with 24 digits; anything for an x that is no positive normal number.
fn seed<M: Machine>(on: &M, bits: M::Word) -> M::Double {
    let digits = on.and(on.low(on.right_word(bits, 29)), on.half(0x00ff_ffff));
    let digits = on.or(digits, on.half(126 << 23));
    let m = on.number_single(digits);
    let guess = on.number_single(on.subtract(on.half(GUESS), on.right(digits, 1)));
    let y = STEPS.into_iter().fold(guess, |y, constant| step(on, m, y, constant));

    // 896 is the difference of the exponents' offsets; 2^(511 - j) is the root of 2^(1022 - 2j).
    let y = on.bits_single(y);
    let even = on.right(on.and(on.high(bits), on.half(0x7fe0_0000)), 1);
    let offset = on.subtract(on.half((896 + 511) << 20), even);
    let high = on.add(on.right(y, 3), offset);
    on.number(on.join(high, on.left(y, 29)))
}

/// y (c - x y^2).
fn step<M: Machine>(on: &M, x: M::Single, y: M::Single, constant: f32) -> M::Single {
    let product = on.negate_single(on.multiply_single(x, y));
    on.multiply_single(y, on.fused_single(product, y, on.single(constant)))
}

/// Twelve digits of single precision, as a mask of its bits: the square has no more than 24.
const GUESS_DIGITS: u32 = 0xffff_f000;
/// 1/2 and 3/8 and some 2^-25, with which the last bits of the estimate leave no trace.
const HALF_SINGLE: f32 = 0.5 - 5.0 / 33_554_432.0;
const SLOPE_SINGLE: f32 = 0.375 + 14_694.0 / 33_554_432.0;
/// 2^126: the square of the guess for a larger number would be subnormal.
const LARGEST_SINGLE: f32 = 8.507_059_e37;

const ONE_EXPONENT_SINGLE: u32 = 1 << 23;
const ONE_SINGLE: u32 = 127 << 23;
const INFINITY_SINGLE: u32 = 0x7f80_0000;
const NAN_SINGLE: u32 = 0x7fc0_0000;
/// 2^24, and the exponent of its root.
const SCALE_SINGLE: u32 = (127 + 24) << 23;
const SCALE_ROOT_SINGLE: u32 = 12 << 23;

/// 1 / sqrt(x) within 0.501 units in the last place for every positive x up to 2^126, and 2^-63 of
/// larger ones; other special numbers as above.
pub fn reciprocal_root_single<M: Machine>(on: &M, x: M::Single, operand: Operand) -> M::Single {
    let is_special = operand == Operand::Any;
    // 1.
    let bits = on.bits_single(x);
    let is_tiny = is_special.then(|| on.less(bits, on.half(ONE_EXPONENT_SINGLE)));
    let x = is_tiny.map_or(x, |is_tiny| {
        let scale = on.select(is_tiny, on.half(SCALE_SINGLE), on.half(ONE_SINGLE));
        on.multiply_single(x, on.number_single(scale))
    });
    let x = on.minimum_single(x, on.single(LARGEST_SINGLE));
    // 2.
    let guess = on.and(on.bits_single(on.estimate(x)), on.half(GUESS_DIGITS));
    let y = on.number_single(guess);
    // 3.
    let square = on.multiply_single(y, y);
    let rest = on.fused_single(on.negate_single(x), square, on.single(1.0));
    let slope = on.fused_single(rest, on.single(SLOPE_SINGLE), on.single(HALF_SINGLE));
    let root = on.fused_single(on.multiply_single(y, rest), slope, y);
    let Some(is_tiny) = is_tiny else {
        return root;
    };
    // The root of the scale, 2^12 or 1.
    let raised = on.select(is_tiny, on.half(SCALE_ROOT_SINGLE), on.half(0));
    let root = on.add(on.bits_single(root), raised);
    let is_negative = on.less(on.half(SIGN), bits);
    let infinity = on.or(bits, on.half(INFINITY_SINGLE));
    let special = on.select(is_negative, on.half(NAN_SINGLE), infinity);
    on.number_single(on.select(on.is_positive(bits), root, special))
}

#[cfg(test)]
#[path = "reciprocal_root_tests.rs"]
mod tests;
