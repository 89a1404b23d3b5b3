// Storages of whole planes that a sweep cannot have, each for its reason.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --sweep-retime --sweep-place-slots --convert-sweep-to-planes

!plane = !stencil.field<[0,9]x[0,40]xf64>

func.func @diagonal(%a: !plane, %b: !plane) {
  sweep.kernel "s" steps 1 over <[1, 1], [8, 39]> carried(%u = %a : !plane) boundaries(%a : !plane)
      outs(%b : !plane)
      plan <{mapping = "warp", storage = "diagonal-free", threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[0, 1] : !plane
    // expected-error @below {{'stencil.access' op reads [-1, 1], off the plane and off the column, of which storage = "diagonal-free" keeps nothing that another thread sees}}
    // expected-note @below {{take storage = "shared", or storage = "retimed" for a sum}}
    %1 = stencil.access %u[-1, 1] : !plane
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>

func.func @halo(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op copies no cells around its tiles, only sweeps of all statements of a loop do}}
  // expected-note @below {{take loads = "ring", or give the plan to the loop around it (--plan loop:KEY=..)}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 39]> carried(%u = %a : !plane) boundaries(%a : !plane)
      outs(%b : !plane)
      plan <{mapping = "warp", loads = "halo", ring = 3, threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[0, 1] : !plane
    sweep.yield %0 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>

// One plane cannot wait for an iteration while the next is written.
func.func @lazy(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op plan key 'skew' cannot be "lazy": storage = "diagonal-free" has one plane for each level}}
  // expected-note @below {{fix the plan}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 39]> carried(%u = %a : !plane) boundaries(%a : !plane)
      outs(%b : !plane)
      plan <{mapping = "warp", skew = "lazy", storage = "diagonal-free",
          threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[1, 0] : !plane
    sweep.yield %0 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>

// A product of values of two planes is no sum: both are on their way.
func.func @product(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op is not a sum of contributions of planes: it carries 3 values of a point, storage = "retimed" is for 2 at most}}
  // expected-note @below {{take storage = "diagonal-free" or "shared", which keep planes}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 39]> carried(%u = %a : !plane) boundaries(%a : !plane)
      outs(%b : !plane)
      plan <{mapping = "warp", storage = "retimed", threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[0, 1] : !plane
    %2 = stencil.access %u[1, 0] : !plane
    %3 = arith.mulf %0, %2 : f64
    %4 = arith.mulf %1, %2 : f64
    %5 = arith.addf %3, %4 : f64
    sweep.yield %5 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>

// A form that somebody set stays, also where the plan's storage is for the other.
func.func @other_form(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op is in gather form, which storage = "retimed" does not support}}
  // expected-note @below {{take form = "scatter", or another storage}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 39]> form "gather" carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", storage = "retimed", threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[1, 0] : !plane
    sweep.yield %0 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>

func.func @slots(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op plan key 'queue_registers' cannot be 2: storage = "shared" has no queue of slots}}
  // expected-note @below {{fix the plan}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 39]> carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", queue_registers = 2, storage = "shared",
          threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[1, 0] : !plane
    sweep.yield %0 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>

func.func @own_slots(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op has slots of a queue, but storage = "shared" keeps whole planes}}
  // expected-note @below {{leave out one of them}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 39]> form "gather" slots ["shared", "register"]
      carried(%u = %a : !plane) boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", storage = "shared", threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[1, 0] : !plane
    sweep.yield %0 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>

// Levels that wait keep a plane more each, which no slot in shared memory is for. Slots by hand:
// sweep-place-slots refuses the plan.
func.func @waiting_slots(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op has slots in shared memory, but a lazy skew keeps planes besides the queue}}
  // expected-note @below {{take skew = "tight", or all slots in registers}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 39]> form "gather"
      slots ["shared", "register", "register", "register"] carried(%u = %a : !plane)
      boundaries(%a : !plane) outs(%b : !plane)
      plan <{mapping = "warp", skew = "lazy", threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[-1, 0] : !plane
    %1 = stencil.access %u[1, 0] : !plane
    %2 = arith.addf %0, %1 : f64
    sweep.yield %2 : f64
  }
  return
}
