//! What a run did, for people and for programs.

use serde::Serialize;
use std::{fmt::Write, time::Duration};
use stencil_runtime::{
    Package,
    bind::{self, Value},
    cuda::{CodeOrigin, DeviceFacts},
    host::RunReport,
    manifest::{Function, Kernel},
};

/// The report, in the form of its JSON.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    function: &'a str,
    target: &'a str,
    ptx_version: &'a str,
    device: Device<'a>,
    launches: u64,
    copies: u64,
    points: u64,
    device_bytes: u64,
    kernels: Vec<KernelReport<'a>>,
    /// Missing if the run was not timed.
    time: Option<Timing>,
    /// SHA-256 of the cells of each field after the run.
    fields: Vec<FieldReport>,
}

#[derive(Debug, Serialize)]
struct Device<'a> {
    name: &'a str,
    compute_capability: String,
    driver: String,
    /// `cubin`, or `ptx` if the driver compiled it.
    code: &'static str,
}

#[derive(Debug, Serialize)]
struct KernelReport<'a> {
    launches: u64,
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
    runs: usize,
    median_s: f64,
    min_s: f64,
    max_s: f64,
    /// Grid points updated in a second, in units of 10^9, at the median.
    gigapoints_per_s: f64,
    /// Floating-point operations in a second as the source writes them, likewise.
    gigaflops_per_s: f64,
    /// Compulsory bytes in a second, likewise.
    compulsory_gigabytes_per_s: f64,
}

/// The times of the timed runs, at least one, sorted.
#[derive(Debug)]
pub struct Times(Vec<Duration>);

impl Times {
    /// Sorts the times; `None` if there are none.
    pub fn of(mut samples: Vec<Duration>) -> Option<Times> {
        samples.sort();
        (!samples.is_empty()).then_some(Times(samples))
    }

    fn median(&self) -> f64 {
        let middle = self.0.len() / 2;
        let upper = self.0[middle].as_secs_f64();
        match self.0.len() % 2 {
            1 => upper,
            _ => (self.0[middle - 1].as_secs_f64() + upper) / 2.0,
        }
    }
}

impl<'a> Report<'a> {
    /// Gathers what is known after a run.
    pub fn new(
        package: &'a Package,
        function: &'a Function,
        facts: &'a DeviceFacts,
        run: &RunReport,
        times: Option<Times>,
        values: &[Value],
    ) -> Report<'a> {
        let manifest = &package.code.manifest;
        let kernels: Vec<KernelReport> = run
            .kernels
            .iter()
            .filter_map(|done| {
                let kernel = manifest.kernel(&done.name)?;
                Some(KernelReport { launches: done.launches, kernel })
            })
            .collect();
        let (major, minor) = facts.compute_capability;
        let (driver_major, driver_minor) = facts.driver_version;
        let fields = bind::checksums(values).into_iter();
        Report {
            function: &function.name,
            target: &manifest.target,
            ptx_version: &manifest.ptx_version,
            device: Device {
                name: &facts.name,
                compute_capability: format!("{major}.{minor}"),
                driver: format!("CUDA {driver_major}.{driver_minor}"),
                code: match facts.code {
                    CodeOrigin::Cubin => "cubin",
                    CodeOrigin::Ptx => "ptx",
                },
            },
            launches: run.launches,
            copies: run.copies,
            points: run.points,
            device_bytes: run.device_bytes,
            time: times.map(|times| timing(&times, run.points, &kernels)),
            kernels,
            fields: fields.map(|(position, sha256)| FieldReport { position, sha256 }).collect(),
        }
    }
}

fn timing(times: &Times, points: u64, kernels: &[KernelReport]) -> Timing {
    let median_s = times.median();
    // In floating point: launches times points times operations may not fit into an integer.
    let total = |per_point: fn(&Kernel) -> u64| -> f64 {
        let of_kernel = |k: &KernelReport| {
            k.launches as f64 * k.kernel.points as f64 * per_point(k.kernel) as f64
        };
        kernels.iter().map(of_kernel).sum()
    };
    Timing {
        runs: times.0.len(),
        median_s,
        min_s: times.0[0].as_secs_f64(),
        max_s: times.0[times.0.len() - 1].as_secs_f64(),
        gigapoints_per_s: points as f64 / median_s * 1e-9,
        gigaflops_per_s: total(|kernel| kernel.flops_per_point.written) / median_s * 1e-9,
        compulsory_gigabytes_per_s: total(|kernel| kernel.bytes_per_point.compulsory) / median_s
            * 1e-9,
    }
}

/// The report for people, a dozen lines.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    let mut line = |line: String| writeln!(text, "{line}").expect("text grows without errors");
    let device = &report.device;
    line(format!(
        "device    {}, compute capability {}, driver {}",
        device.name, device.compute_capability, device.driver
    ));
    let origin = match device.code {
        "cubin" => "machine code of the package".to_owned(),
        _ => format!("PTX {} compiled by the driver", report.ptx_version),
    };
    line(format!("code      {}, {origin}", report.target));
    line(format!(
        "run       function '{}': {} launches, {} copies, {} points, {} bytes on the device",
        report.function, report.launches, report.copies, report.points, report.device_bytes
    ));
    for KernelReport { launches, kernel } in &report.kernels {
        line(format!("kernel    {}", describe(*launches, kernel)));
    }
    if let Some(time) = &report.time {
        line(format!(
            "time      median {:.3} ms, {:.3} to {:.3} ms in {} runs",
            time.median_s * 1e3,
            time.min_s * 1e3,
            time.max_s * 1e3,
            time.runs
        ));
        line(format!(
            "speed     {:.3} GPt/s, {:.1} GFLOP/s written, {:.1} GB/s compulsory",
            time.gigapoints_per_s, time.gigaflops_per_s, time.compulsory_gigabytes_per_s
        ));
    }
    for FieldReport { position, sha256 } in &report.fields {
        line(format!("field     arg{position} sha256 {}", &sha256[..16]));
    }
    text
}

fn describe(launches: u64, kernel: &Kernel) -> String {
    let extents = |extents: [u32; 3]| extents.map(|extent| extent.to_string()).join("x");
    let resources = match &kernel.resources {
        None => String::new(),
        Some(resources) => format!(
            ", {} registers, {} bytes spilled",
            resources.registers,
            resources.spill_store_bytes + resources.spill_load_bytes
        ),
    };
    let approximate = if kernel.approximate { ", approximate" } else { "" };
    format!(
        "'{}' x {launches}: grid {}, block {}, {} bytes shared{resources}{approximate}",
        kernel.name,
        extents(kernel.grid),
        extents(kernel.block),
        kernel.shared_bytes
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        let times = |milliseconds: &[u64]| {
            Times::of(milliseconds.iter().map(|&ms| Duration::from_millis(ms)).collect())
        };
        assert!(times(&[]).is_none());
        let median = |milliseconds| times(milliseconds).map(|times| times.median() * 1e3);
        let close =
            |got: Option<f64>, expected: f64| got.is_some_and(|got| (got - expected).abs() < 1e-9);
        assert!(close(median(&[3, 1, 2]), 2.0));
        assert!(close(median(&[4, 1, 2, 3]), 2.5));
    }
}
