// What two squares need with either sign is subtracted once.
//
// RUN: stencil-opt %s --pass-pipeline='builtin.module(gpu.module(stencil-share-differences))' | FileCheck %s
// RUN: stencilc compile %S/../kernels/gradient.mlir --target sm_90a --element-type=f32 --plan mapping=warp,form=gather,steps=1,points=1x4 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
//
// Four points in a row have five differences along it and eight across it.
// PTX-COUNT-13: sub.rn.f32
// PTX-NOT:      sub.rn.f32
// PTX:          st.global

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @squares
  // CHECK-SAME:    %[[A:[a-z0-9]+]]: f64, %[[B:[a-z0-9]+]]: f64
  gpu.func @squares(%a: f64, %b: f64, %to: memref<3xf64>) {
    // CHECK:     %[[D:.+]] = arith.subf %[[A]], %[[B]]
    // CHECK-NOT: arith.subf
    // CHECK:     arith.mulf %[[D]], %[[D]]
    // CHECK:     math.fma %[[D]], %[[D]], %[[A]]
    // CHECK:     math.absf %[[D]]
    %d = arith.subf %a, %b : f64
    %reversed = arith.subf %b, %a : f64
    %square = arith.mulf %reversed, %reversed : f64
    %fused = math.fma %reversed, %reversed, %a : f64
    %size = math.absf %reversed : f64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %sum = arith.addf %d, %square : f64
    memref.store %sum, %to[%c0] : memref<3xf64>
    memref.store %fused, %to[%c1] : memref<3xf64>
    memref.store %size, %to[%c2] : memref<3xf64>
    gpu.return
  }

  // A sign that is seen, a factor that is another, a summand, other flags, another block.
  // CHECK-LABEL: gpu.func @kept
  gpu.func @kept(%a: f64, %b: f64, %c: f64, %which: i1, %to: memref<4xf64>) {
    // CHECK-COUNT-8: arith.subf
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %ab = arith.subf %a, %b : f64
    %ba = arith.subf %b, %a : f64
    %seen = arith.mulf %ba, %ab : f64
    memref.store %seen, %to[%c0] : memref<4xf64>
    %bc = arith.subf %b, %c : f64
    %cb = arith.subf %c, %b : f64
    %summand = math.fma %cb, %cb, %cb : f64
    %both = arith.addf %summand, %bc : f64
    memref.store %both, %to[%c1] : memref<4xf64>
    %ac = arith.subf %a, %c fastmath<nsz> : f64
    %ca = arith.subf %c, %a : f64
    %flagged = arith.mulf %ca, %ca : f64
    %third = arith.addf %flagged, %ac : f64
    memref.store %third, %to[%c2] : memref<4xf64>
    %twice = arith.addf %a, %a : f64
    %first = arith.subf %twice, %b : f64
    memref.store %first, %to[%c3] : memref<4xf64>
    scf.if %which {
      %other = arith.subf %b, %twice : f64
      %square = arith.mulf %other, %other : f64
      memref.store %square, %to[%c3] : memref<4xf64>
    }
    gpu.return
  }
}
