// What sweeps of several statements do not do.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --convert-sweep-to-planes

!plane = !stencil.field<[0,9]x[0,40]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @shared(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.stages' op keeps planes of several statements in registers only}}
  // expected-note @below {{take storage = "queue", and leave 'queue_registers' out}}
  sweep.stages "s" steps 1 fields(%u = %a : !plane, %v = %b : !plane)
      plan <{mapping = "warp", storage = "shared", threads = array<i64: 1, 32>}> {
    %us = sweep.input %u : !plane -> !temp
    %p = sweep.stage "p" over <[1, 1], [8, 39]> (%x = %us : !temp) -> !temp {
      %0 = stencil.access %x[0, 1] : !temp
      sweep.yield %0 : f64
    }
    sweep.output %p over <[1, 1], [8, 39]> to %v : !temp, !plane
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @queue_registers(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.stages' op keeps planes of several statements in registers only}}
  // expected-note @below {{take storage = "queue", and leave 'queue_registers' out}}
  sweep.stages "s" steps 1 fields(%u = %a : !plane, %v = %b : !plane)
      plan <{mapping = "warp", queue_registers = 1, threads = array<i64: 1, 32>}> {
    %us = sweep.input %u : !plane -> !temp
    %p = sweep.stage "p" over <[1, 1], [8, 39]> (%x = %us : !temp) -> !temp {
      %0 = stencil.access %x[0, 1] : !temp
      sweep.yield %0 : f64
    }
    sweep.output %p over <[1, 1], [8, 39]> to %v : !temp, !plane
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @scatter(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.stages' op computes a point of several statements at once}}
  // expected-note @below {{take form = "gather"}}
  sweep.stages "s" steps 1 fields(%u = %a : !plane, %v = %b : !plane)
      plan <{mapping = "warp", form = "scatter", threads = array<i64: 1, 32>}> {
    %us = sweep.input %u : !plane -> !temp
    %p = sweep.stage "p" over <[1, 1], [8, 39]> (%x = %us : !temp) -> !temp {
      %0 = stencil.access %x[0, 1] : !temp
      sweep.yield %0 : f64
    }
    sweep.output %p over <[1, 1], [8, 39]> to %v : !temp, !plane
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @ring(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.stages' op copies planes of several statements in three dimensions only}}
  // expected-note @below {{take loads = "prefetch" or "direct"}}
  sweep.stages "s" steps 1 fields(%u = %a : !plane, %v = %b : !plane)
      plan <{mapping = "warp", loads = "ring", ring = 3, threads = array<i64: 1, 32>}> {
    %us = sweep.input %u : !plane -> !temp
    %p = sweep.stage "p" over <[1, 1], [8, 39]> (%x = %us : !temp) -> !temp {
      %0 = stencil.access %x[0, 1] : !temp
      sweep.yield %0 : f64
    }
    sweep.output %p over <[1, 1], [8, 39]> to %v : !temp, !plane
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @halo_of_two_dimensions(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.stages' op copies planes of several statements in three dimensions only}}
  // expected-note @below {{take loads = "prefetch" or "direct"}}
  sweep.stages "s" steps 1 fields(%u = %a : !plane, %v = %b : !plane)
      plan <{mapping = "warp", loads = "halo", ring = 3, threads = array<i64: 1, 32>}> {
    %us = sweep.input %u : !plane -> !temp
    %p = sweep.stage "p" over <[1, 1], [8, 39]> (%x = %us : !temp) -> !temp {
      %0 = stencil.access %x[0, 1] : !temp
      sweep.yield %0 : f64
    }
    sweep.output %p over <[1, 1], [8, 39]> to %v : !temp, !plane
  }
  return
}

// -----

!box = !stencil.field<[0,9]x[0,9]x[0,40]xf16>
!temp = !stencil.temp<?x?x?xf16>

func.func @halo_of_small_values(%a: !box, %b: !box) {
  // expected-error @below {{'sweep.stages' op copies values of 2 bytes, and an asynchronous copy has 4 at least}}
  // expected-note @below {{take loads = "prefetch" or "direct"}}
  sweep.stages "s" steps 1 fields(%u = %a : !box, %v = %b : !box)
      plan <{mapping = "block", loads = "halo", ring = 3, threads = array<i64: 1, 4, 32>}> {
    %us = sweep.input %u : !box -> !temp
    %p = sweep.stage "p" over <[1, 1, 1], [8, 8, 39]> (%x = %us : !temp) -> !temp {
      %0 = stencil.access %x[0, 0, 1] : !temp
      sweep.yield %0 : f16
    }
    sweep.output %p over <[1, 1, 1], [8, 8, 39]> to %v : !temp, !box
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @lines(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.stages' op takes one plane of several statements an iteration}}
  // expected-note @below {{take one thread along the slowest dimension}}
  sweep.stages "s" steps 1 fields(%u = %a : !plane, %v = %b : !plane)
      plan <{mapping = "block", threads = array<i64: 2, 32>}> {
    %us = sweep.input %u : !plane -> !temp
    %p = sweep.stage "p" over <[1, 1], [8, 39]> (%x = %us : !temp) -> !temp {
      %0 = stencil.access %x[0, 1] : !temp
      sweep.yield %0 : f64
    }
    sweep.output %p over <[1, 1], [8, 39]> to %v : !temp, !plane
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>
!temp = !stencil.temp<?x?xf64>

// A tile has 32 columns, and loses as many.
func.func @narrow(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.stages' op plan key 'steps' cannot be 1: a tile of 32 cells along dimension 1 loses 0 and 32 cells at its ends, and gives no point; take fewer steps or a larger tile}}
  // expected-note @below {{change the plan's keys, or choose other ones}}
  sweep.stages "s" steps 1 fields(%u = %a : !plane, %v = %b : !plane)
      plan <{mapping = "warp", threads = array<i64: 1, 32>}> {
    %us = sweep.input %u : !plane -> !temp
    %p = sweep.stage "p" over <[1, 1], [8, 39]> (%x = %us : !temp) -> !temp {
      %0 = stencil.access %x[0, 32] : !temp
      sweep.yield %0 : f64
    }
    sweep.output %p over <[1, 1], [8, 39]> to %v : !temp, !plane
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @rank(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.stages' op has rank 2, its plan 1}}
  // expected-note @below {{give the plan threads for each dimension}}
  sweep.stages "s" steps 1 fields(%u = %a : !plane, %v = %b : !plane)
      plan <{mapping = "warp", threads = array<i64: 32>}> {
    %us = sweep.input %u : !plane -> !temp
    %p = sweep.stage "p" over <[1, 1], [8, 39]> (%x = %us : !temp) -> !temp {
      %0 = stencil.access %x[0, 1] : !temp
      sweep.yield %0 : f64
    }
    sweep.output %p over <[1, 1], [8, 39]> to %v : !temp, !plane
  }
  return
}

// -----

!plane = !stencil.field<[-9,49]x[0,71]xf64>
!temp = !stencil.temp<?x?xf64>

// Planes of five streams: 7, 5, 3, 2 and 1, in their first places again after 210 iterations.
func.func @turns(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.stages' op unrolls 210 iterations until all planes are in their first registers again, at most 24 are}}
  // expected-note @below {{take rotation = "move"}}
  sweep.stages "s" steps 1 fields(%u = %a : !plane, %v = %b : !plane)
      plan <{mapping = "warp", points = array<i64: 1, 2>, rotation = "unroll", threads = array<i64: 1, 32>}> {
    %us = sweep.input %u : !plane -> !temp
    %p = sweep.stage "p" over <[0, 0], [40, 70]> (%x = %us : !temp) -> !temp {
      %0 = stencil.access %x[0, 0] : !temp
      %1 = stencil.access %x[-6, 0] : !temp
      %2 = arith.addf %0, %1 : f64
      sweep.yield %2 : f64
    }
    %q = sweep.stage "q" over <[4, 0], [40, 70]> (%x = %p : !temp) -> !temp {
      %0 = stencil.access %x[0, 0] : !temp
      %1 = stencil.access %x[-4, 0] : !temp
      %2 = arith.addf %0, %1 : f64
      sweep.yield %2 : f64
    }
    %r = sweep.stage "r" over <[6, 0], [40, 70]> (%x = %q : !temp) -> !temp {
      %0 = stencil.access %x[0, 0] : !temp
      %1 = stencil.access %x[-2, 0] : !temp
      %2 = arith.addf %0, %1 : f64
      sweep.yield %2 : f64
    }
    %s = sweep.stage "s" over <[7, 0], [40, 70]> (%x = %r : !temp) -> !temp {
      %0 = stencil.access %x[0, 0] : !temp
      %1 = stencil.access %x[-1, 0] : !temp
      %2 = arith.addf %0, %1 : f64
      sweep.yield %2 : f64
    }
    sweep.output %s over <[7, 0], [40, 70]> to %v : !temp, !plane
  }
  return
}
