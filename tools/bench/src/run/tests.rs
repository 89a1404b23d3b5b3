//! Tests of what needs no device: the order of jobs, what counts as done, agreement.

use super::{agreement::Agreement, *};
use crate::{index::tests::entry, kernels::Element, record::tests::sample};
use stencil_runtime::{
    ScalarType,
    manifest::{Argument, ArgumentKind, FieldShape},
};

fn request(filter: Option<&str>) -> Request {
    Request {
        folder: PathBuf::new(),
        filter: filter.map(|text| Regex::new(text).unwrap()),
        repeat: 7,
        time_limit: None,
        seed: 1,
        device: 0,
        meter: None,
        again: false,
        resumed: None,
    }
}

fn index() -> Index {
    let entries = vec![
        entry("heat", "points=1"),
        entry("poisson", "points=1"),
        entry("heat", "points=2"),
        Entry { r#type: Element::F32, ..entry("heat", "points=2") },
    ];
    Index { format: 1, target: "sm_90a".to_owned(), entries }
}

fn names(request: &Request, results: &Results) -> Vec<String> {
    let index = index();
    jobs(request, &index, results).0.iter().map(|entry| entry.name()).collect()
}

#[test]
fn packages_of_one_program_stand_together() {
    let folder = tempfile::tempdir().unwrap();
    let results = Results::open(&folder.path().join("r.jsonl")).unwrap();
    assert_eq!(
        names(&request(None), &results),
        [
            "heat-f64-plain-points=1",
            "heat-f64-plain-points=2",
            "poisson-f64-plain-points=1",
            "heat-f32-plain-points=2"
        ]
    );
    assert_eq!(names(&request(Some("^heat-f32")), &results), ["heat-f32-plain-points=2"]);
}

#[test]
fn what_is_measured_or_failed_in_this_run_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut results = Results::open(&folder.path().join("r.jsonl")).unwrap();
    let mut done = sample("poisson", Element::F64, 1.0);
    done.plan = "points=1".to_owned();
    results.add(Line::Measured(Box::new(done))).unwrap();
    let error = MeasureError::NoClock;
    let failed = failure(&entry("heat", "points=1"), &error, "2026-01-31");
    results.add(Line::Failed(failed)).unwrap();
    assert_eq!(names(&request(Some("f64")), &results).len(), 2, "what failed is tried again");
    let resumed = Request { resumed: Some(1), ..request(Some("f64")) };
    assert_eq!(names(&resumed, &results), ["heat-f64-plain-points=2"]);
    let again = Request { again: true, ..request(Some("f64")) };
    assert_eq!(names(&again, &results).len(), 3);
    let resumed = Request { resumed: Some(1), ..again };
    assert_eq!(names(&resumed, &results).len(), 2, "what was measured before is, once more");
}

#[test]
fn only_a_kernels_fault_loses_the_device() {
    let fault = DeviceError::Kernel { kernel: "'a'".to_owned(), message: "it fell".to_owned() };
    assert!(MeasureError::Runtime(RuntimeError::Device(fault)).loses_device());
    let memory = DeviceError::OutOfMemory { needed: 2, free: 1 };
    assert!(!MeasureError::Runtime(RuntimeError::Device(memory)).loses_device());
    assert!(!MeasureError::Differs(String::new()).loses_device());
}

fn field() -> Argument {
    let shape = FieldShape {
        lower: vec![0],
        upper: vec![3],
        element: ScalarType::F64,
        scratch: false,
        padding: None,
        written: true,
    };
    Argument { name: None, kind: ArgumentKind::Field(shape) }
}

fn cells(values: [f64; 3]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn packages_agree_in_every_bit() {
    let expected = cells([1.0, f64::NAN, 0.5]);
    let payload = cells([1.0, -f64::NAN, 0.5]);
    assert_eq!(Agreement::Bits.check(&field(), &expected, &payload), Ok(()));
    let error = Agreement::Bits.check(&field(), &expected, &cells([1.0, f64::NAN, 0.25]));
    assert!(error.unwrap_err().contains("cell [2] is 0.25"));
}

#[test]
fn cuda_by_hand_agrees_within_a_bound() {
    let expected = cells([100.0, f64::NAN, 0.5]);
    let agreement = Agreement::Relative(1e-3);
    assert_eq!(agreement.check(&field(), &expected, &cells([100.0, f64::NAN, 0.59])), Ok(()));
    let error = agreement.check(&field(), &expected, &cells([100.0, f64::NAN, 0.61])).unwrap_err();
    assert!(error.starts_with("cell 2 of 3 is 0.61, expected 0.5"), "{error}");
    let error = agreement.check(&field(), &expected, &cells([100.0, 1.0, 0.5])).unwrap_err();
    assert!(error.starts_with("cell 1 of 3 is 1, expected NaN"), "{error}");
    let error = agreement.check(&field(), &expected, &cells([f64::NAN, 1.0, 0.5])).unwrap_err();
    assert!(error.starts_with("cell 0 of 3 is NaN, expected 100"), "{error}");
}

#[test]
fn the_bound_grows_with_operations_and_with_the_type() {
    let of = |kernel: &str, r#type| relative_bound(&Entry { r#type, ..entry(kernel, "default") });
    assert!(of("j3d27pt", Element::F64) > of("j3d7pt", Element::F64));
    assert!(of("3d125pt", Element::F32) < 1e-3, "a wrong weight is further away");
    assert!(of("hypterm", Element::F64) < 1e-11);
}
