// Fault 'point-cut': a single point counts as the others of its tile.
// Plan, order and content of fields are those of seed 19 --arg=2=0.75 --plan=step7:mapping=block,steps=2,threads=1x64,points=1x1,reads=queue,loads=prefetch,remainder=single,skew=lazy
!field = !stencil.field<[-2,31]x[-4,233]xf64>
!coefficient = !stencil.field<[-5,34]x[-7,236]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @main(%f0_1: !field, %k0: !coefficient, %constant: f64) {
  %first = arith.constant 2 : index
  %step = arith.constant 3 : index
  %last = arith.constant 24 : index
  %end:1 = scf.for %i = %first to %last step %step iter_args(%number = %constant)
      -> (f64) {
    %step7_0 = stencil.load %f0_1 : !field -> !temp
    %step7:1 = stencil.apply(%x0 = %step7_0 : !temp) -> (!temp)
        attributes {stencil.stage = "step7"} {
      %v0 = stencil.access %x0[0, 0] : !temp
      %v1 = arith.constant 0.8515625 : f64
      %v2 = arith.mulf %v0, %v1 : f64
      stencil.return %v2 : f64
    }
    stencil.store %step7#0 to %f0_1(<[2, 0], [28, 229]>) : !temp to !field
    %force8_0 = stencil.load %f0_1 : !field -> !temp
    %force8_1 = stencil.load %k0 : !coefficient -> !temp
    %force8:1 = stencil.apply(%x0 = %force8_0 : !temp, %x1 = %force8_1 : !temp, %c = %constant : f64, %n = %number : f64) -> (!temp)
        attributes {stencil.stage = "force8"} {
      %v0 = stencil.access %x0[0, 0] : !temp
      %v1 = stencil.access %x1[0, -2] : !temp
      %v2 = arith.addf %v0, %v1 : f64
      %v3 = arith.mulf %v2, %c : f64
      %v4 = arith.mulf %v3, %n : f64
      %v5 = arith.negf %v4 : f64
      stencil.return %v5 : f64
    }
    stencil.store %force8#0 to %f0_1(<[26, 1], [27, 2]>) : !temp to !field
    %force9_0 = stencil.load %f0_1 : !field -> !temp
    %force9_1 = stencil.load %k0 : !coefficient -> !temp
    %force9:1 = stencil.apply(%x0 = %force9_0 : !temp, %x1 = %force9_1 : !temp) -> (!temp)
        attributes {stencil.stage = "force9"} {
      %v0 = stencil.access %x0[0, 0] : !temp
      %v1 = stencil.access %x1[0, 0] : !temp
      %v2 = arith.addf %v0, %v1 : f64
      stencil.return %v2 : f64
    }
    stencil.store %force9#0 to %f0_1(<[26, 228], [27, 229]>) : !temp to !field
    %half = arith.constant 0.5 : f64
    %halved = arith.mulf %number, %half : f64
    scf.yield %halved : f64
  }
  return
}
