//! Whether every line of a file of results holds: recomputed from its samples, held against what
//! is known of its kernel.
//!
//! A baseline is believed for years. So nothing is taken on trust that can be computed: rates
//! follow from samples, points from sizes, sizes are the paper's, and so are steps unless kernels
//! make several at once. What cannot be computed has a form: hashes, a date, a verified result.

use crate::{
    kernels::{self, Benchmark},
    lines,
    record::{Derived, Key, Line, Record},
    sizes, steps,
};
use std::{collections::BTreeMap, fmt};

/// Timed runs of a measurement, at least.
pub const SAMPLES_MIN: usize = 7;

/// A line that does not hold, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

/// Everything that is wrong with a file of results; one finding for each line that is wrong, the
/// first reason of its reasons.
pub fn check(text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut seen: BTreeMap<Key, usize> = BTreeMap::new();
    for (index, text) in text.lines().enumerate() {
        let line = index + 1;
        if let Err(problem) = check_line(text, line, &mut seen) {
            findings.push(Finding { line, problem });
        }
    }
    findings
}

fn check_line(text: &str, line: usize, seen: &mut BTreeMap<Key, usize>) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("is blank; one object a line".to_owned());
    }
    let record = match lines::read::<Line>(text).map_err(|error| error.message)?.pop() {
        Some((_, Line::Measured(record))) => record,
        Some((_, Line::Failed(failure))) => {
            let (kernel, error) = (failure.kernel, failure.error);
            return Err(format!("'{kernel}' was not measured: {error}"));
        }
        None => return Err("holds nothing".to_owned()),
    };
    check_record(&record)?;
    match seen.insert(record.key(), line) {
        None => Ok(()),
        Some(first) => Err(format!("measures the same as line {first}: {}", record.key())),
    }
}

/// Whether a measurement holds.
pub fn check_record(record: &Record) -> Result<(), String> {
    let benchmark = kernels::find(&record.kernel).ok_or_else(|| {
        format!("kernel '{}' is unknown, known kernels are {}", record.kernel, kernels::names())
    })?;
    check_work(record, benchmark)?;
    check_forms(record)?;
    let samples = record.samples_ms.len();
    if samples < SAMPLES_MIN {
        return Err(format!("samples_ms has {samples} samples, at least {SAMPLES_MIN} are needed"));
    }
    let Some(derived) = Derived::of(benchmark, record.work(), &record.samples_ms) else {
        return Err("samples_ms has a sample that is no positive time".to_owned());
    };
    check_derived(record.derived(), derived)
}

fn check_work(record: &Record, benchmark: &Benchmark) -> Result<(), String> {
    if !record.verified {
        return Err("verified is false: what was measured is not known".to_owned());
    }
    let differs = |key: &str, found: &dyn fmt::Debug, expected: &dyn fmt::Debug| {
        Err(format!("{key} is {found:?}, it is {expected:?} for '{}'", benchmark.name))
    };
    let size = sizes::size_of(benchmark, &record.version);
    if record.size != size {
        return differs("size", &record.size, &size);
    }
    let Record { steps: run, fused, .. } = *record;
    match fused {
        0 => return Err("fused is 0: a kernel makes one step at least".to_owned()),
        1 if run != benchmark.steps => return differs("steps", &run, &benchmark.steps),
        2.. if !steps::is_whole_pairs(run, fused, benchmark.steps) => {
            return Err(format!(
                "steps is {run}, which is no multiple of {} from {} on: kernels of {fused} steps \
                 were not measured alone",
                2 * fused,
                steps::STEPS_MIN
            ));
        }
        _ => {}
    }
    let points = benchmark.points_in(&size, run);
    if record.points != points {
        return differs("points", &record.points, &points);
    }
    if record.bytes == 0 {
        return Err("bytes is 0: every kernel moves something".to_owned());
    }
    Ok(())
}

fn check_forms(record: &Record) -> Result<(), String> {
    for (key, hash) in [("package", &record.package), ("program", &record.program)] {
        if hash.len() != 64 || !hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(format!("{key} is '{hash}', which is no SHA-256"));
        }
    }
    if !is_date(&record.date) {
        return Err(format!("date is '{}', which is no date as in 2026-01-31", record.date));
    }
    let named = [
        ("version", &record.version),
        ("plan", &record.plan),
        ("comparison", &record.comparison),
        ("chip", &record.chip),
        ("driver", &record.driver),
    ];
    if let Some((key, _)) = named.iter().find(|(_, value)| value.is_empty()) {
        return Err(format!("{key} is empty"));
    }
    match record.occupancy {
        Some(occupancy) if !(0.0..=1.0).contains(&occupancy) => {
            Err(format!("occupancy is {occupancy}, which is not between 0 and 1"))
        }
        _ => Ok(()),
    }
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let numbers: Vec<Option<u32>> = parts.iter().map(|part| part.parse().ok()).collect();
    lengths == [4, 2, 2] && matches!(numbers.as_slice(), [Some(2000..), Some(1..=12), Some(1..=31)])
}

fn check_derived(found: Derived, expected: Derived) -> Result<(), String> {
    let values = [
        ("ms", Some(found.ms), Some(expected.ms)),
        ("gpts", Some(found.gpts), Some(expected.gpts)),
        ("spread", Some(found.spread), Some(expected.spread)),
        ("gflops", Some(found.gflops), Some(expected.gflops)),
        ("gbs", Some(found.gbs), Some(expected.gbs)),
        ("memory_percent", found.memory_percent, expected.memory_percent),
        ("flops_percent", found.flops_percent, expected.flops_percent),
    ];
    let fits = |found: Option<f64>, expected: Option<f64>| match (found, expected) {
        (Some(found), Some(expected)) => agree(found, expected),
        (found, expected) => found == expected,
    };
    let word = |value: Option<f64>| value.map_or("null".to_owned(), |value| value.to_string());
    match values.iter().find(|(_, found, expected)| !fits(*found, *expected)) {
        None => Ok(()),
        Some((key, found, expected)) => {
            let (found, expected) = (word(*found), word(*expected));
            Err(format!("{key} is {found}, the samples give {expected}"))
        }
    }
}

/// Whether a number that was written is the one that samples give.
pub(crate) fn agree(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= ROUNDING * expected.abs().max(f64::MIN_POSITIVE)
}

/// One unit of the sixth digit: another order of the same operations rounds to a neighbour.
const ROUNDING: f64 = 1e-5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{kernels::Element, record::tests::sample};
    use serde_json::{Value, json};

    fn good() -> Value {
        serde_json::to_value(sample("j3d27pt", Element::F64, 2.5)).unwrap()
    }

    fn findings(lines: &[Value]) -> Vec<String> {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        check(&text).iter().map(ToString::to_string).collect()
    }

    fn with(key: &str, value: Value) -> Value {
        let mut line = good();
        line[key] = value;
        line
    }

    #[test]
    fn what_fits_is_taken() {
        let other = with("plan", json!("points=8"));
        assert_eq!(findings(&[good(), other]), Vec::<String>::new());
    }

    #[test]
    fn every_derived_value_is_computed_again() {
        for key in ["ms", "gpts", "spread", "gflops", "gbs", "memory_percent", "flops_percent"] {
            let wrong = good()[key].as_f64().unwrap() * 1.001;
            let found = findings(&[with(key, json!(wrong))]);
            assert!(found[0].starts_with(&format!("line 1: {key} is ")), "{found:?}");
            assert!(found[0].contains("the samples give"), "{found:?}");
        }
        let mut samples = good()["samples_ms"].clone();
        samples[3] = json!(9.0);
        assert!(findings(&[with("samples_ms", samples)])[0].contains("ms is"));
        assert!(findings(&[with("memory_percent", json!(null))])[0].contains("is null"));
    }

    #[test]
    fn keys_are_all_there_and_no_others() {
        let unknown = with("speed", json!(1));
        assert!(findings(&[unknown])[0].contains("unknown field `speed`"));
        let keys: Vec<String> = good().as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys.len(), 31);
        for key in keys {
            let mut line = good();
            line.as_object_mut().unwrap().remove(&key);
            let found = findings(&[line]);
            assert!(found[0].contains(&format!("missing field `{key}`")), "{key}: {found:?}");
        }
    }

    #[test]
    fn size_steps_and_points_are_those_of_the_kernel() {
        for (key, value, message) in [
            ("size", json!([512, 512]), "line 1: size is [512, 512], it is [512, 512, 512]"),
            ("steps", json!(8), "line 1: steps is 8, it is 4 for 'j3d27pt'"),
            ("points", json!(536_870_912), "line 1: points is 536870912, it is 530604000"),
            ("bytes", json!(0), "line 1: bytes is 0"),
            ("kernel", json!("j3d28pt"), "line 1: kernel 'j3d28pt' is unknown"),
            ("type", json!("f16"), "line 1: unknown variant `f16`"),
        ] {
            let found = findings(&[with(key, value)]);
            assert!(found[0].starts_with(message), "{found:?}");
        }
    }

    #[test]
    fn kernels_of_several_steps_run_in_whole_pairs() {
        let of = |steps: u64, fused: u64| {
            let mut record = sample("j3d27pt", Element::F64, 2.5);
            let benchmark = kernels::find("j3d27pt").unwrap();
            (record.steps, record.fused) = (steps, fused);
            record.points = benchmark.points_in(&record.size, steps);
            let derived = Derived::of(benchmark, record.work(), &record.samples_ms).unwrap();
            (record.gpts, record.gflops) = (derived.gpts, derived.gflops);
            record.flops_percent = derived.flops_percent;
            findings(&[serde_json::to_value(record).unwrap()])
        };
        assert_eq!(of(16, 4), Vec::<String>::new());
        assert_eq!(of(18, 3), Vec::<String>::new());
        for (steps, fused, message) in [
            (8, 4, "line 1: steps is 8, which is no multiple of 8 from 16 on"),
            (20, 4, "line 1: steps is 20, which is no multiple of 8 from 16 on"),
            (16, 1, "line 1: steps is 16, it is 4 for 'j3d27pt'"),
            (16, 0, "line 1: fused is 0"),
        ] {
            let found = of(steps, fused);
            assert!(found[0].starts_with(message), "{found:?}");
        }
    }

    #[test]
    fn what_was_not_verified_is_refused() {
        let found = findings(&[with("verified", json!(false))]);
        assert!(found[0].starts_with("line 1: verified is false"), "{found:?}");
        let failed = json!({"kernel": "heat", "type": "f64", "version": "plain", "cap": null,
            "plan": "default", "package": "", "error": "no device", "date": "2026-01-31"});
        assert_eq!(findings(&[failed]), ["line 1: 'heat' was not measured: no device"]);
    }

    #[test]
    fn forms_are_checked() {
        for (key, value, message) in [
            ("package", json!("abc"), "which is no SHA-256"),
            ("program", json!("G".repeat(64)), "which is no SHA-256"),
            ("date", json!("31.1.2026"), "which is no date"),
            ("date", json!("2026-13-01"), "which is no date"),
            ("chip", json!(""), "chip is empty"),
            ("occupancy", json!(1.5), "not between 0 and 1"),
            ("samples_ms", json!([1.0, 1.0]), "has 2 samples, at least 7 are needed"),
            ("samples_ms", json!([1, 1, 1, 1, 1, 1, 0]), "no positive time"),
        ] {
            let found = findings(&[with(key, value)]);
            assert!(found[0].contains(message), "{key}: {found:?}");
        }
        assert_eq!(check("\n")[0].to_string(), "line 1: is blank; one object a line");
    }

    #[test]
    fn one_measurement_stands_once() {
        let again = with("date", json!("2026-02-01"));
        let found = findings(&[good(), with("cap", json!(96)), again]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("line 3: measures the same as line 1: j3d27pt f64 plain"));
    }
}
