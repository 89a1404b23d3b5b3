// Producers are statements of a sweep where that is predicted to be faster than computing them again.
//
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-select-inlining))' --remarks-filter-passed=stencil-select-inlining 2>%t | FileCheck %s
// RUN: FileCheck %s --input-file=%t --check-prefix=REMARK
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-select-inlining{plan=mapping=thread}))' | FileCheck %s --check-prefix=THREAD
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-select-inlining{plan=group:mapping=warp}))' | FileCheck %s --check-prefix=NAMED
//
// Keys for the sweep that is there only without inlining decide, whatever is predicted.
// RUN: stencilc run %s --on=emulator --function=small --verify --seed=1 --plan group:mapping=warp | FileCheck %s --check-prefix=SWEPT --implicit-check-not='kernel '
// RUN: stencilc run %s --on=emulator --function=small --verify --seed=1 | FileCheck %s --check-prefix=ONE --implicit-check-not='kernel '
// A loop's statements are compared in the same way, and a temp that is computed in ghost cells too
// is one.
// RUN: stencilc run %s --on=emulator --function=ring --verify --seed=1 --arg n=9 --plan loop:mapping=warp,loop:steps=2,potential:max_registers=64 | FileCheck %s --check-prefix=RING
//
// SWEPT: kernel small_group:
// SWEPT: swept, 'gradient', 'sum' at once
// ONE: kernel small_sum:
// ONE: computes gradient at 6 offsets
// RING: kernel ring_loop:
// RING: swept, 2 time steps of 'potential', 'step' per sweep

!image = !stencil.field<[-2,4098]x[-2,4098]xf32>
!temp = !stencil.temp<?x?xf32>

// CHECK-LABEL: func.func @large
// CHECK-NOT:     stencil.inline
// CHECK:         return
// REMARK: is a statement of its readers' sweep: {{.*}} us predicted, {{.*}} us computed by its readers (NVIDIA H200)
// THREAD-LABEL: func.func @large
// THREAD:        stencil.inline = "{{[^"]* bytes a point, [^";]* issue slots}}"{{.*}}"gradient"
func.func @large(%a: !image, %b: !image) {
  %first = arith.constant 0 : index
  %steps = arith.constant 64 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %a, %next = %b) -> (!image, !image) {
    %as = stencil.load %now : !image -> !temp
    %p = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.stage = "gradient"} {
      %0 = stencil.access %x[0, 1] : !temp
      %1 = stencil.access %x[0, -1] : !temp
      %2 = stencil.access %x[1, 0] : !temp
      %3 = stencil.access %x[-1, 0] : !temp
      %4 = arith.subf %0, %1 : f32
      %5 = arith.subf %2, %3 : f32
      %6 = arith.mulf %4, %4 : f32
      %7 = arith.mulf %5, %5 : f32
      %8 = arith.addf %6, %7 : f32
      %9 = arith.mulf %8, %4 : f32
      %10 = arith.addf %9, %5 : f32
      stencil.return %10 : f32
    }
    %q = stencil.apply(%x = %p : !temp) -> (!temp) attributes {stencil.stage = "sum"} {
      %0 = stencil.access %x[0, 1] : !temp
      %1 = stencil.access %x[0, -1] : !temp
      %2 = stencil.access %x[1, 1] : !temp
      %3 = stencil.access %x[-1, -1] : !temp
      %4 = stencil.access %x[1, -1] : !temp
      %5 = stencil.access %x[-1, 1] : !temp
      %6 = arith.addf %0, %1 : f32
      %7 = arith.addf %2, %3 : f32
      %8 = arith.addf %4, %5 : f32
      %9 = arith.mulf %6, %7 : f32
      %10 = arith.addf %8, %9 : f32
      stencil.return %10 : f32
    }
    stencil.store %q to %next(<[0, 0], [4096, 4096]>) : !temp to !image
    scf.yield %next, %now : !image, !image
  }
  return
}

!small = !stencil.field<[-2,18]x[-2,42]xf32>

// CHECK-LABEL: func.func @small
// CHECK:         stencil.inline
// NAMED-LABEL: func.func @small
// NAMED-NOT:     stencil.inline
// NAMED:         return
func.func @small(%a: !small, %b: !small) {
  %as = stencil.load %a : !small -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.stage = "gradient"} {
    %0 = stencil.access %x[0, 1] : !temp
    %1 = stencil.access %x[0, -1] : !temp
    %2 = arith.subf %0, %1 : f32
    stencil.return %2 : f32
  }
  %q = stencil.apply(%x = %p : !temp) -> (!temp) attributes {stencil.stage = "sum"} {
    %0 = stencil.access %x[0, 1] : !temp
    %1 = stencil.access %x[0, -1] : !temp
    %2 = stencil.access %x[1, 1] : !temp
    %3 = stencil.access %x[-1, -1] : !temp
    %4 = stencil.access %x[1, -1] : !temp
    %5 = stencil.access %x[-1, 1] : !temp
    %6 = arith.addf %0, %1 : f32
    %7 = arith.addf %2, %3 : f32
    %8 = arith.addf %4, %5 : f32
    %9 = arith.mulf %6, %7 : f32
    %10 = arith.addf %8, %9 : f32
    stencil.return %10 : f32
  }
  stencil.store %q to %b(<[0, 0], [16, 40]>) : !temp to !small
  return
}

!line = !stencil.field<[-2,34]xf32>
!values = !stencil.temp<?xf32>

// A ring of 32 points: the potential is computed at both neighbours, in ghost cells too.
func.func @ring(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %g0 = stencil.load %u : !line -> !values
    %s0 = stencil.apply(%x = %g0 : !values) -> (!values) attributes {stencil.stage = "low"} {
      %0 = stencil.access %x[32] : !values
      stencil.return %0 : f32
    }
    stencil.store %s0 to %u(<[-2], [0]>) : !values to !line
    %g1 = stencil.load %u : !line -> !values
    %s1 = stencil.apply(%x = %g1 : !values) -> (!values) attributes {stencil.stage = "high"} {
      %0 = stencil.access %x[-32] : !values
      stencil.return %0 : f32
    }
    stencil.store %s1 to %u(<[32], [34]>) : !values to !line
    %us = stencil.load %u : !line -> !values
    %p = stencil.apply(%x = %us : !values) -> (!values) attributes {stencil.stage = "potential"} {
      %0 = stencil.access %x[1] : !values
      %1 = stencil.access %x[-1] : !values
      %2 = arith.subf %0, %1 : f32
      stencil.return %2 : f32
    }
    %r = stencil.apply(%x = %us : !values, %m = %p : !values) -> (!values)
        attributes {stencil.stage = "step"} {
      %half = arith.constant 0.5 : f32
      %0 = stencil.access %x[0] : !values
      %1 = stencil.access %m[1] : !values
      %2 = stencil.access %m[-1] : !values
      %3 = arith.addf %1, %2 : f32
      %4 = arith.mulf %3, %half : f32
      %5 = arith.addf %0, %4 : f32
      stencil.return %5 : f32
    }
    stencil.store %r to %v(<[0], [32]>) : !values to !line
    scf.yield %v, %u : !line, !line
  }
  return
}
