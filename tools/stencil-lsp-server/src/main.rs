//! `stencil-lsp-server`: MLIR's language server with every upstream dialect, and ours.
//!
//! An editor starts it and talks to it over standard input and output. All flags are MLIR's.

use std::{env, process::ExitCode};
use stencil_driver::{crash, passes};

fn main() -> ExitCode {
    crash::end_on_closed_pipe();
    // Plans and sweeps are checked as the compiler checks them.
    passes::register();
    let arguments: Vec<String> = env::args().collect();
    let code = stencil_dialects::plugin::lsp_server_main(&arguments);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
