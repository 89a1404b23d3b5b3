//! Runs a kernel package on a GPU, or as one of several processes with a GPU each.
//!
//! All that it needs is the package and the CUDA driver. What the options mean for arguments,
//! random content and output files is the library's business (`stencil-runtime`), which `stencilc`
//! uses too: the same options give the same run. This is a library so that a program with MPI can
//! be one too, and this one needs none.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool talks to its user")]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod execute;
mod generated_help;
mod many;
mod options;
mod progress;
pub mod ranks;
mod report;
mod run;
mod tune;
mod worker;

use clap::Parser;
use options::Options;
use std::{panic, process::ExitCode};
use stencil_runtime::{ErrorKind, RuntimeError, process};
use stencil_tuning::task::TaskError;

/// The program `stencil-run`.
pub fn main() -> ExitCode {
    process::end_on_closed_pipe();
    // clap ends the program itself on `--help` and, with code 2, on options that it does not
    // know. Those are the user's, not the surroundings': they get code 1.
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(error) => {
            let code = if error.use_stderr() { ErrorKind::Program.exit_code() } else { 0 };
            // Nothing is left to be done if the message cannot be shown.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    match panic::catch_unwind(|| run::run(&options)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            eprintln!("error: {error:#}");
            ExitCode::from(kind_of(&error).exit_code())
        }
        Err(_) => {
            eprintln!("error: internal error, see above; please report it with the package");
            ExitCode::from(ErrorKind::Internal.exit_code())
        }
    }
}

fn kind_of(error: &anyhow::Error) -> ErrorKind {
    let known = error.chain().find_map(|cause| cause.downcast_ref::<RuntimeError>());
    let is_foreign = error.chain().any(|cause| {
        matches!(
            cause.downcast_ref::<TaskError>(),
            Some(TaskError::Foreign { .. } | TaskError::Format { .. })
        )
    });
    let unknown = if is_foreign { ErrorKind::Program } else { ErrorKind::Surroundings };
    known.map_or(unknown, RuntimeError::kind)
}
