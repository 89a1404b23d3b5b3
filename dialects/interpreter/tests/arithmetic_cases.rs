//! The interpreter's arithmetic gives the results of the table of exact cases, bit for bit.

use serde::Deserialize;
use std::collections::BTreeSet;
use stencil_interpreter::{
    Element, Scalar,
    arithmetic::{Promise, ScalarOp},
};

#[derive(Deserialize)]
struct Table {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    op: String,
    predicate: Option<String>,
    types: Vec<String>,
    operands: Vec<String>,
    result_type: String,
    result: String,
    why: String,
}

fn table() -> Table {
    serde_json::from_str(include_str!("../../docs/arithmetic-cases.json")).unwrap()
}

/// What the interpreter gives, written as the table writes it.
fn evaluate(case: &Case) -> String {
    let types: Vec<Element> = case.types.iter().map(|text| Element::parse(text).unwrap()).collect();
    let result_type = Element::parse(&case.result_type).unwrap();
    let predicate = case
        .predicate
        .as_ref()
        .map(|predicate| ScalarOp::predicate_number(&case.op, predicate).unwrap());
    let op = ScalarOp::named(&case.op, &types, result_type, 0, predicate, Promise::NONE).unwrap();
    assert!(!op.is_approximate(), "'{}' has no exact cases", case.op);
    let mut operands = [0; 3];
    for (operand, text) in operands.iter_mut().zip(&case.operands) {
        *operand = u64::from_str_radix(text, 16).unwrap();
    }
    match op.evaluate(operands) {
        Err(_) => "error".to_owned(),
        Ok(bits) => {
            let result = Scalar::from_bits(result_type, bits);
            assert_eq!(result.bits, bits, "no bits above the type's width");
            if matches!(result_type, Element::Float(_)) && result.to_f64().is_nan() {
                return "nan".to_owned();
            }
            let digits = (result_type.bits() as usize).div_ceil(4);
            format!("{bits:0digits$x}")
        }
    }
}

#[test]
fn every_case_has_its_result() {
    let wrong: Vec<String> = table()
        .cases
        .iter()
        .filter_map(|case| {
            let got = evaluate(case);
            (got != case.result).then(|| {
                format!(
                    "{} {:?} on {:?}: {}: expected {}, got {got}",
                    case.op, case.types, case.operands, case.why, case.result
                )
            })
        })
        .collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_float_type_has_a_dozen_cases_of_the_rounded_ops() {
    let table = table();
    for op in ["arith.addf", "arith.mulf", "arith.divf", "math.sqrt", "math.fma", "math.fpowi"] {
        for element in ["f16", "bf16", "f32", "f64"] {
            let cases = table.cases.iter().filter(|case| case.op == op && case.types[0] == element);
            assert!(cases.count() >= 12, "{op} on {element}");
        }
    }
    let ops: BTreeSet<&str> = table.cases.iter().map(|case| case.op.as_str()).collect();
    assert!(ops.len() >= 60, "{} ops have cases", ops.len());
}
