// Fault 'column-sign': the offset along a row has the other sign.
// Plan, order and content of fields are those of seed 1 --arg=2=-0.3125
// Seed 1.
func.func @main(%f0: !stencil.field<[-3,7]x[-3,74]xf32> {stencil.scratch}, %f1: !stencil.field<[-3,7]x[-3,74]xf32>, %x7: f32) {
  %k = arith.constant 0 : index
  %k_1 = arith.constant 3 : index
  %k_2 = arith.constant 1 : index
  %f3, %f5 = scf.for %i6 = %k to %k_1 step %k_2 iter_args(%f2 = %f0, %f4 = %f1) -> (!stencil.field<[-3,7]x[-3,74]xf32>, !stencil.field<[-3,7]x[-3,74]xf32>) {
    %t8 = stencil.load %f2 : !stencil.field<[-3,7]x[-3,74]xf32> -> !stencil.temp<[-3,6]x[-1,74]xf32>
    %t28 = stencil.apply(%t9 = %t8 : !stencil.temp<[-3,6]x[-1,74]xf32>, %x10 = %x7 : f32) -> (!stencil.temp<[0,5]x[0,73]xf32>) attributes {stencil.plan = #stencil.plan<{mapping = "block", form = "gather", skew = "lazy", storage = "shared", points = array<i64: 1, 1>, threads = array<i64: 2, 32>, steps = 2 : i64, chunks = 3 : i64, loads = "prefetch", tail = "scratch", max_registers = 255 : i64}>} {
      %x11 = stencil.access %t9[-3, 0] : !stencil.temp<[-3,6]x[-1,74]xf32>
      %x12 = arith.mulf %x10, %x11 : f32
      %x13 = stencil.access %t9[1, 0] : !stencil.temp<[-3,6]x[-1,74]xf32>
      %x14 = arith.constant 0.25 : f32
      %x15 = arith.mulf %x14, %x13 : f32
      %x16 = stencil.access %t9[-1, 0] : !stencil.temp<[-3,6]x[-1,74]xf32>
      %x17 = stencil.access %t9[0, -1] : !stencil.temp<[-3,6]x[-1,74]xf32>
      %x18 = arith.mulf %x10, %x17 : f32
      %x19 = stencil.access %t9[0, 1] : !stencil.temp<[-3,6]x[-1,74]xf32>
      %x20 = arith.addf %x18, %x16 : f32
      %x21 = arith.addf %x20, %x19 : f32
      %x22 = arith.addf %x21, %x15 : f32
      %x23 = arith.addf %x22, %x12 : f32
      %x24 = arith.mulf %x12, %x12 : f32
      %x25 = arith.constant 1.0 : f32
      %x26 = arith.addf %x25, %x24 : f32
      %x27 = arith.divf %x23, %x26 : f32
      stencil.return %x27 : f32
    }
    stencil.store %t28 to %f4(<[0, 0], [5, 73]>) : !stencil.temp<[0,5]x[0,73]xf32> to !stencil.field<[-3,7]x[-3,74]xf32>
    scf.yield %f4, %f2 : !stencil.field<[-3,7]x[-3,74]xf32>, !stencil.field<[-3,7]x[-3,74]xf32>
  }
  func.return
}
