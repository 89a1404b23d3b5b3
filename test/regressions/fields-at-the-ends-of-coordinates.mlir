// Sweeps of fields whose coordinates begin at the smallest number ended in an internal error.
//
// RUN: stencilc run %s --function=bottom --on=emulator --verify | FileCheck %s
// RUN: stencilc run %s --function=top --on=emulator --verify | FileCheck %s
// RUN: not stencilc run %s --function=bottom --on=emulator --plan mapping=warp,steps=2 2>&1 | FileCheck %s --check-prefix=BOTTOM
// RUN: not stencilc run %s --function=top --on=emulator --plan mapping=warp,steps=2 2>&1 | FileCheck %s --check-prefix=TOP
//
// CHECK: verified: bit-identical
// BOTTOM: error: 'stencil.apply' op {{.*}}has coordinates beyond 2^62 in its domain <[-9223372036854775807], [-9223372036854775509]>
// BOTTOM: note: move the fields' bounds towards 0
// TOP: error: 'stencil.apply' op {{.*}}has coordinates beyond 2^62 in its domain <[9223372036854775508], [9223372036854775806]>

!low = !stencil.field<[-9223372036854775808,-9223372036854775508]xf64>
!high = !stencil.field<[9223372036854775507,9223372036854775807]xf64>
!temp = !stencil.temp<?xf64>

func.func @bottom(%u: !low, %v: !low) {
  %lower = arith.constant 0 : index
  %upper = arith.constant 6 : index
  %step = arith.constant 1 : index
  scf.for %i = %lower to %upper step %step iter_args(%now = %u, %next = %v) -> (!low, !low) {
    %t = stencil.load %now : !low -> !temp
    %r = stencil.apply(%a = %t : !temp) -> (!temp) {
      %x = stencil.access %a[-1] : !temp
      %y = stencil.access %a[1] : !temp
      %z = arith.addf %x, %y : f64
      stencil.return %z : f64
    }
    stencil.store %r to %next(<[-9223372036854775807], [-9223372036854775509]>) : !temp to !low
    scf.yield %next, %now : !low, !low
  }
  return
}

func.func @top(%u: !high, %v: !high) {
  %lower = arith.constant 0 : index
  %upper = arith.constant 6 : index
  %step = arith.constant 1 : index
  scf.for %i = %lower to %upper step %step iter_args(%now = %u, %next = %v) -> (!high, !high) {
    %t = stencil.load %now : !high -> !temp
    %r = stencil.apply(%a = %t : !temp) -> (!temp) {
      %x = stencil.access %a[-1] : !temp
      %y = stencil.access %a[1] : !temp
      %z = arith.addf %x, %y : f64
      stencil.return %z : f64
    }
    stencil.store %r to %next(<[9223372036854775508], [9223372036854775806]>) : !temp to !high
    scf.yield %next, %now : !high, !high
  }
  return
}
