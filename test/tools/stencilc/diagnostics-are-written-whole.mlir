// A diagnostic with its source line and notes was written byte by byte.
//
// RUN: python3 %S/Inputs/writes.py 4 stencilc compile %s | FileCheck %s
//
// CHECK: error: 'func.func' op has elements of type i7
// CHECK: func.func @narrow
// CHECK: note: elements are i1, i8

!field = !stencil.field<[0,32]xi7>

func.func @narrow(%u: !field, %v: !field) {
  %t = stencil.load %u : !field -> !stencil.temp<?xi7>
  %r = stencil.apply(%a = %t : !stencil.temp<?xi7>) -> (!stencil.temp<?xi7>) {
    %x = stencil.access %a[0] : !stencil.temp<?xi7>
    stencil.return %x : i7
  }
  stencil.store %r to %v(<[0], [32]>) : !stencil.temp<?xi7> to !field
  return
}
