//! Loops over time: rotated fields, fields updated in place, trip counts.

use crate::run_text::{f64_field, noise, run_with};

/// A loop with Devito's frame: symbols for its limits, timers around it.
const TWO_FIELDS: &str = r#"
func.func @f(%a: !stencil.field<[-1,9]xf64>, %b: !stencil.field<[-1,9]xf64>) {
  %start = func.call @timer_start() : () -> f64
  %time_m = "devito.load_symbolic"() {symbol_name = "time_m"} : () -> index
  %time_M = "devito.load_symbolic"() {symbol_name = "time_M"} : () -> index
  %one = arith.constant 1 : index
  %end = arith.addi %time_M, %one : index
  %r:2 = scf.for %time = %time_m to %end step %one iter_args(%u0 = %a, %u1 = %b)
      -> (!stencil.field<[-1,9]xf64>, !stencil.field<[-1,9]xf64>) {
    %t = stencil.load %u0 : !stencil.field<[-1,9]xf64> -> !stencil.temp<?xf64>
    %s = stencil.apply(%x = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %h = "devito.load_symbolic"() {symbol_name = "h"} : () -> f64
      %m = arith.constant -2 : i64
      %w = math.fpowi %h, %m : f64, i64
      %l = stencil.access %x[-1] : !stencil.temp<?xf64>
      %u = stencil.access %x[1] : !stencil.temp<?xf64>
      %p = arith.addf %l, %u : f64
      %q = arith.mulf %w, %p : f64
      stencil.return %q : f64
    }
    stencil.store %s to %u1(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<[-1,9]xf64>
    %unused = stencil.load %u1 : !stencil.field<[-1,9]xf64> -> !stencil.temp<?xf64>
    scf.yield %u1, %u0 : !stencil.field<[-1,9]xf64>, !stencil.field<[-1,9]xf64>
  }
  %timers = "devito.load_symbolic"() {symbol_name = "timers"} : () -> !llvm.ptr
  %stop = func.call @timer_end(%start) : (f64) -> f64
  "llvm.store"(%stop, %timers) <{ordering = 0 : i64}> : (f64, !llvm.ptr) -> ()
  return
}
func.func private @timer_start() -> f64
func.func private @timer_end(f64) -> f64
"#;

#[test]
fn two_rotated_fields_alternate_halo_included() {
    let second = |p: &[i64]| -noise(p);
    for steps in 0..5usize {
        let last = (steps as i64 - 1).to_string();
        let symbols = [("time_m", "0"), ("time_M", last.as_str()), ("h", "1.5")];
        let arguments = vec![f64_field(&[-1], &[9], noise), f64_field(&[-1], &[9], second)];
        let ran = run_with(TWO_FIELDS, arguments, &symbols, None).unwrap();

        let fill = |value: &dyn Fn(&[i64]) -> f64| (-1..9).map(|i| value(&[i])).collect::<Vec<_>>();
        let mut fields = [fill(&noise), fill(&second)];
        for step in 0..steps {
            let old = fields[step % 2].clone();
            for cell in 1..9 {
                fields[(step + 1) % 2][cell] = 1.0 / (1.5 * 1.5) * (old[cell - 1] + old[cell + 1]);
            }
        }
        for (position, expected) in fields.iter().enumerate() {
            let got: Vec<f64> = (-1..9).map(|i| ran.cell(position, &[i])).collect();
            assert_eq!(&got, expected, "field {position} after {steps} steps");
        }
        let per_point = 6; // fpowi, two accesses, sum, product, and the symbols' slots are free.
        assert_eq!(ran.counters.operations, 1 + 8 * (per_point - 1) * steps as u64);
        assert_eq!(ran.estimate, Some(ran.counters.operations));
    }
}

#[test]
fn three_rotated_fields() {
    let text = r#"
func.func @f(%a: !stencil.field<[0,4]xf64>, %b: !stencil.field<[0,4]xf64>,
             %c: !stencil.field<[0,4]xf64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r:3 = scf.for %i = %zero to %n step %one iter_args(%p = %a, %q = %b, %w = %c)
      -> (!stencil.field<[0,4]xf64>, !stencil.field<[0,4]xf64>, !stencil.field<[0,4]xf64>) {
    %pt = stencil.load %p : !stencil.field<[0,4]xf64> -> !stencil.temp<?xf64>
    %qt = stencil.load %q : !stencil.field<[0,4]xf64> -> !stencil.temp<?xf64>
    %s = stencil.apply(%x = %pt : !stencil.temp<?xf64>, %y = %qt : !stencil.temp<?xf64>,
                       %k = %i : index) -> (!stencil.temp<?xf64>) {
      %v = stencil.access %x[0] : !stencil.temp<?xf64>
      %z = stencil.access %y[0] : !stencil.temp<?xf64>
      %ki = arith.index_cast %k : index to i64
      %kf = arith.sitofp %ki : i64 to f64
      %1 = arith.subf %z, %v : f64
      %2 = arith.addf %1, %kf : f64
      stencil.return %2 : f64
    }
    stencil.store %s to %w(<[0], [4]>) : !stencil.temp<?xf64> to !stencil.field<[0,4]xf64>
    scf.yield %q, %w, %p
      : !stencil.field<[0,4]xf64>, !stencil.field<[0,4]xf64>, !stencil.field<[0,4]xf64>
  }
  return
}"#;
    use stencil_interpreter::{ArgumentValue, Scalar};
    for steps in [0usize, 1, 2, 3, 7] {
        let field = |start: f64| f64_field(&[0], &[4], move |p| start + noise(p));
        let arguments = vec![
            field(0.0),
            field(1.0),
            field(2.0),
            ArgumentValue::Scalar(Scalar::index(steps as i64)),
        ];
        let ran = run_with(text, arguments, &[], Some(2)).unwrap();
        for i in 0..4 {
            let mut cells = [0.0, 1.0, 2.0].map(|start| start + noise(&[i]));
            for step in 0..steps {
                let [p, q, w] = [step % 3, (step + 1) % 3, (step + 2) % 3];
                cells[w] = cells[q] - cells[p] + step as f64;
            }
            for (position, expected) in cells.into_iter().enumerate() {
                assert_eq!(ran.cell(position, &[i]), expected, "{steps} steps, field {position}");
            }
        }
    }
}

#[test]
fn a_field_updated_in_place_is_read_before_it_is_written() {
    let text = r#"
func.func @f(%u: !stencil.field<[0,8]xf64>) {
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %three step %one {
    %t = stencil.load %u : !stencil.field<[0,8]xf64> -> !stencil.temp<?xf64>
    %s = stencil.apply(%x = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %l = stencil.access %x[-1] : !stencil.temp<?xf64>
      %r = stencil.access %x[1] : !stencil.temp<?xf64>
      %a = arith.addf %l, %r : f64
      stencil.return %a : f64
    }
    stencil.store %s to %u(<[1], [7]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  }
  return
}"#;
    let ran = run_with(text, vec![f64_field(&[0], &[8], noise)], &[], None).unwrap();
    let mut expected: Vec<f64> = (0..8).map(|i| noise(&[i])).collect();
    for _ in 0..3 {
        let old = expected.clone();
        for i in 1..7 {
            expected[i] = old[i - 1] + old[i + 1];
        }
    }
    assert_eq!((0..8).map(|i| ran.cell(0, &[i])).collect::<Vec<_>>(), expected);
}

#[test]
fn a_temp_keeps_its_values_across_later_stores() {
    let text = r#"
func.func @f(%u: !stencil.field<[0,4]xf64>, %v: !stencil.field<[0,4]xf64>) {
  %old = stencil.load %u : !stencil.field<[0,4]xf64> -> !stencil.temp<?xf64>
  %w = stencil.load %v : !stencil.field<[0,4]xf64> -> !stencil.temp<?xf64>
  stencil.store %w to %u(<[0], [4]>) : !stencil.temp<?xf64> to !stencil.field<[0,4]xf64>
  stencil.store %old to %v(<[0], [4]>) : !stencil.temp<?xf64> to !stencil.field<[0,4]xf64>
  return
}"#;
    let arguments = vec![f64_field(&[0], &[4], noise), f64_field(&[0], &[4], |p| p[0] as f64)];
    let ran = run_with(text, arguments, &[], None).unwrap();
    for i in 0..4 {
        assert_eq!((ran.cell(0, &[i]), ran.cell(1, &[i])), (i as f64, noise(&[i])));
    }
}
