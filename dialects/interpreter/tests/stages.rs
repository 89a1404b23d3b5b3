//! Kernels in the stages form, on small grids whose values are known.

use crate::run_text::{Ran, error, f64_field, run};
use stencil_interpreter::{ArgumentValue, Counters, ErrorKind, Scalar};

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

/// A program of one dimension with the fields `%a`, `%b`, and so on.
fn program(fields: usize, kernel: &str) -> String {
    let argument = |number: usize| format!("%{}: !f", char::from(b'a' + number as u8));
    let arguments: Vec<String> = (0..fields).map(argument).collect();
    let arguments = arguments.join(", ");
    format!(
        "!f = !stencil.field<[0,5]xf64>\n!s = !stencil.temp<?xf64>\n\
         func.func @f({arguments}) {{\n{kernel}\nreturn\n}}"
    )
}

/// One statement of a step reads what the other has just computed; each updates its field.
#[test]
fn a_stage_reads_what_another_computes_in_the_same_step() {
    let text = program(
        4,
        r#"
  sweep.stages "staggered" steps 2
      fields(%e = %a : !f, %h = %b : !f, %eo = %c : !f, %ho = %d : !f) plan <{}> {
    %es = sweep.input %e : !f -> !s
    %hs = sweep.input %h : !f -> !s
    %en = sweep.stage "e" over <[1], [4]> (%x = %es : !s, %y = %hs : !s) -> !s
        outside(%e : !f) rotations [1] {
      %0 = stencil.access %x[0] : !s
      %1 = stencil.access %y[0] : !s
      %2 = stencil.access %y[-1] : !s
      %3 = arith.subf %1, %2 : f64
      %4 = arith.addf %0, %3 : f64
      sweep.yield %4 : f64
    }
    %hn = sweep.stage "h" over <[0], [4]> (%x = %hs : !s, %y = %en : !s) -> !s
        outside(%h : !f) rotations [1] {
      %0 = stencil.access %x[0] : !s
      %1 = stencil.access %y[1] : !s
      %2 = stencil.access %y[0] : !s
      %3 = arith.subf %1, %2 : f64
      %4 = arith.addf %0, %3 : f64
      sweep.yield %4 : f64
    }
    sweep.carry %en to %es : !s
    sweep.carry %hn to %hs : !s
    sweep.output %en over <[1], [4]> to %eo : !s, !f
    sweep.output %hn over <[0], [4]> to %ho : !s, !f
  }
"#,
    );
    let ran = run_lines(
        &text,
        &[
            (0, &[1.0, 2.0, 3.0, 4.0, 5.0]),
            (0, &[10.0, 20.0, 30.0, 40.0, 50.0]),
            (0, &[-1.0; 5]),
            (0, &[-1.0; 5]),
        ],
    );
    // After the first step: e = 1, 12, 13, 14, 5 and h = 21, 21, 31, 31, 50.
    assert_eq!(line(&ran, 2), [-1.0, 12.0, 23.0, 14.0, -1.0]);
    assert_eq!(line(&ran, 3), [32.0, 32.0, 22.0, 22.0, -1.0]);
    assert_eq!(ran.counters, Counters { operations: 70, points: 14, applies: 4 });
    assert_eq!(ran.estimate, Some(70));
}

/// The sum of both neighbours less the level before, which is carried on as an input.
const WAVE: &str = r#"
  sweep.stages "wave" steps 3
      fields(%l = %a : !f, %m = %b : !f, %n = %c : !f, %p = %d : !f, %q = %e : !f) plan <{}> {
    %old = sweep.input %l : !f -> !s
    %now = sweep.input %m : !f -> !s
    %next = sweep.stage "wave" over <[1], [4]> (%x = %now : !s, %y = %old : !s) -> !s
        outside(%n : !f, %l : !f, %m : !f) rotations [3] {
      %0 = stencil.access %x[-1] : !s
      %1 = stencil.access %x[1] : !s
      %2 = stencil.access %y[0] : !s
      %3 = arith.addf %0, %1 : f64
      %4 = arith.subf %3, %2 : f64
      sweep.yield %4 : f64
    }
    sweep.carry %now to %old : !s
    sweep.carry %next to %now : !s
    sweep.output %next over <[1], [4]> to %p : !s, !f
    sweep.output %now over <[1], [4]> to %q : !s, !f
  }
"#;

#[test]
fn an_input_is_what_another_was_in_the_step_before() {
    let ran = run_lines(
        &program(5, WAVE),
        &[
            (0, &[1.0; 5]),
            (0, &[2.0, 3.0, 5.0, 7.0, 11.0]),
            (0, &[100.0, -5.0, -5.0, -5.0, 200.0]),
            (0, &[0.0; 5]),
            (0, &[0.0; 5]),
        ],
    );
    // Levels: 100, 6, 9, 15, 200, and 1, 106, 16, 202, 1.
    assert_eq!(line(&ran, 3), [0.0, 11.0, 299.0, 2.0, 0.0]);
    assert_eq!(line(&ran, 4), [0.0, 106.0, 16.0, 202.0, 0.0]);
}

#[test]
fn a_result_is_read_in_a_part_of_its_domain() {
    let text = r#"
!f = !stencil.field<[0,4]x[0,4]xf64>
!s = !stencil.temp<?x?xf64>
func.func @f(%a: !f, %b: !f, %c: !f) {
  sweep.stages "parts" steps 1 fields(%u = %a : !f, %p = %b : !f, %q = %c : !f) plan <{}> {
    %us = sweep.input %u : !f -> !s
    %g = sweep.stage "twice" over <[0, 0], [4, 4]> (%x = %us : !s) -> !s {
      %0 = stencil.access %x[0, 0] : !s
      %1 = arith.addf %0, %0 : f64
      sweep.yield %1 : f64
    }
    %n = sweep.stage "sum" over <[1, 0], [3, 3]> (%x = %g : !s) -> !s {
      %0 = stencil.access %x[-1, 0] : !s
      %1 = stencil.access %x[1, 1] : !s
      %2 = arith.addf %0, %1 : f64
      sweep.yield %2 : f64
    }
    sweep.output %g over <[0, 0], [4, 4]> to %p : !s, !f
    sweep.output %n over <[1, 0], [3, 3]> to %q : !s, !f
  }
  return
}
"#;
    let square = |value: fn(&[i64]) -> f64| f64_field(&[0, 0], &[4, 4], value);
    let u = |p: &[i64]| (10 * p[0] + p[1]) as f64;
    let ran = run(text, vec![square(u), square(|_| 0.0), square(|_| -1.0)]).unwrap();
    assert_eq!(ran.cell(1, &[3, 2]), 64.0);
    for (i, j) in [(1, 0), (1, 2), (2, 0), (2, 2)] {
        assert_eq!(ran.cell(2, &[i, j]), (40 * i + 4 * j + 2) as f64);
    }
    for point in [[0, 0], [1, 3], [3, 0]] {
        assert_eq!(ran.cell(2, &point), -1.0);
    }
    assert_eq!(ran.counters, Counters { operations: 50, points: 22, applies: 2 });
}

#[test]
fn points_have_coordinates_in_three_dimensions() {
    let text = r#"
!f = !stencil.field<[0,2]x[0,3]x[0,4]xf64>
!s = !stencil.temp<?x?x?xf64>
func.func @f(%a: !f, %b: !f) {
  sweep.stages "cube" steps 1 fields(%u = %a : !f, %p = %b : !f) plan <{}> {
    %us = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[0, 1, 1], [1, 3, 4]> (%x = %us : !s) -> !s {
      %0 = stencil.access %x[1, -1, 0] : !s
      %i = stencil.index 2 <[0, 0, 0]>
      %j = arith.index_cast %i : index to i64
      %1 = arith.sitofp %j : i64 to f64
      %2 = arith.mulf %0, %1 : f64
      sweep.yield %2 : f64
    }
    sweep.output %n over <[0, 1, 1], [1, 3, 4]> to %p : !s, !f
  }
  return
}
"#;
    let cube = |value: fn(&[i64]) -> f64| f64_field(&[0, 0, 0], &[2, 3, 4], value);
    let u = |p: &[i64]| (100 * p[0] + 10 * p[1] + p[2]) as f64;
    let ran = run(text, vec![cube(u), cube(|_| -1.0)]).unwrap();
    assert_eq!(ran.cell(1, &[0, 1, 1]), 101.0);
    assert_eq!(ran.cell(1, &[0, 2, 3]), 339.0);
    assert_eq!(ran.cell(1, &[1, 2, 3]), -1.0);
}

#[test]
fn each_step_has_scalars_of_its_own() {
    let text = r#"
!f = !stencil.field<[0,5]xf64>
!t = !stencil.field<[0,3]xf64>
!s = !stencil.temp<?xf64>
func.func @f(%a: !f, %b: !f, %c: !t, %half: f64, %x0: f64, %i0: index, %x1: f64, %i1: index) {
  sweep.stages "scalars" steps 2
      fields(%u = %a : !f, %p = %b : !f, %t = %c : !t)
      scalars(%h = %half : f64)
      level_scalars(%x = [%x0, %x1] : f64, %i = [%i0, %i1] : index)
      plan <{}> {
    %us = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[2], [3]>
        (%j = %i : index, %v = %us : !s, %k = %x : f64, %table = %t : !t, %l = %h : f64) -> !s {
      %0 = stencil.access %v[0] : !s
      %1 = stencil.dyn_access %table[%j] in <[0]> : <[2]> attributes {absolute} : !t
      %2 = arith.mulf %0, %k : f64
      %3 = arith.addf %2, %1 : f64
      %4 = arith.mulf %3, %l : f64
      sweep.yield %4 : f64
    }
    sweep.carry %n to %us : !s
    sweep.output %n over <[2], [3]> to %p : !s, !f
  }
  return
}
"#;
    let mut arguments = lines(&[(0, &[5.0; 5]), (0, &[0.0; 5]), (0, &[6.0, 7.0, 8.0])]);
    let numbers = [Scalar::f64(0.5), Scalar::f64(2.0), Scalar::index(2), Scalar::f64(3.0)];
    arguments.extend(numbers.map(ArgumentValue::Scalar));
    arguments.push(ArgumentValue::Scalar(Scalar::index(0)));
    let ran = run(text, arguments).unwrap_or_else(|e| panic!("{e}"));
    // The first step gives (5 * 2 + 8) / 2, the second (9 * 3 + 6) / 2.
    assert_eq!(line(&ran, 1), [0.0, 0.0, 16.5, 0.0, 0.0]);
}

/// The cells around the domain are neither read nor written.
#[test]
fn a_line_whose_ends_meet() {
    let text = program(
        2,
        r#"
  sweep.stages "line" steps 2 periodic [0] fields(%u = %a : !f, %p = %b : !f) plan <{}> {
    %us = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [5]> (%x = %us : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      %1 = stencil.access %x[1] : !s
      %2 = arith.subf %0, %1 : f64
      sweep.yield %2 : f64
    }
    sweep.carry %n to %us : !s
    sweep.output %n over <[1], [5]> to %p : !s, !f
  }
"#,
    );
    let ran = run_lines(&text, &[(0, &[f64::NAN, 2.0, 3.0, 4.0, 5.0]), (0, &[7.0; 5])]);
    // After the first step: 2, -2, -2, 2.
    assert_eq!(line(&ran, 1), [7.0, 4.0, 4.0, -4.0, -4.0]);
}

#[test]
fn a_ring_has_values_of_a_field_at_its_other_ends() {
    let text = r#"
!f = !stencil.field<[0,4]x[0,3]xf64>
!s = !stencil.temp<?x?xf64>
func.func @f(%a: !f, %b: !f, %c: !f, %d: !f) {
  sweep.stages "ring" steps 2 periodic [1]
      fields(%u = %a : !f, %h = %b : !f, %k = %c : !f, %p = %d : !f) plan <{}> {
    %us = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1, 0], [3, 3]> (%x = %us : !s, %y = %k : !f) -> !s
        outside(%h : !f) rotations [1] {
      %0 = stencil.access %x[-1, 1] : !s
      %1 = stencil.access %y[1, -1] : !f
      %2 = arith.addf %0, %1 : f64
      sweep.yield %2 : f64
    }
    sweep.carry %n to %us : !s
    sweep.output %n over <[1, 0], [3, 3]> to %p : !s, !f
  }
  return
}
"#;
    let grid = |value: fn(&[i64]) -> f64| f64_field(&[0, 0], &[4, 3], value);
    let arguments = vec![
        grid(|p| (10 * p[0] + p[1]) as f64),
        grid(|p| (100 + p[1]) as f64),
        grid(|p| (1000 * p[1]) as f64),
        grid(|_| -1.0),
    ];
    let ran = run(text, arguments).unwrap_or_else(|e| panic!("{e}"));
    let row = |i: i64| [0, 1, 2].map(|j| ran.cell(3, &[i, j]));
    // The first step gives 2001, 2, 1000 in row 1, to which the second adds 2000, 0, 1000.
    assert_eq!(row(1), [2101.0, 102.0, 1100.0]);
    assert_eq!(row(2), [2002.0, 1000.0, 3001.0]);
    assert_eq!(row(0), [-1.0; 3]);
    assert_eq!(row(3), [-1.0; 3]);
}

/// What a first pass has written is in a field that has no values around the domain. Those that it
/// shall have are of the field that is written, and are kept.
#[test]
fn an_input_of_two_fields() {
    let text = program(
        2,
        r#"
  sweep.stages "second" steps 1 fields(%t = %a : !f, %h = %b : !f) plan <{}> {
    %us = sweep.input %t over <[1], [4]> outside %h : !f, !f -> !s
    %n = sweep.stage "n" over <[1], [4]> (%x = %us : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      %1 = stencil.access %x[1] : !s
      %2 = arith.addf %0, %1 : f64
      sweep.yield %2 : f64
    }
    sweep.output %n over <[1], [4]> to %h : !s, !f
  }
"#,
    );
    let tmp = [f64::NAN, 1.0, 2.0, 3.0, f64::NAN];
    let ran = run_lines(&text, &[(0, &tmp), (0, &[100.0, -5.0, -5.0, -5.0, 200.0])]);
    assert_eq!(line(&ran, 1), [100.0, 102.0, 4.0, 202.0, 200.0]);
}

fn refused(kernel: &str, op: &str, message: &str) {
    let error = error(&program(2, kernel), lines(&[(0, &[1.0; 5]), (0, &[2.0; 5])]));
    assert_eq!((error.kind, &*error.op), (ErrorKind::Program, op), "{error}");
    assert!(error.message.contains(message), "{error}");
}

/// Two statements, of which the second reads the first one.
fn pair(offset: i64, outside: &str, outputs: &str) -> String {
    format!(
        r#"
  sweep.stages "pair" steps 1 fields(%u = %a : !f, %p = %b : !f, %q = %b : !f, %v = %a : !f)
      plan <{{}}> {{
    %us = sweep.input %u : !f -> !s
    %g = sweep.stage "g" over <[1], [4]> (%x = %us : !s, %y = %p : !f) -> !s {outside} {{
      %0 = stencil.access %x[0] : !s
      %1 = stencil.access %y[0] : !f
      %2 = arith.addf %0, %1 : f64
      sweep.yield %2 : f64
    }}
    %n = sweep.stage "n" over <[1], [5]> (%x = %g : !s) -> !s {{
      %0 = stencil.access %x[{offset}] : !s
      sweep.yield %0 : f64
    }}
    {outputs}
  }}
"#
    )
}

#[test]
fn what_lies_outside_of_a_domain_has_no_value() {
    let output = "sweep.output %n over <[1], [5]> to %v : !s, !f";
    let message = "reads [4], outside of bounds <[1], [4]>";
    refused(&pair(0, "", output), "stencil.access", message);
    let outside = "outside(%p : !f) rotations [1]";
    // The input's memory is written, but each point reads its own cell alone.
    let ran = run_lines(&program(2, &pair(0, outside, output)), &[(0, &[1.0; 5]), (0, &[2.0; 5])]);
    assert_eq!(line(&ran, 0), [1.0, 3.0, 3.0, 3.0, 2.0]);
}

/// Two names of a field are one memory.
#[test]
fn memory_that_is_read_is_not_written() {
    let (g, n) = ("sweep.output %g over <[1], [4]> to", "sweep.output %n over <[1], [5]> to");
    let outside = "outside(%p : !f) rotations [1]";
    let input = "writes to memory that a 'sweep.input' reads";
    refused(&pair(-1, outside, &format!("{g} %v : !s, !f")), "sweep.output", input);
    let stage = "writes to memory that a 'sweep.stage' reads";
    refused(&pair(-1, outside, &format!("{g} %q : !s, !f")), "sweep.output", stage);
    // The value outside of the first domain is written by the second statement.
    let around = "outside(%u : !f) rotations [1]";
    refused(&pair(0, around, &format!("{n} %v : !s, !f")), "sweep.output", stage);
    let other = "writes to memory that another 'sweep.output' also writes to";
    let both = format!("{g} %v : !s, !f\n{n} %v : !s, !f");
    let both = both.replacen("%v", "%w", 1);
    let both = pair(0, outside, &both).replace("%v = %a : !f", "%v = %a : !f, %w = %a : !f");
    refused(&both, "sweep.output", other);
    // In a second step other points may have read what the first one wrote.
    let two = WAVE.replace("%p = %d : !f", "%p = %a : !f").replace("%q = %e", "%q = %b");
    let fields = [1.0, 2.0, 3.0].map(|value| [value; 5]);
    let arguments = lines(&[(0, &fields[0]), (0, &fields[1]), (0, &fields[2])]);
    let error = error(&program(3, &two), arguments);
    assert!(error.message.contains(input), "{error}");
}
