// Memory effects of these operations, as upstream passes see them.
//
// RUN: stencil-opt %s --canonicalize --cse --loop-invariant-code-motion | FileCheck %s

// Loads, applies, buffers, combines, casts and allocations that nobody uses go.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT:    return
func.func @unused(%f: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %f : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>, %b = %f : !stencil.field<[0,64]xf64>)
      -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    %w = stencil.access %b[0] : !stencil.field<[0,64]xf64>
    %s = arith.addf %v, %w : f64
    stencil.return %s : f64
  }
  %b = stencil.buffer %r : !stencil.temp<?xf64> -> !stencil.temp<?xf64>
  %m = stencil.combine 0 at 3 lower = (%b : !stencil.temp<?xf64>)
    upper = (%b : !stencil.temp<?xf64>) : !stencil.temp<?xf64>
  %c = stencil.cast %f : !stencil.field<[0,64]xf64> -> !stencil.field<[0,64]xf64>
  %n = stencil.alloc : !stencil.field<[0,64]xf64>
  return
}

// Stores, the buffer form, and what other languages own stay.
// CHECK-LABEL: func.func @kept
func.func @kept(%f: !stencil.field<[0,64]xf64>, %t: !stencil.temp<?xf64>, %m: memref<64xf64>) {
  // CHECK: stencil.store
  stencil.store %t to %f(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  // CHECK: stencil.apply
  stencil.apply() outs (%f : !stencil.field<[0,64]xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  } to <[0], [64]>
  // CHECK: stencil.external_load
  %e = stencil.external_load %m : memref<64xf64> -> !stencil.field<[0,64]xf64>
  // CHECK: stencil.external_store
  stencil.external_store %f to %m : !stencil.field<[0,64]xf64> to memref<64xf64>
  return
}

// An apply that calls what is not known stays too.
// CHECK-LABEL: func.func @kept_for_its_call
func.func private @unknown() -> f64
func.func @kept_for_its_call() {
  // CHECK: stencil.apply
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %v = func.call @unknown() : () -> f64
    stencil.return %v : f64
  }
  return
}

// Two loads are one, until the field may have changed: by a store, by a buffer form.
// CHECK-LABEL: func.func @loads
// CHECK-SAME:    %[[F:.*]]: !stencil.field<[0,64]xf64>, %[[G:.*]]: !stencil.field<[0,64]xf64>
func.func @loads(%f: !stencil.field<[0,64]xf64>, %g: !stencil.field<[0,64]xf64>) {
  // CHECK-NEXT: %[[A:.*]] = stencil.load %[[F]]
  %a = stencil.load %f : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %b = stencil.load %f : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  // CHECK-NEXT: stencil.store %[[A]] to %[[G]]
  stencil.store %b to %g(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  // CHECK-NEXT: %[[C:.*]] = stencil.load %[[F]]
  %c = stencil.load %f : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  // CHECK-NEXT: stencil.store %[[C]] to %[[G]]
  stencil.store %c to %g(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  // CHECK-NEXT: stencil.apply
  stencil.apply() outs (%f : !stencil.field<[0,64]xf64>) {
    %k = arith.constant 1.0 : f64
    stencil.return %k : f64
  } to <[0], [64]>
  // CHECK: %[[D:.*]] = stencil.load %[[F]]
  %d = stencil.load %f : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  // CHECK-NEXT: stencil.store %[[D]] to %[[G]]
  stencil.store %d to %g(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// Equal accesses are one, also where one of them spells out a mapping that leaves nothing out.
// CHECK-LABEL: func.func @accesses
func.func @accesses(%t: !stencil.temp<?xf64>, %f: !stencil.field<[0,64]xf64>)
    -> !stencil.temp<?xf64> {
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>, %b = %f : !stencil.field<[0,64]xf64>)
      -> (!stencil.temp<?xf64>) {
    // CHECK:     %[[V:.*]] = stencil.access %{{.*}}[0] : !stencil.temp<?xf64>
    // CHECK-NOT: stencil.access {{.*}} : !stencil.temp
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    %w = "stencil.access"(%a) {offset = #stencil.index<[0]>, offset_mapping = #stencil.index<[0]>}
      : (!stencil.temp<?xf64>) -> f64
    // CHECK:     arith.addf %[[V]], %[[V]]
    %s = arith.addf %v, %w : f64
    stencil.return %s : f64
  }
  return %r : !stencil.temp<?xf64>
}

// An apply on temps moves out of a loop; a load, and an apply that reads a field, do not.
// CHECK-LABEL: func.func @loop
func.func @loop(%t: !stencil.temp<?xf64>, %f: !stencil.field<[0,64]xf64>,
                %g: !stencil.field<[0,64]xf64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: %[[R:.*]] = stencil.apply
  // CHECK: scf.for
  scf.for %i = %zero to %n step %one {
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %v = stencil.access %a[0] : !stencil.temp<?xf64>
      stencil.return %v : f64
    }
    // CHECK-NEXT: stencil.load
    %l = stencil.load %f : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
    // CHECK-NEXT: %[[S:.*]] = stencil.apply
    %s = stencil.apply(%b = %f : !stencil.field<[0,64]xf64>, %c = %l : !stencil.temp<?xf64>)
        -> (!stencil.temp<?xf64>) {
      %v = stencil.access %b[0] : !stencil.field<[0,64]xf64>
      %w = stencil.access %c[0] : !stencil.temp<?xf64>
      %x = arith.addf %v, %w : f64
      stencil.return %x : f64
    }
    // CHECK: stencil.store %[[R]]
    stencil.store %r to %g(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
    // CHECK: stencil.store %[[S]]
    stencil.store %s to %f(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  }
  return
}

// Inside of an apply an access of a temp moves out of a loop; reading a field or at a computed
// coordinate, which might lie outside, does not.
// CHECK-LABEL: func.func @loop_at_a_point
func.func @loop_at_a_point(%t: !stencil.temp<?xf64>, %f: !stencil.field<[0,64]xf64>, %n: index)
    -> !stencil.temp<?xf64> {
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>, %b = %f : !stencil.field<[0,64]xf64>,
                     %m = %n : index) -> (!stencil.temp<?xf64>) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %init = arith.constant 0.0 : f64
    // CHECK: stencil.access %{{.*}}[0] : !stencil.temp<?xf64>
    // CHECK: scf.for
    %sum = scf.for %i = %zero to %m step %one iter_args(%s = %init) -> (f64) {
      %v = stencil.access %a[0] : !stencil.temp<?xf64>
      // CHECK: stencil.access %{{.*}}[0] : !stencil.field<[0,64]xf64>
      %w = stencil.access %b[0] : !stencil.field<[0,64]xf64>
      // CHECK: stencil.dyn_access
      %x = stencil.dyn_access %a[%m] in <[0]> : <[1]> : !stencil.temp<?xf64>
      %s0 = arith.addf %s, %v : f64
      %s1 = arith.addf %s0, %w : f64
      %s2 = arith.addf %s1, %x : f64
      scf.yield %s2 : f64
    }
    stencil.return %sum : f64
  }
  return %r : !stencil.temp<?xf64>
}

// A cast to the operand's own type folds; one that gives bounds stays.
// CHECK-LABEL: func.func @casts
// CHECK-SAME:    %[[F:.*]]: !stencil.field<[0,64]xf64>, %[[U:.*]]: !stencil.field<?xf64>
func.func @casts(%f: !stencil.field<[0,64]xf64>, %u: !stencil.field<?xf64>)
    -> (!stencil.field<[0,64]xf64>, !stencil.field<[0,64]xf64>) {
  // CHECK-NEXT: %[[C:.*]] = stencil.cast %[[U]]
  %0 = stencil.cast %f : !stencil.field<[0,64]xf64> -> !stencil.field<[0,64]xf64>
  %1 = stencil.cast %u : !stencil.field<?xf64> -> !stencil.field<[0,64]xf64>
  // CHECK-NEXT: return %[[F]], %[[C]]
  return %0, %1 : !stencil.field<[0,64]xf64>, !stencil.field<[0,64]xf64>
}
