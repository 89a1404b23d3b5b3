// Fault 'dynamic-origin': a dynamic access counts from 0, not from where its memory begins.
// Plan, order and content of fields are those of seed 0
// Seed 0.
func.func @main(%f11: !stencil.field<[-6,1]xf64>) {
  %t30 = stencil.load %f11 : !stencil.field<[-6,1]xf64> -> !stencil.temp<[-6,-5]xf64>
  %t92 = stencil.apply(%t78 = %t30 : !stencil.temp<[-6,-5]xf64>) -> (!stencil.temp<[0,1]xf64>) {
    %k = arith.constant -6 : index
    %x87 = stencil.dyn_access %t78[%k] in <[-6]> : <[-6]> attributes {absolute} : !stencil.temp<[-6,-5]xf64>
    stencil.return %x87 : f64
  }
  stencil.store %t92 to %f11(<[0], [1]>) : !stencil.temp<[0,1]xf64> to !stencil.field<[-6,1]xf64>
  func.return
}
