//! Scalars and control flow around and inside of applies, calls, signatures.

use crate::run_text;
use run_text::{f64_field, noise, run};
use stencil_dialects::{Bounds, context};
use stencil_interpreter::{ArgumentValue, Element, Scalar, ValueKind, decode};

fn scalar(value: Scalar) -> ArgumentValue {
    ArgumentValue::Scalar(value)
}

#[test]
fn loops_carry_scalars() {
    let text = r#"
func.func @f(%n: index) -> (i64, f64) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %a = arith.constant 1 : i64
  %x = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  %r:2 = scf.for %i = %zero to %n step %two iter_args(%s = %a, %y = %x) -> (i64, f64) {
    %k = arith.index_cast %i : index to i64
    %t = arith.addi %s, %k : i64
    %z = arith.mulf %y, %half : f64
    scf.yield %t, %z : i64, f64
  }
  return %r#0, %r#1 : i64, f64
}"#;
    for (n, sum, product) in [(0, 1, 1.0), (1, 1, 0.5), (6, 7, 0.125), (7, 13, 0.0625)] {
        let ran = run(text, vec![scalar(Scalar::index(n))]).unwrap();
        let expected = [Scalar::from_bits(Element::Integer(64), sum), Scalar::f64(product)];
        assert_eq!(ran.results, expected.map(ArgumentValue::Scalar), "n = {n}");
    }
}

#[test]
fn carried_scalars_are_exchanged_at_once() {
    let text = r#"
func.func @f() -> (i32, i32) {
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %one = arith.constant 1 : index
  %a = arith.constant 10 : i32
  %b = arith.constant 20 : i32
  %r:2 = scf.for %i = %zero to %three step %one iter_args(%x = %a, %y = %b) -> (i32, i32) {
    scf.yield %y, %x : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}"#;
    let ran = run(text, vec![]).unwrap();
    let expected = [20, 10].map(|value| Scalar::from_bits(Element::Integer(32), value));
    assert_eq!(ran.results, expected.map(ArgumentValue::Scalar));
}

#[test]
fn branches_choose_fields() {
    let text = r#"
func.func @f(%first: i1, %a: !stencil.field<[0,2]xf64>, %b: !stencil.field<[0,2]xf64>) {
  %u = scf.if %first -> (!stencil.field<[0,2]xf64>) {
    scf.yield %a : !stencil.field<[0,2]xf64>
  } else {
    scf.yield %b : !stencil.field<[0,2]xf64>
  }
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %seven = arith.constant 7.0 : f64
    stencil.return %seven : f64
  }
  stencil.store %r to %u(<[0], [2]>) : !stencil.temp<?xf64> to !stencil.field<[0,2]xf64>
  return
}"#;
    for (bit, written) in [(1, 1), (0, 2)] {
        let zeros = || f64_field(&[0], &[2], |_| 0.0);
        let first = scalar(Scalar::from_bits(Element::BOOL, bit));
        let ran = run(text, vec![first, zeros(), zeros()]).unwrap();
        assert_eq!(ran.cell(written, &[1]), 7.0);
        assert_eq!(ran.cell(3 - written, &[1]), 0.0);
    }
}

#[test]
fn loops_and_calls_run_at_points() {
    let text = r#"
func.func private @power(%x: f64, %n: index) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %unit = arith.constant 1.0 : f64
  %r = scf.for %i = %zero to %n step %one iter_args(%y = %unit) -> (f64) {
    %z = arith.mulf %y, %x : f64
    scf.yield %z : f64
  }
  return %r : f64
}
func.func @f(%in: !stencil.field<[0,5]xf64>, %out: !stencil.field<[0,5]xf64>, %scale: f64) {
  %t = stencil.load %in : !stencil.field<[0,5]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>, %c = %scale : f64) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    %i = stencil.index 0 <[0]>
    %p = func.call @power(%v, %i) : (f64, index) -> f64
    %q = func.call @power(%c, %i) : (f64, index) -> f64
    %s = arith.addf %p, %q : f64
    stencil.return %s : f64
  }
  func.call @keep(%r, %out) : (!stencil.temp<[0,5]xf64>, !stencil.field<[0,5]xf64>) -> ()
  return
}
func.func private @keep(%t: !stencil.temp<[0,5]xf64>, %out: !stencil.field<[0,5]xf64>) {
  stencil.store %t to %out(<[0], [5]>) : !stencil.temp<[0,5]xf64> to !stencil.field<[0,5]xf64>
  return
}"#
    .replace("(!stencil.temp<?xf64>) {\n    %v", "(!stencil.temp<[0,5]xf64>) {\n    %v");
    let arguments = vec![
        f64_field(&[0], &[5], noise),
        f64_field(&[0], &[5], |_| 0.0),
        scalar(Scalar::f64(3.0)),
    ];
    let ran = run(&text, arguments).unwrap();
    for i in 0..5 {
        let power = |x: f64| (0..i).fold(1.0, |y, _| y * x);
        assert_eq!(ran.cell(1, &[i]), power(noise(&[i])) + power(3.0), "cell {i}");
    }
    assert_eq!(ran.estimate, None, "the trip count depends on the point");
}

#[test]
fn extended_multiplication_has_two_results() {
    let text = r#"
func.func @f(%a: i32, %b: i32) -> (i32, i32, i32, i1) {
  %low, %high = arith.mulsi_extended %a, %b : i32
  %sum, %carry = arith.addui_extended %a, %b : i32, i1
  return %low, %high, %sum, %carry : i32, i32, i32, i1
}"#;
    let i32 = |value: i64| Scalar::from_bits(Element::Integer(32), value as u64);
    let ran = run(text, vec![scalar(i32(-3)), scalar(i32(1 << 30))]).unwrap();
    let product = -3i64 << 30;
    let expected = [
        i32(product),
        i32(product >> 32),
        i32(-3 + (1 << 30)),
        Scalar::from_bits(Element::BOOL, 1),
    ];
    assert_eq!(ran.results, expected.map(ArgumentValue::Scalar));
}

#[test]
fn swaps_between_ranks_do_nothing_on_one() {
    let text = r#"
func.func @f(%u: !stencil.field<[0,4]x[0,4]xf64>, %v: !stencil.field<[0,4]x[0,4]xf64>) {
  %t = stencil.load %u : !stencil.field<[0,4]x[0,4]xf64> -> !stencil.temp<?x?xf64>
  %s = "dmp.swap"(%t) {strategy = #dmp.grid_slice_2d<#dmp.topo<1x1>, false>, swaps = []}
    : (!stencil.temp<?x?xf64>) -> !stencil.temp<?x?xf64>
  "dmp.swap"(%u) {strategy = #dmp.grid_slice_2d<#dmp.topo<1x1>, false>, swaps = []}
    : (!stencil.field<[0,4]x[0,4]xf64>) -> ()
  stencil.store %s to %v(<[0, 0], [4, 4]>)
    : !stencil.temp<?x?xf64> to !stencil.field<[0,4]x[0,4]xf64>
  return
}"#;
    let arguments = vec![f64_field(&[0, 0], &[4, 4], noise), f64_field(&[0, 0], &[4, 4], |_| 0.0)];
    let ran = run(text, arguments).unwrap();
    assert_eq!(ran.cell(1, &[2, 3]), noise(&[2, 3]));
}

#[test]
fn signatures_name_arguments_bounds_and_symbols() {
    let text = r#"
func.func @g(%u: !stencil.field<?xf32>, %c: i8) -> i8 {
  %d = stencil.cast %u : !stencil.field<?xf32> -> !stencil.field<[-1,3]xf32>
  %dt = "devito.load_symbolic"() {symbol_name = "dt"} : () -> f32
  %n = "devito.load_symbolic"() {symbol_name = "count"} : () -> index
  return %c : i8
}"#;
    let context = context::new_context();
    let source = context::Source::new(&context, "case.mlir", text);
    let module = source.parse().unwrap();
    let program = decode(&module, "g").unwrap();
    let signature = program.signature();
    assert_eq!(signature.function, "g");
    let names: Vec<_> = signature.parameters.iter().map(|p| p.name.as_deref()).collect();
    assert_eq!(names, [Some("u"), Some("c")]);
    let bounds = Some(Bounds::new(vec![-1], vec![3]));
    let field = ValueKind::Field { rank: 1, bounds, element: Element::F32 };
    assert_eq!(signature.parameters[0].kind, field);
    assert_eq!(signature.results, [ValueKind::Scalar(Element::Integer(8))]);
    let symbols = [("count".to_owned(), Element::Index), ("dt".to_owned(), Element::F32)];
    assert_eq!(signature.symbols, symbols);
    assert!(!program.is_approximate());
}

#[test]
fn progress_is_reported_and_approximate_programs_are_known() {
    use std::cell::Cell;
    use stencil_interpreter::Options;
    let text = r#"
func.func @f(%u: !stencil.field<[0,4000]xf64>) {
  %t = stencil.load %u : !stencil.field<[0,4000]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    %e = math.exp %v : f64
    stencil.return %e : f64
  }
  stencil.store %r to %u(<[0], [4000]>) : !stencil.temp<?xf64> to !stencil.field<[0,4000]xf64>
  return
}"#;
    let context = context::new_context();
    let module = context::Source::new(&context, "case.mlir", text).parse().unwrap();
    let program = decode(&module, "f").unwrap();
    assert!(program.is_approximate());
    let last = Cell::new(0);
    let progress = |operations: u64| {
        assert!(operations >= last.get());
        last.set(operations);
    };
    let options = Options { progress: Some(&progress), ..Options::default() };
    let mut arguments = [f64_field(&[0], &[4000], noise)];
    let outcome = program.run(&mut arguments, &options).unwrap();
    assert_eq!(last.get(), outcome.counters.operations);
    assert_eq!(outcome.counters.operations, 8000);
}

#[test]
fn branches_without_else_and_loops_of_other_integers() {
    let text = r#"
func.func @f(%n: i8, %u: !stencil.field<[0,2]xf64>) -> i8 {
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  %limit = arith.constant 2 : i8
  %r = scf.for unsigned %i = %zero to %n step %one iter_args(%s = %zero) -> (i8) : i8 {
    %t = arith.addi %s, %one : i8
    scf.yield %t : i8
  }
  %many = arith.cmpi ugt, %r, %limit : i8
  scf.if %many {
    %x = stencil.apply(%k = %r : i8) -> (!stencil.temp<?xf64>) {
      %v = arith.uitofp %k : i8 to f64
      stencil.return %v : f64
    }
    stencil.store %x to %u(<[0], [2]>) : !stencil.temp<?xf64> to !stencil.field<[0,2]xf64>
  }
  return %r : i8
}"#;
    for (n, cell) in [(2u64, -1.0), (200, 200.0)] {
        let count = Scalar::from_bits(Element::Integer(8), n);
        let ran = run(text, vec![scalar(count), f64_field(&[0], &[2], |_| -1.0)]).unwrap();
        assert_eq!(ran.results, [scalar(count)]);
        assert_eq!(ran.cell(1, &[1]), cell);
    }
}

#[test]
fn functions_return_fields_and_loops_end_on_the_last_rotation() {
    let text = r#"
func.func @f(%a: !stencil.field<[0,2]xf64>, %b: !stencil.field<[0,2]xf64>, %n: index)
    -> !stencil.field<[0,2]xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%x = %a, %y = %b)
      -> (!stencil.field<[0,2]xf64>, !stencil.field<[0,2]xf64>) {
    scf.yield %y, %x : !stencil.field<[0,2]xf64>, !stencil.field<[0,2]xf64>
  }
  return %r#0 : !stencil.field<[0,2]xf64>
}"#;
    for (steps, value) in [(0, 1.0), (1, 2.0), (2, 1.0)] {
        let arguments = vec![
            f64_field(&[0], &[2], |_| 1.0),
            f64_field(&[0], &[2], |_| 2.0),
            scalar(Scalar::index(steps)),
        ];
        let ran = run(text, arguments).unwrap();
        let returned = run_text::as_field(&ran.results[0]);
        assert_eq!(returned.get(&[1]), Some(Scalar::f64(value)), "{steps} steps");
        assert_eq!((ran.cell(0, &[0]), ran.cell(1, &[0])), (1.0, 2.0));
    }
}
