//! Kernels in the planes form whose statements have domains of their own, or whose grid is a ring:
//! each is compared with its stages form.

use crate::run_text::{Ran, error, f64_field, noise, run};
use stencil_interpreter::{ArgumentValue, ErrorKind};

/// A program with the fields `%a`, `%b`, and so on.
fn program(types: &str, fields: usize, kernel: &str) -> String {
    let argument = |number: usize| format!("%{}: !f", char::from(b'a' + number as u8));
    let arguments: Vec<String> = (0..fields).map(argument).collect();
    let arguments = arguments.join(", ");
    format!(
        "!f = !stencil.field<{types}>\n!t = !sweep.tile<f64>\n!b = !sweep.buffer<f64>\n\
         func.func @f({arguments}) {{\n{kernel}\nreturn\n}}"
    )
}

fn fields(lower: &[i64], upper: &[i64], count: usize) -> Vec<ArgumentValue> {
    let field = |number| f64_field(lower, upper, move |p| noise(p) + number as f64);
    (0..count).map(field).collect()
}

fn compare(stages: &str, planes: &str, arguments: impl Fn() -> Vec<ArgumentValue>) {
    let run = |text: &str| run(text, arguments()).unwrap_or_else(|e| panic!("{e}"));
    let (Ran { arguments: wanted, .. }, Ran { arguments: found, .. }) = (run(stages), run(planes));
    assert!(wanted != arguments(), "the kernel does nothing");
    assert!(found == wanted, "differs from its stages form: {planes}");
}

fn refused(text: &str, arguments: Vec<ArgumentValue>, message: &str) {
    let error = error(text, arguments);
    assert_eq!(error.kind, ErrorKind::Program);
    assert!(error.to_string().contains(message), "{error}");
}

/// A statement on eight by eight points, and one on a part of them that reads it.
const TWO_STAGES: &str = r#"
  sweep.stages "two" steps 1 fields(%u = %a : !f, %h = %b : !f, %o = %c : !f, %p = %d : !f)
      plan <{}> {
    %s = sweep.input %u : !f -> !stencil.temp<?x?xf64>
    %g = sweep.stage "g" over <[1, 1], [9, 9]> (%v = %s : !stencil.temp<?x?xf64>)
        -> !stencil.temp<?x?xf64> outside(%h : !f) rotations [1] {
      %0 = stencil.access %v[-1, 0] : !stencil.temp<?x?xf64>
      %1 = stencil.access %v[1, 0] : !stencil.temp<?x?xf64>
      %2 = stencil.access %v[0, 1] : !stencil.temp<?x?xf64>
      %3 = arith.addf %0, %1 : f64
      %4 = arith.mulf %3, %2 : f64
      sweep.yield %4 : f64
    }
    %n = sweep.stage "n" over <[2, 1], [8, 8]> (%v = %g : !stencil.temp<?x?xf64>, %q = %h : !f)
        -> !stencil.temp<?x?xf64> {
      %0 = stencil.access %v[-1, 0] : !stencil.temp<?x?xf64>
      %1 = stencil.access %v[0, -1] : !stencil.temp<?x?xf64>
      %2 = stencil.access %q[1, 0] : !f
      %3 = arith.subf %0, %1 : f64
      %4 = arith.addf %3, %2 : f64
      sweep.yield %4 : f64
    }
    sweep.output %g over <[1, 1], [9, 9]> to %o : !stencil.temp<?x?xf64>, !f
    sweep.output %n over <[2, 1], [8, 8]> to %p : !stencil.temp<?x?xf64>, !f
  }
"#;

const TWO_PLANES: &str = r#"
  sweep.tiled "two" steps 1 over <[1, 1], [9, 9]> reach [1, 1, 1, 1] margin [2, 1, 1, 1]
      fields(%u = %a : !f, %h = %b : !f, %o = %c : !f, %p = %d : !f)
      plan <{mapping = "warp", points = [1, 1], threads = [1, 32], chunks = 3}>
      points 64 flops 0 bytes 0 {
    %zero = arith.constant 0.0 : f64
    %none = sweep.splat %zero : !t
    sweep.planes from -2 to 1 iter_args(%u2 = %none : !t, %u1 = %none : !t, %g1 = %none : !t) {
      %u0 = sweep.fetch %u[0] : !f
      %ue = sweep.shift %u1 by [0, 1] : !t
      %g = sweep.map plane -1 over <[1, 1], [9, 9]> (%x = %u2 : !t, %y = %u0 : !t, %z = %ue : !t)
          -> !t {
        %3 = arith.addf %x, %y : f64
        %4 = arith.mulf %3, %z : f64
        sweep.yield %4 : f64
      }
      sweep.store %g to %o[-1] over <[1, 1], [9, 9]> : !f
      %g0 = sweep.boundary %g[-1] from %h over <[1, 1], [9, 9]> : !f
      %gw = sweep.shift %g0 by [0, -1] : !t
      %n = sweep.map plane -1 over <[2, 1], [8, 8]> (%x = %g1 : !t, %y = %gw : !t) -> !t {
        %2 = stencil.access %h[1, 0] : !f
        %3 = arith.subf %x, %y : f64
        %4 = arith.addf %3, %2 : f64
        sweep.yield %4 : f64
      }
      sweep.store %n to %p[-1] over <[2, 1], [8, 8]> : !f
      sweep.yield %u1, %u0, %g0 : !t, !t, !t
    }
  }
"#;

fn two(kernel: &str) -> String {
    program("[0,10]x[0,10]xf64", 4, kernel)
}

#[test]
fn statements_have_domains_of_their_own() {
    let arguments = || fields(&[0, 0], &[10, 10], 4);
    compare(&two(TWO_STAGES), &two(TWO_PLANES), arguments);
    // The statement on a part of the points is moved into that part: here it reads the last row of
    // a field that ends there.
    let all = "over <[2, 1], [8, 8]> (%x";
    let moved = TWO_PLANES.replace(all, "over <[2, 1], [3, 8]> (%x");
    let ran = run(&two(&moved), arguments()).unwrap();
    assert_ne!(ran.arguments, run(&two(TWO_PLANES), arguments()).unwrap().arguments);
}

#[test]
fn what_lies_outside_of_a_domain_is_given() {
    let arguments = || fields(&[0, 0], &[10, 10], 4);
    let edited = |from: &str, to: &str| {
        assert!(TWO_PLANES.contains(from), "{from}");
        two(&TWO_PLANES.replace(from, to))
    };
    // Only what is near a domain has boundary values.
    let narrow = edited("from %h over <[1, 1], [9, 9]>", "from %h over <[1, 4], [9, 9]>");
    let message = "stores a value at [2, 1] that depends on a point further outside the domain \
                   than a level reads";
    refused(&narrow, arguments(), message);
    let margin = edited("margin [2, 1, 1, 1]", "margin [2, 1, 0, 1]");
    let message = "stores values that depend on points 1 columns before them, but a tile has 0; a \
                   tile has 'margin' of the kernel";
    refused(&margin, arguments(), message);
    // A margin beyond what is needed changes nothing.
    let wide = edited("margin [2, 1, 1, 1]", "margin [2, 2, 3, 4]");
    compare(&two(TWO_STAGES), &wide, arguments);
}

/// Two steps on a ring of columns, with values of fields around the planes, or a ring of them too.
/// Coordinates and coefficients are those of the point at the other end.
fn ring(periodic: &str) -> [String; 2] {
    let outside = if periodic.contains('0') { "" } else { "outside(%h : !f, %u : !f)" };
    let rotations = if outside.is_empty() { "" } else { "rotations [2]" };
    let of_next = if outside.is_empty() { "%x" } else { "%xb" };
    let boundary = if outside.is_empty() { "" } else { "%xb = sweep.boundary %x[0] from %h : !f" };
    let stages = format!(
        r#"
  sweep.stages "ring" steps 2 periodic {periodic}
      fields(%u = %a : !f, %h = %b : !f, %k = %c : !f, %o = %d : !f) plan <{{}}> {{
    %s = sweep.input %u : !f -> !stencil.temp<?x?xf64>
    %n = sweep.stage "n" over <[0, 1], [7, 6]> (%v = %s : !stencil.temp<?x?xf64>, %q = %k : !f)
        -> !stencil.temp<?x?xf64> {outside} {rotations} {{
      %0 = stencil.access %v[-1, 0] : !stencil.temp<?x?xf64>
      %1 = stencil.access %v[0, 2] : !stencil.temp<?x?xf64>
      %2 = stencil.access %q[0, -1] : !f
      %i = stencil.index 1 <[0, 0]>
      %j = arith.index_cast %i : index to i64
      %f = arith.sitofp %j : i64 to f64
      %3 = arith.addf %0, %1 : f64
      %4 = arith.mulf %3, %2 : f64
      %5 = arith.addf %4, %f : f64
      sweep.yield %5 : f64
    }}
    sweep.carry %n to %s : !stencil.temp<?x?xf64>
    sweep.output %n over <[0, 1], [7, 6]> to %o : !stencil.temp<?x?xf64>, !f
  }}
"#
    );
    let point = r#"{
        %2 = stencil.access %k[0, -1] : !f
        %i = stencil.index 1 <[0, 0]>
        %j = arith.index_cast %i : index to i64
        %f = arith.sitofp %j : i64 to f64
        %3 = arith.addf %0, %1 : f64
        %4 = arith.mulf %3, %2 : f64
        %5 = arith.addf %4, %f : f64
        sweep.yield %5 : f64
      }"#;
    let planes = format!(
        r#"
  sweep.tiled "ring" steps 2 over <[0, 1], [7, 6]> reach [1, 0, 0, 2] periodic {periodic}
      fields(%u = %a : !f, %h = %b : !f, %k = %c : !f, %o = %d : !f)
      plan <{{mapping = "warp", points = [1, 1], threads = [1, 32], chunks = 2}}>
      points 70 flops 0 bytes 0 {{
    %zero = arith.constant 0.0 : f64
    %none = sweep.splat %zero : !t
    sweep.planes from -2 to 0 iter_args(%u1 = %none : !t, %x1 = %none : !t) {{
      %u0 = sweep.fetch %u[0] : !f
      %ue = sweep.shift %u0 by [0, 2] : !t
      %x = sweep.map plane 0 (%0 = %u1 : !t, %1 = %ue : !t) -> !t {point}
      {boundary}
      %xe = sweep.shift {of_next} by [0, 2] : !t
      %y = sweep.map plane 0 (%0 = %x1 : !t, %1 = %xe : !t) -> !t {point}
      sweep.store %y to %o[0] : !f
      sweep.yield %u0, {of_next} : !t, !t
    }}
  }}
"#
    );
    [stages, planes].map(|kernel| program("[-1,7]x[0,6]xf64", 4, &kernel))
}

#[test]
fn the_ends_of_periodic_dimensions_meet() {
    for periodic in ["[1]", "[0, 1]"] {
        let [stages, planes] = ring(periodic);
        compare(&stages, &planes, || fields(&[-1, 0], &[7, 6], 4));
    }
    // A ring of columns of a grid that is no ring of planes: their first plane has no value.
    let [_, planes] = ring("[0, 1]");
    let open = planes.replace("periodic [0, 1]", "periodic [1]");
    let message = "stores a value at [0, 1] that depends on a point that its field does not have";
    refused(&open, fields(&[-1, 0], &[7, 6], 4), message);
}

#[test]
fn a_line_is_a_ring() {
    let stages = r#"
  sweep.stages "line" steps 1 periodic [0] fields(%u = %a : !f, %o = %b : !f) plan <{}> {
    %s = sweep.input %u : !f -> !stencil.temp<?xf64>
    %n = sweep.stage "n" over <[1], [6]> (%v = %s : !stencil.temp<?xf64>)
        -> !stencil.temp<?xf64> {
      %0 = stencil.access %v[-3] : !stencil.temp<?xf64>
      %1 = stencil.access %v[4] : !stencil.temp<?xf64>
      %2 = arith.subf %0, %1 : f64
      sweep.yield %2 : f64
    }
    sweep.output %n over <[1], [6]> to %o : !stencil.temp<?xf64>, !f
  }
"#;
    let planes = r#"
  sweep.tiled "line" steps 1 over <[1], [6]> reach [3, 4] margin [3, 4] periodic [0]
      fields(%u = %a : !f, %o = %b : !f)
      plan <{mapping = "warp", points = [1], threads = [32]}>
      points 5 flops 5 bytes 80 {
    sweep.planes from 0 to 0 {
      %u0 = sweep.fetch %u[0] : !f
      %w = sweep.shift %u0 by [0, -3] : !t
      %e = sweep.shift %u0 by [0, 4] : !t
      %n = sweep.map plane 0 (%0 = %w : !t, %1 = %e : !t) -> !t {
        %2 = arith.subf %0, %1 : f64
        sweep.yield %2 : f64
      }
      sweep.store %n to %o[0] : !f
      sweep.yield
    }
  }
"#;
    let [stages, planes] = [stages, planes].map(|kernel| program("[1,6]xf64", 2, kernel));
    compare(&stages, &planes, || fields(&[1], &[6], 2));
    let ran = run(&stages, fields(&[1], &[6], 2)).unwrap();
    // The point 1 reads -2, which is 3, and 5.
    assert_eq!(ran.cell(1, &[1]), ran.cell(0, &[3]) - ran.cell(0, &[5]));
}

/// A ring of rows, which other warps have.
#[test]
fn rows_of_a_ring() {
    let stages = r#"
  sweep.stages "cube" steps 1 periodic [1] fields(%u = %a : !f, %o = %b : !f) plan <{}> {
    %s = sweep.input %u : !f -> !stencil.temp<?x?x?xf64>
    %n = sweep.stage "n" over <[1, 0, 0], [5, 8, 3]> (%v = %s : !stencil.temp<?x?x?xf64>)
        -> !stencil.temp<?x?x?xf64> {
      %0 = stencil.access %v[-1, 0, 0] : !stencil.temp<?x?x?xf64>
      %1 = stencil.access %v[0, -1, 1] : !stencil.temp<?x?x?xf64>
      %2 = arith.subf %0, %1 : f64
      sweep.yield %2 : f64
    }
    sweep.output %n over <[1, 0, 0], [5, 8, 3]> to %o : !stencil.temp<?x?x?xf64>, !f
  }
"#;
    let planes = r#"
  sweep.tiled "cube" steps 1 over <[1, 0, 0], [5, 8, 3]> reach [1, 0, 1, 0, 0, 1] periodic [1]
      fields(%u = %a : !f, %o = %b : !f)
      plan <{mapping = "block", points = [1, 2, 1], threads = [1, 4, 32]}>
      points 96 flops 96 bytes 1536 {
    %zero = arith.constant 0.0 : f64
    %none = sweep.splat %zero : !t
    %rows = sweep.shared "rows" rows [1] copies 1 : !b
    sweep.planes from -1 to 0 iter_args(%u1 = %none : !t) {
      %u0 = sweep.fetch %u[0] : !f
      sweep.fence
      sweep.put %u0 to %rows : !b
      sweep.fence
      %w = sweep.shift %u0 by [-1, 1] via %rows[0] : !t, !b
      %n = sweep.map plane 0 (%0 = %u1 : !t, %1 = %w : !t) -> !t {
        %2 = arith.subf %0, %1 : f64
        sweep.yield %2 : f64
      }
      sweep.store %n to %o[0] : !f
      sweep.yield %u0 : !t
    }
  }
"#;
    let [stages, planes] =
        [stages, planes].map(|kernel| program("[0,5]x[0,8]x[0,4]xf64", 2, kernel));
    compare(&stages, &planes, || fields(&[0, 0, 0], &[5, 8, 4], 2));
}
