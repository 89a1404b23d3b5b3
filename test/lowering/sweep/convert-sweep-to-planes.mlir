// What a block does with the planes of its tile: one iteration of the loop, in which all levels are
// computed.
//
// RUN: stencil-opt %s --sweep-retime --sweep-place-slots --convert-sweep-to-planes | FileCheck %s
// RUN: stencil-opt %s --sweep-retime --sweep-place-slots --convert-sweep-to-planes --convert-sweep-to-planes | FileCheck %s
// RUN: stencil-opt %s --sweep-retime --sweep-place-slots --convert-sweep-to-planes | stencil-opt | FileCheck %s
//
// RUN: stencilc run %s --function=star --on=emulator --verify --seed=1
// RUN: stencilc run %s --function=scattered --on=emulator --verify --seed=1
// RUN: stencilc run %s --function=ring --on=emulator --verify --seed=1
// RUN: stencilc run %s --function=slots --on=emulator --verify --seed=1
// RUN: stencilc run %s --function=whole --on=emulator --verify --seed=1
// RUN: stencilc run %s --function=numbers --on=emulator --verify --seed=1
// RUN: stencilc run %s --function=line --on=emulator --verify --seed=1

!box = !stencil.field<[0,18]x[0,21]x[0,35]xf64>
!plane = !stencil.field<[0,18]x[0,70]xf64>
!line = !stencil.field<[0,70]xf64>

// Two levels of radius 1: each keeps two planes in registers. Columns come from other lanes, rows
// from other warps by way of shared memory, one iteration after they were put there.
// CHECK-LABEL: func.func @star
// CHECK:       sweep.tiled "star" steps 2 over <[1, 1, 1], [17, 20, 34]> reach [1, 1, 1, 0, 0, 1]
// CHECK-NEXT:    fields(%[[U:.*]] = %arg0 : {{.*}}, %[[V:.*]] = %arg1 : {{.*}})
// CHECK:         points 20064 flops 60192
// CHECK-NEXT:    %[[X1:.*]] = sweep.shared "rows" rows [1] copies 2 : !sweep.buffer<f64>
// CHECK-NEXT:    %[[X2:.*]] = sweep.shared "rows" rows [1] copies 2 : !sweep.buffer<f64>
// CHECK:         %[[ZERO:.*]] = sweep.splat
// CHECK:         sweep.planes from -2 to 2 turns 2 iter_args(%[[A0:.*]] = %[[ZERO]] : !sweep.tile<f64>, %[[A1:.*]] = %[[ZERO]] : {{.*}}, %[[B0:.*]] = %[[ZERO]] : {{.*}}, %[[B1:.*]] = %[[ZERO]] : {{.*}})
// CHECK-NEXT:      %[[NEW:.*]] = sweep.fetch %[[U]][0]
// CHECK-NEXT:      sweep.put %[[NEW]] to %[[X1]]
// CHECK-NEXT:      %[[S:.*]] = sweep.shift %[[A1]] by [-1, 0] via %[[X1]][1]
// CHECK-NEXT:      %[[E:.*]] = sweep.shift %[[A1]] by [0, 1] : !sweep.tile<f64>
// CHECK-NEXT:      %[[LEVEL:.*]] = sweep.map plane -1 (%[[A:.*]] = %[[A0]] : {{.*}}, %[[B:.*]] = %[[NEW]] : {{.*}}, %[[C:.*]] = %[[S]] : {{.*}}, %[[D:.*]] = %[[E]] : {{.*}}) -> !sweep.tile<f64> {
// CHECK-NEXT:        arith.addf %[[A]], %[[B]]
// CHECK-NEXT:        arith.addf %[[C]], %[[D]]
// CHECK:             sweep.yield
// Level 1 has the boundary values of the field that it belongs to.
// CHECK:           %[[BOUNDED:.*]] = sweep.boundary %[[LEVEL]][-1] from %[[V]]
// CHECK-NEXT:      sweep.put %[[BOUNDED]] to %[[X2]]
// CHECK:           %[[LAST:.*]] = sweep.map plane -2 (%{{.*}} = %[[B0]] : {{.*}}, %{{.*}} = %[[BOUNDED]]
// CHECK:           sweep.store %[[LAST]] to %[[V]][-2]
// CHECK-NEXT:      sweep.fence
// CHECK-NEXT:      sweep.yield %[[A1]], %[[NEW]], %[[B1]], %[[BOUNDED]]
// CHECK-NOT:   sweep.kernel
func.func @star(%a: !box, %b: !box) {
  sweep.kernel "star" steps 2 over <[1, 1, 1], [17, 20, 34]> carried(%u = %a : !box)
      boundaries(%a : !box, %b : !box) outs(%b : !box)
      plan <{mapping = "block", steps = 2, points = array<i64: 1, 2, 2>, threads = array<i64: 1, 4, 32>}> {
    %0 = stencil.access %u[-1, 0, 0] : !box
    %1 = stencil.access %u[1, 0, 0] : !box
    %2 = stencil.access %u[0, -1, 0] : !box
    %3 = stencil.access %u[0, 0, 1] : !box
    %4 = arith.addf %0, %1 : f64
    %5 = arith.addf %2, %3 : f64
    %6 = arith.addf %4, %5 : f64
    sweep.yield %6 : f64
  }
  return
}

// In scatter form a plane is added to the sums of the planes around it; two sums are carried.
// CHECK-LABEL: func.func @scattered
// CHECK:       sweep.planes from -1 to 1 turns 3 iter_args(%[[ONE:.*]] = {{.*}}, %[[TWO:.*]] = {{.*}})
// CHECK-NEXT:    %[[NEW:.*]] = sweep.fetch {{.*}}[0]
// CHECK-NEXT:    %[[DONE:.*]] = sweep.map plane -1 (%{{.*}} = %[[TWO]] : {{.*}}, %{{.*}} = %[[NEW]] : {{.*}})
// CHECK:         %[[SHIFTED:.*]] = sweep.shift %[[NEW]] by [0, 1]
// CHECK-NEXT:    %[[SUM:.*]] = sweep.map plane 0 (%{{.*}} = %[[ONE]] : {{.*}}, %{{.*}} = %[[SHIFTED]] : {{.*}})
// CHECK:         %[[FIRST:.*]] = sweep.map plane 1 (%{{.*}} = %[[NEW]]
// CHECK:         sweep.store %[[DONE]]
// CHECK:         sweep.yield %[[FIRST]], %[[SUM]]
func.func @scattered(%a: !plane, %b: !plane) {
  sweep.kernel "scattered" steps 1 over <[1, 0], [17, 69]> carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", form = "scatter", rotation = "unroll", threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[0, 1] : !plane
    %2 = stencil.access %u[1, 0] : !plane
    %3 = arith.addf %0, %1 : f64
    %4 = arith.addf %3, %2 : f64
    sweep.yield %4 : f64
  }
  return
}

// Planes of a ring are copied two iterations ahead; the first two before the loop.
// CHECK-LABEL: func.func @ring
// CHECK:         %[[RING:.*]] = sweep.shared "ring" copies 3 : !sweep.buffer<f64>
// CHECK:         sweep.copy_async %[[U:.*]][0] to %[[RING]]
// CHECK-NEXT:    sweep.copy_async %[[U]][1] to %[[RING]]
// CHECK-NEXT:    sweep.planes from -1 to 0 turns 3 iter_args
// CHECK-NEXT:      sweep.wait 1
// CHECK-NEXT:      sweep.take %[[RING]][0] : !sweep.buffer<f64>
// CHECK-NEXT:      sweep.copy_async %[[U]][2] to %[[RING]]
func.func @ring(%a: !plane, %b: !plane) {
  sweep.kernel "ring" steps 1 over <[1, 0], [17, 69]> carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", loads = "ring", ring = 3, threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[0, 1] : !plane
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}

// A slot in shared memory is taken before it is overwritten, and no value of it is carried.
// CHECK-LABEL: func.func @slots
// CHECK:         %[[SLOT:.*]] = sweep.shared "slot" copies 1 : !sweep.buffer<f64>
// CHECK:         sweep.planes from -2 to 0 iter_args(%[[KEPT:.*]] = %{{.*}} : !sweep.tile<f64>)
// CHECK-NEXT:      %[[NEW:.*]] = sweep.fetch
// CHECK-NEXT:      %[[OLD:.*]] = sweep.take %[[SLOT]][1]
// CHECK-NEXT:      sweep.map plane 0 (%{{.*}} = %[[OLD]] : {{.*}}, %{{.*}} = %[[NEW]]
// CHECK:           sweep.put %[[KEPT]] to %[[SLOT]]
// CHECK:           sweep.fence warp
// CHECK-NEXT:      sweep.yield %[[NEW]] : !sweep.tile<f64>
func.func @slots(%a: !plane, %b: !plane) {
  sweep.kernel "slots" steps 1 over <[2, 0], [17, 69]> carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", queue_registers = 2, threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[-2, 0] : !plane
    %1 = stencil.access %u[0, 0] : !plane
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}

// With whole planes in shared memory, a thread's own values of older ones are taken from there too,
// before the arriving plane overwrites the oldest.
// CHECK-LABEL: func.func @whole
// CHECK:         %[[X:.*]] = sweep.shared "planes" copies 2 : !sweep.buffer<f64>
// CHECK:         sweep.planes from -1 to 0 turns 2 {
// CHECK-NEXT:      %[[NEW:.*]] = sweep.fetch
// CHECK-NEXT:      %[[OLD:.*]] = sweep.take %[[X]][1]
// CHECK-NEXT:      sweep.put %[[NEW]] to %[[X]]
// CHECK-NEXT:      sweep.fence
// CHECK-NEXT:      sweep.shift %[[OLD]] by [0, -1] via %[[X]][1]
// CHECK-NEXT:      sweep.shift %[[NEW]] by [1, 0] via %[[X]][0]
func.func @whole(%a: !box, %b: !box) {
  sweep.kernel "whole" steps 1 over <[1, 1, 1], [17, 20, 34]> carried(%u = %a : !box)
      boundaries(%a : !box) outs(%b : !box)
      plan <{mapping = "block", storage = "shared", points = array<i64: 1, 2, 1>, threads = array<i64: 1, 4, 32>}> {
    %0 = stencil.access %u[-1, 0, -1] : !box
    %1 = stencil.access %u[0, 1, 0] : !box
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}

// What depends on scalars alone is computed once for each level that has numbers of its own; a
// constant that is no immediate becomes a scalar; fields that no level changes are read in place.
// CHECK-LABEL: func.func @numbers
// CHECK:         %[[WIDE:.*]] = arith.constant 1.000000e-01 : f64
// CHECK:         scalars(%[[K:.*]] = %{{.*}} : f64, %[[L1:.*]] = %{{.*}} : f64, %[[L2:.*]] = %{{.*}} : f64, %[[TENTH:.*]] = %[[WIDE]] : f64)
// CHECK:         %[[F1:.*]] = arith.mulf %[[K]], %[[L1]]
// CHECK:         %[[F2:.*]] = arith.mulf %[[K]], %[[L2]]
// CHECK:         sweep.map plane 0
// CHECK:           stencil.access %{{.*}}[0, 1]
// CHECK:           arith.mulf %{{.*}}, %[[F1]]
// CHECK:           arith.mulf %{{.*}}, %[[TENTH]]
// CHECK:         sweep.map plane 0
// CHECK:           arith.mulf %{{.*}}, %[[F2]]
func.func @numbers(%a: !plane, %b: !plane, %c: !plane) {
  %k = arith.constant 0.5 : f64
  %l = arith.constant 0.25 : f64
  %m = arith.constant 0.75 : f64
  sweep.kernel "numbers" steps 2 over <[1, 1], [17, 69]> carried(%u = %a : !plane)
      boundaries(%a : !plane) reads(%r = %c : !plane) scalars(%x = %k : f64)
      level_scalars(%y = [%l, %m] : f64) outs(%b : !plane)
      plan <{mapping = "warp", steps = 2, threads = array<i64: 1, 32>}> {
    %tenth = arith.constant 0.1 : f64
    %factor = arith.mulf %x, %y : f64
    %0 = stencil.access %u[0, 1] : !plane
    %1 = stencil.access %r[0, 1] : !plane
    %2 = arith.mulf %0, %factor : f64
    %3 = arith.mulf %1, %tenth : f64
    %4 = arith.addf %2, %3 : f64
    sweep.yield %4 : f64
  }
  return
}

// One dimension has one plane, which arrives once.
// CHECK-LABEL: func.func @line
// CHECK:         sweep.planes from 0 to 0 {
// CHECK-NEXT:      %[[NEW:.*]] = sweep.fetch
// CHECK-NEXT:      sweep.shift %[[NEW]] by [0, -1] : !sweep.tile<f64>
func.func @line(%a: !line, %b: !line) {
  sweep.kernel "line" steps 1 over <[1], [69]> carried(%u = %a : !line)
      boundaries(%a : !line) outs(%b : !line)
      plan <{mapping = "warp", threads = array<i64: 32>}> {
    %0 = stencil.access %u[-1] : !line
    %1 = stencil.access %u[1] : !line
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}
