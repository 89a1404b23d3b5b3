// Fault 'unroll-order': the values of an unrolled return are stored in the reverse order.
// Plan, order and content of fields are those of seed 4
// Seed 4.
func.func @main(%f4: !stencil.field<[0,3]xf64>) {
  %t27 = stencil.load %f4 : !stencil.field<[0,3]xf64> -> !stencil.temp<[0,3]xf64>
  %t53 = stencil.apply(%t37 = %t27 : !stencil.temp<[0,3]xf64>) -> (!stencil.temp<[0,2]xf64>) {
    %x43 = stencil.access %t37[0] : !stencil.temp<[0,3]xf64>
    %x43_1 = stencil.access %t37[1] : !stencil.temp<[0,3]xf64>
    stencil.return %x43, %x43_1 unroll <[2]> : f64, f64
  }
  stencil.store %t53 to %f4(<[0], [2]>) : !stencil.temp<[0,2]xf64> to !stencil.field<[0,3]xf64>
  func.return
}
