// An apply that is only stored once its reader computes it: its bounds shrank, the declared ones did not.
//
// RUN: stencilc run %s --on=emulator --verify --seed=822 --function main | FileCheck %s
// CHECK: verified: bit-identical

func.func @main(%f1: !stencil.field<[0,1]x[0,1]x[1,2]xf64>, %f0: !stencil.field<[0,1]x[0,1]x[0,1]xf64>) {
  %t69 = stencil.apply() -> (!stencil.temp<[0,1]x[0,1]x[0,2]xf64>) {
    %x61 = arith.constant 1.0 : f64
    stencil.return %x61 : f64
  } to <[0, 0, 0], [1, 1, 2]>
  %t112 = stencil.apply(%t72 = %t69 : !stencil.temp<[0,1]x[0,1]x[0,2]xf64>) -> (!stencil.temp<[0,1]x[0,1]x[1,2]xf64>) {
    %x75 = stencil.access %t72[0, 0, 0] : !stencil.temp<[0,1]x[0,1]x[0,2]xf64>
    stencil.return %x75 : f64
  }
  stencil.store %t112 to %f1(<[0, 0, 1], [1, 1, 2]>) : !stencil.temp<[0,1]x[0,1]x[1,2]xf64> to !stencil.field<[0,1]x[0,1]x[1,2]xf64>
  stencil.store %t69 to %f0(<[0, 0, 0], [1, 1, 1]>) : !stencil.temp<[0,1]x[0,1]x[0,2]xf64> to !stencil.field<[0,1]x[0,1]x[0,1]xf64>
  func.return
}
