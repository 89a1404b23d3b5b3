//! `stencilc run`.

use crate::{
    options::RunOptions,
    outputs::{self, Place},
    progress::Progress,
    same, tuned,
};
use std::process::ExitCode;
use stencil_driver::{
    DriverError,
    cache::Cache,
    input::Input,
    open_extents, open_sizes,
    reading::Reading,
    report,
    run::{Backend, Function, Request},
    session::{Context, Module, Session, choose_function, new_context},
};
use stencil_runtime::{
    ErrorKind,
    bind::{self, Requests},
    cuda, output,
};

/// Runs a function, or compares it with itself after a pipeline or with another one.
pub fn run(input: &Input, options: &RunOptions) -> Result<ExitCode, DriverError> {
    if let Some(pipeline) = &options.same_after {
        return same::after(input, options, pipeline);
    }
    if let Some(other) = &options.same_as {
        return same::as_other(input, options, other);
    }
    let mut requests = options.values.requests();
    let reading = open_sizes::run(input, options.reading.of(input)?, &requests)?;
    let context = new_context();
    let backend = options.backend();
    let target = options.target(backend)?;
    let session = Session::new(&context, input, target).with_plan(options.plan.clone());
    let (mut function, module) = read(&context, &session, (input, options), reading, &requests)?;
    if let Some(steps) = options.steps {
        function = function.with_steps(steps, &mut requests)?;
    }
    let chip = match backend {
        Backend::Gpu => device_name(),
        Backend::Emulator | Backend::Interpreter => None,
    };
    let frozen = function.frozen();
    tuned::apply(&session, (&module, frozen), options.tuned.as_deref(), chip.as_deref())?;
    if options.print_signature {
        let signature = bind::signature(function.arguments());
        outputs::print(format!("function '{}'\n{signature}", function.name()).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }

    let request = Request {
        backend,
        requests,
        verify: options.verify,
        repeat: options.time.then_some(options.repeat),
        cache: if options.no_cache || options.ptx.is_some() {
            Cache::none()
        } else {
            Cache::of_user()
        },
        ptx: options.ptx.as_deref().map(Input::read).transpose()?.map(|input| input.text),
    };
    outputs::keep_input(options.report.as_deref(), &input.name)?;
    let mut finished = function.run(&request, &Progress::default())?;
    if let Some(folder) = &options.out_dir {
        let files = output::write_fields(folder, function.arguments(), &finished.values)?;
        let names = files.iter().map(|path| path.display().to_string());
        finished.report.outputs.extend(names);
    }
    if let Some(path) = &options.report {
        outputs::write(&Place::File(path.clone()), finished.report.json().as_bytes())?;
    }
    outputs::print(report::text(&finished.report).as_bytes())?;
    Ok(verdict(!finished.report.is_refuted()))
}

/// The function that is to be run, at the extents of its files where it leaves them open, and the
/// module that it is in.
fn read<'c, 's>(
    context: &'c Context,
    session: &'s Session<'c>,
    (input, options): (&Input, &RunOptions),
    mut reading: Reading,
    requests: &Requests,
) -> Result<(Function<'c, 's>, Module<'c>), DriverError> {
    let mut module = session.read(&reading.whole())?;
    let name = choose_function(&module, &input.name, options.function.as_deref())?;
    let mut function = Function::new(context, session, &module, name.clone())?;
    let of_fixed = (name.as_str(), function.arguments());
    if let Some(extents) = open_extents::given(session, &reading, of_fixed, requests)? {
        reading.extents = Some(extents);
        module = session.read(&reading.whole())?;
        function = Function::new(context, session, &module, name)?;
    }
    if reading.devices.is_some() {
        function = function.with_windows(context, &session.read(&reading)?)?;
    }
    if reading.has_run_time_sizes() {
        function = function.with_variants(&module)?;
    }
    Ok((function, module))
}

/// The first device, which runs programs.
fn device_name() -> Option<String> {
    let devices = cuda::list_devices().ok()?;
    devices.into_iter().next().map(|device| device.name)
}

/// A comparison that fails is the program's.
pub fn verdict(is_right: bool) -> ExitCode {
    match is_right {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(ErrorKind::Program.exit_code()),
    }
}
