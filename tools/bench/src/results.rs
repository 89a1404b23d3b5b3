//! A file of results, which grows by a line as soon as there is one: what was measured is kept,
//! whatever ends the run.

use crate::{
    index::Entry,
    lines::{self, LineError},
    record::{Line, Record},
};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Why a file of results cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum ResultsError {
    #[error("'{}' cannot be read: {error}", path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("'{}' cannot be written: {error}", path.display())]
    NotWritten { path: PathBuf, error: io::Error },
    #[error("'{}', {error}", path.display())]
    Broken { path: PathBuf, error: LineError },
}

/// Every line of a file of results.
pub fn read(path: &Path) -> Result<Vec<Line>, ResultsError> {
    let text = fs::read_to_string(path)
        .map_err(|error| ResultsError::Unreadable { path: path.to_owned(), error })?;
    let read = lines::read(&text)
        .map_err(|error| ResultsError::Broken { path: path.to_owned(), error })?;
    Ok(read.into_iter().map(|(_, line)| line).collect())
}

/// The measurements of a file of results, without what failed.
pub fn read_measured(path: &Path) -> Result<Vec<Record>, ResultsError> {
    Ok(measured(read(path)?))
}

/// The measurements among some lines.
pub fn measured(lines: Vec<Line>) -> Vec<Record> {
    let measured = |line| match line {
        Line::Measured(record) => Some(*record),
        Line::Failed(_) => None,
    };
    lines.into_iter().filter_map(measured).collect()
}

/// A file of results that is being written.
pub struct Results {
    path: PathBuf,
    file: File,
    /// Its lines, those that it had before among them.
    lines: Vec<Line>,
}

impl Results {
    /// Opens a file to go on with it; what it has stays.
    pub fn open(path: &Path) -> Result<Results, ResultsError> {
        let lines = if path.exists() { read(path)? } else { Vec::new() };
        let file = OpenOptions::new().append(true).create(true).open(path);
        let file = file.map_err(|error| ResultsError::NotWritten { path: path.into(), error })?;
        Ok(Results { path: path.to_owned(), file, lines })
    }

    /// Adds a line, at once.
    pub fn add(&mut self, line: Line) -> Result<(), ResultsError> {
        let text = serde_json::to_string(&line).expect("a line is plain data with text keys");
        let written = writeln!(self.file, "{text}").and_then(|()| self.file.flush());
        let path = &self.path;
        written.map_err(|error| ResultsError::NotWritten { path: path.clone(), error })?;
        self.lines.push(line);
        Ok(())
    }

    /// The lines, those of earlier runs among them.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Whether there is a measurement of this very code.
    pub fn has(&self, entry: &Entry) -> bool {
        self.lines.iter().any(|line| matches!(line, Line::Measured(_)) && is_of(line, entry))
    }

    /// Whether a line from `first` on, counted from 0, is about this very code, be it a failure.
    pub fn has_since(&self, first: usize, entry: &Entry) -> bool {
        self.lines.iter().skip(first).any(|line| is_of(line, entry))
    }
}

/// Whether a line is about the code of an entry.
fn is_of(line: &Line, entry: &Entry) -> bool {
    let (kernel, version, plan, code) = match line {
        Line::Measured(it) => (&it.kernel, &it.version, &it.plan, &it.package),
        Line::Failed(it) => (&it.kernel, &it.version, &it.plan, &it.package),
    };
    // One package for every size is measured at several.
    (kernel, version, plan) == (&entry.kernel, &entry.version, &entry.plan)
        && code == entry.code_sha256()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        index::tests::entry,
        kernels::Element,
        record::{Failure, tests::sample},
    };

    #[test]
    fn lines_are_there_at_once_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let record = sample("heat", Element::F64, 1.0);
        let failure = Failure {
            kernel: "heat".to_owned(),
            r#type: Element::F64,
            version: "plain".to_owned(),
            plan: "points=8".to_owned(),
            cap: None,
            package: "2".repeat(64),
            error: "it failed".to_owned(),
            date: "2026-01-31".to_owned(),
        };
        let mut results = Results::open(&path).unwrap();
        results.add(Line::Measured(Box::new(record.clone()))).unwrap();
        results.add(Line::Failed(failure)).unwrap();
        // Nothing is closed: another program sees both lines.
        assert_eq!(read(&path).unwrap().len(), 2);
        assert_eq!(read_measured(&path).unwrap(), std::slice::from_ref(&record));

        let results = Results::open(&path).unwrap();
        let mut known = entry("heat", &record.plan);
        assert!(results.has(&known) && results.has_since(0, &known));
        assert!(!results.has_since(1, &known));
        known.package_sha256 = "2".repeat(64);
        assert!(!results.has_since(0, &known), "it was built again");
        known.plan = "points=8".to_owned();
        assert!(!results.has(&known), "it failed");
        assert!(results.has_since(1, &known));
    }

    #[test]
    fn a_damaged_file_is_not_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        fs::write(&path, "{\"kernel\":").unwrap();
        let error = Results::open(&path).err().unwrap().to_string();
        assert!(error.contains("line 1: EOF"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"kernel\":");
    }
}
