// What can be neither a kernel nor a part of a host program, each reason once.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --convert-stencil-to-gpu-threads

// expected-error @below {{'func.func' op returns values, which a launch cannot}}
// expected-note @below {{give results through field arguments}}
func.func @returns_value(%f: !stencil.field<[0,32]xf64>, %a: f64) -> f64 {
  return %a : f64
}

// -----

// expected-error @below {{'func.func' op has an argument 1 that is a field of unknown bounds}}
// expected-note @below {{arguments are fields with bounds, and scalars}}
func.func @unknown_field(%a: f64, %f: !stencil.field<?xf64>) {
  return
}

// -----

// expected-error @below {{'func.func' op has an argument 1 that is a temp or a result}}
// expected-note @below {{arguments are fields with bounds, and scalars}}
func.func @temp_argument(%f: !stencil.field<[0,32]xf64>, %t: !stencil.temp<[0,32]xf64>) {
  return
}

// -----

// expected-error @below {{'func.func' op has elements of type tensor<4xf64>}}
// expected-note @below {{elements are i1, i8, i16, i32, i64, index, f16, bf16, f32 or f64}}
func.func @tensor_elements(%f: !stencil.field<[0,32]xtensor<4xf64>>) {
  return
}

// -----

// expected-error @below {{'func.func' op has elements of type i7}}
// expected-note @below {{elements are i1, i8, i16, i32, i64, index, f16, bf16, f32 or f64}}
func.func @narrow_elements(%f: !stencil.field<[0,32]xi7>) {
  return
}

// -----

// expected-error @below {{'func.func' op has elements of type tf32}}
// expected-note @below {{elements are i1, i8, i16, i32, i64, index, f16, bf16, f32 or f64}}
func.func @short_elements(%f: !stencil.field<[0,32]xtf32>) {
  return
}

// -----

func.func private @other()

func.func @calls(%f: !stencil.field<[0,32]xf64>) {
  // expected-error @below {{'func.call' op calls a function from a stencil program}}
  // expected-note @below {{run the upstream pass 'inline' first; external functions cannot be called, nor those that call themselves}}
  func.call @other() : () -> ()
  return
}

// -----

func.func @condition(%f: !stencil.field<[0,32]xf64>, %flag: i1) {
  // expected-error @below {{'scf.if' op cannot be part of a host program}}
  // expected-note @below {{outside of applies there are counted loops and scalar operations only}}
  scf.if %flag {
  }
  return
}

// -----

func.func @combine(%f: !stencil.field<[0,32]xf64>) {
  %t = stencil.load %f : !stencil.field<[0,32]xf64> -> !stencil.temp<[0,32]xf64>
  // expected-error @below {{'stencil.combine' op cannot become a kernel}}
  // expected-note @below {{this operation has no lowering; the interpreter says why}}
  %c = stencil.combine 0 at 8 lower = (%t : !stencil.temp<[0,32]xf64>) upper = (%t : !stencil.temp<[0,32]xf64>) : !stencil.temp<[0,32]xf64>
  return
}

// -----

func.func @allocated_in_loop(%f: !stencil.field<[0,32]xf64>, %n: index) {
  %last = scf.for %i = %n to %n step %n iter_args(%carried = %f) -> (!stencil.field<[0,32]xf64>) {
    %new = stencil.alloc : !stencil.field<[0,32]xf64>
    // expected-error @below {{'scf.yield' op carries memory that its loop allocates}}
    // expected-note @below {{allocate before the loop, and carry the field}}
    scf.yield %new : !stencil.field<[0,32]xf64>
  }
  return
}

// -----

func.func @indirect_store(%f: !stencil.field<[0,32]xf64>, %g: !stencil.field<[0,32]xf64>) {
  %t = stencil.load %f : !stencil.field<[0,32]xf64> -> !stencil.temp<[0,32]xf64>
  // expected-error @below {{'stencil.store' op stores a temp that its apply cannot write directly}}
  // expected-note @below {{run stencil-place-copies first}}
  stencil.store %t to %g(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
  return
}

// -----

func.func @overwritten_load(%f: !stencil.field<[-1,32]xf64>) {
  // expected-error @below {{'stencil.load' op would read values stored after it}}
  // expected-note @below {{run stencil-place-copies first}}
  %t = stencil.load %f : !stencil.field<[-1,32]xf64> -> !stencil.temp<[-1,32]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[-1,32]xf64>) -> (!stencil.temp<[0,32]xf64>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %v = stencil.access %a[-1] : !stencil.temp<[-1,32]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %f(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[-1,32]xf64>
  return
}

// -----

func.func @no_plan(%g: !stencil.field<[0,32]xf64>) {
  // expected-error @below {{'stencil.apply' op has no complete plan}}
  // expected-note @below {{run stencil-select-plan first}}
  %r = stencil.apply() -> (!stencil.temp<[0,32]xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  stencil.store %r to %g(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
  return
}

// -----

func.func @plan_of_other_rank(%g: !stencil.field<[0,32]xf64>) {
  // expected-error @below {{'stencil.apply' op has rank 1, its plan 2}}
  // expected-note @below {{give the plan threads for each dimension}}
  %r = stencil.apply() -> (!stencil.temp<[0,32]xf64>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 1, 32>}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  stencil.store %r to %g(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
  return
}

// -----

func.func @unknown_bounds(%g: !stencil.field<[0,32]xf64>) {
  // expected-error @below {{'stencil.apply' op has unknown bounds}}
  // expected-note @below {{run stencil-infer-bounds first}}
  %r = stencil.apply() -> (!stencil.temp<?xf64>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  stencil.store %r to %g(<[0], [32]>) : !stencil.temp<?xf64> to !stencil.field<[0,32]xf64>
  return
}

// -----

func.func @unknown_temporary(%g: !stencil.field<[0,32]xf64>) {
  // expected-error @below {{'stencil.apply' op has results of unknown bounds}}
  // expected-note @below {{run stencil-infer-bounds first}}
  %t = stencil.apply() -> (!stencil.temp<?xf64>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<[0,32]xf64>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %g(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
  return
}

// -----

// The remainder of floats is inexact on a GPU.
func.func @float_remainder(%g: !stencil.field<[0,32]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<[0,32]xf64>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %c = arith.constant 1.0 : f64
    // expected-error @below {{'arith.remf' op cannot be part of a kernel}}
    // expected-note @below {{a GPU computes it with errors; write it with other operations}}
    %d = arith.remf %c, %c : f64
    stencil.return %d : f64
  }
  stencil.store %r to %g(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
  return
}

// -----

func.func @vector(%g: !stencil.field<[0,32]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<[0,32]xf64>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    // expected-error @below {{'arith.constant' op has a value of type vector<4xf64>}}
    // expected-note @below {{points are computed from i1 to i64, index, f16, bf16, f32 and f64}}
    %v = arith.constant dense<1.0> : vector<4xf64>
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  stencil.store %r to %g(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
  return
}

// -----

func.func @reduce_in_apply(%g: !stencil.field<[0,32]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<[0,32]xf64>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %c = arith.constant 1.0 : f64
    // expected-error @below {{'stencil.reduce' op is not supported: the dialect does not define its points or their order}}
    // expected-note @below {{add to one cell in a loop: 'scf.for' around 'memref.load' and 'memref.store' of that cell}}
    stencil.reduce %c init %c {
    ^bb0(%x: f64, %y: f64):
      %s = arith.addf %x, %y : f64
      stencil.yield %s : f64
    } : f64
    stencil.return %c : f64
  }
  stencil.store %r to %g(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
  return
}

// -----

// The back end would end the process over these.
func.func @extended(%g: !stencil.field<[0,32]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<[0,32]xf64>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %c = arith.constant 1.0 : f64
    // expected-error @below {{'arith.extf' op has a value of type f80}}
    // expected-note @below {{points are computed from i1 to i64, index, f16, bf16, f32 and f64}}
    %d = arith.extf %c : f64 to f80
    %e = math.sqrt %d : f80
    %f = arith.truncf %e : f80 to f64
    stencil.return %f : f64
  }
  stencil.store %r to %g(<[0], [32]>) : !stencil.temp<[0,32]xf64> to !stencil.field<[0,32]xf64>
  return
}

// -----

func.func @wide_integer(%g: !stencil.field<[0,32]xi64>) {
  %r = stencil.apply() -> (!stencil.temp<[0,32]xi64>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %c = stencil.index 0 <[0]>
    %i = arith.index_cast %c : index to i64
    // expected-error @below {{'arith.extsi' op has a value of type i128}}
    // expected-note @below {{points are computed from i1 to i64, index, f16, bf16, f32 and f64}}
    %d = arith.extsi %i : i64 to i128
    %e = arith.divsi %d, %d : i128
    %f = arith.trunci %e : i128 to i64
    stencil.return %f : i64
  }
  stencil.store %r to %g(<[0], [32]>) : !stencil.temp<[0,32]xi64> to !stencil.field<[0,32]xi64>
  return
}

// -----

// What the interpreter does not run has no meaning that kernels could keep.
func.func @eight_bits(%g: !stencil.field<[0,32]xf32>) {
  %r = stencil.apply() -> (!stencil.temp<[0,32]xf32>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %c = arith.constant 1.0 : f32
    // expected-error @below {{'arith.truncf' op has a value of type f8E4M3FN}}
    // expected-note @below {{points are computed from i1 to i64, index, f16, bf16, f32 and f64}}
    %d = arith.truncf %c : f32 to f8E4M3FN
    %e = arith.extf %d : f8E4M3FN to f32
    stencil.return %e : f32
  }
  stencil.store %r to %g(<[0], [32]>) : !stencil.temp<[0,32]xf32> to !stencil.field<[0,32]xf32>
  return
}

// -----

func.func @rounding(%g: !stencil.field<[0,32]xf32>) {
  %r = stencil.apply() -> (!stencil.temp<[0,32]xf32>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %c = arith.constant 1.0 : f64
    // expected-error @below {{'arith.truncf' op has rounding mode downward}}
    // expected-note @below {{remove it: results are rounded to_nearest_even}}
    %d = arith.truncf %c downward : f64 to f32
    stencil.return %d : f32
  }
  stencil.store %r to %g(<[0], [32]>) : !stencil.temp<[0,32]xf32> to !stencil.field<[0,32]xf32>
  return
}

// -----

func.func @switch(%g: !stencil.field<[0,32]xf32>) {
  %r = stencil.apply() -> (!stencil.temp<[0,32]xf32>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %i = stencil.index 0 <[0]>
    // expected-error @below {{'scf.index_switch' op has no meaning in a stencil program}}
    // expected-note @below {{write it with 'scf.if' and 'scf.for'}}
    %d = scf.index_switch %i -> f32
    case 2 {
      %c = arith.constant 1.0 : f32
      scf.yield %c : f32
    }
    default {
      %c = arith.constant 2.0 : f32
      scf.yield %c : f32
    }
    stencil.return %d : f32
  }
  stencil.store %r to %g(<[0], [32]>) : !stencil.temp<[0,32]xf32> to !stencil.field<[0,32]xf32>
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>

func.func @kernel(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.kernel' op does not say what a block does}}
  // expected-note @below {{run convert-sweep-to-planes first}}
  sweep.kernel "s" steps 1 over <[1, 1], [8, 39]> carried(%u = %a : !plane) boundaries(%a : !plane)
      outs(%b : !plane) plan <{mapping = "warp", threads = array<i64: 1, 32>}> {
    %0 = stencil.access %u[0, 1] : !plane
    sweep.yield %0 : f64
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>

func.func @not_joined(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.tiled' op needs 'joined': its mapping lets warps share rows}}
  // expected-note @below {{add it}}
  sweep.tiled "s" steps 1 over <[1, 1], [8, 39]> reach [0, 0, 0, 0]
      fields(%u = %a : !plane, %v = %b : !plane)
      plan <{mapping = "row", threads = array<i64: 1, 64>}> points 217 flops 0 bytes 0 {
    sweep.planes from 0 to 0 {
      %0 = sweep.fetch %u[0] : !plane
      sweep.store %0 to %v[0] : !plane
      sweep.yield
    }
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>

func.func @joined_warps(%a: !plane, %b: !plane) {
  // expected-error @below {{'sweep.tiled' op is 'joined', but its mapping lets no warps share rows}}
  // expected-note @below {{leave it out}}
  sweep.tiled "s" steps 1 over <[1, 1], [8, 39]> reach [0, 0, 0, 0] joined
      fields(%u = %a : !plane, %v = %b : !plane)
      plan <{mapping = "warp", threads = array<i64: 1, 32>}> points 217 flops 0 bytes 0 {
    sweep.planes from 0 to 0 {
      %0 = sweep.fetch %u[0] : !plane
      sweep.store %0 to %v[0] : !plane
      sweep.yield
    }
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>

func.func @too_few_planes(%a: !plane, %b: !plane) {
  sweep.tiled "s" steps 1 over <[1, 1], [8, 39]> reach [1, 0, 0, 0]
      fields(%u = %a : !plane, %v = %b : !plane)
      plan <{mapping = "warp", threads = array<i64: 1, 32>}> points 217 flops 0 bytes 0 {
    // expected-error @below {{'sweep.planes' op visits planes from 0 to 0, but its steps and reach need -1 to 0}}
    // expected-note @below {{give it the planes that its levels need}}
    sweep.planes from 0 to 0 {
      %0 = sweep.fetch %u[0] : !plane
      sweep.store %0 to %v[0] : !plane
      sweep.yield
    }
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>

func.func @arithmetic_in_the_loop(%a: !plane, %b: !plane) {
  sweep.tiled "s" steps 1 over <[1, 1], [8, 39]> reach [0, 0, 0, 0]
      fields(%u = %a : !plane, %v = %b : !plane)
      plan <{mapping = "warp", threads = array<i64: 1, 32>}> points 217 flops 0 bytes 0 {
    sweep.planes from 0 to 0 {
      // expected-error @below {{'arith.constant' op cannot be part of the loop over planes}}
      // expected-note @below {{compute numbers before 'sweep.planes', and values in 'sweep.map'}}
      %0 = arith.constant 1.0 : f64
      %1 = sweep.splat %0 : !sweep.tile<f64>
      sweep.store %1 to %v[0] : !plane
      sweep.yield
    }
  }
  return
}

// -----

!plane = !stencil.field<[0,9]x[0,40]xf64>

func.func @no_field(%a: !plane) {
  // expected-error @below {{'sweep.tiled' op reads and writes no field}}
  // expected-note @below {{fetch the planes that it computes from, and store what it computes}}
  sweep.tiled "s" steps 1 over <[1, 1], [8, 39]> reach [0, 0, 0, 0] fields()
      plan <{mapping = "warp", threads = array<i64: 1, 32>}> points 217 flops 0 bytes 0 {
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!box = !stencil.field<[0,9]x[0,9]x[0,40]xf64>

func.func @a_turn_too_few(%a: !box, %b: !box) {
  sweep.tiled "s" steps 1 over <[1, 1, 1], [8, 8, 39]> reach [0, 0, 1, 0, 0, 0]
      fields(%u = %a : !box, %v = %b : !box)
      plan <{mapping = "block", threads = array<i64: 1, 4, 32>}> points 1862 flops 0 bytes 0 {
    %x = sweep.shared "rows" rows [0] copies 2 : !sweep.buffer<f64>
    // expected-error @below {{'sweep.planes' op unrolls 3 turns, but a buffer has 2 copies, so the copy that a turn writes is no constant}}
    // expected-note @below {{take a multiple of the copies of every buffer}}
    sweep.planes from 0 to 0 turns 3 {
      %0 = sweep.fetch %u[0] : !box
      sweep.put %0 to %x : !sweep.buffer<f64>
      sweep.fence
      %1 = sweep.shift %0 by [-1, 0] via %x[0] : !sweep.tile<f64>, !sweep.buffer<f64>
      sweep.store %1 to %v[0] : !box
      sweep.yield
    }
  }
  return
}

// -----

func.func @late(%now: !stencil.field<[0,64]x[0,64]xf64> {stencil.follows = array<i64: 0, 1>},
                %next: !stencil.field<[0,64]x[0,64]xf64> {stencil.follows = array<i64: 0, 1>})
    attributes {stencil.run_time_extents = {lower = array<i64: 1, 1>, upper = array<i64: 63, 63>, least = array<i64: 1, 1>}} {
  // expected-error @below {{'sweep.tiled' op begins in the upper half of dimension 0, whose extent is given at run time}}
  // expected-note @below {{write mapping = "thread" in its plan}}
  sweep.tiled "sum.s0" steps 1 over <[60, 1], [63, 63]> reach [0, 0, 0, 1]
      fields(%u = %now : !stencil.field<[0,64]x[0,64]xf64>,
             %v = %next : !stencil.field<[0,64]x[0,64]xf64>)
      plan <{mapping = "warp", points = [1, 1], threads = [1, 32]}>
      points 186 flops 186 bytes 2976 {
    sweep.planes from 0 to 0 iter_args() {
      %here = sweep.fetch %u[0] : !stencil.field<[0,64]x[0,64]xf64>
      %east = sweep.shift %here by [0, 1] : !sweep.tile<f64>
      sweep.store %east to %v[0] : !stencil.field<[0,64]x[0,64]xf64>
      sweep.yield
    }
  }
  return
}

// -----

// expected-error @below {{'func.func' op has several blocks}}
// expected-note @below {{the upstream pass 'lift-cf-to-scf' does it}}
func.func @blocks(%f: !stencil.field<[0,32]xf64>, %flag: i1) {
  cf.cond_br %flag, ^then, ^end
^then:
  cf.br ^end
^end:
  return
}

// -----

module {
  module @inner {
    // expected-error @below {{'func.func' op is in a module inside another module}}
    // expected-note @below {{move it there}}
    func.func @nested(%f: !stencil.field<[0,32]xf64>) {
      return
    }
  }
}
