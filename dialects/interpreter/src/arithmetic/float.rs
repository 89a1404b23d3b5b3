//! Floating-point operations whose results are exact or correctly rounded.
//!
//! `f32` and `f64` use the machine's operations, which round once, to nearest, ties to even, and
//! keep small numbers (Rust never flushes). `f16` and `bf16` compute in `f64` and round once: a
//! sum, difference, quotient or root of 11-bit numbers computed with 53 bits and rounded again
//! equals the one rounded once, because 53 >= 2 * 11 + 2; products are exact in `f64`. Only `fma`
//! needs more than that, and gets it by rounding to odd first.

use super::float16::{multiply_add_to_odd, narrow, widen};
use crate::element::{Format, signed};

/// What a floating-point operation does. Names follow the `arith` and `math` dialects.
#[allow(missing_docs)] // Each is the operation of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    /// `arith.remf`: the remainder of truncated division, with the sign of the dividend.
    Rem,
    Neg,
    Abs,
    CopySign,
    /// `math.fma`: product and sum with one rounding.
    FusedMultiplyAdd,
    Sqrt,
    /// `math.rsqrt`: a rounded division of 1 by the rounded root.
    ReciprocalSqrt,
    Floor,
    Ceil,
    Trunc,
    /// `math.round`: ties away from zero.
    Round,
    RoundEven,
    /// `arith.maxnumf`: NaN loses.
    MaxNum,
    MinNum,
    /// `arith.maximumf`: NaN wins.
    Maximum,
    Minimum,
}

/// A classification of one number.
#[allow(missing_docs)] // Each is the operation of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classification {
    IsNan,
    IsInfinite,
    IsFinite,
    /// Neither zero nor subnormal, neither infinite nor NaN.
    IsNormal,
}

/// The predicate of an `arith.cmpf`.
#[allow(missing_docs)] // Each is the predicate of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatPredicate {
    AlwaysFalse,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
    AlwaysTrue,
}

impl FloatPredicate {
    /// All, in the order of their numbers in the IR.
    pub const ALL: [Self; 16] = [
        Self::AlwaysFalse,
        Self::Oeq,
        Self::Ogt,
        Self::Oge,
        Self::Olt,
        Self::Ole,
        Self::One,
        Self::Ord,
        Self::Ueq,
        Self::Ugt,
        Self::Uge,
        Self::Ult,
        Self::Ule,
        Self::Une,
        Self::Uno,
        Self::AlwaysTrue,
    ];
}

/// Defines the operations of one format of the machine.
macro_rules! machine_format {
    ($name:ident, $float:ty) => {
        #[inline]
        fn $name(op: FloatOp, a: $float, b: $float, c: $float) -> $float {
            match op {
                FloatOp::Add => a + b,
                FloatOp::Sub => a - b,
                FloatOp::Mul => a * b,
                FloatOp::Div => a / b,
                FloatOp::Rem => a % b,
                FloatOp::Neg => -a,
                FloatOp::Abs => a.abs(),
                FloatOp::CopySign => a.copysign(b),
                FloatOp::FusedMultiplyAdd => a.mul_add(b, c),
                FloatOp::Sqrt => a.sqrt(),
                FloatOp::ReciprocalSqrt => 1.0 / a.sqrt(),
                FloatOp::Floor => a.floor(),
                FloatOp::Ceil => a.ceil(),
                FloatOp::Trunc => a.trunc(),
                FloatOp::Round => a.round(),
                FloatOp::RoundEven => a.round_ties_even(),
                FloatOp::MaxNum if a.is_nan() => b,
                FloatOp::MinNum if a.is_nan() => b,
                FloatOp::MaxNum | FloatOp::MinNum if b.is_nan() => a,
                FloatOp::Maximum | FloatOp::Minimum if a.is_nan() => a,
                FloatOp::Maximum | FloatOp::Minimum if b.is_nan() => b,
                // Of two equal numbers, which can only be zeros of different sign, the sign
                // decides.
                FloatOp::MaxNum | FloatOp::Maximum if a == b => {
                    if a.is_sign_negative() {
                        b
                    } else {
                        a
                    }
                }
                FloatOp::MinNum | FloatOp::Minimum if a == b => {
                    if a.is_sign_negative() {
                        a
                    } else {
                        b
                    }
                }
                FloatOp::MaxNum | FloatOp::Maximum => {
                    if a > b {
                        a
                    } else {
                        b
                    }
                }
                FloatOp::MinNum | FloatOp::Minimum => {
                    if a < b {
                        a
                    } else {
                        b
                    }
                }
            }
        }
    };
}

machine_format!(evaluate_f32, f32);
machine_format!(evaluate_f64, f64);

/// A floating-point operation on bits of one format.
#[inline]
pub(super) fn evaluate(op: FloatOp, format: Format, [a, b, c]: [u64; 3]) -> u64 {
    match format {
        Format::F32 => {
            let [a, b, c] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
            u64::from(evaluate_f32(op, a, b, c).to_bits())
        }
        Format::F64 => {
            let [a, b, c] = [a, b, c].map(f64::from_bits);
            evaluate_f64(op, a, b, c).to_bits()
        }
        Format::F16 | Format::Bf16 => {
            let [a, b, c] = [a, b, c].map(|bits| widen(format, bits));
            let wide = match op {
                FloatOp::FusedMultiplyAdd => multiply_add_to_odd(a, b, c),
                FloatOp::ReciprocalSqrt => 1.0 / widen(format, narrow(format, a.sqrt())),
                _ => evaluate_f64(op, a, b, c),
            };
            narrow(format, wide)
        }
    }
}

/// `math.fpowi`: repeated multiplication, the exponent's bits from the lowest up.
///
/// The order is stated in `arithmetic.md`, because every product is rounded: the result starts at
/// one; for each bit of |exponent|, if it is set, the result is multiplied by the factor, and then,
/// while higher bits are left, the factor is squared. A negative exponent gives one divided by
/// that; an exponent of zero gives one, whatever the base.
pub(super) fn power_of_integer(format: Format, base: u64, exponent: u64, bits: u32) -> u64 {
    let exponent = signed(exponent, bits);
    let multiply = |a, b| evaluate(FloatOp::Mul, format, [a, b, 0]);
    let one = narrow(format, 1.0);
    let mut result = one;
    let mut factor = base;
    let mut left = exponent.unsigned_abs();
    while left != 0 {
        if left & 1 == 1 {
            result = multiply(result, factor);
        }
        left >>= 1;
        if left != 0 {
            factor = multiply(factor, factor);
        }
    }
    if exponent < 0 { evaluate(FloatOp::Div, format, [one, result, 0]) } else { result }
}

/// Whether the predicate holds. Widening is exact and keeps order, so one format serves all.
#[inline]
pub(super) fn compare(predicate: FloatPredicate, a: f64, b: f64) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    match predicate {
        FloatPredicate::AlwaysFalse => false,
        FloatPredicate::Oeq => a == b,
        FloatPredicate::Ogt => a > b,
        FloatPredicate::Oge => a >= b,
        FloatPredicate::Olt => a < b,
        FloatPredicate::Ole => a <= b,
        FloatPredicate::One => !unordered && a != b,
        FloatPredicate::Ord => !unordered,
        FloatPredicate::Ueq => unordered || a == b,
        FloatPredicate::Ugt => unordered || a > b,
        FloatPredicate::Uge => unordered || a >= b,
        FloatPredicate::Ult => unordered || a < b,
        FloatPredicate::Ule => unordered || a <= b,
        FloatPredicate::Une => unordered || a != b,
        FloatPredicate::Uno => unordered,
        FloatPredicate::AlwaysTrue => true,
    }
}

/// Classifies one number.
pub(super) fn classify(class: Classification, format: Format, bits: u64) -> bool {
    let value = widen(format, bits);
    let smallest_normal = match format {
        Format::F16 => 2f64.powi(-14),
        Format::Bf16 | Format::F32 => f64::from(f32::MIN_POSITIVE),
        Format::F64 => f64::MIN_POSITIVE,
    };
    match class {
        Classification::IsNan => value.is_nan(),
        Classification::IsInfinite => value.is_infinite(),
        Classification::IsFinite => value.is_finite(),
        Classification::IsNormal => value.is_finite() && value.abs() >= smallest_normal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minima_and_maxima_order_zeros_and_treat_nan_as_said() {
        let run = |op, a: f64, b: f64| evaluate_f64(op, a, b, 0.0).to_bits();
        for (a, b) in [(0.0, -0.0), (-0.0, 0.0)] {
            assert_eq!(run(FloatOp::MaxNum, a, b), 0f64.to_bits());
            assert_eq!(run(FloatOp::Maximum, a, b), 0f64.to_bits());
            assert_eq!(run(FloatOp::MinNum, a, b), (-0f64).to_bits());
            assert_eq!(run(FloatOp::Minimum, a, b), (-0f64).to_bits());
        }
        for (a, b) in [(f64::NAN, 1.0), (1.0, f64::NAN)] {
            assert_eq!(run(FloatOp::MaxNum, a, b), 1f64.to_bits());
            assert_eq!(run(FloatOp::MinNum, a, b), 1f64.to_bits());
            assert!(f64::from_bits(run(FloatOp::Maximum, a, b)).is_nan());
            assert!(f64::from_bits(run(FloatOp::Minimum, a, b)).is_nan());
        }
    }

    #[test]
    fn narrow_fma_rounds_once() {
        let run = |format, operands: [f64; 3]| {
            let bits = operands.map(|value| narrow(format, value));
            widen(format, evaluate(FloatOp::FusedMultiplyAdd, format, bits))
        };
        // 65520 lies in the middle between the largest f16 and what rounds to infinity; f32 has no
        // room for the 2^-24 that takes it off the middle.
        let tiny = 2f64.powi(-24);
        assert_eq!(run(Format::F16, [240.0, 273.0, 0.0]), f64::INFINITY);
        assert_eq!(run(Format::F16, [240.0, 273.0, -tiny]), 65504.0);
        // 1.5 + 3 * 2^-8 is a tie of bf16; not even f64 has room for 2^-100 beside it.
        let (factor, tiny) = (1.0 + 2f64.powi(-7), 2f64.powi(-100));
        let (below, above) = (1.5 + 2f64.powi(-7), 1.5 + 2f64.powi(-6));
        assert_eq!(run(Format::Bf16, [1.5, factor, 0.0]), above);
        assert_eq!(run(Format::Bf16, [1.5, factor, tiny]), above);
        assert_eq!(run(Format::Bf16, [1.5, factor, -tiny]), below);
    }

    #[test]
    fn powers_follow_the_stated_order() {
        let x = 1.1f32;
        let power = |exponent: i64| {
            let bits = u64::from(x.to_bits());
            let result = power_of_integer(Format::F32, bits, exponent as u64, 64);
            f32::from_bits(result as u32)
        };
        assert_eq!(power(0), 1.0);
        assert_eq!(power(1), x);
        assert_eq!(power(3), x * (x * x));
        assert_eq!(power(6), (x * x) * ((x * x) * (x * x)));
        assert_eq!(power(-2), 1.0 / (x * x));
        let nan = power_of_integer(Format::F64, f64::NAN.to_bits(), 0, 8);
        assert_eq!(nan, 1f64.to_bits());
        // i8 -128: the magnitude does not fit the exponent's own type.
        let tiny = power_of_integer(Format::F64, 2f64.to_bits(), 0x80, 8);
        assert_eq!(tiny, 2f64.powi(-128).to_bits());
    }

    #[test]
    fn comparison_predicates_answer_for_all_four_relations() {
        // For less, equal, greater, unordered; in the order of the predicates' numbers.
        let truth = [
            "0000", "0100", "0010", "0110", "1000", "1100", "1010", "1110", "0101", "0011", "0111",
            "1001", "1101", "1011", "0001", "1111",
        ];
        let pairs = [(1.0, 2.0), (0.0, -0.0), (2.0, 1.0), (f64::NAN, 1.0)];
        for (predicate, expected) in FloatPredicate::ALL.into_iter().zip(truth) {
            let got: String = pairs
                .iter()
                .map(|&(a, b)| if compare(predicate, a, b) { '1' } else { '0' })
                .collect();
            assert_eq!(got, expected, "{predicate:?}");
        }
    }
}
