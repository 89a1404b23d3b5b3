// A star of radius 1 in two dimensions with a coefficient that no step changes.
!field = !stencil.field<[0,42]x[0,302]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @coefficient(%u: !field, %v: !field {stencil.scratch}, %c: !field) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 8 : index
  %k = stencil.load %c : !field -> !temp
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp, %w = %k : !temp) -> (!temp) {
      %n = stencil.access %t[-1, 0] : !temp
      %s = stencil.access %t[1, 0] : !temp
      %e = stencil.access %t[0, 1] : !temp
      %weight = stencil.access %w[0, 0] : !temp
      %ns = arith.addf %n, %s : f64
      %nse = arith.addf %ns, %e : f64
      %new = arith.mulf %nse, %weight : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[1, 1], [41, 301]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
