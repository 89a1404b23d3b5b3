// Fault 'destination-order': results of a buffer form go to each other's fields.
// Plan, order and content of fields are those of seed 86 --arg=2=0.375
// Seed 86.
func.func @main(%f197: !stencil.field<[0,1]x[0,1]x[0,1]xf64>, %f198: !stencil.field<[0,1]x[0,1]x[0,1]xf64>, %x200: f64) {
  %x205 = math.fma %x200, %x200, %x200 : f64
  stencil.apply(%x213 = %x205 : f64) outs (%f198 : !stencil.field<[0,1]x[0,1]x[0,1]xf64>, %f197 : !stencil.field<[0,1]x[0,1]x[0,1]xf64>) {
    %x228 = arith.constant 1.0 : f64
    stencil.return %x228, %x213 : f64, f64
  } to <[0, 0, 0], [1, 1, 1]>
  func.return
}
