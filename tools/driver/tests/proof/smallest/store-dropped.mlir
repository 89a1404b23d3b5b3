// Fault 'store-dropped': the last of a thread's stores is dropped.
// Plan, order and content of fields are those of seed 1
// Seed 1.
func.func @main(%f16: !stencil.field<[0,1]x[0,2]x[0,1]xf64>, %f17: !stencil.field<[0,1]x[0,2]x[0,1]xf64>) {
  %t106 = stencil.load %f17 : !stencil.field<[0,1]x[0,2]x[0,1]xf64> -> !stencil.temp<[0,1]x[0,2]x[0,1]xf64>
  stencil.store %t106 to %f16(<[0, 0, 0], [1, 2, 1]>) : !stencil.temp<[0,1]x[0,2]x[0,1]xf64> to !stencil.field<[0,1]x[0,2]x[0,1]xf64>
  func.return
}
