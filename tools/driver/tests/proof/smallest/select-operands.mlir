// Fault 'select-operands': the choices of `arith.select` are swapped.
// Plan, order and content of fields are those of seed 0
// Seed 0.
func.func @main(%f11: !stencil.field<[0,1]xf64>) {
  %t30 = stencil.load %f11 : !stencil.field<[0,1]xf64> -> !stencil.temp<[0,1]xf64>
  %t77 = stencil.apply(%t60 = %t30 : !stencil.temp<[0,1]xf64>) -> (!stencil.temp<[0,1]xf64>) {
    %x68 = stencil.access %t60[0] : !stencil.temp<[0,1]xf64>
    %x71 = arith.constant 1.0 : f64
    %c73 = arith.cmpf olt, %x68, %x71 : f64
    %x74 = arith.constant 1.0 : f64
    %x75 = arith.select %c73, %x68, %x74 : f64
    stencil.return %x75 : f64
  }
  stencil.store %t77 to %f11(<[0], [1]>) : !stencil.temp<[0,1]xf64> to !stencil.field<[0,1]xf64>
  func.return
}
