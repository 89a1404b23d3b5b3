//! sqrt(x) in single precision, correctly rounded, from operations that round exactly and an
//! estimate of 1 / sqrt(x), without a branch.
//!
//! With g an estimate of sqrt(x) and h one of 1 / (2 sqrt(x)), r = 1/2 - g h is the relative error
//! of both: g + g r and h + h r are twice as good, and g + h (x - g^2) rounds to sqrt(x)
//! [Markstein, Computation of Elementary Functions on the IBM RISC System/6000 Processor, IBM
//! Journal of Research and Development 1990]. The assembler's sequence for `sqrt.rn.f32` leaves out
//! the step with r (ptxas 13.0, sm_90): four operations instead of seven, which round correctly for
//! the estimates of the instruction, not for all. This one does for every estimate within 2^-22 of
//! 1 / sqrt(x), relative to it; the tests cover the digits of all numbers, and estimates that are
//! off by up to so much to both sides.
//!
//! x - g^2 must not be subnormal: x below 2^-96 is multiplied by 2^64 before, and the root by 2^-32
//! after. Zeros and infinity are their own roots, other negative numbers have none; for all of
//! these the sequence gives NaN or a wrong number, and a select the result.

use super::machine::{Machine, Operand};

/// 2^-96: roots of smaller numbers are computed of larger ones.
pub const LEAST: f64 = 1.0 / (1_u128 << 96) as f64;

const LEAST_BITS: u32 = (127 - 96) << 23;
const ONE: u32 = 127 << 23;
const SCALE: u32 = (127 + 64) << 23;
/// The exponent of the scale's root.
const SCALE_ROOT: u32 = 32 << 23;
const INFINITY: u32 = 0x7f80_0000;
const NAN: u32 = 0x7fc0_0000;
const SIGN: u32 = 1 << 31;

/// sqrt(x), correctly rounded. [`Operand::Normal`] means at least [`LEAST`], infinity, or NaN.
pub fn square_root_f32<M: Machine>(on: &M, x: M::F32, operand: Operand) -> M::F32 {
    let bits = on.bits_f32(x);
    if operand == Operand::Normal {
        let root = on.bits_f32(refined(on, x));
        let is_infinite = on.equal(bits, on.i32(INFINITY));
        return on.number_f32(on.select(is_infinite, bits, root));
    }
    // Negative numbers are large as bits.
    let is_small = on.less(bits, on.i32(LEAST_BITS));
    let scale = on.select(is_small, on.i32(SCALE), on.i32(ONE));
    let root = refined(on, on.multiply_f32(x, on.number_f32(scale)));
    let lowered = on.select(is_small, on.i32(SCALE_ROOT), on.i32(0));
    let root = on.subtract(on.bits_f32(root), lowered);
    let is_negative = on.less(on.i32(SIGN), bits);
    let special = on.select(is_negative, on.i32(NAN), bits);
    // From the smallest positive number to the largest.
    let is_regular = on.less(on.subtract(bits, on.i32(1)), on.i32(INFINITY - 1));
    on.number_f32(on.select(is_regular, root, special))
}

/// The root of a number from [`LEAST`] to the largest.
fn refined<M: Machine>(on: &M, x: M::F32) -> M::F32 {
    let half = on.f32(0.5);
    let estimate = on.estimate(x);
    let (root, inverse) = (on.multiply_f32(x, estimate), on.multiply_f32(estimate, half));
    let rest = on.fused_f32(on.negate_f32(root), inverse, half);
    let (root, inverse) = (on.fused_f32(root, rest, root), on.fused_f32(inverse, rest, inverse));
    let rest = on.fused_f32(on.negate_f32(root), root, x);
    on.fused_f32(rest, inverse, root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::machine::host::Here;

    const HERE: Here = Here { off: 0.0 };

    /// The root as for any number, which is that of a normal number for those.
    fn root(on: &Here, x: f32) -> f32 {
        let root = square_root_f32(on, x, Operand::Any);
        if f64::from(x) >= LEAST || x.is_nan() {
            let normal = square_root_f32(on, x, Operand::Normal);
            assert!(normal == root || normal.is_nan() && root.is_nan(), "{x:e}");
        }
        root
    }

    /// All digits: the numbers from 1 to 4, of which all others are multiples by powers of four.
    fn all_digits() -> impl Iterator<Item = f32> {
        (ONE..ONE + (2 << 23)).map(f32::from_bits)
    }

    #[test]
    fn roots_round_correctly_for_all_digits_and_estimates() {
        for off in [-4.0, -1.0, 0.0, 1.0, 4.0].map(|units| units * 2.0_f64.powi(-24)) {
            for x in all_digits() {
                let root = square_root_f32(&Here { off }, x, Operand::Normal);
                assert_eq!(root, x.sqrt(), "{x:e} {off:e}");
            }
        }
    }

    #[test]
    fn roots_are_so_for_all_exponents() {
        let digits = [0, 1, 2, (1 << 23) - 1, (1 << 23) - 2, 1 << 22, (1 << 22) - 1, 0x2a_aaaa];
        for exponent in 0..255_u32 {
            for digits in digits {
                let x = f32::from_bits(exponent << 23 | digits);
                assert_eq!(root(&HERE, x), x.sqrt(), "{x:e}");
            }
        }
        for x in (1..1 << 23).map(f32::from_bits) {
            assert_eq!(root(&HERE, x), x.sqrt(), "{x:e}");
        }
    }

    #[test]
    fn zeros_and_infinity_are_their_own_roots_and_negative_numbers_have_none() {
        for x in [0.0, -0.0, f32::INFINITY] {
            assert_eq!(root(&HERE, x).to_bits(), x.to_bits());
        }
        let others = [-1.0, -f32::MIN_POSITIVE, -1e-45, f32::MIN, f32::NEG_INFINITY];
        for x in others.into_iter().chain([f32::NAN, -f32::NAN]) {
            assert!(root(&HERE, x).is_nan(), "{x}");
        }
    }
}
