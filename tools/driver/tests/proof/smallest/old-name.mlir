// Fault 'old-name': after a loop, fields have the names that they had before it.
// Plan, order and content of fields are those of seed 25
// Seed 25.
func.func @main(%f0: !stencil.field<[0,1]xf64>, %f1: !stencil.field<[0,1]xf64>) {
  %k = arith.constant 0 : index
  %k_1 = arith.constant 2 : index
  %k_2 = arith.constant 1 : index
  %f70 = scf.for %i68 = %k to %k_1 step %k_2 iter_args(%f69 = %f1) -> (!stencil.field<[0,1]xf64>) {
    %k_3 = arith.constant -2 : index
    %k_4 = arith.constant 3 : index
    %k_5 = arith.constant 1 : index
    %f73, %f75 = scf.for %i71 = %k_3 to %k_4 step %k_5 iter_args(%f72 = %f0, %f74 = %f69) -> (!stencil.field<[0,1]xf64>, !stencil.field<[0,1]xf64>) {
      %t76 = stencil.load %f72 : !stencil.field<[0,1]xf64> -> !stencil.temp<[0,1]xf64>
      %t101 = stencil.apply(%t78 = %t76 : !stencil.temp<[0,1]xf64>) -> (!stencil.temp<[0,1]xf64>) {
        %x83 = stencil.access %t78[0] : !stencil.temp<[0,1]xf64>
        %x84 = arith.constant -3.0 : f64
        %x85 = arith.mulf %x83, %x84 : f64
        stencil.return %x85 : f64
      }
      stencil.store %t101 to %f72(<[0], [1]>) : !stencil.temp<[0,1]xf64> to !stencil.field<[0,1]xf64>
      scf.yield %f74, %f72 : !stencil.field<[0,1]xf64>, !stencil.field<[0,1]xf64>
    }
    scf.yield %f75 : !stencil.field<[0,1]xf64>
  }
  func.return
}
