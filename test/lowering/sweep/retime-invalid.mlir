// A region that cannot be cut by arriving planes is refused where the plan demands scatter form.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --sweep-retime

!plane = !stencil.field<[0,9]x[0,9]xf64>

// One operation reads two planes: neither can be waited for alone.
func.func @two_planes_in_one(%a: !plane, %b: !plane, %k: f64) {
  sweep.kernel "s" steps 1 over <[1, 1], [8, 8]> carried(%u = %a : !plane) boundaries(%a : !plane)
      scalars(%s = %k : f64) outs(%b : !plane) plan <{mapping = "warp", form = "scatter"}> {
    %zero = arith.constant 0.0 : f64
    %0 = arith.cmpf ogt, %s, %zero : f64
    // expected-error @below {{'scf.if' op reads planes that do not arrive together}}
    // expected-note @below {{take form = "gather", or read the planes outside of the region}}
    %1 = scf.if %0 -> (f64) {
      %2 = stencil.access %u[-1, 0] : !plane
      scf.yield %2 : f64
    } else {
      %3 = stencil.access %u[1, 0] : !plane
      scf.yield %3 : f64
    }
    sweep.yield %1 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,9]xf64>

// Planes of an older level arrive by themselves.
func.func @older_elsewhere(%a: !plane, %b: !plane, %c: !plane) {
  // expected-error @below {{'sweep.kernel' op cannot be in scatter form: access [1, 0] of age 1 is 1 planes away, scatter form reads older levels in the point's own plane}}
  // expected-note @below {{take form = "gather" in its plan}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 8]> carried(%u = %a : !plane, %v = %b : !plane)
      boundaries(%a : !plane, %b : !plane) outs(%c : !plane)
      plan <{mapping = "warp", form = "scatter"}> {
    %0 = stencil.access %u[1, 0] : !plane
    %1 = stencil.access %v[1, 0] : !plane
    %2 = arith.subf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}
