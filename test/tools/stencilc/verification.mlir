// A package brings what it is verified by: plain kernels, and a run at a small odd size. Where that is not possible, the report says why.
//
// RUN: stencilc compile %s -o %t.spk --report %t.json | FileCheck %s
// RUN: FileCheck %s --input-file=%t.json --check-prefix=JSON
// RUN: stencilc compile %s -o %t.less.spk --no-verification | FileCheck %s --check-prefix=NONE --implicit-check-not="verify   "
// RUN: stencilc compile %s --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: stencilc compile %s --keep-ir -o %t.ir.spk | FileCheck %s
// RUN: grep -c -a kernels.ll %t.ir.spk
// RUN: not grep -c -a kernels.ll %t.spk
// RUN: grep -c -a plain/kernels.ptx %t.spk
// RUN: grep -c -a selftest/expected.json %t.spk
// RUN: not grep -c -a plain %t.less.spk

// The kernels of the program itself are what a compilation to PTX gives.
// PTX-DAG: .entry blur_
// PTX-DAG: .entry counted_

// CHECK: verify    plain kernels, and a self-test at 67x67
// CHECK: verify    plain kernels; no self-test of 'counted': the interpreter would evaluate {{[0-9]+}} operations
// JSON:      "function": "blur",
// JSON-NEXT: "extents": [
// JSON-NEXT:   67,
// JSON-NEXT:   67
// NONE:  wrote
func.func @blur(%in: !stencil.field<[-1,513]x[-1,513]xf32>, %out: !stencil.field<[-1,513]x[-1,513]xf32>) {
  %t = stencil.load %in : !stencil.field<[-1,513]x[-1,513]xf32> -> !stencil.temp<?x?xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?xf32>) -> (!stencil.temp<?x?xf32>) {
    %w = stencil.access %a[0, -1] : !stencil.temp<?x?xf32>
    %e = stencil.access %a[0, 1] : !stencil.temp<?x?xf32>
    %s = arith.addf %w, %e : f32
    stencil.return %s : f32
  }
  stencil.store %r to %out(<[0, 0], [512, 512]>) : !stencil.temp<?x?xf32> to !stencil.field<[-1,513]x[-1,513]xf32>
  return
}
func.func @counted(%in: !stencil.field<[-1,513]x[-1,513]xf32>, %out: !stencil.field<[-1,513]x[-1,513]xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 1000000 : index
  scf.for %step = %zero to %steps step %one {
    %t = stencil.load %in : !stencil.field<[-1,513]x[-1,513]xf32> -> !stencil.temp<?x?xf32>
    %r = stencil.apply(%a = %t : !stencil.temp<?x?xf32>) -> (!stencil.temp<?x?xf32>) {
      %w = stencil.access %a[0, -1] : !stencil.temp<?x?xf32>
      stencil.return %w : f32
    }
    stencil.store %r to %out(<[0, 0], [512, 512]>) : !stencil.temp<?x?xf32> to !stencil.field<[-1,513]x[-1,513]xf32>
  }
  return
}
