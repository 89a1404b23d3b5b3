// Kernels in the stages form that do not verify: the kernel, its inputs and its outputs.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

!u = !stencil.field<?xf64>
!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @unknown_bounds(%a: !u, %b: !f) {
  // expected-error@+2 {{'sweep.stages' op field #0 must have known bounds, got '!stencil.field<?xf64>'}}
  // expected-note@+1 {{a stencil.cast gives a field its bounds}}
  sweep.stages "s" steps 1 fields(%u = %a : !u, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !u -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @scalar_is_no_number(%a: !f, %b: !f, %k: vector<2xf64>) {
  // expected-error@+1 {{'sweep.stages' op scalars must be numbers, got 'vector<2xf64>'}}
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) scalars(%c = %k : vector<2xf64>)
      plan <{}> {
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @level_scalar_is_no_number(%a: !f, %b: !f, %k: vector<2xf64>) {
  // expected-error@+1 {{'sweep.stages' op scalars must be numbers, got 'vector<2xf64>'}}
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f)
      level_scalars(%c = [%k] : vector<2xf64>) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @no_step(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.stages' op attribute 'steps' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 1}}
  sweep.stages "s" steps 0 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @too_few_level_scalars(%a: !f, %b: !f, %k: f64) {
  // expected-error@+1 {{'sweep.stages' op needs the level scalars of each of its 2 steps, got 1 in all}}
  sweep.stages "s" steps 2 fields(%u = %a : !f, %v = %b : !f) level_scalars(%c = [%k] : f64)
      plan <{}> {
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @uneven_level_scalars(%a: !f, %b: !f, %k: f64) {
  sweep.stages "s" steps 2 fields(%u = %a : !f, %v = %b : !f)
      // expected-error@+1 {{level scalars have a value for each level, got 2 for one and 1 for another}}
      level_scalars(%c = [%k, %k] : f64, %d = [%k] : f64) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
// A name in the text has one type; operands may be anything.
func.func @level_scalars_of_two_types(%a: !f, %b: !f, %k: f64, %l: index) {
  // expected-error@+1 {{'sweep.stages' op level scalars must have one type in all steps}}
  "sweep.stages"(%a, %b, %k, %l) <{
      steps = 2 : i64, stage = "s", plan = #stencil.plan<{}>,
      operandSegmentSizes = array<i32: 2, 0, 2>}> ({
  ^bb0(%u: !f, %v: !f, %c: f64):
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }) : (!f, !f, f64, index) -> ()
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @region_without_an_argument(%a: !f, %b: !f, %k: f64) {
  // expected-error@+1 {{'sweep.stages' op region must have an argument of its type for each field and scalar, and for each level scalar of one step}}
  "sweep.stages"(%a, %b, %k) <{
      steps = 1 : i64, stage = "s", plan = #stencil.plan<{}>,
      operandSegmentSizes = array<i32: 2, 1, 0>}> ({
  ^bb0(%u: !f, %v: !f):
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }) : (!f, !f, f64) -> ()
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @syntax_twice(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f)
      // expected-error@+1 {{attribute 'periodic' is part of the syntax of 'sweep.stages' and cannot be given again here}}
      plan <{}> attributes {periodic = array<i64: 0>} {
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
// What is computed once belongs before the kernel, what is computed at points in a stage.
func.func @other_operations(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    // expected-error@+2 {{'arith.constant' op cannot be in the region of 'sweep.stages'}}
    // expected-note@+1 {{it holds inputs, stages, carries and outputs; what is computed at a point belongs in a 'sweep.stage', other numbers outside}}
    %c = arith.constant 0.0 : f64
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @no_output(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.stages' op needs at least 1 'sweep.output'}}
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @periodic_dimension_of_another_rank(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.stages' op names periodic dimensions array<i64: 0, 1>, which must be some of the 1 of its domain, in ascending order}}
  sweep.stages "s" steps 1 periodic [0, 1] fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @ring_with_two_domains(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 periodic [0] fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-note@+1 {{this stage has bounds [1,9]}}
    %m = sweep.stage "m" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    // expected-error@+1 {{'sweep.stage' op has bounds [1,8], but a periodic grid has one domain}}
    %n = sweep.stage "n" over <[1], [8]> (%x = %m : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [8]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @two_outputs_to_one_field(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %m = sweep.stage "m" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    // expected-error@+1 {{'sweep.output' op writes a field that another 'sweep.output' also writes}}
    sweep.output %m over <[1], [9]> to %v : !s, !f
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @output_is_an_input(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    // expected-note@+1 {{read here; write to another field}}
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    // expected-error@+1 {{'sweep.output' op writes a field that the sweep also reads, of which other blocks may still read the old values}}
    sweep.output %n over <[1], [9]> to %u : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @output_is_read_by_a_stage(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-note@+1 {{read here; write to another field}}
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s, %y = %v : !f) -> !s {
      %0 = stencil.access %x[-1] : !s
      %1 = stencil.access %y[-1] : !f
      %2 = arith.addf %0, %1 : f64
      sweep.yield %2 : f64
    }
    // expected-error@+1 {{'sweep.output' op writes a field that the sweep also reads, of which other blocks may still read the old values}}
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
// A field may hold the values around a domain, but not where another statement writes it.
func.func @output_is_outside_of_a_smaller_domain(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-note@+1 {{read here; write to another field}}
    %m = sweep.stage "m" over <[2], [9]> (%x = %i : !s) -> !s outside(%v : !f) rotations [1] {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    %n = sweep.stage "n" over <[1], [9]> (%x = %m : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    // expected-error@+1 {{'sweep.output' op writes a field that the sweep also reads, of which other blocks may still read the old values}}
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @output_is_outside_of_an_input(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    // expected-note@+1 {{read here; write to another field}}
    %i = sweep.input %u over <[1], [8]> outside %v : !f, !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    // expected-error@+1 {{'sweep.output' op writes a field that the sweep also reads, of which other blocks may still read the old values}}
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
// In the first step an input is a field.
func.func @output_of_what_is_not_computed(%a: !f, %b: !f, %c: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f, %w = %c : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.carry %n to %i : !s
    sweep.output %n over <[1], [9]> to %v : !s, !f
    // expected-error@+1 {{'sweep.output' op writes a stream that no stage computes in 1 steps}}
    sweep.output %i over <[1], [9]> to %w : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @output_of_an_input(%a: !f, %b: !f) {
  sweep.stages "s" steps 2 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-error@+1 {{'sweep.output' op writes a stream that no stage computes in 2 steps}}
    sweep.output %i over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @output_of_other_points(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-note@+1 {{this stage computes bounds [1,9]}}
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    // expected-error@+1 {{'sweep.output' op writes bounds [1,8]}}
    sweep.output %n over <[1], [8]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @output_of_a_carried_stream_at_other_points(%a: !f, %b: !f) {
  sweep.stages "s" steps 2 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-note@+1 {{this stage computes bounds [1,9]}}
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.carry %n to %i : !s
    // expected-error@+1 {{'sweep.output' op writes bounds [1,10]}}
    sweep.output %i over <[1], [10]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @output_outside_of_the_field(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [11]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    // expected-error@+1 {{'sweep.output' op names bounds [1,11], which is not inside of '!stencil.field<[0,10]xf64>'}}
    sweep.output %n over <[1], [11]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
!g = !stencil.field<[0,10]xf32>
func.func @output_of_another_type(%a: !f, %b: !g) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !g) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    // expected-error@+1 {{'sweep.output' op needs a stream with rank and element type of its field, got '!stencil.temp<?xf64>' and '!stencil.field<[0,10]xf32>'}}
    sweep.output %n over <[1], [9]> to %v : !s, !g
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @input_of_another_rank(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    // expected-error@+1 {{'sweep.input' op needs a stream with rank and element type of its field, got '!stencil.temp<?x?xf64>' and '!stencil.field<[0,10]xf64>'}}
    %i = sweep.input %u : !f -> !stencil.temp<?x?xf64>
    %j = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %j : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @input_of_no_argument(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %c = stencil.cast %u : !f -> !f
    // expected-error@+1 {{'sweep.input' op needs a field that is an argument of its 'sweep.stages'}}
    %i = sweep.input %c : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
!g = !stencil.field<[0,12]xf64>
func.func @input_over_more_than_its_field(%a: !f, %b: !f, %c: !g) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f, %w = %c : !g) plan <{}> {
    // expected-error@+1 {{'sweep.input' op names bounds [1,11], which is not inside of '!stencil.field<[0,10]xf64>'}}
    %i = sweep.input %u over <[1], [11]> outside %w : !f, !g -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
!g = !stencil.field<[0,12]xf64>
func.func @input_over_more_than_the_field_outside(%a: !f, %b: !f, %c: !g) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f, %w = %c : !g) plan <{}> {
    // expected-error@+1 {{'sweep.input' op names bounds [1,11], which is not inside of '!stencil.field<[0,10]xf64>'}}
    %i = sweep.input %w over <[1], [11]> outside %u : !g, !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @input_over_bounds_of_another_rank(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    // expected-error@+1 {{'sweep.input' op names bounds [1,9]x[1,9], which is not inside of '!stencil.field<[0,10]xf64>'}}
    %i = sweep.input %u over <[1, 1], [9, 9]> outside %u : !f, !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
!g = !stencil.field<[0,10]xf32>
func.func @input_outside_of_another_type(%a: !f, %b: !f, %c: !g) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f, %w = %c : !g) plan <{}> {
    // expected-error@+1 {{'sweep.input' op needs a stream with rank and element type of its field, got '!stencil.temp<?xf64>' and '!stencil.field<[0,10]xf32>'}}
    %i = sweep.input %u over <[1], [9]> outside %w : !f, !g -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
// The text has both or none.
func.func @input_over_a_domain_alone(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    // expected-error@+1 {{'sweep.input' op needs both a domain and the field outside of it, or none}}
    %i = "sweep.input"(%u) <{domain = #stencil.bounds<[1], [9]>}> : (!f) -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @carry_to_a_result(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %m = sweep.stage "m" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    %n = sweep.stage "n" over <[1], [9]> (%x = %m : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    // expected-error@+1 {{'sweep.carry' op must name the result of a 'sweep.input'}}
    sweep.carry %n to %m : !s
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @two_carries_to_one_input(%a: !f, %b: !f) {
  sweep.stages "s" steps 2 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %m = sweep.stage "m" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    %n = sweep.stage "n" over <[1], [9]> (%x = %m : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.carry %n to %i : !s
    // expected-error@+1 {{'sweep.carry' op names an input that another 'sweep.carry' names}}
    sweep.carry %m to %i : !s
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}
