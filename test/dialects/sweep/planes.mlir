// The planes form: custom and generic form round-trip.
//
// RUN: stencil-opt %s | stencil-opt --mlir-print-op-generic | stencil-opt | FileCheck %s

!f1 = !stencil.field<[0,10]xf32>
!f2 = !stencil.field<[0,64]x[0,64]xf64>
!f3 = !stencil.field<[0,64]x[0,64]x[0,64]xf64>

// One step of a sum along planes and columns; planes are carried from iteration to iteration.
// CHECK-LABEL: func.func @carried
// CHECK-SAME:    %[[NOW:.*]]: !stencil.field<[0,64]x[0,64]xf64>, %[[NEXT:.*]]: !stencil.field<[0,64]x[0,64]xf64>
func.func @carried(%now: !f2, %next: !f2) {
  // CHECK-NEXT: sweep.tiled "sum.s0" steps 1 over <[1, 1], [63, 63]> reach [1, 0, 0, 1]
  // CHECK-NEXT:     fields(%[[U:.*]] = %[[NOW]] : !stencil.field<[0,64]x[0,64]xf64>, %[[V:.*]] = %[[NEXT]] : !stencil.field<[0,64]x[0,64]xf64>)
  // CHECK-NEXT:     plan <{mapping = "warp", points = [1, 1], threads = [1, 32]}>
  // CHECK-NEXT:     points 3844 flops 3844 bytes 61504 {
  sweep.tiled "sum.s0" steps 1 over <[1, 1], [63, 63]> reach [1, 0, 0, 1]
      fields(%u = %now : !f2, %v = %next : !f2)
      plan <{mapping = "warp", points = [1, 1], threads = [1, 32]}>
      points 3844 flops 3844 bytes 61504 {
    // CHECK-NEXT: %[[ZERO:.*]] = arith.constant
    // CHECK-NEXT: %[[NONE:.*]] = sweep.splat %[[ZERO]] : !sweep.tile<f64>
    // CHECK-NEXT: sweep.planes from -1 to 0 turns 2 iter_args(%[[BEFORE:.*]] = %[[NONE]] : !sweep.tile<f64>) {
    // CHECK-NEXT:   %[[T:.*]] = sweep.fetch %[[U]][0] : !stencil.field<[0,64]x[0,64]xf64>
    // CHECK-NEXT:   %[[EAST:.*]] = sweep.shift %[[T]] by [0, 1] : !sweep.tile<f64>
    // CHECK-NEXT:   %[[SUM:.*]] = sweep.map plane 0 (%[[B:.*]] = %[[BEFORE]] : !sweep.tile<f64>, %[[E:.*]] = %[[EAST]] : !sweep.tile<f64>) -> !sweep.tile<f64> {
    // CHECK-NEXT:     %[[S:.*]] = arith.addf %[[B]], %[[E]] : f64
    // CHECK-NEXT:     sweep.yield %[[S]] : f64
    // CHECK-NEXT:   }
    // CHECK-NEXT:   sweep.store %[[SUM]] to %[[V]][0] : !stencil.field<[0,64]x[0,64]xf64>
    // CHECK-NEXT:   sweep.yield %[[T]] : !sweep.tile<f64>
    %zero = arith.constant 0.0 : f64
    %none = sweep.splat %zero : !sweep.tile<f64>
    sweep.planes from -1 to 0 turns 2 iter_args(%before = %none : !sweep.tile<f64>) {
      %t = sweep.fetch %u[0] : !f2
      %east = sweep.shift %t by [0, 1] : !sweep.tile<f64>
      %sum = sweep.map plane 0 (%b = %before : !sweep.tile<f64>, %e = %east : !sweep.tile<f64>)
          -> !sweep.tile<f64> {
        %s = arith.addf %b, %e : f64
        sweep.yield %s : f64
      }
      sweep.store %sum to %v[0] : !f2
      sweep.yield %t : !sweep.tile<f64>
    }
  }
  return
}

// What is optional is left out: scalars, turns, iter_args, values of the last yield, operands of a
// map. One dimension has one plane.
// CHECK-LABEL: func.func @least
func.func @least(%out: !f1) {
  // CHECK:      sweep.tiled "one" steps 1 over <[0], [10]> reach [0, 0]
  // CHECK-NEXT:     fields(%[[V:.*]] = %{{.*}} : !stencil.field<[0,10]xf32>)
  // CHECK-NEXT:     plan <{}>
  // CHECK-NEXT:     points 10 flops 0 bytes 40 {
  // CHECK-NEXT:   sweep.planes from 0 to 0 {
  // CHECK-NEXT:     %[[X:.*]] = sweep.map plane 0 () -> !sweep.tile<f32> {
  // CHECK:          sweep.store %[[X]] to %[[V]][0] : !stencil.field<[0,10]xf32>
  // CHECK-NEXT:     sweep.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT: }
  sweep.tiled "one" steps 1 over <[0], [10]> reach [0, 0]
      fields(%v = %out : !f1)
      plan <{}>
      points 10 flops 0 bytes 40 {
    sweep.planes from 0 to 0 turns 1 {
      %x = sweep.map plane 0 () -> !sweep.tile<f32> {
        %i = stencil.index 0 <[0]>
        %n = arith.index_cast %i : index to i32
        %y = arith.sitofp %n : i32 to f32
        sweep.yield %y : f32
      }
      sweep.store %x to %v[0] : !f1
      sweep.yield
    }
  }
  return
}

// Shared memory of every kind, and all that is written to it and read from it. Attributes that the
// syntax does not spell are kept.
// CHECK-LABEL: func.func @shared
// CHECK-SAME:    %[[NOW:.*]]: !stencil.field<{{.*}}>, %[[NEXT:.*]]: !stencil.field<{{.*}}>, %[[C:.*]]: f64, %[[N:.*]]: index
func.func @shared(%now: !f3, %next: !f3, %c: f64, %n: index) {
  // CHECK:      sweep.tiled "a \22quoted\22 name" steps 2 over <[1, 1, 1], [63, 63, 63]> reach [1, 1, 1, 1, 0, 2]
  // CHECK-NEXT:     fields(%[[U:.*]] = %[[NOW]] : {{.*}}, %[[V:.*]] = %[[NEXT]] : {{.*}})
  // CHECK-NEXT:     scalars(%[[K:.*]] = %[[C]] : f64, %{{.*}} = %[[N]] : index)
  // CHECK-NEXT:     plan <{mapping = "block"}>
  // CHECK-NEXT:     points 1 flops 2 bytes 3 attributes {note} {
  sweep.tiled "a \"quoted\" name" steps 2 over <[1, 1, 1], [63, 63, 63]> reach [1, 1, 1, 1, 0, 2]
      fields(%u = %now : !f3, %v = %next : !f3)
      scalars(%k = %c : f64, %l = %n : index)
      plan <{mapping = "block"}>
      points 1 flops 2 bytes 3 attributes {note} {
    // CHECK-NEXT: %[[RING:.*]] = sweep.shared "ring" copies 3 : !sweep.buffer<f64>
    %ring = sweep.shared "ring" copies 3 : !sweep.buffer<f64>
    // CHECK-NEXT: %[[SLOT:.*]] = sweep.shared "slot" copies 1 : !sweep.buffer<f64>
    %slot = sweep.shared "slot" copies 1 : !sweep.buffer<f64>
    // CHECK-NEXT: %[[ROWS:.*]] = sweep.shared "rows" rows [0, 3] copies 2 {note} : !sweep.buffer<f64>
    %rows = sweep.shared "rows" rows [0, 3] copies 2 {note} : !sweep.buffer<f64>
    // CHECK-NEXT: %[[PLANES:.*]] = sweep.shared "planes" copies 2 : !sweep.buffer<f64>
    %planes = sweep.shared "planes" copies 2 : !sweep.buffer<f64>
    // CHECK-NEXT: %[[LINES:.*]] = sweep.shared "lines" copies 6 : !sweep.buffer<f64>
    %lines = sweep.shared "lines" copies 6 : !sweep.buffer<f64>
    // CHECK-NEXT: %[[HALO:.*]] = sweep.shared "halo" around [1, 0, 2, 2] copies 4 : !sweep.buffer<f64>
    %halo = sweep.shared "halo" around [1, 0, 2, 2] copies 4 : !sweep.buffer<f64>
    // CHECK-NEXT: sweep.copy_async %[[U]][-1] ahead 0 to %[[HALO]] : !stencil.field<[0,64]x[0,64]x[0,64]xf64>, !sweep.buffer<f64>
    sweep.copy_async %u[-1] ahead 0 to %halo : !f3, !sweep.buffer<f64>
    // CHECK-NEXT: sweep.copy_async %[[U]][1] ahead 2 to %[[HALO]] outside %[[V]] over <[1, 1, 1], [63, 63, 62]> : !stencil.field<[0,64]x[0,64]x[0,64]xf64>, !sweep.buffer<f64>, !stencil.field<[0,64]x[0,64]x[0,64]xf64>
    sweep.copy_async %u[1] ahead 2 to %halo outside %v over <[1, 1, 1], [63, 63, 62]> : !f3, !sweep.buffer<f64>, !f3
    // CHECK-NEXT: sweep.copy_async %[[U]][0] to %[[RING]] : !stencil.field<[0,64]x[0,64]x[0,64]xf64>, !sweep.buffer<f64>
    sweep.copy_async %u[0] to %ring : !f3, !sweep.buffer<f64>
    // CHECK-NEXT: sweep.planes from -2 to 2 {
    sweep.planes from -2 to 2 {
      // CHECK-NEXT: sweep.wait 0
      sweep.wait 0
      // CHECK-NEXT: %[[T:.*]] = sweep.take %[[RING]][0] : !sweep.buffer<f64>
      %t = sweep.take %ring[0] : !sweep.buffer<f64>
      // CHECK-NEXT: sweep.copy_async %[[U]][2] to %[[RING]]
      sweep.copy_async %u[2] to %ring : !f3, !sweep.buffer<f64>
      // CHECK-NEXT: %[[TH:.*]] = sweep.take %[[HALO]][0] : !sweep.buffer<f64>
      %th = sweep.take %halo[0] : !sweep.buffer<f64>
      // CHECK-NEXT: %{{.*}} = sweep.shift %[[TH]] by [-1, 2] via %[[HALO]][0] : !sweep.tile<f64>, !sweep.buffer<f64>
      %sh = sweep.shift %th by [-1, 2] via %halo[0] : !sweep.tile<f64>, !sweep.buffer<f64>
      // CHECK-NEXT: %[[B:.*]] = sweep.boundary %[[T]][0] from %[[V]] : !stencil.field<[0,64]x[0,64]x[0,64]xf64>
      %b = sweep.boundary %t[0] from %v : !f3
      // CHECK-NEXT: sweep.put %[[B]] to %[[ROWS]] : !sweep.buffer<f64>
      sweep.put %b to %rows : !sweep.buffer<f64>
      sweep.put %b to %planes : !sweep.buffer<f64>
      sweep.put %b to %lines : !sweep.buffer<f64>
      // CHECK:      sweep.fence{{$}}
      sweep.fence
      // CHECK-NEXT: %{{.*}} = sweep.shift %[[B]] by [-1, 0] via %[[ROWS]][0] : !sweep.tile<f64>, !sweep.buffer<f64>
      %n0 = sweep.shift %b by [-1, 0] via %rows[0] : !sweep.tile<f64>, !sweep.buffer<f64>
      // CHECK-NEXT: %{{.*}} = sweep.shift %[[B]] by [1, -1] via %[[PLANES]][0] : !sweep.tile<f64>, !sweep.buffer<f64>
      %s0 = sweep.shift %b by [1, -1] via %planes[0] : !sweep.tile<f64>, !sweep.buffer<f64>
      // CHECK-NEXT: %{{.*}} = sweep.take %[[PLANES]][1] by [0, -1] : !sweep.buffer<f64>
      %w1 = sweep.take %planes[1] by [0, -1] : !sweep.buffer<f64>
      // CHECK-NEXT: %{{.*}} = sweep.take %[[LINES]][5] : !sweep.buffer<f64>
      %l5 = sweep.take %lines[5] : !sweep.buffer<f64>
      // CHECK-NEXT: %{{.*}} = sweep.shift %[[B]] by [0, 1] via %[[LINES]][0] : !sweep.tile<f64>, !sweep.buffer<f64>
      %l0 = sweep.shift %b by [0, 1] via %lines[0] : !sweep.tile<f64>, !sweep.buffer<f64>
      // The oldest copy is there until it is overwritten.
      // CHECK-NEXT: %{{.*}} = sweep.take %[[SLOT]][1] : !sweep.buffer<f64>
      %s1 = sweep.take %slot[1] : !sweep.buffer<f64>
      // CHECK-NEXT: %[[F:.*]] = sweep.fetch %[[V]][-1] own : !stencil.field<[0,64]x[0,64]x[0,64]xf64>
      %f = sweep.fetch %v[-1] own : !f3
      // CHECK-NEXT: %[[TWO:.*]]:2 = sweep.map plane -1 (%{{.*}} = %[[F]] : !sweep.tile<f64>) -> (!sweep.tile<f64>, !sweep.tile<i1>) {
      // CHECK:        stencil.access %[[U]][0, 1, -1]
      // CHECK:        arith.mulf %{{.*}}, %[[K]]
      // CHECK:        sweep.yield %{{.*}}, %{{.*}} : f64, i1
      // CHECK-NEXT: }
      %two:2 = sweep.map plane -1 (%x = %f : !sweep.tile<f64>)
          -> (!sweep.tile<f64>, !sweep.tile<i1>) {
        %y = stencil.access %u[0, 1, -1] : !f3
        %z = arith.mulf %y, %k : f64
        %p = arith.cmpf ogt, %x, %z : f64
        sweep.yield %z, %p : f64, i1
      }
      // CHECK-NEXT: sweep.put %[[TWO]]#0 to %[[SLOT]] : !sweep.buffer<f64>
      sweep.put %two#0 to %slot : !sweep.buffer<f64>
      // CHECK-NEXT: sweep.store %[[TWO]]#0 to %[[V]][-1] : !stencil.field<[0,64]x[0,64]x[0,64]xf64>
      sweep.store %two#0 to %v[-1] : !f3
      // CHECK-NEXT: sweep.fence warp
      sweep.fence warp
      // CHECK-NEXT: sweep.yield
      sweep.yield
    // CHECK-NEXT: } {note}
    } {note}
  }
  return
}

// Statements have domains of their own, which the kernel's covers; tiles have a margin of their
// own, and a ring is named.
// CHECK-LABEL: func.func @domains
func.func @domains(%now: !f2, %next: !f2) {
  // CHECK:      sweep.tiled "d" steps 1 over <[0, 1], [64, 63]> reach [1, 0, 1, 1] margin [2, 0, 3, 1] periodic [0]
  // CHECK-NEXT:     fields
  sweep.tiled "d" steps 1 over <[0, 1], [64, 63]> reach [1, 0, 1, 1] margin [2, 0, 3, 1]
      periodic [0]
      fields(%u = %now : !f2, %v = %next : !f2) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      // CHECK: %[[T:.*]] = sweep.fetch
      %t = sweep.fetch %u[0] : !f2
      // CHECK-NEXT: %[[B:.*]] = sweep.boundary %[[T]][0] from %{{.*}} over <[0, 2], [64, 63]> {note} : !stencil.field<[0,64]x[0,64]xf64>
      %b = sweep.boundary %t[0] from %u over <[0, 2], [64, 63]> {note} : !f2
      // CHECK-NEXT: %[[M:.*]] = sweep.map plane 0 over <[0, 1], [64, 60]> (%{{.*}} = %[[B]] : !sweep.tile<f64>) -> !sweep.tile<f64> {
      %m = sweep.map plane 0 over <[0, 1], [64, 60]> (%x = %b : !sweep.tile<f64>)
          -> !sweep.tile<f64> {
        sweep.yield %x : f64
      }
      // CHECK: sweep.store %[[M]] to %{{.*}}[0] over <[0, 1], [64, 60]> {note} : !stencil.field<[0,64]x[0,64]xf64>
      sweep.store %m to %v[0] over <[0, 1], [64, 60]> {note} : !f2
      sweep.yield
    }
  }
  return
}

// Threads of several warps have columns of a row.
// CHECK-LABEL: func.func @joined
func.func @joined(%in: !f1, %out: !f1) {
  // CHECK:      sweep.tiled "one" steps 1 over <[1], [9]> reach [1, 0] joined
  // CHECK-NEXT:     fields(
  // CHECK:        sweep.shift %{{.*}} by [0, -1] via %{{.*}}[0]
  sweep.tiled "one" steps 1 over <[1], [9]> reach [1, 0] joined
      fields(%u = %in : !f1, %v = %out : !f1)
      plan <{}> points 8 flops 0 bytes 64 {
    %x = sweep.shared "planes" copies 1 : !sweep.buffer<f32>
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f1
      sweep.put %t to %x : !sweep.buffer<f32>
      sweep.fence
      %w = sweep.shift %t by [0, -1] via %x[0] : !sweep.tile<f32>, !sweep.buffer<f32>
      sweep.store %w to %v[0] : !f1
      sweep.yield
    }
  }
  return
}
