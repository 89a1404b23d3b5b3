// Fault 'copy-offset': a copy reads the neighbour along the fastest dimension.
// Plan, order and content of fields are those of seed 0
// Seed 0.
func.func @main(%f11: !stencil.field<[0,1]xf64>) {
  %t30 = stencil.load %f11 : !stencil.field<[0,1]xf64> -> !stencil.temp<[0,1]xf64>
  stencil.store %t30 to %f11(<[0], [1]>) : !stencil.temp<[0,1]xf64> to !stencil.field<[0,1]xf64>
  func.return
}
