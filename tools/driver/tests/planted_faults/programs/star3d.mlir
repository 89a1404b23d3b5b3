// Two fields change places; seven points in three dimensions.
!field = !stencil.field<[0,9]x[0,20]x[0,66]xf64>
!temp = !stencil.temp<?x?x?xf64>
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
      %back = stencil.access %a[-1, 0, 0] : !temp
      %north = stencil.access %a[0, -1, 0] : !temp
      %west = stencil.access %a[0, 0, -1] : !temp
      %own = stencil.access %a[0, 0, 0] : !temp
      %east = stencil.access %a[0, 0, 1] : !temp
      %south = stencil.access %a[0, 1, 0] : !temp
      %front = stencil.access %a[1, 0, 0] : !temp
      %t0 = arith.mulf %w0, %back : f64
      %t1 = arith.mulf %w1, %north : f64
      %t2 = arith.mulf %w2, %west : f64
      %t3 = arith.mulf %w3, %east : f64
      %s0 = arith.addf %t0, %t1 : f64
      %s1 = arith.addf %s0, %t2 : f64
      %s2 = arith.addf %s1, %own : f64
      %s3 = arith.addf %s2, %t3 : f64
      %s4 = arith.addf %s3, %south : f64
      %s5 = arith.addf %s4, %front : f64
      stencil.return %s5 : f64
    }
    stencil.store %new to %next(<[1, 1, 1], [8, 19, 65]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
