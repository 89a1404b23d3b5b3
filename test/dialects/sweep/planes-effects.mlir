// What the ops of the planes form do to memory, for CSE: copies and fields change, tiles do not.
//
// RUN: stencil-opt %s --cse --split-input-file | FileCheck %s

!f = !stencil.field<[0,10]x[0,10]xf64>

// Equal takes are one, unless something is put between them. The same for a shift that reads a
// copy; one that reads none is computed from its tile alone.
// CHECK-LABEL: func.func @copies
func.func @copies(%now: !f, %next: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [1, 1, 1, 1]
      fields(%u = %now : !f, %v = %next : !f)
      plan <{}>
      points 1 flops 1 bytes 1 {
    // Two allocations are never one.
    // CHECK:      %[[X:.*]] = sweep.shared
    // CHECK-NEXT: %[[S:.*]] = sweep.shared
    %x = sweep.shared "planes" copies 2 : !sweep.buffer<f64>
    %s = sweep.shared "planes" copies 2 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // CHECK:      %[[T:.*]] = sweep.fetch
      // CHECK-NEXT: %[[A:.*]] = sweep.take %[[X]][1]
      // CHECK-NEXT: %[[B:.*]] = sweep.shift %[[T]] by [1, 0] via %[[X]][1]
      // CHECK-NEXT: %[[P:.*]] = sweep.shift %[[T]] by [0, 1]
      // CHECK-NEXT: sweep.put %[[T]] to %[[X]]
      // CHECK-NEXT: %[[C:.*]] = sweep.take %[[X]][1]
      // CHECK-NEXT: %[[D:.*]] = sweep.shift %[[T]] by [1, 0] via %[[X]][1]
      // CHECK-NEXT: sweep.map plane 0 (%{{.*}} = %[[A]] : {{.*}} = %[[A]] : {{.*}} = %[[B]] : {{.*}} = %[[B]] : {{.*}} = %[[P]] : {{.*}} = %[[C]] : {{.*}} = %[[D]] : {{.*}} = %[[P]] : {{.*}})
      %t = sweep.fetch %u[0] : !f
      %a0 = sweep.take %x[1] : !sweep.buffer<f64>
      %a1 = sweep.take %x[1] : !sweep.buffer<f64>
      %b0 = sweep.shift %t by [1, 0] via %x[1] : !sweep.tile<f64>, !sweep.buffer<f64>
      %b1 = sweep.shift %t by [1, 0] via %x[1] : !sweep.tile<f64>, !sweep.buffer<f64>
      %p0 = sweep.shift %t by [0, 1] : !sweep.tile<f64>
      sweep.put %t to %x : !sweep.buffer<f64>
      %a2 = sweep.take %x[1] : !sweep.buffer<f64>
      %b2 = sweep.shift %t by [1, 0] via %x[1] : !sweep.tile<f64>, !sweep.buffer<f64>
      %p1 = sweep.shift %t by [0, 1] : !sweep.tile<f64>
      %r = sweep.map plane 0 (
            %0 = %a0 : !sweep.tile<f64>, %1 = %a1 : !sweep.tile<f64>,
            %2 = %b0 : !sweep.tile<f64>, %3 = %b1 : !sweep.tile<f64>,
            %4 = %p0 : !sweep.tile<f64>, %5 = %a2 : !sweep.tile<f64>,
            %6 = %b2 : !sweep.tile<f64>, %7 = %p1 : !sweep.tile<f64>) -> !sweep.tile<f64> {
        %8 = arith.addf %0, %1 : f64
        sweep.yield %8 : f64
      }
      sweep.put %r to %s : !sweep.buffer<f64>
      sweep.store %r to %v[0] : !f
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>

// A fence and a wait may change what any copy holds, a store what any field holds; unused reads go.
// CHECK-LABEL: func.func @order
func.func @order(%now: !f, %next: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [1, 1, 1, 1]
      fields(%u = %now : !f, %v = %next : !f)
      plan <{}>
      points 1 flops 1 bytes 1 {
    %x = sweep.shared "ring" copies 2 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // CHECK:      sweep.copy_async
      // CHECK-NEXT: %[[A:.*]] = sweep.take
      // CHECK-NEXT: sweep.wait 0
      // CHECK-NEXT: %[[B:.*]] = sweep.take
      // CHECK-NEXT: sweep.fence
      // CHECK-NEXT: %[[C:.*]] = sweep.take
      // CHECK-NEXT: %[[D:.*]] = sweep.fetch
      // CHECK-NEXT: sweep.store %[[A]]
      // CHECK-NEXT: %[[E:.*]] = sweep.fetch
      // CHECK-NEXT: sweep.store %[[B]]
      // CHECK-NEXT: sweep.store %[[C]]
      // CHECK-NEXT: sweep.store %[[D]]
      // CHECK-NEXT: sweep.store %[[E]]
      // CHECK-NEXT: sweep.yield
      sweep.copy_async %u[0] to %x : !f, !sweep.buffer<f64>
      %a = sweep.take %x[0] : !sweep.buffer<f64>
      sweep.wait 0
      %b = sweep.take %x[0] : !sweep.buffer<f64>
      sweep.fence
      %c = sweep.take %x[0] : !sweep.buffer<f64>
      %d = sweep.fetch %v[0] own : !f
      sweep.store %a to %v[0] : !f
      %e = sweep.fetch %v[0] own : !f
      %unused = sweep.fetch %u[1] : !f
      sweep.store %b to %v[0] : !f
      sweep.store %c to %v[0] : !f
      sweep.store %d to %v[0] : !f
      sweep.store %e to %v[0] : !f
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
!t = !stencil.temp<[0,10]xf64>

// A kernel writes the fields that it stores to, and reads all of them.
// CHECK-LABEL: func.func @kernel
// CHECK-SAME:    %[[A:.*]]: !stencil.field<[0,10]xf64>, %[[B:.*]]: !stencil.field<[0,10]xf64>
func.func @kernel(%a: !f, %b: !f) -> (!t, !t) {
  // CHECK:     %[[B0:.*]] = stencil.load %[[B]]
  // CHECK:     sweep.tiled
  // CHECK:     %[[B1:.*]] = stencil.load %[[B]]
  // CHECK:     return %[[B0]], %[[B1]]
  %b0 = stencil.load %b : !f -> !t
  sweep.tiled "s" steps 1 over <[1], [9]> reach [0, 0]
      fields(%u = %a : !f, %v = %b : !f)
      plan <{}>
      points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      sweep.store %t to %v[0] : !f
      sweep.yield
    }
  }
  %b1 = stencil.load %b : !f -> !t
  return %b0, %b1 : !t, !t
}

// -----

!f = !stencil.field<[0,10]xf64>
!t = !stencil.temp<[0,10]xf64>

// A kernel that stores nothing is dead.
// CHECK-LABEL: func.func @reader
func.func @reader(%a: !f) -> (!t, !t) {
  // CHECK-NEXT: %[[A0:.*]] = stencil.load
  // CHECK-NEXT: return %[[A0]], %[[A0]]
  %a0 = stencil.load %a : !f -> !t
  sweep.tiled "s" steps 1 over <[1], [9]> reach [0, 0]
      fields(%u = %a : !f)
      plan <{}>
      points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  %a1 = stencil.load %a : !f -> !t
  return %a0, %a1 : !t, !t
}
