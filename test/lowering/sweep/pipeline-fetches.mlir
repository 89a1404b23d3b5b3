// Planes are loaded in the iteration before the one that uses them.
//
// RUN: stencil-opt %s --convert-sweep-to-planes --sweep-pipeline-fetches | FileCheck %s
// RUN: stencil-opt %s --convert-sweep-to-planes --sweep-pipeline-fetches --sweep-pipeline-fetches | FileCheck %s
//
// RUN: stencilc run %s --function=two_fields --on=emulator --verify --seed=1
// RUN: stencilc run %s --function=ring --on=emulator --verify --seed=1
// RUN: stencilc run %s --function=lines --on=emulator --verify --seed=1
// RUN: stencilc run %s --function=own --on=emulator --verify --seed=1

!plane = !stencil.field<[0,18]x[0,70]xf64>

// The plane that arrives, and that of a coefficient, which only the plane's own level reads.
// CHECK-LABEL: func.func @two_fields
// CHECK:         %[[ZERO:.*]] = sweep.splat
// CHECK-NEXT:    %[[U0:.*]] = sweep.fetch %[[U:.*]][0] :
// CHECK-NEXT:    %[[R0:.*]] = sweep.fetch %[[R:.*]][-1] :
// CHECK-NEXT:    sweep.planes from -1 to 1 iter_args(%[[A:.*]] = %[[ZERO]] : {{.*}}, %[[B:.*]] = %[[ZERO]] : {{.*}}, %[[NOW:.*]] = %[[U0]] : {{.*}}, %[[K:.*]] = %[[R0]] : {{.*}}) {
// CHECK-NEXT:      %[[U1:.*]] = sweep.fetch %[[U]][1]
// CHECK-NEXT:      %[[R1:.*]] = sweep.fetch %[[R]][0]
// CHECK-NEXT:      sweep.map plane -1 (%{{.*}} = %[[A]] : {{.*}}, %{{.*}} = %[[NOW]] : {{.*}}, %{{.*}} = %[[K]] : {{.*}})
// CHECK-NOT:       sweep.fetch
// CHECK:           sweep.yield %[[B]], %[[NOW]], %[[U1]], %[[R1]]
func.func @two_fields(%a: !plane, %b: !plane, %c: !plane) {
  sweep.kernel "s" steps 1 over <[1, 0], [17, 69]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) reads(%r = %c : !plane) outs(%b : !plane)
      plan <{mapping = "warp", loads = "prefetch", reads = "queue", threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[1, 0] : !plane
    %2 = stencil.access %r[0, 0] : !plane
    %3 = arith.addf %0, %1 : f64
    %4 = arith.mulf %3, %2 : f64
    sweep.yield %4 : f64
  }
  return
}

// What comes through a ring is on its way already.
// CHECK-LABEL: func.func @ring
// CHECK:         sweep.fetch %[[R:.*]][0]
// CHECK-NEXT:    sweep.planes
// CHECK-NEXT:      sweep.fetch %[[R]][1]
// CHECK-NEXT:      sweep.wait 1
// CHECK-NEXT:      sweep.take
// CHECK-NEXT:      sweep.copy_async
// CHECK-NOT:       sweep.fetch
// CHECK:           sweep.yield
func.func @ring(%a: !plane, %b: !plane, %c: !plane) {
  sweep.kernel "s" steps 1 over <[1, 0], [17, 69]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) reads(%r = %c : !plane) outs(%b : !plane)
      plan <{mapping = "warp", loads = "ring", ring = 3, reads = "queue", threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %r[0, 0] : !plane
    %2 = arith.mulf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}

// A block that computes four lines at once loads those of the next iteration.
// CHECK-LABEL: func.func @lines
// CHECK:         sweep.fetch %{{.*}}[0]
// CHECK-NEXT:    sweep.planes from -1 to 0
// CHECK-NEXT:      sweep.fetch %{{.*}}[4]
func.func @lines(%a: !plane, %b: !plane) {
  sweep.kernel "s" steps 1 over <[1, 0], [17, 69]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "block", storage = "shared", loads = "prefetch", threads = array<i64: 4, 32>}> {
    %0 = stencil.access %u[-1, 0] : !plane
    sweep.yield %0 : f64
  }
  return
}

// A field that is written in place is stored after it was fetched.
// CHECK-LABEL: func.func @own
// CHECK:         sweep.fetch %[[U:.*]][0] own
// CHECK-NEXT:    sweep.planes from 0 to 0 iter_args(%[[NOW:.*]] =
// CHECK-NEXT:      sweep.fetch %[[U]][1] own
// CHECK-NEXT:      %[[V:.*]] = sweep.map plane 0 (%{{.*}} = %[[NOW]]
// CHECK:           sweep.store %[[V]] to %[[U]][0]
func.func @own(%a: !plane) {
  sweep.kernel "s" steps 1 over <[1, 0], [17, 69]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%a : !plane)
      plan <{mapping = "warp", loads = "prefetch", threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[0, 0] : !plane
    %1 = arith.addf %0, %0 : f64
    sweep.yield %1 : f64
  }
  return
}

// Without loads ahead, nothing changes.
// CHECK-LABEL: func.func @direct
// CHECK:         sweep.planes
// CHECK-NEXT:      %[[NOW:.*]] = sweep.fetch %{{.*}}[0]
// CHECK-NEXT:      sweep.map plane 0 (%{{.*}} = %[[NOW]]
func.func @direct(%a: !plane, %b: !plane) {
  sweep.kernel "s" steps 1 over <[1, 0], [17, 69]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[0, 0] : !plane
    sweep.yield %0 : f64
  }
  return
}
