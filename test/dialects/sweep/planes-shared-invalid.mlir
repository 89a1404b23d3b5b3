// Shared memory of the planes form that does not verify: allocations, and what uses them.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'sweep.shared' op expects parent op 'sweep.tiled'}}
%x = sweep.shared "slot" copies 1 : !sweep.buffer<f64>

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @kind(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    // expected-error@+1 {{'sweep.shared' op attribute 'kind' failed to satisfy constraint: "ring", "halo", "slot", "rows", "planes" or "lines"}}
    %x = sweep.shared "queue" copies 1 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @no_copy(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    // expected-error@+1 {{'sweep.shared' op attribute 'copies' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 1}}
    %x = sweep.shared "planes" copies 0 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @rows_of_planes(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    // expected-error@+1 {{'sweep.shared' op of kind "planes" holds whole planes and has no 'rows'}}
    %x = sweep.shared "planes" rows [0] copies 2 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @rows_missing(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    // expected-error@+1 {{'sweep.shared' op of kind "rows" needs the 'rows' that it holds}}
    %x = sweep.shared "rows" copies 2 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @slot_of_two(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    // expected-error@+1 {{'sweep.shared' op of kind "slot" has one copy, got 2}}
    %x = sweep.shared "slot" copies 2 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @ring_of_another_kind(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "planes" copies 2 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.copy_async' op needs a buffer of kind "ring" or "halo", got "planes"}}
      sweep.copy_async %u[1] to %x : !f, !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @copy_of_the_past(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "ring" copies 2 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.copy_async' op copies plane -1, which has arrived already}}
      sweep.copy_async %u[-1] to %x : !f, !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @negative_wait(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.wait' op attribute 'open' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
      sweep.wait -1
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @take_too_old(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    // expected-note@+1 {{the copy of age 0 is the one of this iteration}}
    %x = sweep.shared "planes" copies 2 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.take' op reads the copy of age 3 of a buffer with 2}}
      %r = sweep.take %x[3] : !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @take_of_the_future(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    // expected-note@+1 {{the copy of age 0 is the one of this iteration}}
    %x = sweep.shared "slot" copies 1 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.take' op reads the copy of age -1 of a buffer with 1}}
      %r = sweep.take %x[-1] : !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @take_of_rows(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "rows" rows [0] copies 2 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.take' op cannot take a plane from "rows", 'sweep.shift' reads them}}
      %r = sweep.take %x[0] : !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @take_in_flight(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "ring" copies 2 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.take' op takes the plane that arrives from a ring, at age 0, got 1}}
      %r = sweep.take %x[1] : !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @take_at_one_number(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "planes" copies 2 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.take' op needs an offset in rows and columns, got 1 numbers}}
      %r = sweep.take %x[0] by [1] : !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @take_of_neighbours_from_a_slot(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "slot" copies 1 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.take' op reads what other threads wrote, from a buffer of kind "slot"}}
      %r = sweep.take %x[0] by [0, 1] : !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @shift_by_three_numbers(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.shift' op needs an offset in rows and columns, got 3 numbers}}
      %r = sweep.shift %t by [0, 0, 1] : !sweep.tile<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @age_without_buffer(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.shift' op has an age, but no buffer}}
      %r = "sweep.shift"(%t) <{offset = array<i64: 0, 1>, age = 0 : i64}> : (!sweep.tile<f64>) -> !sweep.tile<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @buffer_without_age(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "planes" copies 2 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.shift' op needs the age of the copy that it reads}}
      %r = "sweep.shift"(%t, %x) <{offset = array<i64: 0, 1>}> : (!sweep.tile<f64>, !sweep.buffer<f64>) -> !sweep.tile<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @shift_via_slot(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "slot" copies 1 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.shift' op reads neighbours via "rows", "planes", "lines" or "halo", got "slot"}}
      %r = sweep.shift %t by [0, 1] via %x[0] : !sweep.tile<f64>, !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @shift_via_another_element(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "planes" copies 2 : !sweep.buffer<f32>
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.shift' op needs a buffer with the element type of the tile}}
      %r = sweep.shift %t by [0, 1] via %x[0] : !sweep.tile<f64>, !sweep.buffer<f32>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @shift_via_too_old(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    // expected-note@+1 {{the copy of age 0 is the one of this iteration}}
    %x = sweep.shared "rows" rows [0] copies 2 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.shift' op reads the copy of age 3 of a buffer with 2}}
      %r = sweep.shift %t by [1, 0] via %x[3] : !sweep.tile<f64>, !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @shift_to_another_tile(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.shift' op failed to verify that all of {tile, result} have same type}}
      %r = "sweep.shift"(%t) <{offset = array<i64: 0, 1>}> : (!sweep.tile<f64>) -> !sweep.tile<f32>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @put_of_another_element(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "slot" copies 1 : !sweep.buffer<f32>
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.put' op failed to verify that 'tile' has the element type of 'buffer'}}
      "sweep.put"(%t, %x) : (!sweep.tile<f64>, !sweep.buffer<f32>) -> ()
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @take_of_another_element(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "slot" copies 1 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.take' op failed to verify that 'tile' has the element type of 'buffer'}}
      %r = "sweep.take"(%x) <{age = 0 : i64}> : (!sweep.buffer<f64>) -> !sweep.tile<f32>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @copy_async_without_allocation(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %p = arith.constant true
    %y = sweep.shared "planes" copies 2 : !sweep.buffer<f64>
    %x = arith.select %p, %y, %y : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.copy_async' op needs a buffer that 'sweep.shared' allocates}}
      sweep.copy_async %u[0] to %x : !f, !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @take_without_allocation(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %p = arith.constant true
    %y = sweep.shared "planes" copies 2 : !sweep.buffer<f64>
    %x = arith.select %p, %y, %y : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.take' op needs a buffer that 'sweep.shared' allocates}}
      %r = sweep.take %x[0] : !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @shift_without_allocation(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %p = arith.constant true
    %y = sweep.shared "planes" copies 2 : !sweep.buffer<f64>
    %x = arith.select %p, %y, %y : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.shift' op needs a buffer that 'sweep.shared' allocates}}
      %r = sweep.shift %t by [0, 1] via %x[0] : !sweep.tile<f64>, !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @halo_without_cells(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    // expected-error@+1 {{'sweep.shared' op of kind "halo" needs the numbers of rows and columns 'around' a tile}}
    %x = sweep.shared "halo" copies 3 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @cells_around_a_ring(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    // expected-error@+1 {{'sweep.shared' op of kind "ring" holds no cells 'around' a tile}}
    %x = sweep.shared "ring" around [0, 0, 1, 1] copies 3 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @negative_halo(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    // expected-error@+1 {{'sweep.shared' op needs rows before and after a tile, and columns, got array<i64: 0, 0, -1, 1>}}
    %x = sweep.shared "halo" around [0, 0, -1, 1] copies 3 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @outside_in_a_ring(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "ring" copies 3 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.copy_async' op to a ring copies what arrives as it is, without 'outside'}}
      sweep.copy_async %u[1] to %x outside %u : !f, !sweep.buffer<f64>, !f
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @ahead_in_a_ring(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "ring" copies 3 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.copy_async' op to a ring copies what arrives as it is, without 'ahead'}}
      sweep.copy_async %u[1] ahead 1 to %x : !f, !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @domain_of_nothing(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "halo" around [0, 0, 1, 2] copies 3 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.copy_async' op names a domain, but no field that is read outside of it}}
      sweep.copy_async %u[1] to %x over <[1, 1], [9, 9]> : !f, !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @farther_ahead_than_copies(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "halo" around [0, 0, 1, 2] copies 3 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.copy_async' op copies a plane 3 iterations ahead, to a buffer with 3 copies}}
      sweep.copy_async %u[0] ahead 3 to %x : !f, !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @overwritten_plane_of_a_halo(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    // expected-note@+1 {{the copy of age 0 is the one of this iteration}}
    %x = sweep.shared "halo" around [0, 0, 1, 2] copies 3 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      // expected-error@+1 {{'sweep.take' op reads the copy of age 4 of a buffer with 3}}
      %t = sweep.take %x[4] : !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @beyond_the_halo(%a: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 0, 0]
      fields(%u = %a : !f) plan <{}> points 1 flops 1 bytes 1 {
    %x = sweep.shared "halo" around [0, 0, 1, 2] copies 3 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 {
      %t = sweep.take %x[0] : !sweep.buffer<f64>
      // expected-error@+1 {{'sweep.shift' op reads -2 columns on, beyond a halo of 1 before and 2 after a tile}}
      %s = sweep.shift %t by [0, -2] via %x[0] : !sweep.tile<f64>, !sweep.buffer<f64>
      sweep.yield
    }
  }
  return
}
