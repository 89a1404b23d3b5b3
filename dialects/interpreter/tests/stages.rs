//! Kernels in the stages form, on small grids whose values are known.

use crate::run_text::{Ran, f64_field, run};
use stencil_interpreter::{ArgumentValue, Counters};

/// Runs a program with fields of these values, each from its first coordinate on, and of 0.
fn run_lines(text: &str, fields: &[(i64, &[f64])]) -> Ran {
    run(text, lines(fields)).unwrap_or_else(|e| panic!("{e}"))
}

fn lines(fields: &[(i64, &[f64])]) -> Vec<ArgumentValue> {
    let line = |&(first, values): &(i64, &[f64])| {
        let end = first + values.len() as i64;
        f64_field(&[first], &[end], |p| values[(p[0] - first) as usize])
    };
    fields.iter().map(line).collect()
}

fn line(ran: &Ran, position: usize) -> Vec<f64> {
    let field = ran.field(position);
    (field.lower[0]..field.upper[0]).map(|x| ran.cell(position, &[x])).collect()
}

/// The sum of both neighbours of one species plus the other, which is the first one next; each has
/// two fields in rotation, the second of which is around the first step.
const TWO_SPECIES: &str = r#"
!f = !stencil.field<[0,5]xf64>
!s = !stencil.temp<?xf64>
func.func @f(%u: !f, %un: !f, %v: !f, %vn: !f, %uo: !f, %vo: !f) {
  sweep.stages "react" steps 2
      fields(%u0 = %u : !f, %u1 = %un : !f, %v0 = %v : !f, %v1 = %vn : !f, %p = %uo : !f,
             %q = %vo : !f)
      plan <{}> {
    %us = sweep.input %u0 : !f -> !s
    %vs = sweep.input %v0 : !f -> !s
    %next:2 = sweep.stage "react" over <[1], [4]> (%a = %us : !s, %b = %vs : !s) -> (!s, !s)
        outside(%u1 : !f, %u0 : !f, %v1 : !f, %v0 : !f) rotations [2, 2] {
      %w = stencil.access %a[-1] : !s
      %e = stencil.access %a[1] : !s
      %c = stencil.access %b[0] : !s
      %o = stencil.access %a[0] : !s
      %we = arith.addf %w, %e : f64
      %s = arith.addf %we, %c : f64
      sweep.yield %s, %o : f64, f64
    }
    sweep.carry %next#0 to %us : !s
    sweep.carry %next#1 to %vs : !s
    sweep.output %next#0 over <[1], [4]> to %p : !s, !f
    sweep.output %next#1 over <[1], [4]> to %q : !s, !f
  }
  return
}
"#;

#[test]
fn each_result_has_fields_in_rotation_around_its_domain() {
    let ran = run_lines(
        TWO_SPECIES,
        &[
            (0, &[1.0, 2.0, 3.0, 4.0, 5.0]),
            (0, &[100.0, -1.0, -1.0, -1.0, 200.0]),
            (0, &[9.0, 10.0, 20.0, 30.0, 9.0]),
            (0, &[9.0; 5]),
            (0, &[0.0; 5]),
            (0, &[0.0; 5]),
        ],
    );
    // After the first step: u = 100, 14, 26, 38, 200 and v = 2, 3, 4.
    assert_eq!(line(&ran, 4), [0.0, 128.0, 55.0, 230.0, 0.0]);
    assert_eq!(line(&ran, 5), [0.0, 14.0, 26.0, 38.0, 0.0]);
    assert_eq!(line(&ran, 0), [1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(line(&ran, 1), [100.0, -1.0, -1.0, -1.0, 200.0]);
    assert_eq!(ran.counters, Counters { operations: 36, points: 6, applies: 2 });
    assert_eq!(ran.estimate, Some(36));
}
