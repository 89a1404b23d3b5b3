//! The checkout: where it is, which files it has, and running commands in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::toolchain::all_crates;

/// A checkout of this repository.
pub struct Repository {
    /// The folder with the workspace's manifest.
    pub root: PathBuf,
}

/// Folders with nothing a person wrote.
const SKIPPED: &[&str] = &[".git", ".mypy_cache", ".venv", "__pycache__", "target"];

impl Repository {
    /// The checkout whose xtask this is: cargo says so at run time, and said so when it was built.
    pub fn find() -> Result<Self> {
        let built = || PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(built, PathBuf::from);
        let root = manifest.ancestors().nth(2).context("xtask lies two folders deep")?;
        Ok(Self { root: root.to_owned() })
    }

    /// Every file, by its path below the root with forward slashes, sorted.
    pub fn files(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        collect(&self.root, Path::new(""), &mut found)?;
        found.sort();
        Ok(found)
    }

    /// The text of a file.
    pub fn read(&self, path: &str) -> Result<String> {
        fs::read_to_string(self.root.join(path)).with_context(|| format!("cannot read {path}"))
    }

    /// Whether there is such a file.
    pub fn has(&self, path: &str) -> bool {
        self.root.join(path).exists()
    }

    /// Writes a file and the folders above it.
    pub fn write(&self, path: &str, text: &str) -> Result<()> {
        let whole = self.root.join(path);
        let folder = whole.parent().context("a file lies in a folder")?;
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        fs::write(&whole, text).with_context(|| format!("cannot write {path}"))
    }

    /// The cargo that runs this, to be run in the root.
    pub fn cargo<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        command.args(arguments).current_dir(&self.root);
        // Build scripts know LLVM by these; `./x` exports them too, a bare `cargo xtask` does not.
        if let Some(prefix) = std::env::var_os("STENCIL_LLVM_PREFIX").filter(|it| !it.is_empty()) {
            command.env("LIBCLANG_PATH", Path::new(&prefix).join("lib"));
            command.env("MLIR_SYS_220_PREFIX", &prefix).env("LLVM_SYS_221_PREFIX", &prefix);
        }
        command
    }
}

/// Builds libraries and programs of the workspace, in the profile of the tests.
///
/// With one small test among them: cargo then takes the features of the dependencies that it takes
/// for all tests. Without one, crates under almost all of ours would be built a second time.
pub fn build_programs(repository: &Repository) -> Result<bool> {
    let mut command = repository.cargo(["build", "--quiet"]);
    run(command.args(all_crates()).args(["--lib", "--bins", "--test", "internal_error"]))
}

/// Says what is run, runs it, and gives back whether it succeeded.
pub fn run(command: &mut Command) -> Result<bool> {
    announce(command);
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot start {program}"))?;
    Ok(status.success())
}

/// Prints a command as a person would type it.
pub fn announce(command: &Command) {
    let program = Path::new(command.get_program());
    let mut line = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    eprintln!("xtask: {line}");
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<String>) -> Result<()> {
    let whole = root.join(folder);
    let entries =
        fs::read_dir(&whole).with_context(|| format!("cannot list {}", whole.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        if SKIPPED.iter().any(|skipped| name == *skipped) {
            continue;
        }
        let path = folder.join(&name);
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(root, &path, found)?;
        } else if kind.is_file() {
            found.push(path.to_string_lossy().into_owned());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_finds_its_own_files() {
        let repository = Repository::find().unwrap();
        let files = repository.files().unwrap();
        assert!(files.contains(&"tools/xtask/src/repository.rs".to_owned()));
        assert!(files.contains(&"Cargo.toml".to_owned()));
        assert!(files.iter().all(|file| !file.starts_with("target/")));
        assert!(files.is_sorted());
    }
}
