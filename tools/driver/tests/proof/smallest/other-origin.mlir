// Fault 'other-origin': a value that is loaded from its array again is taken from beside its element.
// Plan, order and content of fields are those of seed 6
// Seed 6.
func.func @main(%f0: !stencil.field<[0,2]x[0,3]xf64>, %f1: !stencil.field<[0,1]x[0,1]xf64>) {
  %t7 = stencil.load %f0 : !stencil.field<[0,2]x[0,3]xf64> -> !stencil.temp<[0,1]x[0,1]xf64>
  stencil.store %t7 to %f1(<[0, 0], [1, 1]>) : !stencil.temp<[0,1]x[0,1]xf64> to !stencil.field<[0,1]x[0,1]xf64>
  func.return
}
