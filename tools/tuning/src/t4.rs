//! Results in the T4 format of the auto-tuning community, version 1.0.0 (the results schema of
//! TuningSchema, which Kernel Tuner and others write): an object with the configuration, times in
//! milliseconds and validity of each measurement.
//!
//! A configuration has the keys of the plan that was asked for, each with its value, under
//! `kernel:key` where it is for one kernel. What that format has no place for is among the
//! `measurements`, so that an export can be imported again without a loss: `program`, `chip` and
//! what else belongs to a record.

use crate::record::{FORMAT, FailedStep, Outcome, Record, Times};
use serde_json::{Map, Value, json};
use stencil_model::plan::Request;

/// The version of the format.
pub const SCHEMA_VERSION: &str = "1.0.0";
/// The measurement that holds a record's other facts.
const FACTS: &str = "stencil_record";

/// Why results cannot be imported.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum T4Error {
    #[error("it is no JSON: {0}")]
    NoJson(#[from] serde_json::Error),
    #[error("it has no list 'results'")]
    NoResults,
    #[error("it is of version {0}, and {SCHEMA_VERSION} is read")]
    Version(String),
    #[error("result {0}: {1}")]
    Result(usize, String),
}

/// Records as one file.
pub fn export(records: &[Record]) -> String {
    let results = records.iter().map(result).collect::<Vec<_>>();
    let file = json!({ "schema_version": SCHEMA_VERSION, "results": results });
    serde_json::to_string_pretty(&file).expect("values are JSON") + "\n"
}

fn result(record: &Record) -> Value {
    let (invalidity, samples, measured) = match &record.outcome {
        Outcome::Measured(times) => {
            let ms = |us: &f64| us / 1e3;
            let samples = times.samples_us.iter().map(ms).collect::<Vec<_>>();
            ("correct", samples, Some(ms(&times.median_us)))
        }
        Outcome::Failed { step, .. } => {
            let word = match step {
                FailedStep::Compile => "compile",
                FailedStep::Run => "runtime",
                FailedStep::Verify => "correctness",
                FailedStep::Timeout => "timeout",
            };
            (word, Vec::new(), None)
        }
    };
    let mut measurements = Vec::new();
    if let Some(ms) = measured {
        measurements.push(json!({ "name": "time", "value": ms, "unit": "ms" }));
    }
    let facts = serde_json::to_string(record).expect("a record is plain data");
    measurements.push(json!({ "name": FACTS, "value": facts, "unit": "" }));
    json!({
        "configuration": configuration(&record.candidate.plan),
        "objectives": ["time"],
        "times": { "runtimes": samples },
        "invalidity": invalidity,
        "correctness": if measured.is_some() { 1 } else { 0 },
        "measurements": measurements,
    })
}

/// The keys of a plan.
fn configuration(plan: &str) -> Map<String, Value> {
    // Each key in the syntax of `--plan`: what stands before it says which kernel it is for.
    let mut kernel = String::new();
    let mut keys = Map::new();
    for part in plan.split(',').filter(|part| !part.is_empty()) {
        let assignment = match part.split_once(':') {
            Some((name, rest)) => {
                kernel = format!("{name}:");
                rest
            }
            None => part,
        };
        if let Some((key, value)) = assignment.split_once('=') {
            let value = value.parse::<i64>().map_or_else(|_| json!(value), |number| json!(number));
            keys.insert(format!("{kernel}{key}"), value);
        }
    }
    keys
}

/// The records of a file: those that this compiler exported, whole; of others only what fits
/// `template`, a record of what they are results for.
///
/// # Errors
/// If the file has another format.
pub fn import(text: &str, template: Option<&Record>) -> Result<Vec<Record>, T4Error> {
    let file: Value = serde_json::from_str(text)?;
    if let Some(version) = file["schema_version"].as_str().filter(|it| *it != SCHEMA_VERSION) {
        return Err(T4Error::Version(version.to_owned()));
    }
    let results = file["results"].as_array().ok_or(T4Error::NoResults)?;
    let read =
        |(number, result)| record(result, template).map_err(|why| T4Error::Result(number + 1, why));
    results.iter().enumerate().map(read).collect()
}

fn record(result: &Value, template: Option<&Record>) -> Result<Record, String> {
    let measurements = result["measurements"].as_array();
    let measured = |name: &str| {
        measurements.into_iter().flatten().find(|it| it["name"] == name).map(|it| &it["value"])
    };
    if let Some(facts) = measured(FACTS).and_then(Value::as_str) {
        let record = serde_json::from_str::<Record>(facts).map_err(|error| error.to_string())?;
        return match record.format {
            FORMAT => Ok(record),
            other => Err(format!("its record has format {other}")),
        };
    }
    let Some(template) = template else {
        return Err("another tuner made it: say which program it is of".to_owned());
    };
    let keys = result["configuration"].as_object().ok_or("it has no configuration")?;
    let plan = plan(keys)?;
    let outcome = match result["invalidity"].as_str() {
        Some("correct") => {
            let samples = result["times"]["runtimes"].as_array();
            let samples_us = samples.into_iter().flatten().filter_map(Value::as_f64);
            let samples_us = samples_us.map(|ms| ms * 1e3).collect::<Vec<_>>();
            let median_us = measured("time").and_then(Value::as_f64).map(|ms| ms * 1e3);
            let median_us = median_us.or_else(|| median(&samples_us)).ok_or("it has no time")?;
            Outcome::Measured(Times { median_us, spread: spread(&samples_us), samples_us })
        }
        Some(word) => Outcome::Failed { step: step(word)?, message: word.to_owned() },
        None => return Err("it has no invalidity".to_owned()),
    };
    let mut record = Record { outcome, ..template.clone() };
    record.candidate.decided.clone_from(&plan);
    record.candidate.plan = plan;
    record.candidate.predicted_us = None;
    Ok(record)
}

/// The plan of a configuration.
fn plan(keys: &Map<String, Value>) -> Result<String, String> {
    let written = |(key, value): (&String, &Value)| match value {
        Value::String(word) => format!("{key}={word}"),
        other => format!("{key}={other}"),
    };
    // Keys for every kernel come first: a name holds up to the next.
    let mut parts = keys.iter().map(written).collect::<Vec<_>>();
    parts.sort_by_key(|part| part.contains(':'));
    let request = parts.join(",").parse::<Request>().map_err(|error| error.to_string())?;
    Ok(request.to_string())
}

fn step(invalidity: &str) -> Result<FailedStep, String> {
    Ok(match invalidity {
        "compile" | "constraints" => FailedStep::Compile,
        "runtime" => FailedStep::Run,
        "correctness" => FailedStep::Verify,
        "timeout" => FailedStep::Timeout,
        other => return Err(format!("its invalidity '{other}' is unknown")),
    })
}

fn median(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

fn spread(samples: &[f64]) -> f64 {
    let of = |choose: fn(f64, f64) -> f64| samples.iter().copied().reduce(choose);
    match (of(f64::min), of(f64::max), median(samples)) {
        (Some(least), Some(most), Some(median)) if median > 0.0 => (most - least) / median,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::{failed, record};

    #[test]
    fn an_export_comes_back_whole() {
        let records = [
            record("heat", 64, "loop:points=8,threads=4x64", 12.5),
            failed("heat", 64, "points=4"),
            record("heat", 64, "", 20.0),
        ];
        let text = export(&records);
        assert_eq!(import(&text, None).unwrap(), records);
        let file: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(file["schema_version"], "1.0.0");
        let first = &file["results"][0];
        assert_eq!(first["configuration"]["loop:points"], 8);
        assert_eq!(first["configuration"]["loop:threads"], "4x64");
        assert_eq!(first["times"]["runtimes"][0], 0.0125);
        assert_eq!((&first["invalidity"], &first["correctness"]), (&json!("correct"), &json!(1)));
        assert_eq!(file["results"][1]["invalidity"], "runtime");
    }

    #[test]
    fn results_of_other_tuners_need_a_program() {
        let text = r#"{"schema_version":"1.0.0","results":[
          {"configuration":{"points":8,"loop:steps":2},"times":{"runtimes":[2.0,1.0,4.0]},
           "invalidity":"correct","correctness":1},
          {"configuration":{"points":4},"times":{},"invalidity":"timeout","correctness":0}]}"#;
        let error = import(text, None).unwrap_err().to_string();
        assert!(error.starts_with("result 1: another tuner made it"), "{error}");
        let template = record("heat", 64, "ring=2", 1.0);
        let read = import(text, Some(&template)).unwrap();
        assert_eq!(read[0].candidate.plan, "points=8,loop:steps=2");
        assert_eq!(read[0].median_us(), Some(2000.0));
        assert_eq!((read[1].median_us(), &read[1].subject), (None, &template.subject));
    }

    #[test]
    fn other_files_are_refused() {
        let said = |text: &str| import(text, None).unwrap_err().to_string();
        assert!(said("results").starts_with("it is no JSON"));
        assert_eq!(said("{}"), "it has no list 'results'");
        assert_eq!(
            said(r#"{"schema_version":"2.0.0"}"#),
            "it is of version 2.0.0, and 1.0.0 is read"
        );
        let template = record("heat", 64, "", 1.0);
        let of = |result: &str| {
            let text = format!(r#"{{"results":[{result}]}}"#);
            import(&text, Some(&template)).unwrap_err().to_string()
        };
        assert!(of(r#"{"configuration":{"point":8},"invalidity":"correct"}"#).contains("'point'"));
        assert_eq!(
            of(r#"{"configuration":{},"invalidity":"maybe"}"#),
            "result 1: its invalidity 'maybe' is unknown"
        );
        assert_eq!(
            of(r#"{"configuration":{},"invalidity":"correct"}"#),
            "result 1: it has no time"
        );
    }
}
