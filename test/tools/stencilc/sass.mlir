// Machine code as text: the assembler's, by the disassembler beside it; lines of the source if asked for.
//
// REQUIRES: ptxas, nvdisasm
//
// RUN: stencilc compile %s --emit=sass | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: stencilc compile %s --emit=sass --lineinfo | FileCheck %s --check-prefixes=CHECK,LINES
//
// CHECK: .text.copy_stage0
// LINES: sass.mlir", line [[#@LINE+9]]
// CHECK: LDG.E.64
// PLAIN-NOT: sass.mlir", line
// CHECK: DADD
// CHECK: STG.E.64
// CHECK: EXIT
func.func @copy(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[0] : !stencil.temp<?xf64>
    %y = arith.addf %x, %x : f64
    stencil.return %y : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
