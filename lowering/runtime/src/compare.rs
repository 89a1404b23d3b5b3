//! Comparing two runs of one program, bit for bit.
//!
//! Two cells agree if their bits do, or if both are NaN: payload and sign of a NaN are unspecified.
//! Scratch fields have no specified content after a run and are not compared.
//!
//! A program with approximate operations is compared in the same way. Interpreter and emulator
//! compute those by the same library, so equal bits are the expectation; where they differ, no
//! bound is known that holds for a whole program (a difference of one unit in the last place
//! may be amplified by any cancellation after it), so the difference is reported as what it is.

use serde::Serialize;
use std::path::Path;

use crate::{
    ScalarValue,
    bind::{Value, describe},
    fields::{self, FieldError},
    manifest::{Argument, FieldShape},
    output::field_file_name,
};

/// What a comparison found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    /// What it should hold.
    pub expected: String,
    /// What it holds.
    pub found: String,
    /// Cells that differ.
    pub count: u64,
    /// Cells of the field.
    pub cells: u64,
    /// The largest distance of two floats, in units in the last place; absent for integers and
    /// where one side is a NaN.
    pub ulps_max: Option<u64>,
}

impl Comparison {
    /// Whether nothing differs.
    pub fn is_identical(&self) -> bool {
        self.differences.is_empty()
    }
}

/// Compares every field of two runs.
///
/// # Panics
/// If the values are not those of the arguments.
pub fn compare(arguments: &[Argument], expected: &[Value], found: &[Value]) -> Comparison {
    let mut comparison = Comparison { fields: 0, cells: 0, differences: Vec::new() };
    for (position, argument) in arguments.iter().enumerate() {
        let Some(shape) = argument.kind.as_field().filter(|shape| !shape.scratch) else { continue };
        let (Value::Field(expected), Value::Field(found)) = (&expected[position], &found[position])
        else {
            unreachable!("a field is bound to a field");
        };
        assert_eq!(expected.len(), found.len(), "two runs have fields of one size");
        comparison.fields += 1;
        comparison.cells += shape.elements();
        if let Some(difference) = compare_field(shape, expected, found) {
            let argument = describe(position, argument);
            comparison.differences.push(Difference { argument, ..difference });
        }
    }
    comparison
}

/// Compares every field with those that another run wrote to a folder as `arg<N>.npy`.
///
/// # Errors
/// If a file cannot be read, or has other extents.
pub fn compare_with_folder(
    arguments: &[Argument],
    folder: &Path,
    found: &[Value],
) -> Result<Comparison, FieldError> {
    let mut expected = found.to_vec();
    for (position, argument) in arguments.iter().enumerate() {
        if let Some(shape) = argument.kind.as_field().filter(|shape| !shape.scratch) {
            let path = folder.join(field_file_name(position));
            expected[position] = Value::Field(fields::read_npy(&path, shape)?);
        }
    }
    Ok(compare(arguments, &expected, found))
}

fn compare_field(shape: &FieldShape, expected: &[u8], found: &[u8]) -> Option<Difference> {
    if expected == found {
        return None;
    }
    let mut first = None;
    let (mut count, mut ulps_max) = (0, Some(0));
    for index in 0..shape.elements() {
        let cell = |content: &[u8]| fields::cell(content, shape.element, index as usize);
        let (one, two) = (cell(expected), cell(found));
        if one == two || (one.is_nan() && two.is_nan()) {
            continue;
        }
        count += 1;
        first.get_or_insert((index, one, two));
        ulps_max = ulps_max.zip(ulps(one, two)).map(|(most, next)| most.max(next));
    }
    let (index, one, two) = first?;
    Some(Difference {
        argument: String::new(),
        cell: coordinates(shape, index),
        expected: in_words(one),
        found: in_words(two),
        count,
        cells: shape.elements(),
        ulps_max,
    })
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

/// The comparison in words, a line for each field that differs.
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
    use crate::{ScalarType, manifest::ArgumentKind};

    fn field(element: ScalarType, scratch: bool) -> Argument {
        let shape =
            FieldShape { lower: vec![-1, 2], upper: vec![1, 5], element, scratch, written: true };
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
