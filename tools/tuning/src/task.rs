//! Candidates in a folder, for a machine without the compiler: `stencilc tune --pack` writes it,
//! `stencil-run --tune` measures it, and `stencilc tune --take` reads what that found.
//!
//! The folder has a package for each candidate and `tuning.json`, which says what they are.

use crate::{
    record::{Candidate, FORMAT, Record, Subject},
    store::{Store, StoreError},
    trial::{Setup, TrialError, Trials},
};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// The file that says what a folder has.
pub const FILE: &str = "tuning.json";
/// The file that results are written to.
pub const RESULTS: &str = "results.jsonl";

/// What is to be measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// [`FORMAT`].
    pub format: u32,
    /// What is tuned.
    pub subject: Subject,
    /// Options of `stencil-run` that say what is run.
    pub options: Vec<String>,
    /// The candidates, the most promising first.
    pub candidates: Vec<Packed>,
}

/// A candidate that is a package.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Packed {
    /// The name of the package's file.
    pub package: String,
    /// The plan.
    #[serde(flatten)]
    pub candidate: Candidate,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum TaskError {
    #[error("'{}' cannot be read: {error}", path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("'{}' cannot be written: {error}", path.display())]
    NotWritten { path: PathBuf, error: io::Error },
    #[error("'{}' is no task of 'stencilc tune --pack' ({error})", path.display())]
    Foreign { path: PathBuf, error: serde_json::Error },
    #[error(
        "'{}' has format {found}, and this version reads {FORMAT}; pack it with the same version",
        path.display()
    )]
    Format { path: PathBuf, found: u32 },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Trial(#[from] TrialError),
}

/// How candidates are measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Timed runs of each.
    pub repeat: u32,
    /// How long one may take.
    pub timeout: Duration,
    /// When no further one is begun.
    pub until: Option<Instant>,
}

/// What became of a folder's candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Measured now.
    pub now: usize,
    /// Measured before.
    pub before: usize,
    /// Left because the time was up.
    pub left: usize,
}

impl Task {
    /// Reads the task of a folder.
    ///
    /// # Errors
    /// If there is none, or it is of another version.
    pub fn read(folder: &Path) -> Result<Task, TaskError> {
        let path = folder.join(FILE);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) => return Err(TaskError::Unreadable { path, error }),
        };
        match serde_json::from_slice::<Task>(&text) {
            Ok(task) if task.format == FORMAT => Ok(task),
            Ok(task) => Err(TaskError::Format { path, found: task.format }),
            Err(error) => Err(TaskError::Foreign { path, error }),
        }
    }

    /// Writes the task of a folder that has its packages.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), TaskError> {
        let path = folder.join(FILE);
        let text = serde_json::to_string_pretty(self).expect("a task is plain data") + "\n";
        fs::write(&path, text).map_err(|error| TaskError::NotWritten { path, error })
    }

    /// Measures what was not measured yet on a chip of this name and number, and appends it to a
    /// store. `report` is called after each measurement.
    ///
    /// # Errors
    /// If nothing can be measured here, or the store cannot be written.
    pub fn measure(
        &self,
        (folder, program, (chip, device)): (&Path, &Path, (&str, usize)),
        store: &Store,
        effort: Effort,
        mut report: impl FnMut(&Record),
    ) -> Result<Measured, TaskError> {
        let mut done = Measured::default();
        let known = store.records()?;
        let device = ["--device".to_owned(), device.to_string()];
        let mut trials = Trials::new(Setup {
            program: program.to_owned(),
            options: [self.options.as_slice(), &device].concat(),
            repeat: effort.repeat,
            timeout: effort.timeout,
        });
        for Packed { package, candidate } in &self.candidates {
            let is_it = |record: &&Record| {
                record.is_of(&self.subject, chip) && record.candidate.decided == candidate.decided
            };
            if known.iter().any(|record| is_it(&record)) {
                done.before += 1;
                continue;
            }
            if effort.until.is_some_and(|until| Instant::now() >= until) {
                done.left += 1;
                continue;
            }
            let outcome = trials.measure(&folder.join(package))?;
            let record = Record::new(self.subject.clone(), candidate.clone(), chip, outcome);
            store.append(&record)?;
            report(&record);
            done.now += 1;
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;
    use std::os::unix::fs::PermissionsExt;

    const CHIP: &str = "NVIDIA H200";

    fn task(plans: &[&str]) -> Task {
        let packed = |plan: &&str| Packed {
            package: format!("{plan}.spk"),
            candidate: record("heat", 64, plan, 1.0).candidate,
        };
        Task {
            format: FORMAT,
            subject: record("heat", 64, "", 1.0).subject,
            options: Vec::new(),
            candidates: plans.iter().map(packed).collect(),
        }
    }

    /// A script that answers with a time, or ends at the package of one plan.
    fn program(folder: &Path) -> PathBuf {
        let answer = "{\"measured\":{\"time\":{\"median_s\":1e-3,\"relative_spread\":0,\
                      \"samples_s\":[1e-3]},\"device\":{\"name\":\"NVIDIA H200\",\
                      \"driver\":\"CUDA 13.0\"}}}";
        let path = folder.join("stencil-run");
        let text = format!(
            "#!/bin/sh\nwhile read package; do\n\
             case $package in *bad.spk) exit 1;; esac\necho '{answer}'\ndone\n"
        );
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn what_was_measured_is_not_measured_again() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path());
        let store = Store::open(&folder.path().join(RESULTS)).unwrap();
        let effort = Effort { repeat: 3, timeout: Duration::from_secs(20), until: None };
        let task = task(&["points=1", "bad", "points=2"]);
        task.write(folder.path()).unwrap();
        let task = Task::read(folder.path()).unwrap();
        let measure = |effort| {
            let mut times = Vec::new();
            let place = (folder.path(), program.as_path(), (CHIP, 0));
            let done = task.measure(place, &store, effort, |it| times.push(it.median_us()));
            (done.unwrap(), times)
        };
        let late = Effort { until: Some(Instant::now()), ..effort };
        assert_eq!(measure(late), (Measured { left: 3, ..Measured::default() }, vec![]));
        let times = vec![Some(1000.0), None, Some(1000.0)];
        assert_eq!(measure(effort), (Measured { now: 3, ..Measured::default() }, times));
        assert_eq!(measure(effort), (Measured { before: 3, ..Measured::default() }, vec![]));
        assert_eq!(store.records().unwrap().len(), 3);
    }

    #[test]
    fn other_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let said = |folder: &Path| Task::read(folder).unwrap_err().to_string();
        assert!(said(folder.path()).contains("cannot be read"));
        fs::write(folder.path().join(FILE), "{}").unwrap();
        assert!(said(folder.path()).contains("is no task of 'stencilc tune --pack'"));
        Task { format: 7, ..task(&[]) }.write(folder.path()).unwrap();
        assert!(said(folder.path()).contains("has format 7, and this version reads 1"));
    }
}
