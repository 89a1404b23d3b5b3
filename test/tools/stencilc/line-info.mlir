// PTX names the lines of the source if that is asked for, and is the same without them.
//
// RUN: stencilc compile %s --emit=ptx -o %t.ptx
// RUN: stencilc compile %s --emit=ptx --lineinfo -o %t.lines.ptx
// RUN: FileCheck %s --check-prefix=PLAIN --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=LINES --input-file=%t.lines.ptx
//
// PLAIN-NOT: .loc
// PLAIN-NOT: .file
//
// LINES: .loc [[FILE:[0-9]+]] [[#@LINE+9]]
// LINES: ld.global
// LINES: .loc [[FILE]] [[#@LINE+8]]
// LINES: add.rn.f64
// LINES: st.global
// LINES: .file [[FILE]] "{{.*}}line-info.mlir"
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
