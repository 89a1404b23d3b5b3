// What a block does with the planes of several statements: one iteration of the loop, in which a plane
// of each is computed.
//
// RUN: stencil-opt %s --convert-sweep-to-planes | FileCheck %s
// RUN: stencil-opt %s --convert-sweep-to-planes --convert-sweep-to-planes | FileCheck %s
// RUN: stencil-opt %s --convert-sweep-to-planes | stencil-opt | FileCheck %s
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(convert-sweep-to-planes))' --seed=1
// DEFINE: %{emulate} = stencilc run %s --on=emulator --verify --function=%{function} --seed=1
// REDEFINE: %{function} = distances
// RUN: %{run}
// RUN: %{emulate}
// REDEFINE: %{function} = own_domains
// RUN: %{run}
// RUN: %{emulate}
// REDEFINE: %{function} = shadow
// RUN: %{run}
// RUN: %{emulate}
// REDEFINE: %{function} = tight
// RUN: %{run}
// RUN: %{emulate}
// REDEFINE: %{function} = lazy
// RUN: %{run}
// RUN: %{emulate}
// REDEFINE: %{function} = halos
// RUN: %{run}
// RUN: %{emulate}
// REDEFINE: %{function} = rows_around
// RUN: %{run}
// RUN: %{emulate}
// REDEFINE: %{function} = turns
// RUN: %{run}
// RUN: %{emulate}

!plane = !stencil.field<[-1,19]x[-1,71]xf64>
!temp = !stencil.temp<?x?xf64>
!box = !stencil.field<[0,10]x[0,21]x[0,35]xf64>
!values = !stencil.temp<?x?x?xf64>

// The second statement reads the first a plane ahead, and so is computed a plane later: two planes
// behind the one that arrives. A plane before the first that is stored arrives too, and two after
// the last; of columns, one is lost on each side. Of the field three planes are kept until the second
// statement has read the oldest, of the first statement one. It is on more points than are stored.
// CHECK-LABEL: func.func @distances
// CHECK:       sweep.tiled "s" steps 1 over <[0, 0], [18, 71]> reach [1, 1, 1, 1] margin [1, 2, 1, 1]
// CHECK-NEXT:    fields(%[[U:.*]] = %arg0 : {{.*}}, %[[V:.*]] = %arg1 : {{.*}})
// CHECK:         points 1278 flops 3658 bytes 19744
// CHECK:         sweep.planes from -1 to 2 iter_args(%[[U3:.*]] = %{{.*}} : {{.*}}, %[[U2:.*]] = %{{.*}} : {{.*}}, %[[U1:.*]] = %{{.*}} : {{.*}}, %[[P1:.*]] = %{{.*}} : {{.*}})
// CHECK-NEXT:      %[[U0:.*]] = sweep.fetch %[[U]][0]
// CHECK-NEXT:      %[[W:.*]] = sweep.shift %[[U1]] by [0, -1]
// CHECK-NEXT:      %[[P0:.*]] = sweep.map plane -1 (%{{.*}} = %[[W]] : {{.*}}, %{{.*}} = %[[U0]] : {{.*}}) -> {{.*}} {
// CHECK:           %[[E:.*]] = sweep.shift %[[P1]] by [0, 1]
// CHECK-NEXT:      %[[Q:.*]] = sweep.map plane -2 over <[0, 0], [17, 70]> (%{{.*}} = %[[E]] : {{.*}}, %{{.*}} = %[[P0]] : {{.*}}, %{{.*}} = %[[U3]] : {{.*}}) -> {{.*}} {
// CHECK:           sweep.store %[[Q]] to %[[V]][-2] over <[0, 0], [17, 70]>
// CHECK-NEXT:      sweep.yield %[[U2]], %[[U1]], %[[U0]], %[[P0]]
// CHECK-NOT:   sweep.stages
func.func @distances(%a: !plane, %b: !plane) {
  sweep.stages "s" steps 1 fields(%u = %a : !plane, %v = %b : !plane)
      plan <{mapping = "warp", points = array<i64: 1, 2>, threads = array<i64: 1, 32>}> {
    %us = sweep.input %u : !plane -> !temp
    %p = sweep.stage "p" over <[0, 0], [18, 71]> (%x = %us : !temp) -> !temp {
      %0 = stencil.access %x[1, 0] : !temp
      %1 = stencil.access %x[0, -1] : !temp
      %2 = arith.addf %0, %1 : f64
      sweep.yield %2 : f64
    }
    %q = sweep.stage "q" over <[0, 0], [17, 70]> (%x = %p : !temp, %y = %us : !temp) -> !temp {
      %0 = stencil.access %x[1, 0] : !temp
      %1 = stencil.access %x[0, 1] : !temp
      %2 = stencil.access %y[-1, 0] : !temp
      %3 = arith.addf %0, %1 : f64
      %4 = arith.mulf %3, %2 : f64
      sweep.yield %4 : f64
    }
    sweep.output %q over <[0, 0], [17, 70]> to %v : !temp, !plane
  }
  return
}

// Points are those of both statements together; each has a domain of its own, outside of which it has
// boundary values: the same field in each step, or those of a rotation in turn. What no later step
// reads has none.
// CHECK-LABEL: func.func @own_domains
// CHECK:       sweep.tiled "s" steps 2 over <[0, 0], [18, 70]>
// CHECK-NEXT:    fields(%{{.*}} = %arg0 : {{.*}}, %[[V:.*]] = %arg1 : {{.*}}, %[[W:.*]] = %arg2 : {{.*}})
// CHECK:           %[[P:.*]] = sweep.map plane 0 over <[0, 0], [18, 69]>
// CHECK:           %[[BP:.*]] = sweep.boundary %[[P]][0] from %[[W]] over <[0, 0], [18, 69]>
// CHECK-NEXT:      %[[Q:.*]] = sweep.map plane -1 over <[0, 1], [17, 70]> (%{{.*}} = %[[BP]]
// CHECK:           sweep.boundary %[[Q]][-1] from %[[V]] over <[0, 1], [17, 70]>
// CHECK:           %[[P2:.*]] = sweep.map plane -1 over <[0, 0], [18, 69]>
// CHECK:           sweep.boundary %[[P2]][-1] from %[[W]] over <[0, 0], [18, 69]>
// CHECK:           %[[Q2:.*]] = sweep.map plane -2 over <[0, 1], [17, 70]>
// CHECK-NOT:       sweep.boundary
// CHECK:           sweep.store %[[Q2]] to %[[V]][-2] over <[0, 1], [17, 70]>
func.func @own_domains(%a: !plane, %b: !plane, %c: !plane) {
  sweep.stages "s" steps 2 fields(%u = %a : !plane, %v = %b : !plane, %w = %c : !plane)
      plan <{mapping = "warp", points = array<i64: 1, 2>, threads = array<i64: 1, 32>, steps = 2}> {
    %us = sweep.input %u : !plane -> !temp
    %p = sweep.stage "p" over <[0, 0], [18, 69]> (%x = %us : !temp) -> !temp
        outside(%w : !plane) rotations [1] {
      %0 = stencil.access %x[0, 1] : !temp
      sweep.yield %0 : f64
    }
    %q = sweep.stage "q" over <[0, 1], [17, 70]> (%x = %p : !temp) -> !temp
        outside(%v : !plane, %u : !plane) rotations [2] {
      %0 = stencil.access %x[1, 0] : !temp
      sweep.yield %0 : f64
    }
    sweep.carry %q to %us : !temp
    sweep.output %q over <[0, 1], [17, 70]> to %v : !temp, !plane
  }
  return
}

// Of a shadow buffer only the cells in the domain count, around them are those of the home.
// CHECK-LABEL: func.func @shadow
// CHECK:         fields(%[[M:.*]] = %arg0 : {{.*}}, %[[H:.*]] = %arg1 : {{.*}})
// CHECK:           %[[S:.*]] = sweep.fetch %[[M]][0]
// CHECK-NEXT:      %[[B:.*]] = sweep.boundary %[[S]][0] from %[[H]] :
// CHECK-NEXT:      sweep.shift %[[B]] by [0, 1]
func.func @shadow(%a: !plane, %b: !plane) {
  sweep.stages "s" steps 1 fields(%m = %a : !plane, %h = %b : !plane)
      plan <{mapping = "warp", points = array<i64: 1, 2>, threads = array<i64: 1, 32>}> {
    %s = sweep.input %m over <[0, 0], [18, 70]> outside %h : !plane, !plane -> !temp
    %p = sweep.stage "p" over <[0, 0], [18, 70]> (%x = %s : !temp) -> !temp {
      %0 = stencil.access %x[0, 1] : !temp
      sweep.yield %0 : f64
    }
    sweep.output %p over <[0, 0], [18, 70]> to %h : !temp, !plane
  }
  return
}

// Rows that other warps read go through shared memory: of the field the first row of a thread, of the
// first statement its last. The second statement reads the plane that the first has just computed, so
// a barrier lies between them; the field's plane is read an iteration after it was put there. Both
// buffers have two copies, so that two iterations are unrolled.
// CHECK-LABEL: func.func @tight
// CHECK:         %[[XU:.*]] = sweep.shared "rows" rows [0] copies 2
// CHECK-NEXT:    %[[XP:.*]] = sweep.shared "rows" rows [2] copies 2
// CHECK:         sweep.planes from 0 to 1 turns 2 iter_args(%[[U1:.*]] = %{{[^,]*}})
// CHECK-NEXT:      %[[U0:.*]] = sweep.fetch
// CHECK-NEXT:      sweep.put %[[U0]] to %[[XU]]
// CHECK-NEXT:      %[[N:.*]] = sweep.shift %[[U1]] by [1, 0] via %[[XU]][1]
// CHECK-NEXT:      %[[P0:.*]] = sweep.map plane -1 (%{{.*}} = %[[N]] :
// CHECK:           sweep.put %[[P0]] to %[[XP]]
// CHECK-NEXT:      sweep.fence
// CHECK-NEXT:      %[[S:.*]] = sweep.shift %[[P0]] by [-1, 0] via %[[XP]][0]
// CHECK-NEXT:      sweep.map plane -1 over <[1, 2, 1], [9, 20, 34]> (%{{.*}} = %[[S]] :
// CHECK-NOT:       sweep.fence
// CHECK:           sweep.yield %[[U0]]
func.func @tight(%a: !box, %b: !box) {
  sweep.stages "s" steps 1 fields(%u = %a : !box, %v = %b : !box)
      plan <{mapping = "block", points = array<i64: 1, 3, 2>, threads = array<i64: 1, 4, 32>}> {
    %us = sweep.input %u : !box -> !values
    %p = sweep.stage "p" over <[1, 1, 1], [9, 20, 34]> (%x = %us : !values) -> !values {
      %0 = stencil.access %x[0, 1, 0] : !values
      %1 = stencil.access %x[1, 0, 0] : !values
      %2 = arith.addf %0, %1 : f64
      sweep.yield %2 : f64
    }
    %q = sweep.stage "q" over <[1, 2, 1], [9, 20, 34]> (%x = %p : !values) -> !values {
      %0 = stencil.access %x[0, -1, 0] : !values
      sweep.yield %0 : f64
    }
    sweep.output %q over <[1, 2, 1], [9, 20, 34]> to %v : !values, !box
  }
  return
}

// With a lazy skew the second statement waits for an iteration instead: the only barrier is at the
// end, one more plane of the first statement is kept, and one more arrives after the last.
// CHECK-LABEL: func.func @lazy
// CHECK:         margin [0, 2, 1, 1, 0, 0]
// CHECK:         sweep.planes from 0 to 2 turns 2 iter_args(%[[U1:.*]] = %{{.*}} : {{.*}}, %[[P1:.*]] = %{{[^,]*}})
// CHECK:           %[[P0:.*]] = sweep.map plane -1
// CHECK:           sweep.put %[[P0]] to %[[XP:.*]] :
// CHECK-NEXT:      %[[S:.*]] = sweep.shift %[[P1]] by [-1, 0] via %[[XP]][1]
// CHECK-NEXT:      sweep.map plane -2 over <[1, 2, 1], [9, 20, 34]> (%{{.*}} = %[[S]] :
// CHECK:           sweep.store
// CHECK-NEXT:      sweep.fence
// CHECK-NEXT:      sweep.yield %{{.*}}, %[[P0]]
func.func @lazy(%a: !box, %b: !box) {
  sweep.stages "s" steps 1 fields(%u = %a : !box, %v = %b : !box)
      plan <{mapping = "block", points = array<i64: 1, 3, 2>, skew = "lazy", threads = array<i64: 1, 4, 32>}> {
    %us = sweep.input %u : !box -> !values
    %p = sweep.stage "p" over <[1, 1, 1], [9, 20, 34]> (%x = %us : !values) -> !values {
      %0 = stencil.access %x[0, 1, 0] : !values
      %1 = stencil.access %x[1, 0, 0] : !values
      %2 = arith.addf %0, %1 : f64
      sweep.yield %2 : f64
    }
    %q = sweep.stage "q" over <[1, 2, 1], [9, 20, 34]> (%x = %p : !values) -> !values {
      %0 = stencil.access %x[0, -1, 0] : !values
      sweep.yield %0 : f64
    }
    sweep.output %q over <[1, 2, 1], [9, 20, 34]> to %v : !values, !box
  }
  return
}

// With loads = "halo" planes of fields are copied two iterations ahead, with the rows and columns that
// levels read around a tile; in them are the values outside of the domain. An iteration waits for what
// was copied for it, and all threads for each other, before it copies more. A tile loses only what the
// second step reads of the first.
// CHECK-LABEL: func.func @halos
// CHECK:       sweep.tiled "s" steps 2 over <[1, 1, 1], [9, 20, 34]> reach [1, 1, 1, 0, 1, 0] margin [2, 2, 1, 0, 1, 0]
// CHECK:         %[[HU:.*]] = sweep.shared "halo" around [1, 0, 1, 0] copies 4
// CHECK-NEXT:    %[[HK:.*]] = sweep.shared "halo" around [0, 0, 0, 0] copies 3
// CHECK:         sweep.copy_async %[[U:.*]][0] ahead 0 to %[[HU]] outside %[[U]] :
// CHECK-NEXT:    sweep.copy_async %[[K:.*]][-1] ahead 0 to %[[HK]] :
// CHECK-NEXT:    sweep.copy_async %[[U]][1] ahead 1 to %[[HU]] outside %[[U]] :
// CHECK-NEXT:    sweep.copy_async %[[K]][0] ahead 1 to %[[HK]] :
// CHECK:         sweep.planes from -2 to 2
// CHECK-NEXT:      sweep.wait 2
// CHECK-NEXT:      sweep.fence
// CHECK-NEXT:      sweep.copy_async %[[U]][2] ahead 2 to %[[HU]] outside %[[U]] :
// CHECK-NEXT:      sweep.copy_async %[[K]][1] ahead 2 to %[[HK]] :
// CHECK-NEXT:      %[[U0:.*]] = sweep.take %[[HU]][0]
// CHECK-NEXT:      sweep.take %[[HK]][0]
// CHECK-NOT:       sweep.boundary
// CHECK:           sweep.shift %{{.*}} by [-1, 0] via %[[HU]][1]
// CHECK:           sweep.shift %{{.*}} by [0, -1] via %[[HU]][1]
// CHECK:           sweep.map plane -1
// CHECK:           sweep.map plane -2
func.func @halos(%a: !box, %b: !box, %c: !box) {
  sweep.stages "s" steps 2 fields(%u = %a : !box, %v = %b : !box, %k = %c : !box)
      plan <{mapping = "block", points = array<i64: 1, 3, 2>, loads = "halo", ring = 3, threads = array<i64: 1, 4, 32>}> {
    %us = sweep.input %u over <[1, 1, 1], [9, 20, 34]> outside %u : !box, !box -> !values
    %ks = sweep.input %k : !box -> !values
    %p = sweep.stage "p" over <[1, 1, 1], [9, 20, 34]> (%x = %us : !values, %y = %ks : !values) -> !values
        outside(%v : !box) rotations [1] {
      %0 = stencil.access %x[0, -1, 0] : !values
      %1 = stencil.access %x[0, 0, -1] : !values
      %2 = stencil.access %x[1, 0, 0] : !values
      %3 = stencil.access %x[-1, 0, 0] : !values
      %4 = stencil.access %y[0, 0, 0] : !values
      %5 = arith.addf %0, %1 : f64
      %6 = arith.subf %2, %3 : f64
      %7 = arith.addf %5, %6 : f64
      %8 = arith.mulf %7, %4 : f64
      sweep.yield %8 : f64
    }
    sweep.carry %p to %us : !values
    sweep.output %p over <[1, 1, 1], [9, 20, 34]> to %v : !values, !box
  }
  return
}

// With loads = "ring" only the rows around a tile are copied with its planes, so that it loses columns
// of both steps. Levels take planes of any age where they were copied to; columns come from other
// lanes, and nothing of a field is carried or put to rows.
// CHECK-LABEL: func.func @rows_around
// CHECK:       sweep.tiled "s" steps 2 over <[1, 1, 1], [9, 20, 34]> reach [1, 1, 1, 0, 1, 0] margin [2, 2, 1, 0, 2, 0]
// CHECK:         %[[HU:.*]] = sweep.shared "halo" around [1, 0, 0, 0] copies 5
// CHECK-NEXT:    %[[HK:.*]] = sweep.shared "halo" around [0, 0, 0, 0] copies 4
// CHECK:         sweep.planes from -2 to 2
// CHECK-NEXT:      sweep.wait 2
// CHECK-NEXT:      sweep.fence
// CHECK-NEXT:      sweep.copy_async %[[U:.*]][2] ahead 2 to %[[HU]] outside %[[U]] :
// CHECK-NEXT:      sweep.copy_async %[[K:.*]][1] ahead 2 to %[[HK]] :
// CHECK-DAG:       %[[U1:.*]] = sweep.take %[[HU]][1]
// CHECK-DAG:       sweep.shift %[[U1]] by [-1, -1] via %[[HU]][1]
// CHECK-DAG:       sweep.shift %[[U1]] by [0, -1] :
// CHECK-DAG:       sweep.take %[[HU]][2]
// CHECK:           sweep.map plane -1
// CHECK:           sweep.take %[[HK]][1]
// CHECK:           sweep.map plane -2
func.func @rows_around(%a: !box, %b: !box, %c: !box) {
  sweep.stages "s" steps 2 fields(%u = %a : !box, %v = %b : !box, %k = %c : !box)
      plan <{mapping = "block", points = array<i64: 1, 3, 2>, loads = "ring", ring = 3, threads = array<i64: 1, 4, 32>}> {
    %us = sweep.input %u over <[1, 1, 1], [9, 20, 34]> outside %u : !box, !box -> !values
    %ks = sweep.input %k : !box -> !values
    %p = sweep.stage "p" over <[1, 1, 1], [9, 20, 34]> (%x = %us : !values, %y = %ks : !values) -> !values
        outside(%v : !box) rotations [1] {
      %0 = stencil.access %x[0, -1, -1] : !values
      %1 = stencil.access %x[0, 0, -1] : !values
      %2 = stencil.access %x[1, 0, 0] : !values
      %3 = stencil.access %x[-1, 0, 0] : !values
      %4 = stencil.access %y[0, 0, 0] : !values
      %5 = arith.addf %0, %1 : f64
      %6 = arith.subf %2, %3 : f64
      %7 = arith.addf %5, %6 : f64
      %8 = arith.mulf %7, %4 : f64
      sweep.yield %8 : f64
    }
    sweep.carry %p to %us : !values
    sweep.output %p over <[1, 1, 1], [9, 20, 34]> to %v : !values, !box
  }
  return
}

// With rotation = "unroll" no plane is moved from one register to another: three planes of the field and
// two of the first statement are in their first places again after six iterations.
// CHECK-LABEL: func.func @turns
// CHECK:         sweep.planes from -1 to 2 turns 6
func.func @turns(%a: !plane, %b: !plane) {
  sweep.stages "s" steps 1 fields(%u = %a : !plane, %v = %b : !plane)
      plan <{mapping = "warp", points = array<i64: 1, 2>, rotation = "unroll", threads = array<i64: 1, 32>}> {
    %us = sweep.input %u : !plane -> !temp
    %p = sweep.stage "p" over <[0, 0], [18, 70]> (%x = %us : !temp) -> !temp {
      %0 = stencil.access %x[1, 0] : !temp
      %1 = stencil.access %x[-1, 0] : !temp
      %2 = arith.addf %0, %1 : f64
      sweep.yield %2 : f64
    }
    %q = sweep.stage "q" over <[0, 0], [17, 70]> (%x = %p : !temp) -> !temp {
      %0 = stencil.access %x[1, 0] : !temp
      %1 = stencil.access %x[0, 0] : !temp
      %2 = arith.addf %0, %1 : f64
      sweep.yield %2 : f64
    }
    sweep.output %q over <[0, 0], [17, 70]> to %v : !temp, !plane
  }
  return
}
