//! Trials with a script in the place of `stencil-run`.

use super::*;
use std::{fs, os::unix::fs::PermissionsExt, process::Command};

/// What a script answers to some packages.
fn answers(
    script: &str,
    packages: &[&str],
    timeout: Duration,
) -> Vec<Result<(Outcome, Option<Machine>), TrialError>> {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("stencil-run");
    // A file that is open for writing cannot be started, and a process that another test starts in
    // the meantime has it open too: it is another process that writes it.
    let text = folder.path().join("text");
    fs::write(&text, format!("#!/bin/sh\nwhile read package; do\n{script}\ndone\n")).unwrap();
    assert!(Command::new("cp").args([&text, &program]).status().unwrap().success());
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let options = vec!["--function".to_owned(), "heat".to_owned()];
    let mut trials = Trials::new(Setup { program, options, repeat: 3, timeout });
    packages.iter().map(|package| trials.measure(Path::new(package))).collect()
}

fn answer(script: &str) -> Result<(Outcome, Option<Machine>), TrialError> {
    answers(script, &["a.spk"], Duration::from_secs(20)).remove(0)
}

fn failed(script: &str) -> (FailedStep, String) {
    match answer(script).unwrap() {
        (Outcome::Failed { step, message }, None) => (step, message),
        other => panic!("{other:?}"),
    }
}

const MEASURED: &str = "echo '{\"measured\":{\"time\":{\"median_s\":1.5e-3,\
    \"relative_spread\":0.01,\"samples_s\":[1.5e-3,1.6e-3]},\
    \"device\":{\"name\":\"NVIDIA H200\",\"driver\":\"CUDA 13.0\"}}}'";

fn fails(message: &str, code: u8) -> String {
    format!(r#"echo '{{"failed":{{"message":"{message}","exit_code":{code}}}}}'; exit"#)
}

#[test]
fn times_come_from_the_answer() {
    let (outcome, machine) = answer(MEASURED).unwrap();
    let samples_us = vec![1500.0, 1600.0];
    assert_eq!(outcome, Outcome::Measured(Times { median_us: 1500.0, spread: 0.01, samples_us }));
    assert_eq!(machine.unwrap().chip, "NVIDIA H200");
}

#[test]
fn options_are_passed_on() {
    let script = r#"echo "{\"failed\":{\"message\":\"$* $package\"}}""#;
    assert_eq!(failed(script).1, "--function heat --worker --repeat 3 a.spk");
}

#[test]
fn one_process_measures_until_it_fails() {
    let failure = fails("it faulted", 1);
    let script = format!("case $package in bad) {failure};; esac\n{MEASURED}");
    let all = answers(&script, &["a", "bad", "b", "c"], Duration::from_secs(20));
    let measured = all.into_iter().map(|one| one.unwrap().1.is_some()).collect::<Vec<_>>();
    assert_eq!(measured, [true, false, true, true]);
}

#[test]
fn failures_are_told_apart() {
    let wrong = "the run of heat differs from its plain kernels";
    assert_eq!(failed(&fails(wrong, 1)), (FailedStep::Verify, wrong.to_owned()));
    assert_eq!(failed(&fails("it faulted", 1)).0, FailedStep::Run);
    // Killed by a signal, as by a driver that dies.
    assert_eq!(failed("kill -9 $$"), (FailedStep::Run, "it ended without a message".to_owned()));
    let died = failed("echo 'error: no such option' >&2; exit 1");
    assert_eq!(died, (FailedStep::Run, "no such option".to_owned()));
    let hangs = answers("sleep 30", &["a"], Duration::from_millis(50)).remove(0).unwrap().0;
    let Outcome::Failed { step: FailedStep::Timeout, .. } = hangs else { panic!("{hangs:?}") };
}

#[test]
fn without_a_driver_nothing_is_measured() {
    let error = answer(&fails("there is no driver", 2)).unwrap_err().to_string();
    assert_eq!(error, "nothing can be measured here: there is no driver");
    let error = answer("echo '{\"measured\":{}}'").unwrap_err().to_string();
    assert!(error.contains("cannot be read: it has no 'samples_s'"), "{error}");
    let setup = Setup {
        program: PathBuf::from("/missing/stencil-run"),
        options: Vec::new(),
        repeat: 1,
        timeout: Duration::from_secs(1),
    };
    let error = Trials::new(setup).measure(Path::new("a")).unwrap_err().to_string();
    assert!(error.starts_with("'/missing/stencil-run' cannot be started"), "{error}");
}
