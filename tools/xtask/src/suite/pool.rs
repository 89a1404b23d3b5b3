//! Runs test binaries, as many at once as there are cores, and says how each ended.

use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::binaries::TestBinary;
use super::totals::{self, Totals};

/// How a binary ended.
pub struct Outcome {
    /// The binary's name.
    pub name: String,
    /// Its tests.
    pub totals: Totals,
    /// Whether it exited with success, which a crash does not.
    pub succeeded: bool,
    /// From its start to its end.
    pub wall: Duration,
    /// What it printed, both streams.
    pub output: String,
}

/// Runs every binary; `prepare` gives each command its environment and arguments, `report` hears
/// of each end, in the order of the ends. The first in the list start first.
///
/// One binary alone leaves cores idle while its last test runs, so others run beside it.
pub fn run(
    binaries: &[TestBinary],
    prepare: &(impl Fn(&mut Command) + Sync),
    report: &(impl Fn(&Outcome) + Sync),
) -> Result<Vec<Outcome>> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let waiting = Mutex::new(binaries.iter());
    let outcomes = Mutex::new(Vec::new());
    let next = || waiting.lock().expect("no worker panics").next();
    let work = || -> Result<()> {
        while let Some(binary) = next() {
            let outcome = run_one(binary, prepare)?;
            let mut outcomes = outcomes.lock().expect("no worker panics");
            report(&outcome);
            outcomes.push(outcome);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        running.into_iter().try_for_each(|worker| worker.join().expect("no worker panics"))
    })?;
    Ok(outcomes.into_inner().expect("no worker panics"))
}

fn run_one(binary: &TestBinary, prepare: &impl Fn(&mut Command)) -> Result<Outcome> {
    let mut command = Command::new(&binary.path);
    // As cargo runs it.
    command.current_dir(&binary.folder).env("CARGO_MANIFEST_DIR", &binary.folder);
    prepare(&mut command);
    let start = Instant::now();
    let done = command.output().with_context(|| format!("cannot start {}", binary.name))?;
    let mut output = String::from_utf8_lossy(&done.stdout).into_owned();
    output.push_str(&String::from_utf8_lossy(&done.stderr));
    let closing = output.lines().filter_map(totals::closing_line);
    Ok(Outcome {
        name: binary.name.clone(),
        totals: closing.fold(Totals::default(), Totals::plus),
        succeeded: done.status.success(),
        wall: start.elapsed(),
        output,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `true`, `false` and `echo` take the place of binaries.
    fn binary(program: &str) -> TestBinary {
        TestBinary {
            name: program.to_owned(),
            path: program.into(),
            folder: "/".into(),
            programs: Vec::new(),
        }
    }

    #[test]
    fn every_binary_runs_once_and_is_reported() {
        let binaries = ["true", "false", "echo"].map(binary);
        let reported = Mutex::new(Vec::new());
        let line = "test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured";
        let prepare = |command: &mut Command| {
            command.arg(line);
        };
        let report = |outcome: &Outcome| reported.lock().unwrap().push(outcome.name.clone());
        let mut outcomes = run(&binaries, &prepare, &report).unwrap();
        outcomes.sort_by(|a, b| a.name.cmp(&b.name));
        let ends: Vec<_> = outcomes.iter().map(|it| (it.name.as_str(), it.succeeded)).collect();
        assert_eq!(ends, [("echo", true), ("false", false), ("true", true)]);
        assert_eq!(outcomes[0].totals, Totals { passed: 2, failed: 0, not_run: 1 });
        let mut reported = reported.into_inner().unwrap();
        reported.sort();
        assert_eq!(reported, ["echo", "false", "true"]);
    }

    #[test]
    fn a_binary_that_is_not_there_is_an_error() {
        let report = |_: &Outcome| {};
        let error = run(&[binary("/no/such/binary")], &|_| {}, &report).err().unwrap();
        assert_eq!(error.to_string(), "cannot start /no/such/binary");
    }
}
