// Plans of several steps for loops whose iterations are not levels of one sweep are refused.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --sweep-fuse-steps

!line = !stencil.field<[-1,9]xf64>

func.func @no_loop(%a: !line, %b: !line) {
  // expected-error @below {{'sweep.kernel' op cannot make 2 steps at once: it is in no time loop}}
  // expected-note @below {{make one step at a time}}
  sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %a : !line) boundaries(%a : !line)
      outs(%b : !line) plan <{mapping = "warp", steps = 2}> {
    %0 = stencil.access %x[1] : !line
    sweep.yield %0 : f64
  }
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>

func.func @two_sweeps(%a: !line, %b: !line, %c: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    sweep.kernel "first" steps 1 over <[0], [8]> carried(%x = %u : !line) boundaries(%u : !line)
        outs(%c : !line) plan <{mapping = "warp"}> {
      %0 = stencil.access %x[1] : !line
      sweep.yield %0 : f64
    }
    // expected-error @below {{it shares its time loop with another sweep}}
    // expected-note @below {{fuse the loop's statements into one, or make one step at a time}}
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %c : !line) boundaries(%c : !line)
        outs(%v : !line) plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      sweep.yield %0 : f64
    }
    scf.yield %v, %u : !line, !line
  }
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>

func.func @another_apply(%a: !line, %b: !line, %c: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    // expected-error @below {{it shares its time loop with another apply}}
    // expected-note @below {{fuse the loop's statements into one, or make one step at a time}}
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %u : !line) boundaries(%u : !line, %v : !line)
        outs(%v : !line) plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      sweep.yield %0 : f64
    }
    %t = stencil.load %v : !line -> !stencil.temp<[0,8]xf64>
    %r = stencil.apply(%x = %t : !stencil.temp<[0,8]xf64>) -> (!stencil.temp<[0,8]xf64>) {
      %0 = stencil.access %x[0] : !stencil.temp<[0,8]xf64>
      stencil.return %0 : f64
    }
    stencil.store %r to %c(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !line
    scf.yield %v, %u : !line, !line
  }
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>

func.func @inner_loop(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    scf.for %j = %zero to %n step %one {
    }
    // expected-error @below {{it shares its time loop with 'scf.for'}}
    // expected-note @below {{fuse the loop's statements into one, or make one step at a time}}
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %u : !line) boundaries(%u : !line, %v : !line)
        outs(%v : !line) plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      sweep.yield %0 : f64
    }
    scf.yield %v, %u : !line, !line
  }
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>

func.func @no_permutation(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    // expected-error @below {{it is in a loop that does not permute its fields}}
    // expected-note @below {{yield each of the loop's fields once}}
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %u : !line) boundaries(%u : !line, %v : !line)
        outs(%v : !line) plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      sweep.yield %0 : f64
    }
    scf.yield %v, %v : !line, !line
  }
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>

func.func @one_field_in_two_slots(%a: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %a) -> (!line, !line) {
    // expected-error @below {{it is in a loop that may hold one field in two slots}}
    // expected-note @below {{carry each field once}}
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %u : !line) boundaries(%u : !line, %v : !line)
        outs(%v : !line) plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      sweep.yield %0 : f64
    }
    scf.yield %v, %u : !line, !line
  }
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!values = !stencil.temp<[-1,9]xf64>

func.func @carried_temp(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = stencil.load %a : !line -> !values
  %end = scf.for %i = %zero to %n step %one iter_args(%u = %t) -> (!values) {
    // expected-error @below {{it is in a loop that carries temps}}
    // expected-note @below {{store them to fields, and carry those}}
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %a : !line) boundaries(%a : !line)
        outs(%b : !line) plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      sweep.yield %0 : f64
    }
    scf.yield %u : !values
  }
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>

func.func @nothing_of_the_loop(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    // expected-error @below {{it reads no field that its loop stores}}
    // expected-note @below {{make one step at a time, or set 'mapping = "thread"' in its plan}}
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %a : !line) boundaries(%a : !line)
        outs(%b : !line) plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      sweep.yield %0 : f64
    }
  }
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>

func.func @stores_what_it_carries(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    // expected-error @below {{it stores a field that its loop also carries}}
    // expected-note @below {{store a field that the loop carries}}
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %u : !line) boundaries(%u : !line, %v : !line)
        outs(%b : !line) plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      sweep.yield %0 : f64
    }
    scf.yield %v, %u : !line, !line
  }
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>

func.func @casts_what_it_stores(%a: !line, %b: !stencil.field<?xf64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %m = stencil.cast %b : !stencil.field<?xf64> -> !line
    // expected-error @below {{it stores a field that its loop casts}}
    // expected-note @below {{cast it before the loop}}
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %m : !line) boundaries(%m : !line)
        outs(%m : !line) plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[0] : !line
      sweep.yield %0 : f64
    }
  }
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>

func.func @moved_coefficients(%a: !line, %b: !line, %k: !line, %l: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:4 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b, %p = %k, %q = %l)
      -> (!line, !line, !line, !line) {
    // expected-error @below {{it reads a field that its loop rotates and does not store}}
    // expected-note @below {{do not rotate fields that are only read}}
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %u : !line) boundaries(%u : !line, %v : !line)
        reads(%c = %p : !line) outs(%v : !line) plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      %1 = stencil.access %c[0] : !line
      %2 = arith.mulf %0, %1 : f64
      sweep.yield %2 : f64
    }
    scf.yield %v, %u, %q, %p : !line, !line, !line, !line
  }
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>

func.func @two_names(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    // expected-error @below {{it reads a field through two aliases while its loop stores it}}
    // expected-note @below {{read it through the loop's iteration argument only}}
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %u : !line) boundaries(%u : !line, %v : !line)
        reads(%c = %a : !line) outs(%v : !line) plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      %1 = stencil.access %c[0] : !line
      %2 = arith.mulf %0, %1 : f64
      sweep.yield %2 : f64
    }
    scf.yield %v, %u : !line, !line
  }
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>

// A read of the older field at coordinates would need its cells at every level.
func.func @coordinates(%a: !line, %b: !line, %c: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:3 = scf.for %i = %zero to %n step %one iter_args(%p = %a, %q = %b, %w = %c)
      -> (!line, !line, !line) {
    // expected-error @below {{it reads a field that its loop stores at cells that are not constant offsets}}
    // expected-note @below {{access it at constant offsets in all dimensions}}
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %q : !line) boundaries(%q : !line, %w : !line)
        reads(%y = %p : !line) outs(%w : !line) plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      %i0 = stencil.index 0 <[0]>
      %1 = stencil.dyn_access %y[%i0] in <[-1]> : <[1]> : !line
      %2 = arith.subf %0, %1 : f64
      sweep.yield %2 : f64
    }
    scf.yield %q, %w, %p : !line, !line, !line
  }
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>

// Three levels are read, so sweeps of two steps would have to write more levels than they make.
func.func @too_few_steps(%a: !line, %b: !line, %c: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:3 = scf.for %i = %zero to %n step %one iter_args(%p = %a, %q = %b, %w = %c)
      -> (!line, !line, !line) {
    // expected-error @below {{it reads 3 levels, but a sweep of 2 steps writes only 2}}
    // expected-note @below {{make at least as many steps as levels are read}}
    sweep.kernel "s" steps 1 over <[0], [8]>
        carried(%x = %q : !line, %y = %p : !line, %z = %w : !line)
        boundaries(%q : !line, %w : !line, %p : !line) outs(%w : !line)
        plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      %1 = stencil.access %y[0] : !line
      %2 = stencil.access %z[0] : !line
      %3 = arith.addf %0, %1 : f64
      %4 = arith.addf %3, %2 : f64
      sweep.yield %4 : f64
    }
    scf.yield %q, %w, %p : !line, !line, !line
  }
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>

func.func @unsigned(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for unsigned %i = %zero to %n step %one iter_args(%u = %a, %v = %b)
      -> (!line, !line) {
    // expected-error @below {{it is in a loop with an unsigned comparison}}
    // expected-note @below {{use a signed comparison}}
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %u : !line) boundaries(%u : !line, %v : !line)
        outs(%v : !line) plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      sweep.yield %0 : f64
    }
    scf.yield %v, %u : !line, !line
  }
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>

func.func @varying_scalar(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    // expected-error @below {{it takes a scalar for all levels that differs between iterations}}
    // expected-note @below {{make it a level scalar}}
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %u : !line) boundaries(%u : !line, %v : !line)
        scalars(%t = %i : index) outs(%v : !line) plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      sweep.yield %0 : f64
    }
    scf.yield %v, %u : !line, !line
  }
  return
}
