// Steps of several statements equal their applies, one after the other: with cells of fields around
// the points that each statement computes, and on a periodic grid.
//
// RUN: split-file %s %t
// RUN: stencilc run %t/applies.mlir --same-as=%t/stages.mlir --arg f=0.3 | FileCheck %s
// RUN: stencilc run %t/stages.mlir --same-after='builtin.module(func.func(convert-sweep-to-planes))' --arg f=0.3 | FileCheck %s
// RUN: stencilc run %t/ghosts.mlir --same-as=%t/ring.mlir | FileCheck %s
// RUN: stencilc run %t/ring.mlir --same-after='builtin.module(func.func(convert-sweep-to-planes))' | FileCheck %s
// CHECK: bit-identical

// Two steps. The first statement's second level has around its points the cells of %u again, because
// two fields are in rotation. The second statement computes other points, reads the new level of the
// first one, and a number that differs from step to step. Its levels are around its points those of
// %w. What it starts from is in %m, and around that in %w.
//--- applies.mlir
!grid = !stencil.field<[-1,17]x[-2,9]xf64>
!temp = !stencil.temp<?x?xf64>
func.func @f(%u: !grid, %v: !grid, %w: !grid, %m: !grid, %f: f64) {
  %minus = arith.negf %f : f64
  %u0 = stencil.load %u : !grid -> !temp
  %around = stencil.load %w : !grid -> !temp
  %start = stencil.alloc : !grid
  stencil.store %around to %start(<[-1, -2], [17, 9]>) : !temp to !grid
  %given = stencil.load %m : !grid -> !temp
  stencil.store %given to %start(<[1, 0], [15, 9]>) : !temp to !grid
  %w0 = stencil.load %start : !grid -> !temp

  %r1 = stencil.apply(%x = %u0 : !temp, %y = %w0 : !temp) -> (!temp) {
    %0 = stencil.access %x[0, 1] : !temp
    %1 = stencil.access %y[-1, 0] : !temp
    %2 = arith.subf %0, %1 : f64
    stencil.return %2 : f64
  }
  stencil.store %r1 to %v(<[0, 0], [16, 8]>) : !temp to !grid
  %u1 = stencil.load %v : !grid -> !temp
  %s1 = stencil.apply(%x = %u1 : !temp, %y = %w0 : !temp, %g = %f : f64) -> (!temp) {
    %0 = stencil.access %x[1, -2] : !temp
    %1 = stencil.access %y[0, 0] : !temp
    %2 = arith.mulf %0, %g : f64
    %3 = arith.addf %1, %2 : f64
    stencil.return %3 : f64
  }
  %second = stencil.alloc : !grid
  stencil.store %around to %second(<[-1, -2], [17, 9]>) : !temp to !grid
  stencil.store %s1 to %second(<[1, 0], [15, 9]>) : !temp to !grid
  %w1 = stencil.load %second : !grid -> !temp

  %r2 = stencil.apply(%x = %u1 : !temp, %y = %w1 : !temp) -> (!temp) {
    %0 = stencil.access %x[0, 1] : !temp
    %1 = stencil.access %y[-1, 0] : !temp
    %2 = arith.subf %0, %1 : f64
    stencil.return %2 : f64
  }
  stencil.store %r2 to %u(<[0, 0], [16, 8]>) : !temp to !grid
  %u2 = stencil.load %u : !grid -> !temp
  %s2 = stencil.apply(%x = %u2 : !temp, %y = %w1 : !temp, %g = %minus : f64) -> (!temp) {
    %0 = stencil.access %x[1, -2] : !temp
    %1 = stencil.access %y[0, 0] : !temp
    %2 = arith.mulf %0, %g : f64
    %3 = arith.addf %1, %2 : f64
    stencil.return %3 : f64
  }
  stencil.store %s2 to %w(<[1, 0], [15, 9]>) : !temp to !grid
  // The sweep writes the last level of the first statement to %v.
  stencil.store %r2 to %v(<[0, 0], [16, 8]>) : !temp to !grid
  stencil.store %u0 to %u(<[0, 0], [16, 8]>) : !temp to !grid
  return
}

//--- stages.mlir
!grid = !stencil.field<[-1,17]x[-2,9]xf64>
!temp = !stencil.temp<?x?xf64>
func.func @f(%u: !grid, %v: !grid, %w: !grid, %m: !grid, %f: f64) {
  %minus = arith.negf %f : f64
  sweep.stages "f.s0" steps 2
      fields(%a = %u : !grid, %b = %v : !grid, %h = %w : !grid, %s = %m : !grid)
      level_scalars(%g = [%f, %minus] : f64)
      plan <{mapping = "warp", points = array<i64: 1, 1>, steps = 2, threads = array<i64: 1, 32>}> {
    %us = sweep.input %a : !grid -> !temp
    %ws = sweep.input %s over <[1, 0], [15, 9]> outside %h : !grid, !grid -> !temp
    %r = sweep.stage "r" over <[0, 0], [16, 8]> (%x = %us : !temp, %y = %ws : !temp) -> !temp
        outside(%b : !grid, %a : !grid) rotations [2] {
      %0 = stencil.access %x[0, 1] : !temp
      %1 = stencil.access %y[-1, 0] : !temp
      %2 = arith.subf %0, %1 : f64
      sweep.yield %2 : f64
    }
    %q = sweep.stage "q" over <[1, 0], [15, 9]>
        (%x = %r : !temp, %y = %ws : !temp, %k = %g : f64) -> !temp
        outside(%h : !grid) rotations [1] {
      %0 = stencil.access %x[1, -2] : !temp
      %1 = stencil.access %y[0, 0] : !temp
      %2 = arith.mulf %0, %k : f64
      %3 = arith.addf %1, %2 : f64
      sweep.yield %3 : f64
    }
    sweep.carry %r to %us : !temp
    sweep.carry %q to %ws : !temp
    sweep.output %r over <[0, 0], [16, 8]> to %b : !temp, !grid
    sweep.output %q over <[1, 0], [15, 9]> to %h : !temp, !grid
  }
  return
}

// Ghost cells of both levels are those at the other end; the sweep does not have any.
//--- ghosts.mlir
!grid = !stencil.field<[0,6]x[0,9]xf64>
!wide = !stencil.field<[-1,7]x[-2,11]xf64>
!temp = !stencil.temp<?x?xf64>
func.func @f(%u: !grid, %v: !grid) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %g = stencil.alloc : !wide
  %t = stencil.load %u : !grid -> !temp
  stencil.store %t to %g(<[0, 0], [6, 9]>) : !temp to !wide
  scf.for %i = %first to %two step %one {
    %t0 = stencil.load %g : !wide -> !temp
    %s0 = stencil.apply(%x = %t0 : !temp) -> (!temp) {
      %0 = stencil.access %x[6, 0] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s0 to %g(<[-1, 0], [0, 9]>) : !temp to !wide
    %t1 = stencil.load %g : !wide -> !temp
    %s1 = stencil.apply(%x = %t1 : !temp) -> (!temp) {
      %0 = stencil.access %x[-6, 0] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s1 to %g(<[6, 0], [7, 9]>) : !temp to !wide
    %t2 = stencil.load %g : !wide -> !temp
    %s2 = stencil.apply(%x = %t2 : !temp) -> (!temp) {
      %0 = stencil.access %x[0, 9] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s2 to %g(<[-1, -2], [7, 0]>) : !temp to !wide
    %t3 = stencil.load %g : !wide -> !temp
    %s3 = stencil.apply(%x = %t3 : !temp) -> (!temp) {
      %0 = stencil.access %x[0, -9] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s3 to %g(<[-1, 9], [7, 11]>) : !temp to !wide
    %t4 = stencil.load %g : !wide -> !temp
    %r = stencil.apply(%x = %t4 : !temp) -> (!temp) {
      %0 = stencil.access %x[-1, 2] : !temp
      %1 = stencil.access %x[1, -2] : !temp
      %2 = arith.subf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %g(<[0, 0], [6, 9]>) : !temp to !wide
  }
  %end = stencil.load %g : !wide -> !temp
  stencil.store %end to %v(<[0, 0], [6, 9]>) : !temp to !grid
  return
}

//--- ring.mlir
!grid = !stencil.field<[0,6]x[0,9]xf64>
!temp = !stencil.temp<?x?xf64>
func.func @f(%u: !grid, %v: !grid) {
  sweep.stages "f.s0" steps 2 periodic [0, 1] fields(%a = %u : !grid, %b = %v : !grid)
      plan <{mapping = "warp", points = array<i64: 1, 1>, steps = 2, threads = array<i64: 1, 32>}> {
    %us = sweep.input %a : !grid -> !temp
    %r = sweep.stage "r" over <[0, 0], [6, 9]> (%x = %us : !temp) -> !temp {
      %0 = stencil.access %x[-1, 2] : !temp
      %1 = stencil.access %x[1, -2] : !temp
      %2 = arith.subf %0, %1 : f64
      sweep.yield %2 : f64
    }
    sweep.carry %r to %us : !temp
    sweep.output %r over <[0, 0], [6, 9]> to %b : !temp, !grid
  }
  return
}
