// Plans of loops whose iterations cannot be steps of one sweep are refused. Copies are not placed
// here, so that what needs them is refused too.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --stencil-infer-bounds --sweep-fuse-statements

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @unsigned(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{'scf.for' op cannot be one sweep: it is in a loop with an unsigned comparison}}
  // expected-note @below {{use a signed comparison}}
  %end:2 = scf.for unsigned %i = %zero to %n step %one iter_args(%u = %a, %v = %b)
      -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @no_permutation(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{is in a loop that does not permute its fields}}
  // expected-note @below {{yield each of the loop's fields once}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %v : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @one_field_in_two_slots(%a: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{is in a loop that may hold one field in two slots}}
  // expected-note @below {{carry each field once}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %a) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @inner_loop(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{holds 'scf.for'}}
  // expected-note @below {{move it out of the loop}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.for %j = %zero to %n step %one {
    }
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// A loop that only hands its fields on.
func.func @nothing_to_compute(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{computes nothing}}
  // expected-note @below {{make one step at a time}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @several_points(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{computes several points at once}}
  // expected-note @below {{return one point, not unrolled}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      %1 = stencil.access %x[2] : !temp
      stencil.return %0, %1 unroll <[2]> : f64, f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @unwritten_points(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{returns a stencil.result, which may leave points unwritten}}
  // expected-note @below {{return the number itself}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      %1 = stencil.store_result %0 : !stencil.result<f64>
      stencil.return %1 : !stencil.result<f64>
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// A result that is stored and read as a temp too has two places; stencil-place-copies returns it
// twice.
func.func @late_store(%a: !line, %b: !line, %c: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{has a result that it cannot write to the field of its store}}
  // expected-note @below {{store the result next to the apply, and use the field}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    %w = stencil.apply(%x = %r : !temp) -> (!temp) {
      %0 = stencil.access %x[0] : !temp
      stencil.return %0 : f64
    }
    stencil.store %w to %c(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @two_stores(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{stores to one field, or to those that rotate with it, twice}}
  // expected-note @below {{store each field once an iteration}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[-1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [4]>) : !temp to !line
    %w = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %w to %v(<[4], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @no_store(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{stores nothing}}
  // expected-note @below {{store what it computes}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !stencil.temp<[-1,9]xf64>
    %r = stencil.apply(%x = %us : !stencil.temp<[-1,9]xf64>) -> (!stencil.temp<[0,8]xf64>) {
      %0 = stencil.access %x[1] : !stencil.temp<[-1,9]xf64>
      stencil.return %0 : f64
    }
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @computed_before(%a: !line, %b: !line, %c: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %as = stencil.load %c : !line -> !temp
  %k = stencil.apply(%x = %as : !temp) -> (!temp) {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  // expected-error @below {{reads a temp that none of its statements computes}}
  // expected-note @below {{store the temp to a field, and load that}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp, %y = %k : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      %1 = stencil.access %y[0] : !temp
      %2 = arith.mulf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @neighbours_in_place(%a: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{reads a temp whose field changes before its last use}}
  // expected-note @below {{run stencil-place-copies first}}
  scf.for %i = %zero to %n step %one {
    %as = stencil.load %a : !line -> !temp
    %r = stencil.apply(%x = %as : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      %1 = arith.negf %0 : f64
      stencil.return %1 : f64
    }
    stencil.store %r to %a(<[0], [8]>) : !temp to !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @moved_coefficients(%a: !line, %b: !line, %k: !line, %l: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{reads a field that its loop rotates and does not store}}
  // expected-note @below {{do not rotate fields that are only read}}
  %end:4 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b, %p = %k, %q = %l)
      -> (!line, !line, !line, !line) {
    %us = stencil.load %u : !line -> !temp
    %ks = stencil.load %p : !line -> !temp
    %r = stencil.apply(%x = %us : !temp, %y = %ks : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      %1 = stencil.access %y[0] : !temp
      %2 = arith.mulf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u, %q, %p : !line, !line, !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @field_itself(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{reads a field that it also stores at cells that are not constant offsets}}
  // expected-note @below {{load it, and access it at constant offsets}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp, %y = %u : !line) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      %i0 = stencil.index 0 <[0]>
      %1 = stencil.dyn_access %y[%i0] in <[0]> : <[0]> : !line
      %2 = arith.mulf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @computed_cells(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{reads what it computes at cells that are not constant offsets}}
  // expected-note @below {{access it at constant offsets in all dimensions}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      %i0 = stencil.index 0 <[0]>
      %1 = stencil.dyn_access %x[%i0] in <[-1]> : <[1]> : !temp
      %2 = arith.mulf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xi32>
!temp = !stencil.temp<?xi32>

func.func @integers(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{computes numbers of type i32, sweeps are made for floats}}
  // expected-note @below {{make one step at a time}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : i32
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @two_types(%a: !line, %b: !line, %c: !stencil.field<[0,8]xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{computes values of several types}}
  // expected-note @below {{convert them to one}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    %s = stencil.apply(%x = %us : !temp) -> (!stencil.temp<?xf32>) {
      %0 = stencil.access %x[0] : !temp
      %1 = arith.truncf %0 : f64 to f32
      stencil.return %1 : f32
    }
    stencil.store %s to %c(<[0], [8]>) : !stencil.temp<?xf32> to !stencil.field<[0,8]xf32>
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @two_ranks(%a: !line, %b: !line, %c: !stencil.field<[0,8]x[0,8]xf64>, %scale: f64,
                     %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{computes points of different dimensions}}
  // expected-note @below {{make one step at a time}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    %s = stencil.apply(%y = %scale : f64) -> (!stencil.temp<?x?xf64>) {
      stencil.return %y : f64
    }
    stencil.store %s to %c(<[0, 0], [8, 8]>)
        : !stencil.temp<?x?xf64> to !stencil.field<[0,8]x[0,8]xf64>
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @two_aliases(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{reads or stores a field that it stores through two aliases}}
  // expected-note @below {{use one name, of a loop its iteration argument}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %ks = stencil.load %a : !line -> !temp
    %r = stencil.apply(%x = %us : !temp, %y = %ks : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      %1 = stencil.access %y[0] : !temp
      %2 = arith.mulf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// The first of two sweeps would have nothing to write.
func.func @nothing_of_the_loop(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{computes no level that a later iteration reads}}
  // expected-note @below {{make one step at a time, or leave out the loop's plan}}
  scf.for %i = %zero to %n step %one {
    %as = stencil.load %a : !line -> !temp
    %r = stencil.apply(%x = %as : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %b(<[0], [8]>) : !temp to !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// The level before the last is in the slot that is stored, and has to go elsewhere.
func.func @too_few_steps(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{reads 2 levels of one field, but a sweep of 1 steps writes only 1}}
  // expected-note @below {{make at least as many steps as levels are read}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %vs = stencil.load %v : !line -> !temp
    %r = stencil.apply(%x = %us : !temp, %y = %vs : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      %1 = stencil.access %y[0] : !temp
      %2 = arith.mulf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 1}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @periodic_on_other_points(%a: !line, %b: !line, %c: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{copies ghost cells of a grid whose statements compute different points}}
  // expected-note @below {{compute the same points in all of them}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %g0 = stencil.load %u : !line -> !temp
    %s0 = stencil.apply(%x = %g0 : !temp) -> (!temp) {
      %0 = stencil.access %x[8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s0 to %u(<[-1], [0]>) : !temp to !line
    %g1 = stencil.load %u : !line -> !temp
    %s1 = stencil.apply(%x = %g1 : !temp) -> (!temp) {
      %0 = stencil.access %x[-8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s1 to %u(<[8], [9]>) : !temp to !line
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    %w = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[0] : !temp
      stencil.return %0 : f64
    }
    stencil.store %w to %c(<[0], [7]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// Nothing would fill them.
func.func @strip_of_a_coefficient(%a: !line, %b: !line, %k: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{copies ghost cells of a field that none of its statements stores}}
  // expected-note @below {{fill them before the loop}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %g0 = stencil.load %k : !line -> !temp
    %s0 = stencil.apply(%x = %g0 : !temp) -> (!temp) {
      %0 = stencil.access %x[8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s0 to %k(<[-1], [0]>) : !temp to !line
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[0] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// Ghost cells are filled after a statement.
func.func @strip_after_a_statement(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{copies cells of a field that it also computes from, not from the other end of the domain}}
  // expected-note @below {{fill the ghost cells outside each side, one dimension after the other, before what reads them}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    %g0 = stencil.load %v : !line -> !temp
    %s0 = stencil.apply(%x = %g0 : !temp) -> (!temp) {
      %0 = stencil.access %x[8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s0 to %v(<[-1], [0]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// What was stored is read before its ghost cells are filled.
func.func @strip_after_the_reader(%a: !line, %b: !line, %c: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{copies cells of a field that it also computes from, not from the other end of the domain}}
  // expected-note @below {{fill the ghost cells outside each side, one dimension after the other, before what reads them}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[0] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    %vs = stencil.load %v : !line -> !temp
    %t = stencil.apply(%x = %vs : !temp) -> (!temp) {
      %0 = stencil.access %x[-1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %t to %c(<[0], [8]>) : !temp to !line
    %g0 = stencil.load %v : !line -> !temp
    %s0 = stencil.apply(%x = %g0 : !temp) -> (!temp) {
      %0 = stencil.access %x[8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s0 to %v(<[-1], [0]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// The cell that is copied is the last but one.
func.func @strip_at_another_distance(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{copies cells of a field that it also computes from, not from the other end of the domain}}
  // expected-note @below {{fill the ghost cells outside each side, one dimension after the other, before what reads them}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %g0 = stencil.load %u : !line -> !temp
    %s0 = stencil.apply(%x = %g0 : !temp) -> (!temp) {
      %0 = stencil.access %x[7] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s0 to %u(<[-1], [0]>) : !temp to !line
    %g1 = stencil.load %u : !line -> !temp
    %s1 = stencil.apply(%x = %g1 : !temp) -> (!temp) {
      %0 = stencil.access %x[-8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s1 to %u(<[8], [9]>) : !temp to !line
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// The ghost cell that is read is not filled.
func.func @strip_on_one_side(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{copies cells of a field that it also computes from, not from the other end of the domain}}
  // expected-note @below {{fill the ghost cells outside each side, one dimension after the other, before what reads them}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %g0 = stencil.load %u : !line -> !temp
    %s0 = stencil.apply(%x = %g0 : !temp) -> (!temp) {
      %0 = stencil.access %x[8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s0 to %u(<[-1], [0]>) : !temp to !line
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// A cell of the domain is overwritten as well.
func.func @strip_within_the_domain(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{copies cells of a field that it also computes from, not from the other end of the domain}}
  // expected-note @below {{fill the ghost cells outside each side, one dimension after the other, before what reads them}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %g0 = stencil.load %u : !line -> !temp
    %s0 = stencil.apply(%x = %g0 : !temp) -> (!temp) {
      %0 = stencil.access %x[8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s0 to %u(<[-1], [1]>) : !temp to !line
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// Ghost cells of what the step computes are those of an older iteration.
func.func @result_on_a_ring(%a: !line, %b: !line, %c: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{copies cells of a field that it also computes from, not from the other end of the domain}}
  // expected-note @below {{fill the ghost cells outside each side, one dimension after the other, before what reads them}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %g0 = stencil.load %u : !line -> !temp
    %s0 = stencil.apply(%x = %g0 : !temp) -> (!temp) {
      %0 = stencil.access %x[8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s0 to %u(<[-1], [0]>) : !temp to !line
    %g1 = stencil.load %u : !line -> !temp
    %s1 = stencil.apply(%x = %g1 : !temp) -> (!temp) {
      %0 = stencil.access %x[-8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s1 to %u(<[8], [9]>) : !temp to !line
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    %vs = stencil.load %v : !line -> !temp
    %w = stencil.apply(%x = %vs : !temp) -> (!temp) {
      %0 = stencil.access %x[-1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %w to %c(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @coordinates_on_a_ring(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{uses coordinates along periodic dimensions}}
  // expected-note @below {{pass what depends on these coordinates as a field}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %g0 = stencil.load %u : !line -> !temp
    %s0 = stencil.apply(%x = %g0 : !temp) -> (!temp) {
      %0 = stencil.access %x[8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s0 to %u(<[-1], [0]>) : !temp to !line
    %g1 = stencil.load %u : !line -> !temp
    %s1 = stencil.apply(%x = %g1 : !temp) -> (!temp) {
      %0 = stencil.access %x[-8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s1 to %u(<[8], [9]>) : !temp to !line
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      %i0 = stencil.index 0 <[0]>
      %whole = arith.index_cast %i0 : index to i64
      %1 = arith.sitofp %whole : i64 to f64
      %2 = arith.mulf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// Cells beyond the domain that nothing fills are read of a coefficient.
func.func @unfilled_coefficient(%a: !line, %b: !line, %k: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{copies cells of a field that it also computes from, not from the other end of the domain}}
  // expected-note @below {{fill the ghost cells outside each side}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %low = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %low to %u(<[-1], [0]>) : !temp to !line
    %filled = stencil.load %u : !line -> !temp
    %ks = stencil.load %k : !line -> !temp
    %r = stencil.apply(%x = %filled : !temp, %y = %ks : !temp) -> (!temp) {
      %0 = stencil.access %x[-1] : !temp
      %1 = stencil.access %y[-1] : !temp
      %2 = arith.mulf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// Those beyond the other end are filled.
func.func @other_end(%a: !line, %b: !line, %k: !line, %n: index) {
  %f0 = stencil.load %k : !line -> !temp
  %g0 = stencil.apply(%x = %f0 : !temp) -> (!temp) {
    %0 = stencil.access %x[-8] : !temp
    stencil.return %0 : f64
  }
  stencil.store %g0 to %k(<[8], [9]>) : !temp to !line
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{copies cells of a field that it also computes from, not from the other end of the domain}}
  // expected-note @below {{fill the ghost cells outside each side}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %low = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %low to %u(<[-1], [0]>) : !temp to !line
    %filled = stencil.load %u : !line -> !temp
    %ks = stencil.load %k : !line -> !temp
    %r = stencil.apply(%x = %filled : !temp, %y = %ks : !temp) -> (!temp) {
      %0 = stencil.access %x[-1] : !temp
      %1 = stencil.access %y[-1] : !temp
      %2 = arith.mulf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// The cell that was copied changes before the loop.
func.func @changed_coefficient(%a: !line, %b: !line, %k: !line, %n: index) {
  %f0 = stencil.load %k : !line -> !temp
  %g0 = stencil.apply(%x = %f0 : !temp) -> (!temp) {
    %0 = stencil.access %x[8] : !temp
    stencil.return %0 : f64
  }
  stencil.store %g0 to %k(<[-1], [0]>) : !temp to !line
  %o = stencil.apply() -> (!temp) {
    %0 = arith.constant 1.0 : f64
    stencil.return %0 : f64
  }
  stencil.store %o to %k(<[7], [8]>) : !temp to !line
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{copies cells of a field that it also computes from, not from the other end of the domain}}
  // expected-note @below {{fill the ghost cells outside each side}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %low = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %low to %u(<[-1], [0]>) : !temp to !line
    %filled = stencil.load %u : !line -> !temp
    %ks = stencil.load %k : !line -> !temp
    %r = stencil.apply(%x = %filled : !temp, %y = %ks : !temp) -> (!temp) {
      %0 = stencil.access %x[-1] : !temp
      %1 = stencil.access %y[-1] : !temp
      %2 = arith.mulf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// A cell is copied that is not at the other end.
func.func @wrong_cell(%a: !line, %b: !line, %k: !line, %n: index) {
  %f0 = stencil.load %k : !line -> !temp
  %g0 = stencil.apply(%x = %f0 : !temp) -> (!temp) {
    %0 = stencil.access %x[7] : !temp
    stencil.return %0 : f64
  }
  stencil.store %g0 to %k(<[-1], [0]>) : !temp to !line
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{copies cells of a field that it also computes from, not from the other end of the domain}}
  // expected-note @below {{fill the ghost cells outside each side}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %low = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %low to %u(<[-1], [0]>) : !temp to !line
    %filled = stencil.load %u : !line -> !temp
    %ks = stencil.load %k : !line -> !temp
    %r = stencil.apply(%x = %filled : !temp, %y = %ks : !temp) -> (!temp) {
      %0 = stencil.access %x[-1] : !temp
      %1 = stencil.access %y[-1] : !temp
      %2 = arith.mulf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}
