// Kernels in the planes form that do not verify: the kernel, its loop, and its maps.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @reach_of_another_rank(%a: !f) {
  // expected-error@+1 {{'sweep.tiled' op needs two numbers of 'reach' for each of its 2 dimensions, got 3}}
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [1, 1, 1]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @negative_reach(%a: !f) {
  // expected-error@+1 {{'sweep.tiled' op reach must not be negative, got array<i64: 1, 1, -1, 1>}}
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [1, 1, -1, 1]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @no_step(%a: !f) {
  // expected-error@+1 {{'sweep.tiled' op attribute 'steps' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 1}}
  sweep.tiled "s" steps 0 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!g = !stencil.field<?x?xf64>
func.func @unknown_bounds(%a: !g) {
  // expected-error@+2 {{'sweep.tiled' op field #0 must have known bounds, got '!stencil.field<?x?xf64>'}}
  // expected-note@+1 {{a stencil.cast gives a field its bounds}}
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !g) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @scalar_that_is_no_number(%a: !f) {
  // expected-error@+1 {{'sweep.tiled' op scalar #0 must be a number, got '!stencil.field<[0,10]x[0,10]xf64>'}}
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) scalars(%k = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
func.func @argument_missing(%a: !f, %x: f64) {
  // expected-error@+1 {{'sweep.tiled' op region must have an argument of its type for each operand}}
  "sweep.tiled"(%a, %x) <{
      domain = #stencil.bounds<[1], [9]>, reach = array<i64: 0, 0>, steps = 1 : i64, stage = "s",
      plan = #stencil.plan<{}>, points = 1 : i64, flops = 1 : i64, bytes = 1 : i64,
      operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%u: !f):
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }) : (!f, f64) -> ()
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
func.func @no_loop(%a: !f) {
  // expected-error@+1 {{'sweep.tiled' op must hold one 'sweep.planes', got 0}}
  sweep.tiled "s" steps 1 over <[1], [9]> reach [0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "slot" copies 1 : !sweep.buffer<f64>
  }
  return
}

// -----

!f = !stencil.field<[0,10]xf64>
func.func @two_loops(%a: !f) {
  // expected-error@+1 {{'sweep.tiled' op must hold one 'sweep.planes', got 2}}
  sweep.tiled "s" steps 1 over <[1], [9]> reach [0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      sweep.yield
    }
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
!row = !stencil.field<[0,10]xf64>
func.func @fetch_of_another_rank(%a: !f, %b: !row) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f, %r = %b : !row) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.fetch' op needs a field of rank 2, that of the domain, got '!stencil.field<[0,10]xf64>'}}
      %t = sweep.fetch %r[0] : !row
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
!row = !stencil.field<[0,10]xf64>
func.func @copy_of_another_rank(%a: !f, %b: !row) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f, %r = %b : !row) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "ring" copies 2 : !sweep.buffer<f64>
    // expected-error@+1 {{'sweep.copy_async' op needs a field of rank 2, that of the domain, got '!stencil.field<[0,10]xf64>'}}
    sweep.copy_async %r[0] to %x : !row, !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
!row = !stencil.field<[0,10]xf64>
func.func @home_of_another_rank(%a: !f, %b: !row) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f, %r = %b : !row) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.boundary' op needs a field of rank 2, that of the domain, got '!stencil.field<[0,10]xf64>'}}
      %b0 = sweep.boundary %t[0] from %r : !row
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
!row = !stencil.field<[0,10]xf64>
func.func @store_of_another_rank(%a: !f, %b: !row) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f, %r = %b : !row) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.store' op needs a field of rank 2, that of the domain, got '!stencil.field<[0,10]xf64>'}}
      sweep.store %t to %r[0] : !row
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
!inner = !stencil.field<[1,9]x[2,9]xf64>
func.func @store_outside(%a: !f, %b: !inner) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f, %v = %b : !inner) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.store' op writes bounds [1,9]x[1,9], outside of a field with bounds [1,9]x[2,9]}}
      sweep.store %t to %v[0] : !inner
      sweep.yield
    }
  }
  return
}

// -----

// expected-error@+1 {{'sweep.planes' op expects parent op 'sweep.tiled'}}
"sweep.planes"() <{from = 0 : i64, to = 0 : i64}> ({
  sweep.yield
}) : () -> ()

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @planes_that_never_arrive(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    // expected-error@+1 {{'sweep.planes' op must visit all planes that are stored, from 0 to 0, got from 1 to 2}}
    sweep.planes from 1 to 2 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @last_planes_never_arrive(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    // expected-error@+1 {{'sweep.planes' op must visit all planes that are stored, from 0 to 0, got from -1 to -1}}
    sweep.planes from -1 to -1 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @no_turn(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    // expected-error@+1 {{'sweep.planes' op attribute 'turns' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 1}}
    sweep.planes from 0 to 0 turns 0 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @iter_args_without_arguments(%a: !f, %z: f64) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) scalars(%k = %z : f64) plan <{}> points 1 flops 1 bytes 1 {
    %t = sweep.splat %k : !sweep.tile<f64>
    // expected-error@+1 {{'sweep.planes' op region must have an argument for each of iter_args}}
    "sweep.planes"(%t) <{from = 0 : i64, to = 0 : i64}> ({
      sweep.yield %t : !sweep.tile<f64>
    }) : (!sweep.tile<f64>) -> ()
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @other_end(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    // expected-error@+1 {{'sweep.planes' op region must end with 'sweep.yield', got 'llvm.unreachable'}}
    sweep.planes from 0 to 0 {
      llvm.unreachable
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @fewer_values_than_iter_args(%a: !f, %z: f64) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) scalars(%k = %z : f64) plan <{}> points 1 flops 1 bytes 1 {
    %t = sweep.splat %k : !sweep.tile<f64>
    sweep.planes from 0 to 0 iter_args(%x = %t : !sweep.tile<f64>, %y = %t : !sweep.tile<f64>) {
      // expected-error@+1 {{'sweep.yield' op must have a value for each of 2 iter_args, got 1}}
      sweep.yield %x : !sweep.tile<f64>
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @value_of_another_type(%a: !f, %z: f64) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) scalars(%k = %z : f64) plan <{}> points 1 flops 1 bytes 1 {
    %t = sweep.splat %k : !sweep.tile<f64>
    sweep.planes from 0 to 0 iter_args(%x = %t : !sweep.tile<f64>) {
      // expected-error@+1 {{'sweep.yield' op value #0 must be '!sweep.tile<f64>', got 'f64'}}
      sweep.yield %k : f64
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @iter_arg_that_is_no_tile(%a: !f, %z: f64) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) scalars(%k = %z : f64) plan <{}> points 1 flops 1 bytes 1 {
    // expected-error@+1 {{'sweep.planes' op operand #0 must be variadic of a plane of a tile, distributed over the threads of a block, but got 'f64'}}
    sweep.planes from 0 to 0 iter_args(%x = %k : f64) {
      sweep.yield %x : f64
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @fetch_of_another_element(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.fetch' op failed to verify that 'tile' has the element type of 'field'}}
      %t = "sweep.fetch"(%u) <{plane = 0 : i64}> : (!f) -> !sweep.tile<f32>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @splat_of_another_element(%a: !f, %z: f64) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) scalars(%k = %z : f64) plan <{}> points 1 flops 1 bytes 1 {
    // expected-error@+1 {{'sweep.splat' op failed to verify that the value has the element type of the tile}}
    %t = "sweep.splat"(%k) : (f64) -> !sweep.tile<f32>
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @store_of_another_element(%a: !f, %z: f32) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) scalars(%k = %z : f32) plan <{}> points 1 flops 1 bytes 1 {
    %t = sweep.splat %k : !sweep.tile<f32>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.store' op failed to verify that 'tile' has the element type of 'field'}}
      "sweep.store"(%t, %u) <{plane = 0 : i64}> : (!sweep.tile<f32>, !f) -> ()
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @boundary_of_another_element(%a: !f, %z: f32) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) scalars(%k = %z : f32) plan <{}> points 1 flops 1 bytes 1 {
    %t = sweep.splat %k : !sweep.tile<f32>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.boundary' op failed to verify that 'tile' has the element type of 'home'}}
      %b = "sweep.boundary"(%t, %u) <{plane = 0 : i64}> : (!sweep.tile<f32>, !f) -> !sweep.tile<f64>
      sweep.yield
    }
  }
  return
}

// -----

func.func @map_outside(%z: f64) {
  // expected-error@+1 {{'sweep.map' op must be inside the region of a 'sweep.tiled'}}
  %r = sweep.map plane 0 () -> !sweep.tile<f64> {
    sweep.yield %z : f64
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @map_of_a_number(%a: !f, %z: f64) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) scalars(%k = %z : f64) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{operands of 'sweep.map' must be tiles, got 'f64'}}
      %r = sweep.map plane 0 (%x = %k : f64) -> !sweep.tile<f64> {
        sweep.yield %x : f64
      }
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @map_without_argument(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.map' op region must have an argument for each operand}}
      "sweep.map"(%t) <{plane = 0 : i64}> ({
        sweep.yield
      }) : (!sweep.tile<f64>) -> ()
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @map_with_another_argument(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.map' op region's argument #0 must be 'f64', got 'f32'}}
      %r = "sweep.map"(%t) <{plane = 0 : i64}> ({
      ^bb0(%x: f32):
        sweep.yield %x : f32
      }) : (!sweep.tile<f64>) -> !sweep.tile<f32>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @map_without_value(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      %r = sweep.map plane 0 (%x = %t : !sweep.tile<f64>) -> !sweep.tile<f64> {
        // expected-error@+1 {{'sweep.yield' op must have a value for each of 1 results of 'sweep.map', got 0}}
        sweep.yield
      }
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @map_with_another_value(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      %r = sweep.map plane 0 (%x = %t : !sweep.tile<f64>) -> !sweep.tile<f32> {
        // expected-error@+1 {{'sweep.yield' op value #0 must be 'f32', got 'f64'}}
        sweep.yield %x : f64
      }
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @rank_of_an_access(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %r = sweep.map plane 0 () -> !sweep.tile<f64> {
        // expected-error@+1 {{'stencil.access' op offset must have the rank of the operand, got 1 and 2}}
        %x = stencil.access %u[0] : !f
        sweep.yield %x : f64
      }
      sweep.yield
    }
  }
  return
}

// -----

// expected-error@+1 {{'sweep.yield' op expects parent op to be one of 'sweep.kernel, sweep.map, sweep.planes, sweep.stage'}}
sweep.yield
