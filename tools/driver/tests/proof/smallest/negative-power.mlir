// Fault 'negative-power': a negative power is not divided by.
// Plan, order and content of fields are those of seed 19
// Seed 19.
func.func @main(%f0: !stencil.field<[0,1]x[0,1]xf64>, %f1: !stencil.field<[0,1]x[0,1]xf64>) {
  %t2 = stencil.load %f0 : !stencil.field<[0,1]x[0,1]xf64> -> !stencil.temp<[0,1]x[0,1]xf64>
  %t69 = stencil.apply(%t40 = %t2 : !stencil.temp<[0,1]x[0,1]xf64>) -> (!stencil.temp<[0,1]x[0,1]xf64>) {
    %x62 = stencil.access %t40[0, 0] : !stencil.temp<[0,1]x[0,1]xf64>
    %k = arith.constant -1 : i64
    %x63 = math.fpowi %x62, %k : f64, i64
    stencil.return %x63 : f64
  }
  stencil.store %t69 to %f1(<[0, 0], [1, 1]>) : !stencil.temp<[0,1]x[0,1]xf64> to !stencil.field<[0,1]x[0,1]xf64>
  func.return
}
