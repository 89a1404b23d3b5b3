// Sweeps of two steps end at the induction variable after their last iteration, which has no value
// where the loop's bounds are close to the largest number: they ran over it, and made wrong values.
//
// RUN: stencilc run %s --function=near --on=emulator --verify | FileCheck %s --check-prefix=TWO
// RUN: not stencilc run %s --function=near --on=emulator --plan mapping=warp,steps=2 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: stencilc run %s --function=enough --on=emulator --verify --plan mapping=warp,steps=2 | FileCheck %s --check-prefix=ENOUGH
// RUN: stencilc run %s --function=narrow --on=emulator --verify | FileCheck %s --check-prefix=TWO
// RUN: not stencilc run %s --function=narrow --on=emulator --plan mapping=warp,steps=2 2>&1 | FileCheck %s --check-prefix=NARROW
//
// TWO: run emulator: 2 launches
// TWO: verified: bit-identical
// ENOUGH: verified: bit-identical
// NEAR: error: 'sweep.kernel' op cannot make 2 steps at once: it is in a loop from 9223372036854775804 to 9223372036854775807, whose type ends at 9223372036854775807
// NEAR: note: move the bounds towards 0, or make one step at a time
// NARROW: error: 'sweep.kernel' op cannot make 2 steps at once: it is in a loop from 120 to 126, whose type ends at 127

!field = !stencil.field<[0,300]xf64>
!temp = !stencil.temp<?xf64>

func.func @near(%u: !field, %v: !field) {
  %lower = arith.constant 9223372036854775804 : index
  %upper = arith.constant 9223372036854775807 : index
  %step = arith.constant 2 : index
  scf.for %i = %lower to %upper step %step iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %t = stencil.load %now : !field -> !temp
    %r = stencil.apply(%a = %t : !temp) -> (!temp) {
      %x = stencil.access %a[-1] : !temp
      %y = stencil.access %a[1] : !temp
      %z = arith.addf %x, %y : f64
      stencil.return %z : f64
    }
    stencil.store %r to %next(<[1], [299]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

// The variable after the last iteration is the largest number.
func.func @enough(%u: !field, %v: !field) {
  %lower = arith.constant 9223372036854775797 : index
  %upper = arith.constant 9223372036854775806 : index
  %step = arith.constant 2 : index
  scf.for %i = %lower to %upper step %step iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %t = stencil.load %now : !field -> !temp
    %r = stencil.apply(%a = %t : !temp) -> (!temp) {
      %x = stencil.access %a[-1] : !temp
      %y = stencil.access %a[1] : !temp
      %z = arith.addf %x, %y : f64
      stencil.return %z : f64
    }
    stencil.store %r to %next(<[1], [299]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

func.func @narrow(%u: !field, %v: !field) {
  %lower = arith.constant 120 : i8
  %upper = arith.constant 126 : i8
  %step = arith.constant 5 : i8
  scf.for %i = %lower to %upper step %step iter_args(%now = %u, %next = %v) -> (!field, !field) : i8 {
    %t = stencil.load %now : !field -> !temp
    %r = stencil.apply(%a = %t : !temp) -> (!temp) {
      %x = stencil.access %a[-1] : !temp
      %y = stencil.access %a[1] : !temp
      %z = arith.addf %x, %y : f64
      stencil.return %z : f64
    }
    stencil.store %r to %next(<[1], [299]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
