//! The test binaries of the workspace: cargo builds and lists them, and does not run them.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::repository::{Repository, announce};
use crate::toolchain::all_crates;

/// One executable that libtest drives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestBinary {
    /// The package and, but for a library's unit tests, the target: `stencil-driver/proof`.
    pub name: String,
    /// The executable.
    pub path: PathBuf,
    /// The folder of its package, where cargo would run it.
    pub folder: PathBuf,
    /// The programs of its package, which its tests may start.
    pub programs: Vec<PathBuf>,
}

/// Builds the library, program and integration tests of every crate; nothing if that fails.
///
/// `--lib` and `--bins` would build those with `test = false` too.
pub fn build(repository: &Repository) -> Result<Option<Vec<TestBinary>>> {
    let mut command = repository.cargo(["test"]);
    command.args(all_crates()).arg("--tests");
    command.args(["--no-run", "--message-format=json-render-diagnostics"]);
    announce(&command);
    let mut child = command.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
    let output = child.stdout.take().context("the output was piped")?;
    let mut binaries = BTreeMap::new();
    let mut programs = BTreeMap::<PathBuf, Vec<PathBuf>>::new();
    for line in BufReader::new(output).lines() {
        let line = line.context("cannot read what cargo prints")?;
        match executable(&line) {
            Some((true, binary)) => drop(binaries.insert(binary.name.clone(), binary)),
            Some((false, program)) => {
                programs.entry(program.folder).or_default().push(program.path)
            }
            None => {}
        }
    }
    let status = child.wait().context("cannot wait for cargo")?;
    let with_programs = |binary: TestBinary| {
        let programs = programs.get(&binary.folder).cloned().unwrap_or_default();
        TestBinary { programs, ..binary }
    };
    Ok(status.success().then(|| binaries.into_values().map(with_programs).collect()))
}

/// The executable that a message of cargo's announces, and whether it is one of tests.
fn executable(message: &str) -> Option<(bool, TestBinary)> {
    let message: Value = serde_json::from_str(message).ok()?;
    if message["reason"] != "compiler-artifact" {
        return None;
    }
    let path = PathBuf::from(message["executable"].as_str()?);
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let target = &message["target"];
    let target_name = target["name"].as_str()?;
    let package = package_name(message["package_id"].as_str()?)?;
    let is_library = target["kind"].as_array()?.iter().any(|kind| kind != "bin" && kind != "test");
    let name = match is_library {
        true => package.to_owned(),
        false => format!("{package}/{target_name}"),
    };
    let binary = TestBinary { name, path, folder, programs: Vec::new() };
    Some((message["profile"]["test"] == true, binary))
}

/// `stencil-driver` in `path+file:///a/tools/driver#stencil-driver@0.1.0`; where the folder has
/// the package's name, cargo leaves that out: `path+file:///a/tools/xtask#0.1.0`.
fn package_name(id: &str) -> Option<&str> {
    let (url, version) = id.rsplit_once('#')?;
    match version.split_once('@') {
        Some((name, _)) => Some(name),
        None => url.rsplit('/').next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(kind: &str, test: bool) -> String {
        format!(
            r#"{{"reason": "compiler-artifact", "manifest_path": "/a/tools/driver/Cargo.toml",
                "package_id": "path+file:///a/tools/driver#stencil-driver@0.1.0",
                "target": {{"kind": ["{kind}"], "name": "proof"}},
                "profile": {{"test": {test}}}, "executable": "/a/target/debug/deps/proof-1"}}"#
        )
    }

    #[test]
    fn binaries_of_tests_are_named_by_package_and_target() {
        let (is_test, found) = executable(&artifact("test", true)).unwrap();
        assert!(is_test);
        assert_eq!(found.name, "stencil-driver/proof");
        assert_eq!(found.path, Path::new("/a/target/debug/deps/proof-1"));
        assert_eq!(found.folder, Path::new("/a/tools/driver"));
        let named = |kind: &str| executable(&artifact(kind, true)).unwrap().1.name;
        assert_eq!(named("lib"), "stencil-driver");
        assert_eq!(named("bin"), "stencil-driver/proof");
    }

    #[test]
    fn programs_and_other_messages_are_no_tests() {
        assert!(!executable(&artifact("bin", false)).unwrap().0);
        assert_eq!(executable(r#"{"reason": "build-finished", "success": true}"#), None);
        assert_eq!(executable("no JSON"), None);
    }

    #[test]
    fn packages_are_named_with_and_without_their_folder() {
        assert_eq!(package_name("path+file:///a/tools/xtask#0.1.0"), Some("xtask"));
        assert_eq!(package_name("path+file:///a/x#stencil-model@0.1.0"), Some("stencil-model"));
    }
}
