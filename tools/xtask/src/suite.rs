//! The tests: cargo's, then lit's, with one closing line that counts both.

use std::io::{BufRead, BufReader, IsTerminal};
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use crate::TestArguments;
use crate::repository::{Repository, announce, run};
use crate::{lit, toolchain};

/// How many tests did what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Tests that ran and passed.
    pub passed: u64,
    /// Tests that ran and failed.
    pub failed: u64,
    /// Tests that could not run here, as those for a device.
    pub not_run: u64,
}

impl Totals {
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.not_run += other.not_run;
    }

    /// The closing line.
    pub fn line(self, of: &str) -> String {
        let Self { passed, failed, not_run } = self;
        let rest = if not_run == 0 { String::new() } else { format!(", {not_run} skipped") };
        format!("{of}: {passed} passed, {failed} failed{rest}")
    }
}

/// `cargo xtask test`.
pub fn test(repository: &Repository, arguments: &TestArguments) -> Result<bool> {
    check_device(arguments)?;
    let (units_passed, mut totals) = units(repository, arguments)?;
    // The programs that lit runs; their libraries are built by now.
    let built = run(&mut repository.cargo(["build", "--workspace"]))?;
    if built {
        let suite = lit::run(repository, arguments, false)?;
        println!("{}", suite.line("lit"));
        totals.add(suite);
    }
    println!("{}", totals.line("total"));
    Ok(units_passed && built && totals.failed == 0)
}

/// `cargo xtask lit`.
pub fn lit(repository: &Repository, arguments: &TestArguments) -> Result<bool> {
    check_device(arguments)?;
    if !run(&mut repository.cargo(["build", "--workspace"]))? {
        return Ok(false);
    }
    let totals = lit::run(repository, arguments, false)?;
    println!("{}", totals.line("lit"));
    Ok(totals.failed == 0)
}

fn check_device(arguments: &TestArguments) -> Result<()> {
    if arguments.gpu && !toolchain::has_device() {
        bail!("--gpu: the NVIDIA driver lists no device on this machine");
    }
    Ok(())
}

/// Runs cargo's tests, shows their output and adds up their closing lines.
fn units(repository: &Repository, arguments: &TestArguments) -> Result<(bool, Totals)> {
    let mut command = repository.cargo(["test", "--workspace", "--no-fail-fast"]);
    command.args(&arguments.filter);
    if std::io::stdout().is_terminal() {
        // The output goes through a pipe; libtest cannot see the terminal behind it.
        command.args(["--", "--color=always"]);
    }
    command.env("STENCIL_LONG", if arguments.long { "1" } else { "0" });
    command.env("STENCIL_GPU", if arguments.gpu { "1" } else { "0" });
    toolchain::add_ptxas(repository, &mut command)?;
    announce(&command);
    let mut child = command.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
    let output = child.stdout.take().context("the output was piped")?;
    let mut totals = Totals::default();
    for line in BufReader::new(output).split(b'\n') {
        let line = line.context("cannot read what cargo prints")?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        totals.add(closing_line(&line).unwrap_or_default());
    }
    let status = child.wait().context("cannot wait for cargo")?;
    Ok((status.success(), totals))
}

/// The counts in libtest's `test result: ok. 3 passed; 0 failed; 1 ignored; ...`.
fn closing_line(line: &str) -> Option<Totals> {
    let counts = line.strip_prefix("test result: ")?.split_once(". ")?.1;
    let count = |what: &str| {
        let mut parts = counts.split("; ").filter_map(|part| part.split_once(' '));
        parts.find(|(_, name)| *name == what)?.0.parse().ok()
    };
    Some(Totals { passed: count("passed")?, failed: count("failed")?, not_run: count("ignored")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_read_and_others_are_not() {
        let line = "test result: ok. 35 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; \
                    finished in 0.12s";
        assert_eq!(closing_line(line), Some(Totals { passed: 35, failed: 2, not_run: 1 }));
        let failed = "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured";
        assert_eq!(closing_line(failed), Some(Totals { passed: 0, failed: 1, not_run: 0 }));
        // Coloured, as on a terminal.
        let coloured = "test result: \u{1b}[32mok\u{1b}[0m. 7 passed; 0 failed; 0 ignored; 0 x";
        assert_eq!(closing_line(coloured).unwrap().passed, 7);
        assert_eq!(closing_line("test tests::a ... ok"), None);
        assert_eq!(closing_line("test result: ok"), None);
    }

    #[test]
    fn the_last_line_counts_everything() {
        let totals = Totals { passed: 3, failed: 1, not_run: 0 };
        assert_eq!(totals.line("total"), "total: 3 passed, 1 failed");
        let some = Totals { not_run: 2, ..totals };
        assert_eq!(some.line("lit"), "lit: 3 passed, 1 failed, 2 skipped");
    }
}
