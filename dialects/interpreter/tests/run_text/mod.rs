//! Runs MLIR text through decoder and executor, for the tests of this crate.

use stencil_dialects::{Bounds, context};
use stencil_interpreter::{
    ArgumentValue, Counters, Element, FieldData, InterpreterError, Options, Scalar, decode,
};

/// What a run left.
#[derive(Debug)]
pub struct Ran {
    pub arguments: Vec<ArgumentValue>,
    pub results: Vec<ArgumentValue>,
    pub counters: Counters,
    pub estimate: Option<u64>,
}

impl Ran {
    /// The field that was passed at this position.
    pub fn field(&self, position: usize) -> &FieldData {
        as_field(&self.arguments[position])
    }

    /// A cell of the field at this position, as a double.
    pub fn cell(&self, position: usize, point: &[i64]) -> f64 {
        self.field(position).get(point).unwrap().to_f64()
    }
}

/// The field that a value is.
pub fn as_field(value: &ArgumentValue) -> &FieldData {
    match value {
        ArgumentValue::Field(field) => field,
        ArgumentValue::Scalar(scalar) => panic!("{scalar} is no field"),
    }
}

/// Runs function `f` of a module.
pub fn run(text: &str, arguments: Vec<ArgumentValue>) -> Result<Ran, InterpreterError> {
    run_with(text, arguments, &[], None)
}

/// Runs function `f` of a module with symbols and a number of threads.
pub fn run_with(
    text: &str,
    mut arguments: Vec<ArgumentValue>,
    symbols: &[(&str, &str)],
    workers: Option<usize>,
) -> Result<Ran, InterpreterError> {
    let context = context::new_context();
    let source = context::Source::new(&context, "case.mlir", text);
    let module = source.parse().expect("the text is a valid module");
    let program = decode(&module, "f")?;
    let symbols =
        symbols.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    let estimate = program.estimate(&arguments, &symbols)?;
    let options = Options { symbols, workers, progress: None };
    let outcome = program.run(&mut arguments, &options)?;
    Ok(Ran { arguments, results: outcome.results, counters: outcome.counters, estimate })
}

/// The error of a program that cannot be decoded or run.
pub fn error(text: &str, arguments: Vec<ArgumentValue>) -> InterpreterError {
    run(text, arguments).expect_err("the program is wrong")
}

/// A field of `f64` with a value per point.
pub fn f64_field(lower: &[i64], upper: &[i64], value: impl Fn(&[i64]) -> f64) -> ArgumentValue {
    let bounds = Bounds::new(lower.to_vec(), upper.to_vec());
    ArgumentValue::Field(FieldData::from_fn(&bounds, Element::F64, |p| Scalar::f64(value(p))))
}

/// A field of `f32` with a value per point.
pub fn f32_field(lower: &[i64], upper: &[i64], value: impl Fn(&[i64]) -> f32) -> ArgumentValue {
    let bounds = Bounds::new(lower.to_vec(), upper.to_vec());
    ArgumentValue::Field(FieldData::from_fn(&bounds, Element::F32, |p| Scalar::f32(value(p))))
}

/// A value per point that looks random and is exact in `f32`.
pub fn noise(point: &[i64]) -> f64 {
    let mixed = point.iter().fold(17i64, |state, &x| (state * 31 + x * 7 + 5) % 1009);
    mixed as f64 / 64.0 - 8.0
}
