// Spilled values are in shared memory between the operations that read them.
//
// RUN: stencil-opt %s --stencil-demote-registers --stencil-statistics 2>%t.counts | FileCheck %s
// RUN: FileCheck %s --check-prefix=COUNT --input-file=%t.counts
// RUN: stencilc run %S/../../kernels/derivative.mlir --on=emulator --extents=7,9,40 --verify \
// RUN:   --plan=points=1,threads=1x3x32,demote=40
// RUN: stencilc run %S/../../kernels/derivative.mlir --on=emulator --extents=7,9,40 --verify \
// RUN:   --element-type=f32 --plan=points=1,threads=1x3x32,demote=20,demote_heuristic=operand-conflicts

// COUNT-DAG: 2 stencil-demote-registers num-values
// COUNT-DAG: 3 stencil-demote-registers num-loads
// COUNT-DAG: 3 stencil-demote-registers num-stores
// COUNT-DAG: 5 stencil-demote-registers num-reloads
// COUNT-DAG: 31 stencil-demote-registers maxlive-before
// COUNT-DAG: 21 stencil-demote-registers maxlive-after

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Of three values the one that is read last goes, behind who reads it before.
    // CHECK-LABEL: gpu.func @farthest
    gpu.func @farthest(%in: memref<64xf64>, %out: memref<64xf64>, %i: index, %j: index) kernel
        attributes {known_block_size = array<i32: 32, 2, 1>,
          stencil.plan = #stencil.plan<{threads = [2, 32], demote = 2}>} {
      // The place of a thread: eight bytes for each of 64.
      // CHECK:     %[[ALL:.+]] = gpu.dynamic_shared_memory
      // CHECK:     %[[INDEX:.+]] = memref.extract_aligned_pointer_as_index %[[ALL]]
      // CHECK:     %[[BEGIN:.+]] = llvm.inttoptr
      // CHECK:     gpu.thread_id y
      // CHECK:     gpu.thread_id x
      // CHECK:     %[[STRIDE:.+]] = arith.constant 8 : i64
      // CHECK:     %[[MINE:.+]] = arith.muli %{{.+}}, %[[STRIDE]] : i64
      // CHECK:     %[[PLACE:.+]] = llvm.getelementptr %[[BEGIN]][%[[MINE]]]
      // CHECK:     %[[SLOTS:.+]] = llvm.getelementptr %[[PLACE]][16]
      // CHECK:     %[[LAST:.+]] = memref.load %arg0[%arg2]
      // CHECK:     %[[SLOT:.+]] = llvm.getelementptr %[[SLOTS]][0]
      // CHECK:     llvm.store volatile %[[LAST]], %[[SLOT]] {alignment = 8 : i64}
      // CHECK:     memref.store %[[LAST]]
      // CHECK:     %[[AGAIN:.+]] = llvm.load volatile %{{.+}} {alignment = 8 : i64}
      // CHECK:     arith.mulf %[[AGAIN]], %{{.+}} : f64
      %last = memref.load %in[%i] : memref<64xf64>
      memref.store %last, %out[%j] : memref<64xf64>
      %a = memref.load %in[%j] : memref<64xf64>
      %b = arith.mulf %a, %a : f64
      %c = arith.mulf %a, %b : f64
      %d = arith.addf %b, %c : f64
      %e = arith.addf %a, %d : f64
      %f = arith.mulf %last, %e : f64
      memref.store %f, %out[%i] : memref<64xf64>
      gpu.return
    }

    // A double is two words, each in a slot of its own.
    // CHECK-LABEL: gpu.func @words
    gpu.func @words(%in: memref<64xf64>, %out: memref<64xf64>, %i: index, %j: index) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>,
          stencil.plan = #stencil.plan<{threads = [32], demote = 2, demote_layout = "interleaved-32"}>} {
      // CHECK:     llvm.call_intrinsic "llvm.nvvm.d2i.lo"(%{{.+}}) : (f64) -> i32
      // CHECK:     llvm.getelementptr %[[SLOTS:.+]][0]
      // CHECK:     llvm.store volatile %{{.+}} {alignment = 4 : i64} : i32
      // CHECK:     llvm.call_intrinsic "llvm.nvvm.d2i.hi"
      // CHECK:     llvm.getelementptr %[[SLOTS]][128]
      // CHECK:     llvm.store volatile
      // CHECK-COUNT-2: llvm.load volatile
      // CHECK:     llvm.call_intrinsic "llvm.nvvm.lohi.i2d"(%{{.+}}, %{{.+}}) : (i32, i32) -> f64
      %last = memref.load %in[%i] : memref<64xf64>
      memref.store %last, %out[%j] : memref<64xf64>
      %a = memref.load %in[%j] : memref<64xf64>
      %b = arith.mulf %a, %a : f64
      %c = arith.addf %b, %a : f64
      %f = arith.mulf %last, %c : f64
      memref.store %f, %out[%i] : memref<64xf64>
      gpu.return
    }

    // A value loaded from a read-only array is rematerialised where it is used, without a slot.
    // CHECK-LABEL: gpu.func @again
    // CHECK-NOT:   gpu.dynamic_shared_memory
    // CHECK-NOT:   llvm.store
    gpu.func @again(%in: memref<64xf64> {llvm.noalias, llvm.readonly}, %out: memref<64xf64>,
        %i: index, %j: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
          stencil.plan = #stencil.plan<{threads = [32], demote = 2}>} {
      // CHECK:     memref.load %arg0[%arg2]
      // CHECK:     %[[ARRAY:.+]] = memref.extract_aligned_pointer_as_index %arg0
      // CHECK:     %[[NUMBER:.+]] = arith.index_cast %[[ARRAY]]
      // CHECK:     %[[BEGIN:.+]] = llvm.inttoptr %[[NUMBER]]
      // CHECK:     %[[INDEX:.+]] = arith.index_cast %arg2
      // CHECK:     %[[ELEMENT:.+]] = llvm.getelementptr %[[BEGIN]][%[[INDEX]]]
      // CHECK:     %[[AGAIN:.+]] = llvm.load %[[ELEMENT]] atomic syncscope("block") monotonic
      // CHECK:     arith.mulf %[[AGAIN]], %{{.+}} : f64
      %last = memref.load %in[%i] : memref<64xf64>
      memref.store %last, %out[%j] : memref<64xf64>
      %a = memref.load %in[%j] : memref<64xf64>
      %b = arith.mulf %a, %a : f64
      %c = arith.addf %b, %a : f64
      %f = arith.mulf %last, %c : f64
      memref.store %f, %out[%i] : memref<64xf64>
      gpu.return
    }

    // Elements of a vector come from beside its index.
    // CHECK-LABEL: gpu.func @beside
    gpu.func @beside(%in: memref<64xf32> {llvm.noalias, llvm.readonly}, %out: memref<64xf32>,
        %i: index, %j: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
          stencil.plan = #stencil.plan<{threads = [32], demote = 1}>} {
      // CHECK:     %[[INDEX:.+]] = arith.index_cast %arg2
      // CHECK:     %[[FIRST:.+]] = llvm.getelementptr %{{.+}}[%[[INDEX]]]
      // CHECK:     %[[SECOND:.+]] = llvm.getelementptr %[[FIRST]][1]
      // CHECK:     llvm.load %[[SECOND]] atomic syncscope("block") monotonic {alignment = 4 : i64}
      %pair = vector.load %in[%i] : memref<64xf32>, vector<2xf32>
      %last = vector.extract %pair[1] : f32 from vector<2xf32>
      memref.store %last, %out[%j] : memref<64xf32>
      %a = memref.load %in[%j] : memref<64xf32>
      %b = arith.mulf %a, %a : f32
      %c = arith.addf %b, %a : f32
      %f = arith.mulf %last, %c : f32
      memref.store %f, %out[%i] : memref<64xf32>
      gpu.return
    }

    // One result after the other, what both load is loaded twice; or, as they stand, more is moved.
    // CHECK-LABEL: gpu.func @results
    // CHECK:         memref.store
    // CHECK:         arith.subf
    // CHECK:         memref.store
    gpu.func @results(%in: memref<64xf64> {llvm.noalias, llvm.readonly}, %out: memref<64xf64>,
        %i: index, %j: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
          stencil.plan = #stencil.plan<{threads = [32], demote = 4}>} {
      %a = memref.load %in[%i] : memref<64xf64>
      %b = memref.load %in[%j] : memref<64xf64>
      %c = arith.addf %a, %b : f64
      %d = arith.subf %a, %b : f64
      %e = arith.mulf %c, %c : f64
      %f = arith.mulf %d, %d : f64
      %g = arith.addf %e, %c : f64
      %h = arith.subf %f, %d : f64
      memref.store %g, %out[%i] : memref<64xf64>
      memref.store %h, %out[%j] : memref<64xf64>
      gpu.return
    }

    // No plan, nothing goes.
    // CHECK-LABEL: gpu.func @unasked
    // CHECK-NOT:   llvm.
    gpu.func @unasked(%in: memref<64xf64>, %out: memref<64xf64>, %i: index, %j: index) kernel {
      %last = memref.load %in[%i] : memref<64xf64>
      %a = memref.load %in[%j] : memref<64xf64>
      %c = arith.addf %last, %a : f64
      memref.store %c, %out[%i] : memref<64xf64>
      gpu.return
    }
  }

  // Launches ask for the slots of all threads, behind what they asked for.
  // CHECK-LABEL: func.func @host
  // CHECK: %[[MORE:.+]] = arith.constant 528 : i32
  // CHECK: gpu.launch_func @kernels::@farthest {{.*}} dynamic_shared_memory_size %[[MORE]]
  // CHECK: %[[NEW:.+]] = arith.constant 256 : i32
  // CHECK: gpu.launch_func @kernels::@words {{.*}} dynamic_shared_memory_size %[[NEW]]
  func.func @host(%in: memref<64xf64>, %out: memref<64xf64>, %i: index, %j: index) {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %x = arith.constant 32 : index
    %shared = arith.constant 8 : i32
    gpu.launch_func @kernels::@farthest blocks in (%one, %one, %one) threads in (%x, %two, %one)
      dynamic_shared_memory_size %shared
      args(%in : memref<64xf64>, %out : memref<64xf64>, %i : index, %j : index)
    gpu.launch_func @kernels::@words blocks in (%one, %one, %one) threads in (%x, %one, %one)
      args(%in : memref<64xf64>, %out : memref<64xf64>, %i : index, %j : index)
    return
  }
}
