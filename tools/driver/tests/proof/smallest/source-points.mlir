// Fault 'source-points': what overwrites points begins one too far on.
// Plan, order and content of fields are those of seed 0 --arg=5=22
!field = !stencil.field<[-6,43]x[-7,147]xf32>
!temp = !stencil.temp<?x?xf32>

func.func @main(%f0_1: !field, %f0_2: !field, %f1_1: !field, %f1_2: !field, %f2_1: !field, %last: index) {
  %first = arith.constant 2 : index
  %step = arith.constant 3 : index
  %end:4 = scf.for %i = %first to %last step %step iter_args(%u0_1 = %f0_1, %u0_2 = %f0_2, %u1_1 = %f1_1, %u1_2 = %f1_2)
      -> (!field, !field, !field, !field) {
    %whole = arith.index_cast %i : index to i32
    %count = arith.sitofp %whole : i32 to f32
    %scale = arith.constant 0.125 : f32
    %time = arith.mulf %count, %scale : f32
    %step10_0 = stencil.load %u0_1 : !field -> !temp
    %step10_1 = stencil.load %u1_1 : !field -> !temp
    %step10_2 = stencil.load %f2_1 : !field -> !temp
    %step10_3 = stencil.load %u0_2 : !field -> !temp
    %step10:1 = stencil.apply(%x0 = %step10_0 : !temp, %x1 = %step10_1 : !temp, %x2 = %step10_2 : !temp, %x3 = %step10_3 : !temp) -> (!temp)
        attributes {stencil.stage = "step10"} {
      %v0 = stencil.access %x0[0, 1] : !temp
      %v1 = stencil.access %x1[0, -1] : !temp
      %v2 = stencil.access %x1[0, 0] : !temp
      %v3 = stencil.access %x1[1, 0] : !temp
      %v4 = stencil.access %x2[0, 0] : !temp
      %v5 = stencil.access %x3[0, 0] : !temp
      %v6 = arith.constant 0.14322916666666666 : f32
      %v7 = arith.mulf %v0, %v6 : f32
      %v8 = arith.constant 0.109375 : f32
      %v9 = arith.mulf %v1, %v8 : f32
      %v10 = arith.subf %v7, %v9 : f32
      %v11 = arith.constant 0.10807291666666666 : f32
      %v12 = arith.mulf %v2, %v11 : f32
      %v13 = arith.subf %v10, %v12 : f32
      %v14 = arith.constant 0.13802083333333331 : f32
      %v15 = arith.mulf %v3, %v14 : f32
      %v16 = arith.addf %v13, %v15 : f32
      %v17 = arith.constant 0.125 : f32
      %v18 = arith.mulf %v4, %v17 : f32
      %v19 = arith.addf %v16, %v18 : f32
      %v20 = arith.constant 0.10026041666666666 : f32
      %v21 = arith.mulf %v5, %v20 : f32
      %v22 = arith.subf %v19, %v21 : f32
      stencil.return %v22 : f32
    }
    stencil.store %step10#0 to %f2_1(<[-1, -2], [38, 142]>) : !temp to !field
    %force11:1 = stencil.apply(%t = %time : f32) -> (!temp)
        attributes {stencil.stage = "force11"} {
      %v0 = arith.constant 0.671875 : f32
      %v1 = arith.mulf %v0, %t : f32
      stencil.return %v1 : f32
    }
    stencil.store %force11#0 to %f2_1(<[0, 140], [1, 141]>) : !temp to !field
    %force12_0 = stencil.load %f2_1 : !field -> !temp
    %force12:1 = stencil.apply(%x0 = %force12_0 : !temp) -> (!temp)
        attributes {stencil.stage = "force12"} {
      %v0 = stencil.access %x0[0, 0] : !temp
      %v1 = arith.constant 0.796875 : f32
      %v2 = arith.mulf %v0, %v1 : f32
      stencil.return %v2 : f32
    }
    stencil.store %force12#0 to %f2_1(<[4, 140], [5, 141]>) : !temp to !field
    %fill13:1 = stencil.apply() -> (!temp)
        attributes {stencil.stage = "fill13"} {
      %v0 = arith.constant 0.5 : f32
      %v1 = arith.negf %v0 : f32
      stencil.return %v1 : f32
    }
    stencil.store %fill13#0 to %u0_2(<[-1, 142], [38, 143]>) : !temp to !field
    %fill14:1 = stencil.apply() -> (!temp)
        attributes {stencil.stage = "fill14"} {
      %v0 = arith.constant 0.484375 : f32
      %v1 = arith.negf %v0 : f32
      stencil.return %v1 : f32
    }
    stencil.store %fill14#0 to %u1_2(<[-1, 142], [38, 143]>) : !temp to !field
    %fill15:1 = stencil.apply() -> (!temp)
        attributes {stencil.stage = "fill15"} {
      %v0 = arith.constant 0.625 : f32
      %v1 = arith.negf %v0 : f32
      stencil.return %v1 : f32
    }
    stencil.store %fill15#0 to %f2_1(<[-1, 142], [38, 144]>) : !temp to !field
    %fill16:1 = stencil.apply() -> (!temp)
        attributes {stencil.stage = "fill16"} {
      %v0 = stencil.index 1 <[0, 0]>
      %v1 = arith.index_cast %v0 : index to i32
      %v2 = arith.sitofp %v1 : i32 to f32
      %v3 = arith.constant 0.015625 : f32
      %v4 = arith.mulf %v2, %v3 : f32
      %v5 = arith.negf %v4 : f32
      stencil.return %v5 : f32
    }
    stencil.store %fill16#0 to %u0_2(<[-1, -4], [38, -2]>) : !temp to !field
    %fill17_0 = stencil.load %f2_1 : !field -> !temp
    %fill17:1 = stencil.apply(%x0 = %fill17_0 : !temp) -> (!temp)
        attributes {stencil.stage = "fill17"} {
      %v0 = stencil.access %x0[0, 1] : !temp
      %v1 = stencil.access %x0[0, 2] : !temp
      %v2 = arith.constant 0.3515625 : f32
      %v3 = arith.mulf %v0, %v2 : f32
      %v4 = arith.constant 0.2578125 : f32
      %v5 = arith.mulf %v1, %v4 : f32
      %v6 = arith.addf %v3, %v5 : f32
      stencil.return %v6 : f32
    }
    stencil.store %fill17#0 to %u1_2(<[-1, -3], [38, -2]>) : !temp to !field
    %fill18_0 = stencil.load %u1_2 : !field -> !temp
    %fill18_1 = stencil.load %f2_1 : !field -> !temp
    %fill18:1 = stencil.apply(%x0 = %fill18_0 : !temp, %x1 = %fill18_1 : !temp) -> (!temp)
        attributes {stencil.stage = "fill18"} {
      %v0 = stencil.access %x0[0, 3] : !temp
      %v1 = stencil.access %x1[0, 6] : !temp
      %v2 = arith.constant 0.32421875 : f32
      %v3 = arith.mulf %v0, %v2 : f32
      %v4 = arith.constant 0.46875 : f32
      %v5 = arith.mulf %v1, %v4 : f32
      %v6 = arith.subf %v3, %v5 : f32
      %v7 = arith.negf %v6 : f32
      stencil.return %v7 : f32
    }
    stencil.store %fill18#0 to %u1_2(<[-1, -4], [38, -3]>) : !temp to !field
    %fill19_0 = stencil.load %f2_1 : !field -> !temp
    %fill19:1 = stencil.apply(%x0 = %fill19_0 : !temp) -> (!temp)
        attributes {stencil.stage = "fill19"} {
      %v0 = stencil.access %x0[0, 1] : !temp
      %v1 = stencil.index 1 <[0, 0]>
      %v2 = arith.index_cast %v1 : index to i32
      %v3 = arith.sitofp %v2 : i32 to f32
      %v4 = arith.constant 0.015625 : f32
      %v5 = arith.mulf %v3, %v4 : f32
      %v6 = arith.addf %v0, %v5 : f32
      stencil.return %v6 : f32
    }
    stencil.store %fill19#0 to %f2_1(<[-1, -3], [38, -2]>) : !temp to !field
    scf.yield %u0_2, %u0_1, %u1_2, %u1_1 : !field, !field, !field, !field
  }
  return
}
