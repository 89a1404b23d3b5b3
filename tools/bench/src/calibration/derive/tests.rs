//! Samples are made of planted coefficients, for all probes as they are run, and derived again.

use super::{caches::capacity, *};
use crate::calibration::{
    probes::{self, Blocks, Probe, Run},
    raw::Failure,
    run::REPETITIONS,
};
use crate::layout::Form;

const MULTIPROCESSORS: u64 = 100;
/// What a kernel takes before and after its loop.
const OVERHEAD: f64 = 500.0;
const HERTZ: f64 = 1.5e9;
/// Whole and carved up: the edge is half a step further on.
const L1_BYTES: u64 = 240 * 1024;
const EDGE_BYTES: u64 = 4 * 1024;
const CODE_BYTES: u64 = 112 * 1024;
const LAUNCH_SECONDS: f64 = 2e-6;
const BLOCK_LAUNCH: f64 = 300.0;
const BLOCK: f64 = 16_400.0;
const CODE_STEP: u64 = 8 * 1024;
const FETCH: f64 = 6.0;
const L2_RATE: f64 = 40.0;
const L2_RATE_ALONE: f64 = 70.0;
const HBM_RATE: f64 = 2200.0;

/// A number for each name, different from all others.
fn planted(name: &str) -> f64 {
    let all = [names::PARTITION_THROUGHPUT, names::MULTIPROCESSOR_THROUGHPUT, names::LATENCY];
    let place = all.concat().iter().position(|known| *known == name).unwrap();
    1.0 + 0.5 * place as f64
}

/// The cycles of a run as the planted numbers have it.
fn cycles_of(probe: &Probe, run: &Run) -> f64 {
    let blocks = match run.blocks {
        Blocks::Exactly(blocks) | Blocks::PerMultiprocessor(blocks) => blocks,
    };
    let warps = f64::from(blocks * run.warps);
    let executed = f64::from(run.iterations) * run.operations as f64;
    let name = probe.name.as_str();
    let slow = |limit: u64| if run.x <= limit { 30.0 } else { 200.0 };
    if let Some(name) = name.strip_prefix("throughput-") {
        let parts = if names::PARTITION_THROUGHPUT.contains(&name) { 4.0 } else { 1.0 };
        return OVERHEAD + planted(name) * executed * warps / parts;
    }
    if let Some(name) = name.strip_prefix("latency-") {
        return OVERHEAD + planted(name) * executed;
    }
    if name.starts_with("occupancy-") {
        // Speed grows up to 16 warps, and is the same from there on.
        return OVERHEAD + executed * warps / warps.min(16.0);
    }
    match name {
        "clock" => OVERHEAD + executed,
        _ if name.starts_with("l1-") => {
            slow(L1_BYTES - u64::from(run.carved_bytes.unwrap())) * executed
        }
        "l2-read-alone" => OVERHEAD + executed * warps / L2_RATE_ALONE,
        "l2-read" => OVERHEAD + executed * warps / L2_RATE,
        "hbm-copy" => OVERHEAD + executed * warps * MULTIPROCESSORS as f64 / HBM_RATE,
        "block-alone" => BLOCK,
        "blocks" => OVERHEAD + (BLOCK + BLOCK_LAUNCH) * run.x as f64,
        _ if name.starts_with("code-") => {
            let fetch = if run.x <= CODE_BYTES { 1.0 } else { FETCH };
            OVERHEAD + fetch.max(warps / 4.0) * executed
        }
        _ => panic!("nothing is planted for {name}"),
    }
}

fn sampled(probe: &Probe, run: &Run) -> Sampled {
    let cycles = if run.timed_inside { Some(cycles_of(probe, run)) } else { None };
    // Events see all rounds; the clock probe has one.
    let by_events = ["throughput-", "l2-", "hbm-", "occupancy-", "code-"];
    let is_by_events = by_events.iter().any(|it| probe.name.starts_with(it));
    let rounds = if is_by_events { f64::from(ROUNDS) } else { 1.0 };
    let seconds = match cycles {
        Some(cycles) => 1e-5 + rounds * cycles / HERTZ,
        None => 1e-5 + LAUNCH_SECONDS * f64::from(run.launches),
    };
    let blocks = match run.blocks {
        Blocks::Exactly(blocks) | Blocks::PerMultiprocessor(blocks) => blocks,
    };
    let cycles: Vec<u64> =
        cycles.into_iter().flat_map(|cycles| [cycles.round() as u64; REPETITIONS]).collect();
    Sampled {
        probe: probe.name.clone(),
        x: run.x,
        iterations: run.iterations,
        operations: run.operations,
        warps: u64::from(blocks * run.warps),
        multiprocessors: match run.blocks {
            Blocks::Exactly(_) => 1,
            Blocks::PerMultiprocessor(_) => MULTIPROCESSORS,
        },
        cycles_longest: cycles.clone(),
        cycles,
        seconds: vec![seconds; REPETITIONS],
        origin: Origin {
            chip: "a chip".to_owned(),
            driver: "13.0".to_owned(),
            ptxas: "13.0.88".to_owned(),
            date: "2026-01-31".to_owned(),
        },
    }
}

fn all() -> Vec<Line> {
    let probes = probes::all();
    let of = |probe: &Probe| {
        probe.runs.iter().map(|run| Line::Sampled(sampled(probe, run))).collect::<Vec<_>>()
    };
    probes.iter().flat_map(of).collect()
}

fn without(lines: &[Line], probe: &str) -> Vec<Line> {
    let other = |line: &&Line| !matches!(line, Line::Sampled(sampled) if sampled.probe == probe);
    lines.iter().filter(other).cloned().collect()
}

fn close(value: f64, planted: f64) -> bool {
    (value - planted).abs() < 2e-3 * planted
}

#[test]
fn planted_coefficients_come_out() {
    let Derived { coefficients, kept } = derive(&all(), None).unwrap();
    assert!(kept.is_empty());
    for table in [&coefficients.throughput, &coefficients.latency] {
        for (name, coefficient) in table {
            // A name in both tables has the number of its first place in both.
            let own = planted(name);
            assert!(close(coefficient.value, own), "{name}: {coefficient:?}, planted {own}");
            assert!(coefficient.error.unwrap() < 0.1, "{name}: {coefficient:?}");
        }
    }
    let memory = |name: &str| coefficients.memory[name].value;
    assert!(close(memory("l1_bytes"), (L1_BYTES + EDGE_BYTES) as f64));
    assert!(close(memory("instruction_cache_bytes"), (CODE_BYTES + CODE_STEP / 2) as f64));
    assert!(close(memory("instruction_fetch_cycles"), FETCH));
    assert!(close(memory("l2_bytes_per_cycle"), L2_RATE));
    assert!(close(memory("l2_bytes_per_cycle_alone"), L2_RATE_ALONE));
    assert!(close(memory("hbm_bytes_per_cycle"), HBM_RATE));
    assert!(close(memory("launch_cycles"), LAUNCH_SECONDS * HERTZ));
    assert!(close(memory("block_launch_cycles"), BLOCK_LAUNCH));
    let curve: Vec<(u64, f64)> =
        coefficients.occupancy_curve.iter().map(|point| (point.warps, point.relative)).collect();
    assert_eq!(curve.len(), 12);
    for (warps, relative) in curve {
        assert!(close(relative, (warps as f64 / 16.0).min(1.0)), "{warps}: {relative}");
    }
}

#[test]
fn errors_say_what_disagrees() {
    let mut lines = all();
    for line in &mut lines {
        let Line::Sampled(sampled) = line else { continue };
        if sampled.probe == "throughput-dfma" {
            for (number, seconds) in sampled.seconds.iter_mut().enumerate() {
                *seconds *= 1.0 + number as f64 / 100.0;
            }
        }
    }
    let throughput = |lines: &[Line]| derive(lines, None).unwrap().coefficients.throughput;
    let (calm, spread) = (throughput(&all()), throughput(&lines));
    // The quartiles of both runs are three hundredths apart, and the difference is half of one.
    assert!(calm["dfma"].error.unwrap() < 0.01);
    let error = spread["dfma"].error.unwrap();
    assert!((0.08..0.1).contains(&error), "{error}");
    // The series agree in what is left of one store.
    let l1 = |lines: &[Line]| derive(lines, None).unwrap().coefficients.memory["l1_bytes"].clone();
    let of_all = l1(&all());
    assert!(close(of_all.error.unwrap(), 8.0 / 244.0), "{of_all:?}");
    let alone = l1(&without(&without(&all(), "l1-beside-shared"), "l1-beside-carved"));
    assert_eq!((alone.value, alone.origin.as_str()), (of_all.value, "l1-alone"));
    let mut lines = all();
    for line in &mut lines {
        let Line::Sampled(sampled) = line else { continue };
        if sampled.probe == "l1-beside-shared" && sampled.x > 64 << 10 {
            sampled.cycles = vec![200 * u64::from(sampled.iterations) * sampled.operations; 7];
        }
    }
    let disagreeing = l1(&lines);
    assert_eq!(disagreeing.value, of_all.value);
    // 132 KiB are shared memory, and the rest would be 64 to 72.
    assert!(close(disagreeing.error.unwrap(), (244.0 - 132.0 - 68.0) / 244.0), "{disagreeing:?}");
}

#[test]
fn what_cannot_be_derived_is_refused_by_name() {
    let lines = without(&all(), "throughput-shfl");
    let error = derive(&lines, None).unwrap_err().to_string();
    assert!(
        error.starts_with("coefficients that cannot be derived:\n  throughput.shfl"),
        "{error}"
    );
    assert!(error.contains("throughput.shfl: probe 'throughput-shfl' has no samples"), "{error}");

    let mut lines = without(&lines, "occupancy-dfma-2");
    let failure = Failure {
        probe: "throughput-shfl".to_owned(),
        x: 0,
        iterations: 200,
        error: "fell over".to_owned(),
        date: "2026-01-31".to_owned(),
    };
    lines.push(Line::Failed(failure));
    let error = derive(&lines, None).unwrap_err().to_string();
    assert_eq!(error.matches("\n  ").count(), 2, "{error}");
    assert!(error.contains("'throughput-shfl' fell over"), "{error}");
    assert!(error.contains("occupancy_curve: probe 'occupancy-dfma-2'"), "{error}");

    // An earlier file has them.
    let earlier = derive(&all(), None).unwrap().coefficients;
    let Derived { coefficients, kept } = derive(&lines, Some(&earlier)).unwrap();
    assert_eq!(coefficients, earlier);
    assert_eq!(kept.len(), 2);
    assert!(kept[0].starts_with("throughput.shfl: "), "{kept:?}");
}

#[test]
fn samples_are_of_one_machine_and_the_last_ones_count() {
    assert!(matches!(derive(&[], None), Err(DeriveError::Nothing)));
    let mut lines = all();
    let probes = probes::all();
    let dfma = probes.iter().find(|probe| probe.name == "throughput-dfma").unwrap();
    for run in &dfma.runs {
        let mut again = sampled(dfma, run);
        again.seconds.iter_mut().for_each(|seconds| *seconds *= 3.0);
        lines.push(Line::Sampled(again));
    }
    let coefficients = derive(&lines, None).unwrap().coefficients;
    assert!(close(coefficients.throughput["dfma"].value, 3.0 * planted("dfma")));
    let Some(Line::Sampled(last)) = lines.last_mut() else { panic!("it was added") };
    last.origin.chip = "another chip".to_owned();
    let error = derive(&lines, None).unwrap_err().to_string();
    assert!(error.contains("a chip, driver 13.0, ptxas 13.0.88; another chip"), "{error}");
}

#[test]
fn a_file_has_all_names_in_their_order_and_is_read_again() {
    let coefficients = derive(&all(), None).unwrap().coefficients;
    let text = coefficients.to_json();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sm_90.json");
    std::fs::write(&path, &text).unwrap();
    let read = Coefficients::read(&path).unwrap();
    assert_eq!(read.throughput.len(), 33);
    assert_eq!(read.memory["loaded_latency"].value, 1.0, "nothing is fitted yet");
    assert_eq!(read.to_json(), text);
    let throughput = [names::PARTITION_THROUGHPUT, names::MULTIPROCESSOR_THROUGHPUT].concat();
    let places: Vec<usize> =
        throughput.iter().map(|name| text.find(&format!("\"{name}\"")).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
    let table = read.text(Form::Plain, Some(&coefficients));
    assert_eq!(table.lines().count(), 1 + 33 + 12 + names::MEMORY.len());
    let dfma = table.lines().find(|line| line.starts_with("throughput.dfma ")).unwrap();
    assert!(dfma.contains("1.00") && dfma.ends_with("1.00"), "{dfma}");
    std::fs::write(&path, text.replace("\"unit\"", "\"units\"")).unwrap();
    assert!(Coefficients::read(&path).unwrap_err().to_string().contains("no file of coeff"));
}

#[test]
fn a_series_without_a_step_is_no_capacity() {
    assert_eq!(capacity(&[]).unwrap_err(), "there are no sizes");
    assert!(capacity(&[(1, 30.0), (2, 31.0)]).unwrap_err().contains("measure larger"));
    let error = capacity(&[(1, 180.0), (2, 30.0), (3, 200.0)]).unwrap_err();
    assert!(error.contains("measure smaller"), "{error}");
    let found = capacity(&[(64, 30.0), (96, 31.0), (128, 60.0), (256, 180.0)]).unwrap();
    assert_eq!((found.value, found.error), (176.0, (256.0 - 96.0) / 176.0));
    // As an H200 has it: sets overflow one after the other.
    let steps = [(208, 34.0), (216, 34.0), (224, 83.0), (232, 101.9), (240, 165.2)];
    let rest = [(248, 224.7), (256, 232.5), (264, 241.1), (272, 250.8)];
    let found = capacity(&[&steps[..], &rest[..]].concat()).unwrap();
    assert!((236.0..238.0).contains(&found.value), "{found:?}");
    assert!(close(found.error, (256.0 - 216.0) / found.value), "{found:?}");
}

#[test]
fn a_curve_has_no_point_twice() {
    let mut lines = all();
    let again = lines.iter().filter_map(|line| match line {
        Line::Sampled(sampled) if sampled.probe == "occupancy-dfma-1" => {
            let iterations = sampled.iterations * 3;
            Some(Line::Sampled(Sampled { iterations, ..sampled.clone() }))
        }
        _ => None,
    });
    let again: Vec<Line> = again.collect();
    lines.extend(again);
    let error = derive(&lines, None).unwrap_err().to_string();
    assert!(error.contains("'occupancy-dfma-1' has more than two sizes at 4 warps"), "{error}");
}

/// What is derived is what the predictor reads, no more and no less.
#[test]
fn the_predictors_file_has_the_names_that_are_derived() {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../lowering/predictor/coefficients/sm_90.json");
    let theirs = Coefficients::read(path.as_ref()).unwrap();
    let ours = derive(&all(), None).unwrap().coefficients;
    let names = |file: &Coefficients| {
        let tables = [&file.throughput, &file.latency, &file.memory];
        tables.map(|table| table.keys().cloned().collect::<Vec<_>>())
    };
    assert_eq!(names(&theirs), names(&ours));
}
