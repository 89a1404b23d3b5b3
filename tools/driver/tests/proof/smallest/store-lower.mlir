// Fault 'store-lower': a store to a part of the domain begins one point late.
// Plan, order and content of fields are those of seed 9
// Seed 9.
func.func @main(%f0: !stencil.field<[0,2]xf64>) {
  %t21 = stencil.apply() -> (!stencil.temp<[-1,1]xf64>) {
    %x9 = arith.constant 1.0 : f64
    stencil.return %x9 : f64
  }
  stencil.store %t21 to %f0(<[0], [1]>) : !stencil.temp<[-1,1]xf64> to !stencil.field<[0,2]xf64>
  %t36 = stencil.apply(%t25 = %t21 : !stencil.temp<[-1,1]xf64>) -> (!stencil.temp<[1,2]xf64>) {
    %x29 = stencil.access %t25[-2] : !stencil.temp<[-1,1]xf64>
    stencil.return %x29 : f64
  }
  stencil.store %t36 to %f0(<[1], [2]>) : !stencil.temp<[1,2]xf64> to !stencil.field<[0,2]xf64>
  func.return
}
