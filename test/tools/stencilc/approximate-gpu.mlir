// On a GPU elementary functions have other last bits than on the interpreter, and nobody knows what a
// program makes of the difference. Plain kernels call the same functions on the same numbers: every
// bit must be that of theirs, however the planned kernels are made.
//
// REQUIRES: libdevice
//
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --plan=points=4x1,threads=2x32 --keep-ir -o %t/p.spk
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk stencilc run %s --plan=points=4x1,threads=2x32 --on=gpu --target=sm_90a --verify --report=%t/report.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t/report.json
//
// A program without such functions is compared with the interpreter.
// RUN: stencilc compile %S/../../kernels/laplace2d.mlir --keep-ir -o %t/q.spk
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/q.spk stencilc run %S/../../kernels/laplace2d.mlir --on=gpu --target=sm_90a --verify | FileCheck %s --check-prefix=EXACT

// CHECK: verified: bit-identical with plain kernels
// CHECK: compared  2 fields, {{[0-9]+}} cells, with those of plain kernels on the same GPU
// CHECK: {{^}}verified: bit-identical
// JSON: "reference": "plain kernels"
// EXACT: with the interpreter's
// EXACT: {{^}}verified: bit-identical

!grid = !stencil.field<[0,33]x[0,70]xf32>
!temp = !stencil.temp<?x?xf32>

func.func @soften(%in: !grid, %out: !grid) {
  %t = stencil.load %in : !grid -> !temp
  %r = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0, 0] : !temp
    %y = stencil.access %a[1, -1] : !temp
    %e = math.exp %x : f32
    %p = math.powf %e, %y : f32
    %z = math.tanh %p : f32
    stencil.return %z : f32
  }
  stencil.store %r to %out(<[0, 1], [32, 70]>) : !temp to !grid
  return
}
