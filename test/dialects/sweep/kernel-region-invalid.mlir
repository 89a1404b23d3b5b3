// Regions of kernels that do not verify, with their accesses.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

!f = !stencil.field<[0,10]xf64>
func.func @other_terminator(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.kernel' op region must end with 'sweep.yield', got 'llvm.unreachable'}}
  sweep.kernel "s" steps 1 over <[1], [9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{}> {
    llvm.unreachable
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @yield_type(%a: !f, %b: !f) {
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{}> {
    %v = arith.constant 1.0 : f32
    // expected-error@+1 {{'sweep.yield' op must have the element type of the levels 'f64', got 'f32'}}
    sweep.yield %v : f32
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @memory(%a: !f, %b: !f) {
  // expected-note@+1 {{the region of this 'sweep.kernel' is a function of one point: it reads with 'stencil.access' and 'stencil.dyn_access', and computes with operations that do nothing to memory; calls are inlined before}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{}> {
    // expected-error@+1 {{'memref.alloca' op cannot be inside of 'sweep.kernel'}}
    %m = memref.alloca() : memref<f64>
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

func.func private @f(f64) -> f64
!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @call(%a: !f, %b: !f) {
  // expected-note@+1 {{the region of this 'sweep.kernel' is a function of one point: it reads with 'stencil.access' and 'stencil.dyn_access', and computes with operations that do nothing to memory; calls are inlined before}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    // expected-error@+1 {{'func.call' op cannot be inside of 'sweep.kernel'}}
    %w = func.call @f(%v) : (f64) -> f64
    sweep.yield %w : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @whole_field(%a: !f, %b: !f) {
  // expected-note@+1 {{the region of this 'sweep.kernel' is a function of one point: it reads with 'stencil.access' and 'stencil.dyn_access', and computes with operations that do nothing to memory; calls are inlined before}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{}> {
    // expected-error@+1 {{'stencil.cast' op cannot be inside of 'sweep.kernel'}}
    %w = stencil.cast %u : !f -> !f
    %v = stencil.access %w[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @nothing_stored(%a: !f, %b: !f) {
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    // expected-error@+1 {{'stencil.store_result' op must be inside the region of a 'stencil.apply', at any depth}}
    %w = stencil.store_result %v : !stencil.result<f64>
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @computed_coordinates_of_a_level(%a: !f, %b: !f) {
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{}> {
    %i = stencil.index 0 <[0, 0]>
    // expected-error@+2 {{'stencil.dyn_access' op cannot use a carried field of 'sweep.kernel'}}
    // expected-note@+1 {{a level is kept only as long as 'stencil.access' at constant offsets reads it; a field that the sweep does not change is one of 'reads'}}
    %v = stencil.dyn_access %u[%i, %i] in <[0, 0]> : <[0, 0]> : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @choice_of_fields(%a: !f, %b: !f, %c: !f, %k: i1) {
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      reads(%r = %c : !f, %s = %c : !f)
      scalars(%k = %k : i1)
      outs(%b : !f)
      plan <{}> {
    // expected-error@+2 {{'arith.select' op cannot use a field of 'sweep.kernel'}}
    // expected-note@+1 {{fields are read with 'stencil.access' and 'stencil.dyn_access'}}
    %w = arith.select %k, %r, %s : !f
    %v = stencil.access %w[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @rank_of_a_level(%a: !f, %b: !f, %c: !stencil.field<[0,10]xf64>) {
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      reads(%r = %c : !stencil.field<[0,10]xf64>)
      outs(%b : !f)
      plan <{}> {
    // expected-error@+2 {{'stencil.access' op operand has rank 1, its kernel has rank 2}}
    // expected-note@+1 {{write '_' in the offset for each dimension that the operand does not have}}
    %v = stencil.access %r[0] : !stencil.field<[0,10]xf64>
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @coordinate_of_no_dimension(%a: !f, %b: !f) {
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{}> {
    // expected-error@+1 {{'stencil.index' op dimension 2 is outside of the kernel's rank 2}}
    %i = stencil.index 2 <[0, 0]>
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @outside_of_a_home(%a: !f, %b: !f) {
  // expected-note@+1 {{the kernel computes bounds [1,9]x[1,9]; cells outside it are read from the level's boundary source}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{}> {
    // expected-error@+1 {{'stencil.access' op reads [3,11] of dimension 1, outside of boundary source #0 with bounds [0,10]x[0,10]}}
    %v = stencil.access %u[0, 2] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

// Two levels read both boundary sources; the second has no halo.
!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @outside_of_the_second_home(%a: !f, %b: !stencil.field<[1,9]x[1,9]xf64>) {
  // expected-note@+1 {{the kernel computes bounds [1,9]x[1,9]; cells outside it are read from the level's boundary source}}
  sweep.kernel "s" steps 2 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f, %b : !stencil.field<[1,9]x[1,9]xf64>)
      outs(%b : !stencil.field<[1,9]x[1,9]xf64>)
      plan <{}> {
    // expected-error@+1 {{'stencil.access' op reads [2,10] of dimension 0, outside of boundary source #1 with bounds [1,9]x[1,9]}}
    %v = stencil.access %u[1, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @outside_of_a_read(%a: !f, %b: !f, %c: !stencil.field<[0,9]xf64>) {
  // expected-note@+1 {{the kernel computes bounds [1,9]x[1,9]}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      reads(%r = %c : !stencil.field<[0,9]xf64>)
      outs(%b : !f)
      plan <{}> {
    // expected-error@+1 {{'stencil.access' op reads [2,10] of dimension 0, outside of read #0 with bounds [0,9]}}
    %v = stencil.access %r[_, 1] : !stencil.field<[0,9]xf64>
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @out_is_carried(%a: !f, %b: !f) {
  // expected-error@+2 {{'sweep.kernel' op out #0 is carried #0, which other points still read}}
  // expected-note@+1 {{write to another field; only a sweep of 1 step that reads the field at offset 0 alone can write it in place}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%a : !f)
      plan <{}> {
    %v = stencil.access %u[0, 1] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @out_is_carried_and_there_are_two_steps(%a: !f, %b: !f) {
  // expected-error@+2 {{'sweep.kernel' op out #0 is carried #0, which other points still read}}
  // expected-note@+1 {{write to another field; only a sweep of 1 step that reads the field at offset 0 alone can write it in place}}
  sweep.kernel "s" steps 2 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%a : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @out_is_read(%a: !f, %b: !f) {
  // expected-error@+2 {{'sweep.kernel' op out #0 is read #0, which other points still read}}
  // expected-note@+1 {{write to another field; only a sweep of 1 step that reads the field at offset 0 alone can write it in place}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      reads(%r = %b : !f)
      outs(%b : !f)
      plan <{}> {
    %v = stencil.access %r[-1, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @unknown_form(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.kernel' op attribute 'form' failed to satisfy constraint: "gather" or "scatter"}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]> form "pull"
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @slots_of_no_form(%a: !f, %b: !f) {
  // expected-error@+2 {{'sweep.kernel' op has slots, but no form}}
  // expected-note@+1 {{slots are those of the queue of planes that form "gather" reads; form "scatter" keeps sums, and no plane}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]> slots ["register"]
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @slots_of_scatter_form(%a: !f, %b: !f) {
  // expected-error@+2 {{'sweep.kernel' op has slots, but form "scatter"}}
  // expected-note@+1 {{slots are those of the queue of planes that form "gather" reads; form "scatter" keeps sums, and no plane}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]> form "scatter" slots ["register"]
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @unknown_place(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.kernel' op slot #0 must be "register" or "shared", got "global"}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]> form "gather" slots ["global"]
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @too_few_slots(%a: !f, %b: !f) {
  // expected-error@+2 {{'sweep.kernel' op needs at least 5 slots, got 4}}
  // expected-note@+1 {{each of 2 levels reads 1 planes below and 1 above the one it computes: (below + above) * steps + 1 slots}}
  sweep.kernel "s" steps 2 over <[1, 1], [9, 9]> form "gather" slots ["shared", "shared", "register", "register"]
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{}> {
    %n = stencil.access %u[-1, 0] : !f
    %s = stencil.access %u[1, 0] : !f
    %v = arith.addf %n, %s : f64
    sweep.yield %v : f64
  }
  return
}
