//! The cases that every host of a package must pass: exact results from rational arithmetic,
//! written by `conformance/generate.py`, which says what the file's fields mean.

use serde::Deserialize;
use stencil_runtime::scalar::{ScalarError, ScalarOp, ScalarType, ScalarValue};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: u32,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    op: ScalarOp,
    operands: Vec<ScalarValue>,
    #[serde(rename = "type")]
    ty: ScalarType,
    result: Expected,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Expected {
    /// Hexadecimal bits, or "nan" for any NaN.
    Bits(String),
    Error {
        error: String,
    },
}

fn error_kind(error: &ScalarError) -> &'static str {
    match error {
        ScalarError::DivisionByZero { .. } => "division_by_zero",
        ScalarError::DivisionOverflow { .. } => "division_overflow",
        ScalarError::ShiftTooWide { .. } => "shift_too_wide",
        ScalarError::OutOfRange { .. } => "out_of_range",
        ScalarError::Types { .. } => "types",
    }
}

fn passes(case: &Case) -> bool {
    match (case.op.evaluate(&case.operands, case.ty), &case.result) {
        (Ok(value), Expected::Bits(bits)) if bits == "nan" => value.is_nan(),
        (Ok(value), Expected::Bits(bits)) => {
            let bits = u64::from_str_radix(bits.strip_prefix("0x").unwrap(), 16).unwrap();
            value.ty() == case.ty && value.bits() == bits
        }
        (Err(error), Expected::Error { error: kind }) => error_kind(&error) == kind,
        _ => false,
    }
}

#[test]
fn every_case_has_its_exact_result() {
    let file: File = serde_json::from_str(include_str!("conformance/scalars.json")).unwrap();
    assert_eq!(file.format, 1);
    let wrong: Vec<String> = file
        .cases
        .iter()
        .filter(|case| !passes(case))
        .map(|case| {
            let got = case.op.evaluate(&case.operands, case.ty);
            format!("{} {:?} -> {}: {got:?}", case.op, case.operands, case.ty)
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), file.cases.len(), wrong.join("\n"));

    // Nothing is left out: each operation occurs, a comparison with each predicate.
    let mut ops: Vec<String> = file.cases.iter().map(|case| case.op.to_string()).collect();
    ops.sort();
    ops.dedup();
    assert_eq!(ops.len(), 41 + 10 + 16, "{ops:?}");
}
