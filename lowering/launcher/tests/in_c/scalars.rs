//! The conformance cases of numbers, as calls from C.

use crate::compiled::{Program, kernel, package, scalar};
use serde::Deserialize;
use std::{collections::BTreeMap, fmt::Write};
use stencil_runtime::{
    ScalarOp, ScalarType, ScalarValue,
    manifest::{Function, Id, Parameter, Statement},
};

#[derive(Deserialize)]
struct File {
    format: u32,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
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

/// The cases of one operation on one list of types.
type Groups<'c> = BTreeMap<String, Vec<&'c Case>>;

fn groups(cases: &[Case]) -> Groups<'_> {
    let mut groups = Groups::new();
    for case in cases {
        let types: Vec<&str> = case.operands.iter().map(|value| value.ty().name()).collect();
        let name = format!("{}_{}_{}", case.op, types.join("_"), case.ty).replace(' ', "_");
        groups.entry(name).or_default().push(case);
    }
    groups
}

/// A function that computes the operation and launches a kernel with the result.
fn function(name: &str, case: &Case) -> Function {
    let operands = case.operands.iter().enumerate();
    let arguments = operands.map(|(index, value)| scalar(&format!("x{index}"), value.ty()));
    let result = Id(case.operands.len() as u32);
    Function {
        name: name.to_owned(),
        variant_of: None,
        arguments: arguments.collect(),
        body: vec![
            Statement::Scalar {
                result,
                op: case.op,
                operands: (0..result.0).map(Id).collect(),
                ty: case.ty,
            },
            Statement::Launch { kernel: format!("take_{}", case.ty), arguments: vec![result] },
        ],
        time_steps: None,
        step_limits: Vec::new(),
        extents: None,
        decomposition: None,
    }
}

/// A value as an argument in C, of the type that the header says.
pub fn argument(value: ScalarValue) -> String {
    let bits = value.bits();
    match value.ty() {
        ScalarType::F32 => format!("single(0x{bits:x}u)"),
        ScalarType::F64 => format!("wide(0x{bits:x}u)"),
        ScalarType::F16 | ScalarType::Bf16 | ScalarType::I1 => format!("0x{bits:x}"),
        _ if value.signed() == i64::MIN => "INT64_MIN".to_owned(),
        _ => value.signed().to_string(),
    }
}

const HEAD: &str = r#"
#include <cuda.h>
#include <stdio.h>
#include <string.h>

void (*driver_on_launch)(const char *kernel, void **parameters);
int driver_log_copies;

static float single(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double wide(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void report(stencil_status code)
{
    if (code != STENCIL_OK) {
        printf("%d %s\n", (int)code, stencil_last_error());
    }
}
"#;

const BEGIN: &str = r#"
int main(void)
{
    stencil_module *handle = NULL;
    cuCtxSetCurrent((CUcontext)(uintptr_t)1);
    report(cases_create(&handle));
"#;

/// What the program prints for a case.
fn line(case: &Case, printed: &str) -> bool {
    let error = |kind: &str| match kind {
        "division_by_zero" => "by zero",
        "division_overflow" => "overflows",
        "shift_too_wide" => "the amount must be below",
        "out_of_range" => "which cannot hold it",
        other => unreachable!("{other}"),
    };
    match &case.result {
        Expected::Bits(bits) => {
            let bits = bits.trim_start_matches("0x");
            printed == format!("launch take_{} 4,2,1 32,3,1 0 {bits}", case.ty)
        }
        Expected::Error { error: kind } => {
            printed.starts_with("3 ") && printed.contains(error(kind))
        }
    }
}

#[test]
fn every_case_has_its_exact_result_in_c() {
    let text = include_str!("../../../runtime/tests/conformance/scalars.json");
    let file: File = serde_json::from_str(text).unwrap();
    assert_eq!(file.format, 1);
    let groups = groups(&file.cases);
    let functions = groups.iter().map(|(name, cases)| function(name, cases[0])).collect();
    let kernels = ScalarType::ALL
        .iter()
        .map(|ty| kernel(&format!("take_{ty}"), vec![Parameter::Scalar(*ty)]))
        .collect();
    // A function for each op: compilers take long for thousands of calls in one.
    let (mut calls, mut main) = (HEAD.to_owned(), BEGIN.to_owned());
    for (name, cases) in &groups {
        writeln!(calls, "\nstatic void call_{name}(stencil_module *handle)\n{{").unwrap();
        for case in cases {
            let operands: Vec<String> = case.operands.iter().copied().map(argument).collect();
            let call = format!("cases_run_{name}(handle, {}, NULL)", operands.join(", "));
            writeln!(calls, "    report({call});").unwrap();
        }
        calls.push_str("}\n");
        writeln!(main, "    call_{name}(handle);").unwrap();
    }
    main.push_str("    stencil_module_free(handle);\n    return 0;\n}\n");
    let main = calls + &main;
    let program = Program::new(&package(functions, kernels), "cases", &main);

    let printed = program.run("cc", &["-O0"]);
    let cases: Vec<&Case> = groups.values().flatten().copied().collect();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .zip(&lines)
        .filter(|(case, printed)| !line(case, printed))
        .map(|(case, printed)| format!("{} {:?}: {printed}", case.op, case.operands))
        .collect();
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}
