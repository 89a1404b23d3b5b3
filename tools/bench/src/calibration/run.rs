//! Running the probes on a GPU.
//!
//! Every way to run a probe is repeated, after one time that does not count. No kernel takes more
//! than a few milliseconds. A probe that fails leaves a line that says why; after a fault, which
//! takes the context with it, the rest is for a new process.

use super::{
    assembler::{TARGET, VERSION_FILE},
    probes::{self, Blocks, Content, POOL_BYTES, Probe, Run, SLOT_WORDS, WARP_THREADS},
    raw::{Failure, Line, Log, Origin, RawError, Sampled},
};
use crate::bare::{self, Shape};
use indicatif::ProgressBar;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};
use stencil_runtime::{
    ScalarType, ScalarValue,
    cuda::{CodeOrigin, CudaBuffer, CudaDevice, DeviceFacts},
    host::{Batch, Device, DeviceError, LaunchArgument, Operation},
    manifest::{Kernel, Parameter},
    package::Code,
};

/// Repetitions that count, of each way to run a probe.
pub const REPETITIONS: usize = 7;
/// The name of all kernels.
const ENTRY: &str = "probe";
/// The longest chain of addresses.
const CHAIN_BYTES: usize = 128 << 20;
/// What a word of a slot takes.
const WORD_BYTES: usize = size_of::<u64>();

/// What is asked for.
pub struct Request {
    /// The device, counted from 0.
    pub device: usize,
    /// A folder of machine code; without it the driver compiles.
    pub folder: Option<PathBuf>,
    /// The day.
    pub date: String,
    /// Measures again what the file of samples has already.
    pub again: bool,
    /// For going on after a fault: lines of the file before the run began; what the later ones
    /// are about was tried.
    pub resumed: Option<usize>,
}

/// How it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Ways to run a probe that were measured now.
    pub measured: usize,
    /// That failed now.
    pub failed: usize,
    /// That the file had already.
    pub known: usize,
    /// That are left, because the device is lost.
    pub left: usize,
}

/// Why there are no samples.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum CalibrationError {
    #[error(transparent)]
    Raw(#[from] RawError),
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(
        "'{}': {error}; make the folder by 'bench calibration -o {}'",
        path.display(),
        path.parent().unwrap_or(path).display()
    )]
    Folder { path: PathBuf, error: std::io::Error },
    #[error(
        "the driver compiled the kernel anew, '{}' is not for this device",
        file.display()
    )]
    NotTaken { file: PathBuf },
    #[error("it is machine code without PTX; give the folder that 'bench calibration' made")]
    NoMachineCode,
    #[error("no multiprocessor ran {wanted} warps, but {found}; is the device in use?")]
    Placement { wanted: u64, found: String },
    #[error("a warp wrote no clock, or one that goes backward")]
    Clock,
}

impl CalibrationError {
    /// Whether a kernel failed: then everything else on this device fails, too.
    fn loses_device(&self) -> bool {
        matches!(self, CalibrationError::Device(DeviceError::Kernel { .. }))
    }
}

/// Runs all probes, and writes a line for each way to run one; `tell` hears of what fails.
///
/// # Errors
/// If there is no device, or the file of samples cannot be written.
pub fn run(
    request: &Request,
    log: &mut Log,
    tell: &dyn Fn(&str),
) -> Result<Outcome, CalibrationError> {
    let probes = probes::all();
    let all: usize = probes.iter().map(|probe| probe.runs.len()).sum();
    let progress = ProgressBar::new(all as u64);
    let tell = |line: &str| progress.suspend(|| tell(line));
    let first = request.resumed.unwrap_or(log.lines().len());
    let mut machine = Machine::open(request)?;
    let mut outcome = Outcome::default();
    let mut lost = false;
    for probe in &probes {
        let known = |run: &Run| {
            let about = |line: &Line| line.is_about(&probe.name, run.x, run.iterations);
            let sampled = |line: &Line| matches!(line, Line::Sampled(_)) && about(line);
            log.lines().iter().skip(first).any(about)
                || (!request.again && log.lines().iter().any(sampled))
        };
        let runs: Vec<&Run> = probe.runs.iter().filter(|run| !known(run)).collect();
        outcome.known += probe.runs.len() - runs.len();
        progress.inc((probe.runs.len() - runs.len()) as u64);
        let mut loaded = None;
        for run in runs {
            progress.inc(1);
            if lost {
                outcome.left += 1;
                continue;
            }
            match machine.measure(probe, run, &mut loaded) {
                Ok(sampled) => {
                    outcome.measured += 1;
                    log.add(Line::Sampled(sampled))?;
                }
                Err(error) => {
                    tell(&format!("{} at {}: {error}", probe.name, run.x));
                    outcome.failed += 1;
                    lost = error.loses_device();
                    log.add(Line::Failed(failure(probe, run, &error, &request.date)))?;
                }
            }
        }
    }
    progress.finish_and_clear();
    Ok(outcome)
}

fn failure(probe: &Probe, run: &Run, error: &CalibrationError, date: &str) -> Failure {
    Failure {
        probe: probe.name.clone(),
        x: run.x,
        iterations: run.iterations,
        error: error.to_string(),
        date: date.to_owned(),
    }
}

/// A device with the memory that probes use.
struct Machine<'r> {
    request: &'r Request,
    /// Holds the context, so that it stays from probe to probe.
    device: CudaDevice,
    facts: DeviceFacts,
    /// What assembled the machine code of the folder.
    ptxas: Option<String>,
    times: CudaBuffer,
    zeros: CudaBuffer,
    target: CudaBuffer,
    chain: CudaBuffer,
    /// What the chain holds.
    content: Content,
}

impl<'r> Machine<'r> {
    fn open(request: &'r Request) -> Result<Machine<'r>, CalibrationError> {
        let ptxas = match &request.folder {
            None => None,
            Some(folder) => {
                let path = folder.join(VERSION_FILE);
                let text = fs::read_to_string(&path);
                let text = text.map_err(|error| CalibrationError::Folder { path, error })?;
                Some(text.trim().to_owned())
            }
        };
        let empty = probes::nothing();
        let mut device = CudaDevice::open(request.device, &code(&empty, None))?;
        let facts = device.facts().clone();
        let warps = facts.multiprocessors as usize * probes::WARPS_MAX as usize;
        let times = device.allocate(warps * SLOT_WORDS * WORD_BYTES)?;
        let [zeros, target, chain] = [POOL_BYTES, POOL_BYTES, CHAIN_BYTES];
        let zeros = device.allocate(zeros)?;
        let target = device.allocate(target)?;
        let chain = device.allocate(chain)?;
        for buffer in [zeros, target, chain] {
            device.fill(buffer, 0, buffer.bytes)?;
        }
        device.synchronize()?;
        let content = Content::Zeros;
        Ok(Machine { request, device, facts, ptxas, times, zeros, target, chain, content })
    }

    /// Loads a probe.
    fn load(&self, probe: &Probe) -> Result<(CudaDevice, Kernel), CalibrationError> {
        let file = |folder: &PathBuf| folder.join(format!("{}.cubin", probe.name));
        let file = self.request.folder.as_ref().map(file);
        let cubin = match &file {
            None => None,
            Some(path) => Some(read(path)?),
        };
        if probe.change.is_some() && cubin.is_none() {
            return Err(CalibrationError::NoMachineCode);
        }
        let code = code(probe, cubin);
        let mut device = CudaDevice::open(self.request.device, &code)?;
        if let Some(file) = file
            && device.facts().code == CodeOrigin::Ptx
        {
            return Err(CalibrationError::NotTaken { file });
        }
        device.set_synchronous(false);
        let kernel = code.manifest.kernels.into_iter().next().expect("a probe has one kernel");
        Ok((device, kernel))
    }

    /// Runs a probe in one way, which is loaded if it is not.
    fn measure(
        &mut self,
        probe: &Probe,
        run: &Run,
        loaded: &mut Option<(CudaDevice, Kernel)>,
    ) -> Result<Sampled, CalibrationError> {
        let (device, kernel) = match loaded {
            Some(loaded) => loaded,
            None => loaded.insert(self.load(probe)?),
        };
        self.fill_chain(run.content)?;
        let multiprocessors = self.facts.multiprocessors;
        let blocks = match run.blocks {
            Blocks::Exactly(blocks) => blocks,
            Blocks::PerMultiprocessor(blocks) => blocks * multiprocessors,
        };
        let kernel = Kernel {
            grid: [blocks, 1, 1],
            block: [run.warps * WARP_THREADS, 1, 1],
            shared_bytes: run.shared_bytes,
            ..kernel.clone()
        };
        let mut sampled = Sampled {
            probe: probe.name.clone(),
            x: run.x,
            iterations: run.iterations,
            operations: run.operations,
            warps: match run.blocks {
                Blocks::Exactly(blocks) | Blocks::PerMultiprocessor(blocks) => {
                    u64::from(blocks * run.warps)
                }
            },
            multiprocessors: blocks.min(multiprocessors).into(),
            cycles: Vec::new(),
            cycles_longest: Vec::new(),
            seconds: Vec::new(),
            origin: self.origin(),
        };
        if let Some(bytes) = run.carved_bytes {
            device.prefer_shared_memory(&kernel, bytes)?;
        }
        for repetition in 0..=REPETITIONS {
            let seconds = self.launch(device, &kernel, run)?;
            let cycles = match run.timed_inside {
                true => Some(self.clocks(device, u64::from(blocks * run.warps), sampled.warps)?),
                false => None,
            };
            if repetition > 0 {
                sampled.seconds.push(seconds);
                sampled.cycles.extend(cycles.map(|cycles| cycles.middle));
                sampled.cycles_longest.extend(cycles.map(|cycles| cycles.longest));
            }
        }
        Ok(sampled)
    }

    fn origin(&self) -> Origin {
        let (major, minor) = self.facts.driver_version;
        Origin {
            chip: self.facts.name.clone(),
            driver: format!("{major}.{minor}"),
            ptxas: self.ptxas.clone().unwrap_or_else(|| "driver".to_owned()),
            date: self.request.date.clone(),
        }
    }

    /// Launches once, or as often as asked for, and gives the time between events.
    fn launch(
        &self,
        device: &mut CudaDevice,
        kernel: &Kernel,
        run: &Run,
    ) -> Result<f64, CalibrationError> {
        let source = match run.content {
            Content::Zeros => self.zeros,
            Content::Chain { .. } => self.chain,
        };
        if matches!(run.content, Content::Chain { cold: true, .. }) {
            device.fill(self.target, 0, self.target.bytes)?;
        }
        device.fill(self.times, 0, self.times.bytes)?;
        let number = |value| ScalarValue::from_integer(ScalarType::I32, value);
        let arguments = vec![
            LaunchArgument::Buffer(self.times),
            LaunchArgument::Buffer(source),
            LaunchArgument::Buffer(self.target),
            LaunchArgument::Scalar(number(run.iterations.into())),
            LaunchArgument::Scalar(number(0)),
        ];
        let operations = [Operation::Launch { kernel, arguments }];
        let order = vec![0; run.launches as usize];
        let batch = Batch { operations: &operations, order: &order };
        device.prepare(&batch)?;
        device.start_clock()?;
        device.run(&batch)?;
        let time = device.stop_clock()?.unwrap_or_default();
        device.synchronize()?;
        Ok(time.as_secs_f64())
    }

    /// What the warps wrote.
    fn clocks(
        &self,
        device: &mut CudaDevice,
        warps: u64,
        wanted: u64,
    ) -> Result<Cycles, CalibrationError> {
        let mut content = vec![0; warps as usize * SLOT_WORDS * WORD_BYTES];
        device.download(self.times, &mut content)?;
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("words are whole"));
        let words: Vec<u64> = content.chunks_exact(WORD_BYTES).map(word).collect();
        cycles(&words, wanted)
    }

    /// Writes addresses, each of which leads to the next.
    fn fill_chain(&mut self, content: Content) -> Result<(), CalibrationError> {
        let Content::Chain { bytes, stride, shuffled, .. } = content else { return Ok(()) };
        if self.content != content {
            let chain = chain(self.chain.address, Places { bytes, stride, shuffled });
            self.device.upload(self.chain, &chain)?;
            self.content = content;
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<Vec<u8>, CalibrationError> {
    fs::read(path).map_err(|error| CalibrationError::Folder { path: path.to_owned(), error })
}

/// How long multiprocessors took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cycles {
    middle: u64,
    longest: u64,
}

/// The cycles of multiprocessors that ran as many warps as wanted, of what all warps wrote.
fn cycles(words: &[u64], wanted: u64) -> Result<Cycles, CalibrationError> {
    let mut by_multiprocessor: BTreeMap<u64, (u64, u64, u64)> = BTreeMap::new();
    for slot in words.chunks_exact(SLOT_WORDS) {
        let (start, end, place) = (slot[0], slot[1], slot[2]);
        if start == 0 || end <= start {
            return Err(CalibrationError::Clock);
        }
        let (first, last, warps) = by_multiprocessor.entry(place).or_insert((start, end, 0));
        (*first, *last, *warps) = (start.min(*first), end.max(*last), *warps + 1);
    }
    let busy = by_multiprocessor.values().filter(|(_, _, warps)| *warps == wanted);
    let mut taken: Vec<u64> = busy.map(|(first, last, _)| last - first).collect();
    taken.sort_unstable();
    match (taken.get(taken.len() / 2), taken.last()) {
        (Some(&middle), Some(&longest)) => Ok(Cycles { middle, longest }),
        _ => {
            let mut found: Vec<u64> = by_multiprocessor.values().map(|&(_, _, n)| n).collect();
            found.sort_unstable();
            found.dedup();
            let found: Vec<String> = found.iter().map(u64::to_string).collect();
            Err(CalibrationError::Placement { wanted, found: found.join(", ") })
        }
    }
}

/// Where the addresses of a chain are.
#[derive(Clone, Copy)]
struct Places {
    bytes: u64,
    stride: u64,
    shuffled: u64,
}

/// A circle of addresses that begins at the first place.
fn chain(address: u64, places: Places) -> Vec<u8> {
    let mut order: Vec<u64> = (0..places.bytes / places.stride).collect();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for group in order.chunks_mut(places.shuffled as usize) {
        for last in (2..group.len()).rev() {
            // A linear congruential generator; what matters is only that there is no order.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // The first stays, so that the circle begins with the first place.
            group.swap(last, 1 + (random >> 33) as usize % last);
        }
    }
    let mut content = vec![0; places.bytes as usize];
    for (number, place) in order.iter().enumerate() {
        let next = order[(number + 1) % order.len()];
        let at = (place * places.stride) as usize;
        let target = (address + next * places.stride).to_le_bytes();
        content[at..at + WORD_BYTES].copy_from_slice(&target);
    }
    content
}

/// A probe in the form that a device loads.
fn code(probe: &Probe, cubin: Option<Vec<u8>>) -> Code {
    let (pointer, number) = (Parameter::Pointer, Parameter::Scalar(ScalarType::I32));
    let shape = Shape {
        grid: [1, 1, 1],
        block: [WARP_THREADS, 1, 1],
        // The most that a run asks for: the device allows it when the kernel is loaded.
        shared_bytes: probe.runs.iter().map(|run| run.shared_bytes).max().unwrap_or(0),
    };
    let kernel = bare::kernel(ENTRY, shape, vec![pointer, pointer, pointer, number, number]);
    bare::code(kernel, (TARGET, "8.0"), &probe.ptx, cubin)
}

#[cfg(test)]
mod tests;
