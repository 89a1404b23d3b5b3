// Fault 'rotated-alias': fields that change places in a loop count as different memory.
// Plan, order and content of fields are those of seed 48
// Seed 48.
func.func @main(%f0: !stencil.field<[0,1]x[0,1]x[0,1]xf64>, %f1: !stencil.field<[0,1]x[0,1]x[0,1]xf64>) {
  %x2 = arith.constant -1.75 : f64
  %x4 = arith.constant -0.0 : f64
  %x6 = arith.constant 2.0 : f64
  %x7 = math.fma %x4, %x6, %x2 : f64
  %t8 = stencil.load %f0 : !stencil.field<[0,1]x[0,1]x[0,1]xf64> -> !stencil.temp<[0,1]x[0,1]x[0,1]xf64>
  %k = arith.constant 0 : index
  %k_1 = arith.constant 2 : index
  %k_2 = arith.constant 1 : index
  %f54, %f56 = scf.for %i52 = %k to %k_1 step %k_2 iter_args(%f53 = %f0, %f55 = %f1) -> (!stencil.field<[0,1]x[0,1]x[0,1]xf64>, !stencil.field<[0,1]x[0,1]x[0,1]xf64>) {
    %t113 = stencil.apply(%t80 = %t8 : !stencil.temp<[0,1]x[0,1]x[0,1]xf64>, %x81 = %x7 : f64) -> (!stencil.temp<[0,1]x[0,1]x[0,1]xf64>) {
      %k_3 = arith.constant 2 : index
      %k_4 = arith.constant 4 : index
      %k_5 = arith.constant 2 : index
      %x110 = scf.for %i92 = %k_3 to %k_4 step %k_5 iter_args(%x93 = %x81) -> (f64) {
        %x107 = stencil.access %t80[0, 0, 0] : !stencil.temp<[0,1]x[0,1]x[0,1]xf64>
        %x109 = arith.addf %x93, %x107 : f64
        scf.yield %x109 : f64
      }
      stencil.return %x110 : f64
    }
    stencil.store %t113 to %f53(<[0, 0, 0], [1, 1, 1]>) : !stencil.temp<[0,1]x[0,1]x[0,1]xf64> to !stencil.field<[0,1]x[0,1]x[0,1]xf64>
    scf.yield %f55, %f53 : !stencil.field<[0,1]x[0,1]x[0,1]xf64>, !stencil.field<[0,1]x[0,1]x[0,1]xf64>
  }
  func.return
}
