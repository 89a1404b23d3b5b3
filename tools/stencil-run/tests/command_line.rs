//! The program as its user meets it, on a machine that may have no GPU.

#![allow(clippy::unwrap_used, reason = "a test")]

use serde_json::json;
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Output},
};
use stencil_runtime::{
    Manifest, Package, ScalarType, ScalarValue, cuda,
    package::{Code, Selftest, SelftestRun},
};

/// `scale(u, a)` with one kernel.
fn package() -> Package {
    let manifest = json!({
        "format": 3,
        "producer": {"program": "stencilc", "version": "0.1.0", "llvm": "22.1"},
        "target": "sm_90a",
        "ptx_version": "8.0",
        "functions": [{
            "name": "scale",
            "arguments": [
                {"name": "u", "kind": {"field": {
                    "lower": [-1, 0], "upper": [3, 8], "element": "f32",
                    "scratch": false, "written": true}}},
                {"name": "a", "kind": {"scalar": {"scalar": "f32", "symbol": null}}},
            ],
            "body": [{"do": "launch", "kernel": "scale_0", "arguments": [0, 1]}],
        }],
        "kernels": [{
            "name": "scale_0", "stage": null, "location": null,
            "grid": [1, 1, 1], "block": [32, 1, 1], "shared_bytes": 0,
            "parameters": ["pointer", {"scalar": "f32"}],
            "plan": null, "resources": null, "points": 32,
            "flops_per_point": {"written": 1, "executed": 1},
            "bytes_per_point": {"compulsory": 8, "predicted": null},
            "approximate": false,
        }],
    });
    let code = Code {
        manifest: Manifest::from_json(manifest.to_string().as_bytes()).unwrap(),
        ptx: ".version 8.0\n.target sm_90a\n.address_size 64\n".to_owned(),
        cubin: None,
        llvm_ir: None,
    };
    Package { code, plain: None, selftest: None }
}

fn stencil_run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stencil-run")).args(arguments).output().unwrap()
}

/// Runs the sample package with these arguments; exit code and what was said.
fn run(arguments: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scale.spk");
    package().write(&path).unwrap();
    let output = stencil_run(&[&[path.to_str().unwrap()], arguments].concat());
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

#[test]
fn the_signature_needs_no_gpu() {
    let (code, text) = run(&["--print-signature"]);
    assert_eq!(code, 0, "{text}");
    assert_eq!(
        text,
        "function 'scale', compiled for sm_90a\n   \
            0  u  field [-1,3]x[0,8]xf32, shape (4, 8), written\n   \
            1  a  scalar f32\n\
         time steps: none, function 'scale' has no time loop: there is no loop at its top level\n\
         verification: none; the package was compiled with --no-verification, or from \
         kernels\n"
    );
}

#[test]
fn help_shows_examples() {
    let output = stencil_run(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    for part in ["Examples:", "--arg <N=VALUE>", "--symbol", "Exit codes:", "--out-dir"] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn wrong_arguments_are_the_users() {
    for (arguments, message) in [
        (&["--arg", "a=x"][..], "argument 1 'a': 'x' is not a value of type f32: write a number"),
        (&[], "argument 1 'a', a scalar of f32, has no value; set it with --arg 1=NUMBER"),
        (&["--arg", "b=1"], "argument 'b' does not exist"),
        (&["--arg", "2=1"], "argument 2 does not exist; the function has 2, counted from 0"),
        (&["--symbol", "dt=1"], "symbol 'dt' is not used; the program has no symbols"),
        (&["--function", "scal"], "function 'scal' is not in the package; it has scale"),
        (&["--arg", "u"], "'u' is not an assignment; write NAME=VALUE"),
        (&["--no-such-option"], "--no-such-option"),
        (&["--arg", "a=1", "--steps", "3"], "function 'scale' has no time loop: there is no loop"),
        (
            &["--arg", "a=1", "--every", "3", "--out-dir", "never"],
            "function 'scale' has no time loop: there is no loop",
        ),
        (&["--arg", "a=1", "--every", "3"], "--out-dir"),
        (&["--arg", "a=1", "--verify"], "package has no plain kernels to compare with; compile it"),
        (&["--selftest"], "package has no self-test; compile it without --no-verification"),
        (&["--arg", "a=1", "--energy"], "--time"),
    ] {
        let (code, text) = run(arguments);
        assert_eq!(code, 1, "{arguments:?}: {text}");
        assert!(text.contains(message), "{arguments:?}: {text}");
    }
}

#[test]
fn wrong_files_are_the_surroundings() {
    let (code, text) = run(&["--arg", "1=1", "--arg", "0=/no/such/file.npy"]);
    assert_eq!(code, 2, "{text}");
    let output = stencil_run(&["/no/such.spk"]);
    assert_eq!(output.status.code(), Some(2));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scale.spk");
    let mut bytes = package().to_bytes().unwrap();
    bytes[100] ^= 1;
    fs::write(&path, bytes).unwrap();
    let output = stencil_run(&[path.to_str().unwrap(), "--print-signature"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("it was altered or damaged"), "{text}");
}

#[test]
fn without_a_driver_the_surroundings_are_wrong() {
    if cuda::driver_is_present() {
        return;
    }
    for arguments in [
        &["--arg", "a=1"][..],
        &["--arg", "a=1", "--time", "--energy"],
        &["--arg", "a=1", "--device", "3"],
        &["--list-devices"],
    ] {
        let (code, text) = run(arguments);
        assert_eq!(code, 2, "{arguments:?}: {text}");
        assert!(text.starts_with("error: no CUDA driver: "), "{arguments:?}: {text}");
    }
    assert_eq!(stencil_run(&["--list-devices"]).status.code(), Some(2), "without a package too");
}

#[test]
fn the_signature_says_what_the_package_can_verify() {
    let package = package();
    let plain = Some(package.code.clone());
    let run = SelftestRun {
        function: "scale".to_owned(),
        seed: 0,
        scalars: BTreeMap::from([(1, ScalarValue::from_f64(ScalarType::F32, 1.0))]),
        fields: BTreeMap::from([(0, "00".to_owned())]),
    };
    let selftest = Some(Selftest { code: package.code.clone(), runs: vec![run] });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scale.spk");
    Package { plain, selftest, ..package }.write(&path).unwrap();
    let output = stencil_run(&[path.to_str().unwrap(), "--print-signature"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.ends_with("\nverification: --verify (plain kernels), --selftest (checksums)\n"),
        "{text}"
    );
}

/// Whatever this machine has, the sample cannot run: its PTX holds no kernel. Nothing is written.
#[test]
fn what_cannot_run_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (results, report) = (folder.path().join("out"), folder.path().join("report.json"));
    let [results_text, report_text] = [&results, &report].map(|path| path.to_str().unwrap());
    let (code, text) = run(&["--arg", "1=1", "--out-dir", results_text, "--report", report_text]);
    if cuda::driver_is_present() {
        assert_ne!(code, 0, "{text}");
    } else {
        assert_eq!(code, 2, "{text}");
        assert!(text.starts_with("error: no CUDA driver: "), "{text}");
    }
    assert!(!results.exists() && !report.exists());
    assert_eq!(entries(folder.path()), BTreeMap::new());
}

fn entries(folder: &Path) -> BTreeMap<String, u64> {
    let entry = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.unwrap();
        (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len())
    };
    fs::read_dir(folder).unwrap().map(entry).collect()
}
