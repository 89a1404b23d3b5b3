//! Golden files: expected output that a command rewrites and a person reviews.
//!
//! A test pipes into `%golden FILE`, which is `xtask golden FILE`: it compares, or under `bless`
//! rewrites. Tests that write a page do the same when they find [`BLESS`] set to 1.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::TestArguments;
use crate::repository::{Repository, build_programs, run};
use crate::suite::Times;
use crate::{documents, lit};

/// The variable that makes golden tests rewrite their files when it is 1.
pub const BLESS: &str = "STENCIL_BLESS";

/// Tests of `stencil-driver` that write a page, in minutes each.
const PAGES: &[(&str, &str)] =
    &[("proof", "test/docs/proof.md"), ("random_sweeps", "lowering/docs/random-sweeps.md")];

/// `cargo xtask bless`: everything that is written from what the programs print now, and lists what
/// changed. Golden files by lit, then the reference, then under `nightly` the pages of long tests.
pub fn bless(repository: &Repository, filter: Option<String>, nightly: bool) -> Result<bool> {
    let before = snapshot(repository)?;
    let mut passed = build_programs(repository)?;
    let pages = PAGES.iter().filter(|(test, page)| {
        filter.as_ref().is_none_or(|filter| test.contains(filter) || page.contains(filter))
    });
    let arguments = TestArguments { filter: filter.clone(), ..TestArguments::default() };
    passed &= lit::run(repository, &arguments, true, &mut Times::default())?.failed == 0;
    passed &= documents::docs(repository, false, filter.as_deref())?;
    for (test, _) in pages.filter(|_| nightly) {
        let mut writes = repository.cargo(["test", "--quiet", "--package", "stencil-driver"]);
        writes.args(["--test", "integration", test, "--", "--include-ignored"]);
        passed &= run(writes.env(BLESS, "1").stdout(Stdio::null()))?;
    }
    let after = snapshot(repository)?;
    let rewritten: Vec<_> =
        after.iter().filter(|(file, text)| before.get(*file) != Some(*text)).collect();
    rewritten.iter().for_each(|(file, _)| println!("rewritten: {file}"));
    println!("{} files rewritten; review the difference as code", rewritten.len());
    if !passed {
        println!("some tests fail for another reason than their golden file");
    }
    Ok(passed)
}

/// `xtask golden FILE`, with the output on standard input.
pub fn compare(file: &Path) -> Result<bool> {
    let mut found = Vec::new();
    std::io::stdin().read_to_end(&mut found).context("cannot read standard input")?;
    if std::env::var_os(BLESS).is_some_and(|value| value == "1") {
        fs::write(file, &found).with_context(|| format!("cannot write {}", file.display()))?;
        return Ok(true);
    }
    let Ok(expected) = fs::read(file) else {
        eprintln!("{} does not exist, 'cargo xtask bless' makes it", file.display());
        return Ok(false);
    };
    if expected == found {
        return Ok(true);
    }
    eprintln!("the output differs from {}:", file.display());
    print_difference(file, &found)?;
    eprintln!("if the new output is right, 'cargo xtask bless' takes it");
    Ok(false)
}

fn print_difference(file: &Path, found: &[u8]) -> Result<()> {
    let mut diff = Command::new("diff");
    diff.arg("-u").arg(file).arg("-").stdin(Stdio::piped());
    let mut child = diff.spawn().context("cannot start diff")?;
    let mut input = child.stdin.take().context("the input was piped")?;
    input.write_all(found).context("diff took no input")?;
    drop(input);
    child.wait().context("cannot wait for diff")?;
    Ok(())
}

/// The files that a run can rewrite: golden files, pages, and programs that belong to a page.
fn snapshot(repository: &Repository) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = repository.files()?;
    files.retain(|file| [".golden", ".md", ".mlir"].iter().any(|ending| file.ends_with(ending)));
    let read = |file: String| {
        let bytes = fs::read(repository.root.join(&file));
        let bytes = bytes.with_context(|| format!("cannot read {file}"))?;
        Ok((file, bytes))
    };
    files.into_iter().map(read).collect()
}
