// A kernel writes its outs, and its region only reads: the memory effects for CSE.
//
// RUN: stencil-opt %s --cse | FileCheck %s

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
