//! The executor on a minimal device with one kernel.

use super::*;
use crate::{
    ErrorKind,
    bind::Value,
    fake::{Buffer, FakeDevice, after_steps, field, values},
    manifest::{Carried, Id, Statement},
    samples,
    scalar::{ScalarOp, ScalarType},
};

fn run_manifest(
    manifest: &Manifest,
    device: &mut FakeDevice,
    values: &mut [Value],
) -> Result<RunReport, RuntimeError> {
    manifest.validate().unwrap();
    let arguments = values.iter_mut().map(Value::bound).collect();
    run(&manifest.functions[0], manifest, device, arguments)
}

#[test]
fn a_time_loop_rotates_its_fields() {
    for steps in 0..5 {
        let mut values = values(steps);
        let expected = after_steps([field(&values[0]), field(&values[1])], steps, 0.5);
        let mut device = FakeDevice::default();
        let report = run_manifest(&samples::manifest(), &mut device, &mut values).unwrap();
        assert_eq!([field(&values[0]), field(&values[1])], expected, "{steps} steps");
        assert_eq!(report.launches, steps as u64);
        assert_eq!(report.points, 10 * steps as u64);
        assert_eq!(report.device_bytes, 96);
        assert_eq!(device.live(), 0, "all buffers are freed");
        let sequence = ["launch step 0 1 0.5", "launch step 1 0 0.5"];
        let sequence: Vec<&str> = sequence.into_iter().cycle().take(steps as usize).collect();
        assert_eq!(device.launches(), sequence);
    }
}

#[test]
fn a_session_runs_again_from_the_same_content() {
    let manifest = samples::manifest();
    let mut device = FakeDevice::default();
    let mut once = values(3);
    run_manifest(&manifest, &mut device, &mut once).unwrap();
    let mut repeated = values(3);
    let arguments = repeated.iter_mut().map(Value::bound).collect();
    let mut session =
        Session::new(&manifest.functions[0], &manifest, &mut device, arguments).unwrap();
    session.upload().unwrap();
    session.execute().unwrap();
    session.restore().unwrap();
    session.execute().unwrap();
    session.download().unwrap();
    drop(session);
    assert_eq!(repeated, once);
    assert_eq!(device.live(), 0);
}

#[test]
fn fields_that_are_not_written_stay_where_they_are() {
    let mut manifest = samples::manifest();
    if let crate::manifest::ArgumentKind::Field(shape) =
        &mut manifest.functions[0].arguments[0].kind
    {
        shape.written = false;
    }
    let mut device = FakeDevice::default();
    let mut values = values(1);
    let before = values[0].clone();
    run_manifest(&manifest, &mut device, &mut values).unwrap();
    assert_eq!(values[0], before);
    assert!(!device.calls.contains(&"download 0".to_owned()));
    assert!(device.calls.contains(&"download 1".to_owned()));
}

#[test]
fn temporaries_are_allocated_once() {
    let mut manifest = samples::manifest();
    let body = &mut manifest.functions[0].body;
    let Some(Statement::For { body, .. }) = body.last_mut() else { panic!("the loop is last") };
    let (temporary, copy) = (Id(30), |from, to| Statement::Copy { from: Id(from), to: Id(to) });
    // Through a temporary, and back: the launch then sees the same content.
    body.insert(
        0,
        Statement::Allocate { result: temporary, element: ScalarType::F32, elements: 12 },
    );
    body.insert(1, copy(11, 30));
    body.insert(2, copy(30, 11));
    // A copy to itself is none.
    body.insert(3, copy(30, 30));
    let mut device = FakeDevice::default();
    let mut through = values(4);
    let report = run_manifest(&manifest, &mut device, &mut through).unwrap();
    assert_eq!(device.calls.iter().filter(|call| *call == "allocate 48").count(), 3);
    assert_eq!((report.copies, report.device_bytes), (8, 144));
    let mut plain = values(4);
    run_manifest(&samples::manifest(), &mut FakeDevice::default(), &mut plain).unwrap();
    assert_eq!(through, plain);
}

/// A function of three integers `lower, upper, step` with a loop that counts its iterations and
/// launches once for each, with the count as the factor.
fn counting(ty: ScalarType) -> Manifest {
    let mut manifest = samples::manifest();
    let function = &mut manifest.functions[0];
    let scalar = |ty| crate::manifest::Argument {
        name: None,
        kind: crate::manifest::ArgumentKind::Scalar { scalar: ty, symbol: None },
    };
    function.arguments.truncate(2);
    function.arguments.extend([scalar(ty), scalar(ty), scalar(ty)]);
    let float = |id, value| Statement::Constant {
        result: Id(id),
        value: ScalarValue::from_f64(ScalarType::F32, value),
    };
    let add = Statement::Scalar {
        result: Id(12),
        op: ScalarOp::AddF,
        operands: vec![Id(11), Id(6)],
        ty: ScalarType::F32,
    };
    let launch = |factor| Statement::Launch {
        kernel: "step".to_owned(),
        arguments: vec![Id(0), Id(1), Id(factor)],
    };
    let carried = Carried { initial: Id(5), argument: Id(11), next: Id(12), result: Id(13) };
    function.body = vec![
        float(5, 0.0),
        float(6, 1.0),
        Statement::For {
            lower: Id(2),
            upper: Id(3),
            step: Id(4),
            induction: Id(10),
            carried: vec![carried],
            body: vec![add],
        },
        launch(13),
    ];
    manifest
}

fn count(ty: ScalarType, bounds: [i64; 3]) -> Result<String, String> {
    let mut values = values(0);
    values.truncate(2);
    let integer = |value| Value::Scalar(ScalarValue::from_integer(ty, value));
    values.extend(bounds.map(integer));
    let mut device = FakeDevice::default();
    match run_manifest(&counting(ty), &mut device, &mut values) {
        Ok(_) => Ok(device.launches()[0].to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn loops_count_as_scf_for() {
    let times = |n: f32| Ok(format!("launch step 0 1 {n:?}"));
    assert_eq!(count(ScalarType::Index, [0, 10, 3]), times(4.0));
    assert_eq!(count(ScalarType::Index, [0, 9, 3]), times(3.0));
    assert_eq!(count(ScalarType::Index, [5, 5, 1]), times(0.0));
    assert_eq!(count(ScalarType::Index, [5, -5, 1]), times(0.0));
    assert_eq!(count(ScalarType::I8, [-3, 3, 2]), times(3.0));
    assert_eq!(count(ScalarType::I8, [100, 127, 100]), times(1.0), "no wrap around");
    assert_eq!(count(ScalarType::Index, [i64::MAX - 1, i64::MAX, i64::MAX]), times(1.0));
    let message = |step| Err(format!("loop over %10 has step {step}; it must be positive"));
    assert_eq!(count(ScalarType::Index, [0, 1, 0]), message(0));
    assert_eq!(count(ScalarType::I32, [0, 0, -1]), message(-1));
}

#[test]
fn scalar_errors_name_their_value() {
    let mut manifest = samples::manifest();
    manifest.functions[0].body.push(Statement::Scalar {
        result: Id(40),
        op: ScalarOp::DivSI,
        operands: vec![Id(2), Id(4)],
        ty: ScalarType::Index,
    });
    let mut device = FakeDevice::default();
    let mut values = values(2);
    let before = values.clone();
    let error = run_manifest(&manifest, &mut device, &mut values).unwrap_err();
    assert_eq!(error.to_string(), "value %40: 'divsi' divides 2 by zero");
    assert_eq!(error.kind(), ErrorKind::Program);
    assert_eq!(values, before, "a failed run changes nothing on the host");
    assert_eq!(device.live(), 0);
}

#[test]
fn failures_of_the_device_free_what_there_is() {
    for call in ["allocate", "upload 1", "launch", "synchronize", "download 0"] {
        let mut device = FakeDevice { fails_at: Some(call), ..FakeDevice::default() };
        let mut values = values(2);
        let error = run_manifest(&samples::manifest(), &mut device, &mut values).unwrap_err();
        assert_eq!(error.to_string(), "the call failed: as the test wants", "{call}");
        assert_eq!(error.kind(), ErrorKind::Surroundings);
        assert_eq!(device.live(), 0, "{call}");
    }
}

#[test]
fn memory_is_asked_for_before_the_first_allocation() {
    let fits = FakeDevice { capacity: Some(96), ..FakeDevice::default() };
    let too_small = FakeDevice { capacity: Some(95), ..FakeDevice::default() };
    for (mut device, expected) in [(fits, None), (too_small, Some(()))] {
        let result = run_manifest(&samples::manifest(), &mut device, &mut values(1));
        assert_eq!(result.as_ref().err().map(|_| ()), expected);
        if let Err(error) = result {
            assert_eq!(
                error.to_string(),
                "the program needs 96 bytes (0.00 GiB) of device memory, 95 bytes (0.00 GiB) are \
                 free; make its fields smaller, stop other processes on the device, or choose \
                 another device"
            );
            assert!(device.calls.is_empty());
        }
    }
}

fn session_refusal(arguments: Vec<BoundArgument<'_, Buffer>>) -> String {
    let manifest = samples::manifest();
    let mut device = FakeDevice::default();
    let session = Session::new(&manifest.functions[0], &manifest, &mut device, arguments);
    session.err().unwrap().to_string()
}

#[test]
fn arguments_have_the_kind_and_size_of_their_place() {
    let index = BoundArgument::Scalar(ScalarValue::from_integer(ScalarType::Index, 1));
    assert_eq!(session_refusal(vec![index]), "function 'heat' takes 4 arguments, got 1");
    let index = || BoundArgument::Scalar(ScalarValue::from_integer(ScalarType::Index, 1));
    assert_eq!(
        session_refusal(vec![BoundArgument::Host(&mut [0; 44]), index(), index(), index()]),
        "argument 0 'u' takes a field [-1,11]xf32 of 48 bytes, got 44 bytes"
    );
    assert_eq!(
        session_refusal(vec![
            BoundArgument::Host(&mut [0; 48]),
            BoundArgument::Host(&mut [0; 48]),
            index(),
            index()
        ]),
        "argument 3 (symbol 'dt') takes a scalar of f32, got a scalar of index"
    );
}

#[test]
fn fields_do_not_share_memory() {
    let scalars = || {
        values(1).into_iter().skip(2).map(|value| match value {
            Value::Scalar(value) => BoundArgument::Scalar(value),
            Value::Field(_) => panic!("scalars come last"),
        })
    };
    let mut arguments = vec![BoundArgument::Device(3), BoundArgument::Device(3)];
    arguments.extend(scalars());
    assert_eq!(
        session_refusal(arguments),
        "argument 0 'u' and argument 1 'v' are bound to overlapping memory; \
         each field needs its own"
    );
    // Distinct buffers are used in place: nothing is allocated, copied or freed for them.
    let manifest = samples::manifest();
    let mut device = FakeDevice::default();
    let buffers = [device.allocate(48).unwrap(), device.allocate(48).unwrap()];
    let mut arguments: Vec<_> = buffers.map(BoundArgument::Device).into();
    arguments.extend(scalars());
    run(&manifest.functions[0], &manifest, &mut device, arguments).unwrap();
    assert_eq!(device.calls, ["allocate 48", "allocate 48", "launch step 0 1 0.5", "synchronize"]);
}
