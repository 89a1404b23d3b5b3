//! The operations of a host program: their names, their types, and what they compute.
//!
//! The names and the meaning are those of MLIR's `arith` and `math`. All of them are exact or
//! correctly rounded, so that a host in any language can compute the same bits; what is not
//! (`exp`, `sin`, division by a reciprocal ...) does not run on the host. What MLIR leaves
//! undefined (division by zero, conversions out of range, shifts too wide) is an error here.

use super::{ScalarType, ScalarValue, float, integer};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A comparison of integers, as `arith.cmpi` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are MLIR's and say it all")]
pub enum IntPredicate {
    Eq,
    Ne,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ult,
    Ule,
    Ugt,
    Uge,
}

/// A comparison of floats, as `arith.cmpf` names it: `o` is false on NaN, `u` is true on NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are MLIR's and say it all")]
pub enum FloatPredicate {
    False,
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
    True,
}

/// An operation on scalars. In JSON it is its MLIR name, `"addi"` or `{"cmpi": "slt"}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are MLIR's and say it all")]
pub enum ScalarOp {
    AddI,
    SubI,
    MulI,
    DivSI,
    DivUI,
    RemSI,
    RemUI,
    AndI,
    OrI,
    XOrI,
    ShLI,
    ShRSI,
    ShRUI,
    MinSI,
    MinUI,
    MaxSI,
    MaxUI,
    CmpI(IntPredicate),
    /// `select condition, if_true, if_false`, of any type.
    Select,
    ExtSI,
    ExtUI,
    TruncI,
    /// Between `index` and an integer, sign-extending.
    #[serde(rename = "index_cast")]
    IndexCast,
    /// Between `index` and an integer, zero-extending.
    #[serde(rename = "index_castui")]
    IndexCastUI,
    SIToFP,
    UIToFP,
    FPToSI,
    FPToUI,
    ExtF,
    TruncF,
    AddF,
    SubF,
    MulF,
    DivF,
    NegF,
    AbsF,
    Sqrt,
    /// `fma a, b, c` is `a * b + c`, rounded once.
    Fma,
    CmpF(FloatPredicate),
    /// A NaN operand loses; +0 is greater than -0.
    MinNumF,
    /// A NaN operand loses; +0 is greater than -0.
    MaxNumF,
    /// A NaN operand wins; +0 is greater than -0.
    MinimumF,
    /// A NaN operand wins; +0 is greater than -0.
    MaximumF,
}

/// An error in an operation on values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScalarError {
    /// `divsi`, `divui`, `remsi` or `remui` by zero.
    #[error("'{op}' divides {dividend} by zero")]
    DivisionByZero {
        /// The operation.
        op: ScalarOp,
        /// The left operand.
        dividend: i64,
    },
    /// The smallest integer divided by -1.
    #[error("'{op}' overflows: {dividend} divided by -1 is not a value of {ty}")]
    DivisionOverflow {
        /// The operation.
        op: ScalarOp,
        /// The left operand.
        dividend: i64,
        /// The type of the division.
        ty: ScalarType,
    },
    /// A shift by the width of the type or more.
    #[error("'{op}' shifts a value of {ty} by {amount}: the amount must be below {}", ty.bits())]
    ShiftTooWide {
        /// The operation.
        op: ScalarOp,
        /// The shift amount, unsigned.
        amount: u64,
        /// The type that is shifted.
        ty: ScalarType,
    },
    /// A float whose integer part the result type cannot hold.
    #[error("'{op}' converts {value} to {ty}, which cannot hold it")]
    OutOfRange {
        /// The operation.
        op: ScalarOp,
        /// The operand.
        value: ScalarValue,
        /// The result type.
        ty: ScalarType,
    },
    /// Operand or result types that the operation does not take.
    #[error("'{op}' does not take ({operands}) -> {result}: it takes {rule}")]
    Types {
        /// The operation.
        op: ScalarOp,
        /// The operand types, separated by commas.
        operands: String,
        /// The result type.
        result: ScalarType,
        /// The expected types.
        rule: TypeRule,
    },
}

/// Which operand and result types an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the text of Display is the documentation")]
pub enum TypeRule {
    SameIntegers,
    SameFloats(usize),
    IntegersToI1,
    FloatsToI1,
    Select,
    WiderInteger,
    NarrowerInteger,
    Index,
    IntegerToFloat,
    FloatToInteger,
    WiderFloat,
    NarrowerFloat,
}

impl fmt::Display for TypeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TypeRule::SameIntegers => "(T, T) -> T with T an integer or index",
            TypeRule::SameFloats(1) => "(T) -> T with T a float",
            TypeRule::SameFloats(2) => "(T, T) -> T with T a float",
            TypeRule::SameFloats(_) => "(T, T, T) -> T with T a float",
            TypeRule::IntegersToI1 => "(T, T) -> i1 with T an integer or index",
            TypeRule::FloatsToI1 => "(T, T) -> i1 with T a float",
            TypeRule::Select => "(i1, T, T) -> T",
            TypeRule::WiderInteger => "(T) -> U with integers T, U and U wider",
            TypeRule::NarrowerInteger => "(T) -> U with integers T, U and U narrower",
            TypeRule::Index => "(index) -> T or (T) -> index with T an integer",
            TypeRule::IntegerToFloat => "(T) -> U with T an integer and U a float",
            TypeRule::FloatToInteger => "(T) -> U with T a float and U an integer",
            TypeRule::WiderFloat => "(T) -> U with floats T, U and U wider",
            TypeRule::NarrowerFloat => "(T) -> U with floats T, U and U narrower",
        })
    }
}

impl TypeRule {
    /// Whether these types follow the rule.
    fn accepts(self, operands: &[ScalarType], result: ScalarType) -> bool {
        use ScalarType::{I1, Index};
        let fixed_width = |ty: ScalarType| ty.is_integer() && ty != Index;
        match (self, operands) {
            (TypeRule::SameIntegers, &[a, b]) => a == b && b == result && a.is_integer(),
            (TypeRule::SameFloats(count), all) => {
                all.len() == count && result.is_float() && all.iter().all(|&ty| ty == result)
            }
            (TypeRule::IntegersToI1, &[a, b]) => a == b && a.is_integer() && result == I1,
            (TypeRule::FloatsToI1, &[a, b]) => a == b && a.is_float() && result == I1,
            (TypeRule::Select, &[condition, a, b]) => condition == I1 && a == b && b == result,
            (TypeRule::WiderInteger, &[a]) => {
                fixed_width(a) && fixed_width(result) && result.bits() > a.bits()
            }
            (TypeRule::NarrowerInteger, &[a]) => {
                fixed_width(a) && fixed_width(result) && result.bits() < a.bits()
            }
            (TypeRule::Index, &[a]) => {
                (a == Index && fixed_width(result)) || (fixed_width(a) && result == Index)
            }
            (TypeRule::IntegerToFloat, &[a]) => fixed_width(a) && result.is_float(),
            (TypeRule::FloatToInteger, &[a]) => a.is_float() && fixed_width(result),
            (TypeRule::WiderFloat, &[a]) => {
                a.is_float() && result.is_float() && result.bits() > a.bits()
            }
            (TypeRule::NarrowerFloat, &[a]) => {
                a.is_float() && result.is_float() && result.bits() < a.bits()
            }
            _ => false,
        }
    }
}

impl ScalarOp {
    /// The operation with this name, without its dialect: `addi`, `sqrt`.
    ///
    /// Comparisons are not found here, because the name does not hold the predicate.
    pub fn from_name(name: &str) -> Option<ScalarOp> {
        serde_json::from_value(serde_json::Value::from(name)).ok()
    }

    /// The types that the operation takes.
    pub fn type_rule(self) -> TypeRule {
        use ScalarOp as Op;
        match self {
            Op::AddI | Op::SubI | Op::MulI | Op::DivSI | Op::DivUI | Op::RemSI | Op::RemUI => {
                TypeRule::SameIntegers
            }
            Op::AndI | Op::OrI | Op::XOrI | Op::ShLI | Op::ShRSI | Op::ShRUI => {
                TypeRule::SameIntegers
            }
            Op::MinSI | Op::MinUI | Op::MaxSI | Op::MaxUI => TypeRule::SameIntegers,
            Op::CmpI(_) => TypeRule::IntegersToI1,
            Op::Select => TypeRule::Select,
            Op::ExtSI | Op::ExtUI => TypeRule::WiderInteger,
            Op::TruncI => TypeRule::NarrowerInteger,
            Op::IndexCast | Op::IndexCastUI => TypeRule::Index,
            Op::SIToFP | Op::UIToFP => TypeRule::IntegerToFloat,
            Op::FPToSI | Op::FPToUI => TypeRule::FloatToInteger,
            Op::ExtF => TypeRule::WiderFloat,
            Op::TruncF => TypeRule::NarrowerFloat,
            Op::NegF | Op::AbsF | Op::Sqrt => TypeRule::SameFloats(1),
            Op::AddF | Op::SubF | Op::MulF | Op::DivF => TypeRule::SameFloats(2),
            Op::MinNumF | Op::MaxNumF | Op::MinimumF | Op::MaximumF => TypeRule::SameFloats(2),
            Op::Fma => TypeRule::SameFloats(3),
            Op::CmpF(_) => TypeRule::FloatsToI1,
        }
    }

    /// Checks operand and result types.
    pub fn check_types(
        self,
        operands: &[ScalarType],
        result: ScalarType,
    ) -> Result<(), ScalarError> {
        let rule = self.type_rule();
        if rule.accepts(operands, result) {
            return Ok(());
        }
        let operands = operands.iter().map(|ty| ty.name()).collect::<Vec<_>>().join(", ");
        Err(ScalarError::Types { op: self, operands, result, rule })
    }

    /// Computes the operation; types are checked first, so any input is safe.
    pub fn evaluate(
        self,
        operands: &[ScalarValue],
        result: ScalarType,
    ) -> Result<ScalarValue, ScalarError> {
        let types: Vec<ScalarType> = operands.iter().map(|value| value.ty()).collect();
        self.check_types(&types, result)?;
        match self.type_rule() {
            TypeRule::Select => Ok(if operands[0].is_true() { operands[1] } else { operands[2] }),
            TypeRule::SameIntegers => integer::binary(self, operands[0], operands[1]),
            TypeRule::IntegersToI1
            | TypeRule::WiderInteger
            | TypeRule::NarrowerInteger
            | TypeRule::Index => Ok(integer::exact(self, operands, result)),
            TypeRule::IntegerToFloat => Ok(float::from_integer(self, operands[0], result)),
            TypeRule::FloatToInteger => float::to_integer(self, operands[0], result),
            TypeRule::SameFloats(_)
            | TypeRule::FloatsToI1
            | TypeRule::WiderFloat
            | TypeRule::NarrowerFloat => Ok(float::exact(self, operands, result)),
        }
    }
}

impl fmt::Display for ScalarOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = serde_json::to_value(self).expect("an operation is plain data");
        match &json {
            serde_json::Value::String(name) => f.write_str(name),
            serde_json::Value::Object(fields) => {
                let (name, predicate) = fields.iter().next().expect("a variant has its name");
                write!(f, "{name} {}", predicate.as_str().expect("a predicate is a name"))
            }
            other => unreachable!("an operation is a name or a name with a predicate: {other}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_mlir() {
        for name in ["addi", "divsi", "xori", "shrui", "index_cast", "sitofp", "fptoui", "fma"] {
            assert_eq!(ScalarOp::from_name(name).unwrap().to_string(), name);
        }
        assert_eq!(ScalarOp::from_name("exp"), None);
        assert_eq!(ScalarOp::from_name("cmpi"), None);
        assert_eq!(ScalarOp::CmpF(FloatPredicate::Une).to_string(), "cmpf une");
        assert_eq!(
            serde_json::to_string(&ScalarOp::CmpI(IntPredicate::Slt)).unwrap(),
            r#"{"cmpi":"slt"}"#
        );
    }

    #[test]
    fn wrong_types_are_refused_with_the_right_ones() {
        use ScalarType::{F32, F64, I1, I32, I64, Index};
        let refused = |op: ScalarOp, operands: &[ScalarType], result| {
            op.check_types(operands, result).unwrap_err().to_string()
        };
        assert_eq!(
            refused(ScalarOp::AddF, &[F32, F64], F64),
            "'addf' does not take (f32, f64) -> f64: it takes (T, T) -> T with T a float"
        );
        refused(ScalarOp::AddI, &[I32], I32);
        refused(ScalarOp::AddI, &[F32, F32], F32);
        refused(ScalarOp::ExtSI, &[I64], I32);
        refused(ScalarOp::ExtSI, &[I32], Index);
        refused(ScalarOp::IndexCast, &[I32], I64);
        refused(ScalarOp::TruncF, &[F32], F32);
        refused(ScalarOp::ExtF, &[ScalarType::F16], ScalarType::Bf16);
        refused(ScalarOp::Select, &[I32, F32, F32], F32);
        refused(ScalarOp::CmpI(IntPredicate::Eq), &[I32, I32], I32);
        assert!(ScalarOp::Select.check_types(&[I1, F32, F32], F32).is_ok());
        assert!(ScalarOp::IndexCast.check_types(&[Index], I32).is_ok());
        assert_eq!(
            ScalarOp::Fma.evaluate(&[], F32).unwrap_err().to_string(),
            "'fma' does not take () -> f32: it takes (T, T, T) -> T with T a float"
        );
    }
}
