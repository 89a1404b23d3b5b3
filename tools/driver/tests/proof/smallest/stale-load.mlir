// Fault 'stale-load': a load whose field is updated in place has no copy.
// Plan, order and content of fields are those of seed 21
// Seed 21.
func.func @main(%f21: !stencil.field<[-1,2]xf64>) {
  %t32 = stencil.load %f21 : !stencil.field<[-1,2]xf64> -> !stencil.temp<[-1,1]xf64>
  %t41 = stencil.apply(%t34 = %t32 : !stencil.temp<[-1,1]xf64>) -> (!stencil.temp<[0,2]xf64>) {
    %x36 = stencil.access %t34[-1] : !stencil.temp<[-1,1]xf64>
    stencil.return %x36 : f64
  }
  stencil.store %t41 to %f21(<[0], [2]>) : !stencil.temp<[0,2]xf64> to !stencil.field<[-1,2]xf64>
  func.return
}
