//! Moving numbers between `f64` and the other formats, with exactly one rounding.
//!
//! `half` widens (which is exact), but its narrowing from `f64` may go through `f32` where the
//! machine has an instruction for that, and two roundings are not one: 1 + 2^-11 + 2^-30 would
//! become 1 instead of 1 + 2^-10. So narrowing is written out here, on integers.

use crate::element::Format;
use half::{bf16, f16};

/// The value of a format's bits, exactly.
#[inline]
pub(crate) fn widen(format: Format, bits: u64) -> f64 {
    match format {
        Format::F16 => f16::from_bits(bits as u16).to_f64(),
        Format::Bf16 => bf16::from_bits(bits as u16).to_f64(),
        Format::F32 => f64::from(f32::from_bits(bits as u32)),
        Format::F64 => f64::from_bits(bits),
    }
}

/// The bits of the number of the format nearest to `value`; of two equally near the even one.
#[inline]
pub(crate) fn narrow(format: Format, value: f64) -> u64 {
    match format {
        Format::F16 => u64::from(round_to_16_bits(value, 5)),
        Format::Bf16 => u64::from(round_to_16_bits(value, 8)),
        Format::F32 => u64::from((value as f32).to_bits()),
        Format::F64 => value.to_bits(),
    }
}

/// Rounds to a 16-bit format with the given number of exponent bits, to nearest, ties to even.
fn round_to_16_bits(value: f64, exponent_bits: u32) -> u16 {
    let fraction_bits = 15 - exponent_bits;
    let infinity = ((1u16 << exponent_bits) - 1) << fraction_bits;
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    if value.is_nan() {
        return sign | infinity | 1 << (fraction_bits - 1);
    }
    if value.is_infinite() {
        return sign | infinity;
    }

    // |value| = significand * 2^exponent. Doubles below 2^-1022 are far below half of the smallest
    // number of either format, so that treating them as zero is rounding them.
    let bits = value.to_bits();
    let biased = ((bits >> 52) & 0x7ff) as i32;
    if biased == 0 {
        return sign;
    }
    let significand = bits & ((1 << 52) - 1) | 1 << 52;
    let exponent = biased - 1075;

    // The unit in the last place of the result: that of a number of this size, but never below
    // that of the smallest numbers.
    let bias = (1 << (exponent_bits - 1)) - 1;
    let unit_smallest = 1 - bias - fraction_bits as i32;
    let unit = (exponent + 52 - fraction_bits as i32).max(unit_smallest);
    let dropped = (unit - exponent) as u32;
    if dropped > 54 {
        return sign; // Less than a quarter of the smallest number.
    }

    let kept = significand >> dropped;
    let rest = significand & ((1 << dropped) - 1);
    let half = 1u64 << (dropped - 1);
    let round_up = rest > half || (rest == half && kept & 1 == 1);
    let kept = (kept + u64::from(round_up)) as u16;

    // `kept` units of 2^unit. Where the leading bit is set it lands on the exponent field and adds
    // one to it, and a carry out of the fraction does the same again: no case needs telling apart.
    let magnitude = (((unit - unit_smallest) as u32) << fraction_bits) + u32::from(kept);
    sign | if magnitude >= u32::from(infinity) { infinity } else { magnitude as u16 }
}

/// `a * b + c` in `f64`, rounded to odd: where the sum is not exact, the last bit is set.
///
/// Rounding the result to a format of at most 51 bits of precision then equals rounding the true
/// value once. `a * b` must be exact in `f64`, as products of two 16-bit floats are.
pub(super) fn multiply_add_to_odd(a: f64, b: f64, c: f64) -> f64 {
    let product = a * b;
    let sum = product + c;
    if !sum.is_finite() {
        return sum;
    }
    // Knuth's two-sum: sum + error is the true value.
    let c_part = sum - product;
    let error = (product - (sum - c_part)) + (c - c_part);
    if error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    // The true value lies between `sum` and a neighbour, and that neighbour is odd.
    if error > 0.0 { sum.next_up() } else { sum.next_down() }
}

/// An integer in `f64`, rounded to odd: see [`multiply_add_to_odd`].
pub(super) fn integer_to_odd(value: i128) -> f64 {
    let magnitude = value.unsigned_abs();
    let used = 128 - magnitude.leading_zeros();
    let dropped = used.saturating_sub(53);
    let rest = magnitude & ((1 << dropped) - 1);
    let kept = (magnitude >> dropped) | u128::from(rest != 0);
    let rounded = (kept << dropped) as f64; // At most 53 bits are set apart: exact.
    if value < 0 { -rounded } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All finite numbers of a format that are not negative, in order, with the infinity as the
    /// number that would follow.
    fn ladder(format: Format) -> Vec<f64> {
        let (infinity, after) = match format {
            Format::F16 => (0x7c00, 65536.0),
            _ => (0x7f80, 2f64.powi(128)),
        };
        let mut values: Vec<f64> = (0..infinity).map(|bits| widen(format, bits)).collect();
        values.push(after);
        values
    }

    #[test]
    fn rounds_every_midpoint_to_even_and_its_neighbours_to_the_nearer() {
        for format in [Format::F16, Format::Bf16] {
            let values = ladder(format);
            for (bits, pair) in values.windows(2).enumerate() {
                let bits = bits as u64;
                let middle = (pair[0] + pair[1]) / 2.0;
                let even = bits + (bits & 1);
                assert_eq!(narrow(format, pair[0]), bits);
                assert_eq!(narrow(format, middle), even);
                assert_eq!(narrow(format, middle.next_down()), bits);
                assert_eq!(narrow(format, middle.next_up()), bits + 1);
                assert_eq!(narrow(format, -middle), even | 0x8000);
            }
            assert!(widen(format, narrow(format, f64::MAX)).is_infinite());
            assert!(widen(format, narrow(format, f64::NAN)).is_nan());
            assert_eq!(narrow(format, -f64::from_bits(1)), 0x8000);
            assert_eq!(narrow(format, 1e-300), 0);
        }
    }

    #[test]
    fn sums_are_rounded_to_odd() {
        // 1 + 2^-60 lies just above 1: the odd neighbour is the next double.
        assert_eq!(multiply_add_to_odd(1.0, 1.0, 2f64.powi(-60)), 1f64.next_up());
        assert_eq!(multiply_add_to_odd(1.0, 1.0, -2f64.powi(-60)), 1f64.next_down());
        assert_eq!(multiply_add_to_odd(3.0, 5.0, 1.0), 16.0);
        assert_eq!(multiply_add_to_odd(0.0, 1.0, -0.0), 0.0);
    }

    #[test]
    fn integers_are_rounded_to_odd() {
        assert_eq!(integer_to_odd(-5), -5.0);
        assert_eq!(integer_to_odd(0), 0.0);
        assert_eq!(integer_to_odd(1 << 62), 2f64.powi(62));
        assert_eq!(integer_to_odd((1 << 62) + 1), 2f64.powi(62).next_up());
        // A tie of bf16 that a first rounding to f64 would create.
        let just_above_a_tie = (1i128 << 62) + (1 << 54) + 1;
        assert_eq!(narrow(Format::Bf16, integer_to_odd(just_above_a_tie)), 0x5e81);
    }
}
