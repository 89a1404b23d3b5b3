//! `stencilc plans`.

use crate::{options::PlansOptions, outputs};
use std::process::ExitCode;
use stencil_driver::{DriverError, pipelines::plan_reference};

/// Prints the keys of plans, or all about one of them.
pub fn plans(options: &PlansOptions) -> Result<ExitCode, DriverError> {
    let text = match (&options.key, options.markdown) {
        (Some(key), _) => {
            plan_reference::entry(key).map_err(|error| DriverError::Option(error.to_string()))?
        }
        (None, true) => plan_reference::page(),
        (None, false) => plan_reference::list(),
    };
    outputs::print(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
