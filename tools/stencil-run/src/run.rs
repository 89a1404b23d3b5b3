//! From the options to the report: read, bind, run, write.

use crate::{
    execute::{self, Task},
    generated_help, many,
    options::{Extents, Options, Sizes},
    report::{self, Report},
    tune, worker,
};
use anyhow::Context;
use std::{borrow::Cow, fs, path::Path};
use stencil_runtime::{
    Package, RuntimeError,
    bind::{self, Requests, Value},
    checkpoint, compare,
    cuda::{self, CudaDevice},
    host,
    manifest::{ExtentsError, Function, Manifest},
    output,
    package::Code,
    time_loop, variants,
    verify::{self, Verified},
};

/// Does what the options say.
pub fn run(options: &Options) -> anyhow::Result<()> {
    if options.list_devices {
        let devices = cuda::list_devices().map_err(RuntimeError::from)?;
        print!("{}", report::text::devices(&devices));
        return Ok(());
    }
    if let Some(folder) = &options.generate_help {
        let written = generated_help::write(folder);
        return written.with_context(|| format!("cannot write below {}", folder.display()));
    }
    if let Some(folder) = &options.tune {
        return tune::tune(folder, options);
    }
    if options.worker {
        return worker::work(options);
    }
    let package = read_package(options)?;
    if options.is_selftest_only() {
        let report = Report::of_selftest(selftest(&package, options)?);
        println!("{}", report::text::selftest(&report));
        return write_report(options, &report);
    }
    run_function(&package, options)
}

/// The package, with the PTX that is to take the place of its own.
pub fn read_package(options: &Options) -> anyhow::Result<Package> {
    let path = options.package.as_deref().context("no package is named")?;
    let mut package = Package::read(path).map_err(RuntimeError::from)?;
    if let Some(path) = &options.ptx {
        let ptx = fs::read_to_string(path)
            .with_context(|| format!("'{}' cannot be read", path.display()))?;
        package.code.replace_ptx(ptx).map_err(RuntimeError::from)?;
    }
    if options.selftest {
        verify::selftest_of(&package).map_err(RuntimeError::from)?;
    }
    Ok(package)
}

fn run_function(package: &Package, options: &Options) -> anyhow::Result<()> {
    let manifest = &package.code.manifest;
    let mut requests = options.requests();
    let (name, folder) = (options.function.as_deref(), options.in_dir.as_deref());
    let chosen = variants::choose(manifest, name, &requests, folder).map_err(RuntimeError::from)?;
    if options.print_signature {
        print_signature(package, chosen);
        return Ok(());
    }
    let at_extents = at_extents(package, chosen, &requests, options)?;
    let package = at_extents.as_ref().unwrap_or(package);
    let chosen = at_extents.as_ref().map_or(chosen, |it| &it.code.manifest.functions[0]);
    if chosen.decomposition.is_some() || options.devices.is_some() {
        return many::run(package, chosen, options);
    }
    // Arguments before the device: they can be wrong on any machine.
    if let Some(folder) = folder {
        requests.add_folder(folder, &chosen.arguments).map_err(RuntimeError::from)?;
    }
    let plain = plain_function(package, chosen, options)?;
    let function = match options.steps {
        None => Cow::Borrowed(chosen),
        Some(steps) => {
            time_loop::set_steps(chosen, steps, &mut requests).map_err(RuntimeError::from)?
        }
    };
    let contents = match options.every {
        None => None,
        Some(every) => {
            Some(checkpoint::Contents::of(&function, every).map_err(RuntimeError::from)?)
        }
    };
    contents.iter().for_each(warn_of_differences);
    for note in bind::unused_symbols(&function.arguments, &requests, &[]) {
        eprintln!("note: {note}");
    }
    bind::check(&function.arguments, &requests).map_err(RuntimeError::from)?;
    check_memory(&function, options.device)?;
    let mut values = bind::bind(&function.arguments, &requests).map_err(RuntimeError::from)?;
    time_loop::check_steps(&function, &values).map_err(RuntimeError::from)?;

    let selftest = match options.selftest {
        true => Some(selftest(package, options)?),
        false => None,
    };
    let task = Task { code: &package.code, function: &function, contents, options };
    let outcome = execute::execute(&task, plain.as_ref(), &mut values)?;
    let report = Report::new(&task, &outcome, selftest, bind::checksums(&values));
    finish(&task, &report, &values)
}

/// The package for the extents that are given, by fields or by the option; none where extents are
/// constants.
pub fn at_extents(
    package: &Package,
    function: &Function,
    requests: &Requests,
    options: &Options,
) -> Result<Option<Package>, RuntimeError> {
    let sizes = options.sizes.iter().flat_map(|Sizes(sizes)| sizes.clone()).collect::<Vec<_>>();
    let extents = match (&options.extents, &function.extents) {
        (Some(Extents(extents)), _) => extents.clone(),
        (None, None) if sizes.is_empty() => return Ok(None),
        (None, None) => return Err(ExtentsError::Fixed(function.name.clone()).into()),
        (None, Some(own)) if !sizes.is_empty() => own.for_sizes(function, &sizes)?,
        (None, Some(_)) => variants::extents(function, requests, options.in_dir.as_deref())?,
    };
    let function = match options.function {
        Some(_) => function,
        None => package.code.manifest.preferred(function, &extents),
    };
    Ok(Some(package.at(function, &extents)?))
}

/// Writes what is to be written, and shows the report.
fn finish(task: &Task<'_>, report: &Report, values: &[Value]) -> anyhow::Result<()> {
    let Task { options, function, .. } = *task;
    if let Some(folder) = &options.out_dir {
        output::write_fields(folder, &function.arguments, values).map_err(RuntimeError::from)?;
    }
    write_report(options, report)?;
    print!("{}", report::text::run(report));
    match &options.expect {
        Some(folder) => expect(function, folder, values),
        None => Ok(()),
    }
}

pub fn write_report(options: &Options, report: &Report) -> anyhow::Result<()> {
    let Some(path) = &options.report else { return Ok(()) };
    let json = serde_json::to_string_pretty(report).context("the report is no JSON")? + "\n";
    Ok(output::write_file(path, json.as_bytes()).map_err(RuntimeError::from)?)
}

pub fn print_signature(package: &Package, function: &Function) {
    let manifest: &Manifest = &package.code.manifest;
    println!("function '{}', compiled for {}", function.name, manifest.target);
    print!("{}", bind::signature(&function.whole().arguments));
    println!("{}", time_loop::summary(function));
    if let Some(extents) = &function.extents {
        println!("{extents}");
    }
    if let Some(shared) = &function.decomposition {
        println!("{shared}");
    }
    let parts = [
        ("--verify (plain kernels)", package.plain.is_some()),
        ("--selftest (checksums)", package.selftest.is_some()),
    ];
    let parts: Vec<&str> =
        parts.into_iter().filter_map(|(name, present)| present.then_some(name)).collect();
    match parts.as_slice() {
        [] => println!(
            "verification: none; the package was compiled with --no-verification, or from kernels"
        ),
        parts => println!("verification: {}", parts.join(", ")),
    }
    if let Some(variants) = variants::summary(manifest) {
        print!("the package has these variants, chosen by the fields given:\n{variants}");
    }
}

/// The plain counterpart of a function, with the same number of time steps, if that is asked for.
pub fn plain_function<'p>(
    package: &'p Package,
    function: &Function,
    options: &Options,
) -> Result<Option<(&'p Code, Cow<'p, Function>)>, RuntimeError> {
    if !options.verify {
        return Ok(None);
    }
    let code = verify::plain_of(package)?;
    let plain = match (code.manifest.function(Some(&function.name)), &code.manifest.functions[..]) {
        // Those of a variant for some extents are its base's, and at its extents alone.
        (Err(_), [only]) => only,
        (plain, _) => plain?,
    };
    let plain = match options.steps {
        None => Cow::Borrowed(plain),
        // Where an argument has the number it is set once, for both.
        Some(steps) => time_loop::set_steps(plain, steps, &mut options.requests())?,
    };
    Ok(Some((code, plain)))
}

/// Before fields are made that are larger than any memory; without a device that is for later.
pub fn check_memory(function: &Function, device: usize) -> Result<(), RuntimeError> {
    if !cuda::driver_is_present() {
        return Ok(());
    }
    let needed = host::device_bytes(function)
        .ok_or_else(|| host::HostError::TooLarge(function.name.clone()))?;
    Ok(cuda::check_memory(device, needed)?)
}

pub fn selftest(package: &Package, options: &Options) -> Result<Verified, RuntimeError> {
    let test = verify::selftest_of(package)?;
    let mut device = CudaDevice::open(options.device, &test.code)?;
    verify::selftest(test, &mut device)
}

fn warn_of_differences(contents: &checkpoint::Contents) {
    for difference in contents.differences() {
        eprintln!(
            "warning: a run that starts from what --every writes differs from this one: \
             {difference}"
        );
    }
}

/// Compares the fields with those of another run; the cells that differ are the error.
pub fn expect(function: &Function, folder: &Path, values: &[Value]) -> anyhow::Result<()> {
    let comparison = compare::compare_with_folder(&function.arguments, folder, values)
        .map_err(RuntimeError::from)?;
    if !comparison.is_identical() {
        return Err(RuntimeError::Differs(comparison).into());
    }
    println!("verified: bit-identical");
    Ok(())
}
