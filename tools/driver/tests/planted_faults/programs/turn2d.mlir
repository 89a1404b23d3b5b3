// Three fields change places.
!field = !stencil.field<[0,17]x[-1,70]xf64>
!temp = !stencil.temp<?x?xf64>
func.func @main(%u: !field, %v: !field, %w: !field, %n: index) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:3 = scf.for %t = %first to %n step %one
      iter_args(%now = %u, %next = %v, %last = %w) -> (!field, !field, !field) {
    %old = stencil.load %now : !field -> !temp
    %new = stencil.apply(%a = %old : !temp) -> (!temp) attributes {stencil.plan = #stencil.plan<{PLAN}>} {
      %w0 = arith.constant 0.125 : f64
      %north = stencil.access %a[-1, 0] : !temp
      %west = stencil.access %a[0, -1] : !temp
      %east = stencil.access %a[0, 1] : !temp
      %t0 = arith.mulf %w0, %north : f64
      %s0 = arith.addf %t0, %west : f64
      %s1 = arith.subf %s0, %east : f64
      stencil.return %s1 : f64
    }
    stencil.store %new to %next(<[1, 0], [16, 69]>) : !temp to !field
    scf.yield %next, %last, %now : !field, !field, !field
  }
  return
}
