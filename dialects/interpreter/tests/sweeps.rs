//! Sweeps: each is compared with the same levels written as applies, bit by bit.

use crate::run_text;
use crate::sweep_text::{Case, FieldBounds};
use run_text::{Ran, error, f64_field, noise, run};
use stencil_dialects::Bounds;
use stencil_interpreter::{ArgumentValue, ErrorKind, InterpreterError, Scalar};

/// A star of unequal arms that reads one level.
fn case(rank: usize, steps: usize) -> Case {
    let (lower, upper, offsets): (Vec<i64>, Vec<i64>, Vec<Vec<i64>>) = match rank {
        1 => (vec![-2], vec![7], vec![vec![-2], vec![0], vec![1]]),
        2 => {
            let offsets = [[-1, 0], [0, -2], [0, 0], [0, 1], [1, 1], [1, 0]];
            (vec![-3, 1], vec![5, 7], offsets.map(Vec::from).to_vec())
        }
        _ => {
            let offsets = [[-2, 0, 0], [0, -1, 0], [0, 0, 0], [0, 1, 2], [0, 0, -1], [1, 0, 0]];
            (vec![0, 0, -4], vec![6, 4, 1], offsets.map(Vec::from).to_vec())
        }
    };
    Case {
        lower,
        upper,
        accesses: vec![offsets],
        steps,
        rotation: 2,
        coefficients_along: None,
        level_scalars: false,
        branch: false,
        form: String::new(),
        plan: String::new(),
    }
}

/// The same with the level before, at two points.
fn with_older(case: Case) -> Case {
    let own = vec![0; case.rank()];
    let mut beside = own.clone();
    beside[case.rank() - 1] = 1;
    let mut accesses = case.accesses;
    accesses.push(vec![own, beside]);
    Case { accesses, ..case }
}

/// Every form in which a sweep can be carried out.
fn forms(case: &Case) -> Vec<Case> {
    let (behind, ahead) = case.planes();
    let tight = (behind + ahead) * case.steps as i64 + 1;
    let lazy = tight + case.steps as i64;
    let with = |form: String, plan: &str| Case { form, plan: plan.to_owned(), ..case.clone() };
    let mut all = vec![
        with(String::new(), ""),
        with("form \"gather\"".to_owned(), "chunks = 2"),
        with(Case::slots(tight), ""),
        with(Case::slots(tight), "chunks = 3"),
        with("form \"scatter\"".to_owned(), "chunks = 3"),
    ];
    if case.rank() > 1 {
        all.push(with(Case::slots(lazy), "chunks = 4, skew = \"lazy\""));
        all.push(with("form \"scatter\"".to_owned(), "skew = \"lazy\""));
    }
    all
}

fn arguments(case: &Case) -> Vec<ArgumentValue> {
    let field = |(lower, upper): FieldBounds, number: f64| {
        f64_field(&lower, &upper, move |p| noise(p) * 0.3 + number)
    };
    let mut arguments = Vec::new();
    for number in 0..case.rotation {
        arguments.push(field(case.field(number), number as f64));
    }
    for number in 0..case.outs() {
        arguments.push(field(case.field(number + 1), 100.0 + number as f64));
    }
    arguments.extend(case.coefficients().map(|bounds| field(bounds, 0.7)));
    arguments.push(ArgumentValue::Scalar(Scalar::f64(-0.4)));
    if case.level_scalars {
        for level in 1..=case.steps {
            arguments.push(ArgumentValue::Scalar(Scalar::index(3 * level as i64)));
            arguments.push(ArgumentValue::Scalar(Scalar::f64(1.0 / level as f64)));
        }
    }
    arguments
}

/// The last levels are those of the applies, and nothing else was written.
fn compare(case: &Case, applies: &Ran) {
    let sweep = run(&case.sweep(), arguments(case)).unwrap_or_else(|e| panic!("{e}\n{case:?}"));
    let before = arguments(case);
    let domain = Bounds::new(case.lower.clone(), case.upper.clone());
    for number in 0..case.outs() {
        let position = case.rotation + number;
        let out = sweep.field(position);
        let level = applies.field((case.steps - number) % case.rotation);
        for point in points(&case.field(number + 1)) {
            let expected = match contains(&domain, &point) {
                true => level.get(&point),
                false => run_text::as_field(&before[position]).get(&point),
            };
            assert_eq!(out.get(&point), expected, "out {number} at {point:?}\n{case:?}");
        }
    }
    let sources = sweep.arguments.iter().zip(&before).take(case.rotation);
    for (number, (after, before)) in sources.enumerate() {
        assert_eq!(after, before, "boundary source {number}\n{case:?}");
    }
    assert_eq!(sweep.counters, applies.counters, "{case:?}");
    if !case.branch {
        assert_eq!(sweep.estimate, Some(sweep.counters.operations), "{case:?}");
    }
}

fn contains(bounds: &Bounds, point: &[i64]) -> bool {
    (0..point.len()).all(|d| (bounds.lower[d]..bounds.upper[d]).contains(&point[d]))
}

fn points((lower, upper): &FieldBounds) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for (&first, &end) in lower.iter().zip(upper) {
        let longer = |point: &Vec<i64>| {
            let point = point.clone();
            (first..end).map(move |x| [point.clone(), vec![x]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn compare_all_forms(case: &Case) {
    let applies = run(&case.applies(), arguments(case)).unwrap();
    for form in forms(case) {
        compare(&form, &applies);
    }
}

#[test]
fn levels_are_those_of_applies() {
    for rank in 1..=3 {
        for steps in [1, 2, 3, 5] {
            for rotation in 1..=3 {
                compare_all_forms(&Case { rotation, ..case(rank, steps) });
            }
        }
    }
}

#[test]
fn levels_may_read_the_one_before_the_last() {
    for rank in 1..=3 {
        for steps in [1, 2, 3, 5] {
            for rotation in 2..=3 {
                compare_all_forms(&with_older(Case { rotation, ..case(rank, steps) }));
            }
        }
    }
}

#[test]
fn regions_read_coefficients_and_numbers_and_branch() {
    for rank in 1..=3 {
        for along in 0..rank {
            let case = Case {
                coefficients_along: Some(along),
                level_scalars: true,
                branch: true,
                ..case(rank, 3)
            };
            compare_all_forms(&case);
            compare_all_forms(&with_older(case));
        }
    }
}

/// Nothing is read on one side, or of the newest level's own plane; pieces of one plane.
#[test]
fn reaches_may_be_anything() {
    let offsets: [&[[i64; 2]]; 5] =
        [&[[0, 0]], &[[-2, 0], [-1, 1]], &[[3, 0]], &[[0, -3], [0, 2]], &[[-3, 1], [2, -1]]];
    for offsets in offsets {
        let offsets = offsets.iter().map(|offset| offset.to_vec()).collect();
        let case = Case { accesses: vec![offsets], ..case(2, 3) };
        compare_all_forms(&case);
        let applies = run(&case.applies(), arguments(&case)).unwrap();
        for chunks in [8, 64] {
            compare(&Case { plan: format!("chunks = {chunks}"), ..case.clone() }, &applies);
        }
    }
}

/// Carried levels in other fields than their boundary sources.
#[test]
fn ping_pong_is_twice_as_many_steps() {
    for (levels, rotation, steps) in
        [(1, 1, 1), (1, 1, 3), (1, 2, 1), (1, 2, 2), (1, 3, 2), (2, 2, 2), (2, 3, 2), (2, 3, 4)]
    {
        let mut case = Case { rotation, ..case(2, steps) };
        if levels == 2 {
            case = with_older(case);
        }
        let twice = Case { steps: 2 * steps, ..case.clone() };
        let applies = run(&twice.applies(), arguments(&twice)).unwrap();
        for form in forms(&case) {
            let sweeps = run(&form.ping_pong(), arguments(&form)).unwrap();
            for age in 0..levels {
                let field = (2 * steps + rotation - age) % rotation;
                assert_eq!(sweeps.field(field), applies.field(field), "age {age}\n{form:?}");
            }
        }
    }
}

/// The error of a wrong sweep, at its location.
fn refused(case: &Case, op: &str) -> InterpreterError {
    let error = error(&case.sweep(), arguments(case));
    assert_eq!((error.kind, error.op.as_str()), (ErrorKind::Program, op), "{error}");
    error
}

/// Lazy skew keeps a plane more for each level, the first one too: a slot less is too short.
#[test]
fn a_queue_without_room_for_the_skew() {
    let form = Case::slots(6);
    let case = Case { form, plan: "skew = \"lazy\"".to_owned(), ..case(2, 2) };
    let error = refused(&case, "sweep.kernel");
    assert_eq!(
        error.message,
        "computes plane -3 of level 2 from plane -4 of level 1 in slot 0 of 6, which holds plane 1 \
         of level 0"
    );
    let remedy = "a queue of 2 steps that reads these planes has 7 slots";
    assert_eq!(error.remedy.as_deref(), Some(remedy));
}

#[test]
fn an_older_level_that_is_not_there() {
    let mut case = with_older(case(2, 3));
    case.accesses[1].push(vec![3, 0]);
    case.form = "form \"gather\"".to_owned();
    let error = refused(&case, "sweep.kernel");
    let message =
        "computes plane -3 of level 3 from plane 0 of level 1, which is not available yet";
    assert_eq!(error.message, message);
    // Of two levels the second reads the older one in memory.
    compare_all_forms(&Case { steps: 2, ..case });
}

#[test]
fn a_branch_that_is_decided_too_late() {
    let text = |form: &str| {
        format!(
            r#"
func.func @f(%a: !stencil.field<[0,6]x[0,4]xf64>, %b: !stencil.field<[0,6]x[0,4]xf64>) {{
  sweep.kernel "s" steps 1 over <[1, 0], [5, 4]> {form}
      carried(%u = %a : !stencil.field<[0,6]x[0,4]xf64>)
      boundaries(%a : !stencil.field<[0,6]x[0,4]xf64>)
      outs(%b : !stencil.field<[0,6]x[0,4]xf64>)
      plan <{{}}> {{
    %zero = arith.constant 0.0 : f64
    %next = stencil.access %u[1, 0] : !stencil.field<[0,6]x[0,4]xf64>
    %up = arith.cmpf ogt, %next, %zero : f64
    %v = scf.if %up -> (f64) {{
      %last = stencil.access %u[-1, 0] : !stencil.field<[0,6]x[0,4]xf64>
      scf.yield %last : f64
    }} else {{
      scf.yield %next : f64
    }}
    sweep.yield %v : f64
  }}
  return
}}"#
        )
    };
    let fields = || vec![f64_field(&[0, 0], &[6, 4], noise), f64_field(&[0, 0], &[6, 4], noise)];
    let ran = run(&text("form \"gather\""), fields()).unwrap();
    for i in 1..5 {
        let from = if noise(&[i + 1, 2]) > 0.0 { i - 1 } else { i + 1 };
        assert_eq!(ran.cell(1, &[i, 2]), noise(&[from, 2]));
    }
    let error = error(&text("form \"scatter\""), fields());
    assert_eq!(
        error.to_string(),
        "case.mlir:12:15: 'stencil.access' op reads plane -1 where plane 1 decides whether it is \
         read, and arrives later; use gather form, or read before the branch"
    );
}

/// Two fields of a kernel that are one memory, which the text does not show.
fn on_one_memory(steps: usize, offset: i64) -> String {
    format!(
        r#"
func.func @f(%a: !stencil.field<[0,8]xf64>) {{
  %b = stencil.cast %a : !stencil.field<[0,8]xf64> -> !stencil.field<[0,8]xf64>
  sweep.kernel "s" steps {steps} over <[1], [7]>
      carried(%u = %a : !stencil.field<[0,8]xf64>)
      boundaries(%a : !stencil.field<[0,8]xf64>)
      outs(%b : !stencil.field<[0,8]xf64>)
      plan <{{}}> {{
    %v = stencil.access %u[{offset}] : !stencil.field<[0,8]xf64>
    %w = arith.addf %v, %v : f64
    sweep.yield %w : f64
  }}
  return
}}"#
    )
}

#[test]
fn nothing_is_written_that_others_read() {
    let fields = || vec![f64_field(&[0], &[8], noise)];
    let ran = run(&on_one_memory(1, 0), fields()).unwrap();
    assert_eq!([0, 1, 6, 7].map(|i| ran.cell(0, &[i]) / noise(&[i])), [1.0, 2.0, 2.0, 1.0]);
    for (steps, offset) in [(1, 1), (2, 0)] {
        let error = error(&on_one_memory(steps, offset), fields());
        assert_eq!(
            error.to_string(),
            "case.mlir:4:3: 'sweep.kernel' op writes out 0 over memory that it reads"
        );
    }
    let two = on_one_memory(2, 0).replace("outs(%b :", "outs(%b : !stencil.field<[0,8]xf64>, %c :");
    let cast = "%c = stencil.cast %b : !stencil.field<[0,8]xf64> -> !stencil.field<[0,8]xf64>\n";
    let two = two.replace("  sweep.kernel", &format!("{cast}  sweep.kernel"));
    let two = two.replace("(%a: !", "(%z: !stencil.field<[0,8]xf64>, %a: !");
    let two = two.replace("%b = stencil.cast %a", "%b = stencil.cast %z");
    let fields = vec![f64_field(&[0], &[8], noise), f64_field(&[0], &[8], noise)];
    let error = error(&two, fields);
    assert_eq!(error.message, "writes outs 0 and 1 to the same memory");
}

/// An uninitialised cell of the carried field stays so on the first level, whatever its boundary
/// source holds.
#[test]
fn cells_without_value_stay_without() {
    let text = r#"
func.func @f(%a: !stencil.field<[0,8]xf64>, %b: !stencil.field<[0,8]xf64>) {
  %c = stencil.alloc : !stencil.field<[0,8]xf64>
  sweep.kernel "s" steps 1 over <[1], [7]>
      carried(%u = %c : !stencil.field<[0,8]xf64>)
      boundaries(%a : !stencil.field<[0,8]xf64>)
      outs(%b : !stencil.field<[0,8]xf64>)
      plan <{}> {
    %v = stencil.access %u[-1] : !stencil.field<[0,8]xf64>
    sweep.yield %v : f64
  }
  return
}"#;
    let fields = vec![f64_field(&[0], &[8], noise), f64_field(&[0], &[8], noise)];
    let error = error(text, fields);
    assert_eq!((error.op.as_str(), error.location.as_str()), ("stencil.access", "case.mlir:9:10"));
    assert_eq!(error.message, "reads [1], which has no value");
}
