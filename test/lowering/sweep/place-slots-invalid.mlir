// A number of slots that cannot be in registers, and slots that a target has no memory for.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --sweep-place-slots
// RUN: not stencil-opt %s --split-input-file --sweep-place-slots=target=sm_80 2>&1 | FileCheck %s --check-prefix=SM80
// RUN: not stencil-opt %s --split-input-file --sweep-place-slots=target=sm_1 2>&1 | FileCheck %s --check-prefix=SM1
//
// SM80: needs 233472 bytes of shared memory, a block of sm_80 has 166912
// SM1:  target 'sm_1' is unknown, known targets are

!plane = !stencil.field<[0,9]x[0,9]xf64>

func.func @none(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op cannot have 0 slots of its queue in registers: the arriving plane is always in a register}}
  // expected-note @below {{put at least 1 slot in registers}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 8]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane) plan <{mapping = "warp", queue_registers = 0}> {
    %0 = stencil.access %u[-1, 0] : !plane
    sweep.yield %0 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,9]xf64>

func.func @too_many(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op cannot have 6 slots of its queue in registers: 6 slots in registers, the queue of 2 steps has 5 slots}}
  // expected-note @below {{put at most that many in registers}}
  sweep.kernel "s" steps 2 over <[1, 1], [8, 8]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", queue_registers = 6, steps = 2}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[1, 0] : !plane
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,9]xf64>

func.func @sums(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op cannot have 2 slots of its queue in registers: scatter form keeps partial sums, not planes}}
  // expected-note @below {{leave 'queue_registers' out of the plan, or take form = "gather" and skew = "tight"}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 8]> form "scatter" carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", form = "scatter", queue_registers = 2}> {
    %0 = stencil.access %u[-1, 0] : !plane
    sweep.yield %0 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,9]xf64>

func.func @lazy(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op cannot have 2 slots of its queue in registers: with a lazy skew levels also keep planes besides the queue}}
  // expected-note @below {{leave 'queue_registers' out of the plan, or take form = "gather" and skew = "tight"}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 8]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", queue_registers = 2, skew = "lazy"}> {
    %0 = stencil.access %u[-1, 0] : !plane
    sweep.yield %0 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,9]xf64>

func.func @without_form(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op cannot have 2 slots of its queue in registers: it has no form yet}}
  // expected-note @below {{run sweep-retime first}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 8]> carried(%u = %a : !plane) boundaries(%a : !plane)
      outs(%b : !plane) plan <{mapping = "warp", queue_registers = 2}> {
    %0 = stencil.access %u[-1, 0] : !plane
    sweep.yield %0 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,12]x[0,12]xf64>

func.func @shared_memory(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op needs 233472 bytes of shared memory, a block of sm_90a has 232448}}
  // expected-note @below {{put more slots in registers, or take fewer threads, points, steps or a shorter ring}}
  sweep.kernel "s" steps 10 over <[1, 1], [11, 11]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", queue_registers = 2, steps = 10,
      threads = array<i64: 1, 192>, points = array<i64: 1, 8>}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[1, 0] : !plane
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}

// -----

!box = !stencil.field<[0,12]x[0,40]x[0,40]xf64>
!temp = !stencil.temp<?x?x?xf64>

// Rows of four streams that warps exchange, 4 * 32 * 224 values, and cells around the domain.
func.func @rows_of_statements(%a: !box, %b: !box) {
  // expected-error @below {{'sweep.stages' op needs 236544 bytes of shared memory, a block of sm_90a has 232448}}
  // expected-note @below {{put more slots in registers, or take fewer threads, points, steps or a shorter ring}}
  sweep.stages "s" steps 4 fields(%u = %a : !box, %v = %b : !box)
      plan <{mapping = "block", points = array<i64: 1, 1, 7>, threads = array<i64: 1, 32, 32>}> {
    %us = sweep.input %u : !box -> !temp
    %p = sweep.stage "p" over <[0, 1, 0], [12, 40, 40]> (%x = %us : !temp) -> !temp
        outside(%v : !box) rotations [1] {
      %0 = stencil.access %x[0, -1, 0] : !temp
      sweep.yield %0 : f64
    }
    sweep.carry %p to %us : !temp
    sweep.output %p over <[0, 1, 0], [12, 40, 40]> to %v : !temp, !box
  }
  return
}
