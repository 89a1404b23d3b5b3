//! The stencil compiler's everyday command.
//!
//! It reads arguments, calls `stencil-driver`, and prints. What options mean for arguments, fields
//! and files is the libraries' business: `stencil-run` takes the same options for the same run.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool talks to its user")]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod accuracy;
mod compare;
mod compile;
mod doctor;
mod examples;
mod explain;
mod generated_help;
mod options;
mod outputs;
mod plans;
mod progress;
mod reading;
mod run;
mod same;
mod target;
mod tune;
mod tuned;
mod viz;

use clap::Parser;
// malloc of the whole process, for MLIR and LLVM too.
use mimalloc as _;
use options::{Command, Options};
use std::{env, path::Path, process::ExitCode};
use stencil_driver::{DriverError, crash, input::Input};
use stencil_runtime::{ErrorKind, output::OutputError};

#[global_allocator]
static ALLOCATOR: crash::Allocator = crash::Allocator;

fn main() -> ExitCode {
    crash::end_without_memory();
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
    crash::install_hook();
    crash::on_fatal_error(|error, input| {
        fail(error, input);
    });
    let mut input = None;
    match crash::guard(|| execute(&options, &mut input)) {
        Ok(code) => code,
        Err(error) => fail(&error, input.as_ref()),
    }
}

/// Does what the options say; gives the exit code of a run that ended, well or not.
fn execute(options: &Options, read: &mut Option<Input>) -> Result<ExitCode, DriverError> {
    match &options.command {
        Command::Compile(options) => compile::compile(open(read, &options.file)?, options),
        Command::Run(options) => run::run(open(read, &options.file)?, options),
        // Those after it are read where they are looked at.
        Command::Accuracy(options) => accuracy::accuracy(open(read, &options.files[0])?, options),
        Command::Compare(options) => compare::compare(open(read, &options.file)?, options),
        Command::Explain(options) => explain::explain(open(read, &options.file)?, options),
        Command::Viz(options) => viz::viz(open(read, &options.file)?, options),
        Command::Tune(options) => tune::tune(open(read, &options.file)?, options),
        Command::Tuned(options) => tuned::tuned(options),
        Command::Plans(options) => plans::plans(options),
        Command::Doctor(options) => doctor::doctor(options),
        Command::GenerateHelp { folder } => generated_help::write(folder)
            .map(|()| ExitCode::SUCCESS)
            .map_err(|error| OutputError { path: folder.clone(), error }.into()),
    }
}

/// Reads a program; a report of our own failure has it, too.
fn open<'r>(read: &'r mut Option<Input>, file: &Path) -> Result<&'r Input, DriverError> {
    let input = read.insert(Input::read(file)?);
    crash::remember(input);
    Ok(input)
}

/// Says what went wrong, keeps what is needed to see an internal error again.
fn fail(error: &DriverError, input: Option<&Input>) -> ExitCode {
    if !error.is_told() {
        eprintln!("error: {error}");
    }
    let kind = error.kind();
    if kind == ErrorKind::Internal {
        let command: Vec<String> = env::args().collect();
        eprintln!("{}", crash::kept(&command, input, error));
    }
    ExitCode::from(kind.exit_code())
}
