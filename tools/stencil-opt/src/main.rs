//! `stencil-opt`: MLIR's optimizer driver with every upstream dialect and pass, and ours.
//!
//! All flags are MLIR's, and three more: `--stencil-statistics` and `--stencil-statistics=json`
//! print the counters of our passes to standard error after the run; `--print-pass-reference`
//! prints the reference page of our passes and does nothing else.

use std::{env, process::ExitCode};
use stencil_dialects::pass::{self, StatisticsFormat};
use stencil_driver::passes;
use stencil_passes::framework;

#[allow(clippy::print_stdout, clippy::print_stderr)] // A program's own output.
fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().collect();
    if arguments.iter().any(|argument| argument == "--print-pass-reference") {
        print!("{}", framework::print_reference(&passes::all()));
        return ExitCode::SUCCESS;
    }
    passes::register();
    let (code, statistics) = pass::opt_main(&arguments);
    if let Some(format) = statistics {
        eprint!("{}", framework::print_statistics(format == StatisticsFormat::Json));
    }
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
