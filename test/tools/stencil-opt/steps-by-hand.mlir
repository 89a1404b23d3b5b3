// What a plan that was written by hand does to a program, one pass after the other.
//
// DEFINE: %{sweep} = --convert-stencil-to-sweep
// DEFINE: %{fuse} = %{sweep} --sweep-fuse-steps
// DEFINE: %{retime} = %{fuse} --sweep-retime
// DEFINE: %{place} = %{retime} --sweep-place-slots
// RUN: stencil-opt %s %{sweep} | FileCheck %s --check-prefixes=CHECK,SWEEP
// RUN: stencil-opt %s %{fuse} | FileCheck %s --check-prefixes=CHECK,FUSE
// RUN: stencil-opt %s %{retime} | FileCheck %s --check-prefixes=CHECK,FUSE,RETIME
// RUN: stencil-opt %s %{place} | FileCheck %s --check-prefixes=CHECK,FUSE,RETIME,PLACE
// RUN: stencil-opt %s %{place} --convert-sweep-to-planes --convert-stencil-to-gpu-threads | FileCheck %s --check-prefix=GPU
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=emulator --verify --seed=1 --function=%{function} --arg n=7
// REDEFINE: %{function} = planes
// RUN: %{run} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{function} = sums
// RUN: %{run} | FileCheck %s --check-prefix=VERIFIED
//
// VERIFIED: verified: bit-identical

!plane = !stencil.field<[0,22]x[0,70]xf64>
!values = !stencil.temp<[0,22]x[0,70]xf64>
!inner = !stencil.temp<[1,21]x[1,69]xf64>

// Two steps at once, planes are kept, and the last level's in shared memory.
// CHECK-LABEL:  func.func @planes
func.func @planes(%a: !plane, %b: !plane {stencil.scratch}, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // The apply becomes a sweep of one step.
  // SWEEP:        scf.for {{.*}} iter_args(%[[NOW:.*]] = %{{.*}}, %[[NEXT:.*]] = %{{.*}})
  // SWEEP-NEXT:     sweep.kernel "planes" steps 1 over <[1, 1], [21, 69]>{{$}}
  // SWEEP-NEXT:       carried(%{{.*}} = %[[NOW]] : {{.*}})
  // SWEEP-NEXT:       boundaries(%[[NOW]] : {{.*}}, %[[NEXT]] : {{.*}})
  // SWEEP-NEXT:       outs(%[[NEXT]] : {{.*}})
  //
  // The loop becomes pairs of sweeps of two steps, and a loop of single steps for the rest. Each has
  // its form, and its slots.
  // FUSE:         {stencil.time_steps = 1 : i64}
  // FUSE:         scf.for
  // FUSE-NEXT:      sweep.kernel "planes" steps 2
  // RETIME-SAME:      form "gather"
  // PLACE-SAME:       slots ["shared", "shared", "register", "register", "register"]
  // FUSE:           sweep.kernel "planes" steps 2
  // RETIME-SAME:      form "gather"
  // PLACE-SAME:       slots ["shared", "shared", "register", "register", "register"]
  // FUSE:         scf.for
  // FUSE-NEXT:      sweep.kernel "planes" steps 1
  // RETIME-SAME:      form "gather"
  // PLACE-SAME:       slots ["register", "register", "register"]
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%now = %a, %next = %b)
      -> (!plane, !plane) {
    %t = stencil.load %now : !plane -> !values
    %r = stencil.apply(%x = %t : !values) -> (!inner) attributes {
        stencil.stage = "planes", stencil.plan = #stencil.plan<{mapping = "warp", steps = 2, queue_registers = 3,
        threads = array<i64: 1, 64>}>} {
      %0 = stencil.access %x[-1, 0] : !values
      %1 = stencil.access %x[0, -1] : !values
      %2 = stencil.access %x[0, 1] : !values
      %3 = stencil.access %x[1, 0] : !values
      %4 = arith.addf %0, %1 : f64
      %5 = arith.addf %4, %2 : f64
      %6 = arith.addf %5, %3 : f64
      stencil.return %6 : f64
    }
    stencil.store %r to %next(<[1, 1], [21, 69]>) : !inner to !plane
    scf.yield %next, %now : !plane, !plane
  }
  return
}

// The same in the other form: nothing is kept but sums.
// CHECK-LABEL:  func.func @sums
func.func @sums(%a: !plane, %b: !plane {stencil.scratch}, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // SWEEP:          sweep.kernel "sums" steps 1
  // FUSE:           sweep.kernel "sums" steps 2
  // RETIME-SAME:      form "scatter"{{$}}
  // FUSE:           sweep.kernel "sums" steps 2
  // RETIME-SAME:      form "scatter"{{$}}
  // FUSE:           sweep.kernel "sums" steps 1
  // RETIME-SAME:      form "scatter"{{$}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%now = %a, %next = %b)
      -> (!plane, !plane) {
    %t = stencil.load %now : !plane -> !values
    %r = stencil.apply(%x = %t : !values) -> (!inner) attributes {
        stencil.stage = "sums", stencil.plan = #stencil.plan<{mapping = "warp", steps = 2, form = "scatter",
        threads = array<i64: 1, 64>}>} {
      %0 = stencil.access %x[-1, 0] : !values
      %1 = stencil.access %x[0, -1] : !values
      %2 = stencil.access %x[0, 1] : !values
      %3 = stencil.access %x[1, 0] : !values
      %4 = arith.addf %0, %1 : f64
      %5 = arith.addf %4, %2 : f64
      %6 = arith.addf %5, %3 : f64
      stencil.return %6 : f64
    }
    stencil.store %r to %next(<[1, 1], [21, 69]>) : !inner to !plane
    scf.yield %next, %now : !plane, !plane
  }
  return
}

// Every sweep is a kernel, every loop of them one of launches.
// GPU:          gpu.module @kernels
// GPU:            gpu.func
// GPU-SAME:         workgroup
// GPU:              nvvm.shfl.sync
// GPU-LABEL:    func.func @planes
// GPU:            {stencil.time_steps = 1 : i64}
// GPU:            scf.for
// GPU-COUNT-2:      gpu.launch_func
// GPU:            scf.for
// GPU:              gpu.launch_func
// GPU-LABEL:    func.func @sums
