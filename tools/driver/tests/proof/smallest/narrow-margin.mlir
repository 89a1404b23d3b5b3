// Fault 'narrow-margin': tiles overlap by a column too little.
// Plan, order and content of fields are those of seed 3 --arg=4=0.75
!u0 = !stencil.field<[-1,105]xf32>
!k0 = !stencil.field<[-3,107]xf32>
!k1 = !stencil.field<[-2,109]xf32>
!k2 = !stencil.field<[-4,107]xf32>
!temp = !stencil.temp<?xf32>

func.func @main(%f0_1: !u0, %k0: !k0, %k1: !k1, %k2: !k2, %constant: f32) {
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %last = arith.constant 1 : index
    %l0_0 = stencil.load %k0 : !k0 -> !temp
    %l0_1 = stencil.load %k2 : !k2 -> !temp
    %r0:1 = stencil.apply(%x0 = %l0_0 : !temp, %x1 = %l0_1 : !temp)
        -> (!temp)
        attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp", steps = 1, threads = array<i64: 64>, points = array<i64: 2>, rotation = "move", loads = "direct"}>} {
      %v0 = stencil.access %x0[0] : !temp
      %v1 = stencil.access %x1[-1] : !temp
      %v2 = arith.constant 0.39453125 : f32
      %v3 = arith.mulf %v0, %v2 : f32
      %v4 = arith.constant 0.2578125 : f32
      %v5 = arith.mulf %v1, %v4 : f32
      %v6 = arith.subf %v3, %v5 : f32
      stencil.return %v6 : f32
    }
    %l1_0 = stencil.load %k1 : !k1 -> !temp
    %r1:1 = stencil.apply(%x0 = %l1_0 : !temp)
        -> (!temp)
        attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp", steps = 1, threads = array<i64: 64>, points = array<i64: 2>, rotation = "move", loads = "direct"}>} {
      %v0 = stencil.access %x0[2] : !temp
      %v1 = arith.constant 0.9453125 : f32
      %v2 = arith.mulf %v0, %v1 : f32
      stencil.return %v2 : f32
    }
    %l2_2 = stencil.load %k1 : !k1 -> !temp
    %l2_3 = stencil.load %k2 : !k2 -> !temp
    %r2:1 = stencil.apply(%x0 = %r0#0 : !temp, %x1 = %r1#0 : !temp, %x2 = %l2_2 : !temp, %x3 = %l2_3 : !temp)
        -> (!temp)
        attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp", steps = 1, threads = array<i64: 64>, points = array<i64: 2>, rotation = "move", loads = "direct"}>} {
      %v0 = stencil.access %x0[-2] : !temp
      %v1 = stencil.access %x0[0] : !temp
      %v2 = stencil.access %x0[2] : !temp
      %v3 = stencil.access %x1[2] : !temp
      %v4 = stencil.access %x2[-1] : !temp
      %v5 = stencil.access %x3[2] : !temp
      %v6 = stencil.index 0 <[0]>
      %v7 = arith.index_cast %v6 : index to i32
      %v8 = arith.sitofp %v7 : i32 to f32
      %v9 = arith.constant 0.015625 : f32
      %v10 = arith.mulf %v8, %v9 : f32
      %v11 = arith.constant 0.11197916666666666 : f32
      %v12 = arith.mulf %v0, %v11 : f32
      %v13 = arith.constant 0.16276041666666666 : f32
      %v14 = arith.mulf %v1, %v13 : f32
      %v15 = arith.addf %v12, %v14 : f32
      %v16 = arith.constant 0.16276041666666666 : f32
      %v17 = arith.mulf %v2, %v16 : f32
      %v18 = arith.addf %v15, %v17 : f32
      %v19 = arith.constant 0.1015625 : f32
      %v20 = arith.mulf %v3, %v19 : f32
      %v21 = arith.subf %v18, %v20 : f32
      %v22 = arith.constant 0.11848958333333333 : f32
      %v23 = arith.mulf %v4, %v22 : f32
      %v24 = arith.addf %v21, %v23 : f32
      %v25 = arith.constant 0.12760416666666666 : f32
      %v26 = arith.mulf %v5, %v25 : f32
      %v27 = arith.subf %v24, %v26 : f32
      stencil.return %v27 : f32
    }
    stencil.store %r2#0 to %f0_1(<[-1], [105]>) : !temp to !u0
  return
}
