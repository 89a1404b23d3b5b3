//! `stencilc accuracy`.

use crate::{
    options::{AccuracyFormat, AccuracyOptions},
    outputs,
    run::verdict,
};
use std::process::ExitCode;
use stencil_driver::{
    DriverError,
    accuracy::{self, Accuracy, Draw},
    arguments,
    input::Input,
    session::{Session, new_context},
    target::{self, Target},
};
use stencil_runtime::bind::{self, Requests};

/// Compares frozen arithmetic with the text, within a bound for each point.
pub fn accuracy(first: &Input, options: &AccuracyOptions) -> Result<ExitCode, DriverError> {
    let mut all = vec![of_program(first, options)?];
    for file in &options.files[1..] {
        all.push(of_program(&Input::read(file)?, options)?);
    }
    let found = match options.format {
        AccuracyFormat::Text => all.iter().map(accuracy::text).collect(),
        AccuracyFormat::Json => accuracy::json(&all),
        AccuracyFormat::Table => accuracy::table(&all),
    };
    outputs::print(found.as_bytes())?;
    Ok(verdict(!all.iter().any(Accuracy::is_refuted)))
}

fn of_program(input: &Input, options: &AccuracyOptions) -> Result<Accuracy, DriverError> {
    let reading = options.reading.of(input)?;
    let context = new_context();
    // Arithmetic is the same for every target.
    let session = Session::new(&context, input, Target::new(target::DEFAULT, None)?);
    let module = session.read(&reading)?;
    let draw = Draw { points: options.points, seed: options.seed };
    let symbols = symbols(options)?;
    let requests = Requests { symbols: options.symbols.clone(), ..Requests::default() };
    for note in bind::unused_symbols(&[], &requests, &arguments::symbols_read(&module)) {
        eprintln!("note: {note}");
    }
    accuracy::check(&session, &module, &symbols, draw)
}

/// The symbols that were given.
fn symbols(options: &AccuracyOptions) -> Result<Vec<(String, f64)>, DriverError> {
    let number = |(name, value): (&String, &String)| {
        let number = value.parse().map_err(|_| {
            DriverError::Option(format!("symbol '{name}' is set to '{value}', which is no number"))
        });
        Ok((name.clone(), number?))
    };
    options.symbols.iter().map(|symbol| number((&symbol.key, &symbol.value))).collect()
}
