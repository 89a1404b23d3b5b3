//! The values of a call: one for each argument of a function.

use super::{
    array::{Array, Checked, check_overlap},
    prepared::Prepared,
    shared,
    sized::Sizes,
};
use crate::{
    bind::{Value, describe},
    error::RuntimeError,
    host::HostError,
    manifest::{Argument, ArgumentKind, FieldShape, Function, Manifest},
    package::Package,
    scalar::{ScalarType, ScalarValue},
    time_loop::{self, StepsError},
};

/// What is wrong with the values of a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum CallError {
    #[error("function {function} does not exist; the package has {count}, counted from 0")]
    NoSuchFunction { function: usize, count: usize },
    #[error("{0} is a null pointer")]
    Null(String),
    #[error("{argument} takes cells of {expected} for the field {field}, found {found}")]
    Element { argument: String, expected: ScalarType, field: String, found: ScalarType },
    #[error("{argument} takes shape {expected} for the field {field}, found shape {found}")]
    Shape { argument: String, expected: String, field: String, found: String },
    #[error("{argument} has {found} strides, the field {field} has {expected} dimensions")]
    Rank { argument: String, field: String, expected: usize, found: usize },
    #[error("{0} is written, the array found is read-only; pass a copy")]
    ReadOnly(String),
    #[error("{0} ends beyond the address space")]
    Beyond(String),
    #[error(
        "{argument} has a stride of {stride} bytes in its last dimension; on the device its cells \
         must be adjacent there, {cell_bytes} bytes apart; pass a contiguous copy"
    )]
    NotAdjacent { argument: String, stride: i64, cell_bytes: usize },
    #[error(
        "{argument} has a stride of {stride} bytes in dimension {dimension}; its cells overlap \
         each other unless it is {least} or more"
    )]
    SharedCells { argument: String, dimension: usize, stride: i64, least: i64 },
    #[error(
        "{argument} has a stride of {stride} bytes in dimension {dimension}; it is larger than \
         any memory"
    )]
    TooFar { argument: String, dimension: usize, stride: i64 },
    #[error(
        "{argument} is in memory of a device; function '{function}' was compiled for several \
         devices, each of which gets its part of an array on the host: pass one"
    )]
    OnDevice { argument: String, function: String },
}

/// What a call gives for an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Given<'a> {
    /// A number.
    Scalar(ScalarValue),
    /// An array.
    Array(Array<'a>),
}

/// The shape of a field in a call with these values: extents that are given at run time are those
/// of the arrays.
pub fn shape_of(
    package: &Package,
    function: usize,
    position: usize,
    given: &[Given<'_>],
) -> Result<Option<FieldShape>, RuntimeError> {
    let sized = Sizes::default().find(&package.code.manifest, function, None, given)?;
    let (manifest, number) = sized.of(package);
    let whole = manifest.functions[number].whole();
    Ok(whole.arguments.get(position).and_then(|argument| argument.kind.as_field()).cloned())
}

/// Refuses values of a call that could not run on any device: wrong ones, and those for which the
/// program has no result.
pub fn check_call(
    package: &Package,
    function: usize,
    given: &[Given<'_>],
) -> Result<(), RuntimeError> {
    let sized = Sizes::default().find(&package.code.manifest, function, None, given)?;
    let (manifest, number) = sized.of(package);
    let called = &manifest.functions[number];
    if called.decomposition.is_some() {
        return shared::check(manifest, number, given).map(drop);
    }
    check(called, given)?;
    Prepared::new(package, sized, scalars(given).collect())?;
    Ok(())
}

/// The numbers of a call, by position.
pub(super) fn scalars(given: &[Given<'_>]) -> impl Iterator<Item = Option<ScalarValue>> + Clone {
    given.iter().map(|given| match given {
        Given::Scalar(value) => Some(*value),
        Given::Array(_) => None,
    })
}

/// Refuses numbers of time steps that cannot be meant, by the numbers of a call.
pub(super) fn check_steps(
    function: &Function,
    scalars: impl Iterator<Item = Option<ScalarValue>>,
) -> Result<(), StepsError> {
    let value =
        |scalar: Option<ScalarValue>| scalar.map_or(Value::Field(Vec::new()), Value::Scalar);
    time_loop::check_steps(function, &scalars.map(value).collect::<Vec<_>>())
}

/// A function by its place.
pub(super) fn called(manifest: &Manifest, function: usize) -> Result<&Function, CallError> {
    let count = manifest.functions.len();
    let called = manifest.functions.get(function);
    called.ok_or(CallError::NoSuchFunction { function, count })
}

/// Refuses values that a function does not take.
pub(super) fn check(
    function: &Function,
    given: &[Given<'_>],
) -> Result<Vec<Option<Checked>>, RuntimeError> {
    let (expected, found) = (function.arguments.len(), given.len());
    if expected != found {
        let function = function.name.clone();
        return Err(HostError::ArgumentCount { function, expected, found }.into());
    }
    let mut arrays = Vec::with_capacity(found);
    for (position, (argument, value)) in function.arguments.iter().zip(given).enumerate() {
        arrays.push(match (&argument.kind, value) {
            (ArgumentKind::Field(shape), Given::Array(array)) => {
                Some(array.check((position, argument), shape)?)
            }
            (ArgumentKind::Scalar { scalar, .. }, Given::Scalar(value))
                if value.ty() == *scalar =>
            {
                None
            }
            _ => return Err(wrong_kind(position, argument, value).into()),
        });
    }
    check_overlap(&function.arguments, &arrays)?;
    Ok(arrays)
}

fn wrong_kind(position: usize, argument: &Argument, value: &Given<'_>) -> HostError {
    let expected = match &argument.kind {
        ArgumentKind::Field(shape) => format!("an array for the field {shape}"),
        ArgumentKind::Scalar { scalar, .. } => format!("a scalar of {scalar}"),
    };
    let found = match value {
        Given::Array(_) => "an array".to_owned(),
        Given::Scalar(value) => format!("a scalar of {}", value.ty()),
    };
    HostError::ArgumentKind { argument: describe(position, argument), expected, found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn values_are_those_that_the_function_takes() {
        let function = samples::function();
        let refusal = |given: &[Given<'_>]| check(&function, given).unwrap_err().to_string();
        let (element, extents, strides) = (None, None, None);
        let (on_host, is_read_only) = (false, false);
        let u = Array { address: 64, on_host, is_read_only, element, extents, strides };
        let v = Array { address: 256, ..u };
        let steps = Given::Scalar(ScalarValue::from_integer(ScalarType::Index, 3));
        let dt = Given::Scalar(ScalarValue::from_f64(ScalarType::F32, 0.5));
        let (given_u, given_v) = (Given::Array(u), Given::Array(v));
        assert!(check(&function, &[given_u, given_v, steps, dt]).is_ok());
        assert_eq!(refusal(&[given_u]), "function 'heat' takes 4 arguments, got 1");
        assert_eq!(
            refusal(&[given_u, steps, steps, dt]),
            "argument 1 'v' takes an array for the field [-1,11]xf32, got a scalar of index"
        );
        assert_eq!(
            refusal(&[given_u, given_v, given_v, dt]),
            "argument 2 'steps' takes a scalar of index, got an array"
        );
        assert_eq!(
            refusal(&[given_u, given_v, dt, dt]),
            "argument 2 'steps' takes a scalar of index, got a scalar of f32"
        );
        assert_eq!(
            refusal(&[given_u, given_u, steps, dt]),
            "argument 0 'u' and argument 1 'v' are bound to overlapping memory; each field needs \
             its own"
        );
    }
}
