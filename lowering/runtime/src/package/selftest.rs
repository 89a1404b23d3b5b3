//! The self-test: expected results at a small size, computed without a GPU.

use super::{Code, ContentError, PartsError, sha256};
use crate::{
    manifest::{ArgumentKind, FieldShape, Function},
    scalar::{ScalarType, ScalarValue},
};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, collections::BTreeMap};

/// A program at a small size, and runs whose results are known.
#[derive(Clone, Debug, PartialEq)]
pub struct Selftest {
    /// Kernels and host programs at that size, compiled like the package's own.
    pub code: Code,
    /// The runs.
    pub runs: Vec<SelftestRun>,
}

/// One run, and its results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelftestRun {
    /// The function that is run.
    pub function: String,
    /// The seed of the content of its fields, see [`crate::random`].
    pub seed: u64,
    /// Its scalar arguments, by position.
    pub scalars: BTreeMap<usize, ScalarValue>,
    /// [`canonical_sha256`] of each field after the run, by position; scratch fields have none.
    pub fields: BTreeMap<usize, String>,
}

impl Selftest {
    pub(super) fn new(code: Code, expected: &[u8]) -> Result<Selftest, ContentError> {
        let runs = serde_json::from_slice(expected)
            .map_err(|error| PartsError::Expected(error.to_string()))?;
        Ok(Selftest { code, runs })
    }

    pub(super) fn expected(&self) -> String {
        serde_json::to_string_pretty(&self.runs).expect("runs are plain data")
    }

    /// Whether every run calls an existing function with all its arguments.
    pub(super) fn check(&self) -> Result<(), PartsError> {
        self.runs.iter().try_for_each(|run| {
            let function = self.code.manifest.functions.iter().find(|f| f.name == run.function);
            let problem = match function {
                None => Some("there is no such function".to_owned()),
                Some(function) => run.problem_with(function),
            };
            let function = run.function.clone();
            problem.map_or(Ok(()), |problem| Err(PartsError::Run { function, problem }))
        })
    }
}

impl SelftestRun {
    fn problem_with(&self, function: &Function) -> Option<String> {
        let count = function.arguments.len();
        let positions = self.scalars.keys().chain(self.fields.keys());
        if let Some(position) = positions.into_iter().find(|position| **position >= count) {
            return Some(format!("argument {position} does not exist, there are {count}"));
        }
        function.arguments.iter().enumerate().find_map(|(position, argument)| {
            let (scalar, field) = (self.scalars.get(&position), self.fields.get(&position));
            let is_right = match &argument.kind {
                ArgumentKind::Scalar { scalar: ty, .. } => {
                    scalar.is_some_and(|value| value.ty() == *ty) && field.is_none()
                }
                ArgumentKind::Field(shape) => scalar.is_none() && field.is_none() == shape.scratch,
            };
            (!is_right).then(|| format!("argument {position} has no value of its kind"))
        })
    }
}

/// The SHA-256 of a field's cells with NaNs canonicalized to the positive quiet one without
/// payload: sign and payload of a NaN are unspecified and differ between processors.
pub fn canonical_sha256(shape: &FieldShape, cells: &[u8]) -> String {
    sha256(&canonical(shape.element, cells))
}

fn canonical(element: ScalarType, cells: &[u8]) -> Cow<'_, [u8]> {
    // The bits of infinity; those of every NaN are larger, ignoring the sign.
    let infinity = match element {
        ScalarType::F16 | ScalarType::Bf16 | ScalarType::F32 | ScalarType::F64 => {
            ScalarValue::from_f64(element, f64::INFINITY).bits()
        }
        _ => return Cow::Borrowed(cells),
    };
    let width = element.bytes();
    let (sign, top_of_fraction) = (1 << (8 * width - 1), (infinity & infinity.wrapping_neg()) >> 1);
    let is_nan = |cell: &[u8]| {
        let mut word = [0; 8];
        word[..width].copy_from_slice(cell);
        u64::from_le_bytes(word) & !sign > infinity
    };
    if !cells.chunks_exact(width).any(is_nan) {
        return Cow::Borrowed(cells);
    }
    let quiet = (infinity | top_of_fraction).to_le_bytes();
    let mut cells = cells.to_owned();
    for cell in cells.chunks_exact_mut(width).filter(|cell| is_nan(cell)) {
        cell.copy_from_slice(&quiet[..width]);
    }
    Cow::Owned(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nans_are_one_whatever_their_bits() {
        let shape = |element| FieldShape {
            lower: vec![0],
            upper: vec![3],
            element,
            scratch: false,
            padding: None,
            written: true,
        };
        let sum = |bits: [u32; 3]| {
            let cells: Vec<u8> = bits.iter().flat_map(|bits| bits.to_le_bytes()).collect();
            canonical_sha256(&shape(ScalarType::F32), &cells)
        };
        let quiet = sum([0x3f80_0000, 0x7fc0_0000, 0]);
        assert_eq!(sum([0x3f80_0000, 0xffc0_0000, 0]), quiet);
        assert_eq!(sum([0x3f80_0000, 0x7fff_ffff, 0]), quiet);
        assert_eq!(sum([0x3f80_0000, 0x7f80_0001, 0]), quiet);
        assert_ne!(sum([0x3f80_0000, 0x7f80_0000, 0]), quiet, "infinity is a number");
        assert_ne!(sum([0x3f80_0000, 0x7fc0_0000, 0x8000_0000]), quiet, "zeros have signs");
        let halves = [0x00, 0xfe, 0x00, 0x7e, 1, 0];
        let same = [0x00, 0x7e, 0x00, 0x7e, 1, 0];
        let shape = shape(ScalarType::F16);
        assert_eq!(canonical_sha256(&shape, &halves), sha256(&same));
    }
}
