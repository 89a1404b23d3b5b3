//! Evaluating a host program: what is listed, what is held once, where the list is cut.

use super::*;
use crate::samples;

fn evaluate(steps: i64, every: Option<u64>) -> Recording<'static> {
    // The sample lives as long as the test program.
    let manifest: &'static Manifest = Box::leak(Box::new(samples::manifest()));
    let scalars = [
        None,
        None,
        Some(ScalarValue::from_integer(ScalarType::Index, steps)),
        Some(ScalarValue::from_f64(ScalarType::F32, 0.25)),
    ];
    record(&manifest.functions[0], manifest, &scalars, every.and_then(NonZeroU64::new)).unwrap()
}

#[test]
fn equal_operations_are_held_once() {
    let recording = evaluate(1001, None);
    assert_eq!(recording.operations.len(), 2);
    assert_eq!(recording.order.len(), 1001);
    assert!(recording.order.iter().enumerate().all(|(place, &number)| number == place as u32 % 2));
    let Operation::Launch { kernel, arguments } = &recording.operations[1] else {
        panic!("the sample only launches")
    };
    assert_eq!(kernel.name, "step");
    let factor = ScalarValue::from_f64(ScalarType::F32, 0.5);
    assert_eq!(
        arguments[..],
        [LaunchArgument::Buffer(1), LaunchArgument::Buffer(0), LaunchArgument::Scalar(factor)]
    );
    let report = recording.report();
    assert_eq!((report.launches, report.copies, report.points), (1001, 0, 10_010));
    assert_eq!(report.kernels, [KernelRuns { name: "step".to_owned(), launches: 1001 }]);
}

#[test]
fn stops_cut_the_loop() {
    let recording = evaluate(7, Some(3));
    let stop =
        |steps, carried: [u32; 2]| Some(Stop { steps, carried: carried.map(Slot::Buffer).into() });
    assert_eq!(
        recording.parts,
        [
            Part { range: 0..3, stop: stop(3, [1, 0]) },
            Part { range: 3..6, stop: stop(6, [0, 1]) },
            Part { range: 6..7, stop: None },
        ]
    );
    assert_eq!(evaluate(6, Some(3)).parts.len(), 2);
    assert_eq!(evaluate(7, None).parts, [Part { range: 0..7, stop: None }]);
    assert!(evaluate(0, Some(3)).parts.is_empty());
}

#[test]
fn what_surrounds_the_loop_is_a_part_by_itself() {
    let mut manifest = samples::manifest();
    let body = &mut manifest.functions[0].body;
    let copy = |from, to| Statement::Copy { from: Id(from), to: Id(to) };
    body.insert(0, copy(0, 1));
    body.extend([copy(13, 14), copy(0, 0)]);
    manifest.validate().unwrap();
    let scalars = [
        None,
        None,
        Some(ScalarValue::from_integer(ScalarType::Index, 5)),
        Some(ScalarValue::from_f64(ScalarType::F32, 0.25)),
    ];
    let recording = record(&manifest.functions[0], &manifest, &scalars, None).unwrap();
    let ranges: Vec<Range<usize>> = recording.parts.iter().map(|part| part.range.clone()).collect();
    assert_eq!(ranges, [0..1, 1..6, 6..7], "a copy to itself is none");
    assert_eq!(recording.report().copies, 2);
    // After five swaps the results are in each other's places.
    assert_eq!(
        recording.operations[recording.order[6] as usize],
        Operation::Copy { from: 1, to: 0, bytes: 48 }
    );
}

#[test]
fn lists_that_do_not_fit_into_memory_are_refused() {
    let manifest = samples::manifest();
    let scalars = [
        None,
        None,
        Some(ScalarValue::from_integer(ScalarType::Index, i64::MAX)),
        Some(ScalarValue::from_f64(ScalarType::F32, 0.25)),
    ];
    let within = |bytes| {
        let function = &manifest.functions[0];
        match record_within(bytes, function, &manifest, (&scalars, None)).unwrap_err() {
            HostError::TooManyOperations { operations } => operations,
            other => panic!("{other}"),
        }
    };
    let [few, many] = [within(10_000), within(23_000)];
    assert_eq!(many - few, 13_000 / (ORDER_BYTES + 1));
}
