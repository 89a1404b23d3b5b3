// Fault 'offset-sign': the offset of an access has the other sign.
// Plan, order and content of fields are those of seed 0
// Seed 0.
func.func @main(%f11: !stencil.field<[-1,0]xf64>, %f12: !stencil.field<[0,1]xf64>) {
  stencil.apply(%f143 = %f11 : !stencil.field<[-1,0]xf64>) outs (%f12 : !stencil.field<[0,1]xf64>) {
    %x145 = stencil.access %f143[-1] : !stencil.field<[-1,0]xf64>
    stencil.return %x145 : f64
  } to <[0], [1]>
  func.return
}
