// A kernel writes its outs, and its region only reads: the memory effects for CSE, and what
// canonicalization leaves in a region.
//
// RUN: stencil-opt %s --canonicalize --cse | FileCheck %s

!f = !stencil.field<[0,10]xf64>
!t = !stencil.temp<[0,10]xf64>

// What a field has after a kernel is not what it had before; two fields may be the same memory, so
// that goes for each. Loads that no kernel stands between are one.
// CHECK-LABEL: func.func @reads_and_writes
// CHECK-SAME:    %[[A:.*]]: !stencil.field<[0,10]xf64>, %{{.*}}: !stencil.field<[0,10]xf64>, %[[B:.*]]: !stencil.field<[0,10]xf64>
func.func @reads_and_writes(%a: !f, %h: !f, %b: !f) -> (!t, !t, !t) {
  // CHECK:     %[[B0:.*]] = stencil.load %[[B]]
  // CHECK-NOT: stencil.load
  // CHECK:     sweep.kernel
  // CHECK:     %[[B1:.*]] = stencil.load %[[B]]
  // CHECK:     return %[[B0]], %[[B0]], %[[B1]]
  %b0 = stencil.load %b : !f -> !t
  %b1 = stencil.load %b : !f -> !t
  sweep.kernel "s" steps 1 over <[1], [9]>
      carried(%u = %a : !f)
      boundaries(%h : !f)
      outs(%b : !f)
      plan <{}> {
    %v = stencil.access %u[1] : !f
    sweep.yield %v : f64
  }
  %b2 = stencil.load %b : !f -> !t
  return %b0, %b1, %b2 : !t, !t, !t
}

// Equal accesses of one point are one.
// CHECK-LABEL: func.func @equal_accesses
func.func @equal_accesses(%a: !f, %b: !f) {
  // CHECK:      sweep.kernel
  // CHECK:        %[[V:.*]] = stencil.access
  // CHECK-NEXT:   arith.mulf %[[V]], %[[V]]
  sweep.kernel "s" steps 1 over <[1], [9]>
      carried(%u = %a : !f)
      boundaries(%a : !f)
      outs(%b : !f)
      plan <{}> {
    %v = stencil.access %u[1] : !f
    %w = stencil.access %u[1] : !f
    %p = arith.mulf %v, %w : f64
    sweep.yield %p : f64
  }
  return
}

!s = !stencil.temp<?xf64>

// Of a kernel in the stages form, the fields of its outputs are written.
// CHECK-LABEL: func.func @stages
// CHECK-SAME:    %[[A:.*]]: !stencil.field<[0,10]xf64>, %[[B:.*]]: !stencil.field<[0,10]xf64>
func.func @stages(%a: !f, %b: !f) -> (!t, !t, !t) {
  // CHECK:     %[[B0:.*]] = stencil.load %[[B]]
  // CHECK-NOT: stencil.load
  // CHECK:     sweep.stages
  // CHECK:     %[[B1:.*]] = stencil.load %[[B]]
  // CHECK:     return %[[B0]], %[[B0]], %[[B1]]
  %b0 = stencil.load %b : !f -> !t
  %b1 = stencil.load %b : !f -> !t
  sweep.stages "s" steps 1 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %i = sweep.input %u : !f -> !s
    %n = sweep.stage "n" over <[1], [9]> (%x = %i : !s) -> !s {
      %0 = stencil.access %x[1] : !s
      sweep.yield %0 : f64
    }
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  %b2 = stencil.load %b : !f -> !t
  return %b0, %b1, %b2 : !t, !t, !t
}

// Two inputs from one field are two, because one of them may be another in the next step; equal
// stages are one, and one that nothing needs is none. Constants stay in the function of the points.
// CHECK-LABEL: func.func @equal_streams
func.func @equal_streams(%a: !f, %b: !f) {
  // CHECK: %[[NOW:.*]] = sweep.input
  // CHECK: %[[FIRST:.*]] = sweep.input
  // CHECK: %[[G:.*]] = sweep.stage "g" {{.*}} = %[[NOW]]
  // CHECK: arith.constant
  // CHECK-NOT: sweep.stage "g"
  // CHECK: sweep.stage "n" over <[1], [9]> (%[[X:.*]] = %[[G]] : {{.*}}, %[[Y:.*]] = %[[G]] : {{.*}}, %{{.*}} = %[[FIRST]] : {{.*}})
  sweep.stages "s" steps 2 fields(%u = %a : !f, %v = %b : !f) plan <{}> {
    %now = sweep.input %u : !f -> !s
    %first = sweep.input %u : !f -> !s
    %g = sweep.stage "g" over <[0], [10]> (%x = %now : !s) -> !s {
      %c = arith.constant 2.0 : f64
      %0 = stencil.access %x[0] : !s
      %1 = arith.mulf %0, %c : f64
      sweep.yield %1 : f64
    }
    %h = sweep.stage "g" over <[0], [10]> (%x = %now : !s) -> !s {
      %c = arith.constant 2.0 : f64
      %0 = stencil.access %x[0] : !s
      %1 = arith.mulf %0, %c : f64
      sweep.yield %1 : f64
    }
    %unused = sweep.stage "unused" over <[0], [10]> (%x = %now : !s) -> !s {
      %0 = stencil.access %x[0] : !s
      sweep.yield %0 : f64
    }
    // CHECK-NOT: sweep.stage "unused"
    %n = sweep.stage "n" over <[1], [9]> (%x = %g : !s, %y = %h : !s, %z = %first : !s) -> !s {
      %0 = stencil.access %x[1] : !s
      %1 = stencil.access %y[-1] : !s
      %2 = stencil.access %z[0] : !s
      %3 = arith.addf %0, %1 : f64
      %4 = arith.addf %3, %2 : f64
      sweep.yield %4 : f64
    }
    sweep.carry %n to %now : !s
    sweep.output %n over <[1], [9]> to %v : !s, !f
  }
  return
}
