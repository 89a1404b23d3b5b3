// Fault 'copied-cell': a ghost cell is a copy of a cell that is one too far on.
// Plan, order and content of fields are those of seed 0
!in = !stencil.field<[0,4]x[0,13]xf32>
!out = !stencil.field<[0,4]x[0,13]xf32>
!own = !stencil.field<[0,7]x[-2,14]xf32>
!temp = !stencil.temp<?x?xf32>

func.func @main(%in: !in, %out: !out, %other: !out) {
  %own = stencil.alloc : !own
  %values = stencil.load %in : !in -> !temp
  %copy = stencil.apply(%x = %values : !temp) -> (!temp) {
    %0 = stencil.access %x[0, 0] : !temp
    stencil.return %0 : f32
  }
  stencil.store %copy to %own(<[0, 0], [4, 13]>) : !temp to !own
  %g0 = stencil.load %own : !own -> !temp
  %s0 = stencil.apply(%x = %g0 : !temp) -> (!temp) {
    %0 = stencil.access %x[-2, 0] : !temp
    stencil.return %0 : f32
  }
  stencil.store %s0 to %own(<[4, 0], [5, 13]>) : !temp to !own
  %g1 = stencil.load %own : !own -> !temp
  %s1 = stencil.apply(%x = %g1 : !temp) -> (!temp) {
    %0 = stencil.access %x[-4, 0] : !temp
    stencil.return %0 : f32
  }
  stencil.store %s1 to %own(<[5, 0], [6, 13]>) : !temp to !own
  %g2 = stencil.load %own : !own -> !temp
  %s2 = stencil.apply(%x = %g2 : !temp) -> (!temp) {
    %0 = stencil.access %x[-6, 0] : !temp
    stencil.return %0 : f32
  }
  stencil.store %s2 to %own(<[6, 0], [7, 13]>) : !temp to !own
  %s3 = stencil.apply() -> (!temp) {
    %0 = arith.constant 1.5 : f32
    stencil.return %0 : f32
  }
  stencil.store %s3 to %own(<[0, -2], [7, 0]>) : !temp to !own
  %g4 = stencil.load %own : !own -> !temp
  %s4 = stencil.apply(%x = %g4 : !temp) -> (!temp) {
    %0 = stencil.access %x[0, -1] : !temp
    stencil.return %0 : f32
  }
  stencil.store %s4 to %own(<[0, 13], [7, 14]>) : !temp to !own
  %filled = stencil.load %own : !own -> !temp
  %first = stencil.apply(%x = %filled : !temp) -> (!temp) {
    %c0 = stencil.access %x[2, 1] : !temp
    %f0 = arith.constant 1.0 : f32
    %p0 = arith.mulf %c0, %f0 : f32
    %s0 = arith.negf %p0 : f32
    %c1 = stencil.access %x[1, -2] : !temp
    %f1 = arith.constant 1.25 : f32
    %p1 = arith.mulf %c1, %f1 : f32
    %s1 = arith.subf %s0, %p1 : f32
    %c2 = stencil.access %x[1, 1] : !temp
    %f2 = arith.constant 1.5 : f32
    %p2 = arith.mulf %c2, %f2 : f32
    %s2 = arith.subf %s1, %p2 : f32
    stencil.return %s2 : f32
  }
  %second = stencil.apply(%x = %first : !temp) -> (!temp) {
    %c0 = stencil.access %x[0, 0] : !temp
    %f0 = arith.constant 1.0 : f32
    %p0 = arith.mulf %c0, %f0 : f32
    %s0 = arith.negf %p0 : f32
    %c1 = stencil.access %x[0, 0] : !temp
    %f1 = arith.constant 1.25 : f32
    %p1 = arith.mulf %c1, %f1 : f32
    %s1 = arith.subf %s0, %p1 : f32
    %c2 = stencil.access %x[0, 0] : !temp
    %f2 = arith.constant 1.5 : f32
    %p2 = arith.mulf %c2, %f2 : f32
    %s2 = arith.subf %s1, %p2 : f32
    %c3 = stencil.access %x[0, 0] : !temp
    %f3 = arith.constant 1.75 : f32
    %p3 = arith.mulf %c3, %f3 : f32
    %s3 = arith.subf %s2, %p3 : f32
    stencil.return %s3 : f32
  }
  stencil.store %second to %out(<[0, 0], [4, 13]>) : !temp to !out
  return
}
