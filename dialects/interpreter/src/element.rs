//! Element types and scalar values.
//!
//! Every scalar is kept as the bits of its type in the low end of a `u64`, all higher bits zero: an
//! `i8` of -1 is `0xff`, an `f16` of 1.0 is `0x3c00`. Signedness and rounding are properties of the
//! operations, not of the values.

use crate::arithmetic::{narrow, widen};
use std::fmt;
use thiserror::Error;

/// A binary floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// IEEE binary16.
    F16,
    /// The upper half of IEEE binary32: 8 exponent bits, 7 fraction bits.
    Bf16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl Format {
    /// Bits of a value.
    pub const fn bits(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 16,
            Self::F32 => 32,
            Self::F64 => 64,
        }
    }
}

/// The type of a scalar, or of one cell of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// A signless integer of 1 to 64 bits.
    Integer(u32),
    /// `index`, which is 64 bits wide here.
    Index,
    /// A floating-point number.
    Float(Format),
}

impl Element {
    /// `f16`.
    pub const F16: Self = Self::Float(Format::F16);
    /// `bf16`.
    pub const BF16: Self = Self::Float(Format::Bf16);
    /// `f32`.
    pub const F32: Self = Self::Float(Format::F32);
    /// `f64`.
    pub const F64: Self = Self::Float(Format::F64);
    /// `i1`, what comparisons give.
    pub const BOOL: Self = Self::Integer(1);

    /// Reads the MLIR spelling of a type: `i32`, `index`, `bf16`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "index" => Some(Self::Index),
            "f16" => Some(Self::F16),
            "bf16" => Some(Self::BF16),
            "f32" => Some(Self::F32),
            "f64" => Some(Self::F64),
            _ => {
                let bits = text.strip_prefix('i')?.parse().ok()?;
                (1..=64).contains(&bits).then_some(Self::Integer(bits))
            }
        }
    }

    /// Bits of a value.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Integer(bits) => bits,
            Self::Index => 64,
            Self::Float(format) => format.bits(),
        }
    }

    /// Bytes of one cell in memory; `None` for integers that no field can hold (`i5`).
    pub const fn stored_bytes(self) -> Option<usize> {
        match self.bits() {
            1 | 8 => Some(1),
            16 => Some(2),
            32 => Some(4),
            64 => Some(8),
            _ => None,
        }
    }

    /// The bits of a value that lie inside the type.
    pub(crate) const fn mask(self) -> u64 {
        mask(self.bits())
    }
}

impl fmt::Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(bits) => write!(formatter, "i{bits}"),
            Self::Index => formatter.write_str("index"),
            Self::Float(Format::F16) => formatter.write_str("f16"),
            Self::Float(Format::Bf16) => formatter.write_str("bf16"),
            Self::Float(Format::F32) => formatter.write_str("f32"),
            Self::Float(Format::F64) => formatter.write_str("f64"),
        }
    }
}

/// The low `bits` bits set.
pub(crate) const fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Reads the low `width` bits as a signed number.
pub(crate) const fn signed(bits: u64, width: u32) -> i64 {
    let unused = 64 - width;
    ((bits << unused) as i64) >> unused
}

/// One scalar value with its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The type.
    pub element: Element,
    /// The bits of the value, zero above the type's width.
    pub bits: u64,
}

impl Scalar {
    /// A value from its bits; bits above the type's width are dropped.
    pub const fn from_bits(element: Element, bits: u64) -> Self {
        Self { element, bits: bits & element.mask() }
    }

    /// A single-precision number.
    pub const fn f32(value: f32) -> Self {
        Self { element: Element::F32, bits: value.to_bits() as u64 }
    }

    /// A double-precision number.
    pub const fn f64(value: f64) -> Self {
        Self { element: Element::F64, bits: value.to_bits() }
    }

    /// An `index`.
    pub const fn index(value: i64) -> Self {
        Self { element: Element::Index, bits: value as u64 }
    }

    /// Reads a number as a user writes it, for a value of type `element`.
    ///
    /// Integers may be written for floating-point types, never the reverse. A floating-point
    /// number may also be given by its bits, `0x3f800000`.
    pub fn parse(element: Element, text: &str) -> Result<Self, ScalarError> {
        let text = text.trim();
        let wrong = || ScalarError { text: text.to_owned(), element };
        let bits = match element {
            Element::Integer(1) if text == "true" => 1,
            Element::Integer(1) if text == "false" => 0,
            Element::Integer(_) | Element::Index => {
                let value: i128 = text.parse().map_err(|_| wrong())?;
                let bits = element.bits();
                let fits = -(1i128 << (bits - 1)) <= value && value < 1i128 << bits;
                if !fits {
                    return Err(wrong());
                }
                value as u64
            }
            Element::Float(format) => match text.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16)
                    .ok()
                    .filter(|&bits| bits <= mask(format.bits()))
                    .ok_or_else(wrong)?,
                None if format == Format::F32 => {
                    let value: f32 = text.parse().map_err(|_| wrong())?;
                    u64::from(value.to_bits())
                }
                None => narrow(format, text.parse().map_err(|_| wrong())?),
            },
        };
        Ok(Self::from_bits(element, bits))
    }

    /// The value as a double: exact for every floating-point type, rounded for wide integers.
    pub fn to_f64(self) -> f64 {
        match self.element {
            Element::Float(format) => widen(format, self.bits),
            element => signed(self.bits, element.bits()) as f64,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.element {
            Element::Float(Format::F32) => write!(formatter, "{:?}", self.to_f64() as f32),
            Element::Float(_) => write!(formatter, "{:?}", self.to_f64()),
            element => write!(formatter, "{}", signed(self.bits, element.bits())),
        }
    }
}

/// Text that is not a value of the expected type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{text}' is not a value of type {element}")]
pub struct ScalarError {
    /// What was given.
    pub text: String,
    /// The expected type.
    pub element: Element,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_it_prints() {
        for text in ["i1", "i8", "i64", "index", "f16", "bf16", "f32", "f64"] {
            assert_eq!(Element::parse(text).unwrap().to_string(), text);
        }
        for text in ["i0", "i65", "f8", "", "i", "tensor<4xf32>"] {
            assert_eq!(Element::parse(text), None);
        }
    }

    #[test]
    fn parses_numbers_by_the_expected_type() {
        let parse = |element, text| Scalar::parse(element, text).map(|scalar| scalar.bits);
        assert_eq!(parse(Element::F32, "0.1"), Ok(0x3dcc_cccd));
        assert_eq!(parse(Element::F16, "1"), Ok(0x3c00));
        assert_eq!(parse(Element::F64, "0x8000000000000000"), Ok(1 << 63));
        assert_eq!(parse(Element::Integer(8), "-1"), Ok(0xff));
        assert_eq!(parse(Element::Integer(8), "255"), Ok(0xff));
        assert_eq!(parse(Element::BOOL, "true"), Ok(1));
        let refused = |element, text| parse(element, text).unwrap_err().to_string();
        assert_eq!(refused(Element::Integer(8), "256"), "'256' is not a value of type i8");
        assert_eq!(refused(Element::Index, "1.5"), "'1.5' is not a value of type index");
        assert_eq!(refused(Element::F16, "0x10000"), "'0x10000' is not a value of type f16");
        assert_eq!(refused(Element::F32, "one"), "'one' is not a value of type f32");
    }

    #[test]
    fn reads_signed_values_of_any_width() {
        assert_eq!(signed(0b1_1111, 5), -1);
        assert_eq!(signed(0b0_1111, 5), 15);
        assert_eq!(signed(u64::MAX, 64), -1);
        assert_eq!(signed(1, 1), -1);
    }
}
