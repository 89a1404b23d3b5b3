//! `stencilc run --same-after` and `--same-as`.

use crate::{
    options::{On, RunOptions},
    outputs,
    progress::Progress,
    run::verdict,
};
use std::{fmt::Write, path::Path, process::ExitCode};
use stencil_driver::{
    DriverError,
    input::Input,
    reading::Reading,
    run::Backend,
    same_after,
    same_as::{self, Outcome, Side},
    session::{self, Module, Session, choose_function, new_context},
    target::Target,
    verify,
};

/// Compares a program with itself after a pipeline.
pub fn after(input: &Input, options: &RunOptions, pipeline: &str) -> Result<ExitCode, DriverError> {
    let target = target(options, "--same-after")?;
    let reading = options.reading.of(input)?;
    let context = new_context();
    let session = Session::new(&context, input, target);
    let module = session.read(&reading)?;
    let name = choose_function(&module, &input.name, options.function.as_deref())?;
    let what = (name.as_str(), pipeline);
    let comparison =
        same_after::run(&session, &module, what, &options.values.requests(), &Progress::default())?;
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

/// Compares a program with another one.
pub fn as_other(
    input: &Input,
    options: &RunOptions,
    other: &Path,
) -> Result<ExitCode, DriverError> {
    let other = &Input::read(other)?;
    let readings = options.reading.of_both(input, other)?;
    // A context each: diagnostics show the line of the text that they are about.
    let contexts = [new_context(), new_context()];
    let first = Session::new(&contexts[0], input, target(options, "--same-as")?);
    let second = Session::new(&contexts[1], other, target(options, "--same-as")?);
    let modules = [first.read(&readings[0])?, second.read(&readings[1])?];
    let function = choose_function(&modules[0], &input.name, options.function.as_deref())?;
    let twin = choose_other(&modules[1], &other.name, &function)?;
    let mut sides = [
        Side { session: &first, module: &modules[0], function },
        Side { session: &second, module: &modules[1], function: twin },
    ];
    let refitted = refit(&sides, &readings)?;
    if let Some((side, module)) = &refitted {
        sides[*side].module = module;
    }
    let outcome =
        same_as::run(&sides[0], &sides[1], &options.values.requests(), &Progress::default())?;
    let within = options.within.unwrap_or(0.0);
    outputs::print(described(&outcome, &other.name, within).as_bytes())?;
    Ok(verdict(outcome.is_within(within)))
}

/// The function of the same name, else the only one.
fn choose_other(module: &Module, program: &str, function: &str) -> Result<String, DriverError> {
    let same = session::find_function(module, function).is_some();
    choose_function(module, program, same.then_some(function))
}

/// Where sizes were given for the one program, in a language that the other is not written in, and
/// none for the other, which is MLIR: the other one with fields of the same extents.
fn refit<'c>(
    sides: &[Side<'c, '_>; 2],
    readings: &[Reading; 2],
) -> Result<Option<(usize, Module<'c>)>, DriverError> {
    for (side, model) in [(0, 1), (1, 0)] {
        let (own, theirs) = (&readings[side], &readings[model]);
        let is_asked = !own.language.has_parameters()
            && own.extents.is_none()
            && !theirs.definitions.is_empty();
        if is_asked && let Some(extents) = same_as::extents_for(&sides[side], &sides[model])? {
            let reading = Reading { extents: Some(extents), ..own.clone() };
            return Ok(Some((side, sides[side].session.read(&reading)?)));
        }
    }
    Ok(None)
}

fn described(outcome: &Outcome, other: &str, within: f64) -> String {
    let comparison = &outcome.comparison;
    let (fields, cells) = (comparison.fields, comparison.cells);
    if comparison.is_identical() {
        return format!("same as '{other}': bit-identical ({fields} fields, {cells} cells)\n");
    }
    let mut text = verify::text(comparison);
    for deviation in &outcome.deviations {
        writeln!(
            text,
            "{}: the largest difference is {:e}, {:e} of the largest magnitude",
            deviation.argument, deviation.largest, deviation.relative
        )
        .expect("text grows without errors");
    }
    match outcome.is_within(within) {
        true => {
            text +=
                &format!("same as '{other}' within {within:e} ({fields} fields, {cells} cells)\n")
        }
        false => text += &format!("not the same as '{other}'\n"),
    }
    text
}

/// What a program is compiled for says nothing on the interpreter, but is checked.
fn target(options: &RunOptions, option: &str) -> Result<Target, DriverError> {
    if !matches!(options.on, On::Auto | On::Interpreter) {
        let problem = format!("{option} runs on the interpreter; remove --on");
        return Err(DriverError::Option(problem));
    }
    options.target(Backend::Interpreter)
}
