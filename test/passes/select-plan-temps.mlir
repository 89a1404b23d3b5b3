// The rows of a temp, which is memory of its own, are aligned as those of a field of its bounds.
//
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-place-copies,stencil-name-stages),stencil-select-plan{plan=mapping=thread})' | FileCheck %s

!temp = !stencil.temp<?x?x?xf32>

// The producer has rows of 512 cells.
// CHECK-LABEL: func.func @even
// CHECK:       stencil.apply{{.*}}points = array<i64: 2, 1, 2>{{.*}}vector = 2
func.func @even(%u: !stencil.field<[-1,257]x[-1,257]x[-1,513]xf32>, %v: !stencil.field<[0,256]x[0,256]x[0,511]xf32>) {
  %t = stencil.load %u : !stencil.field<[-1,257]x[-1,257]x[-1,513]xf32> -> !temp
  %x, %y = stencil.apply(%a = %t : !temp) -> (!temp, !temp) {
    %0 = stencil.access %a[-1, 0, 0] : !temp
    %1 = stencil.access %a[1, 0, 0] : !temp
    %2 = stencil.access %a[0, -1, 0] : !temp
    %3 = stencil.access %a[0, 1, 0] : !temp
    %4 = arith.divf %0, %1 : f32
    %5 = arith.divf %2, %3 : f32
    stencil.return %4, %5 : f32, f32
  }
  %r = stencil.apply(%a = %x : !temp, %b = %y : !temp) -> (!temp) {
    %0 = stencil.access %a[0, 0, 0] : !temp
    %1 = stencil.access %a[0, 0, 1] : !temp
    %2 = stencil.access %b[0, 0, 0] : !temp
    %3 = stencil.access %b[0, 0, 1] : !temp
    %4 = arith.addf %0, %1 : f32
    %5 = arith.addf %2, %3 : f32
    %6 = arith.mulf %4, %5 : f32
    stencil.return %6 : f32
  }
  stencil.store %r to %v(<[0, 0, 0], [256, 256, 511]>) : !temp to !stencil.field<[0,256]x[0,256]x[0,511]xf32>
  return
}

// Every other one of its rows, of 511 cells, begins between two vectors.
// CHECK-LABEL: func.func @odd
// CHECK:       stencil.apply
// CHECK-NOT:   vector = 2
// CHECK:       stencil.return
func.func @odd(%u: !stencil.field<[-1,257]x[-1,257]x[-1,512]xf32>, %v: !stencil.field<[0,256]x[0,256]x[0,510]xf32>) {
  %t = stencil.load %u : !stencil.field<[-1,257]x[-1,257]x[-1,512]xf32> -> !temp
  %x, %y = stencil.apply(%a = %t : !temp) -> (!temp, !temp) {
    %0 = stencil.access %a[-1, 0, 0] : !temp
    %1 = stencil.access %a[1, 0, 0] : !temp
    %2 = stencil.access %a[0, -1, 0] : !temp
    %3 = stencil.access %a[0, 1, 0] : !temp
    %4 = arith.divf %0, %1 : f32
    %5 = arith.divf %2, %3 : f32
    stencil.return %4, %5 : f32, f32
  }
  %r = stencil.apply(%a = %x : !temp, %b = %y : !temp) -> (!temp) {
    %0 = stencil.access %a[0, 0, 0] : !temp
    %1 = stencil.access %a[0, 0, 1] : !temp
    %2 = stencil.access %b[0, 0, 0] : !temp
    %3 = stencil.access %b[0, 0, 1] : !temp
    %4 = arith.addf %0, %1 : f32
    %5 = arith.addf %2, %3 : f32
    %6 = arith.mulf %4, %5 : f32
    stencil.return %6 : f32
  }
  stencil.store %r to %v(<[0, 0, 0], [256, 256, 510]>) : !temp to !stencil.field<[0,256]x[0,256]x[0,510]xf32>
  return
}
