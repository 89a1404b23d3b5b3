// The stages form: custom and generic form round-trip.
//
// RUN: stencil-opt %s | stencil-opt --mlir-print-op-generic | stencil-opt | FileCheck %s

!f1 = !stencil.field<[0,10]xf32>
!f2 = !stencil.field<[0,64]x[0,64]xf64>
!s1 = !stencil.temp<?xf32>
!s2 = !stencil.temp<?x?xf64>

// Two steps of two species, of which each has two fields in rotation.
// CHECK-LABEL: func.func @react
// CHECK-SAME:    %[[U:.*]]: !stencil.field<[0,64]x[0,64]xf64>, %[[UN:.*]]: !stencil.field<[0,64]x[0,64]xf64>, %[[V:.*]]: !stencil.field<[0,64]x[0,64]xf64>, %[[VN:.*]]: !stencil.field<[0,64]x[0,64]xf64>
func.func @react(%u: !f2, %u_next: !f2, %v: !f2, %v_next: !f2) {
  // CHECK-NEXT: sweep.stages "react.s0" steps 2
  // CHECK-NEXT:     fields(%[[U0:.*]] = %[[U]] : !stencil.field<[0,64]x[0,64]xf64>, %[[U1:.*]] = %[[UN]] : !stencil.field<[0,64]x[0,64]xf64>, %[[V0:.*]] = %[[V]] : !stencil.field<[0,64]x[0,64]xf64>, %[[V1:.*]] = %[[VN]] : !stencil.field<[0,64]x[0,64]xf64>)
  // CHECK-NEXT:     plan <{mapping = "warp", steps = 2 : i64}> {
  // CHECK-NEXT:   %[[US:.*]] = sweep.input %[[U0]] : !stencil.field<[0,64]x[0,64]xf64> -> !stencil.temp<?x?xf64>
  // CHECK-NEXT:   %[[VS:.*]] = sweep.input %[[V0]] : !stencil.field<[0,64]x[0,64]xf64> -> !stencil.temp<?x?xf64>
  // CHECK-NEXT:   %[[N:.*]]:2 = sweep.stage "react" over <[1, 1], [63, 63]> (%[[A:.*]] = %[[US]] : !stencil.temp<?x?xf64>, %[[B:.*]] = %[[VS]] : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>)
  // CHECK-NEXT:     outside(%[[U1]] : !stencil.field<[0,64]x[0,64]xf64>, %[[U0]] : !stencil.field<[0,64]x[0,64]xf64>, %[[V1]] : !stencil.field<[0,64]x[0,64]xf64>, %[[V0]] : !stencil.field<[0,64]x[0,64]xf64>) rotations [2, 2] {
  // CHECK-NEXT:     %[[W:.*]] = stencil.access %[[A]][0, -1] : !stencil.temp<?x?xf64>
  // CHECK-NEXT:     %[[C:.*]] = stencil.access %[[B]][0, 0] : !stencil.temp<?x?xf64>
  // CHECK-NEXT:     %[[P:.*]] = arith.mulf %[[W]], %[[C]] : f64
  // CHECK-NEXT:     sweep.yield %[[P]], %[[C]] : f64, f64
  // CHECK-NEXT:   }
  // CHECK-NEXT:   sweep.carry %[[N]]#0 to %[[US]] : !stencil.temp<?x?xf64>
  // CHECK-NEXT:   sweep.carry %[[N]]#1 to %[[VS]] : !stencil.temp<?x?xf64>
  // CHECK-NEXT:   sweep.output %[[N]]#0 over <[1, 1], [63, 63]> to %[[U1]] : !stencil.temp<?x?xf64>, !stencil.field<[0,64]x[0,64]xf64>
  // CHECK-NEXT:   sweep.output %[[N]]#1 over <[1, 1], [63, 63]> to %[[V1]] : !stencil.temp<?x?xf64>, !stencil.field<[0,64]x[0,64]xf64>
  // CHECK-NEXT: }
  sweep.stages "react.s0" steps 2
      fields(%u0 = %u : !f2, %u1 = %u_next : !f2, %v0 = %v : !f2, %v1 = %v_next : !f2)
      plan <{mapping = "warp", steps = 2}> {
    %us = sweep.input %u0 : !f2 -> !s2
    %vs = sweep.input %v0 : !f2 -> !s2
    %next:2 = sweep.stage "react" over <[1, 1], [63, 63]> (%a = %us : !s2, %b = %vs : !s2)
        -> (!s2, !s2) outside(%u1 : !f2, %u0 : !f2, %v1 : !f2, %v0 : !f2) rotations [2, 2] {
      %w = stencil.access %a[0, -1] : !s2
      %c = stencil.access %b[0, 0] : !s2
      %p = arith.mulf %w, %c : f64
      sweep.yield %p, %c : f64, f64
    }
    sweep.carry %next#0 to %us : !s2
    sweep.carry %next#1 to %vs : !s2
    sweep.output %next#0 over <[1, 1], [63, 63]> to %u1 : !s2, !f2
    sweep.output %next#1 over <[1, 1], [63, 63]> to %v1 : !s2, !f2
  }
  return
}

// Each kind of operand has a line; level scalars are written argument by argument, while operands
// are step by step. A stage is given streams, fields and scalars.
// CHECK-LABEL: func.func @every_kind
// CHECK-SAME:    %[[A:.*]]: !stencil.field<[0,10]xf32>, %[[B:.*]]: !stencil.field<[0,10]xf32>, %[[T:.*]]: !stencil.field<[0,10]xf32>, %[[K:.*]]: f32, %[[I0:.*]]: index, %[[I1:.*]]: index, %[[X0:.*]]: f32, %[[X1:.*]]: f32
func.func @every_kind(%a: !f1, %b: !f1, %table: !f1, %k: f32, %i0: index, %i1: index, %x0: f32,
                      %x1: f32) {
  // CHECK-NEXT: sweep.stages "a \22quoted\22 name" steps 2 periodic [0]
  // CHECK-NEXT:     fields(%[[U:.*]] = %[[A]] : !stencil.field<[0,10]xf32>, %[[O:.*]] = %[[B]] : {{.*}}, %[[F:.*]] = %[[T]] : {{.*}})
  // CHECK-NEXT:     scalars(%[[C:.*]] = %[[K]] : f32)
  // CHECK-NEXT:     level_scalars(%[[I:.*]] = [%[[I0]], %[[I1]]] : index, %[[X:.*]] = [%[[X0]], %[[X1]]] : f32)
  // CHECK-NEXT:     plan <{}> attributes {note} {
  // CHECK-NEXT:   %[[S:.*]] = sweep.input %[[U]] over <[1], [9]> outside %[[O]] {note} : !stencil.field<[0,10]xf32>, !stencil.field<[0,10]xf32> -> !stencil.temp<?xf32>
  // CHECK-NEXT:   %[[N:.*]] = sweep.stage "n" over <[1], [9]> (%[[G:.*]] = %[[F]] : !stencil.field<[0,10]xf32>, %[[J:.*]] = %[[I]] : index, %[[V:.*]] = %[[S]] : !stencil.temp<?xf32>, %[[Y:.*]] = %[[X]] : f32, %[[D:.*]] = %[[C]] : f32) -> !stencil.temp<?xf32> attributes {note} {
  sweep.stages "a \"quoted\" name" steps 2 periodic [0]
      fields(%u = %a : !f1, %o = %b : !f1, %t = %table : !f1)
      scalars(%c = %k : f32)
      level_scalars(%i = [%i0, %i1] : index, %x = [%x0, %x1] : f32)
      plan <{}> attributes {note} {
    %s = sweep.input %u over <[1], [9]> outside %o {note} : !f1, !f1 -> !s1
    %n = sweep.stage "n" over <[1], [9]>
        (%f = %t : !f1, %j = %i : index, %v = %s : !s1, %y = %x : f32, %d = %c : f32) -> !s1
        attributes {note} {
      // CHECK-NEXT: stencil.dyn_access %[[G]][%[[J]]]
      %0 = stencil.dyn_access %f[%j] in <[0]> : <[9]> attributes {absolute} : !f1
      // CHECK-NEXT: stencil.access %[[G]][-1]
      %1 = stencil.access %f[-1] : !f1
      %2 = stencil.access %v[1] : !s1
      %3 = arith.mulf %0, %1 : f32
      %4 = arith.mulf %2, %y : f32
      %5 = arith.addf %3, %4 : f32
      // CHECK: arith.mulf %{{.*}}, %[[D]]
      %6 = arith.mulf %5, %d : f32
      sweep.yield %6 : f32
    }
    // CHECK: sweep.carry %[[N]] to %[[S]] {note} : !stencil.temp<?xf32>
    sweep.carry %n to %s {note} : !s1
    // CHECK-NEXT: sweep.output %[[N]] over <[1], [9]> to %[[O]] {note} : !stencil.temp<?xf32>, !stencil.field<[0,10]xf32>
    sweep.output %n over <[1], [9]> to %o {note} : !s1, !f1
  }
  return
}

// A stage may read another one of its step, on a domain of its own; a result that has no field
// outside of its domain has no entry there. An input may be what another one was before, and leave.
// Names inside of a stage may be those outside of it.
// CHECK-LABEL: func.func @graph
func.func @graph(%a: !f1, %b: !f1, %c: !f1, %d: !f1) {
  // CHECK: sweep.stages "graph" steps 2
  sweep.stages "graph" steps 2
      fields(%u = %a : !f1, %v = %b : !f1, %w = %c : !f1, %x = %d : !f1) plan <{}> {
    // CHECK: %[[OLD:.*]] = sweep.input
    // CHECK: %[[NOW:.*]] = sweep.input
    %old = sweep.input %u : !f1 -> !s1
    %now = sweep.input %v : !f1 -> !s1
    // CHECK: %[[G:.*]]:2 = sweep.stage "g" over <[0], [10]> {{.*}} -> (!stencil.temp<?xf32>, !stencil.temp<?xf32>)
    // CHECK-NEXT: outside(%{{.*}} : !stencil.field<[0,10]xf32>) rotations [0, 1] {
    %g:2 = sweep.stage "g" over <[0], [10]> (%u = %now : !s1) -> (!s1, !s1)
        outside(%u : !f1) rotations [0, 1] {
      %0 = stencil.access %u[0] : !s1
      sweep.yield %0, %0 : f32, f32
    }
    // CHECK: %[[N:.*]] = sweep.stage "n" over <[1], [9]> ({{.*}} = %[[G]]#0 : {{.*}} = %[[OLD]] : {{.*}}) -> !stencil.temp<?xf32> {
    %n = sweep.stage "n" over <[1], [9]> (%p = %g#0 : !s1, %q = %old : !s1) -> !s1 {
      %0 = stencil.access %p[-1] : !s1
      %1 = stencil.access %q[0] : !s1
      %2 = arith.subf %0, %1 : f32
      sweep.yield %2 : f32
    }
    // CHECK: sweep.carry %[[NOW]] to %[[OLD]]
    // CHECK: sweep.carry %[[N]] to %[[NOW]]
    sweep.carry %now to %old : !s1
    sweep.carry %n to %now : !s1
    // CHECK: sweep.output %[[N]] over <[1], [9]>
    // CHECK: sweep.output %[[NOW]] over <[1], [9]>
    sweep.output %n over <[1], [9]> to %w : !s1, !f1
    sweep.output %now over <[1], [9]> to %x : !s1, !f1
  }
  return
}

// A field that holds the values around a domain may get those of its points.
// CHECK-LABEL: func.func @around
func.func @around(%a: !f1, %b: !f1) {
  // CHECK: sweep.stages
  sweep.stages "around" steps 1 fields(%t = %a : !f1, %h = %b : !f1) plan <{}> {
    %s = sweep.input %t over <[1], [9]> outside %h : !f1, !f1 -> !s1
    %n = sweep.stage "n" over <[1], [9]> (%p = %s : !s1) -> !s1 outside(%h : !f1) rotations [1] {
      %0 = stencil.access %p[-1] : !s1
      sweep.yield %0 : f32
    }
    sweep.output %n over <[1], [9]> to %h : !s1, !f1
  }
  return
}
