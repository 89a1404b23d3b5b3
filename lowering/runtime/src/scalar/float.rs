//! Float operations, each rounded once, to nearest with ties to even.
//!
//! `f32` and `f64` use the processor, which does what IEEE 754 says. `f16` and `bf16` are computed
//! in `f64` and rounded from there. Rounding twice is harmless for add, sub, mul, div and sqrt,
//! because 53 bits are at least twice 11 plus two [Figueroa, When is double rounding innocuous?,
//! SIGNUM Newsletter, 1995], and `f64` has exponents enough that nothing becomes subnormal on the
//! way (`f32` would not do for `bf16`: both start at 2^-126). It is not harmless for fma: its sum
//! is rounded *to odd* first, which keeps the information that something was cut off
//! [Boldo and Melquiond, Emulation of a FMA and correctly rounded sums, IEEE TC, 2008].
//!
//! `minimum`, `maximum`, `minnum`, `maxnum` are written out, since processors disagree about the
//! sign of zero. The payload and the sign of a NaN that an operation makes are unspecified.

use super::{FloatPredicate, ScalarError, ScalarOp, ScalarType, ScalarValue};
use half::{bf16, f16};

/// The value, widened to `f64`, which holds every value of the other types.
pub(super) fn widen(value: ScalarValue) -> f64 {
    match value.ty() {
        ScalarType::F16 => f64::from(f16::from_bits(value.bits() as u16).to_f32()),
        ScalarType::Bf16 => f64::from(bf16::from_bits(value.bits() as u16).to_f32()),
        ScalarType::F32 => f64::from(f32::from_bits(value.bits() as u32)),
        _ => f64::from_bits(value.bits()),
    }
}

/// The value of `ty` nearest to `value`.
pub(super) fn round(ty: ScalarType, value: f64) -> ScalarValue {
    let bits = match ty {
        ScalarType::F64 => value.to_bits(),
        ScalarType::F32 => u64::from((value as f32).to_bits()),
        // Through f32, rounded to odd: one rounding to nearest remains, and f32 has at least two
        // bits more than f16 and bf16 for each of their values, subnormals included.
        ScalarType::F16 => u64::from(f16::from_f32(to_f32_odd(value)).to_bits()),
        ScalarType::Bf16 => u64::from(bf16::from_f32(to_f32_odd(value)).to_bits()),
        _ => unreachable!("{ty} is no float type"),
    };
    ScalarValue::from_bits(ty, bits)
}

/// Rounds to `f32` so that an inexact result is the neighbour with an odd last bit.
fn to_f32_odd(value: f64) -> f32 {
    let nearest = value as f32;
    let back = f64::from(nearest);
    if value.is_nan() || back == value || nearest.to_bits() & 1 == 1 {
        return nearest;
    }
    // The neighbour of an even number is odd. Infinity counts as even: its neighbour is the
    // largest finite number, whose last bit is set.
    let away = (back < value) == (value > 0.0);
    let bits = nearest.to_bits();
    let toward_zero = bits.wrapping_sub(1);
    // A value that rounded to zero keeps its sign and becomes the smallest subnormal.
    f32::from_bits(if away { bits + 1 } else { toward_zero })
}

/// `a + b` rounded to odd; the operands are finite and the sum does not overflow.
fn add_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // Knuth's two-sum: sum + error is exactly a + b.
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    if error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

/// Operations that always have a result. Types are checked.
pub(super) fn exact(op: ScalarOp, operands: &[ScalarValue], result: ScalarType) -> ScalarValue {
    let value = operands[0];
    let sign = 1u64 << (value.ty().bits() - 1);
    match op {
        ScalarOp::NegF => return ScalarValue::from_bits(result, value.bits() ^ sign),
        ScalarOp::AbsF => return ScalarValue::from_bits(result, value.bits() & !sign),
        ScalarOp::ExtF | ScalarOp::TruncF => return round(result, widen(value)),
        ScalarOp::CmpF(predicate) => {
            let holds = compare(predicate, widen(value), widen(operands[1]));
            return ScalarValue::from_bits(result, u64::from(holds));
        }
        ScalarOp::MinNumF | ScalarOp::MaxNumF | ScalarOp::MinimumF | ScalarOp::MaximumF => {
            return extreme(op, value, operands[1]);
        }
        _ => {}
    }
    if result == ScalarType::F32 {
        let narrow: Vec<f32> = operands.iter().map(|value| widen(*value) as f32).collect();
        return ScalarValue::from_bits(result, u64::from(in_f32(op, &narrow).to_bits()));
    }
    let wide: Vec<f64> = operands.iter().map(|value| widen(*value)).collect();
    if op == ScalarOp::Fma && result != ScalarType::F64 {
        return round(result, fma_of_narrow(wide[0], wide[1], wide[2]));
    }
    round(result, in_f64(op, &wide))
}

fn in_f32(op: ScalarOp, v: &[f32]) -> f32 {
    match op {
        ScalarOp::AddF => v[0] + v[1],
        ScalarOp::SubF => v[0] - v[1],
        ScalarOp::MulF => v[0] * v[1],
        ScalarOp::DivF => v[0] / v[1],
        ScalarOp::Sqrt => v[0].sqrt(),
        ScalarOp::Fma => v[0].mul_add(v[1], v[2]),
        other => unreachable!("'{other}' is no arithmetic operation of floats"),
    }
}

fn in_f64(op: ScalarOp, v: &[f64]) -> f64 {
    match op {
        ScalarOp::AddF => v[0] + v[1],
        ScalarOp::SubF => v[0] - v[1],
        ScalarOp::MulF => v[0] * v[1],
        ScalarOp::DivF => v[0] / v[1],
        ScalarOp::Sqrt => v[0].sqrt(),
        ScalarOp::Fma => v[0].mul_add(v[1], v[2]),
        other => unreachable!("'{other}' is no arithmetic operation of floats"),
    }
}

/// `a * b + c` of `f16` or `bf16` values, rounded to odd in `f64`.
fn fma_of_narrow(a: f64, b: f64, c: f64) -> f64 {
    // At most 22 bits: exact.
    let product = a * b;
    if product.is_finite() && c.is_finite() { add_to_odd(product, c) } else { product + c }
}

fn extreme(op: ScalarOp, left: ScalarValue, right: ScalarValue) -> ScalarValue {
    let nan_wins = matches!(op, ScalarOp::MinimumF | ScalarOp::MaximumF);
    let greater = matches!(op, ScalarOp::MaxNumF | ScalarOp::MaximumF);
    match (left.is_nan(), right.is_nan()) {
        (true, _) => return if nan_wins { left } else { right },
        (false, true) => return if nan_wins { right } else { left },
        (false, false) => {}
    }
    // `total_cmp` orders -0 before +0 and is the usual order on everything else here.
    let left_is_greater = widen(left).total_cmp(&widen(right)).is_gt();
    if left_is_greater == greater { left } else { right }
}

fn compare(predicate: FloatPredicate, left: f64, right: f64) -> bool {
    let unordered = left.is_nan() || right.is_nan();
    match predicate {
        FloatPredicate::False => false,
        FloatPredicate::True => true,
        FloatPredicate::Ord => !unordered,
        FloatPredicate::Uno => unordered,
        FloatPredicate::Oeq => left == right,
        FloatPredicate::Ogt => left > right,
        FloatPredicate::Oge => left >= right,
        FloatPredicate::Olt => left < right,
        FloatPredicate::Ole => left <= right,
        FloatPredicate::One => !unordered && left != right,
        FloatPredicate::Ueq => unordered || left == right,
        FloatPredicate::Ugt => unordered || left > right,
        FloatPredicate::Uge => unordered || left >= right,
        FloatPredicate::Ult => unordered || left < right,
        FloatPredicate::Ule => unordered || left <= right,
        FloatPredicate::Une => left != right,
    }
}

/// `sitofp` and `uitofp`: the nearest value of the result type. Types are checked.
pub(super) fn from_integer(op: ScalarOp, value: ScalarValue, result: ScalarType) -> ScalarValue {
    let integer = match op {
        ScalarOp::SIToFP => i128::from(value.signed()),
        _ => i128::from(value.unsigned()),
    };
    match result {
        // The language's conversions round to nearest, ties to even.
        ScalarType::F64 => ScalarValue::from_bits(result, (integer as f64).to_bits()),
        ScalarType::F32 => ScalarValue::from_bits(result, u64::from((integer as f32).to_bits())),
        _ => {
            // Upper and lower half are exact in f64; their sum is rounded to odd, then once more.
            let (upper, lower) = (integer >> 32 << 32, integer & 0xffff_ffff);
            round(result, add_to_odd(upper as f64, lower as f64))
        }
    }
}

/// `fptosi` and `fptoui`: the integer part. Types are checked.
pub(super) fn to_integer(
    op: ScalarOp,
    value: ScalarValue,
    result: ScalarType,
) -> Result<ScalarValue, ScalarError> {
    let whole = widen(value).trunc();
    let width = result.bits();
    let power = |exponent: u32| (1u128 << exponent) as f64;
    let (lowest, limit) = match op {
        ScalarOp::FPToSI => (-power(width - 1), power(width - 1)),
        _ => (0.0, power(width)),
    };
    if !(whole >= lowest && whole < limit) {
        return Err(ScalarError::OutOfRange { op, value, ty: result });
    }
    Ok(ScalarValue::from_bits(result, whole as i128 as u64))
}

/// Parses a decimal number, `inf` or `nan`; the error is a message.
pub(super) fn parse(ty: ScalarType, text: &str) -> Result<ScalarValue, &'static str> {
    let wide: f64 = text.parse().map_err(|_| "write a number")?;
    let value = match ty {
        // Not through f64, so that the text is rounded once.
        ScalarType::F32 => {
            let narrow: f32 = text.parse().map_err(|_| "write a number")?;
            ScalarValue::from_bits(ty, u64::from(narrow.to_bits()))
        }
        _ => round(ty, wide),
    };
    let asks_for_infinity = text.to_ascii_lowercase().contains("inf");
    if value.to_f64().is_infinite() && !asks_for_infinity {
        return Err("it is too large");
    }
    Ok(value)
}
