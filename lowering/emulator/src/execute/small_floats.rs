//! Conversions to and from f16 and bf16, and their fma: each rounded once, to nearest even.
//!
//! Everything goes through f64, which holds every f16, bf16 and f32 exactly. An exact result that
//! does not fit f64 is rounded *to odd*: an inexact result gets an odd last bit, so that the
//! following rounding to the small format resolves ties correctly.

/// A 16-bit binary format.
struct Format {
    exponent_bits: u32,
    mantissa_bits: u32,
}

const F16: Format = Format { exponent_bits: 5, mantissa_bits: 10 };
const BF16: Format = Format { exponent_bits: 8, mantissa_bits: 7 };

/// Mantissa bits and exponent bias of f64.
const F64_MANTISSA_BITS: u32 = 52;
const F64_BIAS: i32 = 1023;

/// The bits of `value` in a small format.
fn round(value: f64, format: &Format) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 63) as u16) << 15;
    let infinity = ((1_u16 << format.exponent_bits) - 1) << format.mantissa_bits;
    if value.is_nan() {
        return sign | infinity | (1 << (format.mantissa_bits - 1));
    }
    if value.is_infinite() {
        return sign | infinity;
    }
    let bias = (1 << (format.exponent_bits - 1)) - 1;
    let exponent = ((bits >> F64_MANTISSA_BITS) & 0x7FF) as i32 - F64_BIAS;
    let fraction = bits & ((1 << F64_MANTISSA_BITS) - 1);
    // An f64 denormal is far below half of the smallest number of either format.
    if exponent == -F64_BIAS {
        return sign;
    }
    // Below the smallest normal number the last place keeps its weight: more bits are dropped.
    let below_normal = (1 - bias - exponent).max(0) as u32;
    let dropped = F64_MANTISSA_BITS - format.mantissa_bits + below_normal;
    if dropped > F64_MANTISSA_BITS + 2 {
        return sign;
    }
    let significand = fraction | (1 << F64_MANTISSA_BITS);
    let kept = significand >> dropped;
    let rest = significand & ((1 << dropped) - 1);
    let half = 1_u64 << (dropped - 1);
    let rounds_up = rest > half || (rest == half && kept & 1 == 1);
    let kept = kept + u64::from(rounds_up);
    // The hidden bit of a normal number adds one to the exponent, as does a carry out of it.
    let stored_exponent = if below_normal > 0 { 0 } else { (exponent + bias - 1) as u64 };
    let magnitude = (stored_exponent << format.mantissa_bits) + kept;
    sign | magnitude.min(u64::from(infinity)) as u16
}

/// The value of the bits of a small format; exact.
fn widen(bits: u16, format: &Format) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let magnitude = bits & 0x7FFF;
    let exponent = i32::from(magnitude >> format.mantissa_bits);
    let fraction = f64::from(magnitude & ((1 << format.mantissa_bits) - 1));
    let bias = (1 << (format.exponent_bits - 1)) - 1;
    let scale = |power: i32| f64::from_bits(((power + F64_BIAS) as u64) << F64_MANTISSA_BITS);
    let unit = scale(-(format.mantissa_bits as i32));
    if exponent == (1 << format.exponent_bits) - 1 {
        return if fraction == 0.0 { sign * f64::INFINITY } else { f64::NAN };
    }
    match exponent {
        0 => sign * fraction * unit * scale(1 - bias),
        _ => sign * (1.0 + fraction * unit) * scale(exponent - bias),
    }
}

/// `a * b + c` of small floats: the product is exact in f64, the sum is rounded to odd.
fn fma(a: u16, b: u16, c: u16, format: &Format) -> u16 {
    let product = widen(a, format) * widen(b, format);
    let addend = widen(c, format);
    round(add_to_odd(product, addend), format)
}

/// The sum rounded to odd. The error of a sum is itself an f64 (Knuth's two-sum).
fn add_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    if !sum.is_finite() || error == 0.0 || error.is_nan() || sum.to_bits() & 1 == 1 {
        return sum;
    }
    // The sum is even and inexact; the exact value lies between it and its odd neighbour.
    let away_from_zero = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away_from_zero { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

/// The f64 of an unsigned integer, rounded to odd.
fn odd_f64(magnitude: u64) -> f64 {
    let excess = (64 - magnitude.leading_zeros()).saturating_sub(F64_MANTISSA_BITS + 1);
    let sticky = u64::from(magnitude & ((1 << excess) - 1) != 0);
    let kept = (magnitude >> excess) | sticky;
    kept as f64 * (1_u64 << excess) as f64
}

/// Small floats come as 32-bit integers: the upper half of a narrower argument would be undefined.
pub(crate) extern "C" fn f16_to_f32(bits: u32) -> f32 {
    widen(bits as u16, &F16) as f32
}

pub(crate) extern "C" fn f32_to_f16(value: f32) -> u16 {
    round(f64::from(value), &F16)
}

pub(crate) extern "C" fn f64_to_f16(value: f64) -> u16 {
    round(value, &F16)
}

/// Bits as they are: where they come from is hidden from LLVM.
pub(crate) extern "C" fn bits(value: u16) -> u16 {
    value
}

pub(crate) extern "C" fn f64_to_bf16(value: f64) -> u16 {
    round(value, &BF16)
}

pub(crate) extern "C" fn i64_to_f64_odd(value: i64) -> f64 {
    let magnitude = odd_f64(value.unsigned_abs());
    if value < 0 { -magnitude } else { magnitude }
}

pub(crate) extern "C" fn u64_to_f64_odd(value: u64) -> f64 {
    odd_f64(value)
}

pub(crate) extern "C" fn fma_f16(a: u32, b: u32, c: u32) -> u16 {
    fma(a as u16, b as u16, c as u16, &F16)
}

pub(crate) extern "C" fn fma_bf16(a: u32, b: u32, c: u32) -> u16 {
    fma(a as u16, b as u16, c as u16, &BF16)
}

pub(crate) extern "C" fn fma_f32(a: f32, b: f32, c: f32) -> f32 {
    libm::fmaf(a, b, c)
}

pub(crate) extern "C" fn fma_f64(a: f64, b: f64, c: f64) -> f64 {
    libm::fma(a, b, c)
}

// The host's code generator keeps 16-bit floats in vector registers across blocks, and calls these
// helpers, which not every C library has. A 16-bit float is in the low bits of an f32's register.
// Such values were rounded before, so nothing is rounded twice.

/// `__truncsfbf2`: f32 to bf16.
pub(crate) extern "C" fn truncate_to_bf16(value: f32) -> f32 {
    f32::from_bits(u32::from(f64_to_bf16(f64::from(value))))
}

/// `__truncsfhf2`: f32 to f16.
pub(crate) extern "C" fn truncate_to_f16(value: f32) -> f32 {
    f32::from_bits(u32::from(f32_to_f16(value)))
}

/// `__extendhfsf2`: f16 to f32.
pub(crate) extern "C" fn extend_f16(value: f32) -> f32 {
    f16_to_f32(value.to_bits() & 0xFFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_small_float_survives_a_round_trip() {
        for bits in 0..=u16::MAX {
            for format in [&F16, &BF16] {
                let value = widen(bits, format);
                if value.is_nan() {
                    assert!(widen(round(value, format), format).is_nan());
                } else {
                    assert_eq!(round(value, format), bits, "{value}");
                }
            }
        }
    }

    #[test]
    fn ties_go_to_even_and_their_neighbours_do_not() {
        for format in [&F16, &BF16] {
            for bits in [0_u16, 1, 2, 0x0180, 0x3C00, 0x3F80, 0x1234] {
                let (low, high) = (widen(bits, format), widen(bits + 1, format));
                let middle = (low + high) / 2.0;
                let even = bits + (bits & 1);
                assert_eq!(round(middle, format), even, "tie above {bits:#x}");
                assert_eq!(round(middle.next_down(), format), bits, "below a tie");
                assert_eq!(round(middle.next_up(), format), bits + 1, "above a tie");
                assert_eq!(round(-middle.next_up(), format), (bits + 1) | 0x8000);
            }
        }
    }

    #[test]
    fn large_numbers_overflow_where_they_should() {
        assert_eq!(f64_to_f16(65519.999), 0x7BFF);
        assert_eq!(f64_to_f16(65520.0), 0x7C00);
        assert_eq!(f64_to_f16(-1e300), 0xFC00);
        assert_eq!(f64_to_f16(1e-300), 0);
        assert_eq!(f64_to_bf16(f64::from(f32::MAX)), 0x7F80);
        assert_eq!(f64_to_bf16(f64::from_bits(1)), 0);
    }

    #[test]
    fn fma_rounds_once() {
        let f16 = |value: f64| u32::from(f64_to_f16(value));
        let bf16 = |value: f64| u32::from(f64_to_bf16(value));
        let power = |exponent| f64::powi(2.0, exponent);
        // 1 + 2^-11 is a tie of f16 and goes to even.
        assert_eq!(fma_f16(f16(power(-12)), f16(2.0), f16(1.0)), 0x3C00);
        // 2^-31 below the tie above an odd number: rounded to f32 in between, it would be the tie.
        let (a, b) = (1.0 + power(-10), power(-11) * (1.0 - power(-10)));
        assert_eq!(fma_f16(f16(a), f16(b), f16(1.0 + power(-10))), 0x3C01);
        // 3 * 129 / 256 is such a tie of bf16, and 2^-40 less decides it.
        assert_eq!(fma_bf16(bf16(3.0), bf16(129.0 / 256.0), 0), 0x3FC2);
        assert_eq!(fma_bf16(bf16(3.0), bf16(129.0 / 256.0), bf16(-power(-40))), 0x3FC1);
    }

    #[test]
    fn sums_rounded_to_odd_keep_their_side() {
        let tie = 1.0 + f64::powi(2.0, -11);
        let above = add_to_odd(tie, f64::powi(2.0, -70));
        let below = add_to_odd(tie, -f64::powi(2.0, -70));
        assert!(above > tie && below < tie);
        assert_eq!(round(above, &F16), 0x3C01);
        assert_eq!(round(below, &F16), 0x3C00);
        assert_eq!(add_to_odd(1.0, 2.0), 3.0);
        assert!(add_to_odd(f64::INFINITY, f64::NEG_INFINITY).is_nan());
    }

    #[test]
    fn integers_are_rounded_once() {
        // A tie of bf16 at 2^62, and one more.
        let tie = (1_i64 << 62) + (1 << 54);
        assert_eq!(f64_to_bf16(i64_to_f64_odd(tie)), f64_to_bf16(f64::powi(2.0, 62)));
        let up = f64_to_bf16(f64::powi(2.0, 62)) + 1;
        assert_eq!(f64_to_bf16(i64_to_f64_odd(tie + 1)), up);
        assert_eq!(f64_to_bf16(i64_to_f64_odd(-tie - 1)), up | 0x8000);
        assert_eq!(i64_to_f64_odd(i64::MIN), -f64::powi(2.0, 63));
        assert_eq!(u64_to_f64_odd(0), 0.0);
    }
}
