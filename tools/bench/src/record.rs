//! A measurement as one line of JSON, and what follows from its samples.
//!
//! A line holds what was measured (the samples, the resources, what was compared) and what follows
//! from it. Whatever follows is computed in one place, [`Derived::of`], rounded to six digits, and
//! written beside the samples for who reads the file; `bench check` computes it again.
//!
//! Every key is written in every line, `null` where nothing is known: a key that is missing is a
//! mistake, never an answer.

use crate::{
    kernels::{Benchmark, Element},
    statistics::{self, Summary},
};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::Value;
use std::fmt;
use stencil_model::product::Product;

/// One measurement of one kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The benchmark, by its name.
    pub kernel: String,
    /// The type of its cells.
    pub r#type: Element,
    /// What made the kernels: `plain` (this compiler, each thread its own points), `nvcc` (CUDA
    /// written by hand), or the name of a system's pipeline.
    pub version: String,
    /// The plan that was asked for, in the words of `--plan`; `default` for the compiler's own.
    pub plan: String,
    /// Registers that the assembler was allowed, if there was a cap.
    #[serde(deserialize_with = "required")]
    pub cap: Option<u32>,
    /// Points along each dimension, slowest first.
    pub size: Vec<u64>,
    /// Time steps of a run.
    pub steps: u64,
    /// Points that a run updates: extents that are updated, times the steps.
    pub points: u64,
    /// Bytes of global memory that the launches of a run have to move: what each reads and writes,
    /// every value once.
    pub bytes: u64,
    /// Time steps that a kernel makes at once, of the kernel of the run that makes most: T.
    pub fused: u64,
    /// 10^9 points updated in a second, at the median.
    pub gpts: f64,
    /// The median of the samples, in milliseconds.
    pub ms: f64,
    /// The distance of the samples' quartiles over their median.
    pub spread: f64,
    /// 10^9 floating-point operations in a second, as the paper counts them.
    pub gflops: f64,
    /// 10^9 bytes in a second, of those that have to be moved.
    pub gbs: f64,
    /// `gbs` in percent of what a copy on this chip reaches.
    #[serde(deserialize_with = "required")]
    pub memory_percent: Option<f64>,
    /// `gflops` in percent of the chip's peak, every operation a fused multiply-add.
    #[serde(deserialize_with = "required")]
    pub flops_percent: Option<f64>,
    /// Milliseconds of each timed run, in the order of the runs.
    pub samples_ms: Vec<f64>,
    /// Whether the fields were compared with those of the package's plain kernels in this run.
    pub verified: bool,
    /// How they were compared: `bit for bit`, or the bound.
    pub comparison: String,
    /// Registers of a thread, of the kernel that uses most.
    #[serde(deserialize_with = "required")]
    pub registers: Option<u32>,
    /// Bytes that a thread stores to and loads from local memory for want of registers, of the
    /// kernel that has most.
    #[serde(deserialize_with = "required")]
    pub spill_bytes: Option<u32>,
    /// Shared memory of a block, of the kernel that uses most.
    pub shared_bytes: u32,
    /// Resident warps over those that a multiprocessor can hold, of the kernel with fewest.
    #[serde(deserialize_with = "required")]
    pub occupancy: Option<f64>,
    /// Joules of one run, where the device has a meter.
    #[serde(deserialize_with = "required")]
    pub joules: Option<f64>,
    /// Milliseconds that the compiler predicted for the run, where it predicts any.
    #[serde(deserialize_with = "required")]
    pub predicted_ms: Option<f64>,
    /// SHA-256 of the package file, or of the CUDA source.
    pub package: String,
    /// SHA-256 of the program's text.
    pub program: String,
    /// The chip, as the driver calls it.
    pub chip: String,
    /// The driver, by the version of CUDA that it supports.
    pub driver: String,
    /// The day of the measurement, UTC: `2026-01-31`.
    pub date: String,
}

/// What follows from the samples of a measurement; the fields are those of [`Record`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "each is the field of a record that has its name")]
pub struct Derived {
    pub gpts: f64,
    pub ms: f64,
    pub spread: f64,
    pub gflops: f64,
    pub gbs: f64,
    pub memory_percent: Option<f64>,
    pub flops_percent: Option<f64>,
}

/// What a rate is computed from, besides the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work<'a> {
    /// The type of the cells.
    pub element: Element,
    /// Points that a run updates.
    pub points: u64,
    /// Bytes that its launches have to move.
    pub bytes: u64,
    /// The chip, as the driver calls it.
    pub chip: &'a str,
}

/// A package that could not be measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The benchmark.
    pub kernel: String,
    /// The type of its cells.
    pub r#type: Element,
    /// What made the kernels.
    pub version: String,
    /// The plan.
    pub plan: String,
    /// The cap.
    #[serde(deserialize_with = "required")]
    pub cap: Option<u32>,
    /// SHA-256 of the package file, or of the CUDA source.
    pub package: String,
    /// What went wrong.
    pub error: String,
    /// The day.
    pub date: String,
}

/// A line of a file of results.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Line {
    /// A measurement.
    Measured(Box<Record>),
    /// There is none, and why.
    Failed(Failure),
}

impl<'de> Deserialize<'de> for Line {
    /// A line with the key `error` is a failure, any other a measurement; so a mistake in one of
    /// them is reported as what it is.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Line, D::Error> {
        let value = Value::deserialize(from)?;
        let line = match value.get("error") {
            Some(_) => Failure::deserialize(value).map(Line::Failed),
            None => Record::deserialize(value).map(|record| Line::Measured(Box::new(record))),
        };
        line.map_err(D::Error::custom)
    }
}

impl Derived {
    /// Computes everything; `None` if there are no samples, or one is no positive time.
    pub fn of(benchmark: &Benchmark, work: Work, samples_ms: &[f64]) -> Option<Derived> {
        let Summary { median: ms, spread } = statistics::summarize(samples_ms)?;
        let per_second = |amount: f64| amount / (ms * 1e-3) * 1e-9;
        let gpts = per_second(work.points as f64);
        let gflops = gpts * benchmark.flops_per_point as f64;
        let gbs = per_second(work.bytes as f64);
        let ceilings = Ceilings::of(work.chip, work.element);
        let percent = |rate: f64, most: f64| rounded(100.0 * rate / most);
        Some(Derived {
            gpts: rounded(gpts),
            ms: rounded(ms),
            spread: rounded(spread),
            gflops: rounded(gflops),
            gbs: rounded(gbs),
            memory_percent: ceilings.map(|most| percent(gbs, most.gbs)),
            flops_percent: ceilings.map(|most| percent(gflops, most.gflops)),
        })
    }
}

/// What bounds every kernel on a chip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ceilings {
    /// 10^9 bytes in a second, read and written by a copy on the device.
    pub gbs: f64,
    /// 10^9 floating-point operations in a second, if each is half of a fused multiply-add.
    pub gflops: f64,
    /// 10^9 operations in a second, if none is fused.
    pub gflops_unfused: f64,
}

impl Ceilings {
    /// Those of a chip, if a copy was measured on it.
    pub fn of(chip: &str, element: Element) -> Option<Ceilings> {
        let product = Product::named(chip).filter(|it| !it.calibration.is_derived())?;
        let per_clock = match element {
            Element::F64 => product.sheet.fma_per_clock_per_sm.f64,
            Element::F32 => product.sheet.fma_per_clock_per_sm.f32,
        };
        let unfused = f64::from(product.sheet.multiprocessors * per_clock)
            * product.sheet.clock_max_hz as f64
            * 1e-9;
        Some(Ceilings {
            gbs: product.calibration.copy_bytes_per_s as f64 * 1e-9,
            gflops: 2.0 * unfused,
            gflops_unfused: unfused,
        })
    }
}

impl Record {
    /// What the line says of what follows from its samples.
    pub fn derived(&self) -> Derived {
        Derived {
            gpts: self.gpts,
            ms: self.ms,
            spread: self.spread,
            gflops: self.gflops,
            gbs: self.gbs,
            memory_percent: self.memory_percent,
            flops_percent: self.flops_percent,
        }
    }

    /// What else its rates are computed from.
    pub fn work(&self) -> Work<'_> {
        Work { element: self.r#type, points: self.points, bytes: self.bytes, chip: &self.chip }
    }

    /// What tells measurements apart; one file holds no two that agree in all of it.
    pub fn key(&self) -> Key {
        Key {
            kernel: self.kernel.clone(),
            r#type: self.r#type,
            version: self.version.clone(),
            plan: self.plan.clone(),
            cap: self.cap,
        }
    }
}

/// What tells measurements apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each is the field of a record that has its name")]
pub struct Key {
    pub kernel: String,
    pub r#type: Element,
    pub version: String,
    pub plan: String,
    pub cap: Option<u32>,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.kernel, self.r#type, self.version, self.plan)?;
        match self.cap {
            Some(cap) if !self.plan.contains(&cap.to_string()) => write!(f, " cap {cap}"),
            _ => Ok(()),
        }
    }
}

/// Six digits: more than any measurement has, and the same on every machine that reads them.
pub fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().expect("a number that was written is read")
}

/// The day, UTC: `2026-01-31`.
pub fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}

/// An optional value whose key must be there.
pub(crate) fn required<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(from)
}

#[cfg(test)]
#[path = "record_tests.rs"]
pub(crate) mod tests;
