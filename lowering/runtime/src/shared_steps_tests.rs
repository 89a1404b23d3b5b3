//! Functions whose loops share the time steps: their number, and checkpoints.

use super::*;
use crate::{
    bind::{Requests, Value},
    checkpoint::{self, Contents},
    fake::{FakeDevice, after_steps, field, values},
    host::{self, Progress, Session},
    manifest::{ArgumentKind, Manifest, StepLimit},
    samples,
    scalar::ScalarOp,
};
use proptest::prelude::*;

/// The number of iterations.
const COUNT: Id = Id(22);

fn index(value: i64) -> ScalarValue {
    ScalarValue::from_integer(ScalarType::Index, value)
}

fn constant(id: u32, value: i64) -> Statement {
    Statement::Constant { result: Id(id), value: index(value) }
}

fn scalar(id: u32, op: ScalarOp, operands: [u32; 2]) -> Statement {
    let operands = operands.map(Id).to_vec();
    Statement::Scalar { result: Id(id), op, operands, ty: ScalarType::Index }
}

/// A loop from 0 to `upper` by 1 that starts with `initial` and makes `steps` steps an iteration.
/// The ids from `id` on are its own; it gives the fields as `id + 3` and `id + 4`.
fn steps_loop(id: u32, upper: u32, initial: [u32; 2], steps: u32) -> Statement {
    let (one, two) = (id + 1, id + 2);
    let launch = |number: u32| {
        let [from, to] = if number.is_multiple_of(2) { [one, two] } else { [two, one] };
        let arguments = vec![Id(from), Id(to), Id(6)];
        Statement::Launch { kernel: "step".to_owned(), arguments }
    };
    let [first, second] = if steps.is_multiple_of(2) { [one, two] } else { [two, one] };
    let carried = |initial, argument, next, result| Carried {
        initial: Id(initial),
        argument: Id(argument),
        next: Id(next),
        result: Id(result),
    };
    Statement::For {
        lower: Id(4),
        upper: Id(upper),
        step: Id(5),
        induction: Id(id),
        carried: vec![
            carried(initial[0], one, first, id + 3),
            carried(initial[1], two, second, id + 4),
        ],
        body: (0..steps).map(launch).collect(),
    }
}

/// The sample, with loops for four, two and one of its steps; `count` defines their number.
fn shared_by(count: Statement) -> Manifest {
    let mut manifest = samples::manifest();
    let function = &mut manifest.functions[0];
    function.body.pop();
    function.body.extend([
        constant(20, 4),
        constant(21, 2),
        count,
        scalar(23, ScalarOp::DivSI, [22, 20]),
        steps_loop(30, 23, [0, 1], 4),
        scalar(24, ScalarOp::RemSI, [22, 20]),
        scalar(25, ScalarOp::DivSI, [24, 21]),
        steps_loop(40, 25, [33, 34], 2),
        scalar(26, ScalarOp::RemSI, [24, 21]),
        steps_loop(50, 26, [43, 44], 1),
    ]);
    function.time_steps = shared_steps(function, COUNT, 1);
    manifest.validate().unwrap();
    manifest
}

/// Their number is an argument, but never below 0.
fn by_argument() -> Manifest {
    shared_by(scalar(COUNT.0, ScalarOp::MaxSI, [2, 4]))
}

fn by_constant(steps: i64) -> Manifest {
    shared_by(constant(COUNT.0, steps))
}

/// The fields after so many steps.
fn expected(steps: i64) -> [Vec<f32>; 2] {
    let start = values(0);
    after_steps([field(&start[0]), field(&start[1])], steps, 0.5)
}

fn run(manifest: &Manifest, mut values: Vec<Value>) -> ([Vec<f32>; 2], u64) {
    let mut device = FakeDevice::default();
    let arguments = values.iter_mut().map(Value::bound).collect();
    let report = host::run(&manifest.functions[0], manifest, &mut device, arguments).unwrap();
    ([field(&values[0]), field(&values[1])], report.launches)
}

#[test]
fn places_go_through_all_loops() {
    let manifest = by_argument();
    let time_loop = TimeLoop::of(&manifest.functions[0]).unwrap();
    assert_eq!(time_loop.loops.len(), 3);
    // A value is traced back through all loops to the argument.
    let place = |initial, result| Place { initial: Id(initial), result: Id(result) };
    assert_eq!(time_loop.places(), [place(0, 53), place(1, 54)]);
    // Two of the loops leave the fields in their places; the third needs two iterations.
    let steps = TimeSteps { value: COUNT, step: 1, rotation: 2 };
    assert_eq!(manifest.functions[0].time_steps, Some(steps));
    assert_eq!(Manifest::from_json(manifest.to_json().as_bytes()), Ok(manifest));
}

#[test]
fn a_table_limits_the_steps_that_loops_share() {
    let limited = |mut manifest: Manifest| {
        manifest.functions[0].step_limits =
            vec![StepLimit { argument: Some(1), first: 0, last: 8 }];
        manifest.validate().unwrap();
        manifest
    };
    let (constant, by_argument) = (limited(by_constant(7)), limited(by_argument()));
    let set = |manifest: &Manifest, steps| {
        let done = set_steps(&manifest.functions[0], steps, &mut Requests::default());
        done.map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(set(&constant, 9), Ok(()));
    assert_eq!(set(&by_argument, 9), Ok(()));
    let refusal = |steps| {
        Err(format!(
            "argument 1 'v' has values for 9 time steps from 0 on, and {steps} would be made; make \
             fewer, or give it more cells and its access in the program a wider range"
        ))
    };
    assert_eq!(set(&constant, 11), refusal(11));
    assert_eq!(set(&by_argument, 10), refusal(10));
    let bound = |steps: i64| {
        let mut values = values(0);
        values[2] = Value::Scalar(ScalarValue::from_integer(ScalarType::Index, steps));
        check_steps(&by_argument.functions[0], &values).map_err(|error| error.to_string())
    };
    assert_eq!([bound(0), bound(9)], [Ok(()), Ok(())]);
    assert_eq!(bound(10), refusal(10));
    assert_eq!(
        summary(&constant.functions[0]),
        "time steps: 7; --steps N takes any number that differs by a multiple of 2; argument 1 'v' \
         has values for 9"
    );
}

#[test]
fn manifests_of_the_form_before_are_read() {
    let manifest = samples::manifest();
    let text = manifest.to_json().replacen("\"format\": 5", "\"format\": 3", 1);
    assert!(!text.contains("time_steps"));
    assert_eq!(Manifest::from_json(text.as_bytes()), Ok(Manifest { format: 3, ..manifest }));
}

#[test]
fn a_number_that_is_nowhere_is_refused() {
    let refusal = |change: fn(&mut TimeSteps)| {
        let mut manifest = by_argument();
        manifest.functions[0].time_steps.iter_mut().for_each(change);
        manifest.validate().unwrap_err().to_string()
    };
    let not_there = |id: u32| {
        format!(
            "function 'heat': time steps: value %{id} is not a scalar computed before \
                 the first loop"
        )
    };
    assert_eq!(refusal(|steps| steps.value = Id(99)), not_there(99));
    assert_eq!(refusal(|steps| steps.value = Id(2)), not_there(2));
    assert_eq!(refusal(|steps| steps.value = Id(24)), not_there(24));
    assert_eq!(
        refusal(|steps| steps.value = Id(6)),
        "function 'heat': time steps: value %6 is a f32, expected an integer"
    );
    let empty = "function 'heat': time steps: the step is 0, the rotation 2; both are at least 1";
    assert_eq!(refusal(|steps| steps.step = 0), empty);
    assert!(refusal(|steps| steps.rotation = 0).contains("the rotation 0"));
}

#[test]
fn an_argument_is_set_from_which_the_number_is_computed() {
    // n = max(0, (steps - 3 + 4) / 5): the source's loop from 3 to 'steps' by 5.
    let mut manifest = by_argument();
    let function = &mut manifest.functions[0];
    let place = function.time_steps.unwrap().place(&function.body);
    function.body.splice(
        place..=place,
        [
            constant(60, 1),
            constant(61, 5),
            scalar(62, ScalarOp::AddI, [2, 60]),
            scalar(63, ScalarOp::DivSI, [62, 61]),
            scalar(COUNT.0, ScalarOp::MaxSI, [63, 4]),
        ],
    );
    function.time_steps.as_mut().unwrap().step = 5;
    manifest.validate().unwrap();
    let function = &manifest.functions[0];
    assert_eq!(summary(function), "time steps: --steps N sets argument 2 'steps'");
    for (steps, argument) in [(0, 3), (5, 8), (5_000_000_000, 5_000_000_003_u64)] {
        let mut requests = Requests::default();
        assert_eq!(*set_steps(function, steps, &mut requests).unwrap(), *function);
        assert_eq!(requests.arguments, [format!("2={argument}").parse().unwrap()]);
    }
    let refusal = |steps| set_steps(function, steps, &mut Requests::default()).unwrap_err();
    assert_eq!(
        refusal(7).to_string(),
        "7 time steps are not a multiple of 5, which one iteration of the loop makes"
    );
    assert!(refusal(u64::MAX).to_string().contains("do not fit into the loop's bounds"));
    let mut given = Requests { arguments: vec!["2=1".parse().unwrap()], ..Requests::default() };
    assert!(matches!(set_steps(function, 5, &mut given), Err(StepsError::GivenTwice(_))));
}

#[test]
fn a_constant_is_replaced_by_whole_rotations() {
    let manifest = by_constant(7);
    assert_eq!(
        summary(&manifest.functions[0]),
        "time steps: 7; --steps N takes any number that differs by a multiple of 2"
    );
    for steps in [1, 3, 7, 9, 13] {
        let mut requests = Requests::default();
        let function = set_steps(&manifest.functions[0], steps, &mut requests).unwrap();
        assert!(requests.arguments.is_empty());
        let functions = vec![function.into_owned()];
        let manifest = Manifest { functions, ..manifest.clone() };
        manifest.validate().unwrap();
        assert_eq!(run(&manifest, values(0)), (expected(steps as i64), steps));
    }
    let error = set_steps(&manifest.functions[0], 8, &mut Requests::default()).unwrap_err();
    assert!(error.to_string().ends_with("by a multiple of 2, such as 9"), "{error}");
}

#[test]
fn what_does_not_follow_the_number_is_fixed() {
    // The loop for the remainder ends at a constant.
    let mut manifest = by_constant(7);
    let Some(Statement::For { upper, .. }) = manifest.functions[0].body.last_mut() else {
        panic!("a loop")
    };
    *upper = Id(5);
    manifest.validate().unwrap();
    let function = &manifest.functions[0];
    assert_eq!(
        summary(function),
        "time steps: fixed, one of its loops does not end at the number of steps"
    );
    assert_eq!(
        Contents::of(function, NonZeroU64::new(2).unwrap()).unwrap_err().to_string(),
        "checkpoints cannot be written: the kernels of function 'heat' make several steps \
         at once, and its loops cannot be run in pieces, because one of them does not end where \
         the number of steps says"
    );
    // The number is computed from two arguments.
    let mut manifest = by_argument();
    let function = &mut manifest.functions[0];
    let place = function.time_steps.unwrap().place(&function.body);
    let kind = ArgumentKind::Scalar { scalar: ScalarType::Index, symbol: None };
    function.arguments[3].kind = kind;
    function.body.remove(2);
    function.body[place - 1] = scalar(COUNT.0, ScalarOp::AddI, [2, 3]);
    let summary = summary(&manifest.functions[0]);
    assert!(summary.contains("computed from several arguments"), "{summary}");
}

/// A run with a checkpoint after every so many steps: the fields at the end, and at each stop.
fn with_stops(
    manifest: &Manifest,
    (steps, every): (i64, u64),
    differences: &[&str],
) -> ([Vec<f32>; 2], Vec<(u64, Value)>) {
    let (function, every) = (&manifest.functions[0], NonZeroU64::new(every).unwrap());
    let contents = Contents::of(function, every).unwrap();
    assert_eq!(contents.differences(), differences);
    let mut values = values(steps);
    let scalars = checkpoint::scalars_of(&values);
    let (mut device, mut stops) = (FakeDevice::default(), Vec::new());
    let arguments = values.iter_mut().map(Value::bound).collect();
    let mut session = Session::new(function, manifest, &mut device, arguments).unwrap();
    session.upload().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let report = session
        .execute_with_checkpoints(
            every,
            |stop| contents.kept(stop),
            |checkpoint| {
                let run = checkpoint::Run { function, values: &scalars, seed: 1 };
                contents.write(folder.path(), checkpoint, run)?;
                stops.push((checkpoint.stop().steps, Value::Field(checkpoint.read(0).to_vec())));
                Ok(())
            },
            &mut Progress::unwatched(),
        )
        .unwrap();
    assert_eq!(report.launches, steps as u64);
    session.download().unwrap();
    drop(session);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), stops.len());
    ([field(&values[0]), field(&values[1])], stops)
}

#[test]
fn fields_are_written_between_pieces() {
    let manifest = by_argument();
    for (steps, every) in [(0, 2), (1, 2), (8, 2), (9, 4), (23, 6), (12, 12), (12, 14)] {
        let (fields, stops) = with_stops(&manifest, (steps, every), &[]);
        assert_eq!(fields, expected(steps), "{steps} steps, every {every}");
        let numbers: Vec<u64> = (1..=steps as u64 / every).map(|piece| piece * every).collect();
        assert_eq!(stops.iter().map(|stop| stop.0).collect::<Vec<_>>(), numbers);
        for (done, content) in stops {
            assert_eq!(field(&content), expected(done as i64)[0], "after {done} of {steps}");
        }
    }
    let refusal = |manifest: &Manifest, every: u64| {
        let every = NonZeroU64::new(every).unwrap();
        Contents::of(&manifest.functions[0], every).unwrap_err().to_string()
    };
    assert_eq!(
        refusal(&manifest, 3),
        "checkpoints cannot be written after every 3 time steps: the kernels make several steps at \
         once, and leave the fields in their places after a multiple of 2 only"
    );
    // A wrong manifest is detected by the run.
    let mut broken = by_argument();
    broken.functions[0].time_steps.as_mut().unwrap().rotation = 1;
    let mut device = FakeDevice::default();
    let mut values = values(5);
    let arguments = values.iter_mut().map(Value::bound).collect();
    let mut session = Session::new(&broken.functions[0], &broken, &mut device, arguments).unwrap();
    let progress = &mut Progress::unwatched();
    let error = session
        .execute_with_checkpoints(NonZeroU64::MIN, |_| Vec::new(), |_| Ok(()), progress)
        .unwrap_err();
    assert!(error.to_string().ends_with("the package is broken"), "{error}");
}

/// Why the loops of the changed sample cannot be run in pieces.
fn no_pieces(change: impl FnOnce(&mut Vec<Statement>)) -> String {
    let mut manifest = by_argument();
    change(&mut manifest.functions[0].body);
    manifest.validate().unwrap();
    let every = NonZeroU64::new(4).unwrap();
    let error = Contents::of(&manifest.functions[0], every).unwrap_err().to_string();
    error.rsplit_once("because ").unwrap().1.to_owned()
}

#[test]
fn what_hinders_pieces_is_said() {
    let launch =
        || Statement::Launch { kernel: "step".to_owned(), arguments: vec![Id(0), Id(1), Id(6)] };
    let first_loop = |body: &[Statement]| {
        body.iter().position(|statement| matches!(statement, Statement::For { .. })).unwrap()
    };
    // Before the number it is executed once, which is allowed; after it, before each piece.
    assert_eq!(
        no_pieces(|body| body.insert(first_loop(body), launch())),
        "the program computes between them"
    );
    assert_eq!(
        no_pieces(|body| {
            let Some(Statement::For { carried, .. }) = body.last_mut() else { panic!("a loop") };
            let (initial, argument, result) = (Id(3), Id(70), Id(71));
            carried.push(Carried { initial, argument, next: argument, result });
        }),
        "they carry scalars"
    );
}

#[test]
fn counters_go_on_from_piece_to_piece() {
    let mut manifest = by_argument();
    let function = &mut manifest.functions[0];
    let first = function.body.iter().position(|it| matches!(it, Statement::For { .. })).unwrap();
    function.body.truncate(first);
    let mut one = steps_loop(30, COUNT.0, [0, 1], 1);
    let Statement::For { body, .. } = &mut one else { panic!("a loop") };
    let Statement::Launch { arguments, .. } = &mut body[0] else { panic!("a launch") };
    arguments[2] = Id(70);
    let convert = |result, op, from, ty| Statement::Scalar {
        result: Id(result),
        op,
        operands: vec![Id(from)],
        ty,
    };
    body.insert(0, convert(71, ScalarOp::IndexCast, 30, ScalarType::I32));
    body.insert(1, convert(70, ScalarOp::SIToFP, 71, ScalarType::F32));
    function.body.push(one);
    function.time_steps = shared_steps(function, COUNT, 1);
    manifest.validate().unwrap();
    let (whole, _) = run(&manifest, values(11));
    assert_ne!(whole, expected(11));
    let (in_pieces, stops) = with_stops(&manifest, (11, 4), &["a step reads the loop's counter"]);
    assert_eq!(in_pieces, whole);
    assert_eq!(stops.len(), 2);
}

proptest! {
    #[test]
    fn pieces_give_what_the_whole_run_gives(steps in 0_i64..60, piece in 1_u64..20) {
        let manifest = by_argument();
        let (whole, launches) = run(&manifest, values(steps));
        prop_assert_eq!(launches, steps as u64);
        prop_assert_eq!(&whole, &expected(steps));
        let (in_pieces, stops) = with_stops(&manifest, (steps, 2 * piece), &[]);
        prop_assert_eq!(in_pieces, whole);
        prop_assert_eq!(stops.len() as u64, steps as u64 / (2 * piece));
    }
}
