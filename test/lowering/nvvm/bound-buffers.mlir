// Parameters of run-time size get a static type, of which a bare pointer can be made; others stay.
//
// RUN: stencil-opt %s --pass-pipeline='builtin.module(gpu.module(stencil-bound-buffers))' | FileCheck %s
// RUN: stencil-opt %s --stencil-gpu-to-nvvm | FileCheck %s --check-prefix=POINTER

// CHECK:   gpu.func @copy(%[[IN:.*]]: memref<2147483647xf32> {llvm.readonly}, %[[OUT:.*]]: memref<64xf32>, %{{.*}}: index)
// CHECK:   memref.load %[[IN]][%{{.*}}] : memref<2147483647xf32>
// CHECK:   memref.store %{{.*}}, %[[OUT]][%{{.*}}] : memref<64xf32>
// POINTER: llvm.func @copy(%{{.*}}: !llvm.ptr {llvm.readonly}, %{{.*}}: !llvm.ptr, %{{.*}}: i64)
gpu.module @kernels {
  gpu.func @copy(%in: memref<?xf32> {llvm.readonly}, %out: memref<64xf32>, %n: index) kernel {
    %i = gpu.thread_id x
    %x = memref.load %in[%i] : memref<?xf32>
    memref.store %x, %out[%i] : memref<64xf32>
    gpu.return
  }
}
