//! `cargo xtask portable`: a stencil-run that starts on old systems.
//!
//! A program that is linked on this machine asks for this machine's C library; a cluster's is
//! often years older. Zig's linker knows the symbols of every version of glibc, so that a program
//! linked by it, through `cargo zigbuild`, asks for none that came after [`GLIBC`]. Both are wheels
//! that `./x setup` puts into `.venv`; nothing else of the repository needs them.
//!
//! What was built is read again and held against the promise: symbols, libraries, size.

mod binary;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::repository::{Repository, run};
use crate::toolchain;
use binary::{Binary, Version};

/// The glibc of Debian 11 and Ubuntu 20.04; RHEL 9 has a newer one.
const GLIBC: Version = Version { major: 2, minor: 31 };
/// The program that is built.
const PROGRAM: &str = "stencil-run";

/// Builds, checks, and says where the program is.
pub fn portable(repository: &Repository) -> Result<bool> {
    let Some(tools) = toolchain::cargo_zigbuild(repository) else {
        bail!("there is no cargo-zigbuild with zig in .venv/bin or on the PATH; run ./x setup");
    };
    let Some(path) = build(repository, &tools)? else { return Ok(false) };
    let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let binary = Binary::read(&content)?;
    let problems = binary.problems(GLIBC);
    for problem in &problems {
        eprintln!("xtask: {}: {problem}", path.display());
    }
    if problems.is_empty() {
        println!("{}: {}", path.display(), binary.describe());
    }
    Ok(problems.is_empty())
}

/// Builds the program with the cargo-zigbuild of a folder; none if that failed.
fn build(repository: &Repository, tools: &Path) -> Result<Option<PathBuf>> {
    let triple = format!("{}-unknown-linux-gnu", env::consts::ARCH);
    let mut command = Command::new(tools.join("cargo-zigbuild"));
    command.current_dir(&repository.root);
    command.args(["zigbuild", "--release", "--package", PROGRAM]);
    command.arg("--target").arg(format!("{triple}.{GLIBC}"));
    // Zig is a module of the Python beside it.
    let path = env::var_os("PATH").unwrap_or_default();
    let entries = std::iter::once(tools.to_owned()).chain(env::split_paths(&path));
    command.env("PATH", env::join_paths(entries).context("the PATH cannot be extended")?);
    let built = toolchain::target_folder(repository).join(triple).join("release").join(PROGRAM);
    Ok(run(&mut command)?.then_some(built))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The real thing, where its tools are.
    #[test]
    #[ignore = "builds for release, the nightly run does it"]
    fn the_program_keeps_its_promise() {
        let repository = Repository::find().unwrap();
        match toolchain::cargo_zigbuild(&repository) {
            None => eprintln!("there is no cargo-zigbuild: NOT CHECKED (./x setup installs it)"),
            Some(_) => assert!(portable(&repository).unwrap()),
        }
    }
}
