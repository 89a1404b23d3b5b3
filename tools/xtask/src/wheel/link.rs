//! Linking with LLVM's archives although every crate asks for its shared libraries.
//!
//! The crates pass `-lLLVM` and `-lMLIR` to the linker, which takes the first file of that name in
//! its folders. A compiler driver that looks into a folder of ours first finds linker scripts
//! there, which name all archives: only what a program refers to is linked into it. No crate is
//! built with other features for that.
//!
//! A pass of MLIR starts every target of LLVM, of which kernels and the emulator need two. An
//! object of ours starts the others, by doing nothing: a third of the compiler is not linked then.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::repository::Repository;
use crate::toolchain;

/// What crates pass to the linker after `-l`.
const LIBRARIES: &[&str] = &["LLVM", "MLIR", "MLIR-C"];
/// Libraries that LLVM compresses sections with. Where there is no archive, as of zstd on most
/// machines, the shared library is taken; auditwheel then puts it into the wheel.
const COMPRESSION: &[(&str, &str)] = &[("libz.a", "libz.so.1"), ("libzstd.a", "libzstd.so.1")];

/// What the compiler makes code for: kernels, and the emulator's host.
const TARGETS: &[&str] = &["NVPTX", "X86"];
/// How a target is started, after `LLVMInitialize` and its name.
const STARTS: &[&str] =
    &["TargetInfo", "Target", "TargetMC", "AsmPrinter", "AsmParser", "Disassembler"];

/// Writes the scripts; gives the compiler driver that uses them.
///
/// Their folder has a name of its own for each content, and the flags of a build name the driver:
/// cargo, which does not look into scripts, links programs anew if they have changed.
pub fn write(repository: &Repository, target: &Path) -> Result<PathBuf> {
    let mut config = Command::new(toolchain::llvm_tool(repository, "llvm-config")?);
    let built = printed(config.arg("--targets-built"))?;
    let others = built.split_whitespace().filter(|it| !TARGETS.contains(it)).collect::<Vec<_>>();
    let archives = archives(repository)?.into_iter();
    let archives = archives.filter(|it| !is_of_target(it, &others)).collect::<Vec<_>>();
    let source = without_targets(&others);

    let digest = Sha256::digest(script(&archives) + &source);
    let folder = target.join(format!("static-llvm-{:02x}{:02x}", digest[0], digest[1]));
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let linked = [vec![compiled(&source, &folder)?], archives].concat();
    let version = repository.read("cmake/llvm-version.txt")?;
    let versioned = format!("LLVM-{}", version.trim());
    for name in LIBRARIES.iter().copied().chain([versioned.as_str()]) {
        fs::write(folder.join(format!("lib{name}.so")), script(&linked))?;
    }
    // rustc tells what options a linker takes by its name.
    let driver = folder.join("cc");
    fs::write(&driver, format!("#!/bin/sh\nexec /usr/bin/cc -L'{}' \"$@\"\n", folder.display()))?;
    fs::set_permissions(&driver, fs::Permissions::from_mode(0o755))?;
    Ok(driver)
}

/// The source, in C, of an object that starts targets by doing nothing. The object is linked once
/// for each script that names it, hence the weak symbols; archives are searched for what has no
/// symbol at all.
fn without_targets(others: &[&str]) -> String {
    let starts = others.iter().flat_map(|it| STARTS.iter().map(move |start| (it, start)));
    let starts = starts.map(|(target, start)| {
        format!("__attribute__((weak)) void LLVMInitialize{target}{start}(void) {{}}\n")
    });
    starts.collect()
}

fn compiled(source: &str, folder: &Path) -> Result<PathBuf> {
    let (file, object) = (folder.join("without_targets.c"), folder.join("without_targets.o"));
    fs::write(&file, source)?;
    let mut compile = Command::new("cc");
    printed(compile.args(["-c", "-O2", "-fPIC", "-o"]).arg(&object).arg(&file))?;
    Ok(object)
}

/// Whether an archive holds code for one of these targets.
fn is_of_target(archive: &Path, targets: &[&str]) -> bool {
    let name = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let rest = name.strip_prefix("libLLVM").unwrap_or_default();
    targets.iter().any(|target| rest.starts_with(target))
}

/// Archives refer to each other, in circles too; a group is searched until nothing is found.
fn script(archives: &[PathBuf]) -> String {
    let lines = archives.iter().map(|archive| format!("  \"{}\"\n", archive.display()));
    format!("GROUP (\n{})\n", lines.collect::<String>())
}

fn archives(repository: &Repository) -> Result<Vec<PathBuf>> {
    let library = toolchain::llvm_prefix(repository)?.join("lib");
    let entries =
        fs::read_dir(&library).with_context(|| format!("cannot list {}", library.display()))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("libMLIR") && name.ends_with(".a") && !name.contains("Test") {
            found.push(path);
        }
    }
    if found.is_empty() {
        bail!("{} holds no archives of MLIR: a wheel needs them", library.display());
    }
    found.sort();
    let mut config = Command::new(toolchain::llvm_tool(repository, "llvm-config")?);
    config.args(["--link-static", "--ignore-libllvm", "--libfiles", "all"]);
    // It also names archives that other packages hold, as Polly's.
    let listed = printed(&mut config)?;
    found.extend(listed.split_whitespace().map(PathBuf::from).filter(|path| path.exists()));
    for (archive, shared) in COMPRESSION {
        found.push(system_library(archive)?.or(system_library(shared)?).with_context(|| {
            format!("there is neither {archive} nor {shared}, which LLVM needs")
        })?);
    }
    Ok(found)
}

/// Where the compiler driver finds a library; it answers with the bare name of one that is missing.
fn system_library(name: &str) -> Result<Option<PathBuf>> {
    let answer = printed(Command::new("cc").arg(format!("-print-file-name={name}")))?;
    let path = PathBuf::from(answer.trim());
    Ok(path.is_absolute().then_some(path))
}

pub(super) fn printed(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start {program}"))?;
    if !output.status.success() {
        bail!("{program} fails: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_of_a_target_are_told_by_their_name() {
        let is_other = |name| is_of_target(Path::new(name), &["ARM", "RISCV"]);
        assert!(is_other("lib/libLLVMARMCodeGen.a") && is_other("libLLVMRISCVDesc.a"));
        assert!(!is_other("libLLVMX86Desc.a") && !is_other("libMLIRArmSMEDialect.a"));
    }

    #[test]
    fn scripts_group_all_archives() {
        let folder = tempfile::tempdir().unwrap();
        let repository = Repository::find().unwrap();
        let driver = write(&repository, folder.path()).unwrap();
        assert!(fs::metadata(&driver).unwrap().permissions().mode() & 0o100 != 0);
        let text = fs::read_to_string(driver.with_file_name("libMLIR-C.so")).unwrap();
        assert!(text.starts_with("GROUP (\n") && text.ends_with(")\n"));
        let targets = ["libLLVMNVPTXCodeGen.a\"", "libLLVMX86CodeGen.a\"", "without_targets.o\""];
        for wanted in targets.into_iter().chain(["libMLIRCAPIIR.a\"", "libz."]) {
            assert!(text.contains(wanted), "{wanted}");
        }
        assert!(!text.contains("libLLVMAMDGPU"));
    }

    #[test]
    fn a_library_that_is_missing_has_no_path() {
        assert_eq!(system_library("libno-such-library.a").unwrap(), None);
        assert!(system_library("libc.so.6").unwrap().is_some());
    }
}
