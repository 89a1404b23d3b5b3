//! Setting the number of time steps.

use super::*;
use crate::{
    bind::{Requests, Value},
    fake::{FakeDevice, after_steps, field, values},
    host,
    manifest::{Manifest, StepLimit},
    samples,
};
use proptest::prelude::*;
use std::borrow::Cow;

/// The sample with constant bounds: `lower`, `upper` and `step`.
fn constant(lower: i64, upper: i64, step: i64) -> Manifest {
    let mut manifest = samples::manifest();
    let body = &mut manifest.functions[0].body;
    let constant = |id, value| Statement::Constant {
        result: Id(id),
        value: ScalarValue::from_integer(ScalarType::Index, value),
    };
    body[0] = constant(4, lower);
    body[1] = constant(5, step);
    body.insert(2, constant(20, upper));
    let Some(Statement::For { upper, .. }) = body.last_mut() else { panic!("the loop is last") };
    *upper = Id(20);
    manifest.validate().unwrap();
    manifest
}

fn with_steps(manifest: &Manifest, steps: u64) -> Result<Function, String> {
    let mut requests = Requests::default();
    let function = set_steps(&manifest.functions[0], steps, &mut requests);
    assert!(requests.arguments.is_empty());
    function.map(Cow::into_owned).map_err(|error| error.to_string())
}

#[test]
fn an_argument_is_set() {
    let manifest = samples::manifest();
    let function = &manifest.functions[0];
    assert_eq!(summary(function), "time steps: --steps N sets argument 2 'steps'");
    let mut requests = Requests::default();
    let same = set_steps(function, 7, &mut requests).unwrap();
    assert_eq!(*same, *function);
    assert_eq!(requests.arguments, ["2=7".parse().unwrap()]);
    for given in ["steps=7", "2=7"] {
        let mut requests =
            Requests { arguments: vec![given.parse().unwrap()], ..Requests::default() };
        let error = set_steps(function, 7, &mut requests).unwrap_err();
        assert_eq!(
            error.to_string(),
            "argument 2 'steps' is set by --steps and by another option; give one of them"
        );
    }
    let mut requests = Requests::default();
    let error = set_steps(function, u64::MAX, &mut requests).unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "{} time steps do not fit into the loop's bounds, which are of type index",
            u64::MAX
        )
    );
}

#[test]
fn a_constant_is_replaced_by_whole_rotations() {
    let manifest = constant(3, 8, 1);
    assert_eq!(
        summary(&manifest.functions[0]),
        "time steps: 5; --steps N takes any number that differs by a multiple of 2"
    );
    for steps in [1, 5, 9] {
        let function = with_steps(&manifest, steps).unwrap();
        let manifest = Manifest { functions: vec![function], ..manifest.clone() };
        manifest.validate().unwrap();
        let (mut values, mut device) = (values(0), FakeDevice::default());
        let expected = after_steps([field(&values[0]), field(&values[1])], steps as i64, 0.5);
        let arguments = values.iter_mut().map(crate::bind::Value::bound).collect();
        let report = host::run(&manifest.functions[0], &manifest, &mut device, arguments).unwrap();
        assert_eq!(report.launches, steps);
        assert_eq!([field(&values[0]), field(&values[1])], expected);
    }
    for (steps, nearest) in [(0, 1), (4, 5), (6, 7), (100, 101)] {
        assert_eq!(
            with_steps(&manifest, steps).unwrap_err(),
            format!(
                "{steps} time steps would leave the rotated fields in other places than the 5 of \
                 the program; take a number that differs from 5 by a multiple of 2, such as \
                 {nearest}"
            )
        );
    }
}

#[test]
fn an_iteration_may_be_several_steps() {
    let manifest = constant(0, 16, 4);
    assert_eq!(
        summary(&manifest.functions[0]),
        "time steps: 16; --steps N takes any number that differs by a multiple of 8"
    );
    assert!(with_steps(&manifest, 24).is_ok());
    let error = with_steps(&manifest, 12).unwrap_err();
    assert!(error.ends_with("by a multiple of 8, such as 8"), "{error}");
    assert_eq!(
        with_steps(&manifest, 18).unwrap_err(),
        "18 time steps are not a multiple of 4, which one iteration of the loop makes"
    );
    // The last iteration goes beyond the bound: four are 16 steps.
    assert!(summary(&constant(0, 13, 4).functions[0]).starts_with("time steps: 16;"));
    assert!(summary(&constant(0, -3, 4).functions[0]).starts_with("time steps: 0;"));
}

#[test]
fn bounds_computed_from_constants_are_constants() {
    let mut manifest = constant(0, 5, 1);
    let sum = Statement::Scalar {
        result: Id(21),
        op: crate::ScalarOp::AddI,
        operands: vec![Id(20), Id(20)],
        ty: ScalarType::Index,
    };
    let body = &mut manifest.functions[0].body;
    body.insert(3, sum);
    let Some(Statement::For { upper, .. }) = body.last_mut() else { panic!("the loop is last") };
    *upper = Id(21);
    assert!(summary(&manifest.functions[0]).starts_with("time steps: 10;"));
    // Computed from an argument, they follow the argument.
    let body = &mut manifest.functions[0].body;
    let Statement::Scalar { operands, .. } = &mut body[3] else { panic!("the sum is there") };
    operands[0] = samples::steps();
    let mut requests = Requests::default();
    set_steps(&manifest.functions[0], 8, &mut requests).unwrap();
    assert_eq!(requests.arguments[0].value, "3", "eight are three and the constant five");
    // No argument gives a number of steps that is its square.
    let Statement::Scalar { op, operands, .. } = &mut manifest.functions[0].body[3] else {
        panic!("the sum is there")
    };
    (*op, operands[1]) = (crate::ScalarOp::MulI, operands[0]);
    assert_eq!(
        with_steps(&manifest, 3).unwrap_err(),
        "3 time steps do not fit into the loop's bounds, which are of type index"
    );
}

#[test]
fn what_is_no_rotation_is_fixed() {
    let mut manifest = constant(0, 5, 1);
    let body = &mut manifest.functions[0].body;
    let Some(Statement::For { carried, .. }) = body.last_mut() else { panic!("a loop") };
    // Both slots continue with the same buffer.
    carried[0].next = carried[1].next;
    manifest.validate().unwrap();
    assert_eq!(
        summary(&manifest.functions[0]),
        "time steps: fixed, its time loop does not only rotate its buffers"
    );
}

#[test]
fn there_is_one_time_loop() {
    let mut manifest = samples::manifest();
    let body = &mut manifest.functions[0].body;
    let time_loop = body.pop().unwrap();
    assert_eq!(
        with_steps(&manifest, 3).unwrap_err(),
        "function 'heat' has no time loop: there is no loop at its top level"
    );
    let body = &mut manifest.functions[0].body;
    body.extend([time_loop.clone(), time_loop]);
    assert_eq!(
        with_steps(&manifest, 3).unwrap_err(),
        "function 'heat' has 2 loops at its top level; which of them is the time loop is not known"
    );
}

#[test]
fn branches_are_no_time_loops() {
    let mut manifest = samples::manifest();
    let (scalar, body) = (ScalarType::I1, &mut manifest.functions[0].body);
    let time_loop = body.pop().unwrap();
    let Statement::For { lower, step, .. } = &time_loop else { panic!("a loop") };
    let branch = Statement::For {
        lower: *lower,
        upper: Id(92),
        step: *step,
        induction: Id(93),
        carried: Vec::new(),
        body: Vec::new(),
    };
    let (condition, op) = (Id(91), ScalarOp::IndexCastUI);
    let value = ScalarValue::from_integer(scalar, 1);
    body.extend([
        Statement::Constant { result: condition, value },
        Statement::Scalar { result: Id(92), op, operands: vec![condition], ty: ScalarType::Index },
        branch,
        time_loop,
    ]);
    manifest.validate().unwrap();
    let function = &manifest.functions[0];
    assert_eq!(summary(function), "time steps: --steps N sets argument 2 'steps'");
    assert_eq!(TimeLoop::of(function).unwrap().first().place, function.body.len() - 1);
}

/// The sample with a loop that carries `next.len()` temporaries, of which place `i` continues with
/// place `next[i]`.
fn rotating(next: &[usize]) -> Manifest {
    let mut manifest = samples::manifest();
    let body = &mut manifest.functions[0].body;
    let time_loop = body.len() - 1;
    let Statement::For { carried, body: inner, .. } = &mut body[time_loop] else {
        panic!("a loop")
    };
    inner.clear();
    let slot = |(place, next): (usize, &usize)| Carried {
        initial: Id(100 + place as u32),
        argument: Id(200 + place as u32),
        next: Id(200 + *next as u32),
        result: Id(300 + place as u32),
    };
    *carried = next.iter().enumerate().map(slot).collect();
    let allocations = (0..next.len()).map(|place| Statement::Allocate {
        result: Id(100 + place as u32),
        element: ScalarType::F32,
        elements: 12,
    });
    body.splice(0..0, allocations);
    manifest.validate().unwrap();
    manifest
}

fn rotation(next: &[usize]) -> Option<u64> {
    TimeLoop::of(&rotating(next).functions[0]).unwrap().rotation()
}

#[test]
fn rotations_of_several_cycles_return_together() {
    assert_eq!(rotation(&[]), Some(1));
    assert_eq!(rotation(&[0, 1]), Some(1));
    assert_eq!(rotation(&[1, 0, 3, 4, 2]), Some(6));
    assert_eq!(rotation(&[1, 1]), None);
    assert_eq!(rotation(&[1, 2, 1]), None);
}

proptest! {
    #[test]
    fn rotations_return_when_steps_say_so(next in Just((0..6).collect::<Vec<_>>()).prop_shuffle()) {
        let start: Vec<usize> = (0..next.len()).collect();
        let mut places = start.clone();
        let mut steps = 0;
        loop {
            places = next.iter().map(|&from| places[from]).collect();
            steps += 1;
            if places == start {
                break;
            }
        }
        prop_assert_eq!(rotation(&next), Some(steps));
    }
}

/// The sample from `lower` on, with tables for some values of the induction variable.
fn with_tables(lower: i64, tables: &[(Option<u32>, i64, i64)]) -> Manifest {
    let mut manifest = samples::manifest();
    let value = ScalarValue::from_integer(ScalarType::Index, lower);
    let function = &mut manifest.functions[0];
    function.body[0] = Statement::Constant { result: Id(4), value };
    let limit = |&(argument, first, last): &_| StepLimit { argument, first, last };
    function.step_limits = tables.iter().map(limit).collect();
    manifest.validate().unwrap();
    manifest
}

#[test]
fn steps_for_which_a_table_has_no_values_are_refused() {
    let manifest = with_tables(2, &[(Some(1), 0, 9), (Some(0), 0, 8), (None, 0, 10)]);
    let function = &manifest.functions[0];
    let set = |steps| {
        set_steps(function, steps, &mut Requests::default()).map_err(|error| error.to_string())
    };
    let bound = |steps: i64| {
        let mut values = values(0);
        values[2] = Value::Scalar(ScalarValue::from_integer(ScalarType::Index, 2 + steps));
        check_steps(function, &values).map_err(|error| error.to_string())
    };
    assert_eq!((set(7).is_ok(), bound(7), bound(0)), (true, Ok(()), Ok(())));
    let refusal = "argument 0 'u' has values for 7 time steps from 2 on, and 8 would be made; make \
                   fewer, or give it more cells and its access in the program a wider range";
    assert_eq!((set(8).unwrap_err(), bound(8).unwrap_err()), (refusal.into(), refusal.into()));
    assert_eq!(
        summary(function),
        "time steps: --steps N sets argument 2 'steps'; argument 0 'u' has values for 7"
    );
}

#[test]
fn steps_before_the_first_value_of_a_table_are_refused() {
    let early = |lower| {
        let manifest = with_tables(lower, &[(None, -1, 4)]);
        let mut values = values(0);
        values[2] = Value::Scalar(ScalarValue::from_integer(ScalarType::Index, 3));
        check_steps(&manifest.functions[0], &values).map_err(|error| error.to_string())
    };
    // No step reads anything.
    assert_eq!((early(-1), early(5)), (Ok(()), Ok(())));
    assert_eq!(
        early(-2).unwrap_err(),
        "a table that is no argument has values from time step -1 on, and the time loop starts at \
         -2; start later, or give it more cells and its access in the program a wider range"
    );
}

#[test]
fn iterations_of_several_steps_end_before_a_table_does() {
    // From 0 by 2: the last iteration reads at 4.
    let mut manifest = with_tables(0, &[(Some(1), 0, 5)]);
    let two = ScalarValue::from_integer(ScalarType::Index, 2);
    manifest.functions[0].body[1] = Statement::Constant { result: Id(5), value: two };
    let set = |steps| set_steps(&manifest.functions[0], steps, &mut Requests::default()).is_ok();
    assert_eq!((set(6), set(8)), (true, false));
}

#[test]
fn limits_name_fields() {
    for argument in [2, 4] {
        let mut manifest = samples::manifest();
        let limit = StepLimit { argument: Some(argument), first: 0, last: 1 };
        manifest.functions[0].step_limits = vec![limit];
        assert_eq!(
            manifest.validate().unwrap_err().to_string(),
            format!(
                "function 'heat': time steps: argument {argument}, which limits them, is no field"
            )
        );
    }
}

#[test]
fn negative_numbers_of_steps_are_refused() {
    let manifest = samples::manifest();
    let function = &manifest.functions[0];
    let with = |steps: i64| {
        let mut values = values(0);
        values[2] = Value::Scalar(ScalarValue::from_integer(ScalarType::Index, steps));
        check_steps(function, &values).map_err(|error| error.to_string())
    };
    assert_eq!((with(0), with(7)), (Ok(()), Ok(())));
    assert_eq!(
        with(-2).unwrap_err(),
        "argument 2 'steps' is -2, and the time loop would make no step; a number of time steps is \
         not negative"
    );
    // From -5 on, as its lower bound says: up to -5 there is none, as there is none of 0.
    let mut early = manifest.clone();
    let lower = ScalarValue::from_integer(ScalarType::Index, -5);
    early.functions[0].body[0] = Statement::Constant { result: Id(4), value: lower };
    let with = |steps: i64| {
        let mut values = values(0);
        values[2] = Value::Scalar(ScalarValue::from_integer(ScalarType::Index, steps));
        check_steps(&early.functions[0], &values).is_ok()
    };
    assert_eq!([-6, -5, -4, 0].map(with), [false, true, true, true]);
}
