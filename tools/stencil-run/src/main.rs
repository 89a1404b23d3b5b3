//! Runs a kernel package on a GPU; see the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    stencil_run::main()
}
