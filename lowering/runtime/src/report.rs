//! What a run did, in the form of its JSON, for every host; `README.md` documents the fields.

use crate::{
    cuda::{CodeOrigin, DeviceFacts, Links, LoadedKernel},
    host::{self, ExchangeTimes, SharedReport},
    manifest::{Function, Kernel, Manifest},
    measure::Samples,
};
use serde::Serialize;
use std::num::NonZeroU64;

/// A run of a function.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "`README.md` documents the fields")]
pub struct Run<'a> {
    pub function: &'a str,
    pub target: &'a str,
    pub ptx_version: &'a str,
    pub device: Device<'a>,
    pub launches: u64,
    pub copies: u64,
    pub points: u64,
    pub device_bytes: u64,
    pub kernels: Vec<KernelRuns<'a>>,
    pub time: Option<Timing>,
    /// Of several devices; what stands above is then of each of them, the device the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<SharedRun<'a>>,
}

/// What several devices did.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "`README.md` documents the fields")]
pub struct SharedRun<'a> {
    pub devices: Vec<Device<'a>>,
    /// The machine of each, where they are those of several processes.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub machines: &'a [String],
    pub links: &'a Links,
    /// The planes of the domain, and the planes beyond its own that a device has at a cut.
    pub planes: u64,
    pub halo: u64,
    /// Missing without a time loop.
    pub steps_between_exchanges: Option<u64>,
    pub exchanges: u64,
    pub exchanged_bytes: u64,
    /// The time in exchanges of a run, waiting for other devices included.
    pub exchange_s: Option<f64>,
    /// The part of the time of copies in which their device computed; missing without a clock.
    pub hidden: Option<f64>,
    /// The exchanges of each device, in seconds from the start of the run on it.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub timeline: &'a [Vec<ExchangeTimes>],
}

/// The device of a run.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "`README.md` documents the fields")]
pub struct Device<'a> {
    pub ordinal: usize,
    pub name: &'a str,
    pub compute_capability: String,
    pub driver: String,
    pub memory_bytes: u64,
    pub multiprocessors: u32,
    pub code: &'static str,
}

/// A kernel that ran.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "`README.md` documents the fields")]
pub struct KernelRuns<'a> {
    pub launches: u64,
    pub loaded: LoadedKernel,
    #[serde(flatten)]
    pub kernel: &'a Kernel,
}

/// The times of runs.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "`README.md` documents the fields")]
pub struct Timing {
    pub warm_up: u32,
    pub runs: usize,
    pub median_s: f64,
    pub min_s: f64,
    pub max_s: f64,
    pub relative_spread: f64,
    pub samples_s: Vec<f64>,
    pub gigapoints_per_s: f64,
    pub gigaflops_per_s: f64,
    pub compulsory_gigabytes_per_s: f64,
}

impl<'a> Run<'a> {
    /// Gathers what is known after a run; `loaded` has one entry for each kernel that ran.
    pub fn new(
        manifest: &'a Manifest,
        function: &'a str,
        device: Device<'a>,
        (run, loaded): (&host::RunReport, &[LoadedKernel]),
        times: Option<(&Samples, u32)>,
    ) -> Run<'a> {
        let kernels = run.kernels.iter().zip(loaded).filter_map(|(run, loaded)| {
            let kernel = manifest.kernel(&run.name)?;
            Some(KernelRuns { launches: run.launches, loaded: *loaded, kernel })
        });
        let mut report = Run {
            function,
            target: &manifest.target,
            ptx_version: &manifest.ptx_version,
            device,
            launches: run.launches,
            copies: run.copies,
            points: run.points,
            device_bytes: run.device_bytes,
            kernels: kernels.collect(),
            time: None,
            shared: None,
        };
        let work = report.work();
        report.time = times.map(|(times, warm_up)| Timing::new(times, warm_up, &work));
        report
    }

    /// What it computes.
    pub fn work(&self) -> Work {
        let total = |per_point: fn(&Kernel) -> u64| -> f64 {
            let of_kernel = |k: &KernelRuns<'_>| {
                k.launches as f64 * k.kernel.points as f64 * per_point(k.kernel) as f64
            };
            self.kernels.iter().map(of_kernel).sum()
        };
        Work {
            gigapoints: self.points as f64 * 1e-9,
            gigaflops: total(|kernel| kernel.flops_per_point.written) * 1e-9,
            gigabytes: total(|kernel| kernel.bytes_per_point.compulsory) * 1e-9,
        }
    }
}

impl<'a> SharedRun<'a> {
    /// Gathers what is known after a run of a function that several devices share.
    pub fn new(
        function: &Function,
        devices: impl IntoIterator<Item = (usize, &'a DeviceFacts)>,
        machines: &'a [String],
        links: &'a Links,
        report: &'a SharedReport,
    ) -> SharedRun<'a> {
        let shared = function.decomposition.as_ref();
        let devices = devices.into_iter();
        SharedRun {
            devices: devices.map(|(ordinal, facts)| Device::new(ordinal, facts)).collect(),
            machines,
            links,
            planes: shared.map_or(0, |shared| shared.upper.abs_diff(shared.lower)),
            halo: shared.map_or(0, |shared| shared.halo),
            steps_between_exchanges: shared.and_then(|shared| shared.steps).map(NonZeroU64::get),
            exchanges: report.exchanges,
            exchanged_bytes: report.exchanged_bytes,
            exchange_s: report.exchange_time.map(|time| time.as_secs_f64()),
            hidden: host::hidden(report.timeline.iter().flatten()),
            timeline: &report.timeline,
        }
    }
}

impl<'a> Device<'a> {
    /// What is known about a device.
    pub fn new(ordinal: usize, facts: &'a DeviceFacts) -> Device<'a> {
        Device {
            ordinal,
            name: &facts.name,
            compute_capability: version(facts.compute_capability),
            driver: format!("CUDA {}", version(facts.driver_version)),
            memory_bytes: facts.memory_bytes,
            multiprocessors: facts.multiprocessors,
            code: match facts.code {
                CodeOrigin::Cubin => "cubin",
                CodeOrigin::Ptx => "ptx",
            },
        }
    }
}

/// `9.0`
pub fn version((major, minor): (i32, i32)) -> String {
    format!("{major}.{minor}")
}

/// What one run computes, in units of 10^9. In floating point: launches times points times
/// operations may not fit into an integer.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Work {
    pub gigapoints: f64,
    pub gigaflops: f64,
    pub gigabytes: f64,
}

impl Timing {
    /// Rates are at the median.
    pub fn new(times: &Samples, warm_up: u32, work: &Work) -> Timing {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    #[test]
    fn rates_are_at_the_median() {
        let work = Work { gigapoints: 2.0, gigaflops: 14.0, gigabytes: 16.0 };
        let milliseconds = [250, 1000, 500];
        let times = Samples::new(milliseconds.map(Duration::from_millis).to_vec()).unwrap();
        assert_eq!(
            serde_json::to_value(Timing::new(&times, 2, &work)).unwrap(),
            json!({
                "warm_up": 2, "runs": 3, "median_s": 0.5, "min_s": 0.25, "max_s": 1.0,
                "relative_spread": 1.5, "samples_s": [0.25, 1.0, 0.5],
                "gigapoints_per_s": 4.0, "gigaflops_per_s": 28.0,
                "compulsory_gigabytes_per_s": 32.0,
            })
        );
    }
}
