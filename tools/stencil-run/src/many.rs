//! A run on several devices, each with a window of the domain.

use crate::{
    execute::{Outcome, SharedOutcome, Task},
    options::{Devices, Options},
    report::{self, Report},
    run,
};
use anyhow::bail;
use std::{
    borrow::Cow,
    time::{Duration, Instant},
};
use stencil_runtime::{
    Package, RuntimeError,
    bind::{self, Requests, Value},
    cuda::{self, CudaDevice, CudaDevices},
    host::{SharedReport, SharedSession},
    manifest::Function,
    measure::Samples,
    output, time_loop,
    verify::{Expected, POISON, Verified},
};

/// Runs a function that was compiled for several devices.
pub fn run(package: &Package, chosen: &Function, options: &Options) -> anyhow::Result<()> {
    if options.every.is_some() || options.energy {
        bail!("--every and --energy are about runs on one device; leave them out");
    }
    let plain = run::plain_function(package, chosen, options)?;
    let Prepared { function, whole, requests, notes } = prepare(chosen, options)?;
    notes.iter().for_each(|note| eprintln!("note: {note}"));
    let mut values = bind::bind(&whole.arguments, &requests).map_err(RuntimeError::from)?;
    time_loop::check_steps(&whole, &values).map_err(RuntimeError::from)?;
    let selftest = match options.selftest {
        true => Some(run::selftest(package, options)?),
        false => None,
    };

    let ordinals = ordinals(&function, options)?;
    let expected = match &plain {
        None => None,
        Some((code, function)) => {
            let mut device = CudaDevice::open(ordinals[0], code).map_err(RuntimeError::from)?;
            Some(Expected::by_plain_kernels(code, function, &mut values, &mut device)?)
        }
    };
    let task = Task { code: &package.code, function: &function, contents: None, options };
    let outcome = execute(&task, &ordinals, expected.as_ref(), &mut values)?;
    if let Some(folder) = &options.out_dir {
        output::write_fields(folder, &whole.arguments, &values).map_err(RuntimeError::from)?;
    }
    let report = Report::new(&task, &outcome, selftest, bind::checksums(&values));
    run::write_report(options, &report)?;
    print!("{}", report::text::run(&report));
    match &options.expect {
        Some(folder) => run::expect(&whole, folder, &values),
        None => Ok(()),
    }
}

/// A function with its number of time steps, and what was asked for.
pub struct Prepared<'p> {
    /// With the fields of a window.
    pub function: Cow<'p, Function>,
    /// With those of the whole domain.
    pub whole: Function,
    pub requests: Requests,
    pub notes: Vec<String>,
}

/// Checks what was asked for, but for the content of files.
pub fn prepare<'p>(chosen: &'p Function, options: &Options) -> Result<Prepared<'p>, RuntimeError> {
    let mut requests = options.requests();
    let mut whole = chosen.whole();
    if let Some(folder) = options.in_dir.as_deref() {
        requests.add_folder(folder, &whole.arguments);
    }
    let mut function = Cow::Borrowed(chosen);
    if let Some(steps) = options.steps {
        function = time_loop::set_steps(chosen, steps, &mut options.requests())?;
        whole = time_loop::set_steps(&whole, steps, &mut requests)?.into_owned();
    }
    let notes = bind::unused_symbols(&whole.arguments, &requests, &[]);
    bind::check(&whole.arguments, &requests)?;
    Ok(Prepared { function, whole, requests, notes })
}

/// The devices that are named, or the first ones, if there are as many.
fn ordinals(function: &Function, options: &Options) -> anyhow::Result<Vec<usize>> {
    if let Some(Devices(list)) = &options.devices {
        return Ok(list.clone());
    }
    let windows = function.decomposition.as_ref().map_or(1, |shared| shared.windows.len());
    let found = cuda::list_devices().map_err(RuntimeError::from)?.len();
    if found < windows {
        let twice = vec!["0"; windows].join(",");
        bail!(
            "function '{}' was compiled for {windows} devices, this machine has {found}; compile \
             it with --devices={found}, or have one device compute several windows, as with \
             --devices={twice}",
            function.name
        );
    }
    Ok((0..windows).collect())
}

fn execute(
    task: &Task<'_>,
    ordinals: &[usize],
    expected: Option<&Expected>,
    values: &mut [Value],
) -> Result<Outcome, RuntimeError> {
    let options = task.options;
    let mut devices = CudaDevices::open(ordinals, task.code)?;
    let all = devices.facts().map(|(ordinal, facts)| (ordinal, facts.clone())).collect::<Vec<_>>();
    let links = devices.links().clone();
    let steps = time_loop::steps_of(task.function, values);
    let arguments = values.iter_mut().map(Value::bound).collect();
    let mut session =
        SharedSession::new(task.function, &task.code.manifest, devices.all(), arguments)?;
    session.upload()?;
    if expected.is_some() {
        session.poison(POISON[0])?;
    }
    session.set_synchronous(options.synchronous);
    let mut shared = session.execute()?;
    let check = |session: &mut SharedSession<'_, CudaDevice>, when| {
        let whole = session.whole().clone();
        let read = |position| Ok(session.read(position)?);
        expected.map(|expected| expected.check_fields(&whole, when, read)).transpose()
    };
    let mut verified: Option<Verified> = check(&mut session, "the run")?;
    let mut times = None;
    if options.time {
        (shared, times) = time(&mut session, options)?;
        if let (Some(sum), Some(more)) = (&mut verified, check(&mut session, "the last timed run")?)
        {
            sum.add(&more);
        }
    }
    session.download()?;
    drop(session);
    let first = &devices.all()[0];
    let run = shared.run.clone();
    let kernels = run.kernels.iter().filter_map(|runs| task.code.manifest.kernel(&runs.name));
    let loaded = kernels.map(|kernel| first.loaded(kernel)).collect::<Result<_, _>>()?;
    let facts = all[0].1.clone();
    let machines = Vec::new();
    let shared = Some(SharedOutcome { devices: all, machines, links, report: shared });
    let (energy, checkpoints) = (None, Vec::new());
    Ok(Outcome { facts, run, steps, loaded, times, energy, verified, checkpoints, shared })
}

/// Runs the program repeatedly on the host's content; the report is that of the run whose exchanges
/// took longest.
fn time(
    session: &mut SharedSession<'_, CudaDevice>,
    options: &Options,
) -> Result<(SharedReport, Option<Samples>), RuntimeError> {
    session.set_synchronous(false);
    let repetitions = options.repetitions();
    let (mut samples, mut slowest) = (Vec::new(), SharedReport::default());
    for run in 0..repetitions.warm_up.saturating_add(repetitions.repeat) {
        session.restore()?;
        let start = Instant::now();
        let report = session.execute()?;
        if run >= repetitions.warm_up {
            let time: Duration = report.run.device_time.unwrap_or_else(|| start.elapsed());
            samples.push(time);
            if samples.len() == 1 || report.exchange_time > slowest.exchange_time {
                slowest = report;
            }
        }
    }
    Ok((slowest, Samples::new(samples)))
}
