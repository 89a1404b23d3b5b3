//! Scalar types and values: the numbers a host program computes with and a field is made of.
//!
//! A value is its type and its bits, nothing else: so NaN payloads, signed zeros and all 64 bits
//! of an integer survive a trip through JSON, whichever language reads it. Integers are signless,
//! as in MLIR; an operation says how it reads them. `index` is a 64-bit integer.

mod float;
mod integer;
mod operation;

pub use operation::{FloatPredicate, IntPredicate, ScalarError, ScalarOp, TypeRule};

use serde::{Deserialize, Serialize};
use std::{fmt, num::IntErrorKind};

/// The element types of fields and scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScalarType {
    /// A truth value; one byte in memory, 0 or 1.
    I1,
    /// An 8-bit integer.
    I8,
    /// A 16-bit integer.
    I16,
    /// A 32-bit integer.
    I32,
    /// A 64-bit integer.
    I64,
    /// MLIR's `index`: 64 bits here and on every target.
    Index,
    /// IEEE binary16.
    F16,
    /// bfloat16: the upper half of an `f32`.
    Bf16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl ScalarType {
    /// Every type, in the order of declaration.
    pub const ALL: [ScalarType; 10] = [
        ScalarType::I1,
        ScalarType::I8,
        ScalarType::I16,
        ScalarType::I32,
        ScalarType::I64,
        ScalarType::Index,
        ScalarType::F16,
        ScalarType::Bf16,
        ScalarType::F32,
        ScalarType::F64,
    ];

    /// Size in memory, of a field's cell and of a kernel parameter alike.
    pub fn bytes(self) -> usize {
        (self.bits() as usize).div_ceil(8)
    }

    /// Number of bits that carry the value.
    pub fn bits(self) -> u32 {
        match self {
            ScalarType::I1 => 1,
            ScalarType::I8 => 8,
            ScalarType::I16 | ScalarType::F16 | ScalarType::Bf16 => 16,
            ScalarType::I32 | ScalarType::F32 => 32,
            ScalarType::I64 | ScalarType::Index | ScalarType::F64 => 64,
        }
    }

    /// Whether the type is one of the floating-point types.
    pub fn is_float(self) -> bool {
        use ScalarType::{Bf16, F16, F32, F64};
        matches!(self, F16 | Bf16 | F32 | F64)
    }

    /// Whether the type is an integer, `index` included.
    pub fn is_integer(self) -> bool {
        !self.is_float()
    }

    /// The type with this name, as MLIR spells it.
    pub fn from_name(name: &str) -> Option<ScalarType> {
        ScalarType::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// The name, as MLIR spells it.
    pub fn name(self) -> &'static str {
        match self {
            ScalarType::I1 => "i1",
            ScalarType::I8 => "i8",
            ScalarType::I16 => "i16",
            ScalarType::I32 => "i32",
            ScalarType::I64 => "i64",
            ScalarType::Index => "index",
            ScalarType::F16 => "f16",
            ScalarType::Bf16 => "bf16",
            ScalarType::F32 => "f32",
            ScalarType::F64 => "f64",
        }
    }

    /// The bits that a value of this type may have set.
    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A number of one of the [`ScalarType`]s.
///
/// Equality is equality of bits: a NaN equals itself, and 0.0 differs from -0.0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Encoded", into = "Encoded")]
pub struct ScalarValue {
    ty: ScalarType,
    bits: u64,
}

/// The form of a value in JSON: hexadecimal text, because JSON numbers lose bits.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Encoded {
    #[serde(rename = "type")]
    ty: ScalarType,
    bits: String,
}

impl ScalarValue {
    /// The value with these bits; bits beyond the type's width are dropped.
    pub fn from_bits(ty: ScalarType, bits: u64) -> ScalarValue {
        ScalarValue { ty, bits: bits & ty.mask() }
    }

    /// An integer value, wrapped to the type's width.
    ///
    /// # Panics
    ///
    /// If `ty` is a floating-point type.
    pub fn from_integer(ty: ScalarType, value: i64) -> ScalarValue {
        assert!(ty.is_integer(), "an integer value needs an integer type, not {ty}");
        ScalarValue::from_bits(ty, value as u64)
    }

    /// The value of a float type nearest to `value`, ties to even.
    ///
    /// # Panics
    ///
    /// If `ty` is an integer type.
    pub fn from_f64(ty: ScalarType, value: f64) -> ScalarValue {
        assert!(ty.is_float(), "a float value needs a float type, not {ty}");
        float::round(ty, value)
    }

    /// The type.
    pub fn ty(self) -> ScalarType {
        self.ty
    }

    /// The bits, zero above the type's width.
    pub fn bits(self) -> u64 {
        self.bits
    }

    /// The integer, read as signed: `i1` is 0 or -1.
    pub fn signed(self) -> i64 {
        let unused = 64 - self.ty.bits();
        ((self.bits << unused) as i64) >> unused
    }

    /// The integer, read as unsigned.
    pub fn unsigned(self) -> u64 {
        self.bits
    }

    /// Whether an `i1` is true (any bit set, for other types).
    pub fn is_true(self) -> bool {
        self.bits != 0
    }

    /// The float, widened exactly; meaningless for integers.
    pub fn to_f64(self) -> f64 {
        float::widen(self)
    }

    /// Whether this is a NaN.
    pub fn is_nan(self) -> bool {
        self.ty.is_float() && self.to_f64().is_nan()
    }

    /// The bytes in memory, little-endian.
    pub fn to_bytes(self) -> Vec<u8> {
        self.bits.to_le_bytes()[..self.ty.bytes()].to_vec()
    }

    /// The value stored in `bytes`, little-endian.
    ///
    /// # Panics
    ///
    /// If `bytes` is not as long as the type.
    pub fn from_bytes(ty: ScalarType, bytes: &[u8]) -> ScalarValue {
        assert_eq!(bytes.len(), ty.bytes(), "a value of {ty} has the size of its type");
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        ScalarValue::from_bits(ty, u64::from_le_bytes(word))
    }

    /// Reads what a person types: `-3`, `0x1f`, `true`, `1.5e-3`, `inf`, `nan`.
    ///
    /// Decimal fractions go to the nearest value of the type (`f16` and `bf16` by way of the
    /// nearest `f64`). A number the type cannot hold is an error, never wrapped or made infinite.
    pub fn parse(ty: ScalarType, text: &str) -> Result<ScalarValue, ParseScalarError> {
        let wrong = |why| ParseScalarError { text: text.to_owned(), ty, why };
        let text = text.trim();
        if ty.is_float() {
            return float::parse(ty, text).map_err(wrong);
        }
        if ty == ScalarType::I1 {
            return match text {
                "true" | "1" => Ok(ScalarValue::from_bits(ty, 1)),
                "false" | "0" => Ok(ScalarValue::from_bits(ty, 0)),
                _ => Err(wrong("write true or false")),
            };
        }
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text),
        };
        let magnitude = match digits.strip_prefix("0x") {
            Some(hex) if !hex.starts_with('+') => i128::from_str_radix(hex, 16),
            _ if digits.starts_with(['+', '-']) => return Err(wrong("write an integer")),
            _ => digits.parse::<i128>(),
        };
        let value = sign
            * magnitude.map_err(|error| match error.kind() {
                IntErrorKind::PosOverflow => wrong("it does not fit"),
                _ => wrong("write an integer"),
            })?;
        let width = ty.bits();
        if value < -(1i128 << (width - 1)) || value >= 1i128 << width {
            return Err(wrong("it does not fit"));
        }
        Ok(ScalarValue::from_bits(ty, value as u64))
    }
}

/// Text that is not a value of the expected type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not a value of type {ty}: {why}")]
pub struct ParseScalarError {
    text: String,
    ty: ScalarType,
    why: &'static str,
}

impl From<ScalarValue> for Encoded {
    fn from(value: ScalarValue) -> Encoded {
        let digits = 2 * value.ty.bytes();
        Encoded { ty: value.ty, bits: format!("0x{:0digits$x}", value.bits) }
    }
}

impl TryFrom<Encoded> for ScalarValue {
    type Error = String;

    fn try_from(Encoded { ty, bits }: Encoded) -> Result<ScalarValue, String> {
        let word = bits
            .strip_prefix("0x")
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .ok_or_else(|| format!("bits '{bits}' are not hexadecimal"))?;
        if word & !ty.mask() != 0 {
            return Err(format!("bits {bits} are wider than {ty}"));
        }
        Ok(ScalarValue { ty, bits: word })
    }
}

impl fmt::Display for ScalarValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ty {
            ScalarType::I1 => write!(f, "{}", self.is_true()),
            // The shortest text that reads back as the same f32; f16 and bf16 are exact in it.
            ScalarType::F16 | ScalarType::Bf16 | ScalarType::F32 => {
                write!(f, "{:?}", self.to_f64() as f32)
            }
            ScalarType::F64 => write!(f, "{:?}", self.to_f64()),
            _ => write!(f, "{}", self.signed()),
        }
    }
}

impl fmt::Debug for ScalarValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} : {} (0x{:x})", self.ty, self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_survive_json() {
        for (ty, bits) in [
            (ScalarType::I1, 1),
            (ScalarType::I64, u64::MAX),
            (ScalarType::Bf16, 0x7fc1),
            (ScalarType::F64, 0x8000_0000_0000_0000),
        ] {
            let value = ScalarValue::from_bits(ty, bits);
            let text = serde_json::to_string(&value).unwrap();
            assert_eq!(serde_json::from_str::<ScalarValue>(&text).unwrap(), value, "{text}");
        }
        assert_eq!(
            serde_json::to_string(&ScalarValue::from_integer(ScalarType::I8, -1)).unwrap(),
            r#"{"type":"i8","bits":"0xff"}"#
        );
    }

    #[test]
    fn json_refuses_what_does_not_fit() {
        for (text, why) in [
            (r#"{"type":"i8","bits":"0x100"}"#, "bits 0x100 are wider than i8"),
            (r#"{"type":"i8","bits":"12"}"#, "bits '12' are not hexadecimal"),
            (r#"{"type":"i8","bits":"0x+1"}"#, "bits '0x+1' are not hexadecimal"),
            (r#"{"type":"i7","bits":"0x1"}"#, "unknown variant `i7`"),
        ] {
            let said = serde_json::from_str::<ScalarValue>(text).unwrap_err().to_string();
            assert!(said.starts_with(why), "{text}: {said}");
        }
    }

    #[test]
    fn people_write_numbers() {
        let parse = |ty, text| ScalarValue::parse(ty, text).map(ScalarValue::bits);
        assert_eq!(parse(ScalarType::I8, "-128"), Ok(0x80));
        assert_eq!(parse(ScalarType::I8, "255"), Ok(0xff));
        assert_eq!(parse(ScalarType::I32, "0x10"), Ok(16));
        assert_eq!(parse(ScalarType::I1, "true"), Ok(1));
        assert_eq!(parse(ScalarType::F32, "0.1"), Ok(u64::from(0.1f32.to_bits())));
        assert_eq!(parse(ScalarType::F64, " -2 "), Ok((-2.0f64).to_bits()));
        assert_eq!(parse(ScalarType::F16, "65504"), Ok(0x7bff));
        assert_eq!(parse(ScalarType::Bf16, "-inf"), Ok(0xff80));
        assert!(ScalarValue::parse(ScalarType::F32, "nan").unwrap().is_nan());
        for (ty, text, why) in [
            (ScalarType::I8, "256", "it does not fit"),
            (ScalarType::I8, "-129", "it does not fit"),
            (ScalarType::I8, "--1", "write an integer"),
            (ScalarType::I32, "1.5", "write an integer"),
            (ScalarType::I32, "0x", "write an integer"),
            (ScalarType::I1, "2", "write true or false"),
            (ScalarType::F32, "1e39", "it is too large"),
            (ScalarType::F16, "65520", "it is too large"),
            (ScalarType::F64, "one", "write a number"),
            (ScalarType::F64, "", "write a number"),
            // More than 128 bits.
            (ScalarType::Index, "99999999999999999999999999999999999999999999", "it does not fit"),
        ] {
            assert_eq!(
                ScalarValue::parse(ty, text).unwrap_err().to_string(),
                format!("'{text}' is not a value of type {ty}: {why}")
            );
        }
    }

    #[test]
    fn types_know_their_names_and_sizes() {
        for ty in ScalarType::ALL {
            assert_eq!(ScalarType::from_name(ty.name()), Some(ty));
            assert_eq!(ty.bytes(), ScalarValue::from_bits(ty, 0).to_bytes().len());
        }
        assert_eq!(ScalarType::I1.bytes(), 1);
        assert_eq!(ScalarValue::from_bits(ScalarType::I1, 1).signed(), -1);
    }
}
