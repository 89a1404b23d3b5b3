// Fault 'last-folded': the last iterations fill no ghost cells.
// Plan, order and content of fields are those of seed 1 --plan=step7:mapping=block,steps=4,threads=1x5x32,points=1x1x1,rotation=move,reads=memory,loads=direct,remainder=halved,skew=tight,edge_chunks=4
!field = !stencil.field<[-3,23]x[-7,10]x[0,92]xf32>
!coefficient = !stencil.field<[-6,26]x[-10,13]x[-3,95]xf32>
!temp = !stencil.temp<?x?x?xf32>

func.func @main(%f0_1: !field, %k0: !coefficient) {
  %first = arith.constant 0 : index
  %step = arith.constant 2 : index
  %last = arith.constant 4 : index
  scf.for %i = %first to %last step %step {
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
  }
  return
}
