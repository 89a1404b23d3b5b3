//! Measuring every package of a folder on a GPU.
//!
//! The protocol:
//!
//! 1. Packages of one kernel, type, size and number of steps share their input: random fields from
//!    one seed, made once and kept on the device. Kernels that make several steps at once run more
//!    steps than the paper, in whole pairs; the plain kernels then make as many.
//! 2. The package's *plain kernels* (one point a thread, no transformation) run on that input once
//!    for all packages that share it; what they give is kept.
//! 3. Each package runs on a copy of the input, with all temporaries poisoned by other bytes than
//!    those of the plain run, each kernel waited for. Every field that the program writes is
//!    compared bit for bit with what the plain kernels gave; what differs is a failure, not a
//!    result. CUDA written by hand contracts and divides otherwise; it is compared within a bound,
//!    which its record states.
//! 4. Two runs at least, and a twentieth of a second, warm up. Then every timed run starts from a
//!    fresh copy of the input, which also sweeps the cache. A sample is one run of all time steps,
//!    by events before its first and after its last kernel, without copies.
//! 5. Nine samples unless told otherwise, seven at least; the median counts.
//!
//! A line is written for each package as soon as it is done. A package that fails leaves a line
//! with its error, and the next one runs; after a fault of a kernel, which takes the context with
//! it, in a process of its own.

mod agreement;
mod equal;
mod measure;
mod reference;

pub use agreement::relative_bound;

use crate::{
    index::{Entry, Index},
    kernels::{self, Benchmark},
    nvcc::{self, Nvcc},
    record::{Failure, Line, Record},
    results::{Results, ResultsError},
    steps, table,
};
use indicatif::{ProgressBar, ProgressStyle};
use measure::Subject;
use reference::Reference;
use regex::Regex;
use std::{
    borrow::Cow,
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use stencil_runtime::{
    Package, RuntimeError,
    energy::{EnergyError, EnergyMeter},
    host::DeviceError,
    manifest::Function,
    package::Code,
};

/// What is asked for.
pub struct Request {
    /// The folder of packages.
    pub folder: PathBuf,
    /// Entries whose name matches; all without it.
    pub filter: Option<Regex>,
    /// Timed runs of each package.
    pub repeat: u32,
    /// When to start no further package.
    pub time_limit: Option<Duration>,
    /// The seed of the input.
    pub seed: u64,
    /// The device, counted from 0.
    pub device: usize,
    /// Measures energy too, which takes two seconds for each package.
    pub meter: Option<EnergyMeter>,
    /// Measures again what the file of results has already.
    pub again: bool,
    /// For going on after a fault: lines of the file of results before the run began; what the
    /// later ones are about was tried.
    pub resumed: Option<usize>,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Packages measured now.
    pub measured: usize,
    /// Packages that failed now.
    pub failed: usize,
    /// Packages that the file of results had already.
    pub known: usize,
    /// Packages that no time was left for.
    pub left: usize,
    /// The device is lost: the rest needs a new process.
    pub lost: bool,
}

/// Why one package has no measurement.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum MeasureError {
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    #[error("package '{0}' is not the one that was built: its SHA-256 is another")]
    Changed(String),
    #[error("package '{0}' has no plain kernels to compare with; build it with verification")]
    NoPlain(String),
    #[error("{0}")]
    Program(String),
    #[error("the fields differ from those of the plain kernels: {0}")]
    Differs(String),
    #[error("the device has no clock")]
    NoClock,
    #[error(transparent)]
    Energy(#[from] EnergyError),
    #[error("CUDA source: {0}")]
    Nvcc(#[from] nvcc::NvccError),
}

impl MeasureError {
    /// Whether a kernel failed: then everything else on this device fails, too.
    fn loses_device(&self) -> bool {
        let fault = |error: &DeviceError| matches!(error, DeviceError::Kernel { .. });
        match self {
            MeasureError::Runtime(RuntimeError::Device(error)) => fault(error),
            MeasureError::Runtime(RuntimeError::Host(error)) => {
                matches!(error, stencil_runtime::host::HostError::Device(error) if fault(error))
            }
            _ => false,
        }
    }
}

/// Measures every package of a folder, and writes a line for each; `tell` hears of each at once.
pub fn run(
    request: &Request,
    index: &Index,
    results: &mut Results,
    day: &str,
    tell: &dyn Fn(&str),
) -> Result<Outcome, ResultsError> {
    let start = Instant::now();
    let (jobs, known) = jobs(request, index, results);
    let nvcc = Nvcc::find();
    let cuda: Vec<&Entry> = jobs.iter().copied().filter(|entry| entry.cuda.is_some()).collect();
    let progress = progress(jobs.len());
    let tell = |line: &str| progress.suspend(|| tell(line));
    if nvcc.is_none() && !cuda.is_empty() {
        let count = cuda.len();
        tell(&format!("no nvcc here: {count} CUDA sources are left out"));
    }
    let mut machine = Machine {
        request,
        target: &index.target,
        cubins: compile_cuda(nvcc.as_ref(), &cuda, request, &index.target, &progress),
        reference: None,
        meter: request.meter.as_ref(),
        day,
    };
    let mut outcome = Outcome { known, ..Outcome::default() };
    for (done, entry) in jobs.iter().enumerate() {
        if request.time_limit.is_some_and(|limit| start.elapsed() >= limit) {
            outcome.left = jobs.len() - done;
            break;
        }
        progress.set_message(entry.name());
        if entry.cuda.is_some() && nvcc.is_none() {
            progress.inc(1);
            continue;
        }
        let measured = machine.measure(entry);
        progress.inc(1);
        outcome.lost = measured.as_ref().is_err_and(MeasureError::loses_device);
        match measured {
            Ok(record) => {
                tell(&short(&record));
                outcome.measured += 1;
                results.add(Line::Measured(Box::new(record)))?;
            }
            Err(error) => {
                tell(&format!("{}: {error}", entry.name()));
                outcome.failed += 1;
                results.add(Line::Failed(failure(entry, &error, day)))?;
            }
        }
        if outcome.lost {
            outcome.left = jobs.len() - done - 1;
            break;
        }
    }
    progress.finish_and_clear();
    Ok(outcome)
}

/// What is to be measured, packages of one program next to each other, and how many of those asked
/// for there are measurements of.
fn jobs<'i>(request: &Request, index: &'i Index, results: &Results) -> (Vec<&'i Entry>, usize) {
    let wanted = |entry: &&Entry| match &request.filter {
        Some(filter) => filter.is_match(&entry.name()),
        None => true,
    };
    let mut jobs: Vec<&Entry> = Vec::new();
    for entry in index.entries.iter().filter(wanted) {
        let place = jobs.iter().rposition(|earlier| earlier.same_program(entry));
        jobs.insert(place.map_or(jobs.len(), |place| place + 1), entry);
    }
    let all = jobs.len();
    let first = request.resumed.unwrap_or(results.lines().len());
    jobs.retain(|entry| {
        let known = !request.again && results.has(entry);
        !known && !results.has_since(first, entry)
    });
    let known = all - jobs.len();
    (jobs, known)
}

/// Machine code of every CUDA source, several at a time: it takes seconds each.
fn compile_cuda(
    nvcc: Option<&Nvcc>,
    entries: &[&Entry],
    request: &Request,
    target: &str,
    progress: &ProgressBar,
) -> BTreeMap<String, Result<Vec<u8>, nvcc::NvccError>> {
    let Some(nvcc) = nvcc.filter(|_| !entries.is_empty()) else { return BTreeMap::new() };
    progress.set_message(format!("{} compiles {} CUDA sources", nvcc.version(), entries.len()));
    let sources = entries.iter().filter_map(|entry| entry.cuda.as_ref());
    nvcc.compile_all(sources, &request.folder, target)
}

fn progress(length: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}")
        .expect("the template is well-formed");
    ProgressBar::new(length as u64).with_style(style)
}

/// A measurement in one line.
fn short(record: &Record) -> String {
    let row = table::rows(std::slice::from_ref(record), table::Rows::All);
    let ratio = row[0].to_nvcc.map_or(String::new(), |ratio| format!(", {ratio:.2} of nvcc"));
    format!(
        "{} {} {} {}: {:.1} GPt/s ±{:.1} %{ratio}, {} registers",
        record.kernel,
        record.r#type,
        record.version,
        record.plan,
        record.gpts,
        record.spread * 100.0,
        crate::layout::count(record.registers),
    )
}

fn failure(entry: &Entry, error: &MeasureError, day: &str) -> Failure {
    Failure {
        kernel: entry.kernel.clone(),
        r#type: entry.r#type,
        version: entry.version.clone(),
        plan: entry.plan.clone(),
        cap: entry.cap,
        package: entry.code_sha256().to_owned(),
        error: error.to_string(),
        date: day.to_owned(),
    }
}

/// A GPU, and what the package before left on it that the next one needs.
struct Machine<'r> {
    request: &'r Request,
    target: &'r str,
    cubins: BTreeMap<String, Result<Vec<u8>, nvcc::NvccError>>,
    /// Input and expected fields of the program measured last.
    reference: Option<(Entry, Reference)>,
    /// Where energy is asked for.
    meter: Option<&'r EnergyMeter>,
    day: &'r str,
}

impl Machine<'_> {
    fn measure(&mut self, entry: &Entry) -> Result<Record, MeasureError> {
        let package = of_size(read_package(&self.request.folder, entry)?, entry)?;
        let plain = package.plain.as_ref();
        let plain = plain.ok_or_else(|| MeasureError::NoPlain(entry.package.clone()))?;
        let known = self.reference.as_ref().is_some_and(|(of, _)| of.same_program(entry));
        if !known {
            // The memory of the program before is free before that of this one is asked for.
            self.reference = None;
            let Request { seed, device, .. } = *self.request;
            let reference = Reference::new(plain, entry, seed, device)?;
            self.reference = Some((entry.clone(), reference));
        }
        let (_, reference) = self.reference.as_mut().expect("it was made above");
        let code = match &entry.cuda {
            None => package.code,
            Some(source) => {
                let cubin = self.cubins.get(&source.sha256).cloned();
                let cubin = cubin.expect("every source was given to the compiler")?;
                nvcc::code(plain, source, self.target, cubin)?
            }
        };
        let (request, day, meter) = (self.request, self.day, self.meter);
        Subject { entry, code: &code, request, day, meter }.measure(reference)
    }
}

/// Reads a package and makes sure that it is the one that the index speaks of.
fn read_package(folder: &Path, entry: &Entry) -> Result<Package, MeasureError> {
    let path = folder.join(&entry.package);
    let bytes = std::fs::read(&path).map_err(|error| {
        let path = path.clone();
        RuntimeError::from(stencil_runtime::package::PackageError::Unreadable { path, error })
    })?;
    if stencil_runtime::package::sha256(&bytes) != entry.package_sha256 {
        return Err(MeasureError::Changed(entry.package.clone()));
    }
    Package::from_bytes(&bytes).map_err(|problem| {
        RuntimeError::from(stencil_runtime::package::PackageError::Broken { path, problem }).into()
    })
}

/// A package for every size with the function and the extents that it runs an entry with; others
/// as they are.
fn of_size(package: Package, entry: &Entry) -> Result<Package, MeasureError> {
    let manifest = &package.code.manifest;
    let function =
        steps::only_function(manifest).map_err(|error| MeasureError::Program(error.to_string()))?;
    if function.extents.is_none() {
        return Ok(package);
    }
    let domain = benchmark_of(entry)?.domain(&entry.size);
    let at = package.at(manifest.preferred(function, &domain), &domain);
    at.map_err(|error| MeasureError::Program(error.to_string()))
}

fn benchmark_of(entry: &Entry) -> Result<&'static Benchmark, MeasureError> {
    kernels::find(&entry.kernel).ok_or_else(|| {
        let (name, known) = (&entry.kernel, kernels::names());
        MeasureError::Program(format!("kernel '{name}' is unknown, known kernels are {known}"))
    })
}

/// The only function of some code, with the time steps of an entry: a benchmark has one.
fn function_of<'c>(code: &'c Code, entry: &Entry) -> Result<Cow<'c, Function>, MeasureError> {
    let function = code.manifest.function(None).map_err(RuntimeError::from)?;
    let papers = kernels::find(&entry.kernel).map(|benchmark| benchmark.steps);
    if papers == Some(entry.steps) {
        return Ok(Cow::Borrowed(function));
    }
    let made = steps::with_steps(function, entry.steps);
    made.map(Cow::Owned).map_err(|error| MeasureError::Program(error.to_string()))
}

#[cfg(test)]
#[path = "run/tests.rs"]
mod tests;
