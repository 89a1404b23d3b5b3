// Fault 'rotation': the first two fields of a loop do not change places as it says.
// Plan, order and content of fields are those of seed 0
// Seed 0.
func.func @main(%f11: !stencil.field<[0,1]xf64>, %f8: !stencil.field<[0,1]xf64>) {
  %k = arith.constant 0 : index
  %k_1 = arith.constant 2 : index
  %k_2 = arith.constant 1 : index
  %f115, %f117 = scf.for %i113 = %k to %k_1 step %k_2 iter_args(%f114 = %f8, %f116 = %f11) -> (!stencil.field<[0,1]xf64>, !stencil.field<[0,1]xf64>) {
    %t118 = stencil.load %f116 : !stencil.field<[0,1]xf64> -> !stencil.temp<[0,1]xf64>
    stencil.store %t118 to %f114(<[0], [1]>) : !stencil.temp<[0,1]xf64> to !stencil.field<[0,1]xf64>
    scf.yield %f116, %f114 : !stencil.field<[0,1]xf64>, !stencil.field<[0,1]xf64>
  }
  func.return
}
