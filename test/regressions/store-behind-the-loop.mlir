// A store to a field that a loop has rotated was taken for direct: an apply before the loop would
// have written the field, although the loop, where the field has another name, writes it too.
//
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-place-copies))' | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1

!field = !stencil.field<[0,16]xf32>
!temp = !stencil.temp<?xf32>

// CHECK-LABEL: func.func @main
// CHECK:         %[[T:.*]] = stencil.apply
// CHECK:         %[[END:.*]]:2 = scf.for
// CHECK:         %[[COPY:.*]] = stencil.apply(%{{.*}} = %[[T]]
// CHECK:         stencil.store %[[COPY]] to %[[END]]#0
func.func @main(%a: !field, %b: !field, %c: !field) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %in = stencil.load %c : !field -> !temp
  %t = stencil.apply(%x = %in : !temp) -> (!temp) {
    %v = stencil.access %x[0] : !temp
    stencil.return %v : f32
  }
  %end:2 = scf.for %i = %zero to %four step %one iter_args(%p = %a, %q = %b) -> (!field, !field) {
    %0 = stencil.load %c : !field -> !temp
    %1 = stencil.apply(%x = %0 : !temp) -> (!temp) {
      %v = stencil.access %x[1] : !temp
      stencil.return %v : f32
    }
    stencil.store %1 to %q(<[0], [15]>) : !temp to !field
    scf.yield %q, %p : !field, !field
  }
  stencil.store %t to %end#0(<[0], [16]>) : !temp to !field
  return
}
