//! `cargo xtask new-pass`: the file of a pass, its tests and its line in the table, in the shape
//! that CONTRIBUTING.md describes. What it writes compiles, and its tests fail until someone has
//! said what the pass does.

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::repository::Repository;

/// Where the output of a pass belongs.
#[derive(Clone, Copy, ValueEnum)]
pub enum Place {
    /// Only `stencil` ops come out: a mechanism
    Transforms,
    /// Only `stencil` ops come out: it decides, and writes plans
    Strategy,
    /// Ops of `sweep` come out
    Sweep,
    /// Ops of `gpu`, `scf`, `memref`, `vector` come out
    Gpu,
    /// NVVM and LLVM ops come out
    Nvvm,
}

/// The folders and the table of a place.
struct Folders {
    source: &'static str,
    tests: &'static str,
    table: &'static str,
    framework: &'static str,
    module: &'static str,
}

impl Place {
    fn folders(self) -> Folders {
        let (source, tests, module) = match self {
            Self::Transforms => ("passes/src/transforms", "test/passes", "transforms"),
            Self::Strategy => ("passes/src/strategy", "test/passes", "strategy"),
            Self::Sweep => ("lowering/src/sweep", "test/lowering/sweep", "sweep"),
            Self::Gpu => ("lowering/src/gpu", "test/lowering/gpu", "gpu"),
            Self::Nvvm => ("lowering/src/nvvm", "test/lowering/nvvm", "nvvm"),
        };
        let (table, framework) = match self {
            Self::Transforms | Self::Strategy => ("passes/src/lib.rs", "crate::framework"),
            Self::Sweep | Self::Gpu | Self::Nvvm => {
                ("lowering/src/lib.rs", "stencil_passes::framework")
            }
        };
        Folders { source, tests, table, framework, module }
    }
}

/// `cargo xtask new-pass`.
pub fn new_pass(repository: &Repository, name: &str, place: Place) -> Result<bool> {
    check_name(name)?;
    let folders = place.folders();
    let file = name.replace('-', "_");
    let source = format!("{}/{file}.rs", folders.source);
    let test = format!("{}/{name}.mlir", folders.tests);
    let invalid = format!("{}/{name}-invalid.mlir", folders.tests);
    for path in [&source, &test, &invalid] {
        if repository.has(path) {
            bail!("{path} exists already");
        }
    }
    let fill = |template: &str| {
        let words = [
            ("@name@", name),
            ("@file@", &file),
            ("@CONSTANT@", &file.to_uppercase()),
            ("@framework@", folders.framework),
        ];
        words.iter().fold(template.to_owned(), |text, (word, value)| text.replace(word, value))
    };
    repository.write(&source, &fill(include_str!("templates/pass.txt")))?;
    repository.write(&test, &fill(include_str!("templates/test.txt")))?;
    repository.write(&invalid, &fill(include_str!("templates/invalid.txt")))?;
    for path in [&source, &test, &invalid] {
        println!("written: {path}");
    }
    let line = format!("    &{}::{file}::{},", folders.module, file.to_uppercase());
    enter(repository, folders.table, "PASSES", "];", &line)?;
    enter(repository, &format!("{}/mod.rs", folders.source), "pub mod", "", &module(&file))?;
    println!("next: say in the head of {source} what it does and what it does not");
    Ok(true)
}

fn module(file: &str) -> String {
    format!("pub mod {file};")
}

/// Verb first, lower case, hyphens; the prefix `stencil-` is added where it belongs.
fn check_name(name: &str) -> Result<()> {
    let words: Vec<_> = name.split('-').collect();
    let word = |word: &&str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
    if !words.iter().all(word) || words.len() < 2 {
        bail!(
            "'{name}' is no name of a pass: lower-case words with hyphens, verb first, as in \
             fuse-time-steps"
        );
    }
    if words[0] == "stencil" {
        bail!("leave the prefix out: {}", words[1..].join("-"));
    }
    Ok(())
}

/// Adds a line to a list in a file: before the line `end` that follows `begin`, or, where `end` is
/// empty, after the last line that begins with `begin`. Says where to put it if there is no list.
fn enter(repository: &Repository, path: &str, begin: &str, end: &str, line: &str) -> Result<()> {
    let text = repository.read(path).unwrap_or_default();
    let Some(position) = position(&text, begin, end) else {
        println!("add by hand to {path}: {}", line.trim());
        return Ok(());
    };
    let mut lines: Vec<_> = text.lines().collect();
    lines.insert(position, line);
    repository.write(path, &(lines.join("\n") + "\n")).context("cannot enter the pass")?;
    println!("entered: {path}: {}", line.trim());
    Ok(())
}

fn position(text: &str, begin: &str, end: &str) -> Option<usize> {
    let lines: Vec<_> = text.lines().collect();
    if end.is_empty() {
        return Some(lines.iter().rposition(|line| line.starts_with(begin))? + 1);
    }
    let first = lines.iter().position(|line| line.contains(begin) && line.contains("const"))?;
    let length = lines[first..].iter().position(|line| *line == end)?;
    Some(first + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_verb_then_object() {
        for right in ["fuse-time-steps", "infer-bounds"] {
            assert!(check_name(right).is_ok(), "{right}");
        }
        let said = |wrong| check_name(wrong).unwrap_err().to_string();
        for wrong in ["fuse", "", "Fuse-steps", "fuse_steps-all", "fuse--steps"] {
            let start = format!("'{wrong}' is no name of a pass: lower-case words");
            assert!(said(wrong).starts_with(&start), "{}", said(wrong));
        }
        assert_eq!(said("stencil-fuse-all"), "leave the prefix out: fuse-all");
    }

    #[test]
    fn a_line_goes_to_the_end_of_its_list() {
        let table = "use x::PASSES;\npub const PASSES: &[&P] = &[\n    &a::A,\n];\nfn f() {}\n";
        assert_eq!(position(table, "PASSES", "];"), Some(3));
        assert_eq!(position("pub mod a;\npub mod b;\n\nfn f() {}\n", "pub mod", ""), Some(2));
        assert_eq!(position("fn f() {}\n", "PASSES", "];"), None);
    }

    #[test]
    fn a_new_pass_has_everything_tidy_asks_for() {
        let folder = tempfile::tempdir().unwrap();
        let repository = Repository { root: folder.path().to_owned() };
        repository.write("passes/src/lib.rs", "pub const PASSES: &[u8] = &[\n];\n").unwrap();
        repository.write("passes/src/transforms/mod.rs", "pub mod split;\n").unwrap();
        assert!(new_pass(&repository, "fuse-all-steps", Place::Transforms).unwrap());
        let source = repository.read("passes/src/transforms/fuse_all_steps.rs").unwrap();
        assert!(source.starts_with("//! `stencil-fuse-all-steps`: "), "{source}");
        assert!(!source.contains('@'), "{source}");
        assert!(repository.has("test/passes/fuse-all-steps.mlir"));
        assert!(repository.has("test/passes/fuse-all-steps-invalid.mlir"));
        assert_eq!(
            repository.read("passes/src/lib.rs").unwrap(),
            "pub const PASSES: &[u8] = &[\n    &transforms::fuse_all_steps::FUSE_ALL_STEPS,\n];\n"
        );
        assert_eq!(
            repository.read("passes/src/transforms/mod.rs").unwrap(),
            "pub mod split;\npub mod fuse_all_steps;\n"
        );
        let error = new_pass(&repository, "fuse-all-steps", Place::Transforms).unwrap_err();
        assert_eq!(error.to_string(), "passes/src/transforms/fuse_all_steps.rs exists already");
    }
}
