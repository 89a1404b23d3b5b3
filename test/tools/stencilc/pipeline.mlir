// What every level of a sweep does with which plane is drawn, from the ops that plans make.
//
// RUN: stencilc compile %s --emit=pipeline --plan mapping=warp,steps=2,queue_registers=2 | FileCheck %s
// RUN: stencilc compile %s --emit=pipeline --plan mapping=warp,steps=2,form=scatter | FileCheck %s --check-prefix=SUMS
// RUN: stencilc compile %s --emit=pipeline --plan mapping=warp,storage=shared | FileCheck %s --check-prefix=PLANES
// RUN: stencilc compile %s --emit=pipeline --plan mapping=thread | FileCheck %s --check-prefix=THREAD
//
// Beside other outputs it is a file.
// RUN: rm -rf %t && stencilc compile %s --emit=pipeline,gpu -o %t/ --plan mapping=warp
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t/pipeline.pipeline.txt

// Two steps at once, and the one that may be left over; pairs of sweeps are drawn once.
// CHECK:      sweep "stage0", mapping warp
// CHECK-NEXT: 2 steps over the planes 1 to 8, gather form, tight skew; reach 1 behind, 1 ahead
// CHECK-NEXT: queue: 5 slots, in registers 3 4, in shared memory 0 1 2
// CHECK-NEXT: prolog 4, steady state 7, epilog 1 iterations; roles come again every 5
// CHECK:      iteration  arrives  level 1        level 2
// CHECK-NEXT: 0
// CHECK-NEXT: 1          0 -> 1
// CHECK-NEXT: 2          1 -> 2   0: halo -> 0
// CHECK-NEXT: 3          2 -> 3   1: 1 2 3 -> 1
// CHECK-NEXT: 4          3 -> 4   2: 2 3 4 -> 2  1: 0 1 2 -> 0
// CHECK:      ...
// CHECK:      sweep "stage0", mapping warp
// CHECK-NEXT: 1 steps
// CHECK-NOT:  sweep

// SUMS:      sums: 3 of each level are open at once
// SUMS:      4          3        3 into 2 3 4, 2 done

// PLANES:    3 planes of each level in shared memory
// PLANES:    {{[0-9]+}} from {{[0-9]+}} to {{[0-9]+}}

// THREAD:    no kernel is a sweep; plans with mapping = "warp" or "block" make sweeps

// FILE:      sweep "stage0", mapping warp
!field = !stencil.field<[0,10]x[0,66]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @heat(%even: !field, %odd: !field {stencil.scratch}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 6 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%now = %even, %next = %odd) -> (!field, !field) {
    %old = stencil.load %now : !field -> !temp
    %new = stencil.apply(%t = %old : !temp) -> (!temp) {
      %n = stencil.access %t[-1, 0] : !temp
      %w = stencil.access %t[0, -1] : !temp
      %e = stencil.access %t[0, 1] : !temp
      %s = stencil.access %t[1, 0] : !temp
      %0 = arith.addf %n, %w fastmath<reassoc> : f64
      %1 = arith.addf %0, %e fastmath<reassoc> : f64
      %2 = arith.addf %1, %s fastmath<reassoc> : f64
      stencil.return %2 : f64
    }
    stencil.store %new to %next(<[1, 1], [9, 65]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
