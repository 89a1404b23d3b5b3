//! The tests: those of every crate and lit's at once, with one closing line that counts both.

mod binaries;
pub mod emulated_code;
mod pool;
mod times;
mod totals;
mod unchanged;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, thread};

use anyhow::{Result, bail};

pub use self::times::Times;
pub use self::totals::Totals;
use self::unchanged::Unchanged;
use crate::TestArguments;
use crate::repository::{Repository, build_programs};
use crate::{lit, toolchain};

/// `cargo xtask test`.
pub fn test(repository: &Repository, arguments: &TestArguments) -> Result<bool> {
    let mut times = Times::default();
    let (passed, totals) = timed(repository, arguments, &mut times)?;
    if arguments.times {
        print!("{}{}", times.phases(), times.slowest());
    }
    println!("{}", totals.line("total"));
    Ok(passed)
}

/// All tests, with what they took added to `times`.
pub fn timed(
    repository: &Repository,
    arguments: &TestArguments,
    times: &mut Times,
) -> Result<(bool, Totals)> {
    check_device(arguments)?;
    let Some(binaries) = times.phase("build tests", |_| binaries::build(repository))? else {
        return Ok((false, Totals::default()));
    };
    // The programs that lit runs; their libraries are built by now.
    if !times.phase("build programs", |_| build_programs(repository))? {
        return Ok((false, Totals::default()));
    }
    let (units_passed, totals) = times.phase("tests of crates, and lit", |times| {
        units_and_lit(repository, arguments, binaries, times)
    })?;
    say_what_is_missing(repository);
    Ok((units_passed && totals.failed == 0, totals))
}

/// Runs the crates' tests and lit's at once: either leaves cores idle while its last test runs.
fn units_and_lit(
    repository: &Repository,
    arguments: &TestArguments,
    binaries: Vec<binaries::TestBinary>,
    times: &mut Times,
) -> Result<(bool, Totals)> {
    // Both ask for it: makes the links of the tools that it names before either looks.
    toolchain::path_of_tests(repository)?;
    let mut times_of_lit = Times::default();
    let (units, suite) = thread::scope(|scope| {
        let suite = scope.spawn(|| lit::run(repository, arguments, false, &mut times_of_lit));
        let units = units(repository, arguments, binaries, times);
        (units, suite.join().expect("what lit prints is read without a panic"))
    });
    times.add(times_of_lit);
    let ((units_passed, totals), suite) = (units?, suite?);
    println!("{}", suite.line("lit"));
    Ok((units_passed, totals.plus(suite)))
}

/// Builds all that the tests run.
pub fn build(repository: &Repository) -> Result<bool> {
    Ok(binaries::build(repository)?.is_some() && build_programs(repository)?)
}

/// `cargo xtask lit`.
pub fn lit(repository: &Repository, arguments: &TestArguments) -> Result<bool> {
    check_device(arguments)?;
    if !build_programs(repository)? {
        return Ok(false);
    }
    let mut times = Times::default();
    let totals = lit::run(repository, arguments, false, &mut times)?;
    if arguments.times {
        print!("{}", times.slowest());
    }
    println!("{}", totals.line("lit"));
    say_what_is_missing(repository);
    Ok(totals.failed == 0)
}

fn say_what_is_missing(repository: &Repository) {
    toolchain::missing_note(repository).into_iter().for_each(|note| println!("{note}"));
}

fn check_device(arguments: &TestArguments) -> Result<()> {
    if arguments.gpu && !toolchain::has_device() {
        bail!("--gpu: the NVIDIA driver lists no device on this machine");
    }
    Ok(())
}

/// Runs the crates' tests: a line for each binary, and the whole output of one that fails.
fn units(
    repository: &Repository,
    arguments: &TestArguments,
    mut binaries: Vec<binaries::TestBinary>,
    times: &mut Times,
) -> Result<(bool, Totals)> {
    let file = times_file(repository);
    longest_first(&mut binaries, &times::remembered(&file));
    let seed = property_seed(arguments.nightly);
    println!("property tests draw from PROPTEST_RNG_SEED={seed}");
    let path = toolchain::path_of_tests(repository)?;
    let emulated_code = emulated_code::folder(repository);
    let prepare = |command: &mut Command| {
        command.args(&arguments.filter);
        command.env("PROPTEST_RNG_SEED", &seed);
        if arguments.nightly {
            command.arg("--include-ignored");
        }
        command.env("STENCIL_NIGHTLY", if arguments.nightly { "1" } else { "0" });
        command.env("STENCIL_GPU", if arguments.gpu { "1" } else { "0" });
        command.env("PATH", &path);
        command.env(emulated_code::FOLDER_VARIABLE, &emulated_code);
    };
    let variables = format!("seed {seed}, nightly {}, gpu {}", arguments.nightly, arguments.gpu);
    let is_whole = arguments.filter.is_none();
    let file_of_passed = toolchain::target_folder(repository).join("test-passed.json");
    let mut unchanged = match is_whole && !arguments.all {
        true => Some(Unchanged::read(repository, file_of_passed, &variables)?),
        false => None,
    };
    let (open, known) = match &mut unchanged {
        Some(unchanged) => unchanged.split(binaries)?,
        None => (binaries, Totals::default()),
    };
    let outcomes = pool::run(&open, &prepare, &report)?;
    for outcome in &outcomes {
        times.binary(&outcome.name, outcome.wall);
        if let Some(unchanged) = unchanged.as_mut().filter(|_| outcome.succeeded) {
            unchanged.remember(&outcome.name, outcome.totals);
        }
    }
    if is_whole {
        times.remember(&file)?;
    }
    unchanged.iter().try_for_each(Unchanged::write)?;
    let passed = outcomes.iter().all(|outcome| outcome.succeeded);
    let totals = outcomes.iter().fold(known, |sum, it| sum.plus(it.totals));
    println!("{}", totals.line("unit and property tests"));
    Ok((passed, totals))
}

/// Sorts binaries so that none of the long ones is left alone at the end. Those that never ran are
/// before all, the largest first: it has most of the compiler in it to test.
fn longest_first(binaries: &mut [binaries::TestBinary], seconds: &BTreeMap<String, f64>) {
    let known = |name: &str| seconds.get(name).copied().unwrap_or(f64::INFINITY);
    let bytes = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
    binaries.sort_by(|a, b| {
        let by_time = known(&b.name).total_cmp(&known(&a.name));
        by_time.then_with(|| bytes(&b.path).cmp(&bytes(&a.path)))
    });
}

/// What property tests draw their inputs from: the same inputs each day, so that a change is judged
/// by what it changes, and new ones each night. A seed that is set stays, to repeat a failure.
fn property_seed(nightly: bool) -> String {
    std::env::var("PROPTEST_RNG_SEED").unwrap_or_else(|_| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let seconds = now.map_or(0, |it| it.as_secs());
        if nightly { seconds.to_string() } else { "1".to_owned() }
    })
}

/// A binary in which the filter found nothing is not worth a line.
fn report(outcome: &pool::Outcome) {
    if !outcome.succeeded {
        println!("{}", outcome.output);
    } else if outcome.totals == Totals::default() {
        return;
    }
    let line = outcome.totals.line(&outcome.name);
    println!("{line} ({:.1} s)", outcome.wall.as_secs_f64());
}

/// Where the times of the last whole run are.
fn times_file(repository: &Repository) -> PathBuf {
    toolchain::target_folder(repository).join("test-times.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_binaries_go_first_by_size_and_known_ones_by_time() {
        let folder = tempfile::tempdir().unwrap();
        let binary = |name: &str, bytes: usize| {
            let path = folder.path().join(name);
            fs::write(&path, vec![0; bytes]).unwrap();
            let (name, folder) = (name.to_owned(), folder.path().to_owned());
            binaries::TestBinary { name, path, folder, programs: Vec::new() }
        };
        let all = [("short", 9), ("small", 1), ("long", 2), ("large", 5)];
        let mut all = all.map(|(name, bytes)| binary(name, bytes));
        let seconds = [("short", 0.5), ("long", 7.0)].map(|(name, time)| (name.to_owned(), time));
        longest_first(&mut all, &BTreeMap::from(seconds));
        assert_eq!(all.map(|binary| binary.name), ["large", "small", "long", "short"]);
    }
}
