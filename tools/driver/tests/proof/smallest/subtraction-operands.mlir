// Fault 'subtraction-operands': the operands of `arith.subf` are swapped.
// Plan, order and content of fields are those of seed 0
// Seed 0.
func.func @main(%f11: !stencil.field<[0,1]xf64>, %f8: !stencil.field<[0,1]xf64>) {
  %t118 = stencil.load %f11 : !stencil.field<[0,1]xf64> -> !stencil.temp<[0,1]xf64>
  %t142 = stencil.apply(%t120 = %t118 : !stencil.temp<[0,1]xf64>) -> (!stencil.temp<[0,1]xf64>) {
    %x129 = stencil.access %t120[0] : !stencil.temp<[0,1]xf64>
    %x130 = arith.constant 1.0 : f64
    %x133 = arith.subf %x129, %x130 : f64
    stencil.return %x133 : f64
  }
  stencil.store %t142 to %f8(<[0], [1]>) : !stencil.temp<[0,1]xf64> to !stencil.field<[0,1]xf64>
  func.return
}
