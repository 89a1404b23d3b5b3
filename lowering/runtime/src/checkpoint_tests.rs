//! Checkpoints: their content, and restarting from them.

use super::*;
use crate::{
    bind::{self, Requests},
    fake::{FakeDevice, field, values},
    fields,
    host::{Progress, Session},
    manifest::{ArgumentKind, Carried, Manifest, Statement},
    samples,
    scalar::{ScalarOp, ScalarType},
};
use std::fs;

fn every(steps: u64) -> NonZeroU64 {
    NonZeroU64::new(steps).unwrap()
}

/// Runs `steps` steps from these values, with checkpoints; the values are then the results.
fn run(manifest: &Manifest, values: &mut [Value], interval: u64, folder: &Path) -> Vec<PathBuf> {
    let function = &manifest.functions[0];
    let contents = Contents::of(function, every(interval)).unwrap();
    let scalars = scalars_of(values);
    let mut device = FakeDevice::default();
    let arguments = values.iter_mut().map(Value::bound).collect();
    let mut session = Session::new(function, manifest, &mut device, arguments).unwrap();
    session.upload().unwrap();
    let mut written = Vec::new();
    session
        .execute_with_checkpoints(
            every(interval),
            |stop| contents.kept(stop),
            |checkpoint| {
                let run = Run { function, values: &scalars, seed: 1 };
                written.push(contents.write(folder, checkpoint, run)?);
                Ok(())
            },
            &mut Progress::unwatched(),
        )
        .unwrap();
    session.download().unwrap();
    written
}

/// The fields of a checkpoint, by position.
fn read(folder: &Path, position: usize) -> Vec<u8> {
    let function = samples::function();
    let shape = function.arguments[position].kind.as_field().unwrap();
    fields::read_npy(&folder.join(&field_file_names(&function.arguments)[position]), shape).unwrap()
}

/// Values for a run of so many steps that starts from a checkpoint.
fn restarted(folder: &Path, steps: u64) -> Vec<Value> {
    let arguments = samples::function().arguments;
    let mut requests = Requests::default();
    requests.add_folder(folder, &arguments).unwrap();
    for text in [format!("steps={steps}"), "3=0.25".to_owned()] {
        requests.arguments.push(text.parse().unwrap());
    }
    bind::bind(&arguments, &requests).unwrap()
}

#[test]
fn a_run_goes_on_from_every_checkpoint() {
    let (manifest, folder) = (samples::manifest(), tempfile::tempdir().unwrap());
    let (first, again) = (folder.path().join("first"), folder.path().join("again"));
    let mut whole = values(7);
    let written = run(&manifest, &mut whole, 1, &first);
    assert_eq!(written.len(), 7);
    for done in 1..7_u64 {
        let start = first.join(format!("step-{done:08}"));
        let mut rest = restarted(&start, 7 - done);
        run(&manifest, &mut rest, 1, &again);
        for step in 1..=(7 - done) {
            for position in [0, 1] {
                assert_eq!(
                    read(&again.join(format!("step-{step:08}")), position),
                    read(&first.join(format!("step-{:08}", done + step)), position),
                    "argument {position} after {step} steps from {done}"
                );
            }
        }
        // After whole rotation periods the fields are in their places; else they are swapped.
        match done % 2 {
            0 => assert_eq!(rest[..2], whole[..2]),
            _ => assert_eq!([&rest[1], &rest[0]], [&whole[0], &whole[1]]),
        }
    }
}

#[test]
fn stops_do_not_change_the_run() {
    let (manifest, folder) = (samples::manifest(), tempfile::tempdir().unwrap());
    let mut without = values(10);
    let mut device = FakeDevice::default();
    let arguments = without.iter_mut().map(Value::bound).collect();
    crate::host::run(&manifest.functions[0], &manifest, &mut device, arguments).unwrap();
    for interval in [1, 3, 10, 11] {
        let mut with = values(10);
        let written = run(&manifest, &mut with, interval, folder.path());
        assert_eq!(with, without);
        let names: Vec<String> =
            (1..=10 / interval).map(|count| format!("step-{:08}", count * interval)).collect();
        let written: Vec<&str> =
            written.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(written, names);
    }
}

#[test]
fn a_file_says_what_a_checkpoint_is() {
    let folder = tempfile::tempdir().unwrap();
    let written = run(&samples::manifest(), &mut values(3), 3, folder.path());
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(written[0].join(RUN_FILE)).unwrap()).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "function": "heat",
            "steps": 3,
            "seed": 1,
            "scalars": {"2": "3", "3": "0.25"},
            "fields": {
                "0": {"name": "u", "carried": true},
                "1": {"name": "v", "carried": true},
            },
            "rotation_steps": 2,
            "restart": {"exact": true, "differences": [], "same_places": false},
        })
    );
    // The newest field is in the place of 'u', where the next step reads it.
    let mut values = values(3);
    let mut device = FakeDevice::default();
    let manifest = samples::manifest();
    let arguments = values.iter_mut().map(Value::bound).collect();
    crate::host::run(&manifest.functions[0], &manifest, &mut device, arguments).unwrap();
    assert_eq!(Value::Field(read(&written[0], 0)), values[1]);
    assert_ne!(field(&values[0]), field(&values[1]));
}

#[test]
fn fields_that_are_not_carried_are_written_if_the_program_writes_them() {
    let mut manifest = samples::manifest();
    let function = &mut manifest.functions[0];
    let Some(Statement::For { carried, body, .. }) = function.body.last_mut() else {
        panic!("a loop")
    };
    carried.clear();
    *body =
        vec![Statement::Launch { kernel: "step".to_owned(), arguments: vec![Id(0), Id(1), Id(6)] }];
    let positions = |manifest: &Manifest| {
        let contents = Contents::of(&manifest.functions[0], every(1)).unwrap();
        assert!(contents.differences().is_empty());
        contents.fields.iter().map(|(position, _)| *position).collect::<Vec<_>>()
    };
    assert_eq!(positions(&manifest), [0, 1]);
    let ArgumentKind::Field(shape) = &mut manifest.functions[0].arguments[0].kind else {
        panic!("a field")
    };
    shape.written = false;
    assert_eq!(positions(&manifest), [1]);
    let ArgumentKind::Field(shape) = &mut manifest.functions[0].arguments[1].kind else {
        panic!("a field")
    };
    shape.scratch = true;
    assert!(positions(&manifest).is_empty());
}

/// The reasons why a restarted run of the changed sample would differ.
fn reasons(change: impl Fn(&mut Function)) -> Vec<&'static str> {
    let mut manifest = samples::manifest();
    change(&mut manifest.functions[0]);
    manifest.validate().unwrap();
    Contents::of(&manifest.functions[0], every(1)).unwrap().differences().to_vec()
}

fn launch(source: u32, target: u32) -> Statement {
    Statement::Launch { kernel: "step".to_owned(), arguments: vec![Id(source), Id(target), Id(6)] }
}

#[test]
fn what_makes_a_restart_differ_is_said() {
    assert!(reasons(|_| {}).is_empty());
    let place = samples::function().body.len() - 1;
    assert_eq!(
        reasons(|function| function.body.insert(place, launch(0, 1))),
        ["the program computes before its time loop, which a restart repeats"]
    );
    let with_loop = |change: fn(&mut Vec<Carried>, &mut Vec<Statement>)| {
        reasons(|function| {
            let Some(Statement::For { carried, body, .. }) = function.body.last_mut() else {
                panic!("a loop")
            };
            change(carried, body);
        })
    };
    assert_eq!(
        with_loop(|_, body| body.push(Statement::Scalar {
            result: Id(40),
            op: ScalarOp::AddI,
            operands: vec![Id(10), Id(10)],
            ty: ScalarType::Index,
        })),
        ["a step reads the loop's counter"]
    );
    assert_eq!(
        with_loop(|carried, _| carried.push(Carried {
            initial: Id(3),
            argument: Id(40),
            next: Id(40),
            result: Id(41),
        })),
        ["the time loop carries scalars, which a checkpoint does not hold"]
    );
    let direct = ["the time loop does not only rotate its fields"];
    assert_eq!(with_loop(|_, body| body.push(launch(0, 12))), direct);
    assert!(
        with_loop(|carried, _| carried.iter_mut().for_each(|c| c.next = c.argument)).is_empty()
    );
    assert_eq!(with_loop(|carried, _| carried[1].next = carried[0].next), direct);
}

#[test]
fn what_cannot_be_written_is_refused() {
    let mut manifest = samples::manifest();
    let function = &mut manifest.functions[0];
    let Some(Statement::For { carried, .. }) = function.body.last_mut() else { panic!("a loop") };
    carried[1].initial = Id(0);
    let error = Contents::of(function, every(1)).unwrap_err().to_string();
    assert_eq!(
        error,
        "checkpoints cannot be written: argument 0 'u' enters the time loop twice and has \
         two buffers"
    );
    function.body.pop();
    assert_eq!(
        Contents::of(function, every(1)).unwrap_err().to_string(),
        "function 'heat' has no time loop: there is no loop at its top level"
    );
    // Steps of four at a time.
    let mut manifest = samples::manifest();
    let function = &mut manifest.functions[0];
    function.body[1] = Statement::Constant {
        result: Id(5),
        value: ScalarValue::from_integer(ScalarType::Index, 4),
    };
    assert_eq!(
        Contents::of(function, every(6)).unwrap_err().to_string(),
        "6 time steps are not a multiple of 4, which one iteration of the loop makes"
    );
    assert!(Contents::of(function, every(8)).is_ok());
}
