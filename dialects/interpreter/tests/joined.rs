//! Kernels in the planes form whose threads read what others hold of a row in shared memory alone.

use crate::{
    planes::{edited, refused},
    run_text::{f64_field, noise, run},
};
use stencil_interpreter::ArgumentValue;

/// Three steps of a line, whose levels take turns with two buffers in one iteration.
const LINE: &str = r#"
!f = !stencil.field<[0,200]xf64>
!t = !sweep.tile<f64>
!b = !sweep.buffer<f64>
func.func @f(%a: !f, %out: !f) {
  sweep.tiled "line" steps 3 over <[1], [199]> reach [1, 1] joined
      fields(%u = %a : !f, %o = %out : !f)
      plan <{mapping = "row", points = [2], threads = [64], steps = 3}>
      points 594 flops 594 bytes 3200 {
    %x = sweep.shared "planes" copies 1 : !b
    %y = sweep.shared "planes" copies 1 : !b
    sweep.planes from 0 to 0 {
      %u0 = sweep.fetch %u[0] : !f
      sweep.put %u0 to %x : !b
      sweep.fence
      %w0 = sweep.shift %u0 by [0, -1] via %x[0] : !t, !b
      %e0 = sweep.shift %u0 by [0, 1] via %x[0] : !t, !b
      %s0 = sweep.map plane 0 (%w = %w0 : !t, %e = %e0 : !t) -> !t {
        %0 = arith.addf %w, %e : f64
        sweep.yield %0 : f64
      }
      %u1 = sweep.boundary %s0[0] from %o : !f
      sweep.put %u1 to %y : !b
      sweep.fence
      %w1 = sweep.shift %u1 by [0, -1] via %y[0] : !t, !b
      %e1 = sweep.shift %u1 by [0, 1] via %y[0] : !t, !b
      %s1 = sweep.map plane 0 (%w = %w1 : !t, %e = %e1 : !t) -> !t {
        %0 = arith.addf %w, %e : f64
        sweep.yield %0 : f64
      }
      %u2 = sweep.boundary %s1[0] from %u : !f
      sweep.put %u2 to %x : !b
      sweep.fence
      %w2 = sweep.shift %u2 by [0, -1] via %x[0] : !t, !b
      %e2 = sweep.shift %u2 by [0, 1] via %x[0] : !t, !b
      %s2 = sweep.map plane 0 (%w = %w2 : !t, %e = %e2 : !t) -> !t {
        %0 = arith.addf %w, %e : f64
        sweep.yield %0 : f64
      }
      sweep.store %s2 to %o[0] : !f
      sweep.yield
    }
  }
  return
}
"#;

/// The same levels.
const LEVELS: &str = r#"
!f = !stencil.field<[0,200]xf64>
func.func @f(%a: !f, %out: !f) {
  sweep.kernel "line" steps 3 over <[1], [199]> carried(%u = %a : !f)
      boundaries(%a : !f, %out : !f) outs(%out : !f)
      plan <{mapping = "row", points = [2], threads = [64], steps = 3}> {
    %w = stencil.access %u[-1] : !f
    %e = stencil.access %u[1] : !f
    %0 = arith.addf %w, %e : f64
    sweep.yield %0 : f64
  }
  return
}
"#;

fn fields() -> Vec<ArgumentValue> {
    [0, 100].map(|number| f64_field(&[0], &[200], move |point| noise(&[point[0] + number]))).into()
}

#[test]
fn levels_take_turns_with_two_buffers() {
    let levels = run(LEVELS, fields()).unwrap();
    assert_eq!(run(LINE, fields()).unwrap().arguments, levels.arguments);
    let wrong = |edits: &[(&str, &str)], expected: (&str, &str, &str)| {
        refused(LINE, fields(), edits, expected);
    };
    let unseen = "reads plane 0, which other threads may not have put yet";
    let fence = "put a 'sweep.fence' between";
    wrong(&[("sweep.fence\n      %w2", "%w2")], ("sweep.shift", unseen, fence));
    // The third level where the second is still read.
    let third = [
        ("sweep.put %u2 to %x", "sweep.put %u2 to %y"),
        ("%w2 = sweep.shift %u2 by [0, -1] via %x", "%w2 = sweep.shift %u2 by [0, -1] via %y"),
        ("%e2 = sweep.shift %u2 by [0, 1] via %x", "%e2 = sweep.shift %u2 by [0, 1] via %y"),
    ];
    let unread = "overwrites plane 0, which other threads may not have read yet";
    wrong(&third, ("sweep.put", unread, fence));
}

#[test]
fn columns_of_other_warps_are_no_shuffles() {
    let message = "reads columns of other warps, each of which has 32 lanes";
    let shuffled = ("by [0, -1] via %y[0] : !t, !b", "by [0, -1] : !t");
    refused(LINE, fields(), &[shuffled], ("sweep.shift", message, "of kind \"planes\""));
    // Rows are what other warps hold along the other dimension.
    let rows = ("%y = sweep.shared \"planes\"", "%y = sweep.shared \"rows\" rows [0]");
    refused(LINE, fields(), &[rows], ("sweep.shift", message, "of kind \"planes\""));
    // Lanes of one warp shuffle.
    let warp = edited(LINE, &[(" joined", ""), shuffled]);
    assert_eq!(run(&warp, fields()).unwrap().arguments, run(LINE, fields()).unwrap().arguments);
}
