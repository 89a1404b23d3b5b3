//! Programs from outside: LLVM's tools, lit, NVIDIA's assembler, and whether there is a device.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};

use crate::cached_tool;
use crate::repository::Repository;

/// Where the tools of LLVM and MLIR are installed: `STENCIL_LLVM_PREFIX`, or Debian's place.
pub fn llvm_prefix(repository: &Repository) -> Result<PathBuf> {
    if let Some(prefix) = env::var_os("STENCIL_LLVM_PREFIX").filter(|prefix| !prefix.is_empty()) {
        return Ok(prefix.into());
    }
    let version = repository.read("cmake/llvm-version.txt")?;
    Ok(format!("/usr/lib/llvm-{}", version.trim()).into())
}

/// A tool of LLVM or MLIR.
pub fn llvm_tool(repository: &Repository, name: &str) -> Result<PathBuf> {
    let tool = llvm_prefix(repository)?.join("bin").join(name);
    if !tool.exists() {
        bail!("there is no {}, run ./x setup", tool.display());
    }
    Ok(tool)
}

/// lit, which packages put in different places.
pub fn lit(repository: &Repository) -> Result<PathBuf> {
    let bin = llvm_prefix(repository)?.join("bin");
    let beside_llvm = ["lit", "llvm-lit"].map(|name| bin.join(name));
    let found = beside_llvm.into_iter().find(|path| path.exists()).or_else(|| on_path("lit"));
    found.with_context(|| format!("there is no lit in {} or on the PATH", bin.display()))
}

/// Where cargo puts what it builds.
pub fn target_folder(repository: &Repository) -> PathBuf {
    let folder = env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into());
    repository.root.join(folder)
}

/// The PATH of tests: the private ptxas, if there is one, comes before the others, and before that
/// the links that remember what it and nvdisasm gave.
pub fn path_of_tests(repository: &Repository) -> Result<OsString> {
    let private = private_ptxas(repository);
    let on_path = || Some(on_path("ptxas")?.parent()?.to_owned());
    let real = private.clone().or_else(on_path).filter(|it| it.join("nvdisasm").exists());
    let install = |real: PathBuf| cached_tool::install(&target_folder(repository), &real);
    let links = real.map(install).transpose()?;
    let path = env::var_os("PATH").unwrap_or_default();
    let entries = links.into_iter().chain(private).chain(env::split_paths(&path));
    env::join_paths(entries).context("the PATH cannot be extended")
}

/// Options of cargo for all crates, with the program that needs MPI where MPI is.
pub fn all_crates() -> &'static [&'static str] {
    static OPTIONS: OnceLock<&[&str]> = OnceLock::new();
    OPTIONS.get_or_init(|| match on_path("mpicc") {
        Some(_) => &["--workspace", "--features", "stencil-run-mpi/mpi"],
        None => &["--workspace"],
    })
}

/// This program.
pub fn own_program() -> Result<PathBuf> {
    let program = env::current_exe().context("xtask does not know where it is")?;
    // Linux says so where the build that precedes the tests has linked this program anew.
    Ok(program.display().to_string().trim_end_matches(" (deleted)").into())
}

/// The folder of a `cargo-zigbuild` with a Python beside it or on the PATH that has zig.
pub fn cargo_zigbuild(repository: &Repository) -> Option<PathBuf> {
    let private = repository.root.join(".venv/bin/cargo-zigbuild");
    let found = private.exists().then_some(private).or_else(|| on_path("cargo-zigbuild"))?;
    found.parent().map(Path::to_owned)
}

/// Whether a device can be used: the kernel driver lists it.
pub fn has_device() -> bool {
    fs::read_dir("/proc/driver/nvidia/gpus").is_ok_and(|mut devices| devices.next().is_some())
}

/// Programs from outside that tests use where they are installed.
const OPTIONAL: [&str; 5] = ["ptxas", "nvdisasm", "cc", "gfortran", "mpicc"];

/// What is said at the end of a run of tests where some of them are missing; none if all are there.
pub fn missing_note(repository: &Repository) -> Option<String> {
    let private = private_ptxas(repository);
    let is_private = |name: &str| private.as_ref().is_some_and(|at| at.join(name).exists());
    let missing = OPTIONAL.into_iter().filter(|name| on_path(name).is_none() && !is_private(name));
    note_of(&missing.collect::<Vec<_>>())
}

fn note_of(missing: &[&str]) -> Option<String> {
    let names = missing.join(", ");
    (!missing.is_empty())
        .then(|| format!("without {names}: tests that need them were skipped or checked less"))
}

/// The folder of the ptxas that `./x setup` installed.
fn private_ptxas(repository: &Repository) -> Option<PathBuf> {
    let versions = fs::read_dir(repository.root.join(".venv/lib")).ok()?;
    let folders = versions
        .filter_map(|version| Some(version.ok()?.path().join("site-packages/nvidia/cu13/bin")));
    folders.into_iter().find(|folder| folder.join("ptxas").exists())
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path: OsString = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| Path::exists(file))
}

#[cfg(test)]
mod tests {
    use super::note_of;

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(note_of(&[]), None);
        let note = note_of(&["ptxas", "gfortran"]).unwrap();
        assert!(note.starts_with("without ptxas, gfortran: "), "{note}");
    }
}
