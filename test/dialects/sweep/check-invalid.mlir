// Errors of the installed check of a whole sweep, which runs after the other verifiers.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

!f = !stencil.field<[0,10]x[0,10]xf64>

// Levels that work a plane later keep one plane more for each level.
func.func @lazy_queue(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.kernel' op queue of 6 slots is too short: 2 steps with 'lazy' skew need 7; }}
  sweep.kernel "s" steps 2 over <[1, 1], [9, 9]> form "gather" slots ["shared", "shared", "shared", "shared", "shared", "shared"]
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{mapping = "block", skew = "lazy"}> {
    %n = stencil.access %u[-1, 0] : !f
    %s = stencil.access %u[1, 0] : !f
    %v = arith.addf %n, %s : f64
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>

// One dimension has one plane, which waits for no other.
func.func @lazy_row(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.kernel' op skew 'lazy' in one dimension: the only plane has no plane after it, 'tight' is all there is}}
  sweep.kernel "s" steps 2 over <[1], [9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{mapping = "block", skew = "lazy"}> {
    %v = stencil.access %u[1] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>

// Sums are kept of the newest level only.
func.func @older_level_in_scatter_form(%a: !f, %b: !f, %c: !f) {
  // expected-error@+1 {{'sweep.kernel' op access [1, 0] of age 1 is 1 planes away, scatter form reads older levels in the point's own plane}}
  sweep.kernel "s" steps 2 over <[1, 1], [9, 9]> form "scatter"
      carried(%u = %a : !f, %v = %b : !f)
      boundaries(%a : !f, %b : !f)
      outs(%c : !f)
      plan <{mapping = "block"}> {
    %n = stencil.access %u[-1, 0] : !f
    %s = stencil.access %v[1, 0] : !f
    %r = arith.addf %n, %s : f64
    sweep.yield %r : f64
  }
  return
}
