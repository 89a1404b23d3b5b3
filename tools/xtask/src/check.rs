//! Every check of a change, in the order of what they cost. All run, also after a failure, so
//! that one round shows everything that is wrong.

use anyhow::Result;

use crate::TestArguments;
use crate::repository::{Repository, run};
use crate::{documents, suite, tidy};

/// `cargo xtask ci`.
pub fn ci(repository: &Repository) -> Result<bool> {
    let mut failed = Vec::new();
    let mut note = |name: &'static str, passed: bool| {
        if !passed {
            failed.push(name);
        }
    };
    if has_component(repository, "fmt") {
        note("fmt", run(&mut repository.cargo(["fmt", "--all", "--check"]))?);
    }
    note("tidy", tidy::tidy(repository)?);
    if has_component(repository, "clippy") {
        note("clippy", clippy(repository)?);
    }
    note("docs", documents::docs(repository, true)?);
    // Last, so that the closing line of the run is the one that counts the tests.
    let tested = suite::test(repository, &TestArguments::default())?;
    note("test", tested);
    if failed.is_empty() {
        return Ok(true);
    }
    eprintln!("xtask: failed: {}", failed.join(", "));
    Ok(false)
}

/// The same profile as the tests, so that build scripts, the C++ among them, run once.
fn clippy(repository: &Repository) -> Result<bool> {
    let mut command = repository.cargo(["clippy", "--quiet", "--workspace", "--all-targets"]);
    run(command.args(["--", "--deny", "warnings"]))
}

/// Whether a part of the Rust distribution is here; Debian's packages have no clippy.
fn has_component(repository: &Repository, name: &str) -> bool {
    let mut command = repository.cargo([name, "--version"]);
    let found = command.output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("xtask: there is no 'cargo {name}' here: NOT CHECKED (rustup has it)");
    }
    found
}
