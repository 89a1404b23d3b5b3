// A skewed level computes planes before the chunk's first: their
// own cells next to the domain lie outside of memory.
//
// RUN: stencilc run %s --on=emulator --verify --seed=17 | FileCheck %s
// CHECK: verified: bit-identical

!field = !stencil.field<[0,7]x[-1,1]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @main(%even: !field, %odd: !field {stencil.scratch}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 6 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%now = %even, %next = %odd) -> (!field, !field) {
    %old = stencil.load %now : !field -> !temp
    // Six levels and as many chunks as the domain has planes, and some that have none.
    %new = stencil.apply(%t = %old : !temp) -> (!temp)
        attributes {stencil.plan = #stencil.plan<{mapping = "warp", form = "gather", skew = "tight", points = array<i64: 1, 2>, threads = array<i64: 1, 32>, steps = 6 : i64, chunks = 9 : i64, queue_registers = 1 : i64}>} {
      %south = stencil.access %t[1, 0] : !temp
      %west = stencil.access %t[0, -1] : !temp
      %sum = arith.addf %south, %west : f64
      stencil.return %sum : f64
    }
    stencil.store %new to %next(<[0, 0], [6, 1]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
