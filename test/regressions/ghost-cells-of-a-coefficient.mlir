// A time loop fills ghost cells of a field that none of its statements stores. As one sweep it dropped
// the copies, and nothing filled them; now it is refused.
//
// RUN: not stencilc run %s --on=emulator --verify --seed=1 2>&1 | FileCheck %s
// CHECK: 'scf.for' op cannot be one sweep: it copies ghost cells of a field that none of its statements stores

!line = !stencil.field<[-1,41]xf64>
!temp = !stencil.temp<?xf64>

func.func @ghosts(%a: !line, %b: !line, %k: !line) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 8 : index
  scf.for %i = %zero to %n step %one {
    %t0 = stencil.load %k : !line -> !temp
    %s0 = stencil.apply(%x = %t0 : !temp) -> (!temp) {
      %0 = stencil.access %x[40] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s0 to %k(<[-1], [0]>) : !temp to !line
    %us = stencil.load %a : !line -> !temp
    %ks = stencil.load %k : !line -> !temp
    %r = stencil.apply(%x = %us : !temp, %y = %ks : !temp) -> (!temp) {
      %0 = stencil.access %x[0] : !temp
      %1 = stencil.access %y[0] : !temp
      %2 = arith.addf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %a(<[0], [40]>) : !temp to !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2, threads = array<i64: 32>}>}
  return
}
