// A read at the lowest coordinate of all: the refusal was followed by a crash.
//
// RUN: not stencilc compile %s 2>&1 | FileCheck %s
// CHECK-NOT: internal error
// CHECK: reads cell [-9223372036854775808], outside the field's bounds <[0], [64]>
// CHECK-NOT: {{internal error|Stack dump}}

func.func @lowest(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[-9223372036854775808] : !stencil.temp<?xf64>
    stencil.return %x : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
