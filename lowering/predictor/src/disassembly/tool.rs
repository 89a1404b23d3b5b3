//! Finding and running `nvdisasm`.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use thiserror::Error;

use super::{Listing, ListingError, parse};

/// Why disassembling failed.
#[derive(Debug, Error)]
pub enum DisassemblerError {
    /// A file or the program could not be used.
    #[error("{what}: {source}")]
    Io {
        /// The attempted action.
        what: &'static str,
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

/// The disassembler: named by `STENCIL_NVDISASM`, on the PATH, in a CUDA toolkit, or in the private
/// environment `.venv` of a folder above this program.
pub fn find() -> Option<PathBuf> {
    let named = env::var_os("STENCIL_NVDISASM").map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|folder| folder.join("nvdisasm")).collect::<Vec<_>>();
    let toolkits = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os);
    let toolkits = toolkits.map(|root| Path::new(&root).join("bin/nvdisasm"));
    named
        .into_iter()
        .chain(on_path)
        .chain(toolkits)
        .chain([PathBuf::from("/usr/local/cuda/bin/nvdisasm")])
        .find(|path| path.is_file())
        .or_else(private)
}

fn private() -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    program.ancestors().find_map(|folder| {
        let versions = fs::read_dir(folder.join(".venv/lib")).ok()?;
        versions.filter_map(Result::ok).find_map(|python| {
            let nvdisasm = python.path().join("site-packages/nvidia/cu13/bin/nvdisasm");
            nvdisasm.is_file().then_some(nvdisasm)
        })
    })
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
    let failed = |what: &'static str| move |source| DisassemblerError::Io { what, source };
    let folder = tempfile::tempdir().map_err(failed("cannot make a temporary folder"))?;
    let input = folder.path().join("kernels.cubin");
    fs::write(&input, cubin).map_err(failed("cannot write machine code to a temporary file"))?;
    let run = Command::new(nvdisasm)
        .args(options)
        .arg(&input)
        .output()
        .map_err(failed("cannot run nvdisasm"))?;
    if !run.status.success() {
        let message = String::from_utf8_lossy(&run.stderr).trim().to_owned();
        let program = nvdisasm.display().to_string();
        return Err(DisassemblerError::Refused { program, message });
    }
    Ok(String::from_utf8_lossy(&run.stdout).into_owned())
}
