// Rows of threads that sweep over a tile together: what a thread does not hold of a plane it reads in
// shared memory, whichever warp has it.
//
// RUN: stencil-opt %s --sweep-retime --sweep-place-slots --convert-sweep-to-planes | FileCheck %s
// RUN: stencil-opt %s --sweep-retime --sweep-place-slots --convert-sweep-to-planes | stencil-opt | FileCheck %s
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(sweep-retime,sweep-place-slots,convert-sweep-to-planes))' --seed=1
// DEFINE: %{emulate} = stencilc run %s --on=emulator --verify --function=%{function} --seed=1
// REDEFINE: %{function} = line
// RUN: %{run}
// RUN: %{emulate}
// REDEFINE: %{function} = unknowns
// RUN: %{run}
// RUN: %{emulate}
// REDEFINE: %{function} = plane
// RUN: %{run}
// RUN: %{emulate}
// REDEFINE: %{function} = lazy
// RUN: %{run}
// RUN: %{emulate}
//
// PTX stores what other threads read of a tile, and no more: of four columns the first and the last.
// RUN: stencilc compile %s --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry line
// PTX-NOT:     shfl
// PTX:         bar.sync
// PTX:         st.shared.b64 [%[[OWN:rd[0-9]+]]], %
// PTX-NEXT:    st.shared.b64 [%[[OWN]]+1536], %
// PTX-NEXT:    bar.sync
// PTX-NOT:     shfl
// PTX:         ret;

!line = !stencil.field<[0,700]xf64>
!values = !stencil.temp<?xf64>
!plane = !stencil.field<[0,18]x[0,270]xf64>

// A tile of one dimension arrives at once. A level is put, and read after the barrier that follows;
// the next one is put elsewhere, as others may still read, and the third where the first was.
// CHECK-LABEL: func.func @line
// CHECK:       sweep.tiled "line" steps 3 over <[1], [699]> reach [1, 1] joined
// CHECK:         %[[X:.*]] = sweep.shared "planes" copies 1
// CHECK-NEXT:    %[[Y:.*]] = sweep.shared "planes" copies 1
// CHECK-NOT:     sweep.shared
// CHECK:         %[[U:.*]] = sweep.fetch
// CHECK-NEXT:    sweep.put %[[U]] to %[[X]]
// CHECK-NEXT:    sweep.fence
// CHECK-NEXT:    sweep.shift %[[U]] by [0, -1] via %[[X]][0]
// CHECK:         sweep.put %[[V:.*]] to %[[Y]]
// CHECK-NEXT:    sweep.fence
// CHECK-NEXT:    sweep.shift %[[V]] by [0, -1] via %[[Y]][0]
// CHECK:         sweep.put %[[W:.*]] to %[[X]]
// CHECK-NEXT:    sweep.fence
func.func @line(%a: !line, %b: !line) {
  sweep.kernel "line" steps 3 over <[1], [699]> carried(%u = %a : !line)
      boundaries(%a : !line, %b : !line) outs(%b : !line)
      plan <{mapping = "row", steps = 3, points = array<i64: 4>, threads = array<i64: 64>}> {
    %0 = stencil.access %u[-1] : !line
    %1 = stencil.access %u[1] : !line
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}

// Two unknowns, each of which reads the other: both are put before one barrier, and their next
// values elsewhere.
// CHECK-LABEL: func.func @unknowns
// CHECK-COUNT-4: sweep.shared "planes" copies 1
// CHECK-NOT:     sweep.shared
// CHECK:         sweep.planes
func.func @unknowns(%a: !line, %b: !line, %c: !line, %d: !line) {
  sweep.stages "s" steps 2 fields(%u = %a : !line, %v = %b : !line, %x = %c : !line, %y = %d : !line)
      plan <{mapping = "row", points = array<i64: 2>, threads = array<i64: 128>}> {
    %us = sweep.input %u over <[1], [699]> outside %u : !line, !line -> !values
    %vs = sweep.input %v over <[1], [699]> outside %v : !line, !line -> !values
    %p:2 = sweep.stage "p" over <[1], [699]> (%i = %us : !values, %j = %vs : !values) -> (!values, !values)
        outside(%x : !line, %y : !line) rotations [1, 1] {
      %0 = stencil.access %i[-1] : !values
      %1 = stencil.access %j[1] : !values
      %2 = stencil.access %i[0] : !values
      %3 = arith.subf %0, %1 : f64
      %4 = arith.addf %3, %2 : f64
      %5 = arith.mulf %1, %2 : f64
      sweep.yield %4, %5 : f64, f64
    }
    sweep.carry %p#0 to %us : !values
    sweep.carry %p#1 to %vs : !values
    sweep.output %p#0 over <[1], [699]> to %x : !values, !line
    sweep.output %p#1 over <[1], [699]> to %y : !values, !line
  }
  return
}

// In two dimensions columns are read of a plane that was put an iteration before: one barrier an
// iteration serves both levels, and a level has two copies.
// CHECK-LABEL: func.func @plane
// CHECK:       sweep.tiled "plane" steps 2 over <[1, 2], [17, 268]> reach [1, 1, 2, 1] joined
// CHECK:         %[[X:.*]] = sweep.shared "planes" copies 2
// CHECK-NEXT:    %[[Y:.*]] = sweep.shared "planes" copies 2
// CHECK:         sweep.planes from -2 to 2 turns 2
// CHECK:           sweep.put %{{.*}} to %[[X]]
// CHECK-NEXT:      sweep.shift %{{.*}} by [0, -2] via %[[X]][1]
// CHECK:           sweep.put %{{.*}} to %[[Y]]
// CHECK:           sweep.fence
// CHECK-NEXT:      sweep.yield
func.func @plane(%a: !plane, %b: !plane) {
  sweep.kernel "plane" steps 2 over <[1, 2], [17, 268]> carried(%u = %a : !plane)
      boundaries(%a : !plane, %b : !plane) outs(%b : !plane)
      plan <{mapping = "row", steps = 2, points = array<i64: 1, 2>, threads = array<i64: 1, 96>}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[1, 0] : !plane
    %2 = stencil.access %u[0, -2] : !plane
    %3 = stencil.access %u[0, 1] : !plane
    %4 = arith.addf %0, %1 : f64
    %5 = arith.addf %2, %3 : f64
    %6 = arith.addf %4, %5 : f64
    sweep.yield %6 : f64
  }
  return
}

// Columns of the plane that arrives: with a lazy skew they are read an iteration later.
// CHECK-LABEL: func.func @lazy
// CHECK:         sweep.shared "planes"
// CHECK:         sweep.planes
// CHECK:           sweep.shift %{{.*}} by [0, 1] via %{{.*}}[1]
// CHECK:           sweep.fence
// CHECK-NOT:       sweep.fence
func.func @lazy(%a: !plane, %b: !plane) {
  sweep.kernel "lazy" steps 2 over <[0, 0], [18, 269]> carried(%u = %a : !plane)
      boundaries(%a : !plane, %b : !plane) outs(%b : !plane)
      plan <{mapping = "row", steps = 2, skew = "lazy", points = array<i64: 1, 1>, threads = array<i64: 1, 64>}> {
    %0 = stencil.access %u[0, 1] : !plane
    %1 = stencil.access %u[0, 0] : !plane
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}
