// Fault 'first-demand': a temp has the points that one of its users needs, not all.
// Plan, order and content of fields are those of seed 1
// Seed 1.
func.func @main(%f16: !stencil.field<[0,1]x[0,1]x[0,1]xf64>, %f17: !stencil.field<[0,1]x[0,2]x[0,1]xf64>) {
  %t107 = stencil.load %f17 : !stencil.field<[0,1]x[0,2]x[0,1]xf64> -> !stencil.temp<[0,1]x[0,2]x[0,1]xf64>
  %t160 = stencil.apply(%t130 = %t107 : !stencil.temp<[0,1]x[0,2]x[0,1]xf64>) -> (!stencil.temp<[0,1]x[0,1]x[0,1]xf64>) {
    %x147 = stencil.access %t130[0, 0, 0] : !stencil.temp<[0,1]x[0,2]x[0,1]xf64>
    %x148 = stencil.access %t130[0, 1, 0] : !stencil.temp<[0,1]x[0,2]x[0,1]xf64>
    %x149 = arith.mulf %x147, %x148 : f64
    stencil.return %x149 : f64
  }
  stencil.store %t160 to %f16(<[0, 0, 0], [1, 1, 1]>) : !stencil.temp<[0,1]x[0,1]x[0,1]xf64> to !stencil.field<[0,1]x[0,1]x[0,1]xf64>
  func.return
}
