// Cells that follow one another come and go as vectors where their address is a multiple of the vector's size.
//
// RUN: stencil-opt %s --stencil-combine-accesses --stencil-statistics 2>%t.counts | FileCheck %s
// RUN: FileCheck %s --check-prefix=COUNT --input-file=%t.counts
// RUN: stencil-opt %s --stencil-combine-accesses --stencil-combine-accesses | FileCheck %s

// COUNT: 5 stencil-combine-accesses num-vector-loads
// COUNT: 2 stencil-combine-accesses num-vector-stores

gpu.module @kernels {
  // Of six cells two pairs begin at even places; the first and the last are alone.
  // CHECK-LABEL: gpu.func @pairs
  gpu.func @pairs(%in: memref<64xf64>, %out: memref<64xf64>, %i: index) kernel {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    // CHECK: %[[BASE:.+]] = arith.muli
    %even = arith.muli %i, %c2 : index
    // CHECK-DAG: %[[FIRST:.+]] = vector.load %{{.+}}[%{{.+}}] {alignment = 16 : i64} : memref<64xf64>, vector<2xf64>
    // CHECK-DAG: %[[SECOND:.+]] = vector.load %{{.+}}[%{{.+}}] {alignment = 16 : i64} : memref<64xf64>, vector<2xf64>
    // CHECK-DAG: vector.extract %[[FIRST]][0]
    // CHECK-DAG: vector.extract %[[FIRST]][1]
    // CHECK-COUNT-2: memref.load
    // CHECK-NOT: memref.load
    %p1 = arith.addi %even, %c1 : index
    %p2 = arith.addi %even, %c2 : index
    %p3 = arith.addi %even, %c3 : index
    %p4 = arith.addi %even, %c4 : index
    %p5 = arith.addi %even, %c5 : index
    %p6 = arith.addi %even, %c6 : index
    %a = memref.load %in[%p1] : memref<64xf64>
    %b = memref.load %in[%p2] : memref<64xf64>
    %c = memref.load %in[%p3] : memref<64xf64>
    %d = memref.load %in[%p4] : memref<64xf64>
    %e = memref.load %in[%p5] : memref<64xf64>
    %f = memref.load %in[%p6] : memref<64xf64>
    %ab = arith.addf %a, %b : f64
    %cd = arith.addf %c, %d : f64
    %ef = arith.addf %e, %f : f64
    %abcd = arith.addf %ab, %cd : f64
    %all = arith.addf %abcd, %ef : f64
    // CHECK: %[[BOTH:.+]] = vector.from_elements %{{.+}}, %{{.+}} : vector<2xf64>
    // CHECK: vector.store %[[BOTH]], %{{.+}}[%{{.+}}] {alignment = 16 : i64}
    // CHECK-NOT: memref.store
    memref.store %all, %out[%even] : memref<64xf64>
    memref.store %abcd, %out[%p1] : memref<64xf64>
    gpu.return
  }

  // Four singles are one word; three of four are a pair and one.
  // CHECK-LABEL: gpu.func @fours
  gpu.func @fours(%in: memref<64xf32>, %out: memref<64xf32>, %i: index) kernel {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %base = arith.muli %i, %c4 : index
    %p1 = arith.addi %base, %c1 : index
    %p2 = arith.addi %base, %c2 : index
    %p3 = arith.addi %base, %c3 : index
    %p4 = arith.addi %base, %c4 : index
    %p5 = arith.addi %base, %c5 : index
    %p6 = arith.addi %base, %c6 : index
    // CHECK-DAG: vector.load %{{.+}} {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
    // CHECK-DAG: vector.load %{{.+}} {alignment = 8 : i64} : memref<64xf32>, vector<2xf32>
    // CHECK: memref.load
    // CHECK-NOT: memref.load
    %a = memref.load %in[%base] : memref<64xf32>
    %b = memref.load %in[%p1] : memref<64xf32>
    %c = memref.load %in[%p2] : memref<64xf32>
    %d = memref.load %in[%p3] : memref<64xf32>
    %e = memref.load %in[%p4] : memref<64xf32>
    %f = memref.load %in[%p5] : memref<64xf32>
    %g = memref.load %in[%p6] : memref<64xf32>
    %ab = arith.addf %a, %b : f32
    %cd = arith.addf %c, %d : f32
    %ef = arith.addf %e, %f : f32
    %abcd = arith.addf %ab, %cd : f32
    %efg = arith.addf %ef, %g : f32
    %all = arith.addf %abcd, %efg : f32
    memref.store %all, %out[%i] : memref<64xf32>
    gpu.return
  }

  // What is stored in between may be what is loaded behind it, and another address may be the same cell.
  // CHECK-LABEL: gpu.func @order
  gpu.func @order(%in: memref<64xf64>, %i: index, %j: index) kernel {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %even = arith.muli %i, %c2 : index
    %other = arith.muli %j, %c2 : index
    %p1 = arith.addi %even, %c1 : index
    %o1 = arith.addi %other, %c1 : index
    // CHECK: memref.load
    // CHECK: memref.store
    // CHECK: memref.load
    // CHECK: memref.store
    // CHECK: memref.store
    // CHECK: memref.store
    %a = memref.load %in[%even] : memref<64xf64>
    memref.store %a, %in[%other] : memref<64xf64>
    %b = memref.load %in[%p1] : memref<64xf64>
    memref.store %b, %in[%even] : memref<64xf64>
    memref.store %a, %in[%o1] : memref<64xf64>
    memref.store %a, %in[%p1] : memref<64xf64>
    gpu.return
  }

  // Nothing is known of the address, or a barrier is between.
  // CHECK-LABEL: gpu.func @apart
  // CHECK-NOT: vector
  gpu.func @apart(%in: memref<64xf64>, %out: memref<64xf64>, %i: index) kernel {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %odd = arith.addi %i, %c1 : index
    %even = arith.muli %i, %c2 : index
    %p1 = arith.addi %even, %c1 : index
    %a = memref.load %in[%i] : memref<64xf64>
    %b = memref.load %in[%odd] : memref<64xf64>
    %c = memref.load %in[%even] : memref<64xf64>
    gpu.barrier
    %d = memref.load %in[%p1] : memref<64xf64>
    %ab = arith.addf %a, %b : f64
    %cd = arith.addf %c, %d : f64
    %all = arith.addf %ab, %cd : f64
    memref.store %all, %out[%i] : memref<64xf64>
    gpu.return
  }

  // A cell that is loaded twice is one cell of the vector; cells that are stored twice stay apart.
  // CHECK-LABEL: gpu.func @twice
  gpu.func @twice(%in: memref<64xf64>, %out: memref<64xf64>, %i: index) kernel {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %even = arith.muli %i, %c2 : index
    %p1 = arith.addi %even, %c1 : index
    // CHECK: vector.load
    // CHECK-NOT: memref.load
    %a = memref.load %in[%even] : memref<64xf64>
    %b = memref.load %in[%p1] : memref<64xf64>
    %c = memref.load %in[%even] : memref<64xf64>
    %ab = arith.addf %a, %b : f64
    %all = arith.addf %ab, %c : f64
    // CHECK: vector.store
    // CHECK: memref.store
    memref.store %all, %out[%p1] : memref<64xf64>
    memref.store %ab, %out[%even] : memref<64xf64>
    memref.store %ab, %out[%p1] : memref<64xf64>
    gpu.return
  }
}
