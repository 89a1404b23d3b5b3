// Fault 'periodic-side': along a periodic dimension tiles end where the domain does.
// Plan, order and content of fields are those of seed 1 --arg=5=0.75 --arg=6=16
!u0 = !stencil.field<[1,11]x[-6,6]x[-2,19]xf32>
!u1 = !stencil.field<[1,11]x[-6,6]x[-2,19]xf32>
!k0 = !stencil.field<[3,9]x[-4,4]x[0,17]xf32>
!temp = !stencil.temp<?x?x?xf32>

func.func @main(%f0_1: !u0, %f0_2: !u0, %f1_1: !u1, %f1_2: !u1, %k0: !k0, %constant: f32, %last: index) {
  %first = arith.constant 0 : index
  %step = arith.constant 2 : index
  %end:4 = scf.for %i = %first to %last step %step iter_args(%u0_1 = %f0_1, %u0_2 = %f0_2, %u1_1 = %f1_1, %u1_2 = %f1_2)
      -> (!u0, !u0, !u1, !u1) {
    %g0_1_0_lower = stencil.load %u0_1 : !u0 -> !temp
    %s0_1_0_lower = stencil.apply(%x = %g0_1_0_lower : !temp) -> (!temp) {
      %0 = stencil.access %x[6, 0, 0] : !temp
      stencil.return %0 : f32
    }
    stencil.store %s0_1_0_lower to %u0_1(<[1, -4, 0], [3, 4, 17]>) : !temp to !u0
    %g0_1_0_upper = stencil.load %u0_1 : !u0 -> !temp
    %s0_1_0_upper = stencil.apply(%x = %g0_1_0_upper : !temp) -> (!temp) {
      %0 = stencil.access %x[-6, 0, 0] : !temp
      stencil.return %0 : f32
    }
    stencil.store %s0_1_0_upper to %u0_1(<[9, -4, 0], [11, 4, 17]>) : !temp to !u0
    %g0_1_1_lower = stencil.load %u0_1 : !u0 -> !temp
    %s0_1_1_lower = stencil.apply(%x = %g0_1_1_lower : !temp) -> (!temp) {
      %0 = stencil.access %x[0, 8, 0] : !temp
      stencil.return %0 : f32
    }
    stencil.store %s0_1_1_lower to %u0_1(<[1, -6, 0], [11, -4, 17]>) : !temp to !u0
    %g0_1_1_upper = stencil.load %u0_1 : !u0 -> !temp
    %s0_1_1_upper = stencil.apply(%x = %g0_1_1_upper : !temp) -> (!temp) {
      %0 = stencil.access %x[0, -8, 0] : !temp
      stencil.return %0 : f32
    }
    stencil.store %s0_1_1_upper to %u0_1(<[1, 4, 0], [11, 6, 17]>) : !temp to !u0
    %g1_1_0_lower = stencil.load %u1_1 : !u1 -> !temp
    %s1_1_0_lower = stencil.apply(%x = %g1_1_0_lower : !temp) -> (!temp) {
      %0 = stencil.access %x[6, 0, 0] : !temp
      stencil.return %0 : f32
    }
    stencil.store %s1_1_0_lower to %u1_1(<[1, -4, 0], [3, 4, 17]>) : !temp to !u1
    %g1_1_0_upper = stencil.load %u1_1 : !u1 -> !temp
    %s1_1_0_upper = stencil.apply(%x = %g1_1_0_upper : !temp) -> (!temp) {
      %0 = stencil.access %x[-6, 0, 0] : !temp
      stencil.return %0 : f32
    }
    stencil.store %s1_1_0_upper to %u1_1(<[9, -4, 0], [11, 4, 17]>) : !temp to !u1
    %g1_1_1_lower = stencil.load %u1_1 : !u1 -> !temp
    %s1_1_1_lower = stencil.apply(%x = %g1_1_1_lower : !temp) -> (!temp) {
      %0 = stencil.access %x[0, 8, 0] : !temp
      stencil.return %0 : f32
    }
    stencil.store %s1_1_1_lower to %u1_1(<[1, -6, 0], [11, -4, 17]>) : !temp to !u1
    %g1_1_1_upper = stencil.load %u1_1 : !u1 -> !temp
    %s1_1_1_upper = stencil.apply(%x = %g1_1_1_upper : !temp) -> (!temp) {
      %0 = stencil.access %x[0, -8, 0] : !temp
      stencil.return %0 : f32
    }
    stencil.store %s1_1_1_upper to %u1_1(<[1, 4, 0], [11, 6, 17]>) : !temp to !u1
    %g1_2_0_lower = stencil.load %u1_2 : !u1 -> !temp
    %s1_2_0_lower = stencil.apply(%x = %g1_2_0_lower : !temp) -> (!temp) {
      %0 = stencil.access %x[6, 0, 0] : !temp
      stencil.return %0 : f32
    }
    stencil.store %s1_2_0_lower to %u1_2(<[1, -4, 0], [3, 4, 17]>) : !temp to !u1
    %g1_2_0_upper = stencil.load %u1_2 : !u1 -> !temp
    %s1_2_0_upper = stencil.apply(%x = %g1_2_0_upper : !temp) -> (!temp) {
      %0 = stencil.access %x[-6, 0, 0] : !temp
      stencil.return %0 : f32
    }
    stencil.store %s1_2_0_upper to %u1_2(<[9, -4, 0], [11, 4, 17]>) : !temp to !u1
    %g1_2_1_lower = stencil.load %u1_2 : !u1 -> !temp
    %s1_2_1_lower = stencil.apply(%x = %g1_2_1_lower : !temp) -> (!temp) {
      %0 = stencil.access %x[0, 8, 0] : !temp
      stencil.return %0 : f32
    }
    stencil.store %s1_2_1_lower to %u1_2(<[1, -6, 0], [11, -4, 17]>) : !temp to !u1
    %g1_2_1_upper = stencil.load %u1_2 : !u1 -> !temp
    %s1_2_1_upper = stencil.apply(%x = %g1_2_1_upper : !temp) -> (!temp) {
      %0 = stencil.access %x[0, -8, 0] : !temp
      stencil.return %0 : f32
    }
    stencil.store %s1_2_1_upper to %u1_2(<[1, 4, 0], [11, 6, 17]>) : !temp to !u1
    %whole = arith.index_cast %i : index to i32
    %count = arith.sitofp %whole : i32 to f32
    %scale = arith.constant 0.0078125 : f32
    %time = arith.mulf %count, %scale : f32
    %l0_0 = stencil.load %u0_2 : !u0 -> !temp
    %l0_1 = stencil.load %u1_2 : !u1 -> !temp
    %l0_2 = stencil.load %k0 : !k0 -> !temp
    %r0:1 = stencil.apply(%x0 = %l0_0 : !temp, %x1 = %l0_1 : !temp, %x2 = %l0_2 : !temp)
        -> (!temp) {
      %v0 = stencil.access %x0[0, 0, 0] : !temp
      %v1 = stencil.access %x1[-1, 0, 0] : !temp
      %v2 = stencil.access %x2[0, 0, 0] : !temp
      %v3 = arith.constant 0.34375 : f32
      %v4 = arith.mulf %v1, %v3 : f32
      %v5 = arith.constant 0.34765625 : f32
      %v6 = arith.mulf %v2, %v5 : f32
      %v7 = arith.subf %v4, %v6 : f32
      stencil.return %v7 : f32
    }
    %l1_0 = stencil.load %u0_1 : !u0 -> !temp
    %l1_1 = stencil.load %u0_2 : !u0 -> !temp
    %l1_2 = stencil.load %u1_1 : !u1 -> !temp
    %l1_4 = stencil.load %k0 : !k0 -> !temp
    %r1:1 = stencil.apply(%x0 = %l1_0 : !temp, %x1 = %l1_1 : !temp, %x2 = %l1_2 : !temp, %x3 = %r0#0 : !temp, %x4 = %l1_4 : !temp, %c = %constant : f32)
        -> (!temp) {
      %v0 = stencil.access %x0[-1, 0, 0] : !temp
      %v1 = stencil.access %x1[0, 0, 0] : !temp
      %v2 = stencil.access %x2[0, -1, 0] : !temp
      %v3 = stencil.access %x2[1, 0, 0] : !temp
      %v4 = stencil.access %x3[0, 0, 0] : !temp
      %v5 = stencil.access %x4[0, 0, 0] : !temp
      %v6 = arith.constant 0.10491071428571427 : f32
      %v7 = arith.mulf %v0, %v6 : f32
      %v8 = arith.constant 0.1171875 : f32
      %v9 = arith.mulf %v1, %v8 : f32
      %v10 = arith.addf %v7, %v9 : f32
      %v11 = arith.constant 0.09709821428571427 : f32
      %v12 = arith.mulf %v2, %v11 : f32
      %v13 = arith.addf %v10, %v12 : f32
      %v14 = arith.constant 0.14174107142857142 : f32
      %v15 = arith.mulf %v3, %v14 : f32
      %v16 = arith.addf %v13, %v15 : f32
      %v17 = arith.constant 0.11383928571428571 : f32
      %v18 = arith.mulf %v4, %v17 : f32
      %v19 = arith.addf %v16, %v18 : f32
      %v20 = arith.constant 0.13616071428571427 : f32
      %v21 = arith.mulf %v5, %v20 : f32
      %v22 = arith.mulf %v21, %v5 : f32
      %v23 = arith.addf %v19, %v22 : f32
      %v24 = arith.constant 0.07589285714285714 : f32
      %v25 = arith.mulf %c, %v24 : f32
      %v26 = arith.addf %v23, %v25 : f32
      stencil.return %v26 : f32
    }
    stencil.store %r1#0 to %u1_2(<[3, -4, 0], [9, 4, 17]>) : !temp to !u1
    %l2_0 = stencil.load %u0_1 : !u0 -> !temp
    %l2_1 = stencil.load %u0_2 : !u0 -> !temp
    %r2:1 = stencil.apply(%x0 = %l2_0 : !temp, %x1 = %l2_1 : !temp, %t = %time : f32)
        -> (!temp) {
      %v0 = stencil.access %x0[-1, 0, 0] : !temp
      %v1 = stencil.access %x0[0, 0, 0] : !temp
      %v2 = stencil.access %x1[0, 0, 0] : !temp
      %v3 = arith.constant 0.232421875 : f32
      %v4 = arith.mulf %v0, %v3 : f32
      %v5 = arith.constant 0.240234375 : f32
      %v6 = arith.mulf %v1, %v5 : f32
      %v7 = arith.subf %v4, %v6 : f32
      %v8 = arith.constant 0.13671875 : f32
      %v9 = arith.mulf %v2, %v8 : f32
      %v10 = arith.addf %v7, %v9 : f32
      %v11 = arith.constant 0.126953125 : f32
      %v12 = arith.mulf %t, %v11 : f32
      %v13 = arith.addf %v10, %v12 : f32
      stencil.return %v13 : f32
    }
    stencil.store %r2#0 to %u0_2(<[3, -4, 0], [9, 4, 17]>) : !temp to !u0
    scf.yield %u0_2, %u0_1, %u1_2, %u1_1 : !u0, !u0, !u1, !u1
  } {stencil.plan = #stencil.plan<{mapping = "block", steps = 2, threads = array<i64: 1, 2, 32>, points = array<i64: 1, 4, 1>, rotation = "unroll", reads = "memory", loads = "direct", remainder = "halved", skew = "tight", chunks = 2, edge_chunks = 4}>}
  return
}
