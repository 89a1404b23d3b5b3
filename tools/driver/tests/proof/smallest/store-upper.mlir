// Fault 'store-upper': a store to a part of the domain ends one point late.
// Plan, order and content of fields are those of seed 35
// Seed 35.
func.func @main(%f23: !stencil.field<[0,2]x[0,2]xf64>) {
  %t93 = stencil.load %f23 : !stencil.field<[0,2]x[0,2]xf64> -> !stencil.temp<[0,2]x[0,2]xf64>
  %t115 = stencil.apply(%t95 = %t93 : !stencil.temp<[0,2]x[0,2]xf64>) -> (!stencil.temp<[0,2]x[0,2]xf64>) {
    %x99 = stencil.access %t95[0, 0] : !stencil.temp<[0,2]x[0,2]xf64>
    %x100 = arith.constant 4.0e-310 : f64
    %x101 = arith.mulf %x99, %x100 : f64
    stencil.return %x101 : f64
  }
  stencil.store %t115 to %f23(<[0, 0], [1, 1]>) : !stencil.temp<[0,2]x[0,2]xf64> to !stencil.field<[0,2]x[0,2]xf64>
  %t163 = stencil.apply(%t119 = %t115 : !stencil.temp<[0,2]x[0,2]xf64>) -> (!stencil.temp<[0,1]x[1,2]xf64>) {
    %x139 = stencil.access %t119[1, 0] : !stencil.temp<[0,2]x[0,2]xf64>
    stencil.return %x139 : f64
  }
  stencil.store %t163 to %f23(<[0, 1], [1, 2]>) : !stencil.temp<[0,1]x[1,2]xf64> to !stencil.field<[0,2]x[0,2]xf64>
  func.return
}
