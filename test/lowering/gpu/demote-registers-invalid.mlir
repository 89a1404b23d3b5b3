// What cannot have slots is refused, and what cannot shrink is said.
//
// RUN: stencil-opt %s --stencil-demote-registers --split-input-file --verify-diagnostics

gpu.module @kernels {
  // expected-error@+2 {{has no known block size, so that threads have no slots}}
  // expected-note@+1 {{demote registers of kernels that convert-stencil-to-gpu-threads made}}
  gpu.func @nobody(%in: memref<64xf64>, %out: memref<64xf64>, %i: index, %j: index) kernel
      attributes {stencil.plan = #stencil.plan<{threads = [32], demote = 2}>} {
    %last = memref.load %in[%i] : memref<64xf64>
    memref.store %last, %out[%j] : memref<64xf64>
    %a = memref.load %in[%j] : memref<64xf64>
    %b = arith.mulf %a, %a : f64
    %c = arith.addf %b, %a : f64
    %f = arith.mulf %last, %c : f64
    memref.store %f, %out[%i] : memref<64xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // One double of 1024 threads is 8192 bytes; the static buffer leaves 8184 of 232448.
  // expected-error@+2 {{needs 232456 bytes of shared memory, 8192 of them for spilled values, a block of sm_90a has 232448}}
  // expected-note@+1 {{demote fewer registers, or take fewer threads}}
  gpu.func @full(%in: memref<64xf64>, %out: memref<64xf64>, %i: index, %j: index)
      workgroup(%buffer: memref<28033xf64, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 1024, 1, 1>,
        stencil.plan = #stencil.plan<{threads = [1024], demote = 2}>} {
    %last = memref.load %in[%i] : memref<64xf64>
    memref.store %last, %out[%j] : memref<64xf64>
    %a = memref.load %in[%j] : memref<64xf64>
    %b = arith.mulf %a, %a : f64
    %c = arith.addf %b, %a : f64
    %f = arith.mulf %last, %c : f64
    memref.store %f, %out[%i] : memref<64xf64>
    gpu.return
  }
}
