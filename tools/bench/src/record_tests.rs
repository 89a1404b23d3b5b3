//! Tests of records, and a record for the tests of what reads them.

use super::*;
use crate::kernels;

const H200: &str = "NVIDIA H200";

/// A measurement that fits, of a run of this many milliseconds.
pub(crate) fn sample(kernel: &str, element: Element, ms: f64) -> Record {
    let benchmark = kernels::find(kernel).unwrap();
    let points = benchmark.points(&benchmark.size);
    let bytes = points * benchmark.bytes_per_point(element);
    let samples_ms: Vec<f64> =
        (0..7).map(|index| rounded(ms * (1.0 + 0.001 * f64::from(index)))).collect();
    let work = Work { element, points, bytes, chip: H200 };
    let derived = Derived::of(benchmark, work, &samples_ms).unwrap();
    Record {
        kernel: kernel.to_owned(),
        r#type: element,
        version: "plain".to_owned(),
        plan: "points=4,max-registers=64".to_owned(),
        cap: Some(64),
        size: benchmark.size.clone(),
        steps: benchmark.steps,
        points,
        bytes,
        fused: 1,
        gpts: derived.gpts,
        ms: derived.ms,
        spread: derived.spread,
        gflops: derived.gflops,
        gbs: derived.gbs,
        memory_percent: derived.memory_percent,
        flops_percent: derived.flops_percent,
        samples_ms,
        verified: true,
        comparison: "bit for bit".to_owned(),
        registers: Some(40),
        spill_bytes: Some(0),
        shared_bytes: 0,
        occupancy: Some(0.75),
        joules: None,
        predicted_ms: None,
        package: "0".repeat(64),
        program: "1".repeat(64),
        chip: H200.to_owned(),
        driver: "CUDA 13.0".to_owned(),
        date: "2026-01-31".to_owned(),
    }
}

#[test]
fn rates_follow_from_samples() {
    let benchmark = kernels::find("j3d7pt").unwrap();
    let work = Work { element: Element::F64, points: 4_000_000, bytes: 64_000_000, chip: H200 };
    let derived = Derived::of(benchmark, work, &[0.5, 2.0, 1.0]).unwrap();
    assert_eq!((derived.ms, derived.gpts, derived.gflops), (1.0, 4.0, 52.0));
    assert_eq!((derived.gbs, derived.spread), (64.0, 0.75));
    // 64 of 4280 GB/s, and 52 of 132 * 64 * 2 * 1.98 GFLOP/s.
    assert_eq!(derived.memory_percent, Some(1.49533));
    assert_eq!(derived.flops_percent, Some(0.155437));
    let unknown = Work { chip: "a chip", ..work };
    let derived = Derived::of(benchmark, unknown, &[1.0]).unwrap();
    assert_eq!((derived.memory_percent, derived.flops_percent), (None, None));
    assert_eq!(Derived::of(benchmark, work, &[]), None);
}

#[test]
fn single_precision_has_another_peak() {
    let peak = |element| Ceilings::of(H200, element).unwrap();
    assert_eq!(peak(Element::F32).gflops, 2.0 * peak(Element::F64).gflops);
    assert_eq!(peak(Element::F64).gflops, 2.0 * peak(Element::F64).gflops_unfused);
}

#[test]
fn lines_are_read_as_they_are_written() {
    let line = Line::Measured(Box::new(sample("j2d5pt", Element::F32, 1.25)));
    let text = serde_json::to_string(&line).unwrap();
    assert_eq!(text.lines().count(), 1);
    assert_eq!(serde_json::from_str::<Line>(&text).unwrap(), line);
    let failure = Line::Failed(Failure {
        kernel: "heat".to_owned(),
        r#type: Element::F64,
        version: "plain".to_owned(),
        plan: "default".to_owned(),
        cap: None,
        package: "0".repeat(64),
        error: "kernel 'heat_0': it failed".to_owned(),
        date: "2026-01-31".to_owned(),
    });
    let text = serde_json::to_string(&failure).unwrap();
    assert_eq!(serde_json::from_str::<Line>(&text).unwrap(), failure);
}

#[test]
fn rounding_keeps_six_digits() {
    assert_eq!(rounded(123.456_749), 123.457);
    assert_eq!(rounded(0.000_123_456_7), 0.000_123_457);
    assert_eq!(rounded(0.0), 0.0);
    assert_eq!(rounded(rounded(1.0 / 3.0)), rounded(1.0 / 3.0));
}
