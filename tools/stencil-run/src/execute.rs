//! The runs themselves: the one that counts, those that are timed, and what they are compared with.

use crate::{options::Options, progress::Bar};
use std::{borrow::Cow, path::PathBuf};
use stencil_runtime::{
    RuntimeError,
    bind::Value,
    checkpoint::{self, Contents},
    cuda::{self, CudaDevice, DeviceFacts, Links, LoadedKernel},
    energy::EnergyMeter,
    host::{Device, Progress, RunReport, Session, SharedReport},
    manifest::Function,
    measure::{self, Energy, Samples},
    package::Code,
    time_loop,
    verify::{Expected, POISON, Verified},
};

/// The first run waits for each kernel, so that a failure names it, unless it has more operations:
/// waiting costs some microseconds each.
const SYNCHRONOUS_OPERATIONS_MAX: usize = 4096;

/// What is to be run.
pub struct Task<'t> {
    pub code: &'t Code,
    pub function: &'t Function,
    /// What is written on the way.
    pub contents: Option<Contents>,
    pub options: &'t Options,
}

/// What came of it.
pub struct Outcome {
    pub facts: DeviceFacts,
    pub run: RunReport,
    /// Time steps of the run, where they can be counted.
    pub steps: Option<u64>,
    /// What the driver says about each kernel that ran.
    pub loaded: Vec<LoadedKernel>,
    pub times: Option<Samples>,
    pub energy: Option<Energy>,
    /// Comparisons with plain kernels.
    pub verified: Option<Verified>,
    pub checkpoints: Vec<PathBuf>,
    /// Of several devices.
    pub shared: Option<SharedOutcome>,
}

/// What came of a run on several devices.
pub struct SharedOutcome {
    /// Their numbers, and what is known of them.
    pub devices: Vec<(usize, DeviceFacts)>,
    /// The machine of each, where they are those of several processes.
    pub machines: Vec<String>,
    pub links: Links,
    pub report: SharedReport,
}

/// Runs a function; `values` are then its results. `plain` is the function of the plain kernels,
/// if the results are to be compared with theirs.
pub fn execute(
    task: &Task<'_>,
    plain: Option<&(&Code, Cow<'_, Function>)>,
    values: &mut [Value],
) -> Result<Outcome, RuntimeError> {
    let options = task.options;
    let meter = match options.energy {
        true => Some(EnergyMeter::open(&cuda::bus_id(options.device)?)?),
        false => None,
    };
    let expected = match plain {
        None => None,
        Some((code, function)) => {
            // One program at a time: the memory of the device is for its fields.
            let mut device = CudaDevice::open(options.device, code)?;
            Some(Expected::by_plain_kernels(code, function, values, &mut device)?)
        }
    };
    let mut device = CudaDevice::open(options.device, task.code)?;
    let facts = device.facts().clone();
    let mut checkpoints = Vec::new();
    let scalars = checkpoint::scalars_of(values);
    let steps = time_loop::steps_of(task.function, values);
    let arguments = values.iter_mut().map(Value::bound).collect();
    let mut session = Session::new(task.function, &task.code.manifest, &mut device, arguments)?;

    session.upload()?;
    if expected.is_some() {
        session.poison(POISON[0])?;
    }
    let waits = options.synchronous || session.operations() <= SYNCHRONOUS_OPERATIONS_MAX;
    session.device().set_synchronous(waits);
    let bar = Bar::of(session.operations(), session.points(), steps);
    let run = first_run(task, &mut session, &scalars, &mut checkpoints, bar.as_ref())?;
    drop(bar);
    let mut verified = check(expected.as_ref(), &mut session, "the run")?;

    let mut times = None;
    if options.time {
        times = measure::time(&mut session, options.repetitions())?;
        add(&mut verified, check(expected.as_ref(), &mut session, "the last timed run")?);
    }
    let mut energy = None;
    if let (Some(meter), Some(times)) = (&meter, &times) {
        let read = || meter.joules().map_err(RuntimeError::from);
        energy = Some(measure::energy(&mut session, times.median(), read)?);
        // The fields hold the result of many runs now.
        session.restore()?;
        session.execute()?;
        add(&mut verified, check(expected.as_ref(), &mut session, "the run after the energy")?);
    }
    session.download()?;
    drop(session);
    let loaded = device.loaded_kernels(&task.code.manifest, &run)?;
    let shared = None;
    Ok(Outcome { facts, run, steps, loaded, times, energy, verified, checkpoints, shared })
}

/// The run whose results are written.
fn first_run(
    task: &Task<'_>,
    session: &mut Session<'_, CudaDevice>,
    scalars: &[Option<stencil_runtime::ScalarValue>],
    written: &mut Vec<PathBuf>,
    bar: Option<&Bar>,
) -> Result<RunReport, RuntimeError> {
    let options = task.options;
    let mut progress = match bar {
        None => Progress::unwatched(),
        Some(bar) => Progress::watched_by(|done| bar.advance(done)),
    };
    let (Some(every), Some(contents), Some(folder)) =
        (options.every, &task.contents, &options.out_dir)
    else {
        return session.execute_watched(&mut progress);
    };
    let run = checkpoint::Run { function: task.function, values: scalars, seed: options.seed };
    session.execute_with_checkpoints(
        every,
        |stop| contents.kept(stop),
        |checkpoint| {
            written.push(contents.write(folder, checkpoint, run)?);
            Ok(())
        },
        &mut progress,
    )
}

fn check(
    expected: Option<&Expected>,
    session: &mut Session<'_, CudaDevice>,
    when: &'static str,
) -> Result<Option<Verified>, RuntimeError> {
    expected.map(|expected| expected.check(session, when)).transpose()
}

fn add(sum: &mut Option<Verified>, more: Option<Verified>) {
    if let (Some(sum), Some(more)) = (sum, more) {
        sum.add(&more);
    }
}
