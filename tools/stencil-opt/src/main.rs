//! `stencil-opt`: MLIR's optimizer driver with every upstream dialect and pass, and ours.
//!
//! All flags are MLIR's, and three more: `--stencil-statistics` and `--stencil-statistics=json`
//! print the counters of our passes to standard error after the run; `--print-pass-reference`
//! prints the reference page of our passes and does nothing else.

use std::{env, process::ExitCode};
use stencil_driver::passes;

#[allow(clippy::print_stdout, clippy::print_stderr)] // A program's own output.
fn main() -> ExitCode {
    let mut statistics = None;
    let mut arguments = Vec::new();
    for argument in env::args() {
        match argument.as_str() {
            "--stencil-statistics" => statistics = Some(false),
            "--stencil-statistics=json" => statistics = Some(true),
            "--print-pass-reference" => {
                print!("{}", stencil_passes::framework::print_reference(&passes::all()));
                return ExitCode::SUCCESS;
            }
            _ => arguments.push(argument),
        }
    }
    passes::register();
    let code = stencil_dialects::pass::opt_main(&arguments);
    if let Some(json) = statistics {
        eprint!("{}", stencil_passes::framework::print_statistics(json));
    }
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
