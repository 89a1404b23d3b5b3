//! What a run did, in the form of its JSON; `lowering/runtime/README.md` documents the fields.

pub mod text;

use crate::execute::{Outcome, Task};
use serde::Serialize;
use stencil_runtime::{
    bind::{self, Value},
    cuda::{CodeOrigin, DeviceFacts, LoadedKernel},
    manifest::Kernel,
    measure::{Energy, Samples},
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
    function: &'a str,
    target: &'a str,
    ptx_version: &'a str,
    /// Time steps, where `--steps` said how many.
    steps: Option<u64>,
    seed: u64,
    device: Device<'a>,
    launches: u64,
    copies: u64,
    points: u64,
    device_bytes: u64,
    kernels: Vec<KernelReport<'a>>,
    /// Missing if the run was not timed.
    time: Option<Timing>,
    /// Missing if it was not measured.
    energy: Option<EnergyReport>,
    /// SHA-256 of the cells of each field after the run.
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
struct Device<'a> {
    ordinal: usize,
    name: &'a str,
    compute_capability: String,
    driver: String,
    memory_bytes: u64,
    multiprocessors: u32,
    /// `cubin`, or `ptx` if the driver compiled it.
    code: &'static str,
}

#[derive(Debug, Serialize)]
struct KernelReport<'a> {
    launches: u64,
    loaded: LoadedKernel,
    #[serde(flatten)]
    kernel: &'a Kernel,
}

#[derive(Debug, Serialize)]
struct FieldReport {
    position: usize,
    sha256: String,
}

#[derive(Debug, Serialize)]
struct Timing {
    warm_up: u32,
    runs: usize,
    median_s: f64,
    min_s: f64,
    max_s: f64,
    /// Longest less shortest, as a part of the median.
    relative_spread: f64,
    /// In the order of the runs.
    samples_s: Vec<f64>,
    /// Grid points updated in a second, in units of 10^9, at the median.
    gigapoints_per_s: f64,
    /// Floating-point operations in a second as the source writes them, likewise.
    gigaflops_per_s: f64,
    /// Compulsory bytes in a second, likewise.
    compulsory_gigabytes_per_s: f64,
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

    /// Gathers what is known after a run.
    pub fn new(
        task: &Task<'a>,
        outcome: &'a Outcome,
        selftest: Option<Verified>,
        values: &[Value],
    ) -> Report<'a> {
        let (manifest, options) = (&task.code.manifest, task.options);
        let kernels =
            outcome.run.kernels.iter().zip(&outcome.loaded).filter_map(|(run, loaded)| {
                let kernel = manifest.kernel(&run.name)?;
                Some(KernelReport { launches: run.launches, loaded: *loaded, kernel })
            });
        let kernels: Vec<KernelReport> = kernels.collect();
        let work = Work::of(outcome.run.points, &kernels);
        let fields = bind::checksums(values).into_iter();
        let paths = outcome.checkpoints.iter().map(|path| path.display().to_string());
        let run = Run {
            function: &task.function.name,
            target: &manifest.target,
            ptx_version: &manifest.ptx_version,
            steps: options.steps,
            seed: options.seed,
            device: device(options.device, &outcome.facts),
            launches: outcome.run.launches,
            copies: outcome.run.copies,
            points: outcome.run.points,
            device_bytes: outcome.run.device_bytes,
            time: outcome.times.as_ref().map(|times| timing(times, options.warm_up, &work)),
            energy: outcome.energy.as_ref().map(|energy| energy_report(energy, &work)),
            kernels,
            fields: fields.map(|(position, sha256)| FieldReport { position, sha256 }).collect(),
            checkpoints: paths.collect(),
        };
        Report { run: Some(run), verified: Verifications { selftest, plain: outcome.verified } }
    }
}

fn device(ordinal: usize, facts: &DeviceFacts) -> Device<'_> {
    Device {
        ordinal,
        name: &facts.name,
        compute_capability: text::version(facts.compute_capability),
        driver: format!("CUDA {}", text::version(facts.driver_version)),
        memory_bytes: facts.memory_bytes,
        multiprocessors: facts.multiprocessors,
        code: match facts.code {
            CodeOrigin::Cubin => "cubin",
            CodeOrigin::Ptx => "ptx",
        },
    }
}

/// What one run computes, in units of 10^9. In floating point: launches times points times
/// operations may not fit into an integer.
struct Work {
    gigapoints: f64,
    gigaflops: f64,
    gigabytes: f64,
}

impl Work {
    fn of(points: u64, kernels: &[KernelReport]) -> Work {
        let total = |per_point: fn(&Kernel) -> u64| -> f64 {
            let of_kernel = |k: &KernelReport| {
                k.launches as f64 * k.kernel.points as f64 * per_point(k.kernel) as f64
            };
            kernels.iter().map(of_kernel).sum()
        };
        Work {
            gigapoints: points as f64 * 1e-9,
            gigaflops: total(|kernel| kernel.flops_per_point.written) * 1e-9,
            gigabytes: total(|kernel| kernel.bytes_per_point.compulsory) * 1e-9,
        }
    }
}

fn timing(times: &Samples, warm_up: u32, work: &Work) -> Timing {
    let median_s = times.median().as_secs_f64();
    Timing {
        warm_up,
        runs: times.as_slice().len(),
        median_s,
        min_s: times.min().as_secs_f64(),
        max_s: times.max().as_secs_f64(),
        relative_spread: times.relative_spread(),
        samples_s: times.as_slice().iter().map(|time| time.as_secs_f64()).collect(),
        gigapoints_per_s: work.gigapoints / median_s,
        gigaflops_per_s: work.gigaflops / median_s,
        compulsory_gigabytes_per_s: work.gigabytes / median_s,
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
    use std::time::Duration;

    const WORK: Work = Work { gigapoints: 2.0, gigaflops: 14.0, gigabytes: 16.0 };

    #[test]
    fn rates_are_at_the_median() {
        let milliseconds = [250, 1000, 500];
        let times = Samples::new(milliseconds.map(Duration::from_millis).to_vec()).unwrap();
        assert_eq!(
            serde_json::to_value(timing(&times, 2, &WORK)).unwrap(),
            json!({
                "warm_up": 2, "runs": 3, "median_s": 0.5, "min_s": 0.25, "max_s": 1.0,
                "relative_spread": 1.5, "samples_s": [0.25, 1.0, 0.5],
                "gigapoints_per_s": 4.0, "gigaflops_per_s": 28.0,
                "compulsory_gigabytes_per_s": 32.0,
            })
        );
    }

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
