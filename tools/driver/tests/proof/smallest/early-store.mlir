// Fault 'early-store': an apply writes a field that others still use before its store.
// Plan, order and content of fields are those of seed 18
// Seed 18.
func.func @main(%f1: !stencil.field<[0,3]xf64>) {
  %t41 = stencil.apply() -> (!stencil.temp<[0,1]xf64>) {
    %x26 = arith.constant 1.0 : f64
    stencil.return %x26 : f64
  }
  %t43 = stencil.load %f1 : !stencil.field<[0,3]xf64> -> !stencil.temp<[0,1]xf64>
  %t55 = stencil.apply(%t45 = %t43 : !stencil.temp<[0,1]xf64>) -> (!stencil.temp<[2,3]xf64>) {
    %x46 = stencil.access %t45[-2] : !stencil.temp<[0,1]xf64>
    stencil.return %x46 : f64
  }
  stencil.store %t41 to %f1(<[0], [1]>) : !stencil.temp<[0,1]xf64> to !stencil.field<[0,3]xf64>
  stencil.store %t55 to %f1(<[2], [3]>) : !stencil.temp<[2,3]xf64> to !stencil.field<[0,3]xf64>
  func.return
}
