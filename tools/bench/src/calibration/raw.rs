//! What the probes' clocks showed, as JSON lines, before anything is made of it.

use crate::lines::{self, LineError};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Where and when something was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The product's name.
    pub chip: String,
    /// The CUDA version of the driver: `13.0`.
    pub driver: String,
    /// The version of the assembler that made the machine code; `driver` if the driver did.
    pub ptxas: String,
    /// The day.
    pub date: String,
}

/// One probe, run in one way several times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampled {
    /// The probe.
    pub probe: String,
    /// What varies among its runs: a footprint or code in bytes, warps, launches, blocks.
    pub x: u64,
    /// Iterations of its loop.
    pub iterations: u32,
    /// Operations of an iteration in one warp: instructions, or bytes.
    pub operations: u64,
    /// Warps on a multiprocessor.
    pub warps: u64,
    /// Multiprocessors that worked.
    pub multiprocessors: u64,
    /// Cycles from the first clock to the last of a multiprocessor, the one in the middle of all;
    /// one for each repetition, none of a probe that has no clock of its own.
    pub cycles: Vec<u64>,
    /// The same of the multiprocessor that took longest.
    pub cycles_longest: Vec<u64>,
    /// Time between events around all launches.
    pub seconds: Vec<f64>,
    /// Where and when.
    pub origin: Origin,
}

/// A probe that has no samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The probe.
    pub probe: String,
    /// What varies among its runs.
    pub x: u64,
    /// Iterations of its loop.
    pub iterations: u32,
    /// Why.
    pub error: String,
    /// The day.
    pub date: String,
}

/// One line of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[allow(missing_docs, reason = "each variant is the type it is named for")]
pub enum Line {
    Sampled(Sampled),
    Failed(Failure),
}

/// Why a file of samples cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum RawError {
    #[error("'{}' cannot be used: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("'{}', {error}; no file of samples has such a line", path.display())]
    Broken { path: PathBuf, error: LineError },
}

impl Line {
    /// Whether it is about a probe, with so many iterations, and `x`.
    pub fn is_about(&self, probe: &str, x: u64, iterations: u32) -> bool {
        let about = match self {
            Line::Sampled(sampled) => (&sampled.probe, sampled.x, sampled.iterations),
            Line::Failed(failure) => (&failure.probe, failure.x, failure.iterations),
        };
        about == (&probe.to_owned(), x, iterations)
    }
}

/// Every line of a file.
///
/// # Errors
/// If it cannot be read, or is no file of samples.
pub fn read(path: &Path) -> Result<Vec<Line>, RawError> {
    let text = fs::read_to_string(path)
        .map_err(|error| RawError::File { path: path.to_owned(), error })?;
    let read = lines::read(&text);
    let lines = read.map_err(|error| RawError::Broken { path: path.to_owned(), error })?;
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

/// A file of samples that is being written; a line is there as soon as it is added.
pub struct Log {
    path: PathBuf,
    file: File,
    lines: Vec<Line>,
}

impl Log {
    /// Opens a file to go on with it; what it has stays.
    ///
    /// # Errors
    /// If it cannot be read or written, or is no file of samples.
    pub fn open(path: &Path) -> Result<Log, RawError> {
        let lines = if path.exists() { read(path)? } else { Vec::new() };
        let file = OpenOptions::new().append(true).create(true).open(path);
        let file = file.map_err(|error| RawError::File { path: path.to_owned(), error })?;
        Ok(Log { path: path.to_owned(), file, lines })
    }

    /// Adds a line.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, line: Line) -> Result<(), RawError> {
        let text = serde_json::to_string(&line).expect("a line is plain data with text keys");
        let written = writeln!(self.file, "{text}").and_then(|()| self.file.flush());
        let path = &self.path;
        written.map_err(|error| RawError::File { path: path.clone(), error })?;
        self.lines.push(line);
        Ok(())
    }

    /// All lines, those that were there before among them.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }
}
