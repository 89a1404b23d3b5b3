// Fault 'frame-plane': a frame around a tile is that of another plane.
// Plan, order and content of fields are those of seed 3
// Seed 3.
func.func @main(%f0: !stencil.field<[1,20]x[6,135]xf32> {stencil.scratch}, %f1: !stencil.field<[1,20]x[6,135]xf32>) {
  %k = arith.constant 0 : index
  %k_1 = arith.constant 25 : index
  %k_2 = arith.constant 3 : index
  %f3, %f5 = scf.for %i6 = %k to %k_1 step %k_2 iter_args(%f2 = %f0, %f4 = %f1) -> (!stencil.field<[1,20]x[6,135]xf32>, !stencil.field<[1,20]x[6,135]xf32>) {
    %t7 = stencil.load %f2 : !stencil.field<[1,20]x[6,135]xf32> -> !stencil.temp<?x?xf32>
    %t9 = stencil.load %f4 : !stencil.field<[1,20]x[6,135]xf32> -> !stencil.temp<?x?xf32>
    %t37 = stencil.apply(%t8 = %t7 : !stencil.temp<?x?xf32>, %t10 = %t9 : !stencil.temp<?x?xf32>) -> (!stencil.temp<?x?xf32>) attributes {stencil.plan = #stencil.plan<{mapping = "block", form = "gather", skew = "tight", storage = "diagonal-free", points = array<i64: 1, 2>, threads = array<i64: 1, 32>, steps = 4 : i64, chunks = 5 : i64, max_registers = 64 : i64}>} {
      %i11 = stencil.index 1 <[-1, -2]>
      %x12 = arith.index_cast %i11 : index to i32
      %x13 = arith.sitofp %x12 : i32 to f32
      %x14 = arith.constant 0.015625 : f32
      %x15 = arith.mulf %x13, %x14 : f32
      %x16 = stencil.access %t8[-2, 0] : !stencil.temp<?x?xf32>
      %x17 = arith.constant -0.125 : f32
      %x18 = arith.mulf %x17, %x16 : f32
      %x19 = stencil.access %t8[2, 0] : !stencil.temp<?x?xf32>
      %x20 = arith.constant 0.0 : f32
      %x21 = arith.mulf %x20, %x19 : f32
      %x22 = stencil.access %t8[0, -2] : !stencil.temp<?x?xf32>
      %x23 = stencil.access %t8[0, 2] : !stencil.temp<?x?xf32>
      %x24 = arith.constant 0.125 : f32
      %x25 = arith.mulf %x24, %x23 : f32
      %x26 = stencil.access %t10[0, 0] : !stencil.temp<?x?xf32>
      %x27 = arith.constant -0.25 : f32
      %x28 = arith.mulf %x27, %x26 : f32
      %x29 = arith.addf %x18, %x25 : f32
      %x30 = arith.addf %x29, %x22 : f32
      %x31 = arith.addf %x30, %x28 : f32
      %x32 = arith.addf %x31, %x21 : f32
      %x33 = arith.mulf %x28, %x28 : f32
      %x34 = arith.constant 1.0 : f32
      %x35 = arith.addf %x34, %x33 : f32
      %x36 = arith.divf %x32, %x35 : f32
      stencil.return %x36 : f32
    }
    stencil.store %t37 to %f4(<[3, 8], [18, 133]>) : !stencil.temp<?x?xf32> to !stencil.field<[1,20]x[6,135]xf32>
    scf.yield %f4, %f2 : !stencil.field<[1,20]x[6,135]xf32>, !stencil.field<[1,20]x[6,135]xf32>
  }
  func.return
}
