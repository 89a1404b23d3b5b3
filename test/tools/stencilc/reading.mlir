// Sizes and permissions are changed before anything else is done.
//
// RUN: stencilc run %s --extents 16,17 --print-signature | FileCheck %s --check-prefix=EXTENTS
// EXTENTS: 0 in field [-1,17]x[0,17]xf32, shape (18, 17), read only
// EXTENTS: 1 out field [0,16]x[0,17]xf32, shape (16, 17), written
// RUN: stencilc run %s --extents 16,17 --on=emulator --verify | FileCheck %s --check-prefix=VERIFY
// VERIFY: run emulator: 1 launches, 0 copies, 272 points
// VERIFY: verified: bit-identical
//
// The program permits to contract one of two sums. The kernels show what was made of it.
// RUN: stencilc compile %s --emit=stencil | FileCheck %s --check-prefix=WRITTEN
// WRITTEN-COUNT-1: math.fma
// WRITTEN-NOT: math.fma
// RUN: stencilc compile %s --emit=stencil --strict | FileCheck %s --check-prefix=STRICT
// STRICT-NOT: math.fma
// RUN: stencilc compile %s --emit=stencil --fast-math | FileCheck %s --check-prefix=FAST
// FAST-COUNT-2: math.fma
//
// What holds for a run holds for what it is compared with.
// RUN: stencilc run %s --strict --same-after='func.func(stencil-freeze-arithmetic)' | FileCheck %s --check-prefix=SAME
// SAME: same after the pipeline: bit-identical
// RUN: not stencilc run %s --same-after='func.func(stencil-freeze-arithmetic)' | FileCheck %s --check-prefix=OTHER
// OTHER: not the same after the pipeline
func.func @sums(%in: !stencil.field<[-1,9]x[0,8]xf32>, %out: !stencil.field<[0,8]x[0,8]xf32>) {
  %t = stencil.load %in : !stencil.field<[-1,9]x[0,8]xf32> -> !stencil.temp<?x?xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?xf32>) -> (!stencil.temp<?x?xf32>) {
    %x = stencil.access %a[-1, 0] : !stencil.temp<?x?xf32>
    %y = stencil.access %a[0, 0] : !stencil.temp<?x?xf32>
    %z = stencil.access %a[1, 0] : !stencil.temp<?x?xf32>
    %m = arith.mulf %x, %y fastmath<contract> : f32
    %s = arith.addf %m, %z fastmath<contract> : f32
    %n = arith.mulf %s, %y : f32
    %u = arith.addf %n, %x : f32
    stencil.return %u : f32
  }
  stencil.store %r to %out(<[0, 0], [8, 8]>) : !stencil.temp<?x?xf32> to !stencil.field<[0,8]x[0,8]xf32>
  return
}
