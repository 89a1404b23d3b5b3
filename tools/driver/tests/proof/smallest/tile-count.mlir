// Fault 'tile-count': a launch has no last tile along rows and columns.
// Plan, order and content of fields are those of seed 3 --arg=2=0.75 --plan=step7:mapping=block,steps=1,threads=1x6x32,points=1x1x1,rotation=move,remainder=single,skew=lazy,chunks=2,edge_chunks=2
!field = !stencil.field<[-3,23]x[-7,10]x[0,92]xf32>
!coefficient = !stencil.field<[-6,26]x[-10,13]x[-3,95]xf32>
!temp = !stencil.temp<?x?x?xf32>

func.func @main(%f0_1: !field, %k0: !coefficient, %constant: f32) {
  %first = arith.constant 0 : index
  %step = arith.constant 2 : index
  %last = arith.constant 4 : index
  %end:1 = scf.for %i = %first to %last step %step iter_args(%number = %constant)
      -> (f32) {
    %fill0_0 = stencil.load %f0_1 : !field -> !temp
    %fill0:1 = stencil.apply(%x0 = %fill0_0 : !temp) -> (!temp)
        attributes {stencil.stage = "fill0"} {
      %v0 = stencil.access %x0[0, 0, -1] : !temp
      %v1 = stencil.index 1 <[0, 0, 0]>
      %v2 = arith.index_cast %v1 : index to i32
      %v3 = arith.sitofp %v2 : i32 to f32
      %v4 = arith.constant 0.015625 : f32
      %v5 = arith.mulf %v3, %v4 : f32
      %v6 = arith.subf %v0, %v5 : f32
      stencil.return %v6 : f32
    }
    stencil.store %fill0#0 to %f0_1(<[0, -4, 89], [20, 8, 90]>) : !temp to !field
    %fill1_0 = stencil.load %f0_1 : !field -> !temp
    %fill1:1 = stencil.apply(%x0 = %fill1_0 : !temp, %c = %constant : f32) -> (!temp)
        attributes {stencil.stage = "fill1"} {
      %v0 = stencil.access %x0[0, 0, -4] : !temp
      %v1 = stencil.access %x0[0, 0, -8] : !temp
      %v2 = arith.constant 0.36328125 : f32
      %v3 = arith.mulf %v0, %v2 : f32
      %v4 = arith.constant 0.3046875 : f32
      %v5 = arith.mulf %v1, %v4 : f32
      %v6 = arith.subf %v3, %v5 : f32
      %v7 = arith.mulf %v6, %c : f32
      %v8 = arith.negf %v7 : f32
      stencil.return %v8 : f32
    }
    stencil.store %fill1#0 to %f0_1(<[0, -4, 90], [20, 8, 91]>) : !temp to !field
    %fill2_0 = stencil.load %f0_1 : !field -> !temp
    %fill2:1 = stencil.apply(%x0 = %fill2_0 : !temp) -> (!temp)
        attributes {stencil.stage = "fill2"} {
      %v0 = stencil.access %x0[0, 0, 1] : !temp
      %v1 = stencil.access %x0[0, 0, 2] : !temp
      %v2 = arith.constant 0.41015625 : f32
      %v3 = arith.mulf %v0, %v2 : f32
      %v4 = arith.constant 0.4140625 : f32
      %v5 = arith.mulf %v1, %v4 : f32
      %v6 = arith.addf %v3, %v5 : f32
      %v7 = arith.negf %v6 : f32
      stencil.return %v7 : f32
    }
    stencil.store %fill2#0 to %f0_1(<[0, -4, 2], [20, 8, 3]>) : !temp to !field
    %fill3_0 = stencil.load %f0_1 : !field -> !temp
    %fill3:1 = stencil.apply(%x0 = %fill3_0 : !temp, %n = %number : f32) -> (!temp)
        attributes {stencil.stage = "fill3"} {
      %v0 = stencil.access %x0[0, -1, 0] : !temp
      %v1 = arith.mulf %v0, %n : f32
      %v2 = arith.negf %v1 : f32
      stencil.return %v2 : f32
    }
    stencil.store %fill3#0 to %f0_1(<[0, 8, 3], [20, 9, 89]>) : !temp to !field
    %fill4_0 = stencil.load %f0_1 : !field -> !temp
    %fill4:1 = stencil.apply(%x0 = %fill4_0 : !temp) -> (!temp)
        attributes {stencil.stage = "fill4"} {
      %v0 = stencil.access %x0[0, 1, 0] : !temp
      %v1 = arith.negf %v0 : f32
      stencil.return %v1 : f32
    }
    stencil.store %fill4#0 to %f0_1(<[0, -5, 5], [20, -4, 89]>) : !temp to !field
    %fill5_0 = stencil.load %k0 : !coefficient -> !temp
    %fill5:1 = stencil.apply(%x0 = %fill5_0 : !temp, %c = %constant : f32) -> (!temp)
        attributes {stencil.stage = "fill5"} {
      %v0 = stencil.access %x0[0, 0, 0] : !temp
      %v1 = arith.mulf %v0, %c : f32
      stencil.return %v1 : f32
    }
    stencil.store %fill5#0 to %f0_1(<[20, -4, 3], [21, 8, 89]>) : !temp to !field
    %fill6:1 = stencil.apply() -> (!temp)
        attributes {stencil.stage = "fill6"} {
      %v0 = arith.constant 0.59375 : f32
      stencil.return %v0 : f32
    }
    stencil.store %fill6#0 to %f0_1(<[-2, -4, 3], [0, 8, 89]>) : !temp to !field
    %step7_0 = stencil.load %f0_1 : !field -> !temp
    %step7:1 = stencil.apply(%x0 = %step7_0 : !temp) -> (!temp)
        attributes {stencil.stage = "step7"} {
      %v0 = stencil.access %x0[0, 0, 0] : !temp
      %v1 = arith.constant 0.8046875 : f32
      %v2 = arith.mulf %v0, %v1 : f32
      stencil.return %v2 : f32
    }
    stencil.store %step7#0 to %f0_1(<[0, -4, 3], [20, 8, 89]>) : !temp to !field
    %half = arith.constant 0.5 : f32
    %halved = arith.mulf %number, %half : f32
    scf.yield %halved : f32
  }
  return
}
