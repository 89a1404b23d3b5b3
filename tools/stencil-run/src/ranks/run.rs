//! The run itself, from the package to the report.

use super::{agree, refused, same};
use crate::{
    execute::{Outcome, SharedOutcome, Task},
    many::{self, Prepared},
    options::Options,
    report::{self, Report},
    run,
};
use anyhow::{Context, bail};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};
use stencil_runtime::{
    Package, RuntimeError,
    bind::{self, Value},
    checkpoint,
    compare::Comparison,
    cuda::{self, CudaDevice, DeviceFacts, Links},
    host::{self, HostError, RankSession, SharedReport},
    manifest::{Argument, Function},
    measure::Samples,
    output::FieldFiles,
    package::sha256,
    time_loop,
    transport::Transport,
    variants,
    verify::{Expected, POISON, Verified},
};

/// Does what the options say. Where no device was named, this rank's is found by its number among
/// those of its machine.
pub fn run(
    transport: &mut impl Transport,
    options: &mut Options,
    local_rank: Option<usize>,
) -> anyhow::Result<()> {
    let is_first = transport.rank() == 0;
    let read = read(options);
    let (package, digest) = agree(transport, read)?;
    same(transport, "a package with checksum", &digest)?;
    if options.is_selftest_only() {
        let tested = is_first.then(|| run::selftest(&package, options)).transpose();
        return match agree(transport, tested.map_err(Into::into))? {
            Some(verified) => {
                let report = Report::of_selftest(verified);
                println!("{}", report::text::selftest(&report));
                run::write_report(options, &report)
            }
            None => Ok(()),
        };
    }
    let chosen = choose(&package, options);
    let (variant, name) = agree(transport, chosen)?;
    let package = variant.as_ref().unwrap_or(&package);
    let chosen = package.code.manifest.function(Some(&name)).map_err(RuntimeError::from)?;
    if options.print_signature {
        if is_first {
            run::print_signature(package, chosen);
        }
        return Ok(());
    }
    let enough = host::check_ranks(chosen, transport.ranks());
    let enough = enough.map_err(RuntimeError::from).map_err(Into::into);
    agree(transport, enough)?;
    let prepared = many::prepare(chosen, options).map_err(Into::into);
    let prepared = agree(transport, prepared)?;
    if is_first {
        prepared.notes.iter().for_each(|note| eprintln!("note: {note}"));
    }
    same(transport, "options", &alike(chosen, options))?;
    same(transport, "fields from", &files(&prepared))?;
    let device = device(options, local_rank);
    options.device = agree(transport, device)?;
    run_function(transport, package, (chosen, &prepared), options)
}

/// The package of this rank, and its checksum.
fn read(options: &Options) -> anyhow::Result<(Package, String)> {
    if let Some(name) = refused(options) {
        bail!("{name} is about runs of one process; use stencil-run for it");
    }
    let package = run::read_package(options)?;
    let files = [options.package.as_ref(), options.ptx.as_ref()].into_iter().flatten();
    let digests = files.map(|path| {
        let content = std::fs::read(path);
        let content = content.with_context(|| format!("'{}' cannot be read", path.display()))?;
        Ok(sha256(&content))
    });
    let digests = digests.collect::<anyhow::Result<Vec<_>>>()?;
    Ok((package, digests.join(" ")))
}

/// The package for the extents that are given, if it is for several, and the function's name.
fn choose(package: &Package, options: &Options) -> anyhow::Result<(Option<Package>, String)> {
    let requests = options.requests();
    let (name, folder) = (options.function.as_deref(), options.in_dir.as_deref());
    let manifest = &package.code.manifest;
    let chosen = variants::choose(manifest, name, &requests, folder).map_err(RuntimeError::from)?;
    if options.print_signature {
        return Ok((None, chosen.name.clone()));
    }
    let at_extents = run::at_extents(package, chosen, &requests, options)?;
    let chosen = at_extents.as_ref().map_or(chosen, |it| &it.code.manifest.functions[0]);
    let name = chosen.name.clone();
    Ok((at_extents, name))
}

/// What ranks must have been told alike: else they would wait for each other.
fn alike(function: &Function, options: &Options) -> String {
    let Options { steps, seed, verify, selftest, time, repeat, warm_up, .. } = options;
    format!(
        "function '{}', steps {steps:?}, seed {seed}, verify {verify}, selftest {selftest}, time \
         {time}, repeat {repeat}, warm-up {warm_up}",
        function.name
    )
}

/// The fields that come from files.
fn files(prepared: &Prepared<'_>) -> String {
    let arguments = &prepared.whole.arguments;
    let given = prepared.requests.arguments.iter().filter_map(|given| {
        let position = bind::find_argument(arguments, &given.key).ok()?;
        arguments[position].kind.as_field()?;
        Some((position, given.value.as_str()))
    });
    let files = given.collect::<BTreeMap<_, _>>().into_iter();
    let files = files.map(|(position, path)| format!("{position}={path}")).collect::<Vec<_>>();
    match files.is_empty() {
        true => "no file".to_owned(),
        false => files.join(", "),
    }
}

/// The device of this rank.
fn device(options: &Options, local_rank: Option<usize>) -> anyhow::Result<usize> {
    let count = cuda::list_devices().map_err(RuntimeError::from)?.len();
    match local_rank {
        None => Ok(options.device),
        Some(_) if count == 0 => bail!("this machine has no device; start no process on it"),
        Some(local_rank) => Ok(local_rank % count),
    }
}

fn run_function(
    transport: &mut impl Transport,
    package: &Package,
    (chosen, prepared): (&Function, &Prepared<'_>),
    options: &Options,
) -> anyhow::Result<()> {
    let is_first = transport.rank() == 0;
    let Prepared { function, requests, .. } = prepared;
    let window = run::check_memory(function, options.device).map_err(Into::into);
    agree(transport, window)?;
    let references = is_first.then(|| references(package, chosen, prepared, options)).transpose();
    let (expected, selftest) = agree(transport, references)?.unwrap_or_default();
    let values = bind::bind_window(function, transport.rank(), requests);
    let values = values.map_err(RuntimeError::from).and_then(|values| {
        time_loop::check_steps(function, &values)?;
        Ok(values)
    });
    let mut values = agree(transport, values.map_err(Into::into))?;
    let scalars = checkpoint::scalars_of(&values).into_iter().enumerate();
    let scalars = scalars.filter_map(|(position, value)| Some(format!("{position}={}", value?)));
    same(transport, "scalars", &scalars.collect::<Vec<_>>().join(", "))?;

    let opened = CudaDevice::open(options.device, &package.code).map_err(RuntimeError::from);
    let mut device = agree(transport, opened.map_err(Into::into))?;
    let devices = compare_devices(transport, options.device, device.facts())?;
    let task = Task { code: &package.code, function, contents: None, options };
    let steps = time_loop::steps_of(function, &values);
    let (shared, times, verified, results) = {
        let arguments = values.iter_mut().map(Value::bound).collect();
        let manifest = &package.code.manifest;
        let session = RankSession::new(function, manifest, &mut device, arguments, transport);
        let session = session.map_err(RuntimeError::from).map_err(Into::into);
        let session = &mut agree(transport, session)?;
        let plain = (options.verify, expected.as_ref());
        let (shared, times, verified) =
            execute(transport, session, &prepared.whole, plain, options)?;
        (shared, times, verified, results(transport, session, &prepared.whole, options)?)
    };
    let Some(Results { checksums, compared }) = results else { return Ok(()) };
    let run = shared.run.clone();
    let loaded = device.loaded_kernels(&task.code.manifest, &run);
    let ranks = transport.ranks() as u64;
    let links = Links { direct: 0, through_host: ranks * (ranks - 1) };
    let facts = device.facts().clone();
    let (machines, devices) = devices.into_iter().unzip();
    let outcome = Outcome {
        facts,
        run,
        steps,
        loaded: loaded.map_err(RuntimeError::from)?,
        times,
        energy: None,
        verified,
        checkpoints: Vec::new(),
        shared: Some(SharedOutcome { devices, machines, links, report: shared }),
    };
    let report = Report::new(&task, &outcome, selftest, checksums);
    run::write_report(options, &report)?;
    print!("{}", report::text::run(&report));
    if compared {
        println!("verified: bit-identical");
    }
    Ok(())
}

/// What the first rank computes alone, with the memory of its device: the results of the plain
/// kernels on the whole domain, and the self-test.
fn references(
    package: &Package,
    chosen: &Function,
    prepared: &Prepared<'_>,
    options: &Options,
) -> anyhow::Result<(Option<Expected>, Option<Verified>)> {
    let selftest = options.selftest.then(|| run::selftest(package, options)).transpose()?;
    let Some((code, function)) = run::plain_function(package, chosen, options)? else {
        return Ok((None, selftest));
    };
    run::check_memory(&function, options.device)?;
    let values = bind::bind(&prepared.whole.arguments, &prepared.requests);
    let mut values = values.map_err(RuntimeError::from)?;
    let mut device = CudaDevice::open(options.device, code).map_err(RuntimeError::from)?;
    let expected = Expected::by_plain_kernels(code, &function, &mut values, &mut device)?;
    Ok((Some(expected), selftest))
}

/// The machine, number and facts of every rank's device, which must be alike: windows are equal,
/// and the slowest device would hold up the others.
fn compare_devices(
    transport: &mut impl Transport,
    ordinal: usize,
    facts: &DeviceFacts,
) -> anyhow::Result<Vec<(String, (usize, DeviceFacts))>> {
    let own = serde_json::to_vec(&(transport.machine(), (ordinal, facts)))?;
    let all = transport.all_gather(&own).map_err(HostError::from).map_err(RuntimeError::from)?;
    let all = all.iter().map(|one| serde_json::from_slice(one));
    let all = all.collect::<Result<Vec<(String, (usize, DeviceFacts))>, _>>()?;
    let (machine, (_, first)) = &all[0];
    let is_alike =
        (&facts.name, facts.compute_capability) == (&first.name, first.compute_capability);
    let alike = match is_alike {
        true => Ok(()),
        false => Err(anyhow::anyhow!(
            "its device is '{}', and that of rank 0 on '{machine}' is '{}'; all windows of a \
             domain are equal, start the processes on equal devices",
            facts.name,
            first.name
        )),
    };
    agree(transport, alike)?;
    Ok(all)
}

/// The session of a rank on a GPU.
type Session<'a> = RankSession<'a, CudaDevice>;

/// The run that counts and those that are timed; what fails now fails on this rank alone.
fn execute(
    transport: &mut impl Transport,
    session: &mut Session<'_>,
    whole: &Function,
    (is_verified, expected): (bool, Option<&Expected>),
    options: &Options,
) -> anyhow::Result<(SharedReport, Option<Samples>, Option<Verified>)> {
    let failed = |error: HostError| RuntimeError::from(error);
    session.upload().map_err(failed)?;
    if is_verified {
        session.poison(POISON[0]).map_err(failed)?;
    }
    session.set_synchronous(options.synchronous);
    let mut shared = session.execute(transport).map_err(failed)?;
    let mut verified = None;
    if is_verified {
        verified = Some(check(transport, session, whole, expected, "the run")?);
    }
    let mut samples = Vec::new();
    if options.time {
        session.set_synchronous(false);
        for run in 0..options.warm_up.saturating_add(options.repeat) {
            session.restore().map_err(failed)?;
            let start = Instant::now();
            let report = session.execute(transport).map_err(failed)?;
            if run < options.warm_up {
                continue;
            }
            let time: Duration = report.run.device_time.unwrap_or_else(|| start.elapsed());
            samples.push(time);
            if samples.len() == 1 || report.exchange_time > shared.exchange_time {
                shared = report;
            }
        }
        if let Some(verified) = &mut verified {
            verified.add(&check(transport, session, whole, expected, "the last timed run")?);
        }
    }
    Ok((shared, Samples::new(samples), verified))
}

/// Compares the fields of the whole domain on the first rank.
fn check(
    transport: &mut impl Transport,
    session: &mut Session<'_>,
    whole: &Function,
    expected: Option<&Expected>,
    when: &'static str,
) -> anyhow::Result<Verified> {
    let checked = match expected {
        Some(expected) => expected.check_fields(whole, when, |position| {
            let content = session.gather(position, transport)?;
            Ok(content.expect("the first rank has the fields"))
        }),
        None => {
            for position in fields(&whole.arguments, |shape| !shape.scratch) {
                session.gather(position, transport).map_err(RuntimeError::from)?;
            }
            Ok(Verified::default())
        }
    };
    agree(transport, checked.map_err(Into::into))
}

fn fields(
    arguments: &[Argument],
    wanted: impl Fn(&stencil_runtime::manifest::FieldShape) -> bool,
) -> Vec<usize> {
    let is_wanted = |argument: &Argument| argument.kind.as_field().is_some_and(&wanted);
    (0..arguments.len()).filter(|position| is_wanted(&arguments[*position])).collect()
}

/// What the first rank has after a run.
struct Results {
    checksums: Vec<(usize, String)>,
    /// Whether fields were compared with those of another run.
    compared: bool,
}

/// Takes every field of the whole domain to the first rank, one after the other, to its checksum,
/// its file, and the file that it is compared with.
fn results(
    transport: &mut impl Transport,
    session: &mut Session<'_>,
    whole: &Function,
    options: &Options,
) -> anyhow::Result<Option<Results>> {
    let is_first = transport.rank() == 0;
    let arguments = &whole.arguments;
    let (mut checksums, mut comparison) = (Vec::new(), Comparison::default());
    let folder = options.out_dir.as_deref().filter(|_| is_first);
    let files = folder.map(|folder| FieldFiles::new(folder, arguments)).transpose();
    let mut files = agree(transport, files.map_err(RuntimeError::from).map_err(Into::into))?;
    for position in fields(arguments, |_| true) {
        let content = session.gather(position, transport).map_err(RuntimeError::from)?;
        let Some(content) = content else { continue };
        checksums.push((position, sha256(&content)));
        if let Some(files) = &mut files {
            files.write(position, &content).map_err(RuntimeError::from)?;
        }
        if let Some(folder) = &options.expect {
            let compared = comparison.add_with_folder(arguments, folder, position, &content);
            compared.map_err(RuntimeError::from)?;
        }
    }
    let compared = options.expect.is_some();
    let written = files.map(FieldFiles::finish).transpose().map_err(RuntimeError::from);
    let checked = written.and_then(|_| match comparison.is_identical() {
        true => Ok(()),
        false => Err(RuntimeError::Differs(comparison)),
    });
    agree(transport, checked.map_err(Into::into))?;
    Ok(is_first.then_some(Results { checksums, compared }))
}
