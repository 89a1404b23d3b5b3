// Operations of a kernel come into an order in which few registers are live; every bit stays.
//
// RUN: stencil-opt %s --stencil-schedule-trees=all --stencil-statistics 2>%t.counts | FileCheck %s
// RUN: FileCheck %s --check-prefix=COUNT --input-file=%t.counts
// RUN: stencil-opt %s --stencil-schedule-trees | FileCheck %s --check-prefix=SOURCE

// COUNT: 28 stencil-schedule-trees maxlive-after
// COUNT: 30 stencil-schedule-trees maxlive-before
// COUNT: 5 stencil-schedule-trees num-blocks

gpu.module @kernels {
  // All loads first need eight registers; each sum wants only two of them.
  // CHECK-LABEL: gpu.func @late
  // SOURCE-LABEL: gpu.func @late
  gpu.func @late(%in: memref<64xf64>, %out: memref<64xf64>, %i: index, %j: index, %k: index,
      %l: index) kernel attributes {stencil.plan = #stencil.plan<{threads = [32]}>} {
    // The plan leaves the order as it is made.
    // SOURCE-COUNT-4: memref.load
    // SOURCE:         arith.addf
    // CHECK:      %[[A:.+]] = memref.load
    // CHECK:      %[[B:.+]] = memref.load
    // CHECK:      arith.mulf %[[B]], %[[A]]
    %a = memref.load %in[%i] : memref<64xf64>
    %b = memref.load %in[%j] : memref<64xf64>
    %c = memref.load %in[%k] : memref<64xf64>
    %d = memref.load %in[%l] : memref<64xf64>
    %ab = arith.addf %a, %b : f64
    %cd = arith.mulf %c, %d : f64
    %abc = arith.addf %ab, %cd : f64
    %s = arith.mulf %abc, %abc : f64
    memref.store %s, %out[%i] : memref<64xf64>
    gpu.return
  }

  // A load stays in front of a store to the same memory, and behind one; another memory is free.
  // CHECK-LABEL: gpu.func @memory
  gpu.func @memory(%in: memref<64xf64>, %out: memref<64xf64>, %i: index, %j: index) kernel {
    // CHECK: %[[OLD:.+]] = memref.load %[[IN:.+]][%[[I:.+]]]
    // CHECK: memref.store %{{.+}}, %[[IN]][%[[I]]]
    // CHECK: %[[NEW:.+]] = memref.load %[[IN]][%[[I]]]
    // CHECK: arith.addf %[[NEW]], %{{.+}}
    %old = memref.load %in[%i] : memref<64xf64>
    %two = arith.addf %old, %old : f64
    memref.store %two, %in[%i] : memref<64xf64>
    %new = memref.load %in[%i] : memref<64xf64>
    %four = arith.mulf %two, %two : f64
    %sum = arith.addf %new, %four : f64
    %all = arith.mulf %sum, %sum : f64
    memref.store %all, %out[%j] : memref<64xf64>
    gpu.return
  }

  // Nothing crosses a barrier.
  // CHECK-LABEL: gpu.func @barrier
  gpu.func @barrier(%in: memref<64xf64>, %out: memref<64xf64>, %i: index, %j: index) kernel {
    // CHECK: %[[A:.+]] = memref.load
    // CHECK: gpu.barrier
    // CHECK: %[[B:.+]] = memref.load
    // CHECK: arith.addf %[[A]], %[[B]]
    %a = memref.load %in[%i] : memref<64xf64>
    gpu.barrier
    %b = memref.load %in[%j] : memref<64xf64>
    %s = arith.addf %a, %b : f64
    %t = arith.mulf %s, %s : f64
    %u = arith.mulf %t, %t : f64
    %v = arith.addf %u, %t : f64
    memref.store %v, %out[%i] : memref<64xf64>
    gpu.return
  }

  // What an iteration loads for the next one stays ahead; shuffles keep their order.
  // CHECK-LABEL: gpu.func @loop
  gpu.func @loop(%in: memref<64xf64>, %out: memref<64xf64>, %i: index) kernel {
    // CHECK: scf.for {{.+}} iter_args(%[[NOW:.+]] =
    // CHECK: %[[NEXT:.+]] = memref.load
    // CHECK: gpu.shuffle {{.*}}up %[[NOW]]
    // CHECK: gpu.shuffle {{.*}}down %[[NOW]]
    // CHECK: scf.yield %[[NEXT]]
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %many = arith.constant 64 : index
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %first = memref.load %in[%i] : memref<64xf64>
    %last = scf.for %n = %zero to %many step %one iter_args(%now = %first) -> (f64) {
      %next = memref.load %in[%n] : memref<64xf64>
      %left, %p = gpu.shuffle up %now, %c1, %c32 : f64
      %right, %q = gpu.shuffle down %now, %c1, %c32 : f64
      %a = arith.addf %left, %right : f64
      %b = arith.mulf %a, %a : f64
      %c = arith.addf %b, %now : f64
      %d = arith.mulf %c, %c : f64
      memref.store %d, %out[%n] : memref<64xf64>
      scf.yield %next : f64
    }
    gpu.return
  }

  // Instructions name constants themselves, those from outside of a loop too: the number of the
  // host, the sum and the value under way are the six registers of the body.
  // CHECK-LABEL: gpu.func @constants
  gpu.func @constants(%in: memref<64xf64>, %out: memref<64xf64>, %w: f64) kernel {
    // CHECK: arith.constant 2.5
    // CHECK: arith.constant 3.5
    // CHECK: scf.for
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %many = arith.constant 64 : index
    %c2 = arith.constant 2.5 : f64
    %c3 = arith.constant 3.5 : f64
    scf.for %n = %zero to %many step %one {
      %a = memref.load %in[%n] : memref<64xf64>
      %sum0 = arith.mulf %a, %c2 : f64
      %b = memref.load %in[%one] : memref<64xf64>
      %sum1 = math.fma %b, %c3, %sum0 : f64
      %sum2 = arith.mulf %sum1, %w : f64
      %sum3 = arith.addf %sum2, %c3 : f64
      memref.store %sum3, %out[%n] : memref<64xf64>
    }
    gpu.return
  }
}
