// Fault 'wall-stays': a wall at the upper end stays where the reference has it.
// Plan, order and content of fields are those of seed 9 --arg=2=0.75 --plan=step3:mapping=warp,steps=2,threads=1x64,points=1x2,reads=memory,remainder=single,chunks=3,edge_chunks=3
!field = !stencil.field<[-2,14]x[-3,47]xf32>
!temp = !stencil.temp<?x?xf32>

func.func @main(%f0_1: !field, %f0_2: !field, %constant: f32) {
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %last = arith.constant 3 : index
  %end:3 = scf.for %i = %first to %last step %step iter_args(%u0_1 = %f0_1, %u0_2 = %f0_2, %number = %constant)
      -> (!field, !field, f32) {
    %fill0_0 = stencil.load %u0_1 : !field -> !temp
    %fill0:1 = stencil.apply(%x0 = %fill0_0 : !temp, %c = %constant : f32) -> (!temp)
        attributes {stencil.stage = "fill0"} {
      %v0 = stencil.access %x0[-1, 0] : !temp
      %v1 = arith.mulf %v0, %c : f32
      stencil.return %v1 : f32
    }
    stencil.store %fill0#0 to %u0_1(<[9, 2], [10, 42]>) : !temp to !field
    %fill1_0 = stencil.load %u0_1 : !field -> !temp
    %fill1:1 = stencil.apply(%x0 = %fill1_0 : !temp, %c = %constant : f32) -> (!temp)
        attributes {stencil.stage = "fill1"} {
      %v0 = stencil.access %x0[0, 2] : !temp
      %v1 = arith.mulf %v0, %c : f32
      stencil.return %v1 : f32
    }
    stencil.store %fill1#0 to %u0_1(<[3, 1], [9, 2]>) : !temp to !field
    %fill2_0 = stencil.load %u0_1 : !field -> !temp
    %fill2:1 = stencil.apply(%x0 = %fill2_0 : !temp) -> (!temp)
        attributes {stencil.stage = "fill2"} {
      %v0 = stencil.access %x0[1, 0] : !temp
      %v1 = stencil.access %x0[2, 0] : !temp
      %v2 = arith.constant 0.49609375 : f32
      %v3 = arith.mulf %v0, %v2 : f32
      %v4 = arith.constant 0.3203125 : f32
      %v5 = arith.mulf %v1, %v4 : f32
      %v6 = arith.addf %v3, %v5 : f32
      stencil.return %v6 : f32
    }
    stencil.store %fill2#0 to %u0_1(<[2, 2], [3, 42]>) : !temp to !field
    %step3_0 = stencil.load %u0_1 : !field -> !temp
    %step3:1 = stencil.apply(%x0 = %step3_0 : !temp) -> (!temp)
        attributes {stencil.stage = "step3"} {
      %v0 = stencil.access %x0[0, -1] : !temp
      %v1 = stencil.access %x0[0, 0] : !temp
      %v2 = arith.constant 0.26953125 : f32
      %v3 = arith.mulf %v0, %v2 : f32
      %v4 = arith.constant 0.46484375 : f32
      %v5 = arith.mulf %v1, %v4 : f32
      %v6 = arith.subf %v3, %v5 : f32
      stencil.return %v6 : f32
    }
    stencil.store %step3#0 to %u0_2(<[3, 2], [9, 42]>) : !temp to !field
    %force4_0 = stencil.load %u0_2 : !field -> !temp
    %force4:1 = stencil.apply(%x0 = %force4_0 : !temp) -> (!temp)
        attributes {stencil.stage = "force4"} {
      %v0 = stencil.access %x0[0, 0] : !temp
      %v1 = arith.constant 0.671875 : f32
      %v2 = arith.mulf %v0, %v1 : f32
      stencil.return %v2 : f32
    }
    stencil.store %force4#0 to %u0_2(<[4, 2], [5, 3]>) : !temp to !field
    %force5_0 = stencil.load %u0_2 : !field -> !temp
    %force5:1 = stencil.apply(%x0 = %force5_0 : !temp, %c = %constant : f32, %n = %number : f32) -> (!temp)
        attributes {stencil.stage = "force5"} {
      %v0 = stencil.access %x0[0, 0] : !temp
      %v1 = stencil.index 1 <[0, 0]>
      %v2 = arith.index_cast %v1 : index to i32
      %v3 = arith.sitofp %v2 : i32 to f32
      %v4 = arith.constant 0.015625 : f32
      %v5 = arith.mulf %v3, %v4 : f32
      %v6 = arith.subf %v0, %v5 : f32
      %v7 = arith.mulf %v6, %c : f32
      %v8 = arith.mulf %v7, %n : f32
      stencil.return %v8 : f32
    }
    stencil.store %force5#0 to %u0_2(<[4, 40], [5, 41]>) : !temp to !field
    %force6_0 = stencil.load %u0_1 : !field -> !temp
    %force6_1 = stencil.load %u0_2 : !field -> !temp
    %force6:1 = stencil.apply(%x0 = %force6_0 : !temp, %x1 = %force6_1 : !temp, %n = %number : f32) -> (!temp)
        attributes {stencil.stage = "force6"} {
      %v0 = stencil.access %x1[0, 0] : !temp
      %v1 = stencil.access %x0[-1, 0] : !temp
      %v2 = arith.subf %v0, %v1 : f32
      %v3 = arith.mulf %v2, %n : f32
      stencil.return %v3 : f32
    }
    stencil.store %force6#0 to %u0_2(<[4, 41], [6, 42]>) : !temp to !field
    %half = arith.constant 0.5 : f32
    %halved = arith.mulf %number, %half : f32
    scf.yield %u0_2, %u0_1, %halved : !field, !field, f32
  }
  return
}
