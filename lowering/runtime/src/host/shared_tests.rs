//! Two fake devices share the sample's domain.

use super::*;
use crate::{
    bind::Value,
    error::RuntimeError,
    fake::{FakeDevice, after_steps, field},
    host::{Session, run},
    manifest::{Seam, Window},
    random, samples,
    scalar::{ScalarType, ScalarValue},
};

/// Random fields of the whole domain, `steps`, and dt.
fn values(steps: i64) -> Vec<Value> {
    let field =
        |position| Value::Field(random::random_field(1, position, ScalarType::F32, 18).unwrap());
    vec![
        field(0),
        field(1),
        Value::Scalar(ScalarValue::from_integer(ScalarType::Index, steps)),
        Value::Scalar(ScalarValue::from_f64(ScalarType::F32, 0.25)),
    ]
}

/// What one device makes of them.
fn expected(steps: i64) -> [Vec<f32>; 2] {
    let values = values(steps);
    after_steps([field(&values[0]), field(&values[1])], steps, 0.5)
}

fn run_on(
    manifest: &Manifest,
    devices: &mut [FakeDevice],
    values: &mut [Value],
) -> Result<SharedReport, RuntimeError> {
    let arguments = values.iter_mut().map(Value::bound).collect();
    let mut session = SharedSession::new(&manifest.functions[0], manifest, devices, arguments)?;
    session.upload()?;
    let report = session.execute()?;
    session.download()?;
    Ok(report)
}

fn devices() -> [FakeDevice; 2] {
    [FakeDevice::default(), FakeDevice::default()]
}

#[test]
fn two_devices_give_the_bits_of_one() {
    for steps in 0..8 {
        let (mut values, mut devices) = (values(steps), devices());
        let report = run_on(&samples::shared_manifest(), &mut devices, &mut values).unwrap();
        assert_eq!([field(&values[0]), field(&values[1])], expected(steps), "{steps} steps");
        let exchanges = (steps as u64).div_ceil(2).saturating_sub(1);
        assert_eq!((report.exchanges, report.run.launches), (exchanges, steps as u64));
        // Three planes of two fields in each direction.
        assert_eq!(report.exchanged_bytes, exchanges * 3 * 4 * 4);
        assert!(devices.iter().all(|device| device.live() == 0), "all buffers are freed");
    }
}

#[test]
fn an_exchange_is_marked_and_waited_for() {
    let (mut values, mut devices) = (values(4), devices());
    run_on(&samples::shared_manifest(), &mut devices, &mut values).unwrap();
    let calls = |device: &FakeDevice| {
        let calls = device.calls.iter().filter(|call| {
            ["launch", "mark", "wait", "receive", "pull"]
                .iter()
                .any(|start| call.starts_with(start))
        });
        calls.cloned().collect::<Vec<_>>()
    };
    let pieces = ["launch step 0 1 0.5", "launch step 1 0 0.5"];
    let exchange = |pulls: [&str; 2]| {
        let before = ["mark Computed", "receive after itself", "receive after another"];
        let after = ["mark Copied", "wait for copies of its own", "wait for copies of another"];
        let [before, after] = [before, after].map(|calls| calls.map(str::to_owned));
        let pulls = pulls.map(str::to_owned);
        let piece = pieces.map(str::to_owned);
        [&piece[..], &before, &pulls, &after, &piece].concat()
    };
    let first = exchange(["pull 0 at 36 from 0 at 12, 12", "pull 1 at 36 from 1 at 12, 12"]);
    let second = exchange(["pull 0 at 0 from 0 at 24, 12", "pull 1 at 0 from 1 at 24, 12"]);
    assert_eq!(calls(&devices[0]), first);
    assert_eq!(calls(&devices[1]), second);
}

/// Planes that are too few, or of the wrong place, or of one field only, change the result.
#[test]
fn a_wrong_exchange_changes_the_result() {
    let wrong = |change: fn(&mut Vec<Exchange>)| {
        let (manifest, mut values, mut devices) =
            (samples::shared_manifest(), values(6), devices());
        let arguments = values.iter_mut().map(Value::bound).collect();
        let function = &manifest.functions[0];
        let mut session = SharedSession::new(function, &manifest, &mut devices, arguments).unwrap();
        change(&mut session.exchanges);
        session.upload().unwrap();
        session.execute().unwrap();
        session.download().unwrap();
        drop(session);
        [field(&values[0]), field(&values[1])] != expected(6)
    };
    assert!(!wrong(|_| {}));
    assert!(wrong(|all| all.retain(|one| one.argument == 1)));
    assert!(wrong(|all| all.retain(|one| one.to == 1)));
    assert!(wrong(|all| all.iter_mut().for_each(|one| one.from_plane -= 1)));
    assert!(wrong(|all| all.iter_mut().for_each(|one| one.planes -= 2)));
}

/// The second field is overwritten before it is read: devices need no planes of it, and all three
/// of the first.
#[test]
fn devices_get_what_they_need() {
    let run = |first: i64| {
        let (mut manifest, mut values, mut devices) =
            (samples::shared_manifest(), values(6), devices());
        let fields = &mut manifest.functions[0].decomposition.as_mut().unwrap().fields;
        let planes = vec![vec![[8, 10]], vec![[first, 2]]];
        fields[0].as_mut().unwrap().received = Some(planes);
        fields[1].as_mut().unwrap().received = Some(vec![Vec::new(); 2]);
        assert_eq!(manifest.validate(), Ok(()));
        let report = run_on(&manifest, &mut devices, &mut values).unwrap();
        let is_right = [field(&values[0]), field(&values[1])] == expected(6);
        (report.exchanged_bytes, is_right)
    };
    // Two exchanges of two planes in each direction.
    assert_eq!(run(0), (2 * 4 * 4, true));
    assert_eq!(run(1), (2 * 3 * 4, false));
}

#[test]
fn planes_that_need_no_exchange_are_computed_beside_it() {
    for steps in 0..8 {
        let (mut values, mut devices) = (values(steps), devices());
        run_on(&samples::manifest_in_ranges(), &mut devices, &mut values).unwrap();
        assert_eq!([field(&values[0]), field(&values[1])], expected(steps), "{steps} steps");
    }
    let (mut values, mut devices) = (values(4), devices());
    run_on(&samples::manifest_in_ranges(), &mut devices, &mut values).unwrap();
    let calls = devices[1]
        .calls
        .iter()
        .filter(|call| ["launch", "wait", "fork", "join"].iter().any(|it| call.starts_with(it)));
    let wanted = [
        "launch step 0 1 0.5 1 10",
        "launch step 1 0 0.5 2 10",
        "launch step 0 1 0.5 3 10",
        "fork 0",
        "wait for copies of its own",
        "launch step 0 1 0.5 1 3",
        "join",
        "wait for copies of another",
        "launch step 1 0 0.5 2 10",
    ];
    assert_eq!(calls.collect::<Vec<_>>(), wanted);
}

/// Planes that are computed too early, or not at all, and a field that changes while it is copied.
#[test]
fn wrong_planes_change_the_result() {
    let wrong = |change: fn(&mut Manifest)| {
        let (mut manifest, mut values, mut devices) =
            (samples::manifest_in_ranges(), values(6), devices());
        change(&mut manifest);
        run_on(&manifest, &mut devices, &mut values).unwrap();
        [field(&values[0]), field(&values[1])] != expected(6)
    };
    fn windows(manifest: &mut Manifest) -> &mut [Window] {
        &mut manifest.functions[0].decomposition.as_mut().unwrap().windows
    }
    assert!(!wrong(|_| {}));
    assert!(wrong(|manifest| windows(manifest)[0].early[0][1] += 1));
    assert!(wrong(|manifest| windows(manifest)[1].early[0][0] -= 1));
    assert!(wrong(|manifest| windows(manifest)[0].computed[1][1] -= 1));
    assert!(wrong(|manifest| windows(manifest)[1].computed[0][0] += 1));
}

/// Of a window with a seam and one without.
#[test]
fn launches_take_the_numbers_of_their_window() {
    let (mut manifest, mut values, mut devices) =
        (samples::manifest_with_window_numbers(), values(1), devices());
    let shared = manifest.functions[0].decomposition.as_mut().unwrap();
    shared.windows[0].seam = Some(Seam { plane: 11, shift: 5 });
    run_on(&manifest, &mut devices, &mut values).unwrap();
    let launches = devices.each_ref().map(|device| {
        let launch = device.calls.iter().find(|call| call.starts_with("launch"));
        launch.unwrap().as_str()
    });
    let none = i64::MAX;
    assert_eq!(launches[0], "launch step 0 1 0.5 0 11 5");
    assert_eq!(launches[1], format!("launch step 0 1 0.5 6 {none} 6"));
}

/// While the planes of a field are copied nothing overwrites them.
#[test]
fn a_field_that_is_exchanged_is_not_written_early() {
    let (mut manifest, mut values, mut devices) =
        (samples::manifest_in_ranges(), values(6), devices());
    let fields = &mut manifest.functions[0].decomposition.as_mut().unwrap().fields;
    fields[1].as_mut().unwrap().received = fields[0].as_ref().unwrap().received.clone();
    run_on(&manifest, &mut devices, &mut values).unwrap();
    assert_eq!([field(&values[0]), field(&values[1])], expected(6));
    let is_early = |call: &String| call.as_str() == "launch step 0 1 0.5 3 10";
    assert!(!devices[1].calls.iter().any(is_early));
}

#[test]
fn a_session_runs_again_from_the_same_content() {
    let (manifest, mut values, mut devices) = (samples::shared_manifest(), values(5), devices());
    let arguments = values.iter_mut().map(Value::bound).collect();
    let function = &manifest.functions[0];
    let mut session = SharedSession::new(function, &manifest, &mut devices, arguments).unwrap();
    session.upload().unwrap();
    session.poison(0x4b).unwrap();
    session.execute().unwrap();
    let first = session.read(1).unwrap();
    session.restore().unwrap();
    session.execute().unwrap();
    assert_eq!(session.read(1).unwrap(), first);
    session.download().unwrap();
    drop(session);
    assert_eq!([field(&values[0]), field(&values[1])], expected(5));
}

#[test]
fn what_does_not_fit_is_refused() {
    let manifest = samples::shared_manifest();
    let mut one = [FakeDevice::default()];
    let error = run_on(&manifest, &mut one, &mut values(2)).unwrap_err().to_string();
    assert!(error.contains("was compiled for 2 devices, 1 is given"), "{error}");
    let mut devices =
        [FakeDevice::default(), FakeDevice { capacity: Some(95), ..Default::default() }];
    let error = run_on(&manifest, &mut devices, &mut values(2)).unwrap_err().to_string();
    assert!(error.starts_with("on device 1 of the run: the program needs 96 bytes"), "{error}");
    assert!(devices.iter().all(|device| device.live() == 0), "nothing is left");
    let mut window = crate::fake::values(2);
    let arguments = window.iter_mut().map(Value::bound).collect();
    let error = run(&manifest.functions[0], &manifest, &mut one[0], arguments);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("computes a window of its domain; name as many devices"), "{error}");
}

#[test]
fn a_function_for_one_device_runs_on_one() {
    let manifest = samples::manifest();
    let mut alone = crate::fake::values(3);
    let mut shared = alone.clone();
    let mut device = FakeDevice::default();
    let arguments = alone.iter_mut().map(Value::bound).collect();
    let mut session =
        Session::new(&manifest.functions[0], &manifest, &mut device, arguments).unwrap();
    session.upload().unwrap();
    session.execute().unwrap();
    session.download().unwrap();
    drop(session);
    let report = run_on(&manifest, &mut [FakeDevice::default()], &mut shared).unwrap();
    assert_eq!((report.exchanges, report.exchanged_bytes), (0, 0));
    assert_eq!(alone.iter().map(Value::clone).map(field_of).collect::<Vec<_>>(), {
        shared.into_iter().map(field_of).collect::<Vec<_>>()
    });
}

fn field_of(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::Field(cells) => Some(cells),
        Value::Scalar(_) => None,
    }
}
