// Fault 'truncating-conversion': `arith.fptosi` rounds to the nearest integer.
// Plan, order and content of fields are those of seed 75
// Seed 75.
func.func @main(%f3: !stencil.field<[0,1]xi32>, %f4: !stencil.field<[0,1]xi32>) {
  %k = arith.constant 0 : index
  %k_1 = arith.constant 3 : index
  %k_2 = arith.constant 1 : index
  %f12, %f14 = scf.for %i10 = %k to %k_1 step %k_2 iter_args(%f11 = %f3, %f13 = %f4) -> (!stencil.field<[0,1]xi32>, !stencil.field<[0,1]xi32>) {
    %t17 = stencil.load %f11 : !stencil.field<[0,1]xi32> -> !stencil.temp<[0,1]xi32>
    %t52 = stencil.apply(%t21 = %t17 : !stencil.temp<[0,1]xi32>) -> (!stencil.temp<[0,1]xi32>) {
      %x27 = stencil.access %t21[0] : !stencil.temp<[0,1]xi32>
      %x28 = arith.sitofp %x27 : i32 to f64
      %x29 = arith.constant 0.038 : f64
      %x30 = arith.addf %x28, %x29 : f64
      %k_3 = arith.constant 3.0 : f64
      %k_4 = arith.constant -3.0 : f64
      %p = arith.maxnumf %x30, %k_4 : f64
      %p_1 = arith.minnumf %p, %k_3 : f64
      %x31 = arith.fptosi %p_1 : f64 to i32
      %x36 = arith.constant -1 : i32
      %x51 = arith.muli %x31, %x36 : i32
      stencil.return %x51 : i32
    }
    stencil.store %t52 to %f11(<[0], [1]>) : !stencil.temp<[0,1]xi32> to !stencil.field<[0,1]xi32>
    scf.yield %f13, %f11 : !stencil.field<[0,1]xi32>, !stencil.field<[0,1]xi32>
  }
  func.return
}
