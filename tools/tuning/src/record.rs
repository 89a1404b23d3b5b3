//! One measurement of one plan, as a line of JSON.

use serde::{Deserialize, Serialize};

/// The format of records; a file of a later one is refused.
pub const FORMAT: u32 = 1;

/// What is tuned: a function of a program, and a run of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// SHA-256 of the function's program at its size, with frozen arithmetic.
    pub program: String,
    /// The same at a size that all sizes of a program share; none where a program has one size.
    pub family: Option<String>,
    /// The function.
    pub function: String,
    /// Points along each dimension of the domain, slowest first.
    pub extents: Vec<u64>,
    /// What a run computes: scalars that are given, and time steps. Times of other runs cannot be
    /// compared.
    pub run: String,
    /// The architecture, as sm_90a.
    pub target: String,
    /// The compiler's version.
    pub compiler: String,
}

/// A plan that is to be measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// What is asked for, in the syntax of `--plan`; empty for the compiler's own choice.
    pub plan: String,
    /// The complete plans that this became, in the same syntax.
    pub decided: String,
    /// Microseconds of a step as predicted, where they are.
    pub predicted_us: Option<f64>,
}

impl Candidate {
    /// A plan that was asked for, what it became, and nanoseconds of a step as predicted, which are
    /// kept to a hundredth of a microsecond.
    pub fn new(plan: String, decided: String, predicted_ns: Option<f64>) -> Candidate {
        let predicted_us = predicted_ns.map(|ns| (ns / 10.0).round() / 100.0);
        Candidate { plan, decided, predicted_us }
    }
}

/// Where something was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The chip, as the driver calls it.
    pub chip: String,
    /// The driver, by the version of CUDA that it supports.
    pub driver: String,
}

/// A measurement, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`FORMAT`].
    pub format: u32,
    /// What was tuned.
    #[serde(flatten)]
    pub subject: Subject,
    /// The plan.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// Where.
    #[serde(flatten)]
    pub machine: Machine,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran, its results are those of plain kernels, and it was timed.
    Measured(Times),
    /// There is no time.
    Failed {
        /// In which step.
        step: FailedStep,
        /// The message.
        message: String,
    },
}

/// Times of the runs of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// The median, in microseconds.
    pub median_us: f64,
    /// The difference of the longest and the shortest, as a part of the median.
    pub spread: f64,
    /// Each, in the order of the runs.
    pub samples_us: Vec<f64>,
}

/// Steps on the way to a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailedStep {
    /// The compiler or the assembler refused the plan.
    Compile,
    /// It could not be launched, or the driver failed.
    Run,
    /// Its results were wrong.
    Verify,
    /// It took too long.
    Timeout,
}

impl Record {
    /// What came of a plan on a chip, and on which machine, if it came so far.
    pub fn new(
        subject: Subject,
        candidate: Candidate,
        chip: &str,
        (outcome, machine): (Outcome, Option<Machine>),
    ) -> Record {
        let unknown = || Machine { chip: chip.to_owned(), driver: String::new() };
        let machine = machine.unwrap_or_else(unknown);
        Record { format: FORMAT, subject, candidate, machine, outcome }
    }

    /// The median in microseconds; none of what failed.
    pub fn median_us(&self) -> Option<f64> {
        match &self.outcome {
            Outcome::Measured(times) => Some(times.median_us),
            Outcome::Failed { .. } => None,
        }
    }

    /// Whether its time can be compared with others of this subject on this chip.
    pub fn is_of(&self, subject: &Subject, chip: &str) -> bool {
        self.subject == *subject && self.machine.chip == chip
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A record of a program `name` with so many extents, with a plan that takes so long.
    pub(crate) fn record(name: &str, extent: u64, plan: &str, us: f64) -> Record {
        Record {
            format: FORMAT,
            subject: Subject {
                program: format!("{name}-{extent}"),
                family: Some(name.to_owned()),
                function: name.to_owned(),
                extents: vec![extent; 3],
                run: "steps=96".to_owned(),
                target: "sm_90a".to_owned(),
                compiler: "0.1.0".to_owned(),
            },
            candidate: Candidate {
                plan: plan.to_owned(),
                decided: format!("step:{plan}"),
                predicted_us: None,
            },
            machine: Machine { chip: "NVIDIA H200".to_owned(), driver: "CUDA 13.0".to_owned() },
            outcome: Outcome::Measured(Times {
                median_us: us,
                spread: 0.01,
                samples_us: vec![us; 3],
            }),
        }
    }

    /// A record of a plan that gave no time.
    pub(crate) fn failed(name: &str, extent: u64, plan: &str) -> Record {
        let outcome =
            Outcome::Failed { step: FailedStep::Run, message: "it was not launched".to_owned() };
        Record { outcome, ..record(name, extent, plan, 0.0) }
    }

    #[test]
    fn a_record_is_one_line_that_comes_back() {
        for record in [record("heat", 64, "points=8", 12.5), failed("heat", 64, "points=4")] {
            let line = serde_json::to_string(&record).unwrap();
            assert!(!line.contains('\n'));
            assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record);
        }
        assert_eq!(failed("heat", 64, "").median_us(), None);
    }
}
