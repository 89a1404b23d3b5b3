//! Evaluating a host program: what is listed, what is held once, where the list is cut.

use super::*;
use crate::{host::KernelRuns, samples, scalar::ScalarOp};

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
fn a_kernel_that_copies_buffers_to_themselves_is_not_launched() {
    let mut manifest = samples::manifest();
    let mut copy = manifest.kernels[0].clone();
    copy.name = "copy".to_owned();
    copy.copies = vec![[0, 1]];
    manifest.kernels.push(copy);
    let launch = |from, to| {
        let arguments = vec![Id(from), Id(to), Id(3)];
        Statement::Launch { kernel: "copy".to_owned(), arguments }
    };
    // After the loop the fields are in their own places, or in each other's.
    manifest.functions[0].body.push(launch(13, 0));
    manifest.validate().unwrap();
    let launches = |manifest: &Manifest, steps| {
        let scalars = [
            None,
            None,
            Some(ScalarValue::from_integer(ScalarType::Index, steps)),
            Some(ScalarValue::from_f64(ScalarType::F32, 0.25)),
        ];
        let recording = record(&manifest.functions[0], manifest, &scalars, None).unwrap();
        recording.order.len()
    };
    assert_eq!([0, 4, 5].map(|steps| launches(&manifest, steps)), [0, 4, 6]);
    // One of two pairs is not the same.
    manifest.functions[0].body.push(launch(13, 1));
    manifest.kernels[1].copies = vec![[0, 0], [0, 1]];
    assert_eq!([4, 5].map(|steps| launches(&manifest, steps)), [5, 6]);
    // Other kernels are launched also with one buffer twice.
    manifest.kernels[1].copies.clear();
    assert_eq!([4, 5].map(|steps| launches(&manifest, steps)), [6, 7]);
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

/// The shared sample in runs of four steps, of which the last `unfused` of a run are launched with
/// another number: they are in a loop of their own.
fn in_two_loops(unfused: i64) -> Manifest {
    let mut manifest = samples::shared_manifest();
    let function = &mut manifest.functions[0];
    let index = |value| ScalarValue::from_integer(ScalarType::Index, value);
    let scalar = |result, op, operands: [u32; 2]| {
        let operands = operands.map(Id).to_vec();
        Statement::Scalar { result: Id(result), op, operands, ty: ScalarType::Index }
    };
    let steps = |id: u32, bounds: [u32; 2], initial: [u32; 2], number: u32| {
        let carried = |initial, argument, next, result| Carried {
            initial: Id(initial),
            argument: Id(id + argument),
            next: Id(id + next),
            result: Id(id + result),
        };
        let arguments = vec![Id(id + 1), Id(id + 2), Id(number)];
        Statement::For {
            lower: Id(bounds[0]),
            upper: Id(bounds[1]),
            step: Id(5),
            induction: Id(id),
            carried: vec![carried(initial[0], 1, 2, 3), carried(initial[1], 2, 1, 4)],
            body: vec![Statement::Launch { kernel: "step".to_owned(), arguments }],
        }
    };
    function.body.pop();
    function.body.extend([
        Statement::Constant { result: Id(20), value: index(unfused) },
        scalar(21, ScalarOp::MaxSI, [2, 4]),
        scalar(22, ScalarOp::SubI, [21, 20]),
        scalar(23, ScalarOp::MaxSI, [22, 4]),
        steps(30, [4, 23], [0, 1], 6),
        steps(40, [23, 21], [33, 34], 3),
    ]);
    function.time_steps = Some(TimeSteps { value: Id(21), step: 1, rotation: 2 });
    let shared = function.decomposition.as_mut().unwrap();
    shared.steps = NonZeroU64::new(4);
    shared.last_iterations = vec![Id(20)];
    assert_eq!(manifest.validate(), Ok(()));
    manifest
}

/// For each run, how many of its launches were in the first loop and in the second.
fn launches(manifest: &Manifest, steps: i64) -> Vec<[usize; 2]> {
    let scalars = [
        None,
        None,
        Some(ScalarValue::from_integer(ScalarType::Index, steps)),
        Some(ScalarValue::from_f64(ScalarType::F32, 0.25)),
    ];
    let every = NonZeroU64::new(4);
    let recording = record_runs(&manifest.functions[0], manifest, &scalars, every).unwrap();
    let is_last = |number: &u32| match &recording.operations[*number as usize] {
        Operation::Launch { arguments, .. } => {
            let number = ScalarValue::from_f64(ScalarType::F32, 0.25);
            arguments[2] == LaunchArgument::Scalar(number)
        }
        Operation::Copy { .. } => false,
    };
    let mut runs = vec![[0; 2]];
    for part in &recording.parts {
        let run = runs.last_mut().unwrap();
        for number in &recording.order[part.range.clone()] {
            run[usize::from(is_last(number))] += 1;
        }
        if part.stop.is_some() {
            runs.push([0; 2]);
        }
    }
    runs.pop();
    runs
}

/// What only the caller reads is left by the last run.
#[test]
fn a_run_that_another_one_goes_on_from_makes_no_last_steps() {
    let one = in_two_loops(1);
    assert_eq!(launches(&one, 12), [[4, 0], [4, 0], [3, 1]]);
    assert_eq!(launches(&one, 9), [[4, 0], [4, 0], [0, 1]]);
    assert_eq!(launches(&one, 3), [[2, 1]]);
    // The run after the second makes one of its two last steps only.
    let two = in_two_loops(2);
    assert_eq!(launches(&two, 9), [[4, 0], [2, 2], [0, 1]]);
    assert_eq!(launches(&two, 10), [[4, 0], [4, 0], [0, 2]]);
}
