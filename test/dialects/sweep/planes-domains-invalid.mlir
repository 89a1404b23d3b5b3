// Kernels in the planes form that do not verify: domains of statements, margins and rings.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

!f = !stencil.field<[0,10]x[0,10]xf64>

func.func @margin_of_another_rank(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.tiled' op needs two numbers of 'margin' for each of its 2 dimensions, got 3}}
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [1, 1, 1, 1] margin [1, 1, 1]
      fields(%u = %a : !f, %v = %b : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>

func.func @negative_margin(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.tiled' op margin must not be negative, got array<i64: 1, 1, 1, -1>}}
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [1, 1, 1, 1] margin [1, 1, 1, -1]
      fields(%u = %a : !f, %v = %b : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>

func.func @periodic_dimension_of_another_rank(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.tiled' op names periodic dimensions array<i64: 2>, which must be some of the 2 of its domain, in ascending order}}
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [1, 1, 1, 1] periodic [2]
      fields(%u = %a : !f, %v = %b : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>

func.func @negative_periodic_dimension(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.tiled' op names periodic dimensions array<i64: -1>, which must be some of the 2 of its domain, in ascending order}}
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [1, 1, 1, 1] periodic [-1]
      fields(%u = %a : !f, %v = %b : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>

func.func @periodic_dimensions_in_no_order(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.tiled' op names periodic dimensions array<i64: 1, 0>, which must be some of the 2 of its domain, in ascending order}}
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [1, 1, 1, 1] periodic [1, 0]
      fields(%u = %a : !f, %v = %b : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>

func.func @periodic_dimension_twice(%a: !f, %b: !f) {
  // expected-error@+1 {{'sweep.tiled' op names periodic dimensions array<i64: 1, 1>, which must be some of the 2 of its domain, in ascending order}}
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [1, 1, 1, 1] periodic [1, 1]
      fields(%u = %a : !f, %v = %b : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>

func.func @boundary_of_more_than_the_domain(%a: !f, %b: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [1, 1, 1, 1]
      fields(%u = %a : !f, %v = %b : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.boundary' op names bounds [0,9]x[1,9], which is not inside of bounds [1,9]x[1,9], the kernel's domain}}
      %n = sweep.boundary %t[0] from %u over <[0, 1], [9, 9]> : !f
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>

func.func @map_of_another_rank(%a: !f, %b: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [1, 1, 1, 1]
      fields(%u = %a : !f, %v = %b : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.map' op names bounds [1,9], which is not inside of bounds [1,9]x[1,9], the kernel's domain}}
      %n = sweep.map plane 0 over <[1], [9]> (%x = %t : !sweep.tile<f64>) -> !sweep.tile<f64> {
        sweep.yield %x : f64
      }
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>

func.func @store_of_more_than_the_domain(%a: !f, %b: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [1, 1, 1, 1]
      fields(%u = %a : !f, %v = %b : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.store' op names bounds [1,9]x[1,10], which is not inside of bounds [1,9]x[1,9], the kernel's domain}}
      sweep.store %t to %v[0] over <[1, 1], [9, 10]> : !f
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>
!g = !stencil.field<[0,10]x[0,7]xf64>

// What is stored of the domain is what the field must have.
func.func @store_outside_of_the_field(%a: !f, %b: !g) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [1, 1, 1, 1]
      fields(%u = %a : !f, %v = %b : !g) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.store' op writes bounds [1,9]x[1,8], outside of a field with bounds [0,10]x[0,7]}}
      sweep.store %t to %v[0] over <[1, 1], [9, 8]> : !g
      sweep.store %t to %v[0] over <[1, 1], [9, 7]> : !g
      sweep.yield
    }
  }
  return
}

// -----

!f = !stencil.field<[0,10]x[0,10]xf64>

func.func @a_part_of_a_ring(%a: !f, %b: !f) {
  sweep.tiled "s" steps 1 over <[1, 1], [9, 9]> reach [1, 1, 1, 1] periodic [1]
      fields(%u = %a : !f, %v = %b : !f) plan <{}> points 1 flops 1 bytes 1 {
    sweep.planes from 0 to 0 {
      %t = sweep.fetch %u[0] : !f
      // expected-error@+1 {{'sweep.boundary' op names bounds [2,9]x[1,8], but along periodic dimension 1 a domain is the kernel's, bounds [1,9]x[1,9]}}
      %n = sweep.boundary %t[0] from %u over <[2, 1], [9, 8]> : !f
      sweep.yield
    }
  }
  return
}
