// No more time steps than a table has values for, however their number is set: compiled in, an option of a run,
// or an argument; also where kernels make several steps at once.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: stencilc run %t/stated.mlir --on=emulator --verify --steps=7 | FileCheck %s
// RUN: stencilc run %t/given.mlir --on=emulator --verify --steps=7 | FileCheck %s
// RUN: stencilc run %t/given.mlir --on=emulator --verify --arg steps=7 | FileCheck %s
// CHECK: verified: bit-identical
// RUN: not stencilc run %t/stated.mlir --on=emulator --steps=19 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: not stencilc run %t/stated.mlir --on=interpreter --steps=19 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: not stencilc compile %t/stated.mlir --steps=19 -o %t/none.spk 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: not ls %t/none.spk
// RUN: not stencilc run %t/given.mlir --on=emulator --steps=19 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: not stencilc run %t/given.mlir --on=emulator --arg steps=19 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: not stencilc run %t/given.mlir --on=interpreter --arg steps=19 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: error: argument 2 's' has values for 7 time steps from 0 on, and 19 would be made; make fewer, or give it more cells and its access in the program a wider range
// RUN: not stencilc run %t/given.mlir --on=emulator --arg steps=8 2>&1 | FileCheck %s --check-prefix=EIGHT
// EIGHT: has values for 7 time steps from 0 on, and 8 would be made
//
// Packages: of single steps, and of sweeps of two.
// RUN: stencilc compile %t/stated.mlir --keep-ir -o %t/stated.spk
// RUN: stencilc compile %t/stated.mlir --keep-ir --plan mapping=warp,steps=2 -o %t/stated-sweeps.spk
// RUN: stencilc compile %t/given.mlir --keep-ir -o %t/given.spk
// RUN: stencilc compile %t/given.mlir --keep-ir --plan mapping=warp,steps=2 -o %t/given-sweeps.spk
// RUN: stencil-run %t/stated.spk --print-signature | FileCheck %s --check-prefix=STATED
// RUN: stencil-run %t/stated-sweeps.spk --print-signature | FileCheck %s --check-prefix=STATED
// STATED: time steps: 3; --steps N takes any number that differs by a multiple of 2; argument 2 's' has values for 7
// RUN: stencil-run %t/given-sweeps.spk --print-signature | FileCheck %s --check-prefix=GIVEN
// GIVEN: time steps: --steps N sets argument 3 'steps'; argument 2 's' has values for 7
// DEFINE: %{package} =
// DEFINE: %{run} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t/%{package}.spk stencil-run %t/%{package}.spk
// REDEFINE: %{package} = stated
// RUN: %{run} --steps=7 --verify
// RUN: not %{run} --steps=19 2>&1 | FileCheck %s --check-prefix=MORE
// REDEFINE: %{package} = stated-sweeps
// RUN: %{run} --steps=7 --verify
// RUN: not %{run} --steps=19 2>&1 | FileCheck %s --check-prefix=MORE
// REDEFINE: %{package} = given
// RUN: %{run} --arg steps=7 --verify
// RUN: not %{run} --arg steps=19 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: not %{run} --steps=19 2>&1 | FileCheck %s --check-prefix=MORE
// REDEFINE: %{package} = given-sweeps
// RUN: %{run} --arg steps=7 --verify
// RUN: not %{run} --arg steps=19 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: not %{run} --steps=19 2>&1 | FileCheck %s --check-prefix=MORE

//--- stated.mlir
!field = !stencil.field<[-1,65]xf64>
!table = !stencil.field<[0,7]xf64>
!temp = !stencil.temp<?xf64>
func.func @stated(%u: !field, %v: !field, %s: !table) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %end:2 = scf.for %t = %zero to %three step %one iter_args(%a = %u, %b = %v) -> (!field, !field) {
    %now = stencil.load %a : !field -> !temp
    %next = stencil.apply(%x = %now : !temp, %factors = %s : !table, %time = %t : index) -> (!temp) {
      %l = stencil.access %x[-1] : !temp
      %r = stencil.access %x[1] : !temp
      %f = stencil.dyn_access %factors[%time] in <[0]> : <[6]> attributes {absolute} : !table
      %sum = arith.addf %l, %r : f64
      %new = arith.mulf %f, %sum : f64
      stencil.return %new : f64
    }
    stencil.store %next to %b(<[0], [64]>) : !temp to !field
    scf.yield %b, %a : !field, !field
  }
  return
}

//--- given.mlir
!field = !stencil.field<[-1,65]xf64>
!table = !stencil.field<[0,7]xf64>
!temp = !stencil.temp<?xf64>
func.func @given(%u: !field, %v: !field, %s: !table, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %t = %zero to %steps step %one iter_args(%a = %u, %b = %v) -> (!field, !field) {
    %now = stencil.load %a : !field -> !temp
    %next = stencil.apply(%x = %now : !temp, %factors = %s : !table, %time = %t : index) -> (!temp) {
      %l = stencil.access %x[-1] : !temp
      %r = stencil.access %x[1] : !temp
      %f = stencil.dyn_access %factors[%time] in <[0]> : <[6]> attributes {absolute} : !table
      %sum = arith.addf %l, %r : f64
      %new = arith.mulf %f, %sum : f64
      stencil.return %new : f64
    }
    stencil.store %next to %b(<[0], [64]>) : !temp to !field
    scf.yield %b, %a : !field, !field
  }
  return
}
