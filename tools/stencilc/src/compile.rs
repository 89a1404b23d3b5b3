//! `stencilc compile`.

use crate::{
    options::CompileOptions,
    outputs::{self, Place},
    tuned,
};
use std::{collections::BTreeSet, path::Path, process::ExitCode};
use stencil_driver::{
    DriverError,
    compile::{self, Assembler, Compilation, Emit},
    demotion, embedding,
    input::Input,
    levels::Level,
    open_sizes,
    reading::Reading,
    report::{self, Report},
    session::{Module, Session, new_context},
    steps, variants, verification,
};

/// Compiles, writes what was asked for, and says what was made.
pub fn compile(input: &Input, options: &CompileOptions) -> Result<ExitCode, DriverError> {
    let reading = open_sizes::compiled(input, options.reading.of(input)?);
    if let Some(note) = open_sizes::note(&reading) {
        eprintln!("note: {note}");
    }
    let target = options.target.of(options.ptx_version.as_deref())?;
    let mut places = outputs::places(&options.emit, options.output.as_deref(), &input.stem())?;
    outputs::keep_ending(&mut places, &input.name);
    let files = places.iter().filter_map(|(_, place)| outputs::file_of(place));
    outputs::keep_input(files.chain(options.report.as_deref()), &input.name)?;
    let mut wanted: BTreeSet<Emit> = places.iter().map(|(emit, _)| *emit).collect();
    if options.report.is_some() {
        wanted.insert(Emit::Report);
    }

    let context = new_context();
    let session = Session::new(&context, input, target).with_plan(options.plan.clone());
    let session = session.with_line_info(options.lineinfo);
    let module = variants::read(&session, input, &reading, &options.sizes)?;
    let mut compiled = match Level::of(&module) {
        Level::Program if options.print_pipeline => {
            return print_pipeline(&session, &module, &reading, &places);
        }
        Level::Program => of_program(&session, &module, options, &reading, &wanted)?,
        Level::Gpu => of_kernels(&session, &module, options, &reading, &wanted)?,
        Level::Nvvm => {
            let problem = format!("'{}' holds kernels in the LLVM dialect", input.name);
            let remedy = "stencil-translate --mlir-to-ptx makes PTX of it";
            return Err(DriverError::Option(format!("{problem}; {remedy}")));
        }
    };
    compiled.keep_ir = options.keep_ir;
    if wanted.contains(&Emit::CHost) {
        compiled.embedded = Some(embedding::embedded(&context, input, &reading)?);
    }
    let mut report = Report::new(&session);
    report.describe(&compiled);
    if let Assembler::Failed(message) = &compiled.assembler {
        eprintln!("warning: there is no cubin: {message}");
    }

    // Everything is made before anything is written.
    let mut contents = Vec::new();
    for (emit, place) in &places {
        let stem = stem(place, &input.stem());
        contents.push((
            place,
            match emit {
                Emit::Report => written_report(&report, place).into_bytes(),
                _ => compiled.content(*emit, &stem)?,
            },
        ));
    }
    for (place, content) in contents {
        outputs::write(place, &content)?;
        if let Place::File(path) = place {
            report.outputs.push(path.display().to_string());
        }
    }
    if let Some(path) = &options.report {
        outputs::write(&Place::File(path.clone()), report.json().as_bytes())?;
    }
    // Standard output is the output's where there is one.
    if places.iter().all(|(_, place)| *place != Place::Stdout) {
        outputs::print(report::text(&report).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn of_program<'c>(
    session: &Session<'c>,
    module: &Module<'c>,
    options: &CompileOptions,
    reading: &Reading,
    wanted: &BTreeSet<Emit>,
) -> Result<Compilation, DriverError> {
    check_devices(reading, options, wanted)?;
    let frozen = session.freeze(module)?;
    if let Some(steps) = options.steps {
        steps::set_all(session, &frozen, steps)?;
    }
    tuned::apply(session, (module, &frozen), options.tuned.as_deref(), None)?;
    let mut compiled = demotion::compile(session, &frozen, wanted)?;
    if wanted.contains(&Emit::Package) && !options.no_verification {
        match reading.devices {
            None => verification::add(session, module, &frozen, &mut compiled)?,
            Some(_) => verify_by_one_device(session, options, reading, &mut compiled)?,
        }
    }
    Ok(compiled)
}

/// What several devices compute is compared with what one computes of the whole domain.
fn verify_by_one_device(
    session: &Session<'_>,
    options: &CompileOptions,
    reading: &Reading,
    compiled: &mut Compilation,
) -> Result<(), DriverError> {
    let whole = session.read(&reading.whole())?;
    let frozen = session.freeze(&whole)?;
    if let Some(steps) = options.steps {
        steps::set_all(session, &frozen, steps)?;
    }
    verification::add(session, &whole, &frozen, compiled)
}

/// Refuses what a program for several devices cannot be.
fn check_devices(
    reading: &Reading,
    options: &CompileOptions,
    wanted: &BTreeSet<Emit>,
) -> Result<(), DriverError> {
    let refused = [
        (wanted.contains(&Emit::CHost), "--emit=c-host", "stencil-run"),
        (!options.sizes.is_empty(), "--size", "a package for each size"),
    ];
    match refused.iter().find(|(given, ..)| *given && reading.devices.is_some()) {
        Some((_, option, instead)) => Err(DriverError::Option(format!(
            "{option} is about programs of one device; leave --devices out, or use {instead}"
        ))),
        None => Ok(()),
    }
}

/// Prints the passes that lead to the last level that is to be written.
fn print_pipeline<'c>(
    session: &Session<'c>,
    module: &Module<'c>,
    reading: &Reading,
    places: &[(Emit, Place)],
) -> Result<ExitCode, DriverError> {
    let last = places.iter().map(|(emit, _)| *emit).max().unwrap_or(Emit::Package);
    if last > Emit::Stencil && session.plan().fits_demotion() {
        demotion::settle(session, &session.freeze(module)?)?;
    }
    outputs::print(format!("{}\n", session.pipeline_text(reading, last)).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Compiles kernels that were written by `--emit=gpu`: all that is decided above them is.
fn of_kernels<'c>(
    session: &Session<'c>,
    module: &Module<'c>,
    options: &CompileOptions,
    reading: &Reading,
    wanted: &BTreeSet<Emit>,
) -> Result<Compilation, DriverError> {
    let given = [
        ("--plan", !options.plan.is_empty()),
        ("--steps", options.steps.is_some()),
        ("--size", !options.sizes.is_empty()),
        ("--print-pipeline", options.print_pipeline),
        ("an option about reading the program", *reading != Reading::default()),
    ];
    if let Some((option, _)) = given.iter().find(|(_, is_given)| *is_given) {
        let problem =
            format!("'{}' holds kernels already, {option} does not change them", session.program());
        return Err(DriverError::Option(format!("{problem}; give it where they are made")));
    }
    compile::compile_kernels(session, module, wanted)
}

/// What an output is called without its ending.
fn stem(place: &Place, program: &Path) -> String {
    let path = match place {
        Place::File(path) => path,
        Place::Stdout => program,
    };
    let stem =
        path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    // A rewritten program calls the functions of the launcher beside it.
    stem.strip_suffix(".host").map_or(stem.clone(), str::to_owned)
}

/// For people on standard output and in text files, for programs in JSON files.
fn written_report(report: &Report, place: &Place) -> String {
    match place {
        Place::File(path) if is_json(path) => report.json(),
        _ => report::text(report),
    }
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "json")
}
