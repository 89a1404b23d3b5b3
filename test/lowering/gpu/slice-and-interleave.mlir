// What a later expression reads of values that are live is computed where they are; every bit stays.
//
// RUN: stencil-opt %s --stencil-slice-and-interleave=all --stencil-statistics 2>%t.counts | FileCheck %s
// RUN: FileCheck %s --check-prefix=COUNT --input-file=%t.counts
// RUN: stencil-opt %s --stencil-slice-and-interleave | FileCheck %s --check-prefix=SOURCE

// COUNT: 1 stencil-slice-and-interleave num-blocks

gpu.module @kernels {
  // The quotient reads b and c, which the product in front has: it is computed there, and of three
  // values one is left over the sum between.
  // CHECK-LABEL: gpu.func @quotient
  // SOURCE-LABEL: gpu.func @quotient
  gpu.func @quotient(%in: memref<64xf64>, %out: memref<64xf64>, %i: index, %j: index, %k: index,
      %l: index, %m: index, %n: index) kernel {
    // SOURCE: memref.store
    // SOURCE: arith.divf
    // CHECK:  arith.divf
    // CHECK:  memref.store
    %e = memref.load %in[%l] : memref<64xf64>
    %b = memref.load %in[%i] : memref<64xf64>
    %c = memref.load %in[%j] : memref<64xf64>
    %bc = arith.mulf %b, %c : f64
    %x = memref.load %in[%k] : memref<64xf64>
    %y = memref.load %in[%m] : memref<64xf64>
    %z = arith.mulf %x, %y : f64
    %s = arith.addf %bc, %z : f64
    memref.store %s, %out[%i] : memref<64xf64>
    %eb = arith.mulf %e, %b : f64
    %q = arith.divf %eb, %c : f64
    %f = memref.load %in[%n] : memref<64xf64>
    %p = arith.mulf %q, %f : f64
    memref.store %p, %out[%j] : memref<64xf64>
    gpu.return
  }
}
