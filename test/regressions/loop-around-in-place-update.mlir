// A loop stores to the field that a temp was loaded from before the loop: each iteration must read the old values.
//
// The load was taken for an update in place, because the apply reads the very cell that it writes; the second
// iteration then read what the first had written.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
//
// CHECK: verified: bit-identical

func.func @double(%f: !stencil.field<[0,64]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 2 : index
  %one = arith.constant 1 : index
  %t = stencil.load %f : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  scf.for %step = %first to %steps step %one {
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %v = stencil.access %a[0] : !stencil.temp<?xf64>
      %double = arith.addf %v, %v : f64
      stencil.return %double : f64
    }
    stencil.store %r to %f(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  }
  return
}
