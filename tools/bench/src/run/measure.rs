//! One package: verified, timed, described.

use super::{MeasureError, Request, agreement, benchmark_of, function_of, reference::Reference};
use crate::{
    check::SAMPLES_MIN,
    index::Entry,
    kernels::Benchmark,
    record::{Derived, Record, Work, rounded},
    steps,
};
use std::time::{Duration, Instant};
use stencil_model::target::{Architecture, Capability};
use stencil_runtime::{
    RuntimeError,
    cuda::{CodeOrigin, CudaDevice},
    energy::EnergyMeter,
    host::{Device, RunReport, Session},
    manifest::Kernel,
    measure::energy,
    package::Code,
};

/// The clocks of a GPU that was idle rise in this time.
const WARM_UP: Duration = Duration::from_millis(50);
/// Runs that warm up, at least.
const WARM_UP_RUNS_MIN: u32 = 2;

/// A package that is to be measured.
pub(super) struct Subject<'a> {
    pub(super) entry: &'a Entry,
    pub(super) code: &'a Code,
    pub(super) request: &'a Request,
    pub(super) day: &'a str,
    /// Where energy is asked for.
    pub(super) meter: Option<&'a EnergyMeter>,
}

/// What the kernels of a run use, each of the kernel that uses most of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Usage {
    registers: u32,
    spill_bytes: u32,
    shared_bytes: u32,
    /// Of the kernel with the fewest warps; none where the device is not known.
    occupancy: Option<f64>,
}

impl Subject<'_> {
    /// Verifies the package, then times it.
    pub(super) fn measure(&self, reference: &mut Reference) -> Result<Record, MeasureError> {
        let function = function_of(self.code, self.entry)?;
        let function = function.as_ref();
        if function.arguments.len() != reference.arguments().len() {
            let problem = "the package takes other arguments than its plain kernels";
            return Err(MeasureError::Program(problem.to_owned()));
        }
        let opened = CudaDevice::open(self.request.device, self.code);
        let mut device = opened.map_err(RuntimeError::from)?;
        let facts = device.facts().clone();
        let manifest = &self.code.manifest;
        let session = Session::new(function, manifest, &mut device, reference.bound());
        let mut session = session.map_err(RuntimeError::from)?;
        reference.prepare(&mut session)?;
        let report = session.execute().map_err(RuntimeError::from)?;
        let agreement = agreement::of(self.entry);
        reference.compare(&mut session, |argument, expected, found| {
            agreement.check(argument, expected, found)
        })?;
        let samples_ms = self.time(&mut session, reference)?;
        let joules = self.joules(&mut session, reference, &samples_ms)?;
        drop(session);

        let usage = usage(&device, self.code, &report)?;
        let (major, minor) = facts.driver_version;
        let driver = format!("CUDA {major}.{minor}");
        let record =
            self.record(&report, samples_ms, usage, &facts.name, driver, agreement.to_string())?;
        Ok(Record { joules, ..record })
    }

    /// The times of the timed runs, in milliseconds.
    fn time(
        &self,
        session: &mut Session<CudaDevice>,
        reference: &Reference,
    ) -> Result<Vec<f64>, MeasureError> {
        session.device().set_synchronous(false);
        let start = Instant::now();
        let mut warm_ups = 0;
        while warm_ups < WARM_UP_RUNS_MIN || start.elapsed() < WARM_UP {
            reference.restore(session)?;
            session.execute().map_err(RuntimeError::from)?;
            warm_ups += 1;
        }
        let runs = self.request.repeat.max(SAMPLES_MIN as u32);
        let mut samples = Vec::new();
        for _ in 0..runs {
            reference.restore(session)?;
            let report = session.execute().map_err(RuntimeError::from)?;
            let time = report.device_time.ok_or(MeasureError::NoClock)?;
            samples.push(rounded(time.as_secs_f64() * 1e3));
        }
        Ok(samples)
    }

    /// Joules of one run, from many with nothing in between. Each starts from what the one before
    /// left behind: restoring the input would be part of the energy.
    fn joules(
        &self,
        session: &mut Session<CudaDevice>,
        reference: &Reference,
        samples_ms: &[f64],
    ) -> Result<Option<f64>, MeasureError> {
        let Some(meter) = self.meter else { return Ok(None) };
        reference.restore(session)?;
        let shortest = samples_ms.iter().copied().fold(f64::INFINITY, f64::min);
        let time = Duration::from_secs_f64(shortest * 1e-3);
        let read = || meter.joules().map_err(MeasureError::from);
        let energy = energy(session, time, read)?;
        Ok(Some(rounded(energy.joules / energy.runs as f64)))
    }

    fn record(
        &self,
        report: &RunReport,
        samples_ms: Vec<f64>,
        usage: Usage,
        chip: &str,
        driver: String,
        comparison: String,
    ) -> Result<Record, MeasureError> {
        let entry = self.entry;
        let benchmark = benchmark_of(entry)?;
        let points = benchmark.points_in(&entry.size, entry.steps);
        let bytes = bytes_of(self.code, report, (benchmark, entry));
        let kernels = launched(self.code, report);
        let fused = kernels.iter().map(|(kernel, _)| steps::fused_by(kernel)).max().unwrap_or(1);
        let work = Work { element: entry.r#type, points, bytes, chip };
        let derived = Derived::of(benchmark, work, &samples_ms).ok_or(MeasureError::NoClock)?;
        Ok(Record {
            kernel: entry.kernel.clone(),
            r#type: entry.r#type,
            version: entry.version.clone(),
            plan: entry.plan.clone(),
            cap: entry.cap,
            size: entry.size.clone(),
            steps: entry.steps,
            points,
            bytes,
            fused,
            gpts: derived.gpts,
            ms: derived.ms,
            spread: derived.spread,
            gflops: derived.gflops,
            gbs: derived.gbs,
            memory_percent: derived.memory_percent,
            flops_percent: derived.flops_percent,
            samples_ms,
            verified: true,
            comparison,
            registers: Some(usage.registers),
            spill_bytes: Some(usage.spill_bytes),
            shared_bytes: usage.shared_bytes,
            occupancy: usage.occupancy,
            joules: None,
            predicted_ms: entry.predicted_ms,
            package: entry.code_sha256().to_owned(),
            program: entry.program_sha256.clone(),
            chip: chip.to_owned(),
            driver,
            date: self.day.to_owned(),
        })
    }
}

/// The kernels of a run with their launches.
fn launched<'c>(code: &'c Code, report: &RunReport) -> Vec<(&'c Kernel, u64)> {
    let kernel = |done: &stencil_runtime::host::KernelRuns| {
        Some((code.manifest.kernel(&done.name)?, done.launches))
    };
    report.kernels.iter().filter_map(kernel).collect()
}

/// What the launches of a run have to move, each value once. A kernel that makes several steps at
/// once moves what one step has to: bytes for each point of its steps would not be whole numbers.
fn bytes_of(code: &Code, report: &RunReport, (benchmark, entry): (&Benchmark, &Entry)) -> u64 {
    let bytes = |(kernel, launches): (&Kernel, u64)| match steps::fused_by(kernel) {
        1 => launches * kernel.points * kernel.bytes_per_point.compulsory,
        _ => {
            let step = benchmark.points_in(&entry.size, 1);
            launches * step * benchmark.bytes_per_point(entry.r#type)
        }
    };
    launched(code, report).into_iter().map(bytes).sum()
}

fn usage(device: &CudaDevice, code: &Code, report: &RunReport) -> Result<Usage, MeasureError> {
    let facts = device.facts();
    let part = |number: i32| u32::try_from(number).unwrap_or_default();
    let (major, minor) = facts.compute_capability;
    let capability = Capability { major: part(major), minor: part(minor) };
    let architecture = Architecture::of_device(capability).ok();
    let mut usage = Usage { occupancy: architecture.map(|_| 1.0), ..Usage::default() };
    for (kernel, _) in launched(code, report) {
        let loaded = device.loaded(kernel).map_err(RuntimeError::from)?;
        // What the assembler says holds for its own machine code only.
        let assembled = kernel.resources.filter(|_| facts.code == CodeOrigin::Cubin);
        let spilled = assembled.map(|said| said.spill_store_bytes + said.spill_load_bytes);
        usage.registers = usage.registers.max(loaded.registers);
        usage.spill_bytes = usage.spill_bytes.max(spilled.unwrap_or(loaded.local_bytes));
        usage.shared_bytes = usage.shared_bytes.max(loaded.shared_bytes);
        usage.occupancy = usage.occupancy.zip(architecture).map(|(least, architecture)| {
            let threads: u32 = kernel.block.iter().product();
            let warps = threads.div_ceil(architecture.threads_per_warp);
            let resident = loaded.blocks_per_multiprocessor * warps;
            let share = f64::from(resident) / f64::from(architecture.warps_max_per_sm);
            least.min(rounded(share))
        });
    }
    Ok(usage)
}
