// Programs in MLIR's bytecode are read as the text that they were made from: same results, and
// messages at the places of the text.
//
// RUN: stencil-opt %s --emit-bytecode -o %t.mlirbc
// RUN: stencilc run %t.mlirbc --on=interpreter --same-as=%s | FileCheck %s
// RUN: sh -c 'stencilc compile %t.mlirbc -o - --emit=ptx; cat /dev/null' | FileCheck %s --check-prefix=PTX
// RUN: stencilc run - --on=interpreter --seed=1 < %t.mlirbc
// RUN: not stencilc run %t.mlirbc --devices=2 --on=interpreter --extents 1 2>&1 | FileCheck %s --check-prefix=PLACE
//
// RUN: printf 'ML\357Rnothing' > %t.broken.mlirbc
// RUN: not stencilc run %t.broken.mlirbc 2>&1 | FileCheck %s --check-prefix=BROKEN
//
// CHECK: bit-identical (1 fields, 64 cells)
// PTX: .visible .entry sum_stage0(
// PLACE: {{.*}}bytecode.mlir:{{[0-9]+}}:{{[0-9]+}}: error:
// BROKEN: error:

func.func @sum(%in: !stencil.field<[-1,65]xf32>, %out: !stencil.field<[0,64]xf32>) {
  %t = stencil.load %in : !stencil.field<[-1,65]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>) {
    %x = stencil.access %a[-1] : !stencil.temp<?xf32>
    %y = stencil.access %a[1] : !stencil.temp<?xf32>
    %s = arith.addf %x, %y : f32
    stencil.return %s : f32
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf32> to !stencil.field<[0,64]xf32>
  return
}
