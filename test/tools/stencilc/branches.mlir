// A branch of the host program is no time loop, though it is lowered to a loop of one iteration:
// its condition may follow from a negative number, and a loop beside it is the time loop.
//
// RUN: stencilc run %s --function doubled --on=interpreter --seed=1 --arg taken=0 --steps 5 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIVE
// RUN: stencilc run %s --function doubled --on=interpreter --seed=1 --arg taken=1 --steps 5 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SIX
// RUN: stencilc run %s --function doubled --on=emulator --seed=1 --arg taken=true --steps 5 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SIX
// RUN: stencilc run %s --function doubled --on=emulator --seed=1 --arg taken=false --steps 5 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIVE
// FIVE: run {{.*}}: 5 {{applies|launches}}
// SIX: run {{.*}}: 6 {{applies|launches}}
//
// RUN: stencilc run %s --function where --on=interpreter --seed=1 --arg shift=-3 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ONE
// RUN: stencilc run %s --function where --on=emulator --seed=1 --arg shift=3 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWO
// ONE: run {{.*}}: 1 {{applies|launches}}
// TWO: run {{.*}}: 2 {{applies|launches}}
//
// RUN: not stencilc run %s --function where --on=interpreter --seed=1 --steps 1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE: error: function 'where' has no time loop: there is no loop at its top level

!field = !stencil.field<[0,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @doubled(%u: !field, %v: !field, %steps: index, %taken: i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.if %taken {
    %old = stencil.load %u : !field -> !temp
    %new = stencil.apply(%x = %old : !temp) -> (!temp) {
      %c = stencil.access %x[0] : !temp
      %sum = arith.addf %c, %c : f64
      stencil.return %sum : f64
    }
    stencil.store %new to %u(<[0], [9]>) : !temp to !field
  }
  %e:2 = scf.for %t = %zero to %steps step %one iter_args(%p = %u, %q = %v) -> (!field, !field) {
    %old = stencil.load %p : !field -> !temp
    %new = stencil.apply(%x = %old : !temp) -> (!temp) {
      %c = stencil.access %x[0] : !temp
      stencil.return %c : f64
    }
    stencil.store %new to %q(<[0], [9]>) : !temp to !field
    scf.yield %q, %p : !field, !field
  }
  return
}

func.func @where(%u: !field, %v: !field, %shift: i32) {
  %zero = arith.constant 0 : i32
  %c = arith.cmpi sge, %shift, %zero : i32
  %old = stencil.load %u : !field -> !temp
  %new = stencil.apply(%x = %old : !temp) -> (!temp) {
    %c0 = stencil.access %x[0] : !temp
    %sum = arith.addf %c0, %c0 : f64
    stencil.return %sum : f64
  }
  stencil.store %new to %v(<[0], [9]>) : !temp to !field
  scf.if %c {
    %doubled = stencil.load %v : !field -> !temp
    %copy = stencil.apply(%x = %doubled : !temp) -> (!temp) {
      %c0 = stencil.access %x[0] : !temp
      stencil.return %c0 : f64
    }
    stencil.store %copy to %u(<[0], [9]>) : !temp to !field
  }
  return
}
