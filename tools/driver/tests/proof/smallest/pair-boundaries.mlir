// Fault 'pair-boundaries': the second sweep of a pair has the boundary sources of the first.
// Plan, order and content of fields are those of seed 4 --arg=4=24
// Seed 4.
func.func @main(%f0: !stencil.field<[9,28]x[-5,229]xf64>, %f1: !stencil.field<[9,28]x[-5,229]xf64>, %f7: !stencil.field<[-3,229]xf64>, %f8: !stencil.field<[4,27]x[-2,229]xf32>, %i64: index) {
  %k = arith.constant 1 : index
  %k_1 = arith.constant 1 : index
  %g3:2 = scf.for %i6 = %k to %i64 step %k_1 iter_args(%f2 = %f0, %f4 = %f1) -> (!stencil.field<[9,28]x[-5,229]xf64>, !stencil.field<[9,28]x[-5,229]xf64>) {
    %t9 = stencil.load %f2 : !stencil.field<[9,28]x[-5,229]xf64> -> !stencil.temp<?x?xf64>
    %t11 = stencil.load %f7 : !stencil.field<[-3,229]xf64> -> !stencil.temp<?xf64>
    %t13 = stencil.load %f8 : !stencil.field<[4,27]x[-2,229]xf32> -> !stencil.temp<?x?xf32>
    %t63 = stencil.apply(%t10 = %t9 : !stencil.temp<?x?xf64>, %t12 = %t11 : !stencil.temp<?xf64>, %t14 = %t13 : !stencil.temp<?x?xf32>) -> (!stencil.temp<?x?xf64>) attributes {stencil.plan = #stencil.plan<{mapping = "block", form = "scatter", skew = "tight", points = array<i64: 1, 3>, threads = array<i64: 1, 32>, steps = 5 : i64, chunks = 4 : i64, tail = "scratch"}>} {
      %x15 = stencil.access %t10[0, 0] : !stencil.temp<?x?xf64>
      %x16 = stencil.access %t10[0, -1] : !stencil.temp<?x?xf64>
      %x17 = arith.constant 0.1875 : f64
      %x18 = arith.mulf %x17, %x16 fastmath<reassoc,contract> : f64
      %x19 = stencil.access %t10[0, 1] : !stencil.temp<?x?xf64>
      %x20 = stencil.access %t12[_, 0] : !stencil.temp<?xf64>
      %x21 = arith.constant -0.25 : f64
      %x22 = arith.mulf %x21, %x20 fastmath<reassoc,contract> : f64
      %x23 = stencil.access %t12[_, -1] : !stencil.temp<?xf64>
      %x24 = arith.constant -0.3125 : f64
      %x25 = arith.mulf %x24, %x23 fastmath<reassoc,contract> : f64
      %x26 = stencil.access %t12[_, 2] : !stencil.temp<?xf64>
      %x27 = arith.constant 0.5625 : f64
      %x28 = arith.mulf %x27, %x26 fastmath<reassoc,contract> : f64
      %x29 = stencil.access %t14[0, 0] : !stencil.temp<?x?xf32>
      %x30 = arith.extf %x29 : f32 to f64
      %x31 = arith.constant 0.25 : f64
      %x32 = arith.mulf %x31, %x30 fastmath<reassoc,contract> : f64
      %x33 = stencil.access %t14[-1, 2] : !stencil.temp<?x?xf32>
      %x34 = arith.extf %x33 : f32 to f64
      %x35 = arith.constant 0.5625 : f64
      %x36 = arith.mulf %x35, %x34 fastmath<reassoc,contract> : f64
      %x37 = stencil.access %t14[0, -1] : !stencil.temp<?x?xf32>
      %x38 = arith.extf %x37 : f32 to f64
      %x39 = arith.constant 0.375 : f64
      %x40 = arith.mulf %x39, %x38 fastmath<reassoc,contract> : f64
      %x41 = stencil.access %t14[-1, -2] : !stencil.temp<?x?xf32>
      %x42 = arith.extf %x41 : f32 to f64
      %x43 = arith.constant -0.4375 : f64
      %x44 = arith.mulf %x43, %x42 fastmath<reassoc,contract> : f64
      %x45 = stencil.access %t14[-1, -1] : !stencil.temp<?x?xf32>
      %x46 = arith.extf %x45 : f32 to f64
      %x47 = arith.constant -0.0625 : f64
      %x48 = arith.mulf %x47, %x46 fastmath<reassoc,contract> : f64
      %x49 = arith.addf %x15, %x18 fastmath<reassoc,contract> : f64
      %x50 = arith.addf %x49, %x19 fastmath<reassoc,contract> : f64
      %x51 = arith.addf %x50, %x22 fastmath<reassoc,contract> : f64
      %x52 = arith.addf %x51, %x25 fastmath<reassoc,contract> : f64
      %x53 = arith.addf %x52, %x28 fastmath<reassoc,contract> : f64
      %x54 = arith.addf %x53, %x32 fastmath<reassoc,contract> : f64
      %x55 = arith.addf %x54, %x36 fastmath<reassoc,contract> : f64
      %x56 = arith.addf %x55, %x40 fastmath<reassoc,contract> : f64
      %x57 = arith.addf %x56, %x44 fastmath<reassoc,contract> : f64
      %x58 = arith.addf %x57, %x48 fastmath<reassoc,contract> : f64
      %c59 = arith.cmpf ogt, %x58, %x32 : f64
      %x60 = arith.constant 0.5 : f64
      %x61 = arith.mulf %x58, %x60 fastmath<reassoc,contract> : f64
      %x62 = arith.select %c59, %x61, %x32 : f64
      stencil.return %x62 : f64
    }
    stencil.store %t63 to %f4(<[9, 0], [26, 227]>) : !stencil.temp<?x?xf64> to !stencil.field<[9,28]x[-5,229]xf64>
    scf.yield %f4, %f2 : !stencil.field<[9,28]x[-5,229]xf64>, !stencil.field<[9,28]x[-5,229]xf64>
  }
  func.return
}
