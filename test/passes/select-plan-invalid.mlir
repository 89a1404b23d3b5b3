// Plans that the target cannot launch, with the limit and both numbers, and plans that no machine knows.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --stencil-select-plan

func.func @threads_per_block() {
  // expected-error @below {{'stencil.apply' op plan needs 1056 threads per block, sm_90a has at most 1024}}
  // expected-note @below {{change the plan's keys, or choose another target}}
  %r = stencil.apply() -> (!stencil.temp<[0,64]x[0,64]xf64>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 33, 32>}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// -----

func.func @threads_along_z() {
  // expected-error @below {{'stencil.apply' op plan needs 65 threads along z, sm_90a has at most 64}}
  // expected-note @below {{change the plan's keys, or choose another target}}
  %r = stencil.apply() -> (!stencil.temp<[0,64]x[0,64]x[0,64]xf64>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 65, 1, 1>}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// -----

func.func @blocks_along_y() {
  // expected-error @below {{'stencil.apply' op plan needs 65536 blocks along y, sm_90a has at most 65535}}
  // expected-note @below {{change the plan's keys, or choose another target}}
  %r = stencil.apply() -> (!stencil.temp<[0,65536]x[0,4]xf64>)
      attributes {stencil.plan = #stencil.plan<{points = array<i64: 1, 1>, threads = array<i64: 1, 32>}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// -----

func.func @resident_blocks() {
  // expected-error @below {{'stencil.apply' op plan needs 3 blocks per multiprocessor, sm_90a has at most 2}}
  // expected-note @below {{change the plan's keys, or choose another target}}
  %r = stencil.apply() -> (!stencil.temp<[0,64]x[0,64]xf64>)
      attributes {stencil.plan = #stencil.plan<{min_blocks = 3 : i64, threads = array<i64: 16, 64>}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// -----

// Warps go to four partitions in turn, and each has its own registers.
func.func @never_starts() {
  // expected-error @below {{'stencil.apply' op plan key 'max_registers' is 200, with which a block of 10 warps can never start: 3 of them run on one partition of sm_90a and take 19200 registers, it has 16384; take at most 168, or fewer threads}}
  // expected-note @below {{change the plan's keys, or choose another target}}
  %r = stencil.apply() -> (!stencil.temp<[0,64]x[0,64]xf64>)
      attributes {stencil.plan = #stencil.plan<{max_registers = 200 : i64, threads = array<i64: 10, 32>}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// -----

func.func @other_rank() {
  // expected-error @below {{'stencil.apply' op plan key 'threads' has 2 entries for 3 dimensions}}
  // expected-note @below {{change the plan's keys, or choose another target}}
  %r = stencil.apply() -> (!stencil.temp<[0,64]x[0,64]x[0,64]xf64>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 2, 32>}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// -----

func.func @other_rank_of_points() {
  // expected-error @below {{'stencil.apply' op plan key 'points' has 1 entries for 3 dimensions}}
  // expected-note @below {{change the plan's keys, or choose another target}}
  %r = stencil.apply() -> (!stencil.temp<[0,64]x[0,64]x[0,64]xf64>)
      attributes {stencil.plan = #stencil.plan<{points = array<i64: 2>}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// -----

func.func @unknown_key() {
  %r = stencil.apply() -> (!stencil.temp<[0,64]xf64>)
      // expected-error @below {{plan key 'thread' is unknown, did you mean 'threads'?}}
      attributes {stencil.plan = #stencil.plan<{thread = array<i64: 32>}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// -----

func.func @other_kind() {
  %r = stencil.apply() -> (!stencil.temp<[0,64]xf64>)
      // expected-error @below {{plan key 'threads' takes a list of integers in 1..=1024, one per dimension, not}}
      attributes {stencil.plan = #stencil.plan<{threads = 32 : i64}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// -----

func.func @out_of_range() {
  %r = stencil.apply() -> (!stencil.temp<[0,64]xf64>)
      // expected-error @below {{plan key 'max_registers' is 256, outside 16..=255}}
      attributes {stencil.plan = #stencil.plan<{max_registers = 256 : i64}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// -----

func.func @no_kind_at_all() {
  %r = stencil.apply() -> (!stencil.temp<[0,64]xf64>)
      // expected-error @below {{plan key 'max_registers' takes an integer in 16..=255, not a value of another kind}}
      attributes {stencil.plan = #stencil.plan<{max_registers = true}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// -----

func.func @unknown_constraint() {
  // expected-error @below {{'stencil.apply' op stencil.constraints has no key 'ocupancy', its keys are global, not_shared, occupancy, shared, shared_bytes, stream}}
  // expected-note @below {{fix the constraints, or remove them}}
  %r = stencil.apply() -> (!stencil.temp<[0,64]x[0,64]xf64>)
      attributes {stencil.constraints = {ocupancy = 0.5}} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// -----

func.func @impossible_occupancy() {
  // expected-error @below {{'stencil.apply' op an occupancy is more than 0 and at most 1, not 1.5}}
  // expected-note @below {{fix the constraints, or remove them}}
  %r = stencil.apply() -> (!stencil.temp<[0,64]x[0,64]xf64>)
      attributes {stencil.constraints = {occupancy = 1.5}} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// -----

// All that is wrong is said at once.
func.func @several_reasons() {
  // expected-error @below {{'stencil.apply' op the plan is wrong for 3 reasons: (1) plan key 'steps' has no effect with mapping "thread", only with mappings that sweep, as warp; (2) plan key 'prefetch' goes with block_steps > 1: write both or none; (3) plan needs 1056 threads per block, sm_90a has at most 1024}}
  // expected-note @below {{change the plan's keys, or choose another target}}
  %r = stencil.apply() -> (!stencil.temp<[0,64]x[0,64]xf64>)
      attributes {stencil.plan = #stencil.plan<{prefetch = 1, steps = 2, threads = [33, 32]}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// -----

func.func @several_values() {
  %r = stencil.apply() -> (!stencil.temp<[0,64]xf64>)
      // expected-error @below {{the plan is wrong for 2 reasons: (1) plan key 'max_registers' is 256, outside 16..=255; (2) plan key 'thread' is unknown, did you mean 'threads'?}}
      attributes {stencil.plan = #stencil.plan<{max_registers = 256 : i64, thread = 1}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}
