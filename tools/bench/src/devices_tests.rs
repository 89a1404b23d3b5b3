//! Lines from reports, what follows from them, and what is refused.

use super::*;
use serde_json::{Value, json};
use std::{fs, path::PathBuf};

/// A report of a run on one device.
fn one() -> Value {
    json!({
        "function": "heat", "device": {"name": "NVIDIA H200", "driver": "CUDA 13.0"},
        "kernels": [{"plan": {"steps": 4}}, {"plan": null}],
        "time": {"samples_s": [0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]}, "steps": 96,
        "fields": [
            {"position": 0, "type": "f32", "extents": [66, 34], "scratch": false, "sha256": "aa"},
            {"position": 1, "type": "f32", "extents": [66, 34], "scratch": true, "sha256": "bb"},
        ],
        "verified": {"plain": {"runs": 2, "fields": 1, "cells": 7}},
    })
}

/// A report of a run on two of a domain twice as large.
fn two() -> Value {
    let mut report = one();
    report["shared"] = json!({
        "devices": [report["device"], report["device"]],
        "links": {"direct": 2, "through_host": 0}, "planes": 128, "halo": 8,
        "steps_between_exchanges": 8, "exchanges": 11, "exchanged_bytes": 1024,
        "exchange_s": 0.001, "hidden": 0.75,
    });
    report["time"]["samples_s"] = json!([0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125]);
    for field in report["fields"].as_array_mut().unwrap() {
        field["extents"] = json!([130, 34]);
    }
    report
}

/// What two reports give.
fn paired(one: &Value, two: &Value) -> Result<Pair, String> {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, report: &Value| -> PathBuf {
        let path = folder.path().join(name);
        fs::write(&path, report.to_string()).unwrap();
        path
    };
    let (one, two) = (write("one.json", one), write("two.json", two));
    let folder = format!("{}/", folder.path().display());
    pair(&one, &two, "2026-01-31").map_err(|error| error.to_string().replace(&folder, ""))
}

/// The same domain on both, with the same fields.
fn strong() -> Value {
    let mut report = two();
    report["shared"]["planes"] = json!(64);
    for field in report["fields"].as_array_mut().unwrap() {
        field["extents"] = json!([66, 34]);
    }
    report["fields"][1]["sha256"] = json!("cc");
    report
}

#[test]
fn the_efficiency_of_a_domain_that_grows_is_time_over_time() {
    let pair = paired(&one(), &two()).unwrap();
    assert_eq!((pair.planes, pair.plane_cells.as_slice()), ([64, 128], &[34][..]));
    assert_eq!((pair.ms, pair.efficiency), ([100.0, 125.0], 0.8));
    assert_eq!((pair.r#type, pair.fused, pair.exchange_ms), (Element::F32, [4, 4], 1.0));
    assert_eq!((pair.hidden, pair.is_weak()), (Some(0.75), true));
    let line = serde_json::to_string(&pair).unwrap();
    assert_eq!(read(&line).unwrap(), [pair]);
}

#[test]
fn the_efficiency_of_a_domain_that_does_not_grow_is_half_of_the_speedup() {
    let pair = paired(&one(), &strong()).unwrap();
    assert_eq!((pair.planes, pair.efficiency, pair.is_weak()), ([64, 64], 0.4, false));
    let both = [paired(&one(), &two()).unwrap(), pair];
    assert_eq!(
        summary(&both),
        "weak: 80.0 % on geometric average of 1, lowest 80.0 %\n\
         strong: 40.0 % on geometric average of 1, lowest 40.0 %\n"
    );
    let table = table(&both, Form::Plain);
    assert_eq!(table.lines().count(), 3, "{table}");
    assert!(table.contains("heat     f32   weak           2  64, 128     34"), "{table}");
}

#[test]
fn what_a_report_lacks_is_named_with_the_option_that_gives_it() {
    for (key, path, message) in [
        ("time", "/time", "'one.json' has no times; run stencil-run with '--time'"),
        (
            "plain",
            "/verified/plain",
            "'one.json' has no comparison with plain kernels; run stencil-run with '--verify'",
        ),
    ] {
        let mut report = one();
        *report.pointer_mut(path).unwrap() = Value::Null;
        assert_eq!(paired(&report, &two()).unwrap_err(), message, "{key}");
    }
    let (mut first, mut second) = (one(), two());
    (first["steps"], second["steps"]) = (Value::Null, Value::Null);
    assert_eq!(
        paired(&first, &second).unwrap_err(),
        "'one.json' has no number of time steps; run stencil-run with '--steps N'"
    );
    first = one();
    first["time"]["samples_s"] = json!([0.1, 0.1]);
    let error = paired(&first, &two()).unwrap_err();
    assert!(error.ends_with("at least 7 are needed; give stencil-run '--repeat 7'"), "{error}");
}

#[test]
fn reports_of_different_runs_are_no_pair() {
    for (path, value, message) in [
        ("/function", json!("wave"), "is of function 'heat', 'two.json' is of function 'wave'"),
        ("/steps", json!(8), "is of 96 time steps, 'two.json' is of 8 time steps"),
        ("/shared/devices/1/name", json!("H100"), "is of NVIDIA H200, 'two.json' is of H100"),
        ("/device/driver", json!("CUDA 12.4"), "is of CUDA 13.0, 'two.json' is of CUDA 12.4"),
        (
            "/fields/0/type",
            json!("f64"),
            "is of planes of 34 cells of f32, 'two.json' is of planes of 34 cells of f64",
        ),
        ("/shared/planes", json!(32), "'two.json' has fewer planes than 'one.json'"),
    ] {
        let mut report = two();
        *report.pointer_mut(path).unwrap() = value;
        // The field of most cells counts.
        report["fields"][1]["extents"] = json!([1, 1]);
        let error = paired(&one(), &report).unwrap_err();
        assert!(error.contains(message), "{path}: {error}");
    }
    assert!(paired(&two(), &two()).unwrap_err().contains("the first report is of one"));
    assert!(paired(&one(), &one()).unwrap_err().contains("the second report is of several"));
    let mut other = strong();
    other["fields"][0]["sha256"] = json!("dd");
    let error = paired(&one(), &other).unwrap_err();
    assert!(error.contains("their fields have other checksums"), "{error}");
    let error = paired(&json!({}), &two()).unwrap_err();
    assert!(error.starts_with("'one.json' is no report of stencil-run: missing field"), "{error}");
}

#[test]
fn a_line_that_its_samples_do_not_give_is_refused() {
    let good = serde_json::to_value(paired(&one(), &two()).unwrap()).unwrap();
    for (path, value, message) in [
        ("/efficiency", json!(0.9), "line 1: efficiency is 0.9, the samples give 0.8"),
        ("/ms/1", json!(99.0), "line 1: ms is 99, the samples give 125"),
        ("/verified", json!(false), "line 1: verified is false"),
        ("/devices", json!(1), "line 1: devices is 1, there are two at least"),
        ("/planes", json!([128, 64]), "line 1: planes are 128 on one device and 64 on several"),
        ("/samples_ms/0/3", json!(0.0), "line 1: samples_ms has a sample that is no positive"),
    ] {
        let mut line = good.clone();
        *line.pointer_mut(path).unwrap() = value;
        let error = read(&line.to_string()).unwrap_err().to_string();
        assert!(error.starts_with(message), "{path}: {error}");
    }
}
