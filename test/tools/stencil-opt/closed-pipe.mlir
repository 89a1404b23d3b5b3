// Programs whose reader has seen enough, as in `| head -1`, end in silence: no internal error.
//
// REQUIRES: numpy
// DEFINE: %{end} = %python %S/Inputs/closed_pipe.py
// RUN: %{end} stencil-opt %s | FileCheck %s
// RUN: %{end} stencil-opt --help | FileCheck %s
// RUN: %{end} stencil-opt --print-pass-reference | FileCheck %s
// RUN: %{end} stencil-translate --mlir-to-ptx %s | FileCheck %s
// RUN: %{end} stencil-translate --export-dsl %s | FileCheck %s
// RUN: %{end} stencil-translate --help | FileCheck %s
// RUN: %{end} stencil-lsp-server --help | FileCheck %s
// RUN: %{end} stencilc compile %s --emit=ptx | FileCheck %s
// RUN: %{end} stencilc run %s --on=interpreter --seed=1 | FileCheck %s
// RUN: %{end} stencilc plans | FileCheck %s
// RUN: %{end} stencil-run --help | FileCheck %s
// RUN: stencilc compile %s -o %t.spk && %{end} stencil-run %t.spk --print-signature | FileCheck %s
//
// CHECK: quiet
!field = !stencil.field<[0,66]xf64>
!temp = !stencil.temp<?xf64>

func.func @sum(%a: !field, %b: !field) {
  %old = stencil.load %a : !field -> !temp
  %new = stencil.apply(%x = %old : !temp) -> (!temp) {
    %w = stencil.access %x[-1] : !temp
    %e = stencil.access %x[1] : !temp
    %0 = arith.addf %w, %e : f64
    stencil.return %0 : f64
  }
  stencil.store %new to %b(<[1], [65]>) : !temp to !field
  return
}
