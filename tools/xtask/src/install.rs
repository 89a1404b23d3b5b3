//! `cargo xtask install --prefix DIR`: the compiler where others can use it.
//!
//! ```text
//! bin/                 the programs; they know where LLVM's libraries are
//! lib/                 libstencil_plugin.so for mlir-opt, the dialects as static libraries
//! include/             headers of the dialects in C and C++, and their definitions (.td)
//! lib/cmake/stencil/   find_package(Stencil)
//! share/doc/stencil/   the pages, licence
//! ```
//!
//! A file that is there already is replaced in one step: a program that runs keeps its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::repository::{Repository, run};
use crate::toolchain;

/// The packages, each with what it makes.
const PROGRAMS: &[&str] =
    &["stencilc", "stencil-opt", "stencil-translate", "stencil-run", "stencil-lsp-server"];
const PLUGIN: (&str, &str) = ("stencil-plugin", "libstencil_plugin.so");

/// Folders whose pages (`*.md`) are documentation of the compiler's use.
const PAGES: &[&str] = &["dialects/docs", "passes/docs", "lowering/docs", "tools/docs"];

/// What to install, and where.
pub struct Installation {
    /// The folder below which everything goes.
    pub prefix: PathBuf,
    /// Take what the tests have built instead of building for release.
    pub built: bool,
}

/// Builds and copies; false after a failed build.
pub fn install(repository: &Repository, asked: &Installation) -> Result<bool> {
    let profile = if asked.built { "debug" } else { "release" };
    if !asked.built && !build(repository)? {
        return Ok(false);
    }
    let built = toolchain::target_folder(repository).join(profile);
    let prefix = std::path::absolute(&asked.prefix).context("--prefix is no path")?;
    let dialects = dialects_build(&built)?;
    let mut cmake = Command::new("cmake");
    cmake.arg("--install").arg(&dialects).arg("--prefix").arg(&prefix);
    if !run(cmake.stdout(std::process::Stdio::null()))? {
        return Ok(false);
    }
    for program in PROGRAMS {
        copy(&built.join(program), &prefix.join("bin"))?;
    }
    copy(&built.join(PLUGIN.1), &prefix.join("lib"))?;
    let documents = prefix.join("share/doc/stencil");
    copy(&repository.root.join("LICENSE"), &documents)?;
    for file in repository.files()? {
        if PAGES.iter().any(|folder| file.starts_with(folder)) && file.ends_with(".md") {
            let parent = Path::new(&file).parent().context("a page lies in a folder")?;
            copy(&repository.root.join(&file), &documents.join(parent))?;
        }
    }
    let place = prefix.display();
    println!("installed under {place}:");
    println!("  {place}/bin: {}", PROGRAMS.join(", "));
    println!(
        "  mlir-opt --load-dialect-plugin={place}/lib/{0} --load-pass-plugin={place}/lib/{0}",
        PLUGIN.1
    );
    println!("  cmake -DCMAKE_PREFIX_PATH={place}, then find_package(Stencil)");
    Ok(true)
}

fn build(repository: &Repository) -> Result<bool> {
    let mut command = repository.cargo(["build", "--release"]);
    for package in PROGRAMS.iter().chain([&PLUGIN.0]) {
        command.args(["--package", package]);
    }
    run(&mut command)
}

/// The folder where cargo had CMake build the dialects last.
fn dialects_build(built: &Path) -> Result<PathBuf> {
    let folder = built.join("build");
    let entries =
        fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut found: Option<(SystemTime, PathBuf)> = None;
    for entry in entries {
        let entry = entry?;
        let build = entry.path().join("out/build");
        let ours = entry.file_name().to_string_lossy().starts_with("stencil-dialects-");
        if !ours || !build.join("cmake_install.cmake").exists() {
            continue;
        }
        // Cargo writes what the build script printed whenever it has run.
        let time = fs::metadata(entry.path().join("output")).and_then(|file| file.modified());
        let time = time.unwrap_or(SystemTime::UNIX_EPOCH);
        if found.as_ref().is_none_or(|(newest, _)| *newest < time) {
            found = Some((time, build));
        }
    }
    match found {
        Some((_, build)) => Ok(build),
        None => bail!("the dialects are not built in {}", folder.display()),
    }
}

/// Copies a file into a folder under its own name, whole or not at all.
fn copy(file: &Path, folder: &Path) -> Result<()> {
    let name = file.file_name().context("a file has a name")?;
    let (target, new) = (folder.join(name), folder.join(format!(".{}.new", name.display())));
    fs::create_dir_all(folder)
        .and_then(|()| fs::copy(file, &new))
        .and_then(|_| fs::rename(&new, &target))
        .with_context(|| format!("cannot copy {} to {}", file.display(), target.display()))
}
