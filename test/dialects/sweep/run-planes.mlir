// Kernels in the planes form give what the same levels give as applies. Planes are kept between
// iterations in registers, in slots, in rings, as whole planes and as lines in shared memory; as
// complete planes and as sums; in one chunk and in several.
//
// RUN: split-file %s %t
// RUN: stencilc run %t/applies.mlir --same-as=%t/registers.mlir --arg f=0.3 | FileCheck %s
// RUN: stencilc run %t/applies.mlir --same-as=%t/shared.mlir --arg f=0.3 | FileCheck %s
// RUN: stencilc run %t/applies.mlir --same-as=%t/sums.mlir --arg f=0.3 | FileCheck %s
// RUN: stencilc run %t/applies.mlir --same-as=%t/lines.mlir --arg f=0.3 | FileCheck %s
// RUN: stencilc run %t/shared.mlir --same-as=%t/sums.mlir --arg f=0.3 | FileCheck %s
// RUN: stencilc run %t/line-applies.mlir --same-as=%t/line.mlir | FileCheck %s
// RUN: stencilc run %t/cube-applies.mlir --same-as=%t/cube.mlir --arg n=3 | FileCheck %s
// RUN: stencilc run %t/wave-applies.mlir --same-as=%t/wave.mlir | FileCheck %s
// CHECK: bit-identical

//--- applies.mlir
!f = !stencil.field<[-1,18]x[-2,9]xf64>
!t = !stencil.temp<?x?xf64>
func.func @f(%a: !f, %b: !f, %out: !f, %f: f64) {
  %now = stencil.alloc : !f
  %halo = stencil.load %b : !f -> !t
  stencil.store %halo to %now(<[-1, -2], [18, 9]>) : !t to !f
  %t = stencil.load %a : !f -> !t
  %1 = stencil.apply(%u = %t : !t, %g = %f : f64) -> (!t) {
    %n = stencil.access %u[-1, 0] : !t
    %w = stencil.access %u[0, -2] : !t
    %s = stencil.access %u[1, 1] : !t
    %nw = arith.addf %n, %w : f64
    %sum = arith.addf %nw, %s : f64
    %v = arith.mulf %sum, %g : f64
    stencil.return %v : f64
  }
  stencil.store %1 to %now(<[0, 0], [17, 8]>) : !t to !f
  %next = stencil.load %now : !f -> !t
  %2 = stencil.apply(%u = %next : !t, %g = %f : f64) -> (!t) {
    %n = stencil.access %u[-1, 0] : !t
    %w = stencil.access %u[0, -2] : !t
    %s = stencil.access %u[1, 1] : !t
    %nw = arith.addf %n, %w : f64
    %sum = arith.addf %nw, %s : f64
    %v = arith.mulf %sum, %g : f64
    stencil.return %v : f64
  }
  stencil.store %2 to %out(<[0, 0], [17, 8]>) : !t to !f
  return
}

//--- registers.mlir
!f = !stencil.field<[-1,18]x[-2,9]xf64>
!t = !sweep.tile<f64>
func.func @f(%a: !f, %b: !f, %out: !f, %f: f64) {
  sweep.tiled "f.s0" steps 2 over <[0, 0], [17, 8]> reach [1, 1, 2, 1]
      fields(%u = %a : !f, %h = %b : !f, %o = %out : !f)
      scalars(%g = %f : f64)
      plan <{mapping = "warp", points = [1, 1], threads = [1, 32], chunks = 3}>
      points 272 flops 816 bytes 2176 {
    %zero = arith.constant 0.0 : f64
    %none = sweep.splat %zero : !t
    sweep.planes from -2 to 2 turns 3
        iter_args(%u2 = %none : !t, %u1 = %none : !t, %v2 = %none : !t, %v1 = %none : !t) {
      %u0 = sweep.fetch %u[0] : !f
      %w1 = sweep.shift %u1 by [0, -2] : !t
      %e1 = sweep.shift %u0 by [0, 1] : !t
      %x1 = sweep.map plane -1 (%n = %u2 : !t, %w = %w1 : !t, %s = %e1 : !t) -> !t {
        %nw = arith.addf %n, %w : f64
        %sum = arith.addf %nw, %s : f64
        %v = arith.mulf %sum, %g : f64
        sweep.yield %v : f64
      }
      %v0 = sweep.boundary %x1[-1] from %h : !f
      %w2 = sweep.shift %v1 by [0, -2] : !t
      %e2 = sweep.shift %v0 by [0, 1] : !t
      %x2 = sweep.map plane -2 (%n = %v2 : !t, %w = %w2 : !t, %s = %e2 : !t) -> !t {
        %nw = arith.addf %n, %w : f64
        %sum = arith.addf %nw, %s : f64
        %v = arith.mulf %sum, %g : f64
        sweep.yield %v : f64
      }
      sweep.store %x2 to %o[-2] : !f
      sweep.yield %u1, %u0, %v1, %v0 : !t, !t, !t, !t
    }
  }
  return
}

//--- shared.mlir
!f = !stencil.field<[-1,18]x[-2,9]xf64>
!t = !sweep.tile<f64>
!b = !sweep.buffer<f64>
func.func @f(%a: !f, %b: !f, %out: !f, %f: f64) {
  sweep.tiled "f.s0" steps 2 over <[0, 0], [17, 8]> reach [1, 1, 2, 1]
      fields(%u = %a : !f, %h = %b : !f, %o = %out : !f)
      scalars(%g = %f : f64)
      plan <{mapping = "block", points = [1, 1], threads = [1, 64]}>
      points 272 flops 816 bytes 2176 {
    %zero = arith.constant 0.0 : f64
    %none = sweep.splat %zero : !t
    %ring = sweep.shared "ring" copies 3 : !b
    %slot = sweep.shared "slot" copies 1 : !b
    %p1 = sweep.shared "planes" copies 2 : !b
    %p2 = sweep.shared "planes" copies 3 : !b
    sweep.copy_async %u[0] to %ring : !f, !b
    sweep.copy_async %u[1] to %ring : !f, !b
    sweep.planes from -2 to 2 turns 6 iter_args(%u1 = %none : !t) {
      sweep.wait 1
      %u0 = sweep.take %ring[0] : !b
      sweep.copy_async %u[2] to %ring : !f, !b
      sweep.put %u0 to %p1 : !b
      sweep.fence
      %u2 = sweep.take %slot[1] : !b
      %w1 = sweep.shift %u1 by [0, -2] via %p1[1] : !t, !b
      %e1 = sweep.shift %u0 by [0, 1] via %p1[0] : !t, !b
      %x1 = sweep.map plane -1 (%n = %u2 : !t, %w = %w1 : !t, %s = %e1 : !t) -> !t {
        %nw = arith.addf %n, %w : f64
        %sum = arith.addf %nw, %s : f64
        %v = arith.mulf %sum, %g : f64
        sweep.yield %v : f64
      }
      sweep.put %u1 to %slot : !b
      %v0 = sweep.boundary %x1[-1] from %h : !f
      sweep.put %v0 to %p2 : !b
      sweep.fence
      %v2 = sweep.take %p2[2] : !b
      %w2 = sweep.take %p2[1] by [0, -2] : !b
      %e2 = sweep.take %p2[0] by [0, 1] : !b
      %x2 = sweep.map plane -2 (%n = %v2 : !t, %w = %w2 : !t, %s = %e2 : !t) -> !t {
        %nw = arith.addf %n, %w : f64
        %sum = arith.addf %nw, %s : f64
        %v = arith.mulf %sum, %g : f64
        sweep.yield %v : f64
      }
      sweep.store %x2 to %o[-2] : !f
      sweep.fence warp
      sweep.yield %u0 : !t
    }
  }
  return
}

//--- sums.mlir
!f = !stencil.field<[-1,18]x[-2,9]xf64>
!t = !sweep.tile<f64>
func.func @f(%a: !f, %b: !f, %out: !f, %f: f64) {
  sweep.tiled "f.s0" steps 2 over <[0, 0], [17, 8]> reach [1, 1, 2, 1]
      fields(%u = %a : !f, %h = %b : !f, %o = %out : !f)
      scalars(%g = %f : f64)
      plan <{mapping = "warp", form = "scatter", points = [1, 1], threads = [1, 32], chunks = 2}>
      points 272 flops 816 bytes 2176 {
    %zero = arith.constant 0.0 : f64
    %none = sweep.splat %zero : !t
    sweep.planes from -2 to 2
        iter_args(%n1 = %none : !t, %nw1 = %none : !t, %n2 = %none : !t, %nw2 = %none : !t) {
      %u0 = sweep.fetch %u[0] : !f
      %w1 = sweep.shift %u0 by [0, -2] : !t
      %e1 = sweep.shift %u0 by [0, 1] : !t
      %x1 = sweep.map plane -1 (%nw = %nw1 : !t, %s = %e1 : !t) -> !t {
        %sum = arith.addf %nw, %s : f64
        %v = arith.mulf %sum, %g : f64
        sweep.yield %v : f64
      }
      %nwa = sweep.map plane 0 (%n = %n1 : !t, %w = %w1 : !t) -> !t {
        %nw = arith.addf %n, %w : f64
        sweep.yield %nw : f64
      }
      %v0 = sweep.boundary %x1[-1] from %h : !f
      %w2 = sweep.shift %v0 by [0, -2] : !t
      %e2 = sweep.shift %v0 by [0, 1] : !t
      %x2 = sweep.map plane -2 (%nw = %nw2 : !t, %s = %e2 : !t) -> !t {
        %sum = arith.addf %nw, %s : f64
        %v = arith.mulf %sum, %g : f64
        sweep.yield %v : f64
      }
      %nwb = sweep.map plane -1 (%n = %n2 : !t, %w = %w2 : !t) -> !t {
        %nw = arith.addf %n, %w : f64
        sweep.yield %nw : f64
      }
      sweep.store %x2 to %o[-2] : !f
      sweep.yield %u0, %nwa, %v0, %nwb : !t, !t, !t, !t
    }
  }
  return
}

//--- lines.mlir
!f = !stencil.field<[-1,18]x[-2,9]xf64>
!t = !sweep.tile<f64>
!b = !sweep.buffer<f64>
func.func @f(%a: !f, %b: !f, %out: !f, %f: f64) {
  sweep.tiled "f.s0" steps 2 over <[0, 0], [17, 8]> reach [1, 1, 2, 1]
      fields(%u = %a : !f, %h = %b : !f, %o = %out : !f)
      scalars(%g = %f : f64)
      plan <{mapping = "block", points = [1, 1], threads = [4, 64], chunks = 2}>
      points 272 flops 816 bytes 2176 {
    %l1 = sweep.shared "lines" copies 6 : !b
    %l2 = sweep.shared "lines" copies 6 : !b
    sweep.planes from -2 to 2 {
      %u0 = sweep.fetch %u[0] : !f
      sweep.put %u0 to %l1 : !b
      sweep.fence
      %u2 = sweep.take %l1[2] : !b
      %w1 = sweep.take %l1[1] by [0, -2] : !b
      %e1 = sweep.shift %u0 by [0, 1] via %l1[0] : !t, !b
      %x1 = sweep.map plane -1 (%n = %u2 : !t, %w = %w1 : !t, %s = %e1 : !t) -> !t {
        %nw = arith.addf %n, %w : f64
        %sum = arith.addf %nw, %s : f64
        %v = arith.mulf %sum, %g : f64
        sweep.yield %v : f64
      }
      %v0 = sweep.boundary %x1[-1] from %h : !f
      sweep.put %v0 to %l2 : !b
      sweep.fence
      %v2 = sweep.take %l2[2] : !b
      %w2 = sweep.take %l2[1] by [0, -2] : !b
      %e2 = sweep.take %l2[0] by [0, 1] : !b
      %x2 = sweep.map plane -2 (%n = %v2 : !t, %w = %w2 : !t, %s = %e2 : !t) -> !t {
        %nw = arith.addf %n, %w : f64
        %sum = arith.addf %nw, %s : f64
        %v = arith.mulf %sum, %g : f64
        sweep.yield %v : f64
      }
      sweep.store %x2 to %o[-2] : !f
      sweep.yield
    }
  }
  return
}

//--- line-applies.mlir
// One dimension has one plane. Two steps; integers in the region, which depend on the coordinate.
!f = !stencil.field<[-3,45]xf32>
!t = !stencil.temp<?xf32>
func.func @f(%a: !f, %out: !f) {
  %t = stencil.load %a : !f -> !t
  %now = stencil.alloc : !f
  stencil.store %t to %now(<[-3], [45]>) : !t to !f
  %1 = stencil.apply(%u = %t : !t) -> (!t) {
    %w = stencil.access %u[-2] : !t
    %e = stencil.access %u[1] : !t
    %i = stencil.index 0 <[4]>
    %c = arith.constant 12 : index
    %q = arith.divsi %c, %i : index
    %n = arith.index_cast %q : index to i32
    %k = arith.sitofp %n : i32 to f32
    %p = arith.mulf %w, %k : f32
    %v = arith.subf %p, %e : f32
    stencil.return %v : f32
  }
  stencil.store %1 to %now(<[0], [43]>) : !t to !f
  %next = stencil.load %now : !f -> !t
  %2 = stencil.apply(%u = %next : !t) -> (!t) {
    %w = stencil.access %u[-2] : !t
    %e = stencil.access %u[1] : !t
    %i = stencil.index 0 <[4]>
    %c = arith.constant 12 : index
    %q = arith.divsi %c, %i : index
    %n = arith.index_cast %q : index to i32
    %k = arith.sitofp %n : i32 to f32
    %p = arith.mulf %w, %k : f32
    %v = arith.subf %p, %e : f32
    stencil.return %v : f32
  }
  stencil.store %2 to %out(<[0], [43]>) : !t to !f
  return
}

//--- line.mlir
// Outside the domain the quotient does not exist at one point (4 - 4), which is no error.
!f = !stencil.field<[-3,45]xf32>
!t = !sweep.tile<f32>
func.func @f(%a: !f, %out: !f) {
  sweep.tiled "line" steps 2 over <[0], [43]> reach [2, 1]
      fields(%u = %a : !f, %o = %out : !f)
      plan <{mapping = "warp", points = [2], threads = [32]}>
      points 86 flops 172 bytes 344 {
    %c = arith.constant 12 : index
    sweep.planes from 0 to 0 {
      %u0 = sweep.fetch %u[0] : !f
      %w1 = sweep.shift %u0 by [0, -2] : !t
      %e1 = sweep.shift %u0 by [0, 1] : !t
      %x1 = sweep.map plane 0 (%w = %w1 : !t, %e = %e1 : !t) -> !t {
        %i = stencil.index 0 <[4]>
        %q = arith.divsi %c, %i : index
        %n = arith.index_cast %q : index to i32
        %k = arith.sitofp %n : i32 to f32
        %p = arith.mulf %w, %k : f32
        %v = arith.subf %p, %e : f32
        sweep.yield %v : f32
      }
      %v0 = sweep.boundary %x1[0] from %u : !f
      %w2 = sweep.shift %v0 by [0, -2] : !t
      %e2 = sweep.shift %v0 by [0, 1] : !t
      %x2 = sweep.map plane 0 (%w = %w2 : !t, %e = %e2 : !t) -> !t {
        %i = stencil.index 0 <[4]>
        %q = arith.divsi %c, %i : index
        %n = arith.index_cast %q : index to i32
        %k = arith.sitofp %n : i32 to f32
        %p = arith.mulf %w, %k : f32
        %v = arith.subf %p, %e : f32
        sweep.yield %v : f32
      }
      sweep.store %x2 to %o[0] : !f
      sweep.yield
    }
  }
  return
}

//--- cube-applies.mlir
// Three dimensions: fields that the points read, with constant and with computed coordinates.
!f = !stencil.field<[0,9]x[0,13]x[0,11]xf64>
!c = !stencil.field<[0,9]x[0,13]xf64>
!d = !stencil.field<[0,4]xf64>
func.func @f(%a: !f, %b: !c, %d: !d, %out: !f, %n: index) {
  %ta = stencil.load %a : !f -> !stencil.temp<?x?x?xf64>
  %tb = stencil.load %b : !c -> !stencil.temp<?x?xf64>
  %td = stencil.load %d : !d -> !stencil.temp<?xf64>
  %1 = stencil.apply(%u = %ta : !stencil.temp<?x?x?xf64>, %k = %tb : !stencil.temp<?x?xf64>,
                     %l = %td : !stencil.temp<?xf64>, %m = %n : index)
      -> (!stencil.temp<?x?x?xf64>) {
    %n0 = stencil.access %u[-1, 0, 0] : !stencil.temp<?x?x?xf64>
    %w0 = stencil.access %u[0, -1, 0] : !stencil.temp<?x?x?xf64>
    %s0 = stencil.access %u[0, 2, 1] : !stencil.temp<?x?x?xf64>
    %e0 = stencil.access %u[1, 0, -1] : !stencil.temp<?x?x?xf64>
    %c0 = stencil.access %k[1, -1, _] : !stencil.temp<?x?xf64>
    %i = stencil.index 1 <[0, 0, 0]>
    %j = arith.remui %i, %m : index
    %d0 = stencil.dyn_access %l[%j] in <[0]> : <[3]> attributes {absolute} : !stencil.temp<?xf64>
    %0 = arith.addf %n0, %w0 : f64
    %2 = arith.mulf %0, %c0 : f64
    %3 = arith.addf %s0, %e0 : f64
    %4 = arith.mulf %3, %d0 : f64
    %v = arith.subf %2, %4 : f64
    stencil.return %v : f64
  }
  stencil.store %1 to %out(<[1, 1, 1], [8, 11, 10]>) : !stencil.temp<?x?x?xf64> to !f
  return
}

//--- cube.mlir
!f = !stencil.field<[0,9]x[0,13]x[0,11]xf64>
!c = !stencil.field<[0,9]x[0,13]xf64>
!d = !stencil.field<[0,4]xf64>
!t = !sweep.tile<f64>
!b = !sweep.buffer<f64>
func.func @f(%a: !f, %b: !c, %d: !d, %out: !f, %n: index) {
  sweep.tiled "cube" steps 1 over <[1, 1, 1], [8, 11, 10]> reach [1, 1, 1, 2, 1, 1]
      fields(%u = %a : !f, %k = %b : !c, %l = %d : !d, %o = %out : !f)
      scalars(%m = %n : index)
      plan <{mapping = "block", points = [1, 4, 2], threads = [1, 3, 32], chunks = 2}>
      points 630 flops 3150 bytes 10080 {
    %zero = arith.constant 0.0 : f64
    %none = sweep.splat %zero : !t
    %rows = sweep.shared "rows" rows [0, 1, 3] copies 2 : !b
    sweep.planes from -1 to 1 turns 2 iter_args(%u2 = %none : !t, %u1 = %none : !t) {
      %u0 = sweep.fetch %u[0] : !f
      sweep.put %u0 to %rows : !b
      %w1 = sweep.shift %u1 by [-1, 0] via %rows[1] : !t, !b
      %s1 = sweep.shift %u1 by [2, 1] via %rows[1] : !t, !b
      %e1 = sweep.shift %u0 by [0, -1] : !t
      %x1 = sweep.map plane -1 (%n0 = %u2 : !t, %w0 = %w1 : !t, %s0 = %s1 : !t, %e0 = %e1 : !t)
          -> !t {
        %c0 = stencil.access %k[1, -1, _] : !c
        %i = stencil.index 1 <[0, 0, 0]>
        %j = arith.remui %i, %m : index
        %d0 = stencil.dyn_access %l[%j] in <[0]> : <[3]> attributes {absolute} : !d
        %0 = arith.addf %n0, %w0 : f64
        %2 = arith.mulf %0, %c0 : f64
        %3 = arith.addf %s0, %e0 : f64
        %4 = arith.mulf %3, %d0 : f64
        %v = arith.subf %2, %4 : f64
        sweep.yield %v : f64
      }
      sweep.store %x1 to %o[-1] : !f
      sweep.fence
      sweep.yield %u1, %u0 : !t, !t
    }
  }
  return
}

//--- wave-applies.mlir
// A field that the kernel reads at its own points, and overwrites.
!f = !stencil.field<[0,9]x[0,13]xf16>
!t = !stencil.temp<?x?xf16>
func.func @f(%a: !f, %out: !f) {
  %now = stencil.load %a : !f -> !t
  %old = stencil.load %out : !f -> !t
  %1 = stencil.apply(%u = %now : !t, %w = %old : !t) -> (!t) {
    %x = stencil.access %u[1, -1] : !t
    %y = stencil.access %w[0, 0] : !t
    %v = arith.subf %x, %y : f16
    stencil.return %v : f16
  }
  stencil.store %1 to %out(<[0, 1], [8, 12]>) : !t to !f
  return
}

//--- wave.mlir
!f = !stencil.field<[0,9]x[0,13]xf16>
!t = !sweep.tile<f16>
func.func @f(%a: !f, %out: !f) {
  sweep.tiled "wave" steps 1 over <[0, 1], [8, 12]> reach [0, 1, 1, 0]
      fields(%u = %a : !f, %w = %out : !f)
      plan <{mapping = "warp", points = [1, 1], threads = [1, 32], chunks = 2}>
      points 88 flops 88 bytes 528 {
    %zero = arith.constant 0.0 : f16
    %none = sweep.splat %zero : !t
    sweep.planes from 0 to 1 iter_args(%next = %none : !t) {
      %old = sweep.fetch %w[-1] own : !f
      %far = sweep.shift %next by [0, -1] : !t
      %x1 = sweep.map plane -1 (%x = %far : !t, %y = %old : !t) -> !t {
        %v = arith.subf %x, %y : f16
        sweep.yield %v : f16
      }
      sweep.store %x1 to %w[-1] : !f
      %ahead = sweep.fetch %u[1] : !f
      sweep.yield %ahead : !t
    }
  }
  return
}
