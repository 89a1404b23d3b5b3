// --steps sets the argument that says how many, or takes the place of a constant; a negative number
// of steps is refused before anything runs.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: stencilc run %t/all.mlir --function=given --seed=5 --on=interpreter --steps=6 --out-dir %t/given
// RUN: stencilc run %t/all.mlir --function=stated --seed=5 --on=emulator --steps=6 --verify --out-dir %t/stated
// RUN: stencilc run %t/all.mlir --function=stated --seed=5 --on=interpreter --out-dir %t/own
// RUN: cmp %t/given/u.npy %t/stated/u.npy
// RUN: cmp %t/given/v.npy %t/stated/v.npy
// RUN: not cmp %t/stated/u.npy %t/own/u.npy
//
// RUN: not stencilc run %t/all.mlir --function=given --steps=6 --arg steps=6 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: argument 2 'steps' is set by --steps and by another option; give one of them
// RUN: not stencilc run %t/all.mlir --function=stated --steps=5 2>&1 | FileCheck %s --check-prefix=ROTATION
// ROTATION: error: 5 time steps would leave the rotated fields in other places than the 2 of the program; take a number that differs from 2 by a multiple of 2, such as 4
// RUN: not stencilc run %t/all.mlir --function=once --steps=5 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: function 'once' has no time loop: there is no loop at its top level
//
// Compiled in: what a package holds, or a launcher in C or Fortran.
// RUN: not stencilc compile %t/all.mlir --steps=6 -o %t/p.spk 2>&1 | FileCheck %s --check-prefix=CALLERS
// CALLERS: error: the number of time steps of function 'given' is argument 2 'steps', which its callers give; leave --steps out
// RUN: stencilc compile %t/stated.mlir --steps=6 --keep-ir -o %t/stated.spk
// RUN: stencil-run %t/stated.spk --print-signature | FileCheck %s --check-prefix=SIX
// SIX: time steps: 6; --steps N takes any number that differs by a multiple of 2
//
// RUN: not stencilc run %t/all.mlir --function=given --on=interpreter --arg steps=-2 --out-dir %t/none 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not stencilc run %t/all.mlir --function=given --on=emulator --arg steps=-2 --out-dir %t/none 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: argument 2 'steps' is -2, and the time loop would make no step; a number of time steps is not negative
// RUN: not ls %t/none
// RUN: stencilc run %t/all.mlir --function=given --on=emulator --steps=0 --verify

//--- stated.mlir
!field = !stencil.field<[-1,33]xf64>
!temp = !stencil.temp<?xf64>
func.func @stated(%u: !field, %v: !field) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %end:2 = scf.for %t = %zero to %two step %one iter_args(%a = %u, %b = %v) -> (!field, !field) {
    %now = stencil.load %a : !field -> !temp
    %next = stencil.apply(%x = %now : !temp) -> (!temp) {
      %l = stencil.access %x[-1] : !temp
      %r = stencil.access %x[1] : !temp
      %s = arith.addf %l, %r : f64
      stencil.return %s : f64
    }
    stencil.store %next to %b(<[0], [32]>) : !temp to !field
    scf.yield %b, %a : !field, !field
  }
  return
}

//--- all.mlir
!field = !stencil.field<[-1,33]xf64>
!temp = !stencil.temp<?xf64>
func.func @stated(%u: !field, %v: !field) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %end:2 = scf.for %t = %zero to %two step %one iter_args(%a = %u, %b = %v) -> (!field, !field) {
    %now = stencil.load %a : !field -> !temp
    %next = stencil.apply(%x = %now : !temp) -> (!temp) {
      %l = stencil.access %x[-1] : !temp
      %r = stencil.access %x[1] : !temp
      %s = arith.addf %l, %r : f64
      stencil.return %s : f64
    }
    stencil.store %next to %b(<[0], [32]>) : !temp to !field
    scf.yield %b, %a : !field, !field
  }
  return
}

func.func @given(%u: !field, %v: !field, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %t = %zero to %steps step %one iter_args(%a = %u, %b = %v) -> (!field, !field) {
    %now = stencil.load %a : !field -> !temp
    %next = stencil.apply(%x = %now : !temp) -> (!temp) {
      %l = stencil.access %x[-1] : !temp
      %r = stencil.access %x[1] : !temp
      %s = arith.addf %l, %r : f64
      stencil.return %s : f64
    }
    stencil.store %next to %b(<[0], [32]>) : !temp to !field
    scf.yield %b, %a : !field, !field
  }
  return
}

func.func @once(%u: !field, %v: !field) {
  %now = stencil.load %u : !field -> !temp
  stencil.store %now to %v(<[0], [32]>) : !temp to !field
  return
}
