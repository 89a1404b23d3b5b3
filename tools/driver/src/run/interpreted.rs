//! Running a program on the reference interpreter.

use crate::{
    DriverError,
    arguments::Bound,
    estimate::{self, Estimate},
    monitor::Monitor,
    session::Session,
};
use std::time::{Duration, Instant};
use stencil_interpreter::{ArgumentValue, Element, FieldData, Options, Outcome, Program, Scalar};
use stencil_runtime::{
    ScalarValue,
    bind::Value,
    manifest::{Argument, FieldShape},
};

/// What a run on the interpreter did.
pub struct Interpreted {
    /// What was evaluated, and what the function returned.
    pub outcome: Outcome,
    /// How long it took.
    pub time: Duration,
}

/// Runs the program; fields among the values change as the program says.
pub fn run(
    session: &Session,
    program: &Program,
    arguments: &[Argument],
    bound: &mut Bound,
    monitor: &dyn Monitor,
) -> Result<Interpreted, DriverError> {
    let operations = operations(session, program, arguments, bound)?;
    let mut values = take(arguments, &mut bound.values);
    estimate::announce(Estimate::operations(operations), "the interpreter", monitor);

    monitor.start("interpreter", operations.unwrap_or(0));
    let start = Instant::now();
    let advance = |done: u64| monitor.advance(done);
    let symbols = bound.symbols.clone();
    let options = Options { symbols, workers: None, progress: Some(&advance) };
    let result = program.run(&mut values, &options);
    let time = start.elapsed();
    monitor.finish();

    give_back(values, &mut bound.values);
    let outcome = result.map_err(|error| session.report(&error))?;
    Ok(Interpreted { outcome, time })
}

/// About how many operations a run evaluates; none if that is not known before.
pub fn operations(
    session: &Session,
    program: &Program,
    arguments: &[Argument],
    bound: &mut Bound,
) -> Result<Option<u64>, DriverError> {
    let values = take(arguments, &mut bound.values);
    let estimated = program.estimate(&values, &bound.symbols);
    give_back(values, &mut bound.values);
    estimated.map_err(|error| session.report(&error))
}

/// The values as the interpreter takes them. Fields are moved, not copied.
fn take(arguments: &[Argument], values: &mut [Value]) -> Vec<ArgumentValue> {
    let convert = |(argument, value): (&Argument, &mut Value)| match value {
        Value::Scalar(value) => {
            let element = element(value.ty().name());
            ArgumentValue::Scalar(Scalar { element, bits: value.bits() })
        }
        Value::Field(cells) => {
            let shape = argument.kind.as_field().expect("a field is bound to a field");
            ArgumentValue::Field(field_data(shape, std::mem::take(cells)))
        }
    };
    arguments.iter().zip(values).map(convert).collect()
}

fn field_data(shape: &FieldShape, bytes: Vec<u8>) -> FieldData {
    let (lower, upper) = (shape.lower.clone(), shape.upper.clone());
    FieldData { lower, upper, element: element(shape.element.name()), bytes }
}

fn element(name: &str) -> Element {
    Element::parse(name).expect("every scalar type is an element of the interpreter")
}

fn give_back(from: Vec<ArgumentValue>, to: &mut [Value]) {
    for (from, to) in from.into_iter().zip(to) {
        if let (ArgumentValue::Field(data), Value::Field(cells)) = (from, to) {
            *cells = data.bytes;
        }
    }
}

/// What a function returned, as a report shows it; a field by its bounds only.
pub fn result_text(result: &ArgumentValue) -> String {
    match result {
        ArgumentValue::Scalar(Scalar { element, bits }) => {
            match stencil_runtime::ScalarType::from_name(&element.to_string()) {
                Some(ty) => ScalarValue::from_bits(ty, *bits).to_string(),
                None => format!("{bits:#x} of {element}"),
            }
        }
        ArgumentValue::Field(field) => {
            let bounds = stencil_dialects::Bounds::new(field.lower.clone(), field.upper.clone());
            format!("{} cells of {} on {bounds}", bounds.points(), field.element)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stencil_runtime::ScalarType;

    #[test]
    fn every_scalar_type_is_an_element() {
        for ty in ScalarType::ALL {
            let element = element(ty.name());
            assert_eq!(element.stored_bytes(), Some(ty.bytes()));
        }
    }
}
