//! Loads, applies, accesses, combines and stores, against loops written by hand.

use crate::run_text::{as_field, f32_field, f64_field, noise, run, run_with};
use stencil_interpreter::{ArgumentValue, Scalar};

#[test]
fn copy_writes_the_bounds_of_the_store_and_nothing_else() {
    let text = r#"
func.func @f(%in: !stencil.field<[0,8]xf64>, %out: !stencil.field<[-1,9]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,8]xf64> -> !stencil.temp<?xf64>
  stencil.store %t to %out(<[2], [5]>) : !stencil.temp<?xf64> to !stencil.field<[-1,9]xf64>
  return
}"#;
    let arguments = vec![f64_field(&[0], &[8], noise), f64_field(&[-1], &[9], |_| 0.5)];
    let ran = run(text, arguments).unwrap();
    for i in -1..9 {
        let expected = if (2..5).contains(&i) { noise(&[i]) } else { 0.5 };
        assert_eq!(ran.cell(1, &[i]), expected, "cell {i}");
    }
}

#[test]
fn asymmetric_1d_stencil_with_negative_origin() {
    let text = r#"
func.func @f(%in: !stencil.field<[-7,4]xf32>, %out: !stencil.field<[-5,3]xf32>) {
  %t = stencil.load %in : !stencil.field<[-7,4]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>) {
    %l = stencil.access %a[-2] : !stencil.temp<?xf32>
    %c = stencil.access %a[0] : !stencil.temp<?xf32>
    %h = stencil.access %a[1] : !stencil.temp<?xf32>
    %w = arith.constant 0.3 : f32
    %p = arith.mulf %w, %l : f32
    %q = arith.addf %p, %c : f32
    %s = arith.subf %q, %h : f32
    stencil.return %s : f32
  }
  stencil.store %r to %out(<[-5], [3]>) : !stencil.temp<?xf32> to !stencil.field<[-5,3]xf32>
  return
}"#;
    let value = |p: &[i64]| noise(p) as f32;
    let ran = run(text, vec![f32_field(&[-7], &[4], value), f32_field(&[-5], &[3], |_| 0.0)]);
    let ran = ran.unwrap();
    for i in -5..3 {
        let expected = 0.3f32 * value(&[i - 2]) + value(&[i]) - value(&[i + 1]);
        assert_eq!(ran.field(1).get(&[i]), Some(Scalar::f32(expected)), "cell {i}");
    }
    assert_eq!(ran.counters.points, 8);
    assert_eq!(ran.counters.operations, 8 * 6);
    assert_eq!(ran.estimate, Some(48));
}

const STAR_2D: &str = r#"
func.func @f(%in: !stencil.field<[-1,7]x[-1,9]xf64>, %out: !stencil.field<[0,6]x[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,7]x[-1,9]xf64> -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %n = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
    %s = stencil.access %a[1, 0] : !stencil.temp<?x?xf64>
    %w = stencil.access %a[0, -1] : !stencil.temp<?x?xf64>
    %e = stencil.access %a[0, 1] : !stencil.temp<?x?xf64>
    %c = stencil.access %a[0, 0] : !stencil.temp<?x?xf64>
    %four = arith.constant 4.0 : f64
    %1 = arith.addf %n, %s : f64
    %2 = arith.addf %w, %e : f64
    %3 = arith.addf %1, %2 : f64
    %4 = arith.mulf %four, %c : f64
    %5 = arith.subf %3, %4 : f64
    stencil.return %5 : f64
  }
  stencil.store %r to %out(<[0, 0], [6, 8]>)
    : !stencil.temp<?x?xf64> to !stencil.field<[0,6]x[0,8]xf64>
  return
}"#;

#[test]
fn star_2d() {
    let arguments =
        || vec![f64_field(&[-1, -1], &[7, 9], noise), f64_field(&[0, 0], &[6, 8], |_| 0.0)];
    let ran = run(STAR_2D, arguments()).unwrap();
    for i in 0..6 {
        for j in 0..8 {
            let at = |di, dj| noise(&[i + di, j + dj]);
            let sum = (at(-1, 0) + at(1, 0)) + (at(0, -1) + at(0, 1));
            assert_eq!(ran.cell(1, &[i, j]), sum - 4.0 * at(0, 0), "cell {i}, {j}");
        }
    }
    // The number of threads changes nothing.
    for workers in [1, 3] {
        let again = run_with(STAR_2D, arguments(), &[], Some(workers)).unwrap();
        assert_eq!(again.field(1), ran.field(1));
    }
}

#[test]
fn box_3d_with_a_low_rank_coefficient() {
    let text = r#"
func.func @f(%in: !stencil.field<[-1,4]x[0,3]x[-2,6]xf64>, %k: !stencil.field<[0,3]x[1,7]xf64>,
             %out: !stencil.field<[0,3]x[0,3]x[0,5]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,4]x[0,3]x[-2,6]xf64> -> !stencil.temp<?x?x?xf64>
  %kt = stencil.load %k : !stencil.field<[0,3]x[1,7]xf64> -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?x?xf64>, %b = %kt : !stencil.temp<?x?xf64>)
      -> (!stencil.temp<?x?x?xf64>) {
    %1 = stencil.access %a[-1, 0, 1] : !stencil.temp<?x?x?xf64>
    %2 = stencil.access %a[1, 0, -2] : !stencil.temp<?x?x?xf64>
    %3 = stencil.access %b[0, _, 2] : !stencil.temp<?x?xf64>
    %4 = arith.mulf %3, %1 : f64
    %5 = arith.addf %4, %2 : f64
    stencil.return %5 : f64
  }
  stencil.store %r to %out(<[0, 0, 0], [3, 3, 5]>)
    : !stencil.temp<?x?x?xf64> to !stencil.field<[0,3]x[0,3]x[0,5]xf64>
  return
}"#;
    let arguments = vec![
        f64_field(&[-1, 0, -2], &[4, 3, 6], noise),
        f64_field(&[0, 1], &[3, 7], noise),
        f64_field(&[0, 0, 0], &[3, 3, 5], |_| 0.0),
    ];
    let ran = run(text, arguments).unwrap();
    for (i, j, k) in (0..3).flat_map(|i| (0..3).flat_map(move |j| (0..5).map(move |k| (i, j, k)))) {
        let coefficient = noise(&[i, k + 2]);
        let expected = coefficient * noise(&[i - 1, j, k + 1]) + noise(&[i + 1, j, k - 2]);
        assert_eq!(ran.cell(2, &[i, j, k]), expected, "cell {i}, {j}, {k}");
    }
}

/// One apply reads another's result; the first one's bounds follow from the second's accesses.
#[test]
fn chain_of_applies_without_bounds() {
    let text = r#"
func.func @f(%in: !stencil.field<[-2,10]xf64>, %out: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[-2,10]xf64> -> !stencil.temp<?xf64>
  %d = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %l = stencil.access %a[-1] : !stencil.temp<?xf64>
    %r = stencil.access %a[1] : !stencil.temp<?xf64>
    %s = arith.subf %r, %l : f64
    stencil.return %s : f64
  }
  %b = stencil.buffer %d : !stencil.temp<?xf64> -> !stencil.temp<?xf64>
  %e = stencil.apply(%a = %b : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %l = stencil.access %a[-1] : !stencil.temp<?xf64>
    %r = stencil.access %a[1] : !stencil.temp<?xf64>
    %s = arith.subf %r, %l : f64
    stencil.return %s : f64
  }
  stencil.store %e to %out(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}"#;
    let ran = run(text, vec![f64_field(&[-2], &[10], noise), f64_field(&[0], &[8], |_| 0.0)]);
    let ran = ran.unwrap();
    for i in 0..8 {
        let at = |d: i64| noise(&[i + d]);
        assert_eq!(ran.cell(1, &[i]), (at(2) - at(0)) - (at(0) - at(-2)), "cell {i}");
    }
    // The inner apply is computed on [-1, 9): one point more on each side.
    assert_eq!(ran.counters.points, 8 + 10);
}

#[test]
fn dyn_access_and_index_use_absolute_coordinates() {
    let text = r#"
func.func @f(%in: !stencil.field<[-3,8]xf64>, %out: !stencil.field<[-2,7]xf64>) {
  %t = stencil.load %in : !stencil.field<[-3,8]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %i = stencil.index 0 <[1]>
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %m = arith.remsi %i, %two : index
    %even = arith.cmpi eq, %m, %zero : index
    %back = arith.subi %i, %two : index
    %j = arith.select %even, %i, %back : index
    %v = stencil.dyn_access %a[%j] in <[-1]> : <[1]> : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[-2], [7]>) : !stencil.temp<?xf64> to !stencil.field<[-2,7]xf64>
  return
}"#;
    let ran = run(text, vec![f64_field(&[-3], &[8], noise), f64_field(&[-2], &[7], |_| 0.0)]);
    let ran = ran.unwrap();
    for i in -2..7 {
        let j = if (i + 1) % 2 == 0 { i + 1 } else { i - 1 };
        assert_eq!(ran.cell(1, &[i]), noise(&[j]), "cell {i}");
    }
}

#[test]
fn absolute_accesses_read_the_cells_that_they_name() {
    // A transposed temp, whose points are found from the extent alone, and a table.
    let text = r#"
func.func @f(%in: !stencil.field<[-1,5]x[0,4]xf64>, %table: !stencil.field<[2,6]xf64>,
             %out: !stencil.field<[0,3]x[0,4]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,5]x[0,4]xf64> -> !stencil.temp<?x?xf64>
  %u = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %v = stencil.access %a[0, 0] : !stencil.temp<?x?xf64>
    stencil.return %v : f64
  }
  stencil.apply(%a = %u : !stencil.temp<?x?xf64>, %c = %table : !stencil.field<[2,6]xf64>)
      outs (%out : !stencil.field<[0,3]x[0,4]xf64>) {
    %i = stencil.index 0 <[0, 0]>
    %j = stencil.index 1 <[0, 0]>
    %five = arith.constant 5 : index
    %k = arith.subi %five, %j : index
    %v = stencil.dyn_access %a[%j, %i] in <[0, 0]> : <[3, 2]> attributes {absolute}
      : !stencil.temp<?x?xf64>
    %w = stencil.dyn_access %c[%k] in <[2]> : <[5]> attributes {absolute}
      : !stencil.field<[2,6]xf64>
    %x = arith.mulf %v, %w : f64
    stencil.return %x : f64
  } to <[0, 0], [3, 4]>
  return
}"#;
    let fields = vec![
        f64_field(&[-1, 0], &[5, 4], noise),
        f64_field(&[2], &[6], noise),
        f64_field(&[0, 0], &[3, 4], |_| 0.0),
    ];
    let ran = run(text, fields).unwrap();
    for (i, j) in (0..3).flat_map(|i| (0..4).map(move |j| (i, j))) {
        assert_eq!(ran.cell(2, &[i, j]), noise(&[j, i]) * noise(&[5 - j]), "cell {i}, {j}");
    }
    // The temp in between has the extent's points: 4 rows of 3.
    assert_eq!(ran.counters.points, 12 + 12);
}

#[test]
fn empty_store_results_leave_cells_alone() {
    let text = r#"
func.func @f(%in: !stencil.field<[0,6]xf64>, %out: !stencil.field<[0,6]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,6]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    %zero = arith.constant 0.0 : f64
    %positive = arith.cmpf ogt, %v, %zero : f64
    %s = scf.if %positive -> (!stencil.result<f64>) {
      %w = stencil.store_result %v : !stencil.result<f64>
      scf.yield %w : !stencil.result<f64>
    } else {
      %n = stencil.store_result : !stencil.result<f64>
      scf.yield %n : !stencil.result<f64>
    }
    stencil.return %s : !stencil.result<f64>
  }
  stencil.store %r to %out(<[0], [6]>) : !stencil.temp<?xf64> to !stencil.field<[0,6]xf64>
  return
}"#;
    let sign = |p: &[i64]| if p[0] % 2 == 0 { 1.0 + p[0] as f64 } else { -1.0 };
    let ran = run(text, vec![f64_field(&[0], &[6], sign), f64_field(&[0], &[6], |_| 9.0)]);
    let ran = ran.unwrap();
    let cells: Vec<f64> = (0..6).map(|i| ran.cell(1, &[i])).collect();
    assert_eq!(cells, [1.0, 9.0, 3.0, 9.0, 5.0, 9.0]);
}

/// A select of results of `store_result` is what canonicalization makes of such an `scf.if`.
#[test]
fn selected_store_results() {
    let text = r#"
func.func @f(%out: !stencil.field<[0,4]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %i = stencil.index 0 <[0]>
    %two = arith.constant 2 : index
    %low = arith.cmpi slt, %i, %two : index
    %one = arith.constant 1.0 : f64
    %w = stencil.store_result %one : !stencil.result<f64>
    %n = stencil.store_result : !stencil.result<f64>
    %s = arith.select %low, %w, %n : !stencil.result<f64>
    stencil.return %s : !stencil.result<f64>
  }
  stencil.store %r to %out(<[0], [4]>) : !stencil.temp<?xf64> to !stencil.field<[0,4]xf64>
  return
}"#;
    let ran = run(text, vec![f64_field(&[0], &[4], |_| 7.0)]).unwrap();
    assert_eq!((0..4).map(|i| ran.cell(0, &[i])).collect::<Vec<_>>(), [1.0, 1.0, 7.0, 7.0]);
}

#[test]
fn combine_joins_sides_and_extra_temps_exist_on_theirs() {
    let text = r#"
func.func @f(%a: !stencil.field<[0,8]xf64>, %b: !stencil.field<[0,8]xf64>,
             %out: !stencil.field<[0,8]xf64>, %low: !stencil.field<[0,8]xf64>,
             %high: !stencil.field<[0,8]xf64>) {
  %at = stencil.load %a : !stencil.field<[0,8]xf64> -> !stencil.temp<?xf64>
  %bt = stencil.load %b : !stencil.field<[0,8]xf64> -> !stencil.temp<?xf64>
  %x = stencil.apply(%p = %at : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %p[0] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  %y, %z = stencil.apply(%p = %bt : !stencil.temp<?xf64>)
      -> (!stencil.temp<?xf64>, !stencil.temp<?xf64>) {
    %v = stencil.access %p[0] : !stencil.temp<?xf64>
    %n = arith.negf %v : f64
    stencil.return %v, %n : f64, f64
  }
  %r:3 = stencil.combine 0 at 3 lower = (%x : !stencil.temp<?xf64>)
    upper = (%y : !stencil.temp<?xf64>) lowerext = %x : !stencil.temp<?xf64>
    upperext = %z : !stencil.temp<?xf64>
    : !stencil.temp<?xf64>, !stencil.temp<?xf64>, !stencil.temp<?xf64>
  stencil.store %r#0 to %out(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  stencil.store %r#1 to %low(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  stencil.store %r#2 to %high(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}"#;
    let zeros = || f64_field(&[0], &[8], |_| 0.0);
    let a = |p: &[i64]| 10.0 + p[0] as f64;
    let b = |p: &[i64]| 20.0 + p[0] as f64;
    let arguments =
        vec![f64_field(&[0], &[8], a), f64_field(&[0], &[8], b), zeros(), zeros(), zeros()];
    let ran = run(text, arguments).unwrap();
    for i in 0..8 {
        let lower = i < 3;
        assert_eq!(ran.cell(2, &[i]), if lower { a(&[i]) } else { b(&[i]) });
        assert_eq!(ran.cell(3, &[i]), if lower { a(&[i]) } else { 0.0 });
        assert_eq!(ran.cell(4, &[i]), if lower { 0.0 } else { -b(&[i]) });
    }
    // Each side is computed only where it is needed.
    assert_eq!(ran.counters.points, 3 + 5);
}

#[test]
fn unrolled_return_computes_a_box_of_points_per_run() {
    let text = r#"
func.func @f(%in: !stencil.field<[0,5]x[0,6]xf64>, %out: !stencil.field<[0,4]x[0,6]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,5]x[0,6]xf64> -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %00 = stencil.access %a[1, 0] : !stencil.temp<?x?xf64>
    %01 = stencil.access %a[1, 1] : !stencil.temp<?x?xf64>
    %02 = stencil.access %a[1, 2] : !stencil.temp<?x?xf64>
    %10 = arith.negf %00 : f64
    %11 = arith.negf %01 : f64
    %12 = arith.negf %02 : f64
    stencil.return %00, %01, %02, %10, %11, %12 unroll <[2, 3]> : f64, f64, f64, f64, f64, f64
  }
  stencil.store %r to %out(<[0, 0], [4, 6]>)
    : !stencil.temp<?x?xf64> to !stencil.field<[0,4]x[0,6]xf64>
  return
}"#;
    let arguments = vec![f64_field(&[0, 0], &[5, 6], noise), f64_field(&[0, 0], &[4, 6], |_| 0.0)];
    let ran = run(text, arguments).unwrap();
    for i in 0..4 {
        for j in 0..6 {
            let value = noise(&[i / 2 * 2 + 1, j]);
            let expected = if i % 2 == 0 { value } else { -value };
            assert_eq!(ran.cell(1, &[i, j]), expected, "cell {i}, {j}");
        }
    }
}

#[test]
fn buffer_form_reads_the_values_from_before() {
    let text = r#"
func.func @f(%u: !stencil.field<[0,6]xf64>, %v: !stencil.field<[0,6]xf64>) {
  stencil.apply(%a = %u : !stencil.field<[0,6]xf64>)
      outs (%u : !stencil.field<[0,6]xf64>, %v : !stencil.field<[0,6]xf64>) {
    %l = stencil.access %a[-1] : !stencil.field<[0,6]xf64>
    %r = stencil.access %a[1] : !stencil.field<[0,6]xf64>
    %s = arith.addf %l, %r : f64
    stencil.return %s, %l : f64, f64
  } to <[1], [5]>
  return
}"#;
    let ran = run(text, vec![f64_field(&[0], &[6], noise), f64_field(&[0], &[6], |_| 1.0)]);
    let ran = ran.unwrap();
    for i in 0..6 {
        let inside = (1..5).contains(&i);
        let sum = noise(&[i - 1]) + noise(&[i + 1]);
        assert_eq!(ran.cell(0, &[i]), if inside { sum } else { noise(&[i]) });
        assert_eq!(ran.cell(1, &[i]), if inside { noise(&[i - 1]) } else { 1.0 });
    }
}

#[test]
fn alloc_cast_and_field_operands() {
    let text = r#"
func.func @f(%in: !stencil.field<?xf64>, %out: !stencil.field<[0,4]xf64>) {
  %c = stencil.cast %in : !stencil.field<?xf64> -> !stencil.field<[-1,5]xf64>
  %m = stencil.alloc : !stencil.field<[-1,5]xf64>
  stencil.apply(%a = %c : !stencil.field<[-1,5]xf64>) outs (%m : !stencil.field<[-1,5]xf64>) {
    %v = stencil.access %a[0] : !stencil.field<[-1,5]xf64>
    %s = arith.addf %v, %v : f64
    stencil.return %s : f64
  } to <[-1], [5]>
  %r = stencil.apply(%a = %m : !stencil.field<[-1,5]xf64>) -> (!stencil.temp<[0,4]xf64>) {
    %l = stencil.access %a[-1] : !stencil.field<[-1,5]xf64>
    %h = stencil.access %a[1] : !stencil.field<[-1,5]xf64>
    %s = arith.addf %l, %h : f64
    stencil.return %s : f64
  }
  stencil.store %r to %out(<[0], [4]>) : !stencil.temp<[0,4]xf64> to !stencil.field<[0,4]xf64>
  return
}"#;
    let ran = run(text, vec![f64_field(&[-1], &[5], noise), f64_field(&[0], &[4], |_| 0.0)]);
    let ran = ran.unwrap();
    for i in 0..4 {
        let expected = 2.0 * noise(&[i - 1]) + 2.0 * noise(&[i + 1]);
        assert_eq!(ran.cell(1, &[i]), expected, "cell {i}");
    }
}

#[test]
fn small_floats_and_integers_are_cells() {
    let text = r#"
func.func @f(%in: !stencil.field<[0,4]xf16>, %out: !stencil.field<[0,4]xi8>)
    -> (!stencil.temp<[0,4]xbf16>, i1) {
  %t = stencil.load %in : !stencil.field<[0,4]xf16> -> !stencil.temp<[0,4]xf16>
  %r, %w = stencil.apply(%a = %t : !stencil.temp<[0,4]xf16>)
      -> (!stencil.temp<[0,4]xi8>, !stencil.temp<[0,4]xbf16>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,4]xf16>
    %n = arith.fptosi %v : f16 to i8
    %x = arith.extf %v : f16 to f32
    %y = arith.truncf %x : f32 to bf16
    stencil.return %n, %y : i8, bf16
  }
  stencil.store %r to %out(<[0], [4]>) : !stencil.temp<[0,4]xi8> to !stencil.field<[0,4]xi8>
  %true = arith.constant true
  return %w, %true : !stencil.temp<[0,4]xbf16>, i1
}"#;
    use stencil_dialects::Bounds;
    use stencil_interpreter::{Element, FieldData};
    let bounds = Bounds::new(vec![0], vec![4]);
    let values = ["-1.5", "0.25", "100", "-0.0009765625"];
    let input = FieldData::from_fn(&bounds, Element::F16, |p| {
        Scalar::parse(Element::F16, values[p[0] as usize]).unwrap()
    });
    let output = FieldData::from_fn(&bounds, Element::Integer(8), |_| {
        Scalar::from_bits(Element::Integer(8), 0)
    });
    let ran = run(text, vec![ArgumentValue::Field(input), ArgumentValue::Field(output)]).unwrap();
    assert_eq!(ran.field(1).bytes, [0xff, 0, 100, 0]);
    let returned = as_field(&ran.results[0]);
    assert_eq!(returned.get(&[2]).unwrap().to_f64(), 100.0);
    assert_eq!(returned.get(&[3]).unwrap().to_f64(), -0.0009765625);
    assert_eq!(ran.results[1], ArgumentValue::Scalar(Scalar::from_bits(Element::BOOL, 1)));
}

/// The bounds that an apply names win over what its uses need.
#[test]
fn apply_computes_the_bounds_it_names() {
    let text = r#"
func.func @f(%out: !stencil.field<[0,8]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %i = stencil.index 0 <[0]>
    %k = arith.index_cast %i : index to i64
    %v = arith.sitofp %k : i64 to f64
    stencil.return %v : f64
  } to <[-3], [6]>
  stencil.store %r to %out(<[0], [5]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}"#;
    let ran = run(text, vec![f64_field(&[0], &[8], |_| 9.0)]).unwrap();
    assert_eq!(ran.counters.points, 9);
    assert_eq!((ran.cell(0, &[4]), ran.cell(0, &[5])), (4.0, 9.0));
}

/// Unused applies are not computed, so they cannot fail.
#[test]
fn unused_applies_are_not_run() {
    let text = r#"
func.func @f(%in: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,8]xf64> -> !stencil.temp<?xf64>
  %x = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[100] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  %b = stencil.buffer %x : !stencil.temp<?xf64> -> !stencil.temp<?xf64>
  return
}"#;
    let ran = run(text, vec![f64_field(&[0], &[8], noise)]).unwrap();
    assert_eq!((ran.counters.applies, ran.estimate), (0, Some(0)));
}
