//! Every chore of the repository: `cargo xtask CHORE`.
//!
//! `main` reads arguments; each chore is a module. A chore prints what it runs, and the process
//! ends with 0 (done), 1 (a check or a test failed) or 2 (the surroundings are wrong).
#![allow(clippy::print_stdout, clippy::print_stderr)] // A program for a terminal.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod cached_tool;
mod check;
mod documents;
mod golden;
mod guide;
mod install;
mod installed_help;
mod lit;
mod markdown;
mod new_pass;
mod portable;
mod repository;
mod site;
mod suite;
mod tidy;
mod toolchain;
mod wheel;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use crate::repository::Repository;

/// Chores of the stencil compiler's repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Unit and property tests of every crate, then the lit suite
    Test(TestArguments),
    /// The lit suite alone, with what it needs built first
    Lit(TestArguments),
    /// Rewrite golden files and generated pages from what the tools print now; then read the diff
    Bless {
        /// Only tests (a regular expression) and pages (a part of their path) that match
        filter: Option<String>,
        /// The pages that long tests write as well
        #[arg(long)]
        nightly: bool,
    },
    /// Check names, sizes, heads, dependencies, forbidden numbers and tests without a subject
    Tidy,
    /// Write the reference of ops and passes
    Docs {
        /// Fail if the committed files are not what would be written
        #[arg(long)]
        check: bool,
    },
    /// Make the file of a new pass, its two tests and its line in the table
    NewPass {
        /// Verb first, with hyphens, without a prefix: `fuse-time-steps`
        name: String,
        /// Where its output belongs
        #[arg(long = "in", value_enum, default_value = "transforms")]
        place: new_pass::Place,
    },
    /// Build for release and put programs, plugin, headers and CMake's package under a prefix
    Install {
        /// The folder below which everything goes
        #[arg(long, value_name = "DIR")]
        prefix: PathBuf,
        /// Take what the tests have built
        #[arg(long, hide = true)]
        built: bool,
    },
    /// Build a stencil-run for systems with an old glibc, and check what it asks for
    Portable,
    /// Build a wheel of the Python package with the compiler inside, and try it
    Wheel {
        /// Stop where the package lies with the programs that the tests have built
        #[arg(long, hide = true)]
        built: bool,
    },
    /// Make the site: every page, pictures of programs, tables of benchmarks; then check its links
    Site,
    /// Every check of a change: fmt, tidy, clippy, docs --check, test
    Ci,
    /// Compare standard input with a golden file, or rewrite it if STENCIL_BLESS is 1
    #[command(hide = true)]
    Golden {
        /// The golden file
        file: PathBuf,
    },
    /// Run the code blocks of a guide
    #[command(hide = true)]
    Guide {
        /// The page, in Markdown
        page: PathBuf,
    },
}

/// What the test chores share.
#[derive(Args, Clone, Default)]
struct TestArguments {
    /// Only tests whose name (cargo) or path (lit, a regular expression) matches
    filter: Option<String>,
    /// Tests of test/gpu as well; fails where there is no device
    #[arg(long)]
    gpu: bool,
    /// The long proofs as well: every fault, every order, ten times the random programs
    #[arg(long)]
    nightly: bool,
    /// Print where the time went: phases, the slowest test binaries, the slowest lit tests
    #[arg(long)]
    times: bool,
    /// Test binaries that passed and have not changed since as well
    #[arg(long)]
    all: bool,
}

fn main() -> ExitCode {
    if let Some(code) = cached_tool::called() {
        return code;
    }
    match run(Arguments::parse().chore) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether all is well; an error is about the surroundings, not about the change.
fn run(chore: Chore) -> Result<bool> {
    let repository = Repository::find()?;
    match chore {
        Chore::Test(arguments) => suite::test(&repository, &arguments),
        Chore::Lit(arguments) => suite::lit(&repository, &arguments),
        Chore::Bless { filter, nightly } => golden::bless(&repository, filter, nightly),
        Chore::Tidy => tidy::tidy(&repository),
        Chore::Docs { check } => documents::docs(&repository, check, None),
        Chore::NewPass { name, place } => new_pass::new_pass(&repository, &name, place),
        Chore::Install { prefix, built } => {
            install::install(&repository, &install::Installation { prefix, built })
        }
        Chore::Portable => portable::portable(&repository),
        Chore::Wheel { built } => wheel::wheel(&repository, built),
        Chore::Site => site::site(&repository),
        Chore::Ci => check::ci(&repository),
        Chore::Golden { file } => golden::compare(&file),
        Chore::Guide { page } => guide::check(&page),
    }
}
