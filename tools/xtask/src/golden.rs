//! Golden files: expected output that a command rewrites and a person reviews.
//!
//! A test pipes into `%golden FILE`, which is `xtask golden FILE`: it compares, or under `bless`
//! rewrites. Rust tests may do the same when they find [`BLESS`] set to 1.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::TestArguments;
use crate::lit;
use crate::repository::{Repository, build_programs, run};
use crate::suite::Times;

/// The variable that makes golden tests rewrite their files when it is 1.
pub const BLESS: &str = "STENCIL_BLESS";

/// `cargo xtask bless`: runs the tests so that they rewrite, and lists what changed.
pub fn bless(repository: &Repository, filter: Option<String>) -> Result<bool> {
    let before = snapshot(repository)?;
    let mut units = repository.cargo(["test", "--workspace", "--no-fail-fast", "--quiet"]);
    // Pages are written by tests that only the nightly run looks at.
    units.args(&filter).args(["--", "--include-ignored"]);
    let mut passed = run(units.env(BLESS, "1").stdout(Stdio::null()))?;
    passed &= build_programs(repository)?;
    let arguments = TestArguments { filter, ..TestArguments::default() };
    passed &= lit::run(repository, &arguments, true, &mut Times::default())?.failed == 0;
    let after = snapshot(repository)?;
    let mut changed = 0;
    for (file, text) in &after {
        if before.get(file) != Some(text) {
            println!("rewritten: {file}");
            changed += 1;
        }
    }
    println!("{changed} golden files rewritten; review the difference as code");
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

fn snapshot(repository: &Repository) -> Result<BTreeMap<String, Vec<u8>>> {
    let files = repository.files()?;
    let golden = files.into_iter().filter(|file| file.ends_with(".golden"));
    golden
        .map(|file| {
            let bytes = fs::read(repository.root.join(&file));
            let bytes = bytes.with_context(|| format!("cannot read {file}"))?;
            Ok((file, bytes))
        })
        .collect()
}
