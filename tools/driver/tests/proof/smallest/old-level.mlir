// Fault 'old-level': a step hands on the levels that it began with, not its own.
// Plan, order and content of fields are those of seed 0 --arg=2=0.75
!u0 = !stencil.field<[0,13]x[-2,25]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @main(%f0_1: !u0, %f0_2: !u0, %constant: f64) {
  %first = arith.constant 0 : index
  %step = arith.constant 2 : index
  %last = arith.constant 22 : index
  %end:3 = scf.for %i = %first to %last step %step iter_args(%u0_1 = %f0_1, %u0_2 = %f0_2, %number = %constant)
      -> (!u0, !u0, f64) {
    %l0_0 = stencil.load %u0_1 : !u0 -> !temp
    %r0:1 = stencil.apply(%x0 = %l0_0 : !temp, %c = %constant : f64)
        -> (!temp) {
      %v0 = stencil.access %x0[0, -1] : !temp
      %v1 = stencil.access %x0[0, 0] : !temp
      %v2 = stencil.index 0 <[0, 0]>
      %v3 = arith.index_cast %v2 : index to i32
      %v4 = arith.sitofp %v3 : i32 to f64
      %v5 = arith.constant 0.015625 : f64
      %v6 = arith.mulf %v4, %v5 : f64
      %v7 = arith.constant 0.2421875 : f64
      %v8 = arith.mulf %v1, %v7 : f64
      %v9 = arith.mulf %v8, %v1 : f64
      %v10 = arith.constant 0.328125 : f64
      %v11 = arith.mulf %c, %v10 : f64
      %v12 = arith.mulf %v11, %c : f64
      %v13 = arith.addf %v9, %v12 : f64
      %v14 = arith.constant 0.2708333333333333 : f64
      %v15 = arith.mulf %v6, %v14 : f64
      %v16 = arith.subf %v13, %v15 : f64
      stencil.return %v16 : f64
    }
    stencil.store %r0#0 to %u0_2(<[0, -1], [13, 25]>) : !temp to !u0
    %half = arith.constant 0.5 : f64
    %next = arith.mulf %number, %half : f64
    scf.yield %u0_2, %u0_1, %next : !u0, !u0, f64
  } {stencil.plan = #stencil.plan<{mapping = "block", steps = 3, threads = array<i64: 1, 32>, points = array<i64: 1, 2>, rotation = "unroll", reads = "queue", remainder = "single"}>}
  return
}
