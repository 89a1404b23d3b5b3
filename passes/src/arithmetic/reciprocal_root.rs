//! 1 / sqrt(x) in double precision, from operations that round exactly.
//!
//! No instruction for approximate roots is used, so every machine gives the same bits. The seed is
//! computed in single precision, which other units compute than those of double precision:
//!
//! 1. A subnormal x is multiplied by 2^54, so that it has an exponent.
//! 2. The exponent is split into an even part, 2j, and the rest: x = m 2^(2j - 1022) with m in
//!    [1/2, 2). m is cut off to 24 digits. This and step 5 are operations on the bits.
//! 3. A first guess is a constant less half of the bits of m: with it z = m y^2 lies within 0.875
//!    and 0.993. A polynomial in z of the second degree, the best approximation of z^(-1/2) there,
//!    leaves a relative error of 2e-5 [Blinn, Floating-Point Tricks, IEEE Computer Graphics and
//!    Applications 1997, for the guess; the constants were computed for this range].
//! 4. One Newton step in single precision: 2e-7, for m was cut off and operations round.
//! 5. The exponent is put back; y is now a number of double precision with 24 digits.
//! 6. One step of third order: y + y r (1/2 + 3/8 r) with r = 1 - x y^2. y^2 is exact, so r is
//!    rounded once; what the step leaves out is 5/16 r^3 < 1e-19.
//! 7. Zeros, infinities, negative numbers and NaN get their results by selection.
//!
//! The last addition of step 6 rounds a number that is within 2^-60 of the root, relative to it:
//! the result is within 0.51 units in the last place. All steps are written once, for a machine
//! that is the IR or the processor that this runs on, so that what is tested is what is emitted.

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
    /// Modulo 2^64.
    fn subtract_word(&self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// a < b, without signs.
    fn less(&self, a: Self::Half, b: Self::Half) -> Self::Flag;
    /// One of two.
    fn select(&self, which: Self::Flag, yes: Self::Half, no: Self::Half) -> Self::Half;
}

/// The first guess, as bits: with half of the bits of m subtracted.
const GUESS: u32 = 0x5f30_0000;
/// The polynomial of step 3, the constant first.
const POLYNOMIAL: [f32; 3] = [1.942_503_7, -1.388_894_3, 0.446_436_58];

const ONE_EXPONENT: u32 = 0x0010_0000;
const INFINITY: u32 = 0x7ff0_0000;
const NAN: u32 = 0x7ff8_0000;
/// 2^54, and the exponent of its root.
const SCALE: u32 = (1023 + 54) << 20;
const SCALE_ROOT: u32 = 27 << 20;

/// 1 / sqrt(x) within 0.51 units in the last place for every positive x; of a zero an infinity with
/// its sign, of infinity 0, of negative numbers and NaN NaN.
pub fn reciprocal_root<M: Machine>(on: &M, x: M::Double) -> M::Double {
    // 1. A zero or subnormal number, of either sign, has no exponent.
    let high = on.high(on.bits(x));
    let is_tiny = on.less(on.left(high, 1), on.half(2 * ONE_EXPONENT));
    let scale = on.select(is_tiny, on.half(SCALE), on.half(1023 << 20));
    let x = on.multiply(x, on.number(on.join(scale, on.half(0))));
    // 2 to 5.
    let bits = on.bits(x);
    let y = seed(on, bits);
    // 6.
    let square = on.multiply(y, y);
    let rest = on.fused(on.negate(x), square, on.double(1.0));
    let slope = on.fused(rest, on.double(0.375), on.double(0.5));
    let root = on.bits(on.fused(on.multiply(y, rest), slope, y));
    // The root of the scale, 2^27 or 1.
    let raise = on.select(is_tiny, on.half(SCALE_ROOT), on.half(0));
    let root_high = on.add(on.high(root), raise);
    // 7. What is left with the exponent of zero is zero.
    let high = on.high(bits);
    let is_normal =
        on.less(on.subtract(high, on.half(ONE_EXPONENT)), on.half(INFINITY - ONE_EXPONENT));
    let is_negative = on.less(on.half(1 << 31), high);
    // 0 becomes infinity, -0 its negative, infinity 0, and every NaN a NaN.
    let turned = on.subtract_word(on.word(u64::from(INFINITY) << 32), bits);
    let special = on.select(is_negative, on.half(NAN), on.high(turned));
    let high = on.select(is_normal, root_high, special);
    let low = on.select(is_normal, on.low(root), on.low(turned));
    on.number(on.join(high, low))
}

/// 1 / sqrt(x) within 3e-7, with 24 digits; anything for an x that is no positive normal number.
fn seed<M: Machine>(on: &M, bits: M::Word) -> M::Double {
    let digits = on.and(on.low(on.right_word(bits, 29)), on.half(0x00ff_ffff));
    let digits = on.or(digits, on.half(126 << 23));
    let m = on.number_single(digits);
    let y = on.number_single(on.subtract(on.half(GUESS), on.right(digits, 1)));
    let z = on.multiply_single(on.multiply_single(m, y), y);
    let [c0, c1, c2] = POLYNOMIAL.map(|number| on.single(number));
    let polynomial = on.fused_single(on.fused_single(c2, z, c1), z, c0);
    let y = on.multiply_single(y, polynomial);

    let rest = on.fused_single(on.negate_single(on.multiply_single(m, y)), y, on.single(1.0));
    let y = on.fused_single(on.multiply_single(y, on.single(0.5)), rest, y);

    // 896 is the difference of the exponents' offsets; 2^(511 - j) is the root of 2^(1022 - 2j).
    let y = on.bits_single(y);
    let even = on.right(on.and(on.high(bits), on.half(0x7fe0_0000)), 1);
    let offset = on.subtract(on.half((896 + 511) << 20), even);
    let high = on.add(on.right(y, 3), offset);
    on.number(on.join(high, on.left(y, 29)))
}

#[cfg(test)]
#[path = "reciprocal_root_tests.rs"]
mod tests;
