//! `cargo xtask install --prefix DIR`: the compiler where others can use it.
//!
//! ```text
//! bin/                 the programs; they know where LLVM's libraries are
//! lib/                 libstencil for programs that run packages, shared and static;
//!                      libstencil_plugin.so for mlir-opt, the dialects as static libraries
//! lib/stencil/         the emulated CUDA driver, also under the names that hosts look for
//! include/             stencil.h of libstencil, stencil.hpp over it for C++; headers of the
//!                      dialects in C and C++, and their definitions (.td)
//! lib/cmake/stencil/   find_package(Stencil)
//! share/doc/stencil/   the pages, the examples, licence
//! share/man/man1/      a manual page for each program and each of its commands
//! share/...            completions for bash, zsh and fish
//! ```
//!
//! A file that is there already is replaced in one step: a program that runs keeps its own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::installed_help;
use crate::repository::{Repository, run};
use crate::toolchain;

/// The packages, each with what it makes.
const PROGRAMS: &[&str] =
    &["stencilc", "stencil-opt", "stencil-translate", "stencil-run", "stencil-lsp-server"];
const PLUGIN: (&str, &str) = ("stencil-plugin", "libstencil_plugin.so");
const LIBRARY: (&str, [&str; 2]) = ("stencil-c", ["libstencil.so", "libstencil.a"]);
/// Its headers.
const HEADERS: &str = "lowering/runtime/c/include/";

/// Folders whose pages (`*.md`) are documentation of the compiler's use.
const PAGES: &[&str] = &[
    "dialects/docs",
    "passes/docs",
    "lowering/docs",
    "lowering/launcher/docs",
    "lowering/runtime/c",
    "tools/docs",
    "tools/examples",
    "tools/python",
];

/// How the CUDA driver is called by those who open it, and by those who link with it.
const DRIVER: [&str; 2] = ["libcuda.so.1", "libcuda.so"];
const EMULATED_DRIVER: (&str, &str) = ("stencil-emulated-driver", "libstencil_emulated_driver.so");

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
    for library in LIBRARY.1 {
        copy(&built.join(library), &prefix.join("lib"))?;
    }
    let drivers = prefix.join("lib/stencil");
    copy(&built.join(EMULATED_DRIVER.1), &drivers)?;
    for name in DRIVER {
        link(EMULATED_DRIVER.1, &drivers.join("emulated").join(name))?;
    }
    let documents = prefix.join("share/doc/stencil");
    copy(&repository.root.join("LICENSE"), &documents)?;
    for file in repository.files()? {
        if file.starts_with(HEADERS) {
            copy(&repository.root.join(&file), &prefix.join("include"))?;
        }
        let is_page = [".md", ".idsl"].iter().any(|ending| file.ends_with(ending));
        if is_page && PAGES.iter().any(|folder| file.starts_with(folder)) {
            let parent = Path::new(&file).parent().context("a page lies in a folder")?;
            copy(&repository.root.join(&file), &documents.join(parent))?;
        }
    }
    if !installed_help::install(&prefix)? {
        return Ok(false);
    }
    let place = prefix.display();
    println!("installed under {place}:");
    println!("  {place}/bin: {}", PROGRAMS.join(", "));
    println!(
        "  mlir-opt --load-dialect-plugin={place}/lib/{0} --load-pass-plugin={place}/lib/{0}",
        PLUGIN.1
    );
    println!("  cc -I{place}/include ... -L{place}/lib -lstencil: programs that run packages");
    println!("  LD_LIBRARY_PATH={place}/lib/stencil/emulated: a CUDA driver without a GPU");
    println!("  man -M {place}/share/man stencilc; pages under {place}/share/doc/stencil");
    println!("  cmake -DCMAKE_PREFIX_PATH={place}, then find_package(Stencil)");
    Ok(true)
}

fn build(repository: &Repository) -> Result<bool> {
    let mut command = repository.cargo(["build", "--release"]);
    for package in PROGRAMS.iter().chain([&PLUGIN.0, &LIBRARY.0, &EMULATED_DRIVER.0]) {
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
    copy_as(file, &folder.join(file.file_name().context("a file has a name")?))
}

/// Copies a file to a place, whole or not at all.
pub fn copy_as(file: &Path, target: &Path) -> Result<()> {
    replace(target, |new| fs::copy(file, new).map(|_| ()))
        .with_context(|| format!("cannot copy {} to {}", file.display(), target.display()))
}

/// Links a place to a file in the folder above it.
fn link(name: &str, target: &Path) -> Result<()> {
    replace(target, |new| std::os::unix::fs::symlink(Path::new("..").join(name), new))
        .with_context(|| format!("cannot make the link {}", target.display()))
}

fn replace(target: &Path, make: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let folder = target.parent().unwrap_or(Path::new("."));
    let name = target.file_name().unwrap_or_default();
    let new = folder.join(format!(".{}.new", name.display()));
    fs::create_dir_all(folder)?;
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    make(&new)?;
    fs::rename(&new, target)
}
