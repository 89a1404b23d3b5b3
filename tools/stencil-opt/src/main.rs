//! `stencil-opt`: MLIR's optimizer driver with every upstream dialect and pass, and ours.
//!
//! All flags are MLIR's, and three more: `--stencil-statistics` and `--stencil-statistics=json`
//! print the counters of our passes to standard error after the run; `--print-pass-reference`
//! prints the reference page of our passes and does nothing else. Where a file is refused that is
//! in another language or an older spelling, a note names the flag that reads it.

// malloc of the whole process, for MLIR and LLVM too.
use mimalloc as _;
use std::{env, fs, process::ExitCode};
use stencil_dialects::pass::{self, StatisticsFormat};
use stencil_driver::{crash, input::Input, passes, reading};
use stencil_passes::framework;

/// What reads a file that is in an older spelling of the dialect, or in another language.
fn reader(file: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok().filter(|_| !file.starts_with('-'))?;
    reading::import_flag(&Input { name: file.to_owned(), text })
        .map(|flag| format!("note: 'stencil-translate {flag} {file}' reads this file"))
}

#[allow(clippy::print_stdout, clippy::print_stderr)] // A program's own output.
fn main() -> ExitCode {
    crash::end_on_closed_pipe();
    let arguments: Vec<String> = env::args().collect();
    if arguments.iter().any(|argument| argument == "--print-pass-reference") {
        print!("{}", framework::print_reference(&passes::all()));
        return ExitCode::SUCCESS;
    }
    passes::register();
    let (code, statistics) = pass::opt_main(&arguments);
    if code != 0 {
        arguments[1..].iter().filter_map(|file| reader(file)).for_each(|note| eprintln!("{note}"));
    }
    if let Some(format) = statistics {
        eprint!("{}", framework::print_statistics(format == StatisticsFormat::Json));
    }
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
