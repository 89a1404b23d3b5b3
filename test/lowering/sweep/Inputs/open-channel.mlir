// A grid that is periodic along one dimension, and open along the other.
!field = !stencil.field<[-1,23]x[-1,41]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @open(%a: !field, %b: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 9 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %a, %next = %b) -> (!field, !field) {
    %t0 = stencil.load %now : !field -> !temp
    %y_low = stencil.apply(%u = %t0 : !temp) -> (!temp) {
      %0 = stencil.access %u[22, 0] : !temp
      stencil.return %0 : f64
    }
    stencil.store %y_low to %now(<[-1, 0], [0, 40]>) : !temp to !field
    %t4 = stencil.load %now : !field -> !temp
    %new = stencil.apply(%u = %t4 : !temp) -> (!temp) {
      %0 = stencil.access %u[-1, 0] : !temp
      %1 = stencil.access %u[0, -1] : !temp
      %2 = arith.addf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %new to %next(<[0, 0], [22, 40]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
