// Outputs go where -o says: a file, a folder, standard output; without it into the current folder.
// Nothing is written where something is wrong.
//
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --emit=ptx,stencil,package,report -o %t/all/ | FileCheck %s
// CHECK:      wrote {{.*}}all/outputs.stencil.mlir
// CHECK-NEXT: wrote {{.*}}all/outputs.ptx
// CHECK-NEXT: wrote {{.*}}all/outputs.spk
// CHECK-NEXT: wrote {{.*}}all/outputs.report.json
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t/all/outputs.report.json
// JSON: "target": "sm_90a"
//
// RUN: stencilc compile %s -o %t/named.spk
// RUN: cmp %t/named.spk %t/all/outputs.spk
// RUN: stencil-run %t/named.spk --print-signature | FileCheck %s --check-prefix=PACKAGE
// PACKAGE: function 'negate', compiled for sm_90a
//
// RUN: cd %t && stencilc compile %s --report=report.json
// RUN: cmp %t/outputs.spk %t/named.spk
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t/report.json
//
// RUN: not stencilc compile %s --emit=ptx,llvm -o %t/one.ptx 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: -o {{.*}}one.ptx is one file for 2 outputs; name a folder, as in -o
// RUN: not ls %t/one.ptx
//
// RUN: sh -c 'stencilc compile %s -o %t/named.spk/x.spk; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: error: '{{.*}}named.spk' cannot be written
// PLACE: code 2
//
// What a link names is written, also where it is not there yet; a package does not depend on how the
// program was named.
// RUN: ln -s made.spk %t/link.spk
// RUN: cd %S && stencilc compile outputs.mlir -o %t/link.spk
// RUN: cd %S && stencilc compile ../stencilc/./outputs.mlir -o %t/relative.spk
// RUN: cmp %t/made.spk %t/named.spk
// RUN: cmp %t/relative.spk %t/named.spk
// RUN: ln -s circle.spk %t/circle.spk
// RUN: sh -c 'stencilc compile %s -o %t/circle.spk; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=CIRCLE
// CIRCLE: error: '{{.*}}circle.spk' cannot be written: {{.*}}symbolic link
// CIRCLE: code 2
//
// RUN: not stencilc compile %s --emit=hsaco 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: invalid value 'hsaco'
// UNKNOWN: possible values: stencil, pipeline, gpu, nvvm, llvm, ptx, cubin, sass, package, header, launcher, fortran, c-host, report
func.func @negate(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[0] : !stencil.temp<?xf64>
    %y = arith.negf %x : f64
    stencil.return %y : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
