// Fault 'store-of-slot': the last of the demoted values is not stored.
// Plan, order and content of fields are those of seed 0
// Seed 0.
func.func @main(%f8: !stencil.field<[7,8]xf64>) {
  %t142 = stencil.apply() -> (!stencil.temp<[7,8]xf64>) {
    %x133 = arith.constant 1.0 : f64
    %i136 = stencil.index 0 <[0]>
    %i137 = arith.constant 1 : index
    %c138 = arith.cmpi slt, %i136, %i137 : index
    %r141 = scf.if %c138 -> (!stencil.result<f64>) {
      %r140 = stencil.store_result : !stencil.result<f64>
      scf.yield %r140 : !stencil.result<f64>
    } else {
      %r139 = stencil.store_result %x133 : !stencil.result<f64>
      scf.yield %r139 : !stencil.result<f64>
    }
    stencil.return %r141 : !stencil.result<f64>
  }
  stencil.store %t142 to %f8(<[7], [8]>) : !stencil.temp<[7,8]xf64> to !stencil.field<[7,8]xf64>
  func.return
}
