// Fault 'division-operands': the operands of `arith.divf` are swapped.
// Plan, order and content of fields are those of seed 9
// Seed 9.
func.func @main(%f0: !stencil.field<[0,1]xf64>) {
  %t70 = stencil.load %f0 : !stencil.field<[0,1]xf64> -> !stencil.temp<[0,1]xf64>
  %t87 = stencil.apply(%t72 = %t70 : !stencil.temp<[0,1]xf64>) -> (!stencil.temp<[0,1]xf64>) {
    %x75 = arith.constant 1.0 : f64
    %x81 = stencil.access %t72[0] : !stencil.temp<[0,1]xf64>
    %x82 = arith.divf %x75, %x81 : f64
    stencil.return %x82 : f64
  }
  stencil.store %t87 to %f0(<[0], [1]>) : !stencil.temp<[0,1]xf64> to !stencil.field<[0,1]xf64>
  func.return
}
