// Fault 'split-offset': a part of a split apply reads what another computed at a neighbour.
// Plan, order and content of fields are those of seed 20
// Seed 20.
func.func @main(%f12: !stencil.field<[0,1]xf64>) {
  %t64 = stencil.apply() -> (!stencil.temp<[0,1]xf64>) {
    %x51 = arith.constant 1.0 : f64
    %x52 = arith.constant 1.0 : f64
    %x53 = arith.constant 1.0 : f64
    %x54 = math.fma %x52, %x53, %x51 : f64
    %x56 = arith.constant 1.0 : f64
    %x57 = arith.addf %x54, %x56 : f64
    stencil.return %x57 : f64
  }
  stencil.store %t64 to %f12(<[0], [1]>) : !stencil.temp<[0,1]xf64> to !stencil.field<[0,1]xf64>
  func.return
}
