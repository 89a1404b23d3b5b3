//! The semantics of every scalar operation, on bits.
//!
//! This module is `dialects/docs/arithmetic.md` in executable form: an operation with its types is
//! a [`ScalarOp`], and [`ScalarOp::evaluate`] gives the bits of the result or a [`Fault`]. It does
//! not depend on MLIR, points or memory. `fastmath` flags permit rewrites and require nothing, so
//! the interpreter ignores them.
//!
//! The table of exact cases, `dialects/docs/arithmetic-cases.json`, is run through this module by
//! `tests/arithmetic_cases.rs`.

mod approximate;
mod conversion;
mod float;
mod float16;
mod integer;
mod named;

pub use approximate::ApproximateOp;
pub use conversion::Conversion;
pub use float::{Classification, FloatOp, FloatPredicate};
pub use integer::{IntegerOp, IntegerPredicate, Promise};
pub use named::UnknownOp;

pub(crate) use float16::{narrow, widen};

use crate::element::{Element, Format};
use thiserror::Error;

/// A scalar operation with the types it works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarOp {
    /// Integers of one width in, one out.
    Integer {
        /// The operation.
        op: IntegerOp,
        /// Width of operands (and of the result, except the carry).
        bits: u32,
        /// Its poison flags.
        promise: Promise,
    },
    /// Two integers in, `i1` out.
    CompareIntegers {
        /// The predicate.
        predicate: IntegerPredicate,
        /// Width of the operands.
        bits: u32,
    },
    /// One to three floats of one format in, one out; exact or correctly rounded.
    Float {
        /// The operation.
        op: FloatOp,
        /// Format of operands and result.
        format: Format,
    },
    /// Two floats in, `i1` out.
    CompareFloats {
        /// The predicate.
        predicate: FloatPredicate,
        /// Format of the operands.
        format: Format,
    },
    /// One float in, `i1` out.
    Classify {
        /// The class.
        class: Classification,
        /// Format of the operand.
        format: Format,
    },
    /// A float and an integer exponent in, a float out: `math.fpowi`.
    PowerOfInteger {
        /// Format of base and result.
        format: Format,
        /// Width of the exponent.
        exponent_bits: u32,
    },
    /// Floats in, a float out, within a stated error bound.
    Approximate {
        /// The function.
        op: ApproximateOp,
        /// Format of operands and result.
        format: Format,
    },
    /// `i1` and two values of any one type in, one of the two out.
    Select,
    /// A value of one type in, of another out.
    Convert {
        /// Which conversion.
        conversion: Conversion,
        /// Type of the operand.
        from: Element,
        /// Type of the result.
        to: Element,
        /// Its poison flags.
        promise: Promise,
    },
}

/// An operation that has no value for its operands.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum Fault {
    /// An integer was divided by zero.
    #[error("divides by zero")]
    DivisionByZero,
    /// The smallest integer was divided by -1.
    #[error("divides the smallest integer by -1, which overflows")]
    DivisionOverflow,
    /// A shift by the width of the type or more.
    #[error("shifts a value of {bits} bits by {amount}")]
    ShiftTooWide {
        /// Width of the value.
        bits: u32,
        /// How far it was shifted.
        amount: u64,
    },
    /// A float whose truncation does not fit the integer type.
    #[error("converts {value:?} to {to}, which cannot hold it")]
    ConversionOutOfRange {
        /// The float.
        value: f64,
        /// The integer type.
        to: Element,
    },
    /// A violated `nsw`, `nuw` or `exact`.
    #[error("violates its '{promise}' flag")]
    BrokenPromise {
        /// The flag.
        promise: &'static str,
    },
}

impl ScalarOp {
    /// The result's bits for operands given as bits; unused operands are ignored.
    ///
    /// Operands must have no bits above their types' widths; the result has none.
    #[inline]
    pub fn evaluate(self, [a, b, c]: [u64; 3]) -> Result<u64, Fault> {
        match self {
            Self::Float { op, format } => Ok(float::evaluate(op, format, [a, b, c])),
            Self::Integer { op, bits, promise } => integer::evaluate(op, bits, promise, a, b),
            Self::CompareIntegers { predicate, bits } => {
                Ok(u64::from(integer::compare(predicate, bits, a, b)))
            }
            Self::CompareFloats { predicate, format } => {
                Ok(u64::from(float::compare(predicate, widen(format, a), widen(format, b))))
            }
            Self::Classify { class, format } => Ok(u64::from(float::classify(class, format, a))),
            Self::PowerOfInteger { format, exponent_bits } => {
                Ok(float::power_of_integer(format, a, b, exponent_bits))
            }
            Self::Approximate { op, format } => {
                let exact = approximate::evaluate(op, widen(format, a), widen(format, b));
                Ok(narrow(format, exact))
            }
            Self::Select => Ok(if a != 0 { b } else { c }),
            Self::Convert { conversion, from, to, promise } => {
                conversion::evaluate(conversion, from, to, promise, a)
            }
        }
    }

    /// Whether a GPU or an emulator may give different bits, within a bound.
    pub const fn is_approximate(self) -> bool {
        matches!(self, Self::Approximate { .. })
    }
}
