//! Maps the name of an op in the IR, and its types, to the operation.
//!
//! One list serves the decoder and the table of exact cases, so that the table tests what programs
//! run.

use super::{
    ApproximateOp, Classification, Conversion, FloatOp, FloatPredicate, IntegerOp,
    IntegerPredicate, Promise, ScalarOp,
};
use crate::element::{Element, Format};
use thiserror::Error;

/// A name or types without a scalar operation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnknownOp {
    /// No operation has this name.
    #[error("'{0}' is not a scalar operation of the interpreter")]
    Name(String),
    /// The operation exists, but not for these types.
    #[error("'{name}' is not defined on {types}")]
    Types {
        /// The op's name.
        name: String,
        /// Its operand and result types.
        types: String,
    },
    /// A comparison without a predicate, or with one that does not exist.
    #[error("'{0}' has no predicate, or an unknown one")]
    Predicate(String),
}

/// Predicates of `arith.cmpi` as the IR spells them, in the order of their numbers.
const INTEGER_PREDICATES: [&str; 10] =
    ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];

/// Predicates of `arith.cmpf` as the IR spells them, in the order of their numbers.
const FLOAT_PREDICATES: [&str; 16] = [
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule",
    "une", "uno", "true",
];

impl ScalarOp {
    /// The operation that gives result number `result_number` of the op called `name`.
    ///
    /// `predicate` is the number that a comparison carries in the IR.
    pub fn named(
        name: &str,
        operands: &[Element],
        result: Element,
        result_number: usize,
        predicate: Option<usize>,
        promise: Promise,
    ) -> Result<Self, UnknownOp> {
        let wrong_types = || {
            let all: Vec<String> =
                operands.iter().chain([&result]).map(Element::to_string).collect();
            UnknownOp::Types { name: name.to_owned(), types: all.join(", ") }
        };
        let first = *operands.first().ok_or_else(wrong_types)?;
        let float = || match first {
            Element::Float(format) => Ok(format),
            _ => Err(wrong_types()),
        };
        let bits = || match first {
            Element::Float(_) => Err(wrong_types()),
            integer => Ok(integer.bits()),
        };

        if let Some(op) = integer_op(name, result_number) {
            return Ok(Self::Integer { op, bits: bits()?, promise });
        }
        if let Some(op) = float_op(name) {
            return Ok(Self::Float { op, format: float()? });
        }
        if let Some(op) = approximate_op(name, result_number) {
            return Ok(Self::Approximate { op, format: float()? });
        }
        if let Some(conversion) = conversion(name) {
            if !converts(conversion, first, result) {
                return Err(wrong_types());
            }
            return Ok(Self::Convert { conversion, from: first, to: result, promise });
        }
        let no_predicate = || UnknownOp::Predicate(name.to_owned());
        match name {
            "arith.cmpi" => {
                let known = predicate.and_then(|number| IntegerPredicate::ALL.get(number));
                let predicate = *known.ok_or_else(no_predicate)?;
                Ok(Self::CompareIntegers { predicate, bits: bits()? })
            }
            "arith.cmpf" => {
                let known = predicate.and_then(|number| FloatPredicate::ALL.get(number));
                let predicate = *known.ok_or_else(no_predicate)?;
                Ok(Self::CompareFloats { predicate, format: float()? })
            }
            "math.isnan" => Ok(classify(Classification::IsNan, float()?)),
            "math.isinf" => Ok(classify(Classification::IsInfinite, float()?)),
            "math.isfinite" => Ok(classify(Classification::IsFinite, float()?)),
            "math.isnormal" => Ok(classify(Classification::IsNormal, float()?)),
            "math.fpowi" => match operands {
                [_, exponent @ (Element::Integer(_) | Element::Index)] => {
                    let exponent_bits = exponent.bits();
                    Ok(Self::PowerOfInteger { format: float()?, exponent_bits })
                }
                _ => Err(wrong_types()),
            },
            "arith.select" => Ok(Self::Select),
            _ => Err(UnknownOp::Name(name.to_owned())),
        }
    }

    /// The number of a predicate that the IR spells `text`, for the comparison called `name`.
    pub fn predicate_number(name: &str, text: &str) -> Option<usize> {
        let spellings: &[&str] = match name {
            "arith.cmpi" => &INTEGER_PREDICATES,
            "arith.cmpf" => &FLOAT_PREDICATES,
            _ => return None,
        };
        spellings.iter().position(|&spelling| spelling == text)
    }
}

fn classify(class: Classification, format: Format) -> ScalarOp {
    ScalarOp::Classify { class, format }
}

fn integer_op(name: &str, result_number: usize) -> Option<IntegerOp> {
    Some(match (name, result_number) {
        ("arith.addi" | "arith.addui_extended", 0) => IntegerOp::Add,
        ("arith.addui_extended", 1) => IntegerOp::AddCarry,
        ("arith.subi", _) => IntegerOp::Sub,
        ("arith.muli" | "arith.mulsi_extended" | "arith.mului_extended", 0) => IntegerOp::Mul,
        ("arith.mulsi_extended", 1) => IntegerOp::MulHighSigned,
        ("arith.mului_extended", 1) => IntegerOp::MulHighUnsigned,
        ("arith.divsi", _) => IntegerOp::DivSigned,
        ("arith.divui", _) => IntegerOp::DivUnsigned,
        ("arith.ceildivsi", _) => IntegerOp::CeilDivSigned,
        ("arith.ceildivui", _) => IntegerOp::CeilDivUnsigned,
        ("arith.floordivsi", _) => IntegerOp::FloorDivSigned,
        ("arith.remsi", _) => IntegerOp::RemSigned,
        ("arith.remui", _) => IntegerOp::RemUnsigned,
        ("arith.andi", _) => IntegerOp::And,
        ("arith.ori", _) => IntegerOp::Or,
        ("arith.xori", _) => IntegerOp::Xor,
        ("arith.shli", _) => IntegerOp::ShiftLeft,
        ("arith.shrsi", _) => IntegerOp::ShiftRightSigned,
        ("arith.shrui", _) => IntegerOp::ShiftRightUnsigned,
        ("arith.maxsi", _) => IntegerOp::MaxSigned,
        ("arith.maxui", _) => IntegerOp::MaxUnsigned,
        ("arith.minsi", _) => IntegerOp::MinSigned,
        ("arith.minui", _) => IntegerOp::MinUnsigned,
        ("math.absi", _) => IntegerOp::Abs,
        ("math.ipowi", _) => IntegerOp::Power,
        ("math.ctlz", _) => IntegerOp::CountLeadingZeros,
        ("math.cttz", _) => IntegerOp::CountTrailingZeros,
        ("math.ctpop", _) => IntegerOp::CountOnes,
        _ => return None,
    })
}

fn float_op(name: &str) -> Option<FloatOp> {
    Some(match name {
        "arith.addf" => FloatOp::Add,
        "arith.subf" => FloatOp::Sub,
        "arith.mulf" => FloatOp::Mul,
        "arith.divf" => FloatOp::Div,
        "arith.remf" => FloatOp::Rem,
        "arith.negf" => FloatOp::Neg,
        "arith.maxnumf" => FloatOp::MaxNum,
        "arith.minnumf" => FloatOp::MinNum,
        "arith.maximumf" => FloatOp::Maximum,
        "arith.minimumf" => FloatOp::Minimum,
        "math.absf" => FloatOp::Abs,
        "math.copysign" => FloatOp::CopySign,
        "math.fma" => FloatOp::FusedMultiplyAdd,
        "math.sqrt" => FloatOp::Sqrt,
        "math.rsqrt" => FloatOp::ReciprocalSqrt,
        "math.floor" => FloatOp::Floor,
        "math.ceil" => FloatOp::Ceil,
        "math.trunc" => FloatOp::Trunc,
        "math.round" => FloatOp::Round,
        "math.roundeven" => FloatOp::RoundEven,
        _ => return None,
    })
}

fn approximate_op(name: &str, result_number: usize) -> Option<ApproximateOp> {
    Some(match (name, result_number) {
        ("math.cbrt", _) => ApproximateOp::Cbrt,
        ("math.exp", _) => ApproximateOp::Exp,
        ("math.exp2", _) => ApproximateOp::Exp2,
        ("math.expm1", _) => ApproximateOp::ExpM1,
        ("math.log", _) => ApproximateOp::Log,
        ("math.log2", _) => ApproximateOp::Log2,
        ("math.log10", _) => ApproximateOp::Log10,
        ("math.log1p", _) => ApproximateOp::Log1p,
        ("math.powf", _) => ApproximateOp::Power,
        ("math.sin", _) | ("math.sincos", 0) => ApproximateOp::Sin,
        ("math.cos", _) | ("math.sincos", 1) => ApproximateOp::Cos,
        ("math.tan", _) => ApproximateOp::Tan,
        ("math.asin", _) => ApproximateOp::Asin,
        ("math.acos", _) => ApproximateOp::Acos,
        ("math.atan", _) => ApproximateOp::Atan,
        ("math.atan2", _) => ApproximateOp::Atan2,
        ("math.sinh", _) => ApproximateOp::Sinh,
        ("math.cosh", _) => ApproximateOp::Cosh,
        ("math.tanh", _) => ApproximateOp::Tanh,
        ("math.asinh", _) => ApproximateOp::Asinh,
        ("math.acosh", _) => ApproximateOp::Acosh,
        ("math.atanh", _) => ApproximateOp::Atanh,
        ("math.erf", _) => ApproximateOp::Erf,
        ("math.erfc", _) => ApproximateOp::Erfc,
        _ => return None,
    })
}

fn conversion(name: &str) -> Option<Conversion> {
    Some(match name {
        "arith.extf" | "arith.truncf" => Conversion::Float,
        "arith.sitofp" => Conversion::SignedToFloat,
        "arith.uitofp" => Conversion::UnsignedToFloat,
        "arith.fptosi" => Conversion::FloatToSigned,
        "arith.fptoui" => Conversion::FloatToUnsigned,
        "arith.extsi" | "arith.index_cast" => Conversion::SignExtend,
        "arith.extui" | "arith.index_castui" | "arith.trunci" => Conversion::ZeroExtend,
        "arith.bitcast" => Conversion::Bits,
        _ => return None,
    })
}

fn converts(conversion: Conversion, from: Element, to: Element) -> bool {
    let is_float = |element| matches!(element, Element::Float(_));
    match conversion {
        Conversion::Float => is_float(from) && is_float(to),
        Conversion::SignedToFloat | Conversion::UnsignedToFloat => !is_float(from) && is_float(to),
        Conversion::FloatToSigned | Conversion::FloatToUnsigned => is_float(from) && !is_float(to),
        Conversion::SignExtend | Conversion::ZeroExtend => !is_float(from) && !is_float(to),
        Conversion::Bits => from.bits() == to.bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_operations_and_says_what_is_missing() {
        let named = |name: &str, operands: &[Element], result| {
            ScalarOp::named(name, operands, result, 0, None, Promise::NONE)
        };
        let f32 = Element::F32;
        assert_eq!(
            named("arith.addf", &[f32, f32], f32),
            Ok(ScalarOp::Float { op: FloatOp::Add, format: Format::F32 })
        );
        assert_eq!(
            named("arith.addf", &[Element::Index; 2], Element::Index).unwrap_err().to_string(),
            "'arith.addf' is not defined on index, index, index"
        );
        assert_eq!(
            named("math.clampf", &[f32; 3], f32),
            Err(UnknownOp::Name("math.clampf".to_owned()))
        );
        assert_eq!(
            named("arith.cmpf", &[f32, f32], Element::BOOL),
            Err(UnknownOp::Predicate("arith.cmpf".to_owned()))
        );
        assert!(named("arith.bitcast", &[f32], Element::F64).is_err());
    }

    #[test]
    fn predicates_have_their_numbers() {
        assert_eq!(ScalarOp::predicate_number("arith.cmpf", "une"), Some(13));
        assert_eq!(ScalarOp::predicate_number("arith.cmpi", "uge"), Some(9));
        assert_eq!(ScalarOp::predicate_number("arith.cmpi", "oeq"), None);
    }
}
