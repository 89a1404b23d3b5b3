//! Stops of a run: what the writer gets, how far the run is ahead of it, and errors of both.

use super::*;
use crate::{
    bind::Value,
    fake::{FakeDevice, values},
    output::OutputError,
    samples,
};
use std::io;

const EVERY: NonZeroU64 = NonZeroU64::MIN;

/// Runs the sample with a stop after each step; both of its buffers are kept.
fn run(
    device: &mut FakeDevice,
    steps: i64,
    write: impl FnMut(&Checkpoint) -> Result<(), RuntimeError> + Send,
) -> Result<RunReport, RuntimeError> {
    let manifest = samples::manifest();
    let mut values = values(steps);
    let arguments = values.iter_mut().map(Value::bound).collect();
    let mut session = Session::new(&manifest.functions[0], &manifest, device, arguments)?;
    session.upload()?;
    let kept = |_: &Stop| vec![1, 0];
    session.execute_with_checkpoints(EVERY, kept, write, &mut Progress::unwatched())
}

fn full() -> RuntimeError {
    let error = io::Error::from(io::ErrorKind::StorageFull);
    RuntimeError::Output(OutputError { path: "out".into(), error })
}

#[test]
fn every_stop_is_written_with_what_it_had() {
    let mut written = Vec::new();
    let mut device = FakeDevice::default();
    let write = |checkpoint: &Checkpoint| {
        let content = [0, 1].map(|number| checkpoint.read(number).to_vec());
        written.push((checkpoint.stop().steps, content));
        Ok(())
    };
    let report = run(&mut device, 9, write).unwrap();
    assert_eq!((report.launches, device.live()), (9, 0));
    assert_eq!(
        written.iter().map(|(steps, _)| *steps).collect::<Vec<_>>(),
        (1..10).collect::<Vec<_>>()
    );
    // A step writes one of the two fields, and leaves the other.
    for (two, step) in written.windows(2).zip(1..) {
        let read = step % 2;
        assert_eq!(two[0].1[read], two[1].1[read], "after step {step}");
        assert_ne!(two[0].1[1 - read], two[1].1[1 - read], "after step {step}");
    }
}

#[test]
fn a_run_waits_for_a_slow_writer() {
    let mut device = FakeDevice::default();
    let mut written = Vec::new();
    let write = |checkpoint: &Checkpoint| {
        thread::sleep(Duration::from_millis(2));
        written.push(checkpoint.stop().steps);
        Ok(())
    };
    run(&mut device, 12, write).unwrap();
    assert_eq!(written, (1..=12).collect::<Vec<_>>(), "a run ends when all is written");
}

#[test]
fn a_writer_that_fails_ends_the_run() {
    let mut device = FakeDevice::default();
    let mut tried = Vec::new();
    let write = |checkpoint: &Checkpoint| {
        tried.push(checkpoint.stop().steps);
        if checkpoint.stop().steps == 3 { Err(full()) } else { Ok(()) }
    };
    let error = run(&mut device, 1000, write).unwrap_err();
    assert!(matches!(error, RuntimeError::Output(_)), "{error}");
    assert_eq!(tried, [1, 2, 3], "nothing is written after an error");
    assert!(device.launches().len() < 10, "{} launches", device.launches().len());
    assert_eq!(device.live(), 0);
}

#[test]
fn the_last_write_may_fail_too() {
    let last = |checkpoint: &Checkpoint| match checkpoint.stop().steps {
        5 => Err(full()),
        _ => Ok(()),
    };
    let error = run(&mut FakeDevice::default(), 5, last).unwrap_err();
    assert!(matches!(error, RuntimeError::Output(_)), "{error}");
}

#[test]
fn a_device_that_fails_leaves_what_was_handed_over() {
    let mut device = FakeDevice { fails_after: Some(("launch", 3)), ..FakeDevice::default() };
    let mut written = Vec::new();
    let write = |checkpoint: &Checkpoint| {
        written.push(checkpoint.stop().steps);
        Ok(())
    };
    let error = run(&mut device, 9, write).unwrap_err();
    assert!(error.to_string().contains("as the test wants"), "{error}");
    assert_eq!(written, [1, 2, 3]);
}

#[test]
fn who_watches_is_told_of_all_operations() {
    let manifest = samples::manifest();
    for stops in [false, true] {
        let (mut device, mut values, mut told) = (FakeDevice::default(), values(1001), Vec::new());
        let arguments = values.iter_mut().map(Value::bound).collect();
        let mut session =
            Session::new(&manifest.functions[0], &manifest, &mut device, arguments).unwrap();
        session.upload().unwrap();
        let mut progress = Progress::watched_by(|done| told.push(done));
        match stops {
            false => session.execute_watched(&mut progress).unwrap(),
            true => {
                let every = NonZeroU64::new(400).unwrap();
                let (kept, write) = (|_: &Stop| vec![0], |_: &Checkpoint| Ok(()));
                session.execute_with_checkpoints(every, kept, write, &mut progress).unwrap()
            }
        };
        drop(progress);
        session.download().unwrap();
        drop(session);
        assert!(told.is_sorted() && told.len() > 1, "{told:?}");
        assert_eq!(told.last(), Some(&1001));
        assert_eq!(device.launches().len(), 1001);
    }
}
