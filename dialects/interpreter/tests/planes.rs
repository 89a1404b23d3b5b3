//! Kernels in the planes form: each is compared with the same levels as `sweep.kernel`, and each
//! mistake in one is found.

use crate::run_text::{error, f64_field, noise, run};
use stencil_interpreter::{ArgumentValue, ErrorKind};

/// Two steps in three dimensions. Planes of the first level are kept in registers and a slot, those
/// of the second in registers; other warps' rows and whole planes are exchanged.
const CUBE: &str = r#"
!f = !stencil.field<[-1,11]x[-2,13]x[-1,12]xf64>
!t = !sweep.tile<f64>
!b = !sweep.buffer<f64>
func.func @f(%a: !f, %b: !f, %out: !f) {
  %c = arith.constant 0.25 : f64
  sweep.tiled "cube" steps 2 over <[0, 0, 0], [10, 12, 11]> reach [1, 1, 2, 1, 1, 1]
      fields(%u = %a : !f, %h = %b : !f, %o = %out : !f)
      scalars(%g = %c : f64)
      plan <{mapping = "block", points = [1, 4, 2], threads = [1, 6, 32], chunks = 2}>
      points 2640 flops 10560 bytes 21120 {
    %zero = arith.constant 0.0 : f64
    %none = sweep.splat %zero : !t
    %ring = sweep.shared "ring" copies 3 : !b
    %slot = sweep.shared "slot" copies 1 : !b
    %rows = sweep.shared "rows" rows [0, 2, 3] copies 2 : !b
    %whole = sweep.shared "planes" copies 2 : !b
    sweep.copy_async %u[0] to %ring : !f, !b
    sweep.copy_async %u[1] to %ring : !f, !b
    sweep.planes from -2 to 2 turns 6
        iter_args(%u1 = %none : !t, %v2 = %none : !t, %v1 = %none : !t) {
      sweep.wait 1
      %u0 = sweep.take %ring[0] : !b
      sweep.copy_async %u[2] to %ring : !f, !b
      sweep.put %u0 to %rows : !b
      %u2 = sweep.take %slot[1] : !b
      %un = sweep.shift %u1 by [-2, 0] via %rows[1] : !t, !b
      %us = sweep.shift %u1 by [1, 1] via %rows[1] : !t, !b
      %uw = sweep.shift %u0 by [0, -1] : !t
      %x = sweep.map plane -1 (%p = %u2 : !t, %n = %un : !t, %s = %us : !t, %w = %uw : !t) -> !t {
        %0 = arith.addf %p, %n : f64
        %1 = arith.subf %s, %w : f64
        %2 = arith.addf %0, %1 : f64
        %3 = arith.mulf %2, %g : f64
        sweep.yield %3 : f64
      }
      sweep.put %u1 to %slot : !b
      %v0 = sweep.boundary %x[-1] from %h : !f
      sweep.put %v0 to %whole : !b
      sweep.fence
      %vn = sweep.shift %v1 by [-2, 0] via %whole[1] : !t, !b
      %vs = sweep.take %whole[1] by [1, 1] : !b
      %vw = sweep.shift %v0 by [0, -1] via %whole[0] : !t, !b
      %y = sweep.map plane -2 (%p = %v2 : !t, %n = %vn : !t, %s = %vs : !t, %w = %vw : !t) -> !t {
        %0 = arith.addf %p, %n : f64
        %1 = arith.subf %s, %w : f64
        %2 = arith.addf %0, %1 : f64
        %3 = arith.mulf %2, %g : f64
        sweep.yield %3 : f64
      }
      sweep.store %y to %o[-2] : !f
      sweep.fence
      sweep.yield %u0, %v1, %v0 : !t, !t, !t
    }
  }
  return
}
"#;

/// The same levels.
const CUBE_LEVELS: &str = r#"
!f = !stencil.field<[-1,11]x[-2,13]x[-1,12]xf64>
func.func @f(%a: !f, %b: !f, %out: !f) {
  %c = arith.constant 0.25 : f64
  sweep.kernel "cube" steps 2 over <[0, 0, 0], [10, 12, 11]>
      carried(%u = %a : !f)
      boundaries(%a : !f, %b : !f)
      scalars(%g = %c : f64)
      outs(%out : !f)
      plan <{}> {
    %p = stencil.access %u[-1, 0, 0] : !f
    %n = stencil.access %u[0, -2, 0] : !f
    %s = stencil.access %u[0, 1, 1] : !f
    %w = stencil.access %u[1, 0, -1] : !f
    %0 = arith.addf %p, %n : f64
    %1 = arith.subf %s, %w : f64
    %2 = arith.addf %0, %1 : f64
    %3 = arith.mulf %2, %g : f64
    sweep.yield %3 : f64
  }
  return
}
"#;

/// One step in two dimensions, in registers.
const SHEET: &str = r#"
!f = !stencil.field<[0,14]x[0,10]xf64>
!t = !sweep.tile<f64>
func.func @f(%a: !f, %b: !f, %out: !f) {
  sweep.tiled "sheet" steps 1 over <[1, 1], [13, 9]> reach [1, 1, 1, 0]
      fields(%u = %a : !f, %h = %b : !f, %o = %out : !f)
      plan <{mapping = "warp", points = [1, 1], threads = [1, 32]}>
      points 96 flops 96 bytes 1536 {
    %zero = arith.constant 0.0 : f64
    %none = sweep.splat %zero : !t
    sweep.planes from -1 to 1 iter_args(%u2 = %none : !t, %u1 = %none : !t) {
      %u0 = sweep.fetch %u[0] : !f
      %uw = sweep.shift %u1 by [0, -1] : !t
      %x = sweep.map plane -1 (%p = %u2 : !t, %w = %uw : !t, %s = %u0 : !t) -> !t {
        %0 = arith.addf %p, %w : f64
        %1 = arith.addf %0, %s : f64
        sweep.yield %1 : f64
      }
      sweep.store %x to %o[-1] : !f
      sweep.yield %u1, %u0 : !t, !t
    }
  }
  return
}
"#;

pub fn cube_fields() -> Vec<ArgumentValue> {
    fields(&[-1, -2, -1], &[11, 13, 12])
}

fn sheet_fields() -> Vec<ArgumentValue> {
    fields(&[0, 0], &[14, 10])
}

fn fields(lower: &[i64], upper: &[i64]) -> Vec<ArgumentValue> {
    let field = |number: i64| {
        f64_field(lower, upper, move |point| {
            let shifted: Vec<i64> = point.iter().map(|x| x + 100 * number).collect();
            noise(&shifted)
        })
    };
    (0..3).map(field).collect()
}

/// A text in which each of some parts is replaced.
pub fn edited(text: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(text.to_owned(), |text, (old, new)| {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        text.replace(old, new)
    })
}

/// The error of an edited kernel: op, message and remedy, which begins so.
pub fn refused(
    text: &str,
    arguments: Vec<ArgumentValue>,
    edits: &[(&str, &str)],
    (op, message, remedy): (&str, &str, &str),
) {
    let error = error(&edited(text, edits), arguments);
    assert_eq!(error.kind, ErrorKind::Program, "{error}");
    assert_eq!((error.op.as_str(), error.message.as_str()), (op, message), "{error}");
    let given = error.remedy.clone().unwrap_or_default();
    assert!(given.contains(remedy), "{error}\n{remedy}");
    assert!(error.location.starts_with("case.mlir:"), "{error}");
}

fn cube(edits: &[(&str, &str)], expected: (&str, &str, &str)) {
    refused(CUBE, cube_fields(), edits, expected);
}

fn sheet(edits: &[(&str, &str)], expected: (&str, &str, &str)) {
    refused(SHEET, sheet_fields(), edits, expected);
}

#[test]
fn equals_the_levels() {
    let levels = run(CUBE_LEVELS, cube_fields()).unwrap();
    for chunks in ["chunks = 1", "chunks = 2", "chunks = 4"] {
        let planes = run(&edited(CUBE, &[("chunks = 2", chunks)]), cube_fields()).unwrap();
        assert_eq!(planes.arguments, levels.arguments, "{chunks}");
        let at_most = planes.estimate.unwrap();
        assert!(planes.counters.operations <= at_most, "{at_most}");
    }
    run(SHEET, sheet_fields()).unwrap();
}

/// What waits for what in shared memory.
#[test]
fn fences_and_waits() {
    let between = "sweep.fence\n      %vn";
    let unseen = "reads plane -3, which other threads may not have put yet";
    for fence in ["%vn", "sweep.fence warp\n      %vn"] {
        cube(&[(between, fence)], ("sweep.shift", unseen, "put a 'sweep.fence' between"));
    }
    let overwritten = "overwrites plane -3, which other threads may not have read yet";
    let last = "sweep.fence\n      sweep.yield %u0";
    cube(&[(last, "sweep.yield %u0")], ("sweep.put", overwritten, "put a 'sweep.fence' between"));
    for wait in ["", "sweep.wait 2"] {
        let in_flight = "takes plane -2, which may be in flight";
        cube(&[("sweep.wait 1", wait)], ("sweep.take", in_flight, "'sweep.wait 1'"));
    }
}

/// A shift reads of other threads what its own thread holds.
#[test]
fn planes_of_copies() {
    let put = "put the tile that is shifted";
    let other = "%u0 by [1, -1] via %rows[1] : !t, !b";
    let message = "shifts plane -1 via a copy that holds plane -2";
    cube(&[("%u0 by [0, -1] : !t", other)], ("sweep.shift", message, put));
    let message = "shifts plane -3 via a copy of another tile of it";
    let unbounded = ("sweep.put %v0 to %whole", "sweep.put %x to %whole");
    cube(&[unbounded], ("sweep.shift", message, put));
}

#[test]
fn ages_of_copies() {
    let take = "%u2 = sweep.take %slot[1] : !b";
    let put_first = format!("sweep.put %u1 to %slot : !b\n{take}");
    let message = "reads the copy of age 1, which an initial value has overwritten";
    cube(&[(take, &put_first)], ("sweep.take", message, "read it before that"));
    let edits = [
        (take, "%u2 = sweep.take %slot[0] : !b"),
        ("%rows = sweep.shared", "sweep.put %none to %slot : !b\n%rows = sweep.shared"),
    ];
    let message = "reads the copy of age 0, but it holds an initial value, of age 1";
    cube(&edits, ("sweep.take", message, "ages count iterations"));
    let message = "reads the copy of age 1, which was never written";
    cube(&[("sweep.put %u1 to %slot : !b", "")], ("sweep.take", message, "in each iteration"));
}

#[test]
fn rings() {
    let edits =
        [("sweep.copy_async %u[1] to %ring : !f, !b", ""), ("sweep.wait 1", "sweep.wait 0")];
    let message = "takes a plane that was not copied to the ring";
    cube(&edits, ("sweep.take", message, "before the loop"));
    let edits = [("sweep.copy_async %u[2] to", "sweep.copy_async %u[4] to")];
    let message = "overwrites plane -1, which was not taken yet";
    let early = [("sweep.wait 1", "sweep.copy_async %u[1] to %ring : !f, !b\nsweep.wait 1")];
    let twice = "overwrites plane -1, which was not taken yet";
    cube(&edits, ("sweep.copy_async", message, "as many ahead"));
    cube(&early, ("sweep.copy_async", twice, "once"));
}

#[test]
fn rows_of_other_threads() {
    let rows = "rows [0, 2, 3]";
    let missing = "reads row 2 of other threads, of which a buffer holds [0, 3]";
    cube(&[(rows, "rows [0, 3]")], ("sweep.shift", missing, "add 2 to the rows of the buffer"));
    let no_row = "holds row 4 of threads that have 4";
    cube(&[(rows, "rows [0, 2, 4]")], ("sweep.shared", no_row, "counted from 0"));
    let alone = ("by [1, 1] via %rows[1] : !t, !b", "by [1, 1] : !t");
    let message = "reads rows of other threads, each of which has 4";
    cube(&[alone], ("sweep.shift", message, "of kind \"rows\" or \"planes\""));
    // There are no others in a block with one row of warps.
    let one_warp = [alone, ("threads = [1, 6, 32]", "threads = [1, 1, 32]")];
    run(&edited(CUBE, &one_warp), cube_fields()).unwrap();
}

#[test]
fn rows_of_two_dimensions() {
    let message = "reads -1 rows on, but a plane of 2 dimensions has one row";
    let columns = "the second number";
    sheet(&[("by [0, -1]", "by [-1, 0]")], ("sweep.shift", message, columns));
    let take = ("%kept[1] by [0, -1]", "%kept[1] by [-1, 0]");
    refused(LINES, sheet_fields(), &[take], ("sweep.take", message, columns));
}

#[test]
fn planes_of_the_grid() {
    let counted = "planes are counted from the one that arrives";
    let message = "stores to plane 0, but the tile holds plane -1";
    cube(&[("%o[-2]", "%o[-1]")], ("sweep.store", message, counted));
    let message = "gives boundary values to plane -2, but the tile holds plane -3";
    cube(&[("%x[-1]", "%x[0]")], ("sweep.boundary", message, counted));
    let message = "stores plane -3 from the arriving one, which is never the last of the domain";
    cube(&[("%o[-2]", "%o[-3]")], ("sweep.store", message, "'to' 3, got from -2 to 2"));
    let message = "stores plane 3 from the arriving one, which is never the first of the domain";
    cube(&[("%o[-2]", "%o[3]")], ("sweep.store", message, "'from' -3, got from -2 to 2"));
    // What a chunk did not compute is zero, which is a value.
    let levels = run(CUBE_LEVELS, cube_fields()).unwrap();
    let late = run(&edited(CUBE, &[("from -2", "from -1")]), cube_fields()).unwrap();
    assert_ne!(late.arguments, levels.arguments);
}

/// Nothing that is stored depends on a point that has no value, or that a tile may not have.
#[test]
fn points_without_a_value() {
    let forgotten =
        [("%v0 = sweep.boundary %x[-1] from %h : !f", ""), ("%x = sweep.map", "%v0 = sweep.map")];
    let message =
        "stores a value at [0, 0, 0] that depends on a point that its field does not have";
    cube(&forgotten, ("sweep.store", message, "with 'sweep.boundary'"));
    let reach = "reach [1, 1, 2, 1, 1, 1]";
    let size = "'steps' times 'reach'";
    let message = "stores values that depend on points 4 rows before them, but a tile has 2";
    cube(&[(reach, "reach [1, 1, 1, 1, 1, 1]")], ("sweep.store", message, size));
    let message = "stores values that depend on points 2 columns after them, but a tile has 0";
    cube(&[(reach, "reach [1, 1, 2, 1, 1, 0]")], ("sweep.store", message, size));
    let message = "stores a value at [0, 0, 0] that depends on a point further outside the domain \
                   than a level reads";
    cube(&[(reach, "reach [0, 1, 2, 1, 1, 1]")], ("sweep.store", message, "'reach' of the kernel"));
    // The second chunk begins at plane 5.
    let edits = [("sweep.take %slot[1]", "sweep.take %whole[1]"), ("from -2", "from 0")];
    let message = "stores a value at [5, 0, 0] that depends on shared memory before its first use";
    cube(&edits, ("sweep.store", message, "earlier planes"));
}

/// Memory of the program may hold nothing.
#[test]
fn fields_without_values() {
    let alloc = "%n = stencil.alloc : !f\n  sweep.tiled";
    let message =
        "stores a value at [1, 1] that depends on a point of a field that nothing was stored to";
    let edits = [("sweep.tiled", alloc), ("%u = %a", "%u = %n")];
    sheet(&edits, ("sweep.store", message, "before the kernel"));
}

/// Other blocks run at the same time.
#[test]
fn fields_that_are_written() {
    let fetch = "sweep.fetch %u[0]";
    let message = "reads a field that the kernel stores to, of which other blocks may have stored \
                   a part";
    let own = "with 'own'";
    sheet(&[(fetch, "sweep.fetch %o[0]")], ("sweep.fetch", message, own));
    sheet(&[("%o = %out", "%o = %a")], ("sweep.fetch", message, own));
    let message = "stores values that depend on points 2 columns before them, but a tile has 1";
    sheet(&[(fetch, "sweep.fetch %o[0] own")], ("sweep.store", message, "around what it stores"));
    let read = "%r = stencil.access %o[0, 0] : !f\n%1 = arith.addf %0, %r : f64";
    let message = "reads a field that the kernel stores to";
    sheet(&[("%1 = arith.addf %0, %s : f64", read)], ("sweep.map", message, "another field"));
}

/// A region may fail at points that are not stored: those around the domain.
#[test]
fn regions_that_fail() {
    let divided = |offset: i64| {
        let text = format!(
            "%i = stencil.index 1 <[0, {offset}]>\n%k = arith.constant 7 : index\n\
             %q = arith.divsi %k, %i : index\n%n = arith.index_cast %q : index to i32\n\
             %z = arith.sitofp %n : i32 to f64\n%0 = arith.addf %p, %z : f64"
        );
        edited(SHEET, &[("%0 = arith.addf %p, %w : f64", &text)])
    };
    run(&divided(0), sheet_fields()).unwrap();
    let error = error(&divided(-3), sheet_fields());
    assert_eq!((error.op.as_str(), error.message.as_str()), ("arith.divsi", "divides by zero"));
}

/// Four lines in an iteration.
const LINES: &str = r#"
!f = !stencil.field<[0,14]x[0,10]xf64>
!t = !sweep.tile<f64>
!b = !sweep.buffer<f64>
func.func @f(%a: !f, %b: !f, %out: !f) {
  sweep.tiled "lines" steps 1 over <[1, 1], [13, 9]> reach [1, 1, 1, 0]
      fields(%u = %a : !f, %h = %b : !f, %o = %out : !f)
      plan <{mapping = "block", points = [1, 1], threads = [4, 64]}>
      points 96 flops 96 bytes 1536 {
    %kept = sweep.shared "lines" copies 6 : !b
    sweep.planes from -1 to 1 {
      %u0 = sweep.fetch %u[0] : !f
      sweep.put %u0 to %kept : !b
      sweep.fence
      %u2 = sweep.take %kept[2] : !b
      %uw = sweep.take %kept[1] by [0, -1] : !b
      %x = sweep.map plane -1 (%p = %u2 : !t, %w = %uw : !t, %s = %u0 : !t) -> !t {
        %0 = arith.addf %p, %w : f64
        %1 = arith.addf %0, %s : f64
        sweep.yield %1 : f64
      }
      sweep.store %x to %o[-1] : !f
      sweep.fence
      sweep.yield
    }
  }
  return
}
"#;

#[test]
fn lines() {
    let sheet = run(SHEET, sheet_fields()).unwrap();
    for copies in ["copies 6", "copies 9"] {
        let lines = run(&edited(LINES, &[("copies 6", copies)]), sheet_fields()).unwrap();
        assert_eq!(lines.arguments, sheet.arguments, "{copies}");
    }
    let wrong = |edits: &[(&str, &str)], expected: (&str, &str, &str)| {
        refused(LINES, sheet_fields(), edits, expected);
    };
    let message = "reads plane 0, which other threads may not have put yet";
    wrong(&[("sweep.fence\n      %u2", "%u2")], ("sweep.take", message, "'sweep.fence'"));
    let last = ("sweep.fence\n      sweep.yield", "sweep.yield");
    let message = "overwrites plane 0, which other threads may not have read yet";
    wrong(&[last], ("sweep.put", message, "'sweep.fence'"));
    let message = "reads the copy of age 2, which plane 3 has overwritten";
    wrong(&[("copies 6", "copies 5")], ("sweep.take", message, "another copy"));
    let take = "%uw = sweep.take %kept[1] by [0, -1] : !b";
    let other = "%uw = sweep.shift %u0 by [0, -1] via %kept[1] : !t, !b";
    let message = "shifts plane 1 via a copy that holds plane 0";
    wrong(&[(take, other)], ("sweep.shift", message, "put the tile that is shifted"));
    let shifted = "%uw = sweep.shift %u0 by [0, -1] : !t";
    let message = "reads columns of other warps, each of which has 32 lanes";
    wrong(&[(take, shifted)], ("sweep.shift", message, "\"lines\" where threads take them"));
}

#[test]
fn ops_without_a_meaning() {
    let error = error(
        &edited(SHEET, &[("%none =", "%m = memref.alloca() : memref<f64>\n%none =")]),
        sheet_fields(),
    );
    assert_eq!(error.kind, ErrorKind::Unsupported);
    assert_eq!(error.message, "is not supported inside a kernel in the planes form");
    let behind =
        edited(SHEET, &[("    }\n  }\n  return", "    }\n    sweep.fence\n  }\n  return")]);
    let error = crate::run_text::error(&behind, sheet_fields());
    assert_eq!((error.op.as_str(), error.kind), ("sweep.fence", ErrorKind::Unsupported));
    assert_eq!(error.message, "comes after the loop over planes");
}
