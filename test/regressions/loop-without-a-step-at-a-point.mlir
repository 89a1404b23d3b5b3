// A loop inside of a point whose step is 0 at run time did not end on the emulator.
//
// RUN: not stencilc run %s --arg step=0 --on=interpreter 2>&1 | FileCheck %s --check-prefix=INTERPRETER
// RUN: not stencilc run %s --arg step=0 --on=emulator 2>&1 | FileCheck %s --check-prefix=EMULATOR
// RUN: not stencilc run %s --arg step=-1 --on=emulator 2>&1 | FileCheck %s --check-prefix=EMULATOR
// RUN: stencilc run %s --arg step=3 --on=emulator --verify | FileCheck %s
//
// INTERPRETER: error: 'scf.for' op has step 0, which is not positive
// EMULATOR: error: kernel 'f_stage0' {{.*}}thread (0, 0, 0): a checked operation failed
// CHECK: verified: bit-identical

!field = !stencil.field<[0,64]xf64>
!temp = !stencil.temp<?xf64>

func.func @f(%step: index, %u: !field, %v: !field) {
  %t = stencil.load %u : !field -> !temp
  %r = stencil.apply(%a = %t : !temp, %s = %step : index) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    %lower = arith.constant 0 : index
    %upper = arith.constant 4 : index
    %y = scf.for %i = %lower to %upper step %s iter_args(%sum = %x) -> (f64) {
      %next = arith.addf %sum, %x : f64
      scf.yield %next : f64
    }
    stencil.return %y : f64
  }
  stencil.store %r to %v(<[0], [64]>) : !temp to !field
  return
}
