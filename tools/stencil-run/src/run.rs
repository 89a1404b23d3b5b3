//! From the options to the report: read, bind, run, time, write.

use crate::{
    options::Options,
    report::{self, Report, Times},
};
use anyhow::Context;
use std::path::Path;
use stencil_runtime::{
    Package, RuntimeError,
    bind::{self, Value},
    compare,
    cuda::CudaDevice,
    host::{RunReport, Session},
    manifest::{Function, Manifest},
    output, variants,
};

/// Does what the options say.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let package = Package::read(&options.package).map_err(RuntimeError::from)?;
    let manifest = &package.code.manifest;
    let mut requests = options.requests();
    let (name, folder) = (options.function.as_deref(), options.in_dir.as_deref());
    let function =
        variants::choose(manifest, name, &requests, folder).map_err(RuntimeError::from)?;
    if options.print_signature {
        println!("function '{}', compiled for {}", function.name, manifest.target);
        print!("{}", bind::signature(&function.arguments));
        if let Some(variants) = variants::summary(manifest) {
            print!("the package has these variants, chosen by the fields given:\n{variants}");
        }
        return Ok(());
    }

    // Arguments before the device: they can be wrong on any machine.
    if let Some(folder) = folder {
        requests.add_folder(folder, &function.arguments);
    }
    let mut values = bind::bind(&function.arguments, &requests).map_err(RuntimeError::from)?;
    let mut device = CudaDevice::open(options.device, &package.code).map_err(RuntimeError::from)?;
    let facts = device.facts().clone();
    let (done, times) = execute(function, manifest, &mut device, &mut values, options)?;

    let report = Report::new(&package, function, &facts, &done, times, &values);
    if let Some(folder) = &options.out_dir {
        output::write_fields(folder, &function.arguments, &values).map_err(RuntimeError::from)?;
    }
    if let Some(path) = &options.report {
        let json = serde_json::to_string_pretty(&report).context("the report is no JSON")? + "\n";
        output::write_file(path, json.as_bytes()).map_err(RuntimeError::from)?;
    }
    print!("{}", report::text(&report));
    match &options.expect {
        Some(folder) => verify(function, folder, &values),
        None => Ok(()),
    }
}

/// Compares the fields with those of another run; the cells that differ are the error.
fn verify(function: &Function, folder: &Path, values: &[Value]) -> anyhow::Result<()> {
    let comparison = compare::compare_with_folder(&function.arguments, folder, values)
        .map_err(RuntimeError::from)?;
    if !comparison.is_identical() {
        return Err(RuntimeError::Differs(comparison).into());
    }
    println!("verified: bit-identical");
    Ok(())
}

/// Runs once, then as often as is to be timed; the results are those of every run alike.
fn execute(
    function: &Function,
    manifest: &Manifest,
    device: &mut CudaDevice,
    values: &mut [Value],
    options: &Options,
) -> Result<(RunReport, Option<Times>), RuntimeError> {
    let arguments = values.iter_mut().map(Value::bound).collect();
    let mut session = Session::new(function, manifest, device, arguments)?;
    session.upload()?;
    // The first run waits for each kernel, so that a failure names it.
    let first = session.execute()?;
    let mut samples = Vec::new();
    if options.time {
        session.device().set_synchronous(false);
        for _ in 0..options.repeat {
            session.restore()?;
            samples.extend(session.execute()?.device_time);
        }
    }
    session.download()?;
    Ok((first, Times::of(samples)))
}
