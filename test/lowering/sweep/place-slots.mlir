// So many slots of the queue as the plan says are in registers, those of the highest numbers.
//
// RUN: stencil-opt %s --sweep-place-slots | FileCheck %s
// RUN: stencil-opt %s --sweep-place-slots --sweep-place-slots | FileCheck %s
// RUN: stencil-opt %s --sweep-place-slots --remarks-filter-passed=sweep-place-slots --remarks-filter-missed=sweep-place-slots -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(sweep-place-slots))' --seed=1
// REDEFINE: %{function} = mixed
// RUN: %{run}
// REDEFINE: %{function} = shorter
// RUN: %{run}

!plane = !stencil.field<[0,12]x[0,12]xf64>
!line = !stencil.field<[0,9]xf64>

// Two levels of radius 1: five slots.
// CHECK-LABEL: func.func @mixed
func.func @mixed(%a: !plane, %b: !plane) {
  // CHECK:      sweep.kernel "s" steps 2 {{.*}} slots ["shared", "shared", "register", "register", "register"]
  // REMARK:     remark: {{.*}}Function=mixed{{.*}}keeps 2 of 5 slots in shared memory
  sweep.kernel "s" steps 2 over <[2, 2], [10, 10]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", queue_registers = 3, steps = 2}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[1, 0] : !plane
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}

// The first and the last number that make sense.
// CHECK-LABEL: func.func @ends
func.func @ends(%a: !plane, %b: !plane) {
  // CHECK:      sweep.kernel {{.*}} slots ["shared", "shared", "register"]
  sweep.kernel "one" steps 1 over <[2, 2], [10, 10]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane) plan <{mapping = "warp", queue_registers = 1}> {
    %0 = stencil.access %u[-2, 0] : !plane
    sweep.yield %0 : f64
  }
  // CHECK:      sweep.kernel {{.*}} slots ["register", "register", "register"]
  // REMARK:     remark: {{.*}}Function=ends{{.*}}keeps 2 of 3 slots in shared memory
  // REMARK:     remark: {{.*}}Function=ends{{.*}}keeps 0 of 3 slots in shared memory
  sweep.kernel "all" steps 1 over <[2, 2], [10, 10]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane) plan <{mapping = "warp", queue_registers = 3}> {
    %0 = stencil.access %u[2, 0] : !plane
    sweep.yield %0 : f64
  }
  return
}

// Sweeps of fewer steps, for what is left of a loop, have shorter queues: all in registers.
// CHECK-LABEL: func.func @shorter
func.func @shorter(%a: !plane, %b: !plane, %c: !plane) {
  // CHECK:      sweep.kernel "s" steps 2 {{.*}} slots ["shared", "register", "register", "register", "register"]
  // REMARK:     remark: {{.*}}Function=shorter{{.*}}keeps 1 of 5 slots in shared memory
  sweep.kernel "s" steps 2 over <[2, 2], [10, 10]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", queue_registers = 4, steps = 2}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[1, 0] : !plane
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  // CHECK:      sweep.kernel "s" steps 1 {{.*}} slots ["register", "register", "register"]
  // REMARK:     remark: {{.*}}Function=shorter{{.*}}keeps 0 of 3 slots in shared memory
  sweep.kernel "s" steps 1 over <[2, 2], [10, 10]> form "gather" carried(%u = %b : !plane)
      boundaries(%b : !plane) outs(%c : !plane) plan <{mapping = "warp", queue_registers = 4}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[1, 0] : !plane
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}

// Without the key, the attribute is left out: all in registers.
// CHECK-LABEL: func.func @unplanned
// CHECK-NOT:   slots
// CHECK:       return
func.func @unplanned(%a: !plane, %b: !plane) {
  sweep.kernel "s" steps 1 over <[2, 2], [10, 10]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane) plan <{mapping = "warp"}> {
    %0 = stencil.access %u[-1, 0] : !plane
    sweep.yield %0 : f64
  }
  return
}

// Slots that somebody wrote stay.
// CHECK-LABEL: func.func @written
func.func @written(%a: !plane, %b: !plane) {
  // CHECK:      sweep.kernel {{.*}} slots ["register", "shared"]
  sweep.kernel "s" steps 1 over <[2, 2], [10, 10]> form "gather" slots ["register", "shared"]
      carried(%u = %a : !plane) boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", queue_registers = 1}> {
    %0 = stencil.access %u[-1, 0] : !plane
    sweep.yield %0 : f64
  }
  return
}

// One dimension streams nothing: the plane that arrives is all there is.
// CHECK-LABEL: func.func @line
func.func @line(%a: !line, %b: !line) {
  // CHECK:      sweep.kernel {{.*}} slots ["register"]
  // REMARK:     remark: {{.*}}Function=line{{.*}}keeps 0 of 1 slots in shared memory
  sweep.kernel "line" steps 1 over <[1], [8]> form "gather" carried(%u = %a : !line)
      boundaries(%a : !line) outs(%b : !line) plan <{mapping = "warp", queue_registers = 1}> {
    %0 = stencil.access %u[-1] : !line
    sweep.yield %0 : f64
  }
  return
}

// 19 slots of 8 doubles of 192 threads: 233472 bytes, more than a block may have; 18 are the last
// that fit sm_90a's 232448.
// CHECK-LABEL: func.func @just_fits
func.func @just_fits(%a: !plane, %b: !plane) {
  // CHECK:      sweep.kernel {{.*}} slots [{{("shared", )+"register"}}
  // REMARK:     remark: {{.*}}Function=just_fits{{.*}}keeps 18 of 21 slots in shared memory
  sweep.kernel "s" steps 10 over <[1, 1], [11, 11]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", queue_registers = 3, steps = 10,
      threads = array<i64: 1, 192>, points = array<i64: 1, 8>}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[1, 0] : !plane
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}
