// Fields of unknown bounds that are cast, and memrefs of unknown extents that are made fields, have
// the sizes of the program's text; with --sizes=run-time these are the reference of a package for
// all of them.
//
// DEFINE: %{name} =
// DEFINE: %{extents} =
// DEFINE: %{interpret} = stencilc run %t/%{name}.mlir --extents=%{extents} --on=interpreter --seed=3 --out-dir %t/expected
// DEFINE: %{run} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t/%{name}.spk stencil-run %t/%{name}.spk --seed=3 --extents=%{extents} --expect %t/expected --verify
// RUN: rm -rf %t && split-file %s %t
// REDEFINE: %{name} = cast
// RUN: stencilc compile %t/cast.mlir --sizes=run-time --keep-ir -o %t/cast.spk
// RUN: stencil-run %t/cast.spk --print-signature | FileCheck %s --check-prefix=SIGNATURE
// SIGNATURE: 0 a field [-1,65]x[0,64]xf64, shape (66, 64)
// SIGNATURE: extents: those of the fields or of --extents, at least 1 x 1; else 64 x 64, as shown
// REDEFINE: %{extents} = 20,63
// RUN: %{interpret}
// RUN: %{run} | FileCheck %s
// REDEFINE: %{name} = memref
// RUN: stencilc compile %t/memref.mlir --sizes=run-time --keep-ir -o %t/memref.spk
// RUN: stencil-run %t/memref.spk --print-signature | FileCheck %s --check-prefix=SIGNATURE
// RUN: %{interpret}
// RUN: %{run} | FileCheck %s
// REDEFINE: %{extents} = 1,129
// RUN: %{interpret}
// RUN: %{run} | FileCheck %s
// CHECK: verified: bit-identical
//
// A run is of the size of its files, or else of the program's.
// RUN: stencilc run %t/cast.mlir --extents=20,63 --on=interpreter --seed=3 --out-dir %t/in
// RUN: stencilc run %t/cast.mlir --arg a=%t/in/a.npy --arg b=%t/in/b.npy --on=emulator --verify | FileCheck %s
// RUN: stencilc run %t/cast.mlir --extents=21,63 --on=interpreter --out-dir %t/other
// RUN: not stencilc run %t/cast.mlir --arg a=%t/in/a.npy --arg b=%t/other/b.npy --on=emulator 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: argument 0 'a' gives dimension 0 of the domain 20 points, argument 1 'b' gives it 21
//
// Without the option they are of that size.
// RUN: stencilc compile %t/memref.mlir --keep-ir -o %t/memref.spk
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED: error: function 'sum' was compiled for one size; compile it with --sizes=run-time to give its extents
//
// Bounds that nothing says are no sizes.
// RUN: not stencilc compile %t/bare.mlir --sizes=run-time 2>&1 | FileCheck %s --check-prefix=BARE
// BARE: error: 'stencil.load' op field must have known bounds, got '!stencil.field<?x?xf64>'
// BARE: a stencil.cast gives a field its bounds

//--- cast.mlir
!field = !stencil.field<[-1,65]x[0,64]xf64>
!temp = !stencil.temp<?x?xf64>
func.func @sum(%a: !stencil.field<?x?xf64> {stencil.name = "a"}, %b: !stencil.field<?x?xf64> {stencil.name = "b"}) {
  %u = stencil.cast %a : !stencil.field<?x?xf64> -> !field
  %v = stencil.cast %b : !stencil.field<?x?xf64> -> !field
  %t = stencil.load %u : !field -> !temp
  %r = stencil.apply(%x = %t : !temp) -> (!temp) {
    %n = stencil.access %x[-1, 0] : !temp
    %s = stencil.access %x[1, 0] : !temp
    %d = arith.addf %n, %s : f64
    stencil.return %d : f64
  }
  stencil.store %r to %v(<[0, 0], [64, 64]>) : !temp to !field
  return
}

//--- memref.mlir
!field = !stencil.field<[-1,65]x[0,64]xf64>
!temp = !stencil.temp<?x?xf64>
func.func @sum(%a: memref<?x?xf64> {stencil.name = "a"}, %b: memref<?x?xf64> {stencil.name = "b"}) {
  %u = stencil.external_load %a : memref<?x?xf64> -> !field
  %v = stencil.external_load %b : memref<?x?xf64> -> !field
  %t = stencil.load %u : !field -> !temp
  %r = stencil.apply(%x = %t : !temp) -> (!temp) {
    %n = stencil.access %x[-1, 0] : !temp
    %s = stencil.access %x[1, 0] : !temp
    %d = arith.addf %n, %s : f64
    stencil.return %d : f64
  }
  stencil.store %r to %v(<[0, 0], [64, 64]>) : !temp to !field
  stencil.external_store %v to %b : !field to memref<?x?xf64>
  return
}

//--- bare.mlir
func.func @copy(%a: !stencil.field<?x?xf64>, %b: !stencil.field<?x?xf64>) {
  %t = stencil.load %a : !stencil.field<?x?xf64> -> !stencil.temp<?x?xf64>
  stencil.store %t to %b(<[0, 0], [64, 64]>) : !stencil.temp<?x?xf64> to !stencil.field<?x?xf64>
  return
}
