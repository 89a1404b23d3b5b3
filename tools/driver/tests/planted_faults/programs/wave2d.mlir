// Two levels are read, a coefficient and a number of the iteration; two fields change places.
!field = !stencil.field<[0,17]x[-1,70]xf64>
!temp = !stencil.temp<?x?xf64>
func.func @main(%u: !field, %v: !field, %c: !field, %n: index) {
  %first = arith.constant 2 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %t = %first to %n step %one iter_args(%now = %u, %past = %v) -> (!field, !field) {
    %old = stencil.load %now : !field -> !temp
    %older = stencil.load %past : !field -> !temp
    %speed = stencil.load %c : !field -> !temp
    %whole = arith.index_cast %t : index to i32
    %number = arith.sitofp %whole : i32 to f64
    %new = stencil.apply(%a = %old : !temp, %b = %older : !temp, %k = %speed : !temp,
        %x = %number : f64) -> (!temp) attributes {stencil.plan = #stencil.plan<{PLAN}>} {
      %half = arith.constant 0.5 : f64
      %north = stencil.access %a[-1, 0] : !temp
      %west = stencil.access %a[0, -1] : !temp
      %own = stencil.access %a[0, 0] : !temp
      %east = stencil.access %a[0, 1] : !temp
      %south = stencil.access %a[1, 0] : !temp
      %before = stencil.access %b[0, 0] : !temp
      %factor = stencil.access %k[0, 0] : !temp
      %t1 = arith.mulf %half, %west : f64
      %t2 = arith.mulf %factor, %own : f64
      %t3 = arith.mulf %half, %before : f64
      %s0 = arith.addf %north, %t1 : f64
      %s1 = arith.addf %s0, %t2 : f64
      %s2 = arith.addf %s1, %east : f64
      %s3 = arith.addf %s2, %south : f64
      %s4 = arith.subf %s3, %t3 : f64
      %s5 = arith.addf %s4, %x : f64
      stencil.return %s5 : f64
    }
    stencil.store %new to %past(<[1, 0], [16, 69]>) : !temp to !field
    scf.yield %past, %now : !field, !field
  }
  return
}
