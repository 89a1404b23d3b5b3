// Of functions whose extents are given at run time only variants are swept: the one for all extents has kernels for each step.
//
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-place-copies --stencil-name-stages --stencil-select-plan | FileCheck %s
//
// Keys for every kernel that name a mapping are for the variant.
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-place-copies --stencil-name-stages --stencil-select-plan=plan=mapping=warp,steps=2 | FileCheck %s --check-prefix=GIVEN
// RUN: stencilc run %s --on=emulator --function=small --arg steps=2 --verify --seed=1
!field = !stencil.field<[0,4096]x[0,4096]xf64>
!small = !stencil.field<[0,64]x[0,64]xf64>
!temp = !stencil.temp<?x?xf64>

// CHECK-LABEL: func.func @star(
// CHECK-SAME:    why = "not swept: extents are known only at run time, and it is for all of them: a variant of it may be swept;
// CHECK-NOT:     mapping = "warp"
// GIVEN-LABEL: func.func @star(
// GIVEN-SAME:    plan = "star_stage0:mapping=thread,
func.func @star(%u: !field, %v: !field, %steps: index) attributes {
    stencil.run_time_extents = {lower = array<i64: 1, 1>, upper = array<i64: 4095, 4095>, least = array<i64: 1, 1>}} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %t = %zero to %steps step %one iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%w = %values : !temp) -> (!temp) {
      %left = stencil.access %w[0, -1] : !temp
      %right = stencil.access %w[0, 1] : !temp
      %above = stencil.access %w[-1, 0] : !temp
      %below = stencil.access %w[1, 0] : !temp
      %rows = arith.addf %left, %right : f64
      %columns = arith.addf %above, %below : f64
      %sum = arith.addf %rows, %columns : f64
      stencil.return %sum : f64
    }
    stencil.store %stepped to %next(<[1, 1], [4095, 4095]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

// The variant is swept as a fixed size is, and says from how many points on it is faster.
// CHECK-LABEL: func.func @star_swept(
// CHECK-SAME:    why = "swept, {{[0-9]+}} time steps per sweep
// CHECK-SAME:    stencil.run_time_extents = {least = array<i64: 1, 1>, lower = array<i64: 1, 1>, points = {{[1-9][0-9]+}} : i64, upper = array<i64: 4095, 4095>}
// A plan that is given is taken from the least extents on.
// GIVEN-LABEL: func.func @star_swept(
// GIVEN-SAME:    plan = "star_swept_stage0:chunks={{[0-9]+}},edge_chunks={{[0-9]+}},mapping=warp,
// GIVEN-SAME:    points = 0 : i64
func.func @star_swept(%u: !field, %v: !field, %steps: index) attributes {stencil.variant_of = "star",
    stencil.run_time_extents = {lower = array<i64: 1, 1>, upper = array<i64: 4095, 4095>, least = array<i64: 1, 1>}} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %t = %zero to %steps step %one iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%w = %values : !temp) -> (!temp) {
      %left = stencil.access %w[0, -1] : !temp
      %right = stencil.access %w[0, 1] : !temp
      %above = stencil.access %w[-1, 0] : !temp
      %below = stencil.access %w[1, 0] : !temp
      %rows = arith.addf %left, %right : f64
      %columns = arith.addf %above, %below : f64
      %sum = arith.addf %rows, %columns : f64
      stencil.return %sum : f64
    }
    stencil.store %stepped to %next(<[1, 1], [4095, 4095]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

// A variant without a sweep is not needed. Here the domain is small.
// CHECK-LABEL: func.func @small(
// CHECK-NOT:   @small_swept
func.func @small(%u: !small, %v: !small, %steps: index) attributes {
    stencil.run_time_extents = {lower = array<i64: 0, 0>, upper = array<i64: 64, 64>, least = array<i64: 1, 1>}} {
  %values = stencil.load %u : !small -> !temp
  %copied = stencil.apply(%w = %values : !temp) -> (!temp) {
    %own = stencil.access %w[0, 0] : !temp
    stencil.return %own : f64
  }
  stencil.store %copied to %v(<[0, 0], [64, 64]>) : !temp to !small
  return
}

func.func @small_swept(%u: !small, %v: !small, %steps: index) attributes {stencil.variant_of = "small",
    stencil.run_time_extents = {lower = array<i64: 0, 0>, upper = array<i64: 64, 64>, least = array<i64: 1, 1>}} {
  %values = stencil.load %u : !small -> !temp
  %copied = stencil.apply(%w = %values : !temp) -> (!temp) {
    %own = stencil.access %w[0, 0] : !temp
    stencil.return %own : f64
  }
  stencil.store %copied to %v(<[0, 0], [64, 64]>) : !temp to !small
  return
}
