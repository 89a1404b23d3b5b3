//! `stencilc doctor`.

use crate::{
    options::{DoctorFormat, DoctorOptions},
    outputs,
};
use std::process::ExitCode;
use stencil_driver::{DriverError, doctor};
use stencil_runtime::ErrorKind;

/// Examines the machine; fails where the compiler itself does not work.
pub fn doctor(options: &DoctorOptions) -> Result<ExitCode, DriverError> {
    let findings = doctor::examine();
    let text = match options.format {
        DoctorFormat::Text => doctor::text(&findings),
        DoctorFormat::Json => doctor::json(&findings),
    };
    outputs::print(text.as_bytes())?;
    Ok(match doctor::compiler_works(&findings) {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(ErrorKind::Surroundings.exit_code()),
    })
}
