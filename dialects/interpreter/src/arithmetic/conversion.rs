//! Conversions between types.

use super::Fault;
use super::float16::{integer_to_odd, narrow, widen};
use super::integer::Promise;
use crate::element::{Element, Format, mask, signed};

/// How a value of one type becomes one of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// `extf`, `truncf`: the nearest number of the other format.
    Float,
    /// `sitofp`.
    SignedToFloat,
    /// `uitofp`.
    UnsignedToFloat,
    /// `fptosi`: towards zero.
    FloatToSigned,
    /// `fptoui`: towards zero.
    FloatToUnsigned,
    /// `extsi`, `index_cast`: keeps the signed value, or drops high bits.
    SignExtend,
    /// `extui`, `index_castui`, `trunci`: keeps the unsigned value, or drops high bits.
    ZeroExtend,
    /// `bitcast`: the same bits.
    Bits,
}

/// Converts one value.
pub(super) fn evaluate(
    conversion: Conversion,
    from: Element,
    to: Element,
    promise: Promise,
    bits: u64,
) -> Result<u64, Fault> {
    match conversion {
        Conversion::Float => Ok(narrow(format_of(to), widen(format_of(from), bits))),
        Conversion::SignedToFloat => {
            Ok(integer_to_float(format_of(to), i128::from(signed(bits, from.bits()))))
        }
        Conversion::UnsignedToFloat => Ok(integer_to_float(format_of(to), i128::from(bits))),
        Conversion::FloatToSigned => {
            let limit = 2f64.powi(to.bits() as i32 - 1);
            float_to_integer(widen(format_of(from), bits), -limit, limit, to)
        }
        Conversion::FloatToUnsigned => {
            let limit = 2f64.powi(to.bits() as i32);
            float_to_integer(widen(format_of(from), bits), 0.0, limit, to)
        }
        Conversion::SignExtend => Ok(signed(bits, from.bits()) as u64 & mask(to.bits())),
        Conversion::ZeroExtend => {
            // Only a truncation can carry promises: the dropped bits are copies of the sign, or 0.
            let value = i128::from(signed(bits, from.bits()));
            promise.check_wrap(to.bits(), value, i128::from(bits))?;
            Ok(bits & mask(to.bits()))
        }
        Conversion::Bits => Ok(bits),
    }
}

/// Conversions are made for checked types only: a float is where a float belongs.
fn format_of(element: Element) -> Format {
    match element {
        Element::Float(format) => format,
        Element::Integer(_) | Element::Index => {
            unreachable!("a conversion of floats was made for {element}")
        }
    }
}

/// The nearest number of the format. `as` rounds integers once, for the two formats it knows.
fn integer_to_float(format: Format, value: i128) -> u64 {
    match format {
        Format::F64 => (value as f64).to_bits(),
        Format::F32 => u64::from((value as f32).to_bits()),
        Format::F16 | Format::Bf16 => narrow(format, integer_to_odd(value)),
    }
}

/// Truncates; the result must lie in `[lowest, limit)`. Both bounds are powers of two or zero, so
/// the comparison is exact.
fn float_to_integer(value: f64, lowest: f64, limit: f64, to: Element) -> Result<u64, Fault> {
    let truncated = value.trunc();
    if truncated >= lowest && truncated < limit {
        Ok((truncated as i128) as u64 & mask(to.bits()))
    } else {
        Err(Fault::ConversionOutOfRange { value, to })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(conversion: Conversion, from: Element, to: Element, bits: u64) -> Result<u64, Fault> {
        evaluate(conversion, from, to, Promise::NONE, bits)
    }

    #[test]
    fn float_to_integer_takes_the_whole_range_and_no_more() {
        let signed = |value: f64| {
            run(Conversion::FloatToSigned, Element::F64, Element::Integer(8), value.to_bits()).ok()
        };
        assert_eq!(signed(127.99), Some(127));
        assert_eq!(signed(128.0), None);
        assert_eq!(signed(-128.99), Some(0x80));
        assert_eq!(signed(-129.0), None);
        assert_eq!(signed(f64::NAN), None);
        let unsigned = |value: f64| {
            run(Conversion::FloatToUnsigned, Element::F64, Element::Index, value.to_bits()).ok()
        };
        assert_eq!(unsigned(-0.99), Some(0));
        assert_eq!(unsigned(-1.0), None);
        assert_eq!(unsigned(2f64.powi(64)), None);
        assert_eq!(unsigned(2f64.powi(63)), Some(1 << 63));
    }

    #[test]
    fn integers_round_once() {
        let largest = u64::MAX;
        let to_f16 = run(Conversion::UnsignedToFloat, Element::Integer(64), Element::F16, largest);
        assert_eq!(to_f16, Ok(0x7c00));
        let minus_one = run(Conversion::SignedToFloat, Element::Index, Element::F32, largest);
        assert_eq!(minus_one, Ok(0xbf80_0000));
        let tie = run(Conversion::SignedToFloat, Element::Integer(32), Element::F32, 0x0100_0001);
        assert_eq!(tie, Ok(0x4b80_0000));
    }

    #[test]
    fn widening_and_cutting_integers() {
        let i8 = Element::Integer(8);
        let i32 = Element::Integer(32);
        assert_eq!(run(Conversion::SignExtend, i8, i32, 0x80), Ok(0xffff_ff80));
        assert_eq!(run(Conversion::ZeroExtend, i8, i32, 0x80), Ok(0x80));
        assert_eq!(run(Conversion::ZeroExtend, i32, i8, 0x1ff), Ok(0xff));
        let nsw = Promise { no_signed_wrap: true, ..Promise::NONE };
        let cut = |bits| evaluate(Conversion::ZeroExtend, i32, i8, nsw, bits);
        assert_eq!(cut(0xffff_ff80), Ok(0x80));
        assert_eq!(cut(0x80), Err(Fault::BrokenPromise { promise: "nsw" }));
    }
}
