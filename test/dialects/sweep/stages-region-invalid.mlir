// Kernels in the stages form that do not verify: the stages.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @no_result(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-error@+1 {{'sweep.stage' op needs at least 1 result}}
    sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> () {
      sweep.yield
    }
    %m = sweep.stage "m" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %m over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @result_of_another_rank(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-error@+1 {{'sweep.stage' op needs results of its domain's rank, got '!stencil.temp<?x?xf64>'}}
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !stencil.temp<?x?xf64> {
      %0 = stencil.access %x[0] : !s
      sweep.yield %0 : f64
    }
    %m = sweep.stage "m" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[-1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %m over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @input_of_another_kind(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %d = memref.alloc() : memref<4xf64>
    // expected-error@+1 {{'sweep.stage' op inputs must be streams, fields of 'sweep.stages' and numbers, got 'memref<4xf64>'}}
    %n = sweep.stage "n" over <[1], [9]> (%x = %d : memref<4xf64>) -> !s {
      %0 = arith.constant 0.0 : f64
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @field_that_is_no_argument(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %c = stencil.cast %u : !f -> !f
    // expected-error@+1 {{'sweep.stage' op needs a field that is an argument of its 'sweep.stages'}}
    %n = sweep.stage "n" over <[1], [9]> (%x = %c : !f) -> !s {
      %0 = stencil.access %x[0] : !f
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @negative_rotation(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-error@+1 {{'sweep.stage' op rotations must not be negative, got array<i64: -1>}}
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s outside(%u : !f) rotations [-1] {
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
func.func @fields_of_no_result(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-error@+1 {{'sweep.stage' op needs a number of rotated fields for each result, 2 in all, got array<i64: 1>}}
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s outside(%u : !f, %v : !f) rotations [1] {
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
func.func @rotations_of_more_results(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-error@+1 {{'sweep.stage' op needs a number of rotated fields for each result, 2 in all, got array<i64: 1, 1>}}
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s outside(%u : !f, %v : !f) rotations [1, 1] {
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
func.func @outside_of_another_type(%a: !f, %b: !f, %c: !g) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f, %w = %c : !g) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-error@+1 {{'sweep.stage' op needs a stream with rank and element type of its field, got '!stencil.temp<?xf64>' and '!stencil.field<[0,10]xf32>'}}
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s outside(%w : !g) rotations [1] {
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
func.func @outside_that_is_no_argument(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %c = stencil.cast %u : !f -> !f
    // expected-error@+1 {{'sweep.stage' op needs a field that is an argument of its 'sweep.stages'}}
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s outside(%c : !f) rotations [1] {
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
!g = !stencil.field<[2,10]xf64>
func.func @outside_is_smaller_than_the_domain(%a: !f, %b: !f, %c: !g) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f, %w = %c : !g) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-error@+1 {{'sweep.stage' op names bounds [1,9], which is not inside of '!stencil.field<[2,10]xf64>'}}
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s outside(%w : !g) rotations [1] {
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
func.func @syntax_twice(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-error@+2 {{attribute 'name' is part of the syntax of 'sweep.stage' and cannot be given again here}}
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s
        attributes {name = "m"} {
      %0 = stencil.access %x[0] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @region_without_an_argument(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-error@+1 {{'sweep.stage' op region must have an argument of its type for each input}}
    %n = "sweep.stage"(%i) <{
        domain = #stencil.bounds<[1], [9]>, name = "n", rotations = array<i64: 0>,
        operandSegmentSizes = array<i32: 1, 0>}> ({
      %0 = arith.constant 0.0 : f64
      sweep.yield %0 : f64
    }) : (!s) -> !s
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
// What a stage uses it is given.
func.func @stream_that_is_not_given(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-note@+1 {{required by region isolation constraints}}
    %n = "sweep.stage"() <{
        domain = #stencil.bounds<[1], [9]>, name = "n", rotations = array<i64: 0>,
        operandSegmentSizes = array<i32: 0, 0>}> ({
      // expected-error@+1 {{'stencil.access' op using value defined outside the region}}
      %0 = stencil.access %i[0] : !s
      sweep.yield %0 : f64
    }) : () -> !s
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @stream_at_a_computed_point(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %j = stencil.index 0 <[0]>
      // expected-error@+2 {{'stencil.dyn_access' op cannot use a stream of 'sweep.stage'}}
      // expected-note@+1 {{streams are read with 'stencil.access' at constant offsets}}
      %0 = stencil.dyn_access %x[%j] in <[0]> : <[0]> : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
!g = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?x?xf64>
// A stream has the dimensions of the grid; a field may have fewer.
func.func @stream_of_fewer_dimensions(%a: !g, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !g, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !g -> !stencil.temp<?xf64>
    %n = sweep.stage "n" over <[1, 1], [9, 9]> (%x = %i : !stencil.temp<?xf64>) -> !s {
      // expected-error@+2 {{'stencil.access' op cannot use a stream of 'sweep.stage'}}
      // expected-note@+1 {{streams are read with 'stencil.access' at constant offsets}}
      %0 = stencil.access %x[_, 0] : !stencil.temp<?xf64>
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1, 1], [9, 9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @memory_is_written(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-note@+1 {{the region of this 'sweep.stage' is a function of one point: it reads with 'stencil.access' and 'stencil.dyn_access', and computes with operations that do nothing to memory; calls are inlined before}}
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[0] : !s
      // expected-error@+1 {{'memref.alloc' op cannot be inside of 'sweep.stage'}}
      %m = memref.alloc() : memref<4xf64>
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @too_few_values(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %n:2 = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> (!s, !s) {
      %0 = stencil.access %x[0] : !s
      // expected-error@+1 {{'sweep.yield' op must have a value for each of 2 results of 'sweep.stage', got 1}}
      sweep.yield %0 : f64
    }
    sweep.output %n#0 over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @value_of_another_type(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %j = stencil.index 0 <[0]>
      // expected-error@+1 {{'sweep.yield' op value #0 must be 'f64', got 'index'}}
      sweep.yield %j : index
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!s = !stencil.temp<?xf64>
func.func @other_end(%a: !f, %b: !f) {
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    // expected-error@+1 {{'sweep.stage' op region must end with 'sweep.yield', got 'llvm.unreachable'}}
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      llvm.unreachable
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}
