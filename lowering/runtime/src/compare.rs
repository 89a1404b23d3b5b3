//! Comparing the fields of two runs, bit for bit.
//!
//! Two cells are equal if all their bits are, or if both are NaN: which NaN an operation gives is
//! not specified anywhere.

use crate::{
    bind::Value,
    fields::{self, FieldError},
    manifest::{Argument, FieldShape},
    output::field_file_name,
    scalar::ScalarValue,
};
use std::{fmt, path::Path};

/// A cell in which two runs differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Position of the field among the arguments.
    pub argument: usize,
    /// The field's name, where it has one.
    pub name: Option<String>,
    /// Logical coordinates of the first cell that differs.
    pub point: Vec<i64>,
    /// Its value in the run that is right.
    pub expected: ScalarValue,
    /// Its value in the other.
    pub found: ScalarValue,
    /// Number of cells of the field that differ.
    pub count: u64,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "argument {}", self.argument)?;
        if let Some(name) = &self.name {
            write!(f, " ('{name}')")?;
        }
        let digits = self.expected.ty().bytes() * 2;
        let both = |value: ScalarValue| format!("{value} (0x{:0digits$x})", value.bits());
        write!(
            f,
            " differs in {} cells, first at {:?}: expected {}, found {}",
            self.count,
            self.point,
            both(self.expected),
            both(self.found),
        )
    }
}

/// Differences, at most [`SHOWN`] of them, a line each.
pub fn describe(differences: &[Difference]) -> String {
    let shown = differences.iter().take(SHOWN).map(ToString::to_string);
    let rest = differences.len().saturating_sub(SHOWN);
    let more = (rest > 0).then(|| format!("{rest} more fields differ"));
    shown.chain(more).collect::<Vec<_>>().join("\n")
}

/// Fields whose differences are described.
pub const SHOWN: usize = 8;

/// The first difference of each field argument that has one; none means bit-identical.
pub fn fields(arguments: &[Argument], expected: &[Value], found: &[Value]) -> Vec<Difference> {
    let pairs = arguments.iter().zip(expected.iter().zip(found)).enumerate();
    pairs
        .filter_map(|(position, (argument, pair))| {
            let (Some(shape), (Value::Field(expected), Value::Field(found))) =
                (argument.kind.as_field(), pair)
            else {
                return None;
            };
            field(position, argument, shape, expected, found)
        })
        .collect()
}

/// The same, with the fields of another run that were written to a folder as `arg<N>.npy`.
///
/// # Errors
/// If a file cannot be read, or has other extents.
pub fn folder(
    arguments: &[Argument],
    folder: &Path,
    found: &[Value],
) -> Result<Vec<Difference>, FieldError> {
    let mut expected = found.to_vec();
    for (position, argument) in arguments.iter().enumerate() {
        if let Some(shape) = argument.kind.as_field() {
            let path = folder.join(field_file_name(position));
            expected[position] = Value::Field(fields::read_npy(&path, shape)?);
        }
    }
    Ok(self::fields(arguments, &expected, found))
}

fn field(
    position: usize,
    argument: &Argument,
    shape: &FieldShape,
    expected: &[u8],
    found: &[u8],
) -> Option<Difference> {
    let cells = expected.len() / shape.element.bytes();
    let pair = |cell| {
        (fields::cell(expected, shape.element, cell), fields::cell(found, shape.element, cell))
    };
    let differs = |cell: &usize| {
        let (expected, found) = pair(*cell);
        expected != found && !(expected.is_nan() && found.is_nan())
    };
    let first = (0..cells).find(differs)?;
    let (expected, found) = pair(first);
    Some(Difference {
        argument: position,
        name: argument.name.clone(),
        point: point(shape, first),
        expected,
        found,
        count: (first..cells).filter(differs).count() as u64,
    })
}

/// Logical coordinates of a cell, counted in the order of memory.
fn point(shape: &FieldShape, cell: usize) -> Vec<i64> {
    let mut rest = cell as u64;
    let mut point = vec![0; shape.lower.len()];
    for (d, extent) in shape.extents().into_iter().enumerate().rev() {
        point[d] = shape.lower[d] + (rest % extent) as i64;
        rest /= extent;
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{manifest::ArgumentKind, scalar::ScalarType};

    fn argument() -> Argument {
        let shape = FieldShape {
            lower: vec![-1, 2],
            upper: vec![1, 5],
            element: ScalarType::F32,
            scratch: false,
            written: true,
        };
        Argument { name: Some("u".to_owned()), kind: ArgumentKind::Field(shape) }
    }

    fn value(cells: [f32; 6]) -> Vec<Value> {
        vec![Value::Field(cells.iter().flat_map(|cell| cell.to_le_bytes()).collect())]
    }

    #[test]
    fn the_first_cell_is_named_and_all_are_counted() {
        let (one, two) = (value([1.0; 6]), value([1.0, 1.0, 1.0, 1.0, 2.0, 3.0]));
        let found = fields(&[argument()], &one, &two);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].point.clone(), found[0].count), (vec![0, 3], 2));
        assert_eq!(
            found[0].to_string(),
            "argument 0 ('u') differs in 2 cells, first at [0, 3]: \
             expected 1.0 (0x3f800000), found 2.0 (0x40000000)"
        );
    }

    #[test]
    fn all_nans_are_equal_and_zeros_are_not() {
        let nan = f32::from_bits(0xffc0_0001);
        assert!(fields(&[argument()], &value([f32::NAN; 6]), &value([nan; 6])).is_empty());
        assert_eq!(fields(&[argument()], &value([0.0; 6]), &value([-0.0; 6]))[0].count, 6);
    }
}
