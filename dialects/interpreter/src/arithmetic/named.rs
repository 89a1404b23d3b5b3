//! Maps the name of an op in the IR, and its types, to the operation.
//!
//! One list serves the decoder and the table of exact cases, so that the table tests what programs
//! run.

use super::{
    ApproximateOp, Classification, Conversion, FloatOp, FloatPredicate, IntegerOp,
    IntegerPredicate, Promise, ScalarOp,
};
use crate::element::{Element, Format};
use stencil_dialects::ods::{arith, math};
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
            arith::CMPI => {
                let known = predicate.and_then(|number| IntegerPredicate::ALL.get(number));
                let predicate = *known.ok_or_else(no_predicate)?;
                Ok(Self::CompareIntegers { predicate, bits: bits()? })
            }
            arith::CMPF => {
                let known = predicate.and_then(|number| FloatPredicate::ALL.get(number));
                let predicate = *known.ok_or_else(no_predicate)?;
                Ok(Self::CompareFloats { predicate, format: float()? })
            }
            math::ISNAN => Ok(classify(Classification::IsNan, float()?)),
            math::ISINF => Ok(classify(Classification::IsInfinite, float()?)),
            math::ISFINITE => Ok(classify(Classification::IsFinite, float()?)),
            math::ISNORMAL => Ok(classify(Classification::IsNormal, float()?)),
            math::FPOWI => match operands {
                [_, exponent @ (Element::Integer(_) | Element::Index)] => {
                    let exponent_bits = exponent.bits();
                    Ok(Self::PowerOfInteger { format: float()?, exponent_bits })
                }
                _ => Err(wrong_types()),
            },
            arith::SELECT => Ok(Self::Select),
            _ => Err(UnknownOp::Name(name.to_owned())),
        }
    }

    /// The number of a predicate that the IR spells `text`, for the comparison called `name`.
    pub fn predicate_number(name: &str, text: &str) -> Option<usize> {
        let spellings: &[&str] = match name {
            arith::CMPI => &INTEGER_PREDICATES,
            arith::CMPF => &FLOAT_PREDICATES,
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
        (arith::ADDI | arith::ADDUI_EXTENDED, 0) => IntegerOp::Add,
        (arith::ADDUI_EXTENDED, 1) => IntegerOp::AddCarry,
        (arith::SUBI, _) => IntegerOp::Sub,
        (arith::MULI | arith::MULSI_EXTENDED | arith::MULUI_EXTENDED, 0) => IntegerOp::Mul,
        (arith::MULSI_EXTENDED, 1) => IntegerOp::MulHighSigned,
        (arith::MULUI_EXTENDED, 1) => IntegerOp::MulHighUnsigned,
        (arith::DIVSI, _) => IntegerOp::DivSigned,
        (arith::DIVUI, _) => IntegerOp::DivUnsigned,
        (arith::CEILDIVSI, _) => IntegerOp::CeilDivSigned,
        (arith::CEILDIVUI, _) => IntegerOp::CeilDivUnsigned,
        (arith::FLOORDIVSI, _) => IntegerOp::FloorDivSigned,
        (arith::REMSI, _) => IntegerOp::RemSigned,
        (arith::REMUI, _) => IntegerOp::RemUnsigned,
        (arith::ANDI, _) => IntegerOp::And,
        (arith::ORI, _) => IntegerOp::Or,
        (arith::XORI, _) => IntegerOp::Xor,
        (arith::SHLI, _) => IntegerOp::ShiftLeft,
        (arith::SHRSI, _) => IntegerOp::ShiftRightSigned,
        (arith::SHRUI, _) => IntegerOp::ShiftRightUnsigned,
        (arith::MAXSI, _) => IntegerOp::MaxSigned,
        (arith::MAXUI, _) => IntegerOp::MaxUnsigned,
        (arith::MINSI, _) => IntegerOp::MinSigned,
        (arith::MINUI, _) => IntegerOp::MinUnsigned,
        (math::ABSI, _) => IntegerOp::Abs,
        (math::IPOWI, _) => IntegerOp::Power,
        (math::CTLZ, _) => IntegerOp::CountLeadingZeros,
        (math::CTTZ, _) => IntegerOp::CountTrailingZeros,
        (math::CTPOP, _) => IntegerOp::CountOnes,
        _ => return None,
    })
}

fn float_op(name: &str) -> Option<FloatOp> {
    Some(match name {
        arith::ADDF => FloatOp::Add,
        arith::SUBF => FloatOp::Sub,
        arith::MULF => FloatOp::Mul,
        arith::DIVF => FloatOp::Div,
        arith::REMF => FloatOp::Rem,
        arith::NEGF => FloatOp::Neg,
        arith::MAXNUMF => FloatOp::MaxNum,
        arith::MINNUMF => FloatOp::MinNum,
        arith::MAXIMUMF => FloatOp::Maximum,
        arith::MINIMUMF => FloatOp::Minimum,
        math::ABSF => FloatOp::Abs,
        math::COPYSIGN => FloatOp::CopySign,
        math::FMA => FloatOp::FusedMultiplyAdd,
        math::SQRT => FloatOp::Sqrt,
        math::RSQRT => FloatOp::ReciprocalSqrt,
        math::FLOOR => FloatOp::Floor,
        math::CEIL => FloatOp::Ceil,
        math::TRUNC => FloatOp::Trunc,
        math::ROUND => FloatOp::Round,
        math::ROUNDEVEN => FloatOp::RoundEven,
        _ => return None,
    })
}

fn approximate_op(name: &str, result_number: usize) -> Option<ApproximateOp> {
    Some(match (name, result_number) {
        (math::CBRT, _) => ApproximateOp::Cbrt,
        (math::EXP, _) => ApproximateOp::Exp,
        (math::EXP2, _) => ApproximateOp::Exp2,
        (math::EXPM1, _) => ApproximateOp::ExpM1,
        (math::LOG, _) => ApproximateOp::Log,
        (math::LOG2, _) => ApproximateOp::Log2,
        (math::LOG10, _) => ApproximateOp::Log10,
        (math::LOG1P, _) => ApproximateOp::Log1p,
        (math::POWF, _) => ApproximateOp::Power,
        (math::SIN, _) | (math::SINCOS, 0) => ApproximateOp::Sin,
        (math::COS, _) | (math::SINCOS, 1) => ApproximateOp::Cos,
        (math::TAN, _) => ApproximateOp::Tan,
        (math::ASIN, _) => ApproximateOp::Asin,
        (math::ACOS, _) => ApproximateOp::Acos,
        (math::ATAN, _) => ApproximateOp::Atan,
        (math::ATAN2, _) => ApproximateOp::Atan2,
        (math::SINH, _) => ApproximateOp::Sinh,
        (math::COSH, _) => ApproximateOp::Cosh,
        (math::TANH, _) => ApproximateOp::Tanh,
        (math::ASINH, _) => ApproximateOp::Asinh,
        (math::ACOSH, _) => ApproximateOp::Acosh,
        (math::ATANH, _) => ApproximateOp::Atanh,
        (math::ERF, _) => ApproximateOp::Erf,
        (math::ERFC, _) => ApproximateOp::Erfc,
        _ => return None,
    })
}

fn conversion(name: &str) -> Option<Conversion> {
    Some(match name {
        arith::EXTF | arith::TRUNCF => Conversion::Float,
        arith::SITOFP => Conversion::SignedToFloat,
        arith::UITOFP => Conversion::UnsignedToFloat,
        arith::FPTOSI => Conversion::FloatToSigned,
        arith::FPTOUI => Conversion::FloatToUnsigned,
        arith::EXTSI | arith::INDEX_CAST => Conversion::SignExtend,
        arith::EXTUI | arith::INDEX_CASTUI | arith::TRUNCI => Conversion::ZeroExtend,
        arith::BITCAST => Conversion::Bits,
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
        assert_eq!(
            named("arith.bitcast", &[f32], Element::F64).unwrap_err().to_string(),
            "'arith.bitcast' is not defined on f32, f64"
        );
    }

    #[test]
    fn predicates_have_their_numbers() {
        assert_eq!(ScalarOp::predicate_number("arith.cmpf", "une"), Some(13));
        assert_eq!(ScalarOp::predicate_number("arith.cmpi", "uge"), Some(9));
        assert_eq!(ScalarOp::predicate_number("arith.cmpi", "oeq"), None);
    }
}
