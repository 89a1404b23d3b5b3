// Fault 'index-origin': `stencil.index` counts from 0, not from the lower bound.
// Plan, order and content of fields are those of seed 0
// Seed 0.
func.func @main(%f11: !stencil.field<[-6,-5]xf64>, %f8: !stencil.field<[-6,-5]xf64>) {
  %t118 = stencil.load %f11 : !stencil.field<[-6,-5]xf64> -> !stencil.temp<[-6,-5]xf64>
  %t142 = stencil.apply(%t120 = %t118 : !stencil.temp<[-6,-5]xf64>) -> (!stencil.temp<[-6,-5]xf64>) {
    %p = stencil.index 0 <[0]>
    %x129 = stencil.dyn_access %t120[%p] in <[0]> : <[0]> : !stencil.temp<[-6,-5]xf64>
    stencil.return %x129 : f64
  }
  stencil.store %t142 to %f8(<[-6], [-5]>) : !stencil.temp<[-6,-5]xf64> to !stencil.field<[-6,-5]xf64>
  func.return
}
