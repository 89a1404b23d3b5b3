//! `stencil-lsp-server`: MLIR's language server with every upstream dialect, and ours.
//!
//! An editor starts it and talks to it over standard input and output. All flags are MLIR's.

use anyhow::Context;
// malloc of the whole process, for MLIR and LLVM too.
use mimalloc as _;
use std::{env, process::ExitCode, thread};
use stencil_driver::{crash, passes};

/// MLIR parses what is nested by recursion, and an editor's text is not looked through first: this
/// is enough for a hundred thousand modules in each other. Only pages that are touched take memory.
const STACK_BYTES: usize = 1 << 30;

fn main() -> anyhow::Result<ExitCode> {
    crash::end_on_closed_pipe();
    // Plans and sweeps are checked as the compiler checks them.
    passes::register();
    let arguments: Vec<String> = env::args().collect();
    let serve = move || stencil_dialects::plugin::lsp_server_main(&arguments);
    let server = thread::Builder::new().stack_size(STACK_BYTES).spawn(serve);
    let server = server.context("cannot start the server's thread")?;
    let code = server.join().map_err(|_| anyhow::anyhow!("the server's thread ended early"))?;
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}
