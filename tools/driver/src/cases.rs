//! The table of exact arithmetic cases as stencil programs.
//!
//! `dialects/docs/arithmetic-cases.json` says, for operations on numbers, which bits must come out.
//! Here each operation becomes an apply over 1-D fields, one per operand and one for the result, so
//! that interpreter, emulator and GPU run the whole table through the same compiler as any program.

use serde::Deserialize;
use std::collections::BTreeMap;
use stencil_dialects::{
    ods::{arith, math},
    point::is_approximate,
};
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

/// One operation and all its cases.
pub struct Operation {
    /// The operation and its types, as one word.
    pub name: String,
    /// Content of the operand fields.
    pub operands: Vec<Vec<ScalarValue>>,
    /// What the result field must hold; none means any NaN.
    pub results: Vec<Option<ScalarValue>>,
    case: Case,
}

/// Operations that have no lowering: the compiler refuses them, with the reason.
const NOT_COMPILED: &[&str] = &[arith::REMF, math::IPOWI];

/// All cases with a value, by operation; cases that are errors are the interpreter's alone.
///
/// # Errors
/// If the table is malformed.
pub fn operations() -> Result<Vec<Operation>, CasesError> {
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
    groups.into_iter().map(|(name, cases)| operation(name, &cases)).collect()
}

/// Cases of one name make one operation. Exponents of powers are constants, so they are part of it.
fn group(case: &Case) -> String {
    let mut name = case.op.replace('.', "_");
    if let Some(predicate) = &case.predicate {
        name = format!("{name}_{predicate}");
    }
    name = format!("{name}_{}_{}", case.types.join("_"), case.result_type);
    match case.op.as_str() {
        math::FPOWI => format!("{name}_{}", case.operands[1]),
        _ => name,
    }
}

fn operation(name: String, cases: &[Case]) -> Result<Operation, CasesError> {
    let case = cases[0].clone();
    let fields = case.fields();
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
    Ok(Operation { name, operands, results, case })
}

fn bits(r#type: &str, text: &str) -> Result<ScalarValue, CasesError> {
    let r#type = ScalarType::from_name(r#type)
        .ok_or_else(|| CasesError(format!("unknown type '{type}'", type = r#type)))?;
    let bits = u64::from_str_radix(text, 16)
        .map_err(|_| CasesError(format!("'{text}' is no hexadecimal number")))?;
    Ok(ScalarValue::from_bits(r#type, bits))
}

impl Case {
    /// Operands that are fields: all but the exponent of a power.
    fn fields(&self) -> usize {
        if self.op == math::FPOWI { 1 } else { self.types.len() }
    }

    /// The operation in generic form, which is the same for all.
    fn text(&self) -> Result<String, CasesError> {
        let mut operands = (0..self.fields()).map(|i| format!("%v{i}")).collect::<Vec<_>>();
        let mut before = String::new();
        let mut attributes = String::new();
        if self.op == math::FPOWI {
            let exponent = bits(&self.types[1], &self.operands[1])?.signed();
            before = format!("    %n = arith.constant {exponent} : {}\n", self.types[1]);
            operands.push("%n".to_owned());
        }
        if let Some(predicate) = &self.predicate {
            let number = predicate_number(&self.op, predicate)?;
            attributes = format!(" <{{predicate = {number} : i64}}>");
        }
        Ok(format!(
            "{before}    %v = \"{}\"({}){attributes} : ({}) -> {}\n",
            self.op,
            operands.join(", "),
            self.types.join(", "),
            self.result_type
        ))
    }
}

/// A program whose function `main` runs these operations. Its arguments are, for each operation in
/// order, the operand fields and then the result field.
///
/// # Errors
/// If the table is malformed.
pub fn program(operations: &[Operation]) -> Result<String, CasesError> {
    let (mut arguments, mut body) = (Vec::new(), String::new());
    for (number, operation) in operations.iter().enumerate() {
        let Operation { case, results, .. } = operation;
        let count = results.len();
        let field = |r#type: &str| format!("!stencil.field<[0,{count}]x{type}>", type = r#type);
        let temp = |r#type: &str| format!("!stencil.temp<[0,{count}]x{type}>", type = r#type);
        let (mut bound, mut accesses) = (Vec::new(), String::new());
        for (i, r#type) in case.types[..case.fields()].iter().enumerate() {
            let (field, temp) = (field(r#type), temp(r#type));
            arguments.push(format!("%in{number}_{i}: {field}"));
            body +=
                &format!("  %t{number}_{i} = stencil.load %in{number}_{i} : {field} -> {temp}\n");
            bound.push(format!("%a{i} = %t{number}_{i} : {temp}"));
            accesses += &format!("    %v{i} = stencil.access %a{i}[0] : {temp}\n");
        }
        let (field, temp) = (field(&case.result_type), temp(&case.result_type));
        arguments.push(format!("%out{number}: {field}"));
        body += &format!("  %r{number} = stencil.apply({}) -> ({temp}) ", bound.join(", "));
        body += &format!("attributes {{stencil.stage = \"{}\"}} {{\n{accesses}", operation.name);
        body += &format!("{}    stencil.return %v : {}\n  }}\n", case.text()?, case.result_type);
        body += &format!(
            "  stencil.store %r{number} to %out{number}(<[0], [{count}]>) : {temp} to {field}\n"
        );
    }
    Ok(format!("func.func @main({}) {{\n{body}  return\n}}\n", arguments.join(", ")))
}

/// The content of the operand fields of [`program`], by the position of the argument.
pub fn inputs(operations: &[Operation]) -> Vec<(usize, Vec<u8>)> {
    let mut inputs = Vec::new();
    let mut position = 0;
    for operation in operations {
        for values in &operation.operands {
            inputs.push((position, values.iter().flat_map(|value| value.to_bytes()).collect()));
            position += 1;
        }
        // The result field.
        position += 1;
    }
    inputs
}

fn predicate_number(operation: &str, predicate: &str) -> Result<usize, CasesError> {
    let integers = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];
    let floats = [
        "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult",
        "ule", "une", "uno", "true",
    ];
    let names: &[&str] = if operation == arith::CMPI { &integers } else { &floats };
    names
        .iter()
        .position(|name| *name == predicate)
        .ok_or_else(|| CasesError(format!("unknown predicate '{predicate}'")))
}
