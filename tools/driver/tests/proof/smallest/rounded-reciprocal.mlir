// Fault 'rounded-reciprocal': a quotient is a product with a reciprocal without `arcp`.
// Plan, order and content of fields are those of seed 76
// Seed 76.
func.func @main(%f0: !stencil.field<[0,1]x[0,1]xf64>) {
  %t3 = stencil.load %f0 : !stencil.field<[0,1]x[0,1]xf64> -> !stencil.temp<[0,1]x[0,1]xf64>
  %t48 = stencil.apply(%t4 = %t3 : !stencil.temp<[0,1]x[0,1]xf64>) -> (!stencil.temp<[0,1]x[0,1]xf64>) {
    %x20 = stencil.access %t4[0, 0] : !stencil.temp<[0,1]x[0,1]xf64>
    %x36 = arith.constant 1.75 : f64
    %x37 = arith.divf %x20, %x36 : f64
    stencil.return %x37 : f64
  }
  stencil.store %t48 to %f0(<[0, 0], [1, 1]>) : !stencil.temp<[0,1]x[0,1]xf64> to !stencil.field<[0,1]x[0,1]xf64>
  func.return
}
