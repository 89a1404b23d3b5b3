//! Compares two runs of one program, bit for bit.
//!
//! Two cells are equal if their bits are, or if both are NaN: payload and sign of a NaN are
//! unspecified. Scratch fields have no specified content after a run and are not compared.
//!
//! Programs with approximate operations are compared in the same way. Interpreter and emulator
//! compute those by the same library, so equal bits are expected; otherwise no error bound is known
//! for a whole program (cancellation may amplify a difference of one unit in the last place), so
//! the difference is reported.

use crate::{
    bind::{Value, describe},
    fields::{self, FieldError},
    manifest::{Argument, FieldShape},
    output::field_file_names,
    scalar::{ScalarType, ScalarValue},
};
use rayon::prelude::*;
use serde::Serialize;
use std::path::Path;

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Fields compared.
    pub fields: usize,
    /// Cells compared.
    pub cells: u64,
    /// Fields that differ, in the order of the arguments.
    pub differences: Vec<Difference>,
}

/// A field that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// How messages name the argument.
    pub argument: String,
    /// Coordinates of the first cell that differs, in row-major order.
    pub cell: Vec<i64>,
    /// The expected value.
    pub expected: String,
    /// The actual value.
    pub found: String,
    /// Cells that differ.
    pub count: u64,
    /// Cells of the field.
    pub cells: u64,
    /// The largest distance of two floats, in units in the last place; none for integers and where
    /// one side is a NaN.
    pub ulps_max: Option<u64>,
}

impl Comparison {
    /// Whether nothing differs.
    pub fn is_identical(&self) -> bool {
        self.differences.is_empty()
    }

    /// Compares the cells of one more field; `argument` is its name in messages.
    ///
    /// # Panics
    ///
    /// If the sizes differ.
    pub fn add(&mut self, argument: String, shape: &FieldShape, expected: &[u8], found: &[u8]) {
        assert_eq!(expected.len(), found.len(), "two runs have fields of one size");
        self.fields += 1;
        self.cells += shape.elements();
        let difference = compare_field(shape, expected, found);
        self.differences.extend(difference.map(|difference| Difference { argument, ..difference }));
    }

    /// Compares the cells of one field with those that another run wrote to a folder; a scratch
    /// field is not compared.
    ///
    /// # Errors
    /// If a file cannot be read, or has other extents.
    pub fn add_with_folder(
        &mut self,
        arguments: &[Argument],
        folder: &Path,
        position: usize,
        found: &[u8],
    ) -> Result<(), FieldError> {
        let argument = &arguments[position];
        if let Some(shape) = argument.kind.as_field().filter(|shape| !shape.scratch) {
            let path = folder.join(&field_file_names(arguments)[position]);
            let expected = fields::read_npy(&path, shape)?;
            self.add(describe(position, argument), shape, &expected, found);
        }
        Ok(())
    }
}

/// Compares every field of two runs.
///
/// # Panics
/// If the values are not those of the arguments.
pub fn compare(arguments: &[Argument], expected: &[Value], found: &[Value]) -> Comparison {
    let mut comparison = Comparison::default();
    for (position, argument) in arguments.iter().enumerate() {
        let Some(shape) = argument.kind.as_field().filter(|shape| !shape.scratch) else { continue };
        let (Value::Field(expected), Value::Field(found)) = (&expected[position], &found[position])
        else {
            unreachable!("a field is bound to a field");
        };
        comparison.add(describe(position, argument), shape, expected, found);
    }
    comparison
}

/// Compares every field with those that another run wrote to a folder.
///
/// # Errors
/// If a file cannot be read, or has other extents.
pub fn compare_with_folder(
    arguments: &[Argument],
    folder: &Path,
    found: &[Value],
) -> Result<Comparison, FieldError> {
    let mut comparison = Comparison::default();
    for (position, found) in found.iter().enumerate() {
        if let Value::Field(found) = found {
            comparison.add_with_folder(arguments, folder, position, found)?;
        }
    }
    Ok(comparison)
}

/// Cells that one thread compares at once.
const CHUNK_CELLS: usize = 1 << 16;

/// The differences in a part of a field.
struct Partial {
    /// Number of the first cell that differs, and what it should hold and holds.
    first: (usize, ScalarValue, ScalarValue),
    count: u64,
    ulps_max: Option<u64>,
}

fn compare_field(shape: &FieldShape, expected: &[u8], found: &[u8]) -> Option<Difference> {
    let chunk_bytes = CHUNK_CELLS * shape.element.bytes();
    let chunks = expected.par_chunks(chunk_bytes).zip(found.par_chunks(chunk_bytes)).enumerate();
    let partial = chunks
        .filter(|(_, (expected, found))| expected != found)
        .filter_map(|(chunk, (expected, found))| {
            compare_chunk(shape.element, chunk * CHUNK_CELLS, expected, found)
        })
        .reduce_with(Partial::join)?;
    let (index, one, two) = partial.first;
    Some(Difference {
        argument: String::new(),
        cell: coordinates(shape, index as u64),
        expected: in_words(one),
        found: in_words(two),
        count: partial.count,
        cells: shape.elements(),
        ulps_max: partial.ulps_max,
    })
}

/// Compares the cells of a part of a field, the first of which has the number `start`.
fn compare_chunk(
    element: ScalarType,
    start: usize,
    expected: &[u8],
    found: &[u8],
) -> Option<Partial> {
    let bytes = element.bytes();
    let pairs = expected.chunks_exact(bytes).zip(found.chunks_exact(bytes)).enumerate();
    pairs
        .filter(|(_, (one, two))| one != two)
        .map(|(index, (one, two))| {
            let value = |cell| ScalarValue::from_bytes(element, cell);
            (start + index, value(one), value(two))
        })
        .filter(|(_, one, two)| !(one.is_nan() && two.is_nan()))
        .map(|first| Partial { first, count: 1, ulps_max: ulps(first.1, first.2) })
        .reduce(Partial::join)
}

impl Partial {
    /// Merges with the differences of a later part.
    fn join(self, other: Partial) -> Partial {
        let first = if self.first.0 <= other.first.0 { self.first } else { other.first };
        let ulps_max = self.ulps_max.zip(other.ulps_max).map(|(one, two)| one.max(two));
        Partial { first, count: self.count + other.count, ulps_max }
    }
}

/// The grid point of the cell with this number in row-major order.
fn coordinates(shape: &FieldShape, index: u64) -> Vec<i64> {
    let mut rest = index;
    let mut point: Vec<i64> = Vec::new();
    for (lower, extent) in shape.lower.iter().zip(shape.extents()).rev() {
        point.push(lower + (rest % extent) as i64);
        rest /= extent;
    }
    point.reverse();
    point
}

/// The value in decimal and its bits in hexadecimal: `0.5 (0x3fe0000000000000)`.
fn in_words(value: ScalarValue) -> String {
    let digits = value.ty().bits().div_ceil(4) as usize;
    format!("{value} (0x{:0digits$x})", value.bits())
}

/// The number of representable values between two floats of one type.
fn ulps(one: ScalarValue, two: ScalarValue) -> Option<u64> {
    if !one.ty().is_float() || one.is_nan() || two.is_nan() {
        return None;
    }
    Some(ordinal(one).abs_diff(ordinal(two)))
}

/// The position of a float among all of its type, in order; both zeros are 0.
fn ordinal(value: ScalarValue) -> i64 {
    let sign = 1_u64 << (value.ty().bits() - 1);
    let magnitude = (value.bits() & (sign - 1)) as i64;
    if value.bits() & sign == 0 { magnitude } else { -magnitude }
}

/// The comparison as text, a line for each field that differs.
pub fn text(comparison: &Comparison) -> String {
    let describe = |difference: &Difference| {
        let cell: Vec<String> = difference.cell.iter().map(i64::to_string).collect();
        let ulps = match difference.ulps_max {
            Some(ulps) => format!(", at most {ulps} units in the last place apart"),
            None => String::new(),
        };
        format!(
            "{}: cell [{}] is {}, expected {}; {} of {} cells differ{ulps}\n",
            difference.argument,
            cell.join(", "),
            difference.found,
            difference.expected,
            difference.count,
            difference.cells
        )
    };
    comparison.differences.iter().map(describe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::ArgumentKind;

    fn field(element: ScalarType, scratch: bool) -> Argument {
        let shape = FieldShape {
            lower: vec![-1, 2],
            upper: vec![1, 5],
            element,
            scratch,
            written: true,
            padding: None,
        };
        Argument { name: Some("u".to_owned()), kind: ArgumentKind::Field(shape) }
    }

    fn values(cells: [f32; 6]) -> [Value; 1] {
        [Value::Field(cells.iter().flat_map(|cell| cell.to_le_bytes()).collect())]
    }

    #[test]
    fn the_first_differing_cell_is_named() {
        let expected = values([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let next = f32::from_bits(5.0_f32.to_bits() + 1);
        let found = values([1.0, 2.0, 3.0, 4.0, next, 6.5]);
        let comparison = compare(&[field(ScalarType::F32, false)], &expected, &found);
        assert_eq!((comparison.fields, comparison.cells), (1, 6));
        assert_eq!(comparison.differences[0].cell, [0, 3]);
        assert_eq!(
            text(&comparison),
            "argument 0 'u': cell [0, 3] is 5.0000005 (0x40a00001), expected 5.0 (0x40a00000); \
             2 of 6 cells differ, at most 1048576 units in the last place apart\n"
        );
        assert!(!comparison.is_identical());
    }

    #[test]
    fn nans_agree_and_signs_of_zero_do_not() {
        let quiet = f32::from_bits(0x7fc0_0001);
        let one = values([f32::NAN, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let two = values([-quiet, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let arguments = [field(ScalarType::F32, false)];
        assert!(compare(&arguments, &one, &two).is_identical());
        let minus = values([f32::NAN, -0.0, 0.0, 0.0, 0.0, 0.0]);
        let comparison = compare(&arguments, &one, &minus);
        assert_eq!(comparison.differences[0].ulps_max, Some(0));
        let other = values([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(compare(&arguments, &one, &other).differences[0].ulps_max, None);
    }

    #[test]
    fn long_fields_are_compared_in_parts() {
        let cells = 3 * CHUNK_CELLS + 5;
        let shape = FieldShape {
            lower: vec![0],
            upper: vec![cells as i64],
            element: ScalarType::F32,
            scratch: false,
            padding: None,
            written: true,
        };
        let expected = vec![0; shape.bytes()];
        let mut found = expected.clone();
        for cell in [CHUNK_CELLS + 7, 2 * CHUNK_CELLS, cells - 1] {
            found[4 * cell] = (cell % 7) as u8 + 1;
        }
        let difference = compare_field(&shape, &expected, &found).unwrap();
        assert_eq!(difference.cell, [CHUNK_CELLS as i64 + 7]);
        assert_eq!((difference.count, difference.cells), (3, cells as u64));
        assert!(difference.ulps_max.is_some_and(|ulps| (1..8).contains(&ulps)));
        assert_eq!(compare_field(&shape, &expected, &expected), None);
    }

    #[test]
    fn scratch_fields_are_not_compared() {
        let (one, two) = (values([1.0; 6]), values([2.0; 6]));
        let comparison = compare(&[field(ScalarType::F32, true)], &one, &two);
        assert_eq!((comparison.fields, comparison.is_identical()), (0, true));
    }

    #[test]
    fn distances_count_representable_values() {
        for ty in [ScalarType::F16, ScalarType::Bf16, ScalarType::F32, ScalarType::F64] {
            let one = ScalarValue::from_f64(ty, 1.0);
            let minus = ScalarValue::from_f64(ty, -1.0);
            let next = ScalarValue::from_bits(ty, one.bits() + 1);
            assert_eq!(ulps(one, next), Some(1));
            assert_eq!(ulps(minus, one), Some(2 * one.bits()));
        }
        let integer = ScalarValue::from_bits(ScalarType::I32, 1);
        assert_eq!(ulps(integer, integer), None);
    }
}
