// A message about all of a program names its file.
//
// RUN: not stencilc run %s --extents 4 --on=interpreter 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: not stencilc explain %s --devices=2 2>&1 | FileCheck %s --check-prefix=DEVICES
// RUN: not stencilc compile %s --sizes=run-time -o %t.spk 2>&1 | FileCheck %s --check-prefix=SIZES
//
// EXTENTS: {{.*}}sizes-without-stores.mlir:11:1: error: 'builtin.module' op has no domain to resize
// DEVICES: {{.*}}sizes-without-stores.mlir:11:1: error: 'builtin.module' op has no domain to decompose
// SIZES:   {{.*}}sizes-without-stores.mlir:11:1: error: 'builtin.module' op has no domain whose extents could be given

func.func @nothing_stored(%a: !stencil.field<[0,8]xf64>) {
  return
}
