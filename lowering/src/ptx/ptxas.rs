//! The assembler: machine code, and the registers and memory of each kernel.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};
use stencil_model::{target::Architecture, toolkit};
use stencil_runtime::manifest::Resources;
use thiserror::Error;

/// The output of the assembler.
pub struct Assembled {
    /// Machine code.
    pub cubin: Vec<u8>,
    /// What each kernel uses.
    pub resources: BTreeMap<String, Resources>,
}

/// Why assembling failed.
#[derive(Debug, Error)]
pub enum PtxasError {
    /// A file or the program could not be used.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
    /// The assembler refused the PTX.
    #[error("{ptxas} refuses the PTX:\n{message}")]
    Refused {
        /// The program.
        ptxas: String,
        /// Its message.
        message: String,
    },
}

/// The name of the assembler.
const PTXAS: &str = "ptxas";

/// The assembler, as [`toolkit`] finds it.
pub fn find() -> Option<PathBuf> {
    toolkit::find(PTXAS)
}

/// Assembles PTX for an architecture.
///
/// # Errors
/// If the program cannot be run or refuses the text.
pub fn assemble(ptxas: &Path, ptx: &str, target: &Architecture) -> Result<Assembled, PtxasError> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |source| PtxasError::Io { what, source }
    };
    let folder = tempfile::tempdir().map_err(failed("cannot make a temporary folder"))?;
    let (input, output) = (folder.path().join("kernels.ptx"), folder.path().join("kernels.cubin"));
    fs::write(&input, ptx).map_err(failed("cannot write PTX to a temporary file"))?;
    // Line information goes into the machine code.
    let lines = ptx.lines().any(|line| line.trim_start().starts_with(".loc"));
    let run = Command::new(ptxas)
        .args(lines.then_some("-lineinfo"))
        .args([&format!("-arch={}", target.name), "-v", "-o"])
        .arg(&output)
        .arg(&input)
        .output()
        .map_err(|source| {
            let program = toolkit::described(ptxas, &toolkit::variable(PTXAS));
            PtxasError::Io { what: format!("{program} cannot be run"), source }
        })?;
    let message = String::from_utf8_lossy(&run.stderr).into_owned();
    if !run.status.success() {
        return Err(PtxasError::Refused { ptxas: ptxas.display().to_string(), message });
    }
    let cubin = fs::read(&output).map_err(failed("cannot read what ptxas wrote"))?;
    Ok(Assembled { cubin, resources: report(&message) })
}

/// Parses the resource usage of each kernel from `ptxas -v`.
fn report(message: &str) -> BTreeMap<String, Resources> {
    let mut resources = BTreeMap::new();
    let mut current: Option<String> = None;
    for line in message.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            current = rest.split('\'').next().map(str::to_owned);
        }
        let Some(kernel) = &current else { continue };
        let entry = resources.entry(kernel.clone()).or_insert(Resources {
            registers: 0,
            spill_store_bytes: 0,
            spill_load_bytes: 0,
            static_shared_bytes: 0,
            stack_bytes: 0,
        });
        for part in line.split(',') {
            let number = || part.split_whitespace().find_map(|word| word.parse::<u32>().ok());
            let fields = [
                ("bytes stack frame", &mut entry.stack_bytes),
                ("bytes spill stores", &mut entry.spill_store_bytes),
                ("bytes spill loads", &mut entry.spill_load_bytes),
                ("registers", &mut entry.registers),
                ("bytes smem", &mut entry.static_shared_bytes),
            ];
            for (what, field) in fields {
                if let Some(number) = number().filter(|_| part.contains(what)) {
                    *field = number;
                }
            }
        }
    }
    resources
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_is_read_per_kernel() {
        let message = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'heat_stage0' for 'sm_90a'
ptxas info    : Function properties for heat_stage0
    8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 512 bytes smem
ptxas info    : Compiling entry function 'other' for 'sm_90a'
ptxas info    : Used 12 registers, used 0 barriers
";
        let resources = report(message);
        let heat = Resources {
            registers: 40,
            spill_store_bytes: 16,
            spill_load_bytes: 24,
            static_shared_bytes: 512,
            stack_bytes: 8,
        };
        assert_eq!(resources["heat_stage0"], heat);
        assert_eq!(resources["other"].registers, 12);
    }
}
