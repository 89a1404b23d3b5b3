// Rows of threads that take a line each, and what they have no means for.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --sweep-retime --sweep-place-slots --convert-sweep-to-planes

!plane = !stencil.field<[0,9]x[0,40]xf64>

// A queue is a thread's own: a line in it is seen by nobody else.
func.func @queue(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op plan key 'storage' cannot be "queue": 2 threads along the streamed dimension take a line each}}
  // expected-note @below {{fix the plan}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 39]> carried(%u = %a : !plane) boundaries(%a : !plane)
      outs(%b : !plane)
      plan <{mapping = "block", storage = "queue", threads = array<i64: 2, 32>}> {
    %0 = stencil.access %u[0, 1] : !plane
    sweep.yield %0 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>

func.func @scatter(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op plan key 'form' cannot be "scatter": storage = "shared" is a store of form = "gather"}}
  // expected-note @below {{fix the plan}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 39]> carried(%u = %a : !plane) boundaries(%a : !plane)
      outs(%b : !plane)
      plan <{mapping = "block", form = "scatter", threads = array<i64: 2, 32>}> {
    %0 = stencil.access %u[0, 1] : !plane
    sweep.yield %0 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>

func.func @warp(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op plan key 'threads' cannot be 2: the slowest dimension is streamed: one thread along it; several take a line each in two dimensions, with mapping = "block"}}
  // expected-note @below {{change the plan's keys, or choose other ones}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 39]> carried(%u = %a : !plane) boundaries(%a : !plane)
      outs(%b : !plane) plan <{mapping = "warp", threads = array<i64: 2, 32>}> {
    %0 = stencil.access %u[0, 1] : !plane
    sweep.yield %0 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>

// A warp would have a part of it in the next line.
func.func @warps(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op plan key 'threads' cannot be 48: whole warps of 32 lie along the fastest dimension}}
  // expected-note @below {{change the plan's keys, or choose other ones}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 39]> carried(%u = %a : !plane) boundaries(%a : !plane)
      outs(%b : !plane) plan <{mapping = "block", threads = array<i64: 2, 48>}> {
    %0 = stencil.access %u[0, 1] : !plane
    sweep.yield %0 : f64
  }
  return
}
