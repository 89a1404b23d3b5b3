//! Measures plans: their packages are run by `stencil-run`, in a process of its own.
//!
//! A kernel that faults leaves the driver of its process unusable, and one that hangs holds it; a
//! process can be thrown away, and the next plan gets a new one. Until then one process measures
//! all plans of a program, whose content and expected results are made once.

use crate::record::{FailedStep, Machine, Outcome, Times};
use serde_json::Value;
use std::{
    io::{self, BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread::{self, JoinHandle},
    time::Duration,
};

/// How plans are measured.
#[derive(Clone, Debug)]
pub struct Setup {
    /// `stencil-run`.
    pub program: PathBuf,
    /// Options of `stencil-run` that say what is run: function, arguments, device.
    pub options: Vec<String>,
    /// Timed runs.
    pub repeat: u32,
    /// How long a plan may take.
    pub timeout: Duration,
}

/// Why nothing can be measured here.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum TrialError {
    #[error("'{}' cannot be started: {error}", program.display())]
    NotStarted { program: PathBuf, error: io::Error },
    #[error("stencil-run gave an answer that cannot be read: {0}")]
    NoAnswer(String),
    #[error("nothing can be measured here: {0}")]
    Surroundings(String),
}

/// Exit code of tools for what is wrong with the machine, as `stencil-run --help` has it.
const SURROUNDINGS: u64 = 2;

/// Measures plans of one program, one after the other.
#[derive(Debug)]
pub struct Trials {
    setup: Setup,
    worker: Option<Worker>,
}

/// A process that measures.
#[derive(Debug)]
struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    answers: Receiver<String>,
    said: Option<JoinHandle<String>>,
}

impl Trials {
    /// Starts nothing yet.
    pub fn new(setup: Setup) -> Trials {
        Trials { setup, worker: None }
    }

    /// Verifies and times a package; and where, if it came so far.
    ///
    /// # Errors
    /// If no plan could be measured: there is no driver, or no program.
    pub fn measure(&mut self, package: &Path) -> Result<(Outcome, Option<Machine>), TrialError> {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::start(&self.setup)?,
        };
        let failed = |step, message| Ok((Outcome::Failed { step, message }, None));
        match worker.ask(package, self.setup.timeout) {
            Ok(answer) => {
                let answer = serde_json::from_str::<Value>(&answer)
                    .map_err(|error| TrialError::NoAnswer(error.to_string()))?;
                if !answer["measured"].is_null() {
                    self.worker = Some(worker);
                    let (outcome, machine) = measured(&answer["measured"])?;
                    return Ok((outcome, Some(machine)));
                }
                let message = answer["failed"]["message"].as_str().unwrap_or_default().to_owned();
                if answer["failed"]["exit_code"].as_u64() == Some(SURROUNDINGS) {
                    return Err(TrialError::Surroundings(message));
                }
                let is_wrong = message.contains("differs from its plain kernels");
                failed(if is_wrong { FailedStep::Verify } else { FailedStep::Run }, message)
            }
            Err(RecvTimeoutError::Timeout) => {
                let seconds = self.setup.timeout.as_secs();
                failed(FailedStep::Timeout, format!("it took more than {seconds} s"))
            }
            // It died, as with a driver that does.
            Err(RecvTimeoutError::Disconnected) => failed(FailedStep::Run, worker.last_words()),
        }
    }
}

impl Worker {
    fn start(setup: &Setup) -> Result<Worker, TrialError> {
        let mut command = Command::new(&setup.program);
        command.args(&setup.options).args(["--worker", "--repeat", &setup.repeat.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|error| TrialError::NotStarted { program: setup.program.clone(), error })?;
        let input = child.stdin.take();
        let (send, answers) = mpsc::channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                let lines = BufReader::new(output).lines();
                // The other end is gone where nobody waits any more.
                lines
                    .map_while(Result::ok)
                    .take_while(|line| send.send(line.clone()).is_ok())
                    .count()
            });
        }
        let said = child.stderr.take().map(|mut pipe| {
            thread::spawn(move || {
                let mut said = Vec::new();
                // What was read until the pipe broke is what is known.
                let _ = pipe.read_to_end(&mut said);
                String::from_utf8_lossy(&said).into_owned()
            })
        });
        Ok(Worker { child, input, answers, said })
    }

    fn ask(&mut self, package: &Path, timeout: Duration) -> Result<String, RecvTimeoutError> {
        // A process that has died does not read: it does not answer either.
        let _ = self
            .input
            .as_mut()
            .map(|input| writeln!(input, "{}", package.display()).and_then(|()| input.flush()));
        self.answers.recv_timeout(timeout)
    }

    /// What a process that has died said.
    fn last_words(&mut self) -> String {
        let said = self.said.take().and_then(|said| said.join().ok()).unwrap_or_default();
        let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
        let error = lines().find_map(|line| line.strip_prefix("error: "));
        error.or_else(|| lines().next_back()).unwrap_or("it ended without a message").to_owned()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Ends with its input; what hangs is ended.
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Times and machine of an answer.
fn measured(answer: &Value) -> Result<(Outcome, Machine), TrialError> {
    let lacks = |key: &str| TrialError::NoAnswer(format!("it has no '{key}'"));
    let number = |key: &str| answer["time"][key].as_f64().ok_or_else(|| lacks(key));
    let text =
        |key: &str| answer["device"][key].as_str().map(str::to_owned).ok_or_else(|| lacks(key));
    let samples = answer["time"]["samples_s"].as_array().ok_or_else(|| lacks("samples_s"))?;
    let us = |seconds: f64| (seconds * 1e9).round() / 1e3;
    let times = Times {
        median_us: us(number("median_s")?),
        spread: (number("relative_spread")? * 1e4).round() / 1e4,
        samples_us: samples.iter().filter_map(Value::as_f64).map(us).collect(),
    };
    let machine = Machine { chip: text("name")?, driver: text("driver")? };
    Ok((Outcome::Measured(times), machine))
}

#[cfg(test)]
#[path = "trial_tests.rs"]
mod tests;
