//! Every check of a change, in the order of what they cost. All run, also after a failure, so
//! that one round shows everything that is wrong.

use std::path::Path;

use anyhow::Result;

use crate::TestArguments;
use crate::repository::{Repository, run};
use crate::suite::{self, Times};
use crate::toolchain::all_crates;
use crate::{documents, tidy};

/// `cargo xtask ci`.
pub fn ci(repository: &Repository) -> Result<bool> {
    let mut failed = Vec::new();
    let mut times = Times::default();
    let mut note = |name: &'static str, passed: bool| {
        if !passed {
            failed.push(name);
        }
    };
    if has_component(repository, "fmt") {
        let check = || run(&mut repository.cargo(["fmt", "--all", "--check"]));
        note("fmt", times.phase("fmt", |_| check())?);
    }
    note("tidy", times.phase("tidy", |_| tidy::tidy(repository))?);
    if lints_while_building() {
        // One build of everything: a warning of clippy's ends it.
        let build = || suite::build(repository);
        note("build, with clippy", times.phase("build, with clippy", |_| build())?);
    } else if has_component(repository, "clippy") {
        note("clippy", times.phase("clippy", |_| clippy(repository))?);
    }
    note("docs", times.phase("docs", |_| documents::docs(repository, true, None))?);
    let (tested, totals) = suite::timed(repository, &TestArguments::default(), &mut times)?;
    note("test", tested);
    print!("{}{}", times.phases(), times.slowest());
    if !failed.is_empty() {
        eprintln!("xtask: failed: {}", failed.join(", "));
    }
    // Last, so that the closing line of the run is the one that counts the tests.
    println!("{}", totals.line("total"));
    Ok(failed.is_empty())
}

/// Whether cargo compiles the workspace's crates by clippy's driver, as `.ci/run` has it do.
fn lints_while_building() -> bool {
    let wrapper = std::env::var_os("RUSTC_WORKSPACE_WRAPPER").unwrap_or_default();
    Path::new(&wrapper).file_stem().is_some_and(|name| name == "clippy-driver")
}

/// The same profile as the tests, so that build scripts, the C++ among them, run once.
fn clippy(repository: &Repository) -> Result<bool> {
    let mut command = repository.cargo(["clippy", "--quiet"]);
    run(command.args(all_crates()).args(["--all-targets", "--", "--deny", "warnings"]))
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
