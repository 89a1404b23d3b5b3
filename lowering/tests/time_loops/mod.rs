//! Loops of sweeps leave memory as the original time loop does, for every shape and number of
//! iterations.
//!
//! Three programs are compared: the loop in Rust, the loop with each iteration as a sweep, and the
//! loops of pairs of sweeps.

mod machine;
mod program;

use machine::{Content, Machine, combined, mixed};
use melior::{Context, ir::Module};
use program::{Case, Count, offset};
use std::sync::Once;
use stencil_dialects::{
    context::{self, Source},
    pipeline, walk,
};

const TO_SWEEPS: &str = "builtin.module(func.func(convert-stencil-to-sweep))";
const FUSE: &str = "builtin.module(func.func(sweep-fuse-steps))";

fn new_context() -> Context {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        stencil_passes::strategy::plan::install_schema();
        stencil_passes::framework::register(stencil_lowering::PASSES);
    });
    let context = context::new_context();
    context.enable_multi_threading(false);
    context
}

/// A case's program after passes.
fn transformed<'c>(context: &'c Context, case: &Case, passes: &[&str]) -> Module<'c> {
    let text = case.text();
    let source = Source::new(context, "case.mlir", &text);
    let mut module = source.parse().unwrap_or_else(|| panic!("{text}"));
    for pass in passes {
        pipeline::run(context, &mut module, pass).unwrap_or_else(|_| panic!("{text}"));
    }
    module
}

/// The result of the loop by definition: field by field, the slots and the numbers.
fn expected(case: &Case, count: Count) -> Vec<Content> {
    let content = |field: usize| Content {
        domain: mixed(("argument", field, "domain")),
        around: mixed(("argument", field, "around")),
    };
    let mut fields = (0..case.rotation + Case::OTHERS).map(content).collect::<Vec<_>>();
    // The field in each place of the rotation.
    let mut places = (0..case.rotation).collect::<Vec<_>>();
    let mut sum = 5i64;
    for iteration in 0..count.iterations {
        let induction = count.lower + iteration * count.step;
        let access =
            |field: usize, offset: i64| mixed((fields[field].domain, fields[field].around, offset));
        let levels = case
            .ages
            .iter()
            .map(|age| access(places[case.source(*age)], offset(case.rotation, *age)));
        let mut parts = levels.collect::<Vec<_>>();
        parts.push(access(case.rotation, 0));
        parts.push(mixed(("i64", 3i64)));
        if case.scalars {
            parts.extend([mixed(("index", induction)), mixed(("i64", sum))]);
        }
        fields[places[1 % case.rotation]].domain = combined(parts.into_iter());
        sum = sum.wrapping_mul(3).wrapping_add(induction);
        places.rotate_left(1);
    }
    if let Some(place) = case.used {
        let Content { domain, around } = fields[places[place]];
        fields[case.rotation + 1].domain = combined([mixed((domain, around, 0i64))].into_iter());
    }
    fields
}

fn run(module: &Module, count: Count, slack: i64) -> (Vec<Content>, Vec<(i64, usize)>) {
    let function = walk::nested(module.as_operation())
        .into_iter()
        .find(|operation| walk::name(operation) == "func.func")
        .unwrap();
    // An upper bound that the induction variable need not hit.
    let upper = count.lower + count.iterations * count.step - slack;
    let machine = Machine::run(function, &[count.lower, upper, count.step]);
    (machine.fields, machine.sweeps.into_iter().collect())
}

fn check(context: &Context, case: &Case, counts: &[Count]) {
    let mut module = transformed(context, case, &[TO_SWEEPS]);
    let unfused = counts.iter().map(|count| run(&module, *count, 0).0).collect::<Vec<_>>();
    pipeline::run(context, &mut module, FUSE).unwrap();
    let again = module.as_operation().to_string();
    for (count, unfused) in counts.iter().zip(unfused) {
        let expected = expected(case, *count);
        assert_eq!(unfused[..expected.len()], expected, "unfused, {count:?}, {case:?}");
        // An upper bound that the induction variable hits, and one that it passes.
        for slack in if count.step == 1 { 0..1 } else { 0..2 } {
            let (fused, sweeps) = run(&module, *count, slack);
            for (field, content) in expected.iter().enumerate() {
                let same = fused[field] == *content;
                assert!(
                    same || !case.is_observable(field),
                    "field {field}, {sweeps:?} for {count:?}, {case:?}\n{again}"
                );
                assert_eq!(fused[field].around, content.around);
            }
        }
    }
    pipeline::run(context, &mut module, FUSE).unwrap();
    assert_eq!(module.as_operation().to_string(), again, "a second run changes nothing");
}

fn subsets(of: usize) -> impl Iterator<Item = Vec<usize>> {
    (1u32..1 << of).map(move |bits| (0..of).filter(|bit| bits >> bit & 1 == 1).collect())
}

/// Numbers of iterations below a limit.
fn below(limit: i64) -> Vec<Count> {
    (0..limit).map(|iterations| Count { lower: 0, step: 1, iterations }).collect()
}

/// A few more iterations than two pairs of the largest number of steps.
fn enough(steps: u32) -> i64 {
    4 * i64::from(steps) + 4
}

/// All rotations and sets of ages, with steps that a sweep can fuse.
fn shapes(steps: std::ops::RangeInclusive<u32>) -> Vec<(usize, Vec<usize>, u32)> {
    let shapes = (1..=3).flat_map(|rotation| subsets(rotation).map(move |ages| (rotation, ages)));
    let with_steps = |(rotation, ages): (usize, Vec<usize>)| {
        let levels = ages.last().unwrap() + 1;
        let fitting = steps.clone().filter(move |steps| *steps as usize >= levels);
        fitting.map(move |steps| (rotation, ages.clone(), steps)).collect::<Vec<_>>()
    };
    shapes.flat_map(with_steps).collect()
}

#[test]
fn every_field_that_is_seen_is_left_as_the_loop_leaves_it() {
    let context = new_context();
    for (rotation, ages, steps) in shapes(1..=12) {
        for tail in ["unfused", "scratch"] {
            let case = Case {
                rotation,
                ages: ages.clone(),
                steps,
                tail,
                scratch: vec![false; rotation],
                used: None,
                scalars: true,
            };
            check(&context, &case, &below(40));
        }
    }
}

#[test]
fn fields_that_nobody_sees_may_hold_anything() {
    let context = new_context();
    for (rotation, ages, steps) in shapes(2..=4) {
        for hidden in subsets(rotation) {
            let case = Case {
                rotation,
                ages: ages.clone(),
                steps,
                tail: "scratch",
                scratch: (0..rotation).map(|field| hidden.contains(&field)).collect(),
                used: None,
                scalars: false,
            };
            check(&context, &case, &below(enough(steps)));
            check(&context, &Case { tail: "unfused", ..case }, &below(enough(steps)));
        }
    }
}

#[test]
fn what_is_used_after_the_loop_is_right_though_the_fields_are_scratch() {
    let context = new_context();
    for (rotation, ages, steps) in shapes(2..=4) {
        for place in 0..rotation {
            for tail in ["unfused", "scratch"] {
                let case = Case {
                    rotation,
                    ages: ages.clone(),
                    steps,
                    tail,
                    scratch: vec![true; rotation],
                    used: Some(place),
                    scalars: true,
                };
                check(&context, &case, &below(enough(steps)));
            }
        }
    }
}

#[test]
fn the_induction_variable_may_start_anywhere_and_take_any_step() {
    let context = new_context();
    let counts = [(-7, 1), (-7, 3), (5, 2), (1, 7)].into_iter();
    let counts = counts
        .flat_map(|(lower, step)| {
            (0..enough(5)).map(move |iterations| Count { lower, step, iterations })
        })
        .collect::<Vec<_>>();
    for (rotation, ages, steps) in shapes(4..=5) {
        for tail in ["unfused", "scratch"] {
            let case = Case {
                rotation,
                ages: ages.clone(),
                steps,
                tail,
                scratch: vec![false; rotation],
                used: Some(0),
                scalars: true,
            };
            check(&context, &case, &counts);
        }
    }
}

#[test]
fn a_loop_whose_upper_bound_is_below_its_lower_one_does_nothing() {
    let context = new_context();
    for steps in [2, 4] {
        let case = Case {
            rotation: 2,
            ages: vec![0],
            steps,
            tail: "unfused",
            scratch: vec![false; 2],
            used: None,
            scalars: true,
        };
        let module = transformed(&context, &case, &[TO_SWEEPS, FUSE]);
        let none = Count { lower: 4, step: 3, iterations: 0 };
        for slack in 0..20 {
            let (fields, sweeps) = run(&module, none, slack);
            assert_eq!(fields[..4], expected(&case, none));
            assert!(sweeps.is_empty());
        }
    }
}

#[test]
fn most_iterations_are_made_by_sweeps_of_the_planned_steps() {
    let case = Case {
        rotation: 2,
        ages: vec![0],
        steps: 12,
        tail: "unfused",
        scratch: vec![false, true],
        used: None,
        scalars: false,
    };
    let context = new_context();
    let module = transformed(&context, &case, &[TO_SWEEPS, FUSE]);
    let count = Count { lower: 0, step: 1, iterations: 2 * 24 + 12 + 6 + 1 };
    assert_eq!(run(&module, count, 0).1, [(1, 1), (3, 2), (6, 2), (12, 4)]);
}

#[test]
fn a_field_that_nobody_sees_is_left_as_the_first_sweep_of_a_pair_leaves_it() {
    let case = Case {
        rotation: 2,
        ages: vec![0],
        steps: 4,
        tail: "unfused",
        scratch: vec![false, true],
        used: None,
        scalars: false,
    };
    let context = new_context();
    let module = transformed(&context, &case, &[TO_SWEEPS, FUSE]);
    let count = Count { lower: 0, step: 1, iterations: 8 };
    let (fields, sweeps) = run(&module, count, 0);
    let expected = expected(&case, count);
    assert_eq!(sweeps, [(4, 2)]);
    assert_eq!(fields[0], expected[0]);
    assert_ne!(fields[1], expected[1]);
    // It holds level 4, which belongs to the other field.
    let half = Count { iterations: 4, ..count };
    assert_eq!(fields[1].domain, self::expected(&case, half)[0].domain);
}
