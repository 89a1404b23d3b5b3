// Fault 'trip-count': a time loop makes one iteration more.
// Plan, order and content of fields are those of seed 0
// Seed 0.
func.func @main(%f11: !stencil.field<[0,1]xf64>) {
  %k = arith.constant 0 : index
  %k_1 = arith.constant 2 : index
  %k_2 = arith.constant 1 : index
  scf.for %i25 = %k to %k_1 step %k_2 {
    %t30 = stencil.load %f11 : !stencil.field<[0,1]xf64> -> !stencil.temp<[0,1]xf64>
    %t77 = stencil.apply(%t60 = %t30 : !stencil.temp<[0,1]xf64>) -> (!stencil.temp<[0,1]xf64>) {
      %x68 = stencil.access %t60[0] : !stencil.temp<[0,1]xf64>
      %x69 = arith.addf %x68, %x68 : f64
      stencil.return %x69 : f64
    }
    stencil.store %t77 to %f11(<[0], [1]>) : !stencil.temp<[0,1]xf64> to !stencil.field<[0,1]xf64>
  }
  func.return
}
