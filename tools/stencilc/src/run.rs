//! `stencilc run`.

use crate::{
    options::{On, RunOptions},
    outputs::{self, Place},
    progress::Progress,
};
use std::process::ExitCode;
use stencil_driver::{
    DriverError,
    input::Input,
    report,
    run::{Backend, Function, Request},
    same_after,
    session::{Context, Session, choose_function, new_context},
    target::Target,
    verify,
};
use stencil_runtime::{ErrorKind, bind, output};

/// Runs a function, or compares it with itself after a pipeline.
pub fn run(input: &Input, options: &RunOptions) -> Result<ExitCode, DriverError> {
    let context = new_context();
    if let Some(pipeline) = &options.same_after {
        return compare(&context, input, options, pipeline);
    }
    let backend = options.backend();
    let target = Target::new(options.target(backend), options.ptx_version.as_deref())?;
    let session = Session::new(&context, input, target);
    let module = session.parse()?;
    let name = choose_function(&module, &input.name, options.function.as_deref())?;
    let function = Function::new(&context, &session, &module, name)?;
    if options.print_signature {
        let signature = bind::signature(function.arguments());
        outputs::print(format!("function '{}'\n{signature}", function.name()).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }

    let request = Request {
        backend,
        requests: options.requests(),
        verify: options.verify,
        repeat: options.time.then_some(options.repeat),
    };
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

fn compare(
    context: &Context,
    input: &Input,
    options: &RunOptions,
    pipeline: &str,
) -> Result<ExitCode, DriverError> {
    if !matches!(options.on, On::Auto | On::Interpreter) {
        let problem = "--same-after runs on the interpreter; leave --on away".to_owned();
        return Err(DriverError::Option(problem));
    }
    let target = options.target(Backend::Interpreter);
    let target = Target::new(target, options.ptx_version.as_deref())?;
    let session = Session::new(context, input, target);
    let module = session.parse()?;
    let name = choose_function(&module, &input.name, options.function.as_deref())?;
    let what = (name.as_str(), pipeline);
    let comparison =
        same_after::run(&session, &module, what, &options.requests(), &Progress::default())?;
    let text = match comparison.is_identical() {
        true => format!(
            "same after the pipeline: bit-identical ({} fields, {} cells)\n",
            comparison.fields, comparison.cells
        ),
        false => format!("{}not the same after the pipeline\n", verify::text(&comparison)),
    };
    outputs::print(text.as_bytes())?;
    Ok(verdict(comparison.is_identical()))
}

fn verdict(is_right: bool) -> ExitCode {
    match is_right {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(ErrorKind::Program.exit_code()),
    }
}
