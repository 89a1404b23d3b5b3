// Fault 'wrong-boundary': cells outside of the domain come from another field.
// Plan, order and content of fields are those of seed 1
// Seed 1.
func.func @main(%f0: !stencil.field<[0,1]x[-1,31]xf64>, %f1: !stencil.field<[0,1]x[-1,31]xf64>) {
  %k = arith.constant 0 : index
  %k_1 = arith.constant 2 : index
  %k_2 = arith.constant 1 : index
  %f3, %f5 = scf.for %i6 = %k to %k_1 step %k_2 iter_args(%f2 = %f0, %f4 = %f1) -> (!stencil.field<[0,1]x[-1,31]xf64>, !stencil.field<[0,1]x[-1,31]xf64>) {
    %t8 = stencil.load %f2 : !stencil.field<[0,1]x[-1,31]xf64> -> !stencil.temp<[0,1]x[-1,30]xf64>
    %t28 = stencil.apply(%t9 = %t8 : !stencil.temp<[0,1]x[-1,30]xf64>) -> (!stencil.temp<[0,1]x[0,31]xf64>) attributes {stencil.plan = #stencil.plan<{mapping = "block", form = "gather", skew = "lazy", storage = "shared", points = array<i64: 1, 1>, threads = array<i64: 2, 32>, steps = 2 : i64, chunks = 3 : i64, loads = "prefetch", tail = "scratch", max_registers = 255 : i64}>} {
      %x17 = stencil.access %t9[0, -1] : !stencil.temp<[0,1]x[-1,30]xf64>
      stencil.return %x17 : f64
    }
    stencil.store %t28 to %f4(<[0, 0], [1, 31]>) : !stencil.temp<[0,1]x[0,31]xf64> to !stencil.field<[0,1]x[-1,31]xf64>
    scf.yield %f4, %f2 : !stencil.field<[0,1]x[-1,31]xf64>, !stencil.field<[0,1]x[-1,31]xf64>
  }
  func.return
}
