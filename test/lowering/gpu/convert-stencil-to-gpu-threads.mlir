// Each apply is one kernel whose threads compute the points that the plan says; loops and memory stay on the host.
//
// RUN: stencil-opt %s --convert-stencil-to-gpu-threads --canonicalize --cse | FileCheck %s
// RUN: stencil-opt %s --convert-stencil-to-gpu-threads --canonicalize --cse | FileCheck %s --check-prefix=HOST
// RUN: stencil-opt %s --convert-stencil-to-gpu-threads=checked=true | FileCheck %s --check-prefix=CHECKED
//
// DEFINE: %{function} =
// DEFINE: %{kernels} = stencilc run %s --on=emulator --function=%{function} --verify --seed=1
// REDEFINE: %{function} = exact
// RUN: %{kernels}
// REDEFINE: %{function} = guarded
// RUN: %{kernels}
// REDEFINE: %{function} = ragged
// RUN: %{kernels}
// REDEFINE: %{function} = alignment_offset
// RUN: %{kernels}
// REDEFINE: %{function} = shared_loads
// RUN: %{kernels}
// REDEFINE: %{function} = low_rank
// RUN: %{kernels}
// REDEFINE: %{function} = index
// RUN: %{kernels}
// REDEFINE: %{function} = optional
// RUN: %{kernels}
// REDEFINE: %{function} = narrower_store
// RUN: %{kernels}
// REDEFINE: %{function} = unrolled
// RUN: %{kernels}
// REDEFINE: %{function} = dynamic
// RUN: %{kernels}
// REDEFINE: %{function} = undefined
// RUN: %{kernels}
// RUN: stencilc run %s --on=emulator --function=scalar --verify --seed=1 --arg 2=0.3
// REDEFINE: %{function} = resources
// RUN: %{kernels}
// REDEFINE: %{function} = in_place
// RUN: %{kernels}
// REDEFINE: %{function} = rotation
// RUN: %{kernels}
// REDEFINE: %{function} = shared_slots
// RUN: %{kernels}
// REDEFINE: %{function} = temporary
// RUN: %{kernels}

// HOST: module attributes {gpu.container_module}
// HOST: gpu.module @kernels

// Tiles that cover the domain: no question in the kernel. Dimension 0 lies along z, the last along x.
// CHECK-LABEL: gpu.func @exact_copy
// CHECK-SAME:    known_block_size = array<i32: 32, 2, 1>
// CHECK-NOT:     scf.if
// CHECK-DAG:     gpu.block_id z
// CHECK-DAG:     gpu.block_id y
// CHECK-DAG:     gpu.thread_id y
// CHECK-DAG:     gpu.thread_id x
// CHECK:         gpu.return
// HOST-LABEL: func.func @exact
// HOST-SAME:    (%[[IN:[a-z0-9]+]]: memref<2048xf64> {stencil.bounds = {lower = array<i64: -1, 0, 0>, upper = array<i64: 7, 8, 32>}}, %[[OUT:[a-z0-9]+]]: memref<2048xf64>
// HOST-DAG:     %[[C1:.*]] = arith.constant 1 : index
// HOST-DAG:     %[[C2:.*]] = arith.constant 2 : index
// HOST-DAG:     %[[C4:.*]] = arith.constant 4 : index
// HOST-DAG:     %[[C8:.*]] = arith.constant 8 : index
// HOST-DAG:     %[[C32:.*]] = arith.constant 32 : index
// HOST:         gpu.launch_func @kernels::@exact_copy blocks in (%[[C1]], %[[C4]], %[[C8]]) threads in (%[[C32]], %[[C2]], %[[C1]]) args(%[[IN]] : memref<2048xf64>, %[[OUT]] : memref<2048xf64>)
func.func @exact(%in: !stencil.field<[-1,7]x[0,8]x[0,32]xf64>, %out: !stencil.field<[-1,7]x[0,8]x[0,32]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,7]x[0,8]x[0,32]xf64> -> !stencil.temp<[-1,7]x[0,8]x[0,32]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[-1,7]x[0,8]x[0,32]xf64>) -> (!stencil.temp<[-1,7]x[0,8]x[0,32]xf64>)
      attributes {stencil.stage = "copy", stencil.plan = #stencil.plan<{threads = array<i64: 1, 2, 32>}>} {
    %v = stencil.access %a[0, 0, 0] : !stencil.temp<[-1,7]x[0,8]x[0,32]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[-1, 0, 0], [7, 8, 32]>)
    : !stencil.temp<[-1,7]x[0,8]x[0,32]xf64> to !stencil.field<[-1,7]x[0,8]x[0,32]xf64>
  return
}

// One point a thread, and more threads than points: the last ones are sent home.
// CHECK-LABEL: gpu.func @guarded_copy
// CHECK-DAG:     %[[END:.*]] = arith.constant 50 : i32
// CHECK:         %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %[[END]]
// CHECK-NEXT:    scf.if %[[INSIDE]] {
// CHECK:           memref.load
// CHECK:           memref.store
// CHECK:         }
// CHECK-NEXT:    gpu.return
func.func @guarded(%in: !stencil.field<[0,50]xf64>, %out: !stencil.field<[0,50]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,50]xf64> -> !stencil.temp<[0,50]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,50]xf64>) -> (!stencil.temp<[0,50]xf64>)
      attributes {stencil.stage = "copy", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %v = stencil.access %a[0] : !stencil.temp<[0,50]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0], [50]>) : !stencil.temp<[0,50]xf64> to !stencil.field<[0,50]xf64>
  return
}

// Two points a thread, a block apart, with a remainder: whole tiles run straight, both loads before both stores;
// the others loop over their points and ask for each.
// CHECK-LABEL: gpu.func @ragged_copy
// CHECK:         scf.if
// CHECK-COUNT-2:   memref.load
// CHECK-COUNT-2:   memref.store
// CHECK:         } else {
// CHECK:           scf.for
// CHECK:             scf.if
// CHECK:               memref.load
// CHECK:               memref.store
func.func @ragged(%in: !stencil.field<[0,100]xf64>, %out: !stencil.field<[0,100]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,100]xf64> -> !stencil.temp<[0,100]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,100]xf64>) -> (!stencil.temp<[0,100]xf64>)
      attributes {stencil.stage = "copy", stencil.plan = #stencil.plan<{points = array<i64: 2>, threads = array<i64: 32>}>} {
    %v = stencil.access %a[0] : !stencil.temp<[0,100]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0], [100]>) : !stencil.temp<[0,100]xf64> to !stencil.field<[0,100]xf64>
  return
}

// The first lane lies three cells before the domain, where the row begins: one question without a sign keeps such lanes idle.
// CHECK-LABEL: gpu.func @alignment_offset_copy
// CHECK:         %[[x:.*]] = arith.addi
// CHECK:         %[[from:.*]] = arith.subi %[[x]], %{{.*}} : i32
// CHECK:         %[[inside:.*]] = arith.cmpi ult, %[[from]], %{{.*}} : i32
// CHECK:         scf.if %[[inside]]
// CHECK:           memref.load
func.func @alignment_offset(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[3,50]xf64>)
      attributes {stencil.stage = "copy", stencil.plan = #stencil.plan<{alignment_offset = 3, threads = array<i64: 32>}>} {
    %v = stencil.access %a[-1] : !stencil.temp<[0,64]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[3], [50]>) : !stencil.temp<[3,50]xf64> to !stencil.field<[0,64]xf64>
  return
}

// Points of a thread along the slow dimension are neighbours, and share what they read: four loads for two sums of three.
// CHECK-LABEL: gpu.func @shared_loads_sum
// CHECK-COUNT-4: memref.load
// CHECK-NOT:     memref.load
// CHECK:         gpu.return
func.func @shared_loads(%in: !stencil.field<[-1,9]x[0,32]xf64>, %out: !stencil.field<[0,8]x[0,32]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,9]x[0,32]xf64> -> !stencil.temp<[-1,9]x[0,32]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[-1,9]x[0,32]xf64>) -> (!stencil.temp<[0,8]x[0,32]xf64>)
      attributes {stencil.stage = "sum", stencil.plan = #stencil.plan<{points = array<i64: 2, 1>, threads = array<i64: 1, 32>}>} {
    %v0 = stencil.access %a[-1, 0] : !stencil.temp<[-1,9]x[0,32]xf64>
    %v1 = stencil.access %a[0, 0] : !stencil.temp<[-1,9]x[0,32]xf64>
    %v2 = stencil.access %a[1, 0] : !stencil.temp<[-1,9]x[0,32]xf64>
    %s0 = arith.addf %v0, %v1 : f64
    %s1 = arith.addf %s0, %v2 : f64
    stencil.return %s1 : f64
  }
  stencil.store %r to %out(<[0, 0], [8, 32]>) : !stencil.temp<[0,8]x[0,32]xf64> to !stencil.field<[0,8]x[0,32]xf64>
  return
}

// A field of fewer dimensions is read where its own dimensions say; two points that differ along another one share the load.
// CHECK-LABEL: gpu.func @low_rank_scale
// CHECK-SAME:    %[[PROFILE:[a-z0-9]+]]: memref<34xf64>
// CHECK-DAG:     %[[X:.*]] = gpu.thread_id x
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2 : index
// CHECK:         %[[CELL:.*]] = arith.addi %[[X]], %[[TWO]] : index
// CHECK:         memref.load %[[PROFILE]][%[[CELL]]]
// CHECK-NOT:     memref.load %[[PROFILE]]
// CHECK:         gpu.return
func.func @low_rank(%profile: !stencil.field<[-1,33]xf64>, %out: !stencil.field<[0,8]x[0,32]xf64>) {
  %t = stencil.load %profile : !stencil.field<[-1,33]xf64> -> !stencil.temp<[-1,33]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[-1,33]xf64>) -> (!stencil.temp<[0,8]x[0,32]xf64>)
      attributes {stencil.stage = "scale", stencil.plan = #stencil.plan<{points = array<i64: 2, 1>, threads = array<i64: 1, 32>}>} {
    %v = stencil.access %a[_, 1] : !stencil.temp<[-1,33]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0, 0], [8, 32]>) : !stencil.temp<[0,8]x[0,32]xf64> to !stencil.field<[0,8]x[0,32]xf64>
  return
}

// A coordinate is counted from the domain's corner, which may be negative.
// CHECK-LABEL: gpu.func @index_coordinates
// CHECK-DAG:     %[[X:.*]] = gpu.thread_id x
// CHECK-DAG:     %[[LEAST:.*]] = arith.constant -6 : index
// CHECK:         %[[I:.*]] = arith.addi %[[X]], %[[LEAST]] : index
// CHECK:         arith.index_cast %[[I]] : index to i64
func.func @index(%out: !stencil.field<[-8,24]xi64>) {
  %r = stencil.apply() -> (!stencil.temp<[-8,24]xi64>)
      attributes {stencil.stage = "coordinates", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %i = stencil.index 0 <[2]>
    %v = arith.index_cast %i : index to i64
    stencil.return %v : i64
  }
  stencil.store %r to %out(<[-8], [24]>) : !stencil.temp<[-8,24]xi64> to !stencil.field<[-8,24]xi64>
  return
}

// A result that may be left unwritten is a store under its own condition.
// CHECK-LABEL: gpu.func @optional_positive
// CHECK:         %[[LARGE:.*]] = arith.cmpf ogt
// CHECK:         scf.if
// CHECK:           memref.store
// CHECK:         }
// CHECK-NEXT:    gpu.return
func.func @optional(%in: !stencil.field<[0,32]xf64>, %out: !stencil.field<[0,32]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,32]xf64> -> !stencil.temp<[0,32]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,32]xf64>) -> (!stencil.temp<[0,32]xf64>)
      attributes {stencil.stage = "positive", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %v = stencil.access %a[0] : !stencil.temp<[0,32]xf64>
    %half = arith.constant 0.5 : f64
    %large = arith.cmpf ogt, %v, %half : f64
    %kept = scf.if %large -> (!stencil.result<f64>) {
      %some = stencil.store_result %v : !stencil.result<f64>
      scf.yield %some : !stencil.result<f64>
    } else {
      %none = stencil.store_result : !stencil.result<f64>
      scf.yield %none : !stencil.result<f64>
    }
    stencil.return %kept : !stencil.result<f64>
  }
  stencil.store %r to %out(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
  return
}

// Where one result is stored at fewer points than the other, its store asks.
// CHECK-LABEL: gpu.func @narrower_store_two
// CHECK-SAME:    %{{[a-z0-9]+}}: memref<32xf64> {{{[^}]*}}}, %[[WIDE:[a-z0-9]+]]: memref<32xf64> {{{[^}]*}}}, %[[NARROW:[a-z0-9]+]]: memref<32xf64>
// CHECK:         memref.store %{{.*}}, %[[WIDE]]
// CHECK:         scf.if
// CHECK-NEXT:      memref.store %{{.*}}, %[[NARROW]]
func.func @narrower_store(%in: !stencil.field<[0,32]xf64>, %wide: !stencil.field<[0,32]xf64>, %narrow: !stencil.field<[0,32]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,32]xf64> -> !stencil.temp<[0,32]xf64>
  %r0, %r1 = stencil.apply(%a = %t : !stencil.temp<[0,32]xf64>) -> (!stencil.temp<[0,32]xf64>, !stencil.temp<[0,32]xf64>)
      attributes {stencil.stage = "two", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %v = stencil.access %a[0] : !stencil.temp<[0,32]xf64>
    %w = arith.negf %v : f64
    stencil.return %v, %w : f64, f64
  }
  stencil.store %r0 to %wide(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
  stencil.store %r1 to %narrow(<[4], [20]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
  return
}

// With unroll a thread's point is a group: 16 threads for 32 points, two stores from one run of the body.
// CHECK-LABEL: gpu.func @unrolled_swap
// CHECK-SAME:    known_block_size = array<i32: 16, 1, 1>
// CHECK-COUNT-2: memref.load
// CHECK-COUNT-2: memref.store
// CHECK-NOT:     memref.
// CHECK:         gpu.return
func.func @unrolled(%in: !stencil.field<[0,32]xf64>, %out: !stencil.field<[0,32]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,32]xf64> -> !stencil.temp<[0,32]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,32]xf64>) -> (!stencil.temp<[0,32]xf64>)
      attributes {stencil.stage = "swap", stencil.plan = #stencil.plan<{threads = array<i64: 16>}>} {
    %v = stencil.access %a[0] : !stencil.temp<[0,32]xf64>
    %w = stencil.access %a[1] : !stencil.temp<[0,32]xf64>
    stencil.return %w, %v unroll <[2]> : f64, f64
  }
  stencil.store %r to %out(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
  return
}

// A dynamic access is an address that the thread computes; checked kernels trap outside its extent, on both ends.
// CHECK-LABEL: gpu.func @dynamic_gather
// CHECK-NOT:     llvm.intr.trap
// CHECK:         gpu.return
// CHECKED-LABEL: gpu.func @dynamic_gather
// CHECKED-COUNT-2: llvm.intr.trap
// CHECKED-NOT:   llvm.intr.trap
// CHECKED:       gpu.return
func.func @dynamic(%in: !stencil.field<[-1,34]xf64>, %out: !stencil.field<[0,32]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,34]xf64> -> !stencil.temp<[-1,34]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[-1,34]xf64>) -> (!stencil.temp<[0,32]xf64>)
      attributes {stencil.stage = "gather", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %i = stencil.index 0 <[0]>
    %one = arith.constant 1 : index
    %odd = arith.andi %i, %one : index
    %j = arith.addi %i, %odd : index
    %v = stencil.dyn_access %a[%j] in <[-1]> : <[2]> : !stencil.temp<[-1,34]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
  return
}

// With absolute the extent is that of the operand, and the limits of a checked kernel are constants.
// CHECK-LABEL: gpu.func @absolute_mirror
// CHECK-NOT:     llvm.intr.trap
// CHECK:         gpu.return
// CHECKED-LABEL: gpu.func @absolute_mirror
// CHECKED:       %[[J:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECKED-NEXT:  %[[LOW:.*]] = arith.constant -2 : index
// CHECKED-NEXT:  %[[HIGH:.*]] = arith.constant 5 : index
// CHECKED-NEXT:  arith.cmpi slt, %[[J]], %[[LOW]] : index
// CHECKED:       arith.cmpi sgt, %[[J]], %[[HIGH]] : index
// CHECKED:       gpu.return
func.func @absolute(%in: !stencil.field<[-2,6]xf64>, %out: !stencil.field<[0,8]x[0,32]xf64>) {
  %t = stencil.load %in : !stencil.field<[-2,6]xf64> -> !stencil.temp<[-2,6]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[-2,6]xf64>) -> (!stencil.temp<[0,8]x[0,32]xf64>)
      attributes {stencil.stage = "mirror", stencil.plan = #stencil.plan<{threads = array<i64: 1, 32>}>} {
    %i = stencil.index 0 <[0, 0]>
    %most = arith.constant 5 : index
    %j = arith.subi %most, %i : index
    %v = stencil.dyn_access %a[%j] in <[-2]> : <[5]> attributes {absolute} : !stencil.temp<[-2,6]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0, 0], [8, 32]>) : !stencil.temp<[0,8]x[0,32]xf64> to !stencil.field<[0,8]x[0,32]xf64>
  return
}

// What else is undefined on a GPU traps in checked kernels: division by zero, the one quotient that overflows,
// a shift too wide, a conversion out of range.
// CHECK-LABEL: gpu.func @undefined_integers
// CHECK-NOT:     llvm.intr.trap
// CHECK:         gpu.return
// CHECKED-LABEL: gpu.func @undefined_integers
// CHECKED:       arith.cmpi uge
// CHECKED:       llvm.intr.trap
// CHECKED:       arith.shli
// CHECKED:       arith.cmpi eq
// CHECKED:       llvm.intr.trap
// CHECKED:       arith.andi
// CHECKED:       llvm.intr.trap
// CHECKED:       arith.divsi
// CHECKED:       math.trunc
// CHECKED:       llvm.intr.trap
// CHECKED:       arith.fptosi
// CHECKED:       gpu.return
func.func @undefined(%in: !stencil.field<[0,32]xf64>, %out: !stencil.field<[0,32]xi64>) {
  %t = stencil.load %in : !stencil.field<[0,32]xf64> -> !stencil.temp<[0,32]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,32]xf64>) -> (!stencil.temp<[0,32]xi64>)
      attributes {stencil.stage = "integers", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %i = stencil.index 0 <[1]>
    %n = arith.index_cast %i : index to i64
    %shifted = arith.shli %n, %n : i64
    %quotient = arith.divsi %shifted, %n : i64
    %v = stencil.access %a[0] : !stencil.temp<[0,32]xf64>
    %cut = arith.fptosi %v : f64 to i64
    %sum = arith.addi %cut, %quotient : i64
    stencil.return %sum : i64
  }
  stencil.store %r to %out(<[0], [32]>) : !stencil.temp<[0,32]xi64> to !stencil.field<[0,32]xi64>
  return
}

// Scalars are parameters behind the fields.
// CHECK-LABEL: gpu.func @scalar_scale
// CHECK-SAME:    (%{{[a-z0-9]+}}: memref<32xf32> {llvm.noalias, llvm.readonly}, %{{[a-z0-9]+}}: memref<32xf32> {llvm.noalias}, %[[C:[a-z0-9]+]]: f32)
// CHECK:         arith.mulf %{{.*}}, %[[C]]
// HOST-LABEL: func.func @scalar
// HOST-SAME:    %[[C:[a-z0-9]+]]: f32)
// HOST:         gpu.launch_func {{.*}}, %[[C]] : f32)
func.func @scalar(%in: !stencil.field<[0,32]xf32>, %out: !stencil.field<[0,32]xf32>, %c: f32) {
  %t = stencil.load %in : !stencil.field<[0,32]xf32> -> !stencil.temp<[0,32]xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,32]xf32>, %s = %c : f32) -> (!stencil.temp<[0,32]xf32>)
      attributes {stencil.stage = "scale", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %v = stencil.access %a[0] : !stencil.temp<[0,32]xf32>
    %w = arith.mulf %v, %s : f32
    stencil.return %w : f32
  }
  stencil.store %r to %out(<[0], [32]>) : !stencil.temp<[0,32]xf32> to !stencil.field<[0,32]xf32>
  return
}

// The register cap and the blocks that must fit travel with the kernel.
// CHECK-LABEL: gpu.func @resources_copy
// CHECK-SAME:    nvvm.maxnreg = 40 : i32, nvvm.minctasm = 8 : i32
func.func @resources(%in: !stencil.field<[0,32]xf64>, %out: !stencil.field<[0,32]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,32]xf64> -> !stencil.temp<[0,32]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,32]xf64>) -> (!stencil.temp<[0,32]xf64>)
      attributes {stencil.stage = "copy", stencil.plan = #stencil.plan<{max_registers = 40 : i64, min_blocks = 8 : i64, threads = array<i64: 32>}>} {
    %v = stencil.access %a[0] : !stencil.temp<[0,32]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
  return
}

// Read and written: one parameter, which is not read-only.
// CHECK-LABEL: gpu.func @in_place_square
// CHECK-SAME:    (%{{[a-z0-9]+}}: memref<32xf64> {llvm.noalias}) kernel
func.func @in_place(%f: !stencil.field<[0,32]xf64>) {
  %t = stencil.load %f : !stencil.field<[0,32]xf64> -> !stencil.temp<[0,32]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,32]xf64>) -> (!stencil.temp<[0,32]xf64>)
      attributes {stencil.stage = "square", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %v = stencil.access %a[0] : !stencil.temp<[0,32]xf64>
    %w = arith.mulf %v, %v : f64
    stencil.return %w : f64
  }
  stencil.store %r to %f(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
  return
}

// A loop that rotates fields rotates buffers, and launches inside.
// CHECK-LABEL: gpu.func @rotation_step
// CHECK-SAME:    (%{{[a-z0-9]+}}: memref<34xf64> {llvm.noalias, llvm.readonly}, %{{[a-z0-9]+}}: memref<34xf64> {llvm.noalias})
// HOST-LABEL: func.func @rotation
// HOST-SAME:    (%[[U:[a-z0-9]+]]: memref<34xf64> {{{[^}]*}}}}, %[[V:[a-z0-9]+]]: memref<34xf64>
// HOST:         scf.for {{.*}} iter_args(%[[NOW:.*]] = %[[U]], %[[NEXT:.*]] = %[[V]]) -> (memref<34xf64>, memref<34xf64>)
// HOST:           gpu.launch_func @kernels::@rotation_step {{.*}} args(%[[NOW]] : memref<34xf64>, %[[NEXT]] : memref<34xf64>)
// HOST:           scf.yield %[[NEXT]], %[[NOW]]
func.func @rotation(%u: !stencil.field<[-1,33]xf64>, %v: !stencil.field<[-1,33]xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 3 : index
  %l0, %l1 = scf.for %time = %zero to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-1,33]xf64>, !stencil.field<[-1,33]xf64>) {
    %t = stencil.load %now : !stencil.field<[-1,33]xf64> -> !stencil.temp<[-1,33]xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<[-1,33]xf64>) -> (!stencil.temp<[0,32]xf64>)
        attributes {stencil.stage = "step", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
      %left = stencil.access %a[-1] : !stencil.temp<[-1,33]xf64>
      %right = stencil.access %a[1] : !stencil.temp<[-1,33]xf64>
      %sum = arith.addf %left, %right : f64
      stencil.return %sum : f64
    }
    stencil.store %r to %next(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[-1,33]xf64>
    scf.yield %next, %now : !stencil.field<[-1,33]xf64>, !stencil.field<[-1,33]xf64>
  }
  return
}

// One field in two slots: the parameters promise nothing about each other.
// CHECK-LABEL: gpu.func @shared_slots_step
// CHECK-SAME:    (%{{[a-z0-9]+}}: memref<32xf64> {llvm.readonly}, %{{[a-z0-9]+}}: memref<32xf64>) kernel
func.func @shared_slots(%u: !stencil.field<[0,32]xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 3 : index
  %l0, %l1 = scf.for %time = %zero to %steps step %one iter_args(%now = %u, %next = %u)
      -> (!stencil.field<[0,32]xf64>, !stencil.field<[0,32]xf64>) {
    %t = stencil.load %now : !stencil.field<[0,32]xf64> -> !stencil.temp<[0,32]xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<[0,32]xf64>) -> (!stencil.temp<[0,32]xf64>)
        attributes {stencil.stage = "step", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
      %here = stencil.access %a[0] : !stencil.temp<[0,32]xf64>
      %sum = arith.addf %here, %here : f64
      stencil.return %sum : f64
    }
    stencil.store %r to %next(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
    scf.yield %next, %now : !stencil.field<[0,32]xf64>, !stencil.field<[0,32]xf64>
  }
  return
}

// A temp between two applies is memory, allocated once where the function starts, and not in the loop.
// HOST-LABEL: func.func @temporary
// HOST:         %[[MEMORY:.*]] = memref.alloc() : memref<33xf64>
// HOST:         scf.for
// HOST-NOT:       memref.alloc
// HOST:           gpu.launch_func @kernels::@temporary_first {{.*}}, %[[MEMORY]] : memref<33xf64>)
// HOST:           gpu.launch_func @kernels::@temporary_second {{.*}} args(%[[MEMORY]] : memref<33xf64>
func.func @temporary(%f: !stencil.field<[0,33]xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 3 : index
  scf.for %time = %zero to %steps step %one {
    %t = stencil.load %f : !stencil.field<[0,33]xf64> -> !stencil.temp<[0,33]xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<[0,33]xf64>) -> (!stencil.temp<[0,33]xf64>)
        attributes {stencil.stage = "first", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
      %here = stencil.access %a[0] : !stencil.temp<[0,33]xf64>
      %sum = arith.addf %here, %here : f64
      stencil.return %sum : f64
    }
    %s = stencil.apply(%a = %r : !stencil.temp<[0,33]xf64>) -> (!stencil.temp<[0,32]xf64>)
        attributes {stencil.stage = "second", stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
      %right = stencil.access %a[1] : !stencil.temp<[0,33]xf64>
      stencil.return %right : f64
    }
    stencil.store %s to %f(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,33]xf64>
  }
  return
}

// Addresses beyond 31 bits are computed in 64: no narrowing.
// CHECK-LABEL: gpu.func @wide_copy
// CHECK-SAME:    stencil.stage = "copy"}
// CHECK-NOT:     i32
// CHECK:         gpu.return
func.func @wide(%in: !stencil.field<[0,65536]x[0,32769]xi8>, %out: !stencil.field<[0,65536]x[0,32769]xi8>) {
  %t = stencil.load %in : !stencil.field<[0,65536]x[0,32769]xi8> -> !stencil.temp<[0,65536]x[0,32769]xi8>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,65536]x[0,32769]xi8>) -> (!stencil.temp<[0,65536]x[0,32769]xi8>)
      attributes {stencil.stage = "copy", stencil.plan = #stencil.plan<{threads = array<i64: 4, 32>}>} {
    %v = stencil.access %a[0, 0] : !stencil.temp<[0,65536]x[0,32769]xi8>
    stencil.return %v : i8
  }
  stencil.store %r to %out(<[0, 0], [65536, 32769]>)
    : !stencil.temp<[0,65536]x[0,32769]xi8> to !stencil.field<[0,65536]x[0,32769]xi8>
  return
}

// What nobody stores has no kernel.
// HOST-LABEL: func.func @unused
// HOST-NOT:     gpu.launch_func
// HOST:         return
func.func @unused(%in: !stencil.field<[0,32]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,32]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}

// A function without stencils is left alone.
// HOST-LABEL: func.func @plain
// HOST-SAME:    (%{{.*}}: f64) -> f64
func.func @plain(%a: f64) -> f64 {
  return %a : f64
}
