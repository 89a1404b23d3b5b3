//! The coefficients of a machine as a file: what the predictor reads.
//!
//! Names are in the order of [`names`], so that two files can be laid side by side.

use super::names;
use crate::layout::{self, Form, Grid};
use serde::{Deserialize, Serialize, Serializer};
use std::{collections::BTreeMap, io, path::PathBuf};

pub use stencil_predictor::coefficients::Coefficient;

/// The speed of compute-bound kernels with so many warps on a multiprocessor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Warps of a multiprocessor.
    pub warps: u64,
    /// The speed, as a part of the highest.
    pub relative: f64,
    /// The probes that measured it.
    pub origin: String,
}

/// Coefficients by name.
pub type Table = BTreeMap<String, Coefficient>;

/// All numbers of a machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coefficients {
    /// The product's name.
    pub chip: String,
    /// The CUDA version of its driver.
    pub driver: String,
    /// The version of the assembler.
    pub ptxas: String,
    /// The day.
    pub date: String,
    /// Cycles of an instruction, of a partition and of a multiprocessor.
    #[serde(serialize_with = "throughput")]
    pub throughput: Table,
    /// Cycles to a result.
    #[serde(serialize_with = "latency")]
    pub latency: Table,
    /// Caches, bandwidths, launches.
    #[serde(serialize_with = "memory")]
    pub memory: Table,
    /// What warps bring.
    pub occupancy_curve: Vec<Point>,
}

/// Why a file of coefficients cannot be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum FileError {
    #[error("'{}' cannot be read: {error}", path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("'{}' is no file of coefficients: {error}", path.display())]
    Broken { path: PathBuf, error: serde_json::Error },
}

/// Digits that are written of a number; it has no more that mean something.
const DIGITS: i32 = 4;

impl Coefficients {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or is none of coefficients.
    pub fn read(path: &std::path::Path) -> Result<Coefficients, FileError> {
        let path = path.to_owned();
        match std::fs::read_to_string(&path) {
            Err(error) => Err(FileError::Unreadable { path, error }),
            Ok(text) => {
                serde_json::from_str(&text).map_err(|error| FileError::Broken { path, error })
            }
        }
    }

    /// All numbers as a table, beside those of an earlier file, if there is one.
    pub fn text(&self, form: Form, earlier: Option<&Coefficients>) -> String {
        let headings = ["coefficient", "origin", "unit", "value", "±%", "earlier"];
        let mut rows = Vec::new();
        for (part, names, table) in self.parts() {
            let old = earlier.and_then(|file| {
                file.parts().into_iter().find(|other| other.0 == part).map(|other| other.2)
            });
            for name in names.iter().copied().flatten() {
                let Some(Coefficient { value, error, unit, origin }) = table.get(*name) else {
                    continue;
                };
                let old = old.and_then(|table| table.get(*name)).map(|old| old.value);
                rows.push(vec![
                    format!("{part}.{name}"),
                    origin.clone(),
                    unit.clone(),
                    layout::number(Some(*value)),
                    layout::number(error.map(|error| error * 100.0)),
                    layout::number(old),
                ]);
            }
        }
        Grid { headings: headings.map(str::to_owned).to_vec(), rows, words: 3 }.text(form)
    }

    /// The tables with the names that they have, in their order.
    fn parts(&self) -> [(&'static str, Vec<&'static [&'static str]>, &Table); 3] {
        let throughput = vec![names::PARTITION_THROUGHPUT, names::MULTIPROCESSOR_THROUGHPUT];
        [
            ("throughput", throughput, &self.throughput),
            ("latency", vec![names::LATENCY], &self.latency),
            ("memory", vec![names::MEMORY], &self.memory),
        ]
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        let mut written = self.clone();
        let Coefficients { throughput, latency, memory, .. } = &mut written;
        for coefficient in [throughput, latency, memory].into_iter().flat_map(BTreeMap::values_mut)
        {
            coefficient.value = rounded(coefficient.value);
            coefficient.error = coefficient.error.map(rounded);
        }
        for point in &mut written.occupancy_curve {
            point.relative = rounded(point.relative);
        }
        serde_json::to_string_pretty(&written).expect("it is plain data with text keys") + "\n"
    }
}

fn throughput<S: Serializer>(table: &Table, serializer: S) -> Result<S::Ok, S::Error> {
    in_order(table, &[names::PARTITION_THROUGHPUT, names::MULTIPROCESSOR_THROUGHPUT], serializer)
}

fn latency<S: Serializer>(table: &Table, serializer: S) -> Result<S::Ok, S::Error> {
    in_order(table, &[names::LATENCY], serializer)
}

fn memory<S: Serializer>(table: &Table, serializer: S) -> Result<S::Ok, S::Error> {
    in_order(table, &[names::MEMORY], serializer)
}

fn in_order<S: Serializer>(
    table: &Table,
    names: &[&[&str]],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let all = names.iter().copied().flatten();
    serializer.collect_map(all.filter_map(|name| table.get_key_value(*name)))
}

/// A number with [`DIGITS`] digits; whole ones, as bytes of a cache, keep all that they have.
fn rounded(value: f64) -> f64 {
    if value == 0.0 {
        return value;
    }
    let scale = 10_f64.powi(DIGITS - 1 - value.abs().log10().floor() as i32);
    if scale < 1.0 { value.round() } else { (value * scale).round() / scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_long_as_they_mean_something() {
        assert_eq!(rounded(2.000_31), 2.0);
        assert_eq!(rounded(1.564_49), 1.564);
        assert_eq!(rounded(0.001_234_56), 0.001_235);
        assert_eq!(rounded(2_160.37), 2160.0);
        assert_eq!(rounded(229_376.0), 229_376.0);
        assert_eq!(rounded(0.0), 0.0);
    }
}
