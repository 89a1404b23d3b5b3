//! Test binaries that passed and have not changed since: they are not run again.
//!
//! A change in one crate leaves the test binaries of those below it as they are, bit for bit, and
//! what they draw is drawn from a fixed seed. What a test depends on besides its binary is in the
//! key: programs of its own package, every file of the checkout that is no Rust source, and the
//! variables that choose what it does. Tests of this crate read Rust sources and always run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::binaries::TestBinary;
use super::totals::Totals;
use crate::cached_tool::hex;
use crate::repository::Repository;

/// What passed in earlier runs, and under which key.
pub struct Unchanged {
    file: PathBuf,
    /// The key of everything but the binary.
    surroundings: String,
    passed: BTreeMap<String, Value>,
    /// The keys of binaries that run now.
    open: BTreeMap<String, String>,
}

impl Unchanged {
    /// Reads what passed before; `variables` are those that tests are run with.
    pub fn read(repository: &Repository, file: PathBuf, variables: &str) -> Result<Self> {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let passed = serde_json::from_str(&text).unwrap_or_default();
        let mut hash = Sha256::new();
        hash.update(variables);
        for (name, value) in std::env::vars() {
            if name == "PATH" || name.starts_with("STENCIL_") {
                hash.update(format!("{name}={value}\n"));
            }
        }
        for path in repository.files()?.iter().filter(|path| !path.ends_with(".rs")) {
            add(&mut hash, &repository.root.join(path))?;
        }
        Ok(Self { file, surroundings: hex(hash), passed, open: BTreeMap::new() })
    }

    /// The key of a binary; none if it is to be run in any case.
    fn key(&self, binary: &TestBinary) -> Result<Option<String>> {
        if binary.name.starts_with("xtask") {
            return Ok(None);
        }
        let mut hash = Sha256::new();
        hash.update(&self.surroundings);
        for path in [&binary.path].into_iter().chain(&binary.programs) {
            add(&mut hash, path)?;
        }
        Ok(Some(hex(hash)))
    }

    /// The tests of a binary that passed under this key.
    fn totals(&self, name: &str, key: &str) -> Option<Totals> {
        let known = self.passed.get(name).filter(|known| known["key"] == key)?;
        let count = |what: &str| known[what].as_u64();
        Some(Totals { passed: count("passed")?, failed: 0, not_run: count("not_run")? })
    }

    /// The binaries that are to be run, and the tests of the others.
    pub fn split(&mut self, binaries: Vec<TestBinary>) -> Result<(Vec<TestBinary>, Totals)> {
        let (mut open, mut sum) = (Vec::new(), Totals::default());
        for binary in binaries {
            let key = self.key(&binary)?;
            match key.as_ref().and_then(|key| self.totals(&binary.name, key)) {
                Some(totals) => {
                    println!("{} (unchanged since)", totals.line(&binary.name));
                    sum = sum.plus(totals);
                }
                None => {
                    self.open.extend(key.map(|key| (binary.name.clone(), key)));
                    open.push(binary);
                }
            }
        }
        Ok((open, sum))
    }

    /// Notes that a binary that was to be run passed.
    pub fn remember(&mut self, name: &str, totals: Totals) {
        let Some(key) = self.open.get(name) else { return };
        let Totals { passed, not_run, .. } = totals;
        let known = json!({ "key": key, "passed": passed, "not_run": not_run });
        self.passed.insert(name.to_owned(), known);
    }

    /// Writes what is known for the next run.
    pub fn write(&self) -> Result<()> {
        let text = serde_json::to_string_pretty(&self.passed).context("keys are JSON")?;
        fs::write(&self.file, text).with_context(|| format!("cannot write {}", self.file.display()))
    }
}

fn add(hash: &mut Sha256, path: &Path) -> Result<()> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    hash.update(path.as_os_str().as_encoded_bytes());
    hash.update(bytes.len().to_le_bytes());
    hash.update(bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_is_known_until_it_or_a_file_beside_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        let write = |name: &str, text: &str| fs::write(root.join(name), text).unwrap();
        ["data.json", "source.rs"].into_iter().for_each(|name| write(name, "1"));
        let repository = Repository { root: root.clone() };
        let kept = tempfile::tempdir().unwrap();
        let file = kept.path().join("passed.json");
        let binary = |name: &str| TestBinary {
            name: name.to_owned(),
            path: kept.path().join("binary"),
            folder: root.clone(),
            programs: vec![kept.path().join("program")],
        };
        let built = |name: &str, text: &str| fs::write(kept.path().join(name), text).unwrap();
        ["binary", "program"].into_iter().for_each(|name| built(name, "1"));
        let read = |variables: &str| Unchanged::read(&repository, file.clone(), variables).unwrap();
        let key = |variables: &str| read(variables).key(&binary("model")).unwrap().unwrap();
        let first = key("seed 1");
        let totals = Totals { passed: 3, failed: 0, not_run: 1 };
        let mut known = read("seed 1");
        assert_eq!(known.split(vec![binary("model")]).unwrap().0.len(), 1);
        known.remember("model", totals);
        known.write().unwrap();
        assert_eq!(read("seed 1").totals("model", &key("seed 1")), Some(totals));
        assert_eq!(read("seed 1").totals("other", &first), None);
        write("source.rs", "2");
        assert_eq!(key("seed 1"), first);
        assert_ne!(key("seed 2"), first);
        write("data.json", "2");
        assert_ne!(key("seed 1"), first);
        write("data.json", "1");
        assert_eq!(key("seed 1"), first);
        for name in ["binary", "program"] {
            built(name, "2");
            assert_ne!(key("seed 1"), first, "{name}");
            built(name, "1");
        }
        assert_eq!(read("seed 1").key(&binary("xtask")).unwrap(), None);
    }
}
