// Fault 'least-extents': sweeps are taken for domains of one point on, as if no tile was larger.
// Plan, order and content of fields are those of seed 12
// Seed 6.
func.func @main(%f0: !stencil.field<[-2,5]x[-1,5]xf64>, %f1: !stencil.field<[-2,5]x[-1,5]xf64>) {
  %k = arith.constant 0 : index
  %k_1 = arith.constant 10 : index
  %k_2 = arith.constant 1 : index
  %f3, %f5 = scf.for %i6 = %k to %k_1 step %k_2 iter_args(%f2 = %f0, %f4 = %f1) -> (!stencil.field<[-2,5]x[-1,5]xf64>, !stencil.field<[-2,5]x[-1,5]xf64>) {
    %t7 = stencil.load %f4 : !stencil.field<[-2,5]x[-1,5]xf64> -> !stencil.temp<[-2,5]x[-1,5]xf64>
    %t9 = stencil.load %f2 : !stencil.field<[-2,5]x[-1,5]xf64> -> !stencil.temp<[0,4]x[0,4]xf64>
    %t36 = stencil.apply(%t8 = %t7 : !stencil.temp<[-2,5]x[-1,5]xf64>, %t10 = %t9 : !stencil.temp<[0,4]x[0,4]xf64>) -> (!stencil.temp<[0,4]x[0,4]xf64>) attributes {stencil.plan = #stencil.plan<{mapping = "warp", form = "gather", skew = "lazy", storage = "shared", points = array<i64: 1, 1>, threads = array<i64: 1, 32>, steps = 5 : i64, chunks = 1 : i64, max_registers = 64 : i64, remainder = "single", demote = 8 : i64, demote_heuristic = "operand-conflicts", demote_layout = "thread-major", demote_redundant = "removed", demote_remat = "loads", demote_schedule = "kept", demote_values = 3 : i64, demote_hoist = 8 : i64}>} {
      %x12 = arith.constant 1.0 : f64
      %x17 = stencil.access %t8[0, 1] : !stencil.temp<[-2,5]x[-1,5]xf64>
      %x21 = stencil.access %t8[-2, -1] : !stencil.temp<[-2,5]x[-1,5]xf64>
      %x24 = stencil.access %t8[1, 0] : !stencil.temp<[-2,5]x[-1,5]xf64>
      %x27 = stencil.access %t10[0, 0] : !stencil.temp<[0,4]x[0,4]xf64>
      %x30 = arith.addf %x17, %x21 : f64
      %x31 = arith.addf %x30, %x24 : f64
      %x32 = arith.addf %x31, %x12 : f64
      %x33 = arith.addf %x32, %x27 : f64
      stencil.return %x33 : f64
    }
    stencil.store %t36 to %f2(<[0, 0], [4, 4]>) : !stencil.temp<[0,4]x[0,4]xf64> to !stencil.field<[-2,5]x[-1,5]xf64>
    scf.yield %f4, %f2 : !stencil.field<[-2,5]x[-1,5]xf64>, !stencil.field<[-2,5]x[-1,5]xf64>
  }
  func.return
}
