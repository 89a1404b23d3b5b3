// Two fields change places; five points, the weights of no two the same.
!field = !stencil.field<[0,17]x[-1,70]xf64>
!temp = !stencil.temp<?x?xf64>
func.func @main(%u: !field, %v: !field, %n: index) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %t = %first to %n step %one iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %old = stencil.load %now : !field -> !temp
    %new = stencil.apply(%a = %old : !temp) -> (!temp) attributes {stencil.plan = #stencil.plan<{PLAN}>} {
      %w0 = arith.constant 0.125 : f64
      %w1 = arith.constant 0.25 : f64
      %w2 = arith.constant 0.375 : f64
      %w3 = arith.constant 0.0625 : f64
      %north = stencil.access %a[-1, 0] : !temp
      %west = stencil.access %a[0, -1] : !temp
      %own = stencil.access %a[0, 0] : !temp
      %east = stencil.access %a[0, 1] : !temp
      %south = stencil.access %a[1, 0] : !temp
      %t0 = arith.mulf %w0, %north : f64
      %t1 = arith.mulf %w1, %west : f64
      %t2 = arith.mulf %w2, %own : f64
      %t3 = arith.mulf %w3, %east : f64
      %s0 = arith.addf %t0, %t1 : f64
      %s1 = arith.addf %s0, %t2 : f64
      %s2 = arith.addf %s1, %t3 : f64
      %s3 = arith.addf %s2, %south : f64
      stencil.return %s3 : f64
    }
    stencil.store %new to %next(<[1, 0], [16, 69]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
