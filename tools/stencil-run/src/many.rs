//! A run on several devices, each with a window of the domain.

use crate::{
    execute::{Outcome, SharedOutcome, Task},
    options::{Devices, Options},
    report::{self, Report},
    run,
};
use anyhow::bail;
use std::borrow::Cow;
use stencil_runtime::{
    Package, RuntimeError,
    bind::{self, Requests, Value},
    call::first_devices,
    cuda::{CudaDevice, CudaDevices},
    host::SharedSession,
    manifest::Function,
    measure::time_shared,
    output, time_loop,
    verify::{Expected, POISON, Verified},
};

/// Runs a function that was compiled for several devices.
pub fn run(package: &Package, chosen: &Function, options: &Options) -> anyhow::Result<()> {
    if options.every.is_some() || options.energy {
        bail!("--every and --energy are about runs on one device; leave them out");
    }
    if options.device != 0 && options.devices.is_none() {
        bail!("--device names one device, and the package is for several; name all: --devices=0,1");
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

    let ordinals = match &options.devices {
        Some(Devices(list)) => list.clone(),
        None => first_devices(&function).map_err(RuntimeError::from)?,
    };
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
        requests.add_folder(folder, &whole.arguments)?;
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
        expected.map(|expected| expected.check_shared(session, when)).transpose()
    };
    let mut verified: Option<Verified> = check(&mut session, "the run")?;
    let mut times = None;
    if options.time {
        (shared, times) = time_shared(&mut session, options.repetitions())?;
        if let (Some(sum), Some(more)) = (&mut verified, check(&mut session, "the last timed run")?)
        {
            sum.add(&more);
        }
    }
    session.download()?;
    drop(session);
    let first = &devices.all()[0];
    let run = shared.run.clone();
    let loaded = first.loaded_kernels(&task.code.manifest, &run)?;
    let facts = all[0].1.clone();
    let machines = Vec::new();
    let shared = Some(SharedOutcome { devices: all, machines, links, report: shared });
    let (energy, checkpoints) = (None, Vec::new());
    Ok(Outcome { facts, run, steps, loaded, times, energy, verified, checkpoints, shared })
}
