//! Finding and running `nvdisasm`.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use stencil_model::toolkit;
use thiserror::Error;

use super::{Listing, ListingError, parse};

/// Why disassembling failed.
#[derive(Debug, Error)]
pub enum DisassemblerError {
    /// A file or the program could not be used.
    #[error("{what}: {source}")]
    Io {
        /// The attempted action.
        what: String,
        /// The reason.
        source: io::Error,
    },
    /// The disassembler refused the machine code.
    #[error("{program} refuses the machine code: {message}")]
    Refused {
        /// The program.
        program: String,
        /// Its error message.
        message: String,
    },
    /// Unexpected output.
    #[error(transparent)]
    Listing(#[from] ListingError),
}

/// The name of the disassembler.
const NVDISASM: &str = "nvdisasm";

/// The disassembler, as [`toolkit`] finds it.
pub fn find() -> Option<PathBuf> {
    toolkit::find(NVDISASM)
}

/// The instructions of each kernel of a cubin.
///
/// # Errors
/// If the program cannot be run, refuses the file, or prints what cannot be read.
pub fn disassemble(nvdisasm: &Path, cubin: &[u8]) -> Result<Listing, DisassemblerError> {
    Ok(parse(&run(nvdisasm, cubin, &["-c", "-hex"])?)?)
}

/// The instructions of all kernels of a cubin as text; with source lines if the machine code has
/// them.
///
/// # Errors
///
/// If the program cannot be run, or refuses the file.
pub fn text(nvdisasm: &Path, cubin: &[u8]) -> Result<String, DisassemblerError> {
    run(nvdisasm, cubin, &["-c", "-g"])
}

fn run(nvdisasm: &Path, cubin: &[u8], options: &[&str]) -> Result<String, DisassemblerError> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |source| DisassemblerError::Io { what, source }
    };
    let folder = tempfile::tempdir().map_err(failed("cannot make a temporary folder"))?;
    let input = folder.path().join("kernels.cubin");
    fs::write(&input, cubin).map_err(failed("cannot write machine code to a temporary file"))?;
    let run = Command::new(nvdisasm).args(options).arg(&input).output().map_err(|source| {
        let program = toolkit::described(nvdisasm, &toolkit::variable(NVDISASM));
        DisassemblerError::Io { what: format!("{program} cannot be run"), source }
    })?;
    if !run.status.success() {
        let message = String::from_utf8_lossy(&run.stderr).trim().to_owned();
        let program = nvdisasm.display().to_string();
        return Err(DisassemblerError::Refused { program, message });
    }
    Ok(String::from_utf8_lossy(&run.stdout).into_owned())
}
