//! Licences of what is linked into the programs of a wheel: one file, which the wheel holds.
//!
//! Crates are those that cargo links, procedural macros and build scripts left out; their texts are
//! the files that lie beside their manifests. Libraries that are no crates have theirs where the
//! system's packages keep them. What has no text is an error, so that nothing is left out silently.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::link::printed;
use crate::repository::Repository;

/// The file in a wheel's `licenses`, beside the licence of the package; setuptools takes it by its
/// name.
pub const FILE: &str = "NOTICE-third-party.txt";
/// The system's text names the licence without holding it.
const LLVM: &str = "LLVM and MLIR: Apache-2.0 WITH LLVM-exception, the text of the file LICENSE \
                    beside this one";
/// Libraries that are linked, and where the packages of a system may keep their licences.
const LIBRARIES: &[(&str, &[&str])] = &[
    (LLVM, &["/usr/share/doc/llvm-22/copyright", "/usr/share/doc/llvm-22-dev/copyright"]),
    ("zlib", &["/usr/share/doc/zlib1g/copyright", "/usr/share/doc/zlib1g-dev/copyright"]),
    ("zstd", &["/usr/share/doc/libzstd1/copyright", "/usr/share/doc/libzstd-dev/copyright"]),
    ("libffi", &["/usr/share/doc/libffi8/copyright", "/usr/share/doc/libffi7/copyright"]),
];
/// How files with licences begin, in capitals.
const TEXTS: &[&str] = &["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
/// The licence MIT, for crates that name it and hold no text of it.
const MIT: &str = "\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and \
associated documentation files (the \"Software\"), to deal in the Software without restriction, \
including without limitation the rights to use, copy, modify, merge, publish, distribute, \
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is \
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or \
substantial portions of the Software.

THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING \
BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND \
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, \
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT \
OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.";

/// The notices of everything that these packages of cargo link.
pub fn notices(repository: &Repository, packages: &[&str], triple: &str) -> Result<String> {
    let linked = linked_crates(repository, packages, triple)?;
    let metadata = metadata(repository, triple)?;
    let known = metadata["packages"].as_array().context("cargo metadata has no packages")?;
    let mut table = String::new();
    let mut texts = BTreeMap::<String, BTreeSet<String>>::new();
    for (name, version) in &linked {
        let package = known.iter().find(|it| it["name"] == **name && it["version"] == **version);
        let package = package.with_context(|| format!("cargo metadata has no {name} {version}"))?;
        if package["source"].is_null() {
            continue;
        }
        let licence = package["license"].as_str().unwrap_or("as its text says");
        let place = package["repository"].as_str().unwrap_or("");
        table += &format!("{name} {version}: {licence} {place}\n");
        for text in texts_of(package)? {
            texts.entry(text).or_default().insert(format!("{name} {version}"));
        }
    }
    for (name, text) in libraries(repository)? {
        table += &format!("{name}\n");
        texts.entry(text).or_default().insert(name);
    }
    Ok(written(&table, &texts))
}

fn written(table: &str, texts: &BTreeMap<String, BTreeSet<String>>) -> String {
    let rule = "-".repeat(80);
    let mut written =
        format!("Linked into the programs of this package, each under its licence:\n\n{table}");
    let mut sorted = texts.iter().collect::<Vec<_>>();
    sorted.sort_by_key(|(_, of)| of.first());
    for (text, of) in sorted {
        let of = of.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        written += &format!("\n{rule}\n{of}\n{rule}\n\n{text}\n");
    }
    written
}

/// Names and versions of the crates that are linked.
fn linked_crates(
    repository: &Repository,
    packages: &[&str],
    triple: &str,
) -> Result<BTreeSet<(String, String)>> {
    let mut tree = repository.cargo(["tree", "--prefix", "none", "--format", "{p}"]);
    tree.args(["--edges", "normal,no-proc-macro", "--target", triple]);
    for package in packages {
        tree.args(["--package", package]);
    }
    let text = printed(&mut tree)?;
    let words = text.lines().map(|line| line.split_whitespace().take(2).collect::<Vec<_>>());
    Ok(words
        .filter_map(|words| {
            Some((words.first()?.to_string(), words.get(1)?.strip_prefix('v')?.into()))
        })
        .collect())
}

fn metadata(repository: &Repository, triple: &str) -> Result<Value> {
    let mut command =
        repository.cargo(["metadata", "--format-version", "1", "--filter-platform", triple]);
    Ok(serde_json::from_str(&printed(&mut command)?)?)
}

/// The texts of a crate's licences.
fn texts_of(package: &Value) -> Result<Vec<String>> {
    let manifest = package["manifest_path"].as_str().context("a package has no manifest")?;
    let folder = Path::new(manifest).parent().context("a manifest has no folder")?;
    let mut files = fs::read_dir(folder)
        .with_context(|| format!("cannot list {}", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<PathBuf>>>()?;
    files.retain(|it| it.is_file() && is_text(it));
    files.sort();
    if files.is_empty() {
        return Ok(vec![standard_text(package)?]);
    }
    files.iter().map(|it| read(it)).collect()
}

fn is_text(file: &Path) -> bool {
    let name = file.file_name().map(|it| it.to_string_lossy().to_uppercase());
    name.is_some_and(|name| TEXTS.iter().any(|start| name.starts_with(start)))
}

/// The text of a licence that a crate names without holding it.
fn standard_text(package: &Value) -> Result<String> {
    let authors = package["authors"].as_array().into_iter().flatten();
    let authors = authors.filter_map(Value::as_str).collect::<Vec<_>>().join(", ");
    match package["license"].as_str() {
        Some("MIT") => Ok(format!("Copyright (c) {authors}\n\n{MIT}")),
        Some("Apache-2.0") => Ok(format!(
            "Copyright {authors}\n\nLicensed under the Apache License, version 2.0, whose text is \
             that of the file LICENSE beside this one, up to the exceptions."
        )),
        other => bail!("{} is under {other:?} and holds no text of it", package["name"]),
    }
}

/// Libraries that are no crates.
fn libraries(repository: &Repository) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for (name, places) in LIBRARIES {
        let place = places.iter().map(Path::new).find(|it| it.exists());
        let place = place.with_context(|| format!("{name} has no licence in any of {places:?}"))?;
        found.push(((*name).to_owned(), read(place)?));
    }
    let mut rustc = Command::new("rustc");
    let root = printed(rustc.args(["--print", "sysroot"]).current_dir(&repository.root))?;
    let places = [
        Path::new(root.trim()).join("share/doc/rust/COPYRIGHT-library.html"),
        PathBuf::from("/usr/share/doc/libstd-rust-dev/copyright"),
    ];
    let place = places.iter().find(|it| it.exists());
    let place = place.with_context(|| format!("Rust's library has no licence in {places:?}"))?;
    found.push(("the standard library of Rust".to_owned(), read(place)?));
    Ok(found)
}

fn read(file: &Path) -> Result<String> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn files_with_licences_are_known_by_their_names() {
        for name in ["LICENSE-MIT", "license.txt", "COPYING", "Unlicense", "NOTICE.txt"] {
            assert!(is_text(Path::new(name)), "{name}");
        }
        assert!(!is_text(Path::new("README.md")) && !is_text(Path::new("src/license.rs/x.rs")));
    }

    #[test]
    fn a_crate_without_text_is_given_the_standard_one_or_refused() {
        let mit = json!({"name": "a", "license": "MIT", "authors": ["A. Author"]});
        assert!(standard_text(&mit).unwrap().starts_with("Copyright (c) A. Author\n\nPermission"));
        let other = json!({"name": "a", "license": "Zlib", "authors": []});
        assert!(standard_text(&other).is_err());
    }

    #[test]
    fn one_text_of_several_crates_is_written_once() {
        let of = ["a 1".to_owned(), "b 2".to_owned()].into_iter().collect();
        let text = written("a\nb\n", &[("the text".to_owned(), of)].into_iter().collect());
        assert_eq!(text.matches("the text").count(), 1);
        assert!(text.contains("\na 1, b 2\n"));
    }
}
