//! Runs the lit suite and counts its results.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::TestArguments;
use crate::repository::{Repository, announce};
use crate::suite::{Times, Totals, emulated_code};
use crate::toolchain;

/// Runs the suite on tools that were built before; `bless` lets `%golden` rewrite.
pub fn run(
    repository: &Repository,
    arguments: &TestArguments,
    bless: bool,
    times: &mut Times,
) -> Result<Totals> {
    let target = toolchain::target_folder(repository);
    let results = target.join("lit-results.json");
    // What lit leaves here is read below: an older run's results must not be taken for this one's.
    std::fs::remove_file(&results).ok();
    let mut command = Command::new(toolchain::lit(repository)?);
    command.arg("-sv").arg("--output").arg(&results).current_dir(&repository.root);
    for (name, value) in parameters(repository, arguments)? {
        command.arg("--param").arg(format!("{name}={value}"));
    }
    if let Some(filter) = &arguments.filter {
        command.args(["--allow-empty-runs", "--filter", filter]);
    }
    if bless {
        command.env(crate::golden::BLESS, "1");
    }
    command.arg("test");
    command.env("PATH", toolchain::path_of_tests(repository)?);
    command.env(emulated_code::FOLDER_VARIABLE, emulated_code::folder(repository));
    announce(&command);
    let status = command.status().context("cannot start lit")?;
    let text = std::fs::read_to_string(&results).ok();
    let totals = match text {
        Some(text) => count(&text, times)?,
        None if arguments.filter.is_some() && status.success() => Totals::default(),
        None => bail!("lit wrote no results"),
    };
    if totals.failed == 0 && !status.success() {
        bail!("lit failed without a failing test: {status}");
    }
    Ok(totals)
}

fn parameters(
    repository: &Repository,
    arguments: &TestArguments,
) -> Result<Vec<(&'static str, String)>> {
    let mut features = Vec::new();
    if arguments.gpu {
        features.push("cuda");
    }
    if arguments.nightly {
        features.push("nightly");
    }
    Ok(vec![
        ("target_dir", toolchain::target_folder(repository).display().to_string()),
        ("profile", "debug".to_owned()),
        ("llvm_prefix", toolchain::llvm_prefix(repository)?.display().to_string()),
        ("xtask", toolchain::own_program()?.display().to_string()),
        ("features", features.join(",")),
    ])
}

/// Counts the tests in the file that lit's `--output` writes; what each took goes to `times`.
fn count(results: &str, times: &mut Times) -> Result<Totals> {
    let results: Value = serde_json::from_str(results).context("lit's results are no JSON")?;
    let tests = results["tests"].as_array().context("lit's results list no tests")?;
    let mut totals = Totals::default();
    for test in tests {
        let seconds = test["elapsed"].as_f64().filter(|seconds| *seconds >= 0.0);
        if let (Some(name), Some(seconds)) = (test["name"].as_str(), seconds) {
            times.lit(name, Duration::from_secs_f64(seconds));
        }
        match test["code"].as_str().unwrap_or_default() {
            "PASS" | "FLAKYPASS" | "XFAIL" => totals.passed += 1,
            "UNSUPPORTED" | "SKIPPED" | "EXCLUDED" => totals.not_run += 1,
            _ => totals.failed += 1,
        }
    }
    Ok(totals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_counted_by_their_code() {
        let results = r#"{"tests": [
            {"code": "PASS", "name": "a.mlir", "elapsed": 1.25},
            {"code": "XFAIL"}, {"code": "FAIL"}, {"code": "UNRESOLVED"},
            {"code": "TIMEOUT"}, {"code": "UNSUPPORTED"}, {"code": "XPASS"}]}"#;
        let mut times = Times::default();
        let expected = Totals { passed: 2, failed: 4, not_run: 1 };
        assert_eq!(count(results, &mut times).unwrap(), expected);
        assert!(times.slowest().contains("1.2 s  a.mlir"), "{}", times.slowest());
    }

    #[test]
    fn what_is_no_result_is_an_error() {
        let said = |results| count(results, &mut Times::default()).unwrap_err().to_string();
        assert_eq!(said(""), "lit's results are no JSON");
        assert_eq!(said("{}"), "lit's results list no tests");
    }
}
