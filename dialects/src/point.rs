//! The list of supported ops of `arith`, `math` and `scf`.
//!
//! Interpreter and lowering both call [`check`], so they accept the same programs. The semantics of
//! each op is in `dialects/docs/arithmetic.md`. Anything else is rejected: rounding modes other
//! than to nearest, types other than those of [`is_number`], and newer ops of those dialects.
//!
//! Some ops are supported by the interpreter only; the lowering refuses them with the remedy given
//! here.

use crate::{
    attributes,
    ods::{arith, math, scf},
    types::Number,
    walk,
};
use Class::{Approximate, Control, Exact};
use melior::ir::{OperationRef, Type, TypeLike, ValueLike, operation::OperationLike};

/// The accuracy class of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// One result, or an error: equal on every machine.
    Exact,
    /// Close to the exact result, within a bound that depends on the machine.
    Approximate,
    /// Contains other ops.
    Control,
}

/// A supported op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointOp {
    /// Its name.
    pub name: &'static str,
    /// The accuracy class of its results.
    pub class: Class,
    /// The remedy where it cannot be compiled; none where it can.
    pub instead: Option<&'static str>,
}

const fn op(name: &'static str, class: Class) -> PointOp {
    PointOp { name, class, instead: None }
}

const fn interpreted(name: &'static str, instead: &'static str) -> PointOp {
    PointOp { name, class: Exact, instead: Some(instead) }
}

/// All ops, sorted by name.
pub const POINT_OPS: &[PointOp] = &[
    op(arith::ADDF, Exact),
    op(arith::ADDI, Exact),
    op(arith::ADDUI_EXTENDED, Exact),
    op(arith::ANDI, Exact),
    op(arith::BITCAST, Exact),
    op(arith::CEILDIVSI, Exact),
    op(arith::CEILDIVUI, Exact),
    op(arith::CMPF, Exact),
    op(arith::CMPI, Exact),
    op(arith::CONSTANT, Exact),
    op(arith::DIVF, Exact),
    op(arith::DIVSI, Exact),
    op(arith::DIVUI, Exact),
    op(arith::EXTF, Exact),
    op(arith::EXTSI, Exact),
    op(arith::EXTUI, Exact),
    op(arith::FLOORDIVSI, Exact),
    op(arith::FPTOSI, Exact),
    op(arith::FPTOUI, Exact),
    op(arith::INDEX_CAST, Exact),
    op(arith::INDEX_CASTUI, Exact),
    op(arith::MAXIMUMF, Exact),
    op(arith::MAXNUMF, Exact),
    op(arith::MAXSI, Exact),
    op(arith::MAXUI, Exact),
    op(arith::MINIMUMF, Exact),
    op(arith::MINNUMF, Exact),
    op(arith::MINSI, Exact),
    op(arith::MINUI, Exact),
    op(arith::MULF, Exact),
    op(arith::MULI, Exact),
    op(arith::MULSI_EXTENDED, Exact),
    op(arith::MULUI_EXTENDED, Exact),
    op(arith::NEGF, Exact),
    op(arith::ORI, Exact),
    interpreted(arith::REMF, "a GPU computes it with errors; write it with other operations"),
    op(arith::REMSI, Exact),
    op(arith::REMUI, Exact),
    op(arith::SELECT, Exact),
    op(arith::SHLI, Exact),
    op(arith::SHRSI, Exact),
    op(arith::SHRUI, Exact),
    op(arith::SITOFP, Exact),
    op(arith::SUBF, Exact),
    op(arith::SUBI, Exact),
    op(arith::TRUNCF, Exact),
    op(arith::TRUNCI, Exact),
    op(arith::UITOFP, Exact),
    op(arith::XORI, Exact),
    op(math::ABSF, Exact),
    op(math::ABSI, Exact),
    op(math::ACOS, Approximate),
    op(math::ACOSH, Approximate),
    op(math::ASIN, Approximate),
    op(math::ASINH, Approximate),
    op(math::ATAN, Approximate),
    op(math::ATAN2, Approximate),
    op(math::ATANH, Approximate),
    op(math::CBRT, Approximate),
    op(math::CEIL, Exact),
    op(math::COPYSIGN, Exact),
    op(math::COS, Approximate),
    op(math::COSH, Approximate),
    op(math::CTLZ, Exact),
    op(math::CTPOP, Exact),
    op(math::CTTZ, Exact),
    op(math::ERF, Approximate),
    op(math::ERFC, Approximate),
    op(math::EXP, Approximate),
    op(math::EXP2, Approximate),
    op(math::EXPM1, Approximate),
    op(math::FLOOR, Exact),
    op(math::FMA, Exact),
    interpreted(math::FPOWI, "only constant exponents can be compiled (stencil-expand-powers)"),
    interpreted(math::IPOWI, "write it as multiplications"),
    op(math::ISFINITE, Exact),
    op(math::ISINF, Exact),
    op(math::ISNAN, Exact),
    op(math::ISNORMAL, Exact),
    op(math::LOG, Approximate),
    op(math::LOG10, Approximate),
    op(math::LOG1P, Approximate),
    op(math::LOG2, Approximate),
    op(math::POWF, Approximate),
    op(math::ROUND, Exact),
    op(math::ROUNDEVEN, Exact),
    op(math::RSQRT, Exact),
    op(math::SIN, Approximate),
    PointOp {
        name: math::SINCOS,
        class: Approximate,
        instead: Some("write 'math.sin' and 'math.cos'"),
    },
    op(math::SINH, Approximate),
    op(math::SQRT, Exact),
    op(math::TAN, Approximate),
    op(math::TANH, Approximate),
    op(math::TRUNC, Exact),
    op(scf::FOR, Control),
    op(scf::IF, Control),
    op(scf::YIELD, Control),
];

/// Dialects whose ops are either in the list or rejected.
pub const DIALECTS: [&str; 3] = ["arith", "math", "scf"];

/// Why an op is rejected, as the end of a sentence that begins with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meaningless {
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub remedy: &'static str,
}

/// Why `stencil.reduce` is rejected everywhere: it has no result, and its operands are values of
/// one point or of none.
pub fn reduction() -> Meaningless {
    Meaningless {
        what: "is not supported: the dialect does not define its points or their order".to_owned(),
        remedy: "add to one cell in a loop: 'scf.for' around 'memref.load' and 'memref.store' of \
                 that cell",
    }
}

/// The entry of an op of this name.
pub fn find(name: &str) -> Option<&'static PointOp> {
    POINT_OPS.binary_search_by_key(&name, |op| op.name).ok().map(|found| &POINT_OPS[found])
}

/// Whether an op belongs to a dialect whose meaning is in the list.
pub fn is_listed(name: &str) -> bool {
    name.split_once('.').is_some_and(|(dialect, _)| DIALECTS.contains(&dialect))
}

/// Whether an op's results are approximate.
pub fn is_approximate(name: &str) -> bool {
    find(name).is_some_and(|op| op.class == Approximate)
}

/// The entry of an op of `arith`, `math` or `scf`, if it is supported with its attributes and
/// types.
///
/// # Errors
///
/// The reason why it is not.
pub fn check(operation: OperationRef) -> Result<&'static PointOp, Meaningless> {
    let name = walk::name(&operation);
    let Some(op) = find(name) else {
        let what = "has no meaning in a stencil program".to_owned();
        return Err(Meaningless { what, remedy: remedy_for(name) });
    };
    check_rounding(operation)?;
    let operands = operation.operands().map(|operand| operand.r#type());
    let results = operation.results().map(|result| result.r#type());
    let types = operands.chain(results).collect::<Vec<_>>();
    if name.ends_with("_extended") && types.iter().any(|r#type| r#type.is_index()) {
        let what = "is not defined on index".to_owned();
        return Err(Meaningless { what, remedy: "cast the operands to i64" });
    }
    match types.into_iter().find(|r#type| is_foreign(*r#type)) {
        Some(r#type) => Err(Meaningless {
            what: format!("has a value of type {type}"),
            remedy: "points are computed from i1 to i64, index, f16, bf16, f32 and f64",
        }),
        None => Ok(op),
    }
}

/// What to write in the place of an op that points cannot be computed with.
pub fn remedy_for(name: &str) -> &'static str {
    match name.split_once('.') {
        Some(("scf", _)) => "write it with 'scf.if' and 'scf.for'",
        _ => "write it with other operations of arith and math",
    }
}

/// Rounding modes of `arith`, in the order of their numbers in the IR.
const ROUNDING_MODES: [&str; 5] =
    ["to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away"];

/// All results are rounded to nearest, ties to even.
fn check_rounding(operation: OperationRef) -> Result<(), Meaningless> {
    let Ok(mode) = operation.attribute("roundingmode") else { return Ok(()) };
    let number = attributes::integer(mode).and_then(|number| usize::try_from(number).ok());
    if number == Some(0) {
        return Ok(());
    }
    let what = match number.and_then(|number| ROUNDING_MODES.get(number)) {
        Some(name) => format!("has rounding mode {name}"),
        None => format!("has rounding mode {mode}"),
    };
    Err(Meaningless { what, remedy: "remove it: results are rounded to_nearest_even" })
}

/// Whether a value of the type could only come from, or go to, unsupported arithmetic. Fields,
/// temps and the pointers of other languages are passed through, not computed with.
fn is_foreign(r#type: Type) -> bool {
    let is_builtin = r#type.is_integer()
        || r#type.is_float()
        || r#type.is_vector()
        || r#type.is_tensor()
        || r#type.is_complex();
    is_builtin && Number::of(r#type).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::new_context;

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(POINT_OPS.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert!(POINT_OPS.iter().all(|op| is_listed(op.name)));
        assert!(find("arith.addf").is_some() && find("arith.flush_denormals").is_none());
    }

    #[test]
    fn numbers_are_told_from_other_types() {
        let context = new_context();
        let is = |text: &str| Number::of(Type::parse(&context, text).unwrap()).is_some();
        for number in ["i1", "i5", "i64", "index", "f16", "bf16", "f32", "f64"] {
            assert!(is(number), "{number}");
        }
        for other in ["i65", "i128", "si32", "f80", "f128", "tf32", "f8E4M3FN", "vector<4xf32>"] {
            assert!(!is(other), "{other}");
            assert!(is_foreign(Type::parse(&context, other).unwrap()), "{other}");
        }
        assert!(!is_foreign(Type::parse(&context, "!stencil.field<[0,4]xf32>").unwrap()));
    }
}
