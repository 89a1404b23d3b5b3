// Fault 'skipped-points': points are stored that `store_result` leaves out.
// Plan, order and content of fields are those of seed 0
// Seed 0.
func.func @main(%f8: !stencil.field<[0,1]xf64>) {
  %t142 = stencil.apply() -> (!stencil.temp<[0,1]xf64>) {
    %r140 = stencil.store_result : !stencil.result<f64>
    stencil.return %r140 : !stencil.result<f64>
  }
  stencil.store %t142 to %f8(<[0], [1]>) : !stencil.temp<[0,1]xf64> to !stencil.field<[0,1]xf64>
  func.return
}
