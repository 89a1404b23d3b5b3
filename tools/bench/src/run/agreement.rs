//! When two results are the same.

use crate::{index::Entry, kernels};
use rayon::{
    iter::{IndexedParallelIterator, ParallelIterator},
    slice::ParallelSlice,
};
use std::fmt;
use stencil_runtime::{bind::Value, compare, fields, manifest::Argument};

/// How closely results have to agree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Agreement {
    /// Every bit.
    Bits,
    /// No cell is further from the expected one than this part of the field's largest magnitude.
    Relative(f64),
}

/// What a package must reach: every bit, but for CUDA written by hand.
pub(super) fn of(entry: &Entry) -> Agreement {
    match entry.cuda {
        None => Agreement::Bits,
        Some(_) => Agreement::Relative(relative_bound(entry)),
    }
}

/// How far results of another compiler may be away: each operation of each step may be rounded once
/// differently (contraction, a division in the place of a reciprocal), by one unit in the last
/// place of something as large as the largest value; four times that, since weights above one make
/// errors grow from step to step.
pub fn relative_bound(entry: &Entry) -> f64 {
    let flops = kernels::find(&entry.kernel).map_or(1, |benchmark| benchmark.flops_per_point);
    4.0 * (flops * entry.steps) as f64 * entry.r#type.epsilon()
}

impl Agreement {
    /// Compares one field; the error says what differs.
    pub(super) fn check(
        self,
        argument: &Argument,
        expected: &[u8],
        found: &[u8],
    ) -> Result<(), String> {
        if expected == found {
            return Ok(());
        }
        match self {
            Agreement::Bits => {
                let value = |cells: &[u8]| [Value::Field(cells.to_vec())];
                let arguments = std::slice::from_ref(argument);
                let comparison = compare::compare(arguments, &value(expected), &value(found));
                match comparison.is_identical() {
                    true => Ok(()),
                    false => Err(compare::text(&comparison).trim_end().to_owned()),
                }
            }
            Agreement::Relative(bound) => check_relative(argument, expected, found, bound),
        }
    }
}

fn check_relative(
    argument: &Argument,
    expected: &[u8],
    found: &[u8],
    bound: f64,
) -> Result<(), String> {
    let shape = argument.kind.as_field().expect("only fields are compared");
    let element = shape.element;
    let value = |cell: &[u8]| fields::cell(cell, element, 0).to_f64();
    let values = |cells| <[u8]>::par_chunks_exact(cells, element.bytes()).map(value);
    let largest = values(expected).map(f64::abs).reduce(|| 0.0, f64::max);
    let away = |(one, other): &(f64, f64)| {
        // A NaN is away from everything but another NaN.
        !((one - other).abs() <= bound * largest || (one.is_nan() && other.is_nan()))
    };
    let pairs = values(expected).zip(values(found)).enumerate();
    match pairs.find_first(|(_, pair)| away(pair)) {
        None => Ok(()),
        Some((index, (expected, found))) => Err(format!(
            "cell {index} of {} is {found}, expected {expected}; it may be {bound:e} of {largest} \
             away",
            shape.elements(),
        )),
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Agreement::Bits => f.write_str("bit for bit"),
            Agreement::Relative(bound) => {
                write!(f, "within {bound:.1e} of the field's largest magnitude")
            }
        }
    }
}
