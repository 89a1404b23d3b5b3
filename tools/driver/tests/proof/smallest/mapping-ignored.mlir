// Fault 'mapping-ignored': an operand of lower rank follows the first dimensions.
// Plan, order and content of fields are those of seed 12
// Seed 12.
func.func @main(%f1: !stencil.field<[0,1]x[0,2]xf64>, %f4: !stencil.field<[0,2]xf64>) {
  %t190 = stencil.load %f4 : !stencil.field<[0,2]xf64> -> !stencil.temp<[0,2]xf64>
  %t203 = stencil.apply(%t191 = %t190 : !stencil.temp<[0,2]xf64>) -> (!stencil.temp<[0,1]x[0,2]xf64>) {
    %x197 = stencil.access %t191[_, 0] : !stencil.temp<[0,2]xf64>
    stencil.return %x197 : f64
  }
  stencil.store %t203 to %f1(<[0, 0], [1, 2]>) : !stencil.temp<[0,1]x[0,2]xf64> to !stencil.field<[0,1]x[0,2]xf64>
  func.return
}
