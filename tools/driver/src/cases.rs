//! The table of exact arithmetic cases as stencil programs.
//!
//! `dialects/docs/arithmetic-cases.json` says, for operations on numbers, which bits must come out.
//! Here each operation becomes a program that applies it to a 1-D field per operand, so that
//! interpreter, emulator and GPU run the whole table through the same compiler as any program.

use serde::Deserialize;
use std::collections::BTreeMap;
use stencil_runtime::scalar::{ScalarType, ScalarValue};
use thiserror::Error;

/// The table is not as it should be.
#[derive(Debug, Error)]
#[error("arithmetic-cases.json: {0}")]
pub struct CasesError(String);

#[derive(Deserialize)]
struct Table {
    cases: Vec<Case>,
}

#[derive(Clone, Deserialize)]
struct Case {
    op: String,
    predicate: Option<String>,
    types: Vec<String>,
    operands: Vec<String>,
    result_type: String,
    result: String,
}

/// A program that applies one operation to all its cases.
pub struct CaseProgram {
    /// The operation and its types, as one word.
    pub name: String,
    /// The program. Its fields are the operands, then the result.
    pub text: String,
    /// Content of the operand fields.
    pub operands: Vec<Vec<ScalarValue>>,
    /// What the result field must hold; none stands for any NaN.
    pub results: Vec<Option<ScalarValue>>,
}

/// Operations that have no lowering: the compiler refuses them, with the reason.
const NOT_COMPILED: &[&str] = &["arith.remf", "math.ipowi"];

/// All cases with a value, as programs; cases that are errors are the interpreter's alone.
///
/// # Errors
/// If the table is malformed.
pub fn programs() -> Result<Vec<CaseProgram>, CasesError> {
    let table = include_str!("../../../dialects/docs/arithmetic-cases.json");
    let table: Table =
        serde_json::from_str(table).map_err(|error| CasesError(error.to_string()))?;
    let mut groups: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in table.cases {
        // MLIR has no conversion of index to float: such rows are the interpreter's.
        let is_mlir = !(case.op.ends_with("tofp") && case.types[0] == "index");
        let is_value = case.result != "error" && !is_approximate(&case.op);
        if is_mlir && is_value && !NOT_COMPILED.contains(&case.op.as_str()) {
            groups.entry(group(&case)).or_default().push(case);
        }
    }
    groups.into_iter().map(|(name, cases)| program(name, &cases)).collect()
}

fn is_approximate(operation: &str) -> bool {
    stencil_lowering::nvvm::convert_math_to_intrinsics::is_approximate(operation)
}

/// Cases of one name make one program. Exponents of powers are constants, so they are part of it.
fn group(case: &Case) -> String {
    let mut name = case.op.replace('.', "_");
    if let Some(predicate) = &case.predicate {
        name = format!("{name}_{predicate}");
    }
    name = format!("{name}_{}_{}", case.types.join("_"), case.result_type);
    match case.op.as_str() {
        "math.fpowi" => format!("{name}_{}", case.operands[1]),
        _ => name,
    }
}

fn program(name: String, cases: &[Case]) -> Result<CaseProgram, CasesError> {
    let first = &cases[0];
    let fields = match first.op.as_str() {
        "math.fpowi" => 1,
        _ => first.types.len(),
    };
    let mut operands = Vec::new();
    for position in 0..fields {
        let values = cases.iter().map(|case| bits(&case.types[position], &case.operands[position]));
        operands.push(values.collect::<Result<_, _>>()?);
    }
    let results = cases
        .iter()
        .map(|case| match case.result.as_str() {
            "nan" => Ok(None),
            result => bits(&case.result_type, result).map(Some),
        })
        .collect::<Result<_, _>>()?;
    Ok(CaseProgram { text: text(first, fields, cases.len())?, name, operands, results })
}

fn bits(r#type: &str, text: &str) -> Result<ScalarValue, CasesError> {
    let r#type = ScalarType::from_name(r#type)
        .ok_or_else(|| CasesError(format!("unknown type '{type}'", type = r#type)))?;
    let bits = u64::from_str_radix(text, 16)
        .map_err(|_| CasesError(format!("'{text}' is no hexadecimal number")))?;
    Ok(ScalarValue::from_bits(r#type, bits))
}

fn text(case: &Case, fields: usize, count: usize) -> Result<String, CasesError> {
    let types = &case.types[..fields];
    let field = |r#type: &str| format!("!stencil.field<[0,{count}]x{type}>", type = r#type);
    let temp = |r#type: &str| format!("!stencil.temp<[0,{count}]x{type}>", type = r#type);
    let result = &case.result_type;
    let mut lines = Vec::new();
    let arguments = types
        .iter()
        .enumerate()
        .map(|(i, r#type)| format!("%in{i}: {}", field(r#type)))
        .chain([format!("%out: {}", field(result))]);
    lines.push(format!("func.func @main({}) {{", arguments.collect::<Vec<_>>().join(", ")));
    for (i, r#type) in types.iter().enumerate() {
        lines.push(format!(
            "  %t{i} = stencil.load %in{i} : {} -> {}",
            field(r#type),
            temp(r#type)
        ));
    }
    let bound =
        types.iter().enumerate().map(|(i, r#type)| format!("%a{i} = %t{i} : {}", temp(r#type)));
    let bound = bound.collect::<Vec<_>>().join(", ");
    lines.push(format!("  %r = stencil.apply({bound}) -> ({}) {{", temp(result)));
    for (i, r#type) in types.iter().enumerate() {
        lines.push(format!("    %v{i} = stencil.access %a{i}[0] : {}", temp(r#type)));
    }
    lines.push(operation(case, fields)?);
    lines.push(format!("    stencil.return %v : {result}\n  }}"));
    lines.push(format!(
        "  stencil.store %r to %out(<[0], [{count}]>) : {} to {}",
        temp(result),
        field(result)
    ));
    lines.push("  return\n}\n".to_owned());
    Ok(lines.join("\n"))
}

/// The operation in generic form, which is the same for all.
fn operation(case: &Case, fields: usize) -> Result<String, CasesError> {
    let mut operands = (0..fields).map(|i| format!("%v{i}")).collect::<Vec<_>>();
    let mut before = String::new();
    let mut attributes = String::new();
    if case.op == "math.fpowi" {
        let exponent = bits(&case.types[1], &case.operands[1])?.signed();
        before = format!("    %n = arith.constant {exponent} : {}\n", case.types[1]);
        operands.push("%n".to_owned());
    }
    if let Some(predicate) = &case.predicate {
        let number = predicate_number(&case.op, predicate)?;
        attributes = format!(" <{{predicate = {number} : i64}}>");
    }
    Ok(format!(
        "{before}    %v = \"{}\"({}){attributes} : ({}) -> {}",
        case.op,
        operands.join(", "),
        case.types.join(", "),
        case.result_type
    ))
}

fn predicate_number(operation: &str, predicate: &str) -> Result<usize, CasesError> {
    let integers = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];
    let floats = [
        "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult",
        "ule", "une", "uno", "true",
    ];
    let names: &[&str] = if operation == "arith.cmpi" { &integers } else { &floats };
    names
        .iter()
        .position(|name| *name == predicate)
        .ok_or_else(|| CasesError(format!("unknown predicate '{predicate}'")))
}
