//! Machine code of the probes, made where NVIDIA's assembler is, and what is in it.

use super::{
    machine_code::MachineCodeError,
    probes::{self, Probe},
};
use rayon::prelude::*;
use regex::Regex;
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use stencil_model::toolkit::{self, variable};

/// What the probes are assembled for.
pub const TARGET: &str = "sm_90";

/// The file in a folder of machine code that says what made it.
pub const VERSION_FILE: &str = "ptxas.txt";

/// Why there is no machine code.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum AssemblerError {
    #[error("no {0}: set {named} to where it is, or run './x setup'", named = variable(.0))]
    Missing(&'static str),
    #[error("'{}' cannot be run: {error}", program.display())]
    NotRun { program: PathBuf, error: io::Error },
    #[error("'{}' fails: {message}", program.display())]
    Failed { program: PathBuf, message: String },
    #[error("'{}' is no text that is understood: {message}", program.display())]
    Text { program: PathBuf, message: String },
    #[error(transparent)]
    MachineCode(#[from] MachineCodeError),
    #[error("'{}': {error}", path.display())]
    File { path: PathBuf, error: io::Error },
}

/// A program of NVIDIA's toolkit.
#[derive(Clone, Debug)]
pub struct Tool(PathBuf);

impl Tool {
    /// `ptxas` or `nvdisasm`, as [`toolkit`] finds them.
    ///
    /// # Errors
    /// If it is nowhere.
    pub fn find(program: &'static str) -> Result<Tool, AssemblerError> {
        toolkit::find(program).map(Tool).ok_or(AssemblerError::Missing(program))
    }

    fn run(&self, arguments: &[&Path]) -> Result<Output, AssemblerError> {
        let program = self.0.clone();
        match Command::new(&self.0).args(arguments).output() {
            Ok(output) if output.status.success() => Ok(output),
            Ok(output) => {
                let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                Err(AssemblerError::Failed { program, message })
            }
            Err(error) => Err(AssemblerError::NotRun { program, error }),
        }
    }

    /// Its version: `13.0.88`.
    ///
    /// # Errors
    /// If it cannot be run, or does not say.
    pub fn version(&self) -> Result<String, AssemblerError> {
        let text = self.run(&[Path::new("--version")])?;
        let text = String::from_utf8_lossy(&text.stdout).into_owned();
        let version = text.rsplit(", V").next().and_then(|rest| rest.split_whitespace().next());
        let known = version.filter(|text| text.starts_with(|first: char| first.is_ascii_digit()));
        let unknown = || AssemblerError::Text { program: self.0.clone(), message: text.clone() };
        known.map(str::to_owned).ok_or_else(unknown)
    }

    /// Assembles a probe; its PTX and its machine code are in the folder then, and the path of the
    /// latter is given.
    ///
    /// # Errors
    /// If the assembler cannot be run or refuses the text, or a file cannot be written.
    pub fn assemble_probe(&self, probe: &Probe, folder: &Path) -> Result<PathBuf, AssemblerError> {
        let ptx = folder.join(format!("{}.ptx", probe.name));
        let cubin = ptx.with_extension("cubin");
        fs::write(&ptx, &probe.ptx).map_err(failed(&ptx))?;
        let target = format!("-arch={TARGET}");
        self.run(&[Path::new(&target), Path::new("-o"), &cubin, &ptx])?;
        if let Some(change) = probe.change {
            let mut code = fs::read(&cubin).map_err(failed(&cubin))?;
            change.make(&mut code)?;
            fs::write(&cubin, code).map_err(failed(&cubin))?;
        }
        Ok(cubin)
    }

    /// The machine code of a cubin as text: sections of kernels (`.text.probe`), labels (`.L_x_0:`)
    /// and instructions each in a line of their own.
    ///
    /// # Errors
    /// If it cannot be run, or the file is no cubin.
    pub fn disassemble(&self, cubin: &Path) -> Result<Vec<String>, AssemblerError> {
        let output = self.run(&[Path::new("-c"), cubin])?;
        let line = r"^\s*(?:/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;|(\.L_\w+:)|\.section\s+(\.text\.\w+))";
        let line = Regex::new(line).expect("the expression is well-formed");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let found = text.lines().filter_map(|text| line.captures(text));
        let part = |captures: regex::Captures<'_>| {
            captures.iter().skip(1).flatten().next().map(|part| part.as_str().to_owned())
        };
        Ok(found.filter_map(part).collect())
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> AssemblerError {
    let path = path.to_owned();
    move |error| AssemblerError::File { path, error }
}

/// Assembles all probes into a folder, which is made, with the assembler's version; gives their
/// number.
///
/// # Errors
/// If there is no assembler, it refuses a probe, or a file cannot be written.
pub fn assemble_all(folder: &Path) -> Result<usize, AssemblerError> {
    let ptxas = Tool::find("ptxas")?;
    fs::create_dir_all(folder).map_err(failed(folder))?;
    let probes = probes::all();
    probes.par_iter().try_for_each(|probe| ptxas.assemble_probe(probe, folder).map(|_| ()))?;
    let version = folder.join(VERSION_FILE);
    fs::write(&version, ptxas.version()? + "\n").map_err(failed(&version))?;
    Ok(probes.len())
}

/// The instructions of the innermost loop: from the last label before a branch back to it.
pub fn innermost_loop(code: &[String]) -> &[String] {
    let labels: BTreeMap<&str, usize> = code
        .iter()
        .enumerate()
        .filter_map(|(place, line)| line.strip_suffix(':').map(|label| (label, place)))
        .collect();
    let back = code.iter().enumerate().filter_map(|(place, line)| {
        let label = line.contains("BRA").then(|| line.split(['(', ')']).nth(1))??;
        let start = *labels.get(label)?;
        // What fills the end of a kernel branches to itself.
        (start + 1 < place).then_some((start, place))
    });
    match back.min_by_key(|(start, end)| end - start) {
        Some((start, end)) => &code[start..=end],
        None => &[],
    }
}

/// How often each opcode occurs.
pub fn opcodes(code: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for line in code.iter().filter(|line| !line.starts_with('.')) {
        let mut words = line.split_whitespace().skip_while(|word| word.starts_with('@'));
        *counts.entry(words.next().unwrap_or_default()).or_default() += 1;
    }
    counts
}
