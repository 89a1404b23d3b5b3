//! What a run did, in the form of its JSON; `lowering/runtime/README.md` documents the fields.

pub mod text;

use crate::execute::{Outcome, SharedOutcome, Task};
use serde::Serialize;
use stencil_runtime::{
    ScalarType,
    measure::Energy,
    report::{self, SharedRun, Work},
    verify::Verified,
};

/// The report, in the form of its JSON.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    /// Missing if the self-test was all that was asked for.
    #[serde(flatten)]
    run: Option<Run<'a>>,
    verified: Verifications,
}

#[derive(Debug, Serialize)]
struct Run<'a> {
    #[serde(flatten)]
    run: report::Run<'a>,
    /// Time steps, where they can be counted.
    steps: Option<u64>,
    seed: u64,
    /// Missing if it was not measured.
    energy: Option<EnergyReport>,
    /// Each field of the whole domain after the run.
    fields: Vec<FieldReport>,
    /// Folders written on the way.
    checkpoints: Vec<String>,
}

/// What was found equal; null where nothing was compared.
#[derive(Debug, Serialize)]
struct Verifications {
    selftest: Option<Verified>,
    plain: Option<Verified>,
}

#[derive(Debug, Serialize)]
struct FieldReport {
    position: usize,
    r#type: ScalarType,
    /// Cells along each dimension, slowest first.
    extents: Vec<u64>,
    /// Whether the content is unspecified.
    scratch: bool,
    /// SHA-256 of its cells.
    sha256: String,
}

#[derive(Debug, Serialize)]
struct EnergyReport {
    runs: u64,
    seconds: f64,
    joules: f64,
    /// Of all runs: joules by seconds.
    watts: f64,
    /// For each 10^9 floating-point operations as the source writes them; missing if it has none.
    joules_per_gigaflop: Option<f64>,
    /// For each 10^9 grid points updated.
    joules_per_gigapoint: Option<f64>,
}

impl<'a> Report<'a> {
    /// Of a self-test alone.
    pub fn of_selftest(verified: Verified) -> Report<'a> {
        let verified = Verifications { selftest: Some(verified), plain: None };
        Report { run: None, verified }
    }

    /// Gathers what is known after a run; `checksums` are those of the fields, by position.
    pub fn new(
        task: &Task<'a>,
        outcome: &'a Outcome,
        selftest: Option<Verified>,
        checksums: Vec<(usize, String)>,
    ) -> Report<'a> {
        let options = task.options;
        let mut run = report::Run::new(
            &task.code.manifest,
            &task.function.name,
            report::Device::new(options.device, &outcome.facts),
            (&outcome.run, &outcome.loaded),
            outcome.times.as_ref().map(|times| (times, options.warm_up)),
        );
        run.shared = outcome.shared.as_ref().map(|shared| {
            let SharedOutcome { devices, machines, links, report } = shared;
            let devices = devices.iter().map(|(ordinal, facts)| (*ordinal, facts));
            SharedRun::new(task.function, devices, machines, links, report)
        });
        let work = run.work();
        let arguments = task.function.whole().arguments;
        let fields = checksums.into_iter().filter_map(|(position, sha256)| {
            let shape = arguments.get(position)?.kind.as_field()?;
            Some(FieldReport {
                position,
                r#type: shape.element,
                extents: shape.extents(),
                scratch: shape.scratch,
                sha256,
            })
        });
        let paths = outcome.checkpoints.iter().map(|path| path.display().to_string());
        let run = Run {
            run,
            steps: outcome.steps,
            seed: options.seed,
            energy: outcome.energy.as_ref().map(|energy| energy_report(energy, &work)),
            fields: fields.collect(),
            checkpoints: paths.collect(),
        };
        Report { run: Some(run), verified: Verifications { selftest, plain: outcome.verified } }
    }
}

fn energy_report(energy: &Energy, work: &Work) -> EnergyReport {
    let per = |work: f64| (work > 0.0).then(|| energy.joules / (energy.runs as f64 * work));
    EnergyReport {
        runs: energy.runs,
        seconds: energy.seconds,
        joules: energy.joules,
        watts: energy.joules / energy.seconds,
        joules_per_gigaflop: per(work.gigaflops),
        joules_per_gigapoint: per(work.gigapoints),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const WORK: Work = Work { gigapoints: 2.0, gigaflops: 14.0, gigabytes: 16.0 };

    #[test]
    fn energy_is_for_each_run() {
        let energy = Energy { runs: 4, seconds: 2.0, joules: 560.0 };
        assert_eq!(
            serde_json::to_value(energy_report(&energy, &WORK)).unwrap(),
            json!({
                "runs": 4, "seconds": 2.0, "joules": 560.0, "watts": 280.0,
                "joules_per_gigaflop": 10.0, "joules_per_gigapoint": 70.0,
            })
        );
        let nothing = Work { gigaflops: 0.0, ..WORK };
        assert_eq!(energy_report(&energy, &nothing).joules_per_gigaflop, None);
    }

    #[test]
    fn a_selftest_alone_has_no_run() {
        let verified = Verified { runs: 2, fields: 4, cells: 48 };
        let report = Report::of_selftest(verified);
        assert_eq!(
            serde_json::to_value(&report).unwrap(),
            json!({"verified": {"selftest": {"runs": 2, "fields": 4, "cells": 48}, "plain": null}})
        );
        assert_eq!(
            text::selftest(&report),
            "self-test: bit-identical with the interpreter, 4 fields and 48 cells in 2 runs"
        );
    }
}
