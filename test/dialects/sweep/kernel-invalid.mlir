// Kernels whose operands do not verify.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @no_carried(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.kernel' op needs at least 1 carried field, which the first level is computed from}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{}> {
    %v = arith.constant 1.0 : f64
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @fewer_homes_than_carried(%a: !f, %b: !f, %c: !f) {
  // expected-error@+2 {{'sweep.kernel' op needs a boundary source for each of its 2 carried levels, got 1}}
  // expected-note@+1 {{a boundary source holds the cells outside the domain; levels that share one field must be carried in different fields of the rotation}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f, %w = %b : !f)
      boundaries(%a : !f)
      outs(%c : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @no_out(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.kernel' op needs at least 1 out, which gets the last level}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @more_outs_than_levels(%a: !f, %b: !f, %c: !f) {
  // expected-error@+2 {{'sweep.kernel' op has 2 outs, but computes 1 levels}}
  // expected-note@+1 {{an out gets a level that the sweep computes; leave out those that would get none}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f, %c : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @no_step(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.kernel' op attribute 'steps' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 1}}
  sweep.kernel "s" steps 0 over <[1, 1], [9, 9]>
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
func.func @level_scalars_of_some_levels(%a: !f, %b: !f, %x: f64) {
  // expected-error@+2 {{'sweep.kernel' op needs the level scalars of each of its 2 levels, got 3 in all}}
  // expected-note@+1 {{a number that does not change from level to level is one of 'scalars'}}
  sweep.kernel "s" steps 2 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      level_scalars(%k = [%x, %x, %x] : f64)
      outs(%b : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @level_scalars_of_unequal_number(%a: !f, %b: !f, %x: f64) {
  sweep.kernel "s" steps 2 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      // expected-error@+1 {{level scalars have a value for each level, got 2 for one and 1 for another}}
      level_scalars(%k = [%x, %x] : f64, %l = [%x] : f64)
      outs(%b : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
func.func @level_scalar_of_two_types(%a: !f, %b: !f, %x: f64, %i: index) {
  // expected-error@+1 {{'sweep.kernel' op level scalar #0 must have one type on all levels, got 'f64' on level 1 and 'index' on level 2}}
  "sweep.kernel"(%a, %a, %x, %i, %b) <{
      domain = #stencil.bounds<[1], [9]>, steps = 2 : i64, stage = "s", plan = #stencil.plan<{}>,
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 2, 1>}> ({
  ^bb0(%u: !f, %k: f64):
    sweep.yield %k : f64
  }) : (!f, !f, f64, index, !f) -> ()
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @scalar_that_is_no_number(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.kernel' op scalar #0 must be a number, got '!stencil.field<[0,10]x[0,10]xf64>'}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      scalars(%k = %b : !f)
      outs(%b : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @level_scalar_that_is_no_number(%a: !f, %b: !f, %v: vector<2xf64>) {
  // expected-error@+1 {{'sweep.kernel' op level scalar #0 must be a number, got 'vector<2xf64>'}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      level_scalars(%k = [%v] : vector<2xf64>)
      outs(%b : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @element_types(%a: !f, %b: !stencil.field<[0,10]x[0,10]xf32>) {
  // expected-error@+1 {{'sweep.kernel' op fields of levels must have one element type, got 'f64' for carried #0 and 'f32' for out #0}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !stencil.field<[0,10]x[0,10]xf32>)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @ranks(%a: !f, %b: !f, %h: !stencil.field<[0,10]xf64>) {
  // expected-error@+1 {{'sweep.kernel' op fields of levels must have the rank of the domain, got 1 for boundary source #0 and 2 for the domain}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%h : !stencil.field<[0,10]xf64>)
      outs(%b : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @unknown_bounds(%a: !f, %b: !stencil.field<?x?xf64>) {
  // expected-error@+2 {{'sweep.kernel' op out #0 must have known bounds, got '!stencil.field<?x?xf64>'}}
  // expected-note@+1 {{a stencil.cast gives a field its bounds}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !stencil.field<?x?xf64>)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @unknown_bounds_of_a_read(%a: !f, %b: !f, %r: !stencil.field<?x?xf64>) {
  // expected-error@+2 {{'sweep.kernel' op read #0 must have known bounds, got '!stencil.field<?x?xf64>'}}
  // expected-note@+1 {{a stencil.cast gives a field its bounds}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      reads(%c = %r : !stencil.field<?x?xf64>)
      outs(%b : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @domain_outside_of_an_out(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.kernel' op computes bounds [1,9]x[1,11], outside of carried #0 with bounds [0,10]x[0,10]}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 11]>
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
func.func @same_home(%a: !f, %b: !f) {
  // expected-error@+2 {{'sweep.kernel' op boundary source #1 is boundary source #0 again}}
  // expected-note@+1 {{the fields of a rotation are distinct; levels share a boundary source when there are fewer sources than levels}}
  sweep.kernel "s" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f, %a : !f)
      outs(%b : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @same_out(%a: !f, %b: !f) {
  // expected-error@+2 {{'sweep.kernel' op out #1 is out #0 again}}
  // expected-note@+1 {{the fields of a rotation are distinct; levels share a boundary source when there are fewer sources than levels}}
  sweep.kernel "s" steps 2 over <[1, 1], [9, 9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f, %b : !f)
      plan <{}> {
    %v = stencil.access %u[0, 0] : !f
    sweep.yield %v : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
func.func @argument_count(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.kernel' op region must have one argument for each carried field, read, scalar and level scalar of a level, got 2 arguments for 1}}
  "sweep.kernel"(%a, %a, %b) <{
      domain = #stencil.bounds<[1], [9]>, steps = 1 : i64, stage = "s", plan = #stencil.plan<{}>,
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 1>}> ({
  ^bb0(%u: !f, %k: f64):
    sweep.yield %k : f64
  }) : (!f, !f, !f) -> ()
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
func.func @argument_type(%a: !f, %b: !f, %x: f64) {
  // expected-error@+1 {{'sweep.kernel' op region argument #1 has type 'f32', its operand has type 'f64'}}
  "sweep.kernel"(%a, %a, %x, %b) <{
      domain = #stencil.bounds<[1], [9]>, steps = 1 : i64, stage = "s", plan = #stencil.plan<{}>,
      operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 1>}> ({
  ^bb0(%u: !f, %k: f32):
    %v = stencil.access %u[0] : !f
    sweep.yield %v : f64
  }) : (!f, !f, f64, !f) -> ()
  return
}
