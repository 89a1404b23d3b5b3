// Fault 'advance-distance': a block that advances takes steps of one plane too few.
// Plan, order and content of fields are those of seed 12
// Seed 12.
func.func @main(%f0: !stencil.field<[0,6]x[1,2]xf64>, %f1: !stencil.field<[5,6]x[0,1]xf64>) {
  %t144 = stencil.apply() -> (!stencil.temp<[5,6]x[0,1]xf64>) {
    %x119 = arith.constant 1.0 : f64
    stencil.return %x119 : f64
  }
  stencil.store %t144 to %f1(<[5, 0], [6, 1]>) : !stencil.temp<[5,6]x[0,1]xf64> to !stencil.field<[5,6]x[0,1]xf64>
  %t174 = stencil.apply() -> (!stencil.temp<[0,6]x[1,2]xf64>) {
    %x169 = arith.constant 1.0 : f64
    stencil.return %x169 : f64
  }
  stencil.store %t174 to %f0(<[0, 1], [6, 2]>) : !stencil.temp<[0,6]x[1,2]xf64> to !stencil.field<[0,6]x[1,2]xf64>
  func.return
}
