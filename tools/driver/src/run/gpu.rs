//! Running a package on a GPU: `stencil-run` does it.
//!
//! The package goes through a file, fields come back through files, and the options are passed on
//! as they are: what is tested here is what runs on a machine without this compiler.

use crate::DriverError;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
};
use stencil_runtime::{
    ErrorKind, Package, RuntimeError,
    bind::{Assignment, Requests, Value},
    fields,
    manifest::Argument,
    output::field_file_names,
};

/// What is passed on to `stencil-run`.
pub struct Launch<'a> {
    /// The function to run.
    pub function: &'a str,
    /// Values, as typed.
    pub requests: Requests,
    /// How often to run for a measurement, if at all.
    pub repeat: Option<u32>,
    /// Whether to compare with the plain kernels of the package.
    pub verify: bool,
}

/// What came back.
pub struct OnGpu {
    /// What `stencil-run` printed.
    pub text: String,
    /// Its report.
    pub report: serde_json::Value,
}

/// The program, next to this one or on the PATH.
pub fn find() -> Result<PathBuf, DriverError> {
    let name = format!("stencil-run{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok().and_then(|own| Some(own.parent()?.join(&name)));
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path: Vec<PathBuf> = env::split_paths(&path).map(|folder| folder.join(&name)).collect();
    beside
        .into_iter()
        .chain(on_path)
        .find(|candidate| candidate.is_file())
        .ok_or(DriverError::NoStencilRun)
}

/// Runs a package; fields among the values become what they are after the run.
pub fn run(
    package: &Package,
    arguments: &[Argument],
    launch: &Launch,
    values: &mut [Value],
) -> Result<OnGpu, DriverError> {
    let program = find()?;
    let folder = tempfile::tempdir().map_err(DriverError::Temporary)?;
    let file = folder.path().join("program.spk");
    package.write(&file).map_err(RuntimeError::from)?;
    let (results, report) = (folder.path().join("results"), folder.path().join("report.json"));

    let mut command = Command::new(&program);
    command.arg(&file).args(options(launch));
    command.arg("--out-dir").arg(&results).arg("--report").arg(&report);
    let done = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|source| DriverError::StencilRun { path: program, source })?;
    check(done.status)?;

    read_fields(&results, arguments, values)?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let report = fs::read(report).map_err(DriverError::Temporary)?;
    let report = serde_json::from_slice(&report)
        .map_err(|error| DriverError::Internal(format!("stencil-run's report: {error}")))?;
    Ok(OnGpu { text, report })
}

/// What `stencil-run` is told.
pub(crate) fn options(launch: &Launch) -> Vec<String> {
    let mut words = vec!["--function".to_owned(), launch.function.to_owned()];
    let requests = &launch.requests;
    for (option, list) in [("--arg", &requests.arguments), ("--symbol", &requests.symbols)] {
        for Assignment { key, value } in list {
            words.extend([option.to_owned(), format!("{key}={value}")]);
        }
    }
    words.extend(["--seed".to_owned(), requests.seed.to_string()]);
    if let Some(repeat) = launch.repeat {
        words.extend(["--time".to_owned(), "--repeat".to_owned(), repeat.to_string()]);
    }
    words.extend(launch.verify.then(|| "--verify".to_owned()));
    words
}

/// Whose fault a failure was, by the exit codes that all tools share.
fn check(status: ExitStatus) -> Result<(), DriverError> {
    let program = i32::from(ErrorKind::Program.exit_code());
    let surroundings = i32::from(ErrorKind::Surroundings.exit_code());
    match status.code() {
        Some(0) => Ok(()),
        Some(code) if code == program => Err(DriverError::Device(ErrorKind::Program)),
        Some(code) if code == surroundings => Err(DriverError::Device(ErrorKind::Surroundings)),
        _ => Err(DriverError::Internal(format!("stencil-run ended with {status}"))),
    }
}

fn read_fields(
    folder: &Path,
    arguments: &[Argument],
    values: &mut [Value],
) -> Result<(), DriverError> {
    let names = field_file_names(arguments);
    for ((argument, value), name) in arguments.iter().zip(values).zip(&names) {
        if let (Some(shape), Value::Field(cells)) = (argument.kind.as_field(), value) {
            *cells = fields::read_npy(&folder.join(name), shape).map_err(RuntimeError::from)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_passed_on_as_they_were_typed() {
        let requests = Requests {
            arguments: vec!["2=10".parse().unwrap()],
            symbols: vec!["dt=0.1".parse().unwrap()],
            seed: 7,
        };
        let launch = Launch { function: "heat", requests, repeat: Some(3), verify: true };
        assert_eq!(
            options(&launch).join(" "),
            "--function heat --arg 2=10 --symbol dt=0.1 --seed 7 --time --repeat 3 --verify"
        );
    }
}
