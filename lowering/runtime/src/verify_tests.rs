//! Verification: what is right passes, and each kind of mistake is found.

use super::*;
use crate::{
    ErrorKind, Package,
    fake::{Defect, FakeDevice, values},
    manifest::{ArgumentKind, Id, Statement},
    samples,
    scalar::ScalarType,
};

const DEFECTS: [Defect; 4] =
    [Defect::Coefficient, Defect::DroppedStore, Defect::StaleHalo, Defect::StrayStore];

fn broken(defect: Defect) -> FakeDevice {
    FakeDevice { defect: Some(defect), ..FakeDevice::default() }
}

/// The sample's code with `change` made to its function.
fn code(change: impl Fn(&mut Function)) -> Code {
    let mut code = samples::code();
    change(&mut code.manifest.functions[0]);
    code.manifest.validate().unwrap();
    code
}

fn verify(code: &Code, plain: &Code, device: &mut FakeDevice) -> Result<Verified, RuntimeError> {
    let mut values = values(3);
    let before = values.clone();
    let function = |code| Code::function(code);
    let mut other = FakeDevice::default();
    let expected =
        Expected::by_plain_kernels(plain, function(plain), &mut values, &mut other).unwrap();
    assert_eq!(other.live(), 0, "one run's fields at a time are on the device");
    let result = expected.verify(code, function(code), &mut values, device);
    assert_eq!(values, before, "a verification changes nothing on the host");
    assert_eq!(device.live(), 0);
    result
}

impl Code {
    fn function(&self) -> &Function {
        &self.manifest.functions[0]
    }
}

#[test]
fn equal_kernels_pass() {
    let code = samples::code();
    let verified = verify(&code, &code, &mut FakeDevice::default()).unwrap();
    assert_eq!(verified, Verified { runs: 1, fields: 2, cells: 24 });
}

#[test]
fn each_defect_is_found() {
    let code = samples::code();
    for defect in DEFECTS {
        let error = verify(&code, &code, &mut broken(defect)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Program, "{defect:?}");
        let text = error.to_string();
        assert!(
            text.starts_with("the run of function 'heat' differs from its plain kernels; "),
            "{text}"
        );
        assert!(
            text.contains("\nargument 0 'u': cell [") || text.contains("argument 1 'v': cell [")
        );
    }
}

#[test]
fn a_stray_store_into_a_read_only_field_is_found() {
    let read_only = |function: &mut Function| {
        if let ArgumentKind::Field(shape) = &mut function.arguments[0].kind {
            shape.written = false;
        }
        // One step: from 'u' to 'v'.
        let Some(Statement::For { body, .. }) = function.body.pop() else { panic!("a loop") };
        function.body.extend(body);
        let Some(Statement::Launch { arguments, .. }) = function.body.last_mut() else {
            panic!("a launch")
        };
        *arguments = vec![Id(0), Id(1), Id(6)];
    };
    let code = code(read_only);
    assert!(verify(&code, &code, &mut FakeDevice::default()).is_ok());
    let error = verify(&code, &code, &mut broken(Defect::StrayStore)).unwrap_err().to_string();
    assert!(error.contains("argument 0 'u': cell [-1]"), "{error}");
}

/// A step reads an uninitialised temporary: with one content the result may look right.
#[test]
fn reading_what_nobody_wrote_is_found() {
    let through_temporary = |function: &mut Function| {
        let allocate =
            Statement::Allocate { result: Id(30), element: ScalarType::F32, elements: 12 };
        let launch = |source, target| Statement::Launch {
            kernel: "step".to_owned(),
            arguments: vec![Id(source), Id(target), Id(6)],
        };
        // The kernel leaves the first and the last cell of the temporary as they were.
        function.body.pop();
        function.body.extend([allocate, launch(0, 30), launch(30, 1)]);
    };
    let code = code(through_temporary);
    let error = verify(&code, &code, &mut FakeDevice::default()).unwrap_err().to_string();
    assert!(error.contains("argument 1 'v': cell [0]"), "{error}");
    assert!(error.contains("2 of 12 cells differ"), "{error}");
}

/// What a scratch field holds before a run counts: the second step reads its halo.
#[test]
fn scratch_fields_keep_their_content_and_are_not_compared() {
    let scratch = |function: &mut Function| {
        if let ArgumentKind::Field(shape) = &mut function.arguments[1].kind {
            shape.scratch = true;
        }
    };
    let code = code(scratch);
    let mut device = FakeDevice::default();
    let verified = verify(&code, &code, &mut device).unwrap();
    assert_eq!(verified.fields, 1);
    assert!(!device.calls.iter().any(|call| call.starts_with("fill 1 ")), "{:?}", device.calls);
}

/// A self-test of the sample, with the checksums that the in-memory device gives.
fn sample_selftest() -> Selftest {
    let mut selftest = samples::complete_package().selftest.unwrap();
    let run = &mut selftest.runs[0];
    run.seed = 9;
    let function = &selftest.code.manifest.functions[0];
    let (mut values, mut device) = (selftest_values(function, run).unwrap(), FakeDevice::default());
    let shape = function.arguments[0].kind.as_field().unwrap();
    let arguments = values.iter_mut().map(Value::bound).collect();
    crate::host::run(function, &selftest.code.manifest, &mut device, arguments).unwrap();
    for (position, value) in values.iter().enumerate() {
        if let Value::Field(cells) = value {
            run.fields.insert(position, canonical_sha256(shape, cells));
        }
    }
    selftest
}

#[test]
fn a_selftest_runs_every_function_twice() {
    let test = sample_selftest();
    let mut device = FakeDevice::default();
    let verified = selftest(&test, &mut device).unwrap();
    assert_eq!(verified, Verified { runs: 2, fields: 4, cells: 48 });
    assert_eq!(device.launches().len(), 6);
    assert_eq!(device.live(), 0);
}

#[test]
fn a_selftest_finds_each_defect() {
    let test = sample_selftest();
    for defect in DEFECTS {
        let error = selftest(&test, &mut broken(defect)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Program);
        let text = error.to_string();
        assert!(
            text.starts_with(
                "self-test, the first run of function 'heat' with seed 9: argument 0 'u' has \
                 checksum "
            ) || text.contains(": argument 1 'v' has checksum "),
            "{text}"
        );
        assert!(text.contains(&test.runs[0].fields[&0]) || text.contains(&test.runs[0].fields[&1]));
    }
    let mut changed = test.clone();
    changed.runs[0].seed += 1;
    let text = selftest(&changed, &mut FakeDevice::default()).unwrap_err().to_string();
    assert!(text.contains("with seed 10: argument 0 'u' has checksum "), "{text}");
}

#[test]
fn what_a_package_lacks_is_said() {
    let package: Package = samples::package();
    let error = RuntimeError::from(plain_of(&package).unwrap_err());
    assert_eq!(error.kind(), ErrorKind::Program);
    assert!(error.to_string().starts_with("package has no plain kernels to compare with; compile"));
    let error = selftest_of(&package).unwrap_err().to_string();
    assert!(error.starts_with("package has no self-test; compile it without"), "{error}");
    let complete = samples::complete_package();
    assert!(plain_of(&complete).is_ok() && selftest_of(&complete).is_ok());
}
