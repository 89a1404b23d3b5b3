//! `stencilc accuracy`.

use crate::{
    options::AccuracyOptions,
    outputs::{self, Place},
    run::verdict,
};
use std::process::ExitCode;
use stencil_driver::{
    DriverError,
    accuracy::{self, Draw},
    input::Input,
    session::{Session, new_context},
    target::{self, Target},
};

/// Compares frozen arithmetic with the text, within a bound for each point.
pub fn accuracy(input: &Input, options: &AccuracyOptions) -> Result<ExitCode, DriverError> {
    let reading = options.reading.of(input)?;
    let context = new_context();
    // Arithmetic is the same for every target.
    let session = Session::new(&context, input, Target::new(target::DEFAULT, None)?);
    let module = session.read(&reading)?;
    let symbols = options.symbols.iter().map(|symbol| {
        let number = symbol.value.parse().map_err(|_| {
            let (name, value) = (&symbol.key, &symbol.value);
            DriverError::Option(format!("symbol '{name}' is set to '{value}', which is no number"))
        });
        Ok((symbol.key.clone(), number?))
    });
    let symbols = symbols.collect::<Result<Vec<_>, DriverError>>()?;
    let draw = Draw { points: options.points, seed: options.seed };
    let found = accuracy::check(&session, &module, &symbols, draw)?;
    if let Some(path) = &options.report {
        outputs::write(&Place::File(path.clone()), found.json().as_bytes())?;
    }
    outputs::print(accuracy::text(&found).as_bytes())?;
    Ok(verdict(!found.is_refuted()))
}
