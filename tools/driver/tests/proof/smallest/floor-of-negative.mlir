// Fault 'floor-of-negative': `math.floor` rounds towards zero.
// Plan, order and content of fields are those of seed 53 --arg=1=0.375
// Seed 53.
func.func @main(%f97: !stencil.field<[0,1]xf64>, %x98: f64) {
  %t197 = stencil.apply(%x185 = %x98 : f64) -> (!stencil.temp<[0,1]xf64>) {
    %x191 = arith.constant 1.0 : f64
    %x192 = arith.subf %x185, %x191 : f64
    %x193 = math.floor %x192 : f64
    stencil.return %x193 : f64
  }
  stencil.store %t197 to %f97(<[0], [1]>) : !stencil.temp<[0,1]xf64> to !stencil.field<[0,1]xf64>
  func.return
}
