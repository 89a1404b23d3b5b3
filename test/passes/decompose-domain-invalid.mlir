// Programs that devices cannot share, each reason once; those that resizing has are in its test.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --stencil-decompose-domain='devices=3 steps=4'

// expected-error @below {{'builtin.module' op has no domain to decompose}}
// expected-note @below {{the domain is what a program stores; one without a store has none}}
module {
  func.func @nothing_stored(%f: !stencil.field<[0,64]xf64>) {
    return
  }
}

// -----

// Halos of three planes at both cuts of each window.
// expected-error @below {{'func.func' op has 7 planes along dimension 0, too few for 3 devices with their halos, exchanging after every 4 time steps}}
// expected-note @below {{give fewer devices, or fewer steps between exchanges; 12 planes would be enough}}
func.func @thin(%u: !stencil.field<[-1,8]xf64>, %v: !stencil.field<[-1,8]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 8 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-1,8]xf64>, !stencil.field<[-1,8]xf64>) {
    %t = stencil.load %now : !stencil.field<[-1,8]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[-1] : !stencil.temp<?xf64>
      %y = stencil.access %a[1] : !stencil.temp<?xf64>
      %z = arith.addf %x, %y : f64
      stencil.return %z : f64
    }
    stencil.store %r to %next(<[0], [7]>) : !stencil.temp<?xf64> to !stencil.field<[-1,8]xf64>
    scf.yield %next, %now : !stencil.field<[-1,8]xf64>, !stencil.field<[-1,8]xf64>
  }
  return
}

// -----

// Points that are left out cannot be told from those of other windows.
func.func @left_out(%u: !stencil.field<[0,64]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 8 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    %t = stencil.load %u : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[0] : !stencil.temp<?xf64>
      %limit = arith.constant 1.0 : f64
      %is_less = arith.cmpf olt, %x, %limit : f64
      %y = scf.if %is_less -> (!stencil.result<f64>) {
        %stored = stencil.store_result %limit : !stencil.result<f64>
        scf.yield %stored : !stencil.result<f64>
      } else {
        %none = stencil.store_result : !stencil.result<f64>
        scf.yield %none : !stencil.result<f64>
      }
      stencil.return %y : !stencil.result<f64>
    }
    stencil.store %t to %u(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
    // expected-error @below {{'stencil.store' op reads planes in the middle of the domain, which windows have in other places, or leaves points there out}}
    // expected-note @below {{run it on one device, or have statements begin and end near the ends of the domain}}
    stencil.store %r to %u(<[31], [33]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  }
  return
}

// -----

// Which device has the plane that all of them read?
func.func @read_in_the_middle(%u: !stencil.field<[0,64]xf64>, %v: !stencil.field<[0,64]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 8 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[0,64]xf64>, !stencil.field<[0,64]xf64>) {
    %t = stencil.load %now : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %middle = arith.constant 31 : index
      %x = stencil.dyn_access %a[%middle] in <[31]> : <[31]> attributes {absolute} : !stencil.temp<?xf64>
      stencil.return %x : f64
    }
    // expected-error @below {{'stencil.store' op reads plane 31 at all its points, which not all windows have}}
    // expected-note @below {{run it on one device, or read at offsets}}
    stencil.store %r to %next(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
    scf.yield %next, %now : !stencil.field<[0,64]xf64>, !stencil.field<[0,64]xf64>
  }
  return
}

// -----

func.func @computed_place(%u: !stencil.field<[0,64]xf64>, %v: !stencil.field<[0,64]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 8 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[0,64]xf64>, !stencil.field<[0,64]xf64>) {
    %t = stencil.load %now : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %i = stencil.index 0 <[0]>
      %two = arith.constant 2 : index
      %half = arith.divsi %i, %two : index
      // expected-error @below {{'stencil.dyn_access' op computes the number of the plane that it reads, which any device may have}}
      // expected-note @below {{read at offsets, or run it on one device}}
      %x = stencil.dyn_access %a[%half] in <[0]> : <[31]> attributes {absolute} : !stencil.temp<?xf64>
      stencil.return %x : f64
    }
    stencil.store %r to %next(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
    scf.yield %next, %now : !stencil.field<[0,64]xf64>, !stencil.field<[0,64]xf64>
  }
  return
}

// -----

func.func @around(%u: !stencil.field<[0,64]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 8 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    %t = stencil.load %u : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[0] : !stencil.temp<?xf64>
      stencil.return %x : f64
    }
    stencil.store %r to %u(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  }
  %t2 = stencil.load %u : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %r2 = stencil.apply(%a = %t2 : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[0] : !stencil.temp<?xf64>
    %twice = arith.addf %x, %x : f64
    stencil.return %twice : f64
  }
  // expected-error @below {{'stencil.store' op is outside of the time loop, which devices run in pieces, and changes what the next piece begins with}}
  // expected-note @below {{copy between fields and memory of the function only, and put what else comes before and after the loop into functions of their own}}
  stencil.store %r2 to %u(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// -----

// A piece would fill the field again.
func.func @filled(%u: !stencil.field<[0,64]xf64>, %v: !stencil.field<[0,64]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 8 : index
  %one = arith.constant 1 : index
  %zeros = stencil.apply() -> (!stencil.temp<?xf64>) {
    %zero = arith.constant 0.0 : f64
    stencil.return %zero : f64
  }
  // expected-error @below {{'stencil.store' op is outside of the time loop, which devices run in pieces, and changes what the next piece begins with}}
  // expected-note @below {{have the caller fill the field, in the language of STENCILGEN by copyin}}
  stencil.store %zeros to %v(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  scf.for %step = %first to %steps step %one {
    %t = stencil.load %u : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
    %s = stencil.load %v : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>, %b = %s : !stencil.temp<?xf64>)
        -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[0] : !stencil.temp<?xf64>
      %y = stencil.access %b[0] : !stencil.temp<?xf64>
      %sum = arith.addf %x, %y : f64
      stencil.return %sum : f64
    }
    stencil.store %r to %v(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  }
  return
}

// -----

// A piece would begin with what the piece before has made of the field.
// expected-error @below {{'func.func' op reads its argument 0 outside of the time loop that writes it, which devices run in pieces}}
// expected-note @below {{read it in the loop, or give what is read as a field of its own}}
func.func @initial(%u: !stencil.field<[0,64]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 8 : index
  %one = arith.constant 1 : index
  %t0 = stencil.load %u : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  scf.for %step = %first to %steps step %one {
    %r = stencil.apply(%a = %t0 : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[0] : !stencil.temp<?xf64>
      stencil.return %x : f64
    }
    stencil.store %r to %u(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  }
  return
}

// -----

func.func @sum(%u: !stencil.field<[0,64]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 8 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  // expected-error @below {{'scf.for' op carries a value 0 that is no field from step to step}}
  // expected-note @below {{carry fields only}}
  %end = scf.for %step = %first to %steps step %one iter_args(%s = %zero) -> (f64) {
    %t = stencil.load %u : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[0] : !stencil.temp<?xf64>
      stencil.return %x : f64
    }
    stencil.store %r to %u(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
    scf.yield %s : f64
  }
  return
}

// -----

func.func @shared_slot(%u: !stencil.field<[0,64]xf64>, %v: !stencil.field<[0,64]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 8 : index
  %one = arith.constant 1 : index
  // expected-error @below {{'scf.for' op does more with its fields than change their places}}
  // expected-note @below {{yield each field that it carries once}}
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%a = %u, %b = %v)
      -> (!stencil.field<[0,64]xf64>, !stencil.field<[0,64]xf64>) {
    %t = stencil.load %a : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
    stencil.store %t to %b(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
    scf.yield %b, %b : !stencil.field<[0,64]xf64>, !stencil.field<[0,64]xf64>
  }
  return
}

// -----

func.func @open_step(%u: !stencil.field<[0,64]xf64>, %by: index) {
  %first = arith.constant 0 : index
  %steps = arith.constant 8 : index
  %one = arith.constant 1 : index
  // expected-error @below {{'scf.for' op is a time loop whose step is not known}}
  // expected-note @below {{give it a positive constant step}}
  scf.for %step = %first to %steps step %by {
    %t = stencil.load %u : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[0] : !stencil.temp<?xf64>
      stencil.return %x : f64
    }
    stencil.store %r to %u(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  }
  return
}

// -----

func.func @open_loop(%u: !stencil.field<[0,64]xf64>, %count: index) {
  %first = arith.constant 0 : index
  %steps = arith.constant 8 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    // expected-error @below {{'scf.for' op is a loop inside the time loop whose iterations are unknown or too many}}
    // expected-note @below {{give it constant bounds, 1024 iterations at most}}
    scf.for %inner = %first to %count step %one {
    %t = stencil.load %u : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[0] : !stencil.temp<?xf64>
      stencil.return %x : f64
    }
    stencil.store %r to %u(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
    }
  }
  return
}

// -----

// expected-error @below {{'func.func' op has several loops at its top level}}
// expected-note @below {{put each loop into a function of its own}}
func.func @two_loops(%u: !stencil.field<[0,64]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 8 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    %t = stencil.load %u : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[0] : !stencil.temp<?xf64>
      stencil.return %x : f64
    }
    stencil.store %r to %u(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  }
  scf.for %step = %first to %steps step %one {
    %t = stencil.load %u : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[0] : !stencil.temp<?xf64>
      stencil.return %x : f64
    }
    stencil.store %r to %u(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  }
  return
}

// -----

// Three fields change places.
// expected-error @below {{'func.func' op cannot be exchanged after every 4 time steps: its fields are in their places again after a multiple of 3}}
// expected-note @below {{give a multiple of 3}}
func.func @triple(%w: !stencil.field<[-1,65]xf64>, %u: !stencil.field<[-1,65]xf64>, %v: !stencil.field<[-1,65]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 8 : index
  %one = arith.constant 1 : index
  %end:3 = scf.for %step = %first to %steps step %one iter_args(%other = %w, %now = %u, %next = %v)
      -> (!stencil.field<[-1,65]xf64>, !stencil.field<[-1,65]xf64>, !stencil.field<[-1,65]xf64>) {
    %t = stencil.load %now : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %x = stencil.access %a[-1] : !stencil.temp<?xf64>
      %y = stencil.access %a[1] : !stencil.temp<?xf64>
      %z = arith.addf %x, %y : f64
      stencil.return %z : f64
    }
    stencil.store %r to %next(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[-1,65]xf64>
    scf.yield %next, %other, %now : !stencil.field<[-1,65]xf64>, !stencil.field<[-1,65]xf64>, !stencil.field<[-1,65]xf64>
  }
  return
}

// -----

func.func private @helper(%u: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %u : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[0] : !stencil.temp<?xf64>
    stencil.return %x : f64
  }
  stencil.store %r to %u(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
func.func @calls(%u: !stencil.field<[0,64]xf64>) {
  // expected-error @below {{'func.call' op passes fields to another function}}
  // expected-note @below {{inline it first: stencil-opt --inline}}
  func.call @helper(%u) : (!stencil.field<[0,64]xf64>) -> ()
  return
}

// -----

// expected-error @below {{'func.func' op writes its argument 0, whose slowest dimension does not follow the domain's}}
// expected-note @below {{store fields of the domain's rank, or of its first dimensions}}
func.func @column(%c: !stencil.field<[0,8]xf64>, %u: !stencil.field<[0,64]x[0,8]xf64>) {
  %r = stencil.apply(%a = %c : !stencil.field<[0,8]xf64>) -> (!stencil.temp<?x?xf64>) {
    %x = stencil.access %a[_, 0] : !stencil.field<[0,8]xf64>
    stencil.return %x : f64
  }
  stencil.store %r to %u(<[0, 0], [64, 8]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,64]x[0,8]xf64>
  %q = stencil.apply() -> (!stencil.temp<?xf64>) {
    %x = arith.constant 1.0 : f64
    stencil.return %x : f64
  }
  stencil.store %q to %c(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}

// -----

func.func @unrolled(%f: !stencil.field<[0,64]xf64>) {
  stencil.apply() outs (%f : !stencil.field<[0,64]xf64>) {
    %v = arith.constant 1.0 : f64
    // expected-error @below {{'stencil.return' op computes 2 planes at once of those that devices share}}
    // expected-note @below {{compute one point, and let plans have more 'points'; a scan along the slowest dimension cannot be shared: run it on one device}}
    stencil.return %v, %v unroll <[2]> : f64, f64
  } to <[0], [64]>
  return
}

// -----

// expected-error @below {{'func.func' op has an argument 0 that is a field of unknown bounds}}
// expected-note @below {{give the field bounds}}
func.func @unbounded(%f: !stencil.field<?xf64>) {
  %g = stencil.cast %f : !stencil.field<?xf64> -> !stencil.field<[0,64]xf64>
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %v = arith.constant 1.0 : f64
    stencil.return %v : f64
  }
  stencil.store %r to %g(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// -----

func.func @chosen(%u: !stencil.field<[0,64]xf64>, %v: !stencil.field<[0,64]xf64>, %which: i1) {
  // expected-error @below {{'scf.if' op chooses between fields}}
  // expected-note @below {{choose between temps, or give each branch its own stores}}
  %f = scf.if %which -> (!stencil.field<[0,64]xf64>) {
    scf.yield %u : !stencil.field<[0,64]xf64>
  } else {
    scf.yield %v : !stencil.field<[0,64]xf64>
  }
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %x = arith.constant 1.0 : f64
    stencil.return %x : f64
  }
  stencil.store %r to %f(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// -----

// expected-error @below {{'func.func' op is decomposed already}}
// expected-note @below {{decompose the whole program once}}
func.func @again(%u: !stencil.field<[0,64]xf64>) attributes {stencil.decomposition = {halo = 0 : i64,
    lower = 0 : i64, upper = 64 : i64, windows = [array<i64: 0, 64, 0>]}} {
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %x = arith.constant 1.0 : f64
    stencil.return %x : f64
  }
  stencil.store %r to %u(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// -----

// expected-error @below {{'func.func' op has extents known only at run time}}
// expected-note @below {{compile the program for one size}}
func.func @open(%u: !stencil.field<[0,64]xf64>) attributes {stencil.run_time_extents = {least = array<i64: 1>,
    lower = array<i64: 0>, upper = array<i64: 64>}} {
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %x = arith.constant 1.0 : f64
    stencil.return %x : f64
  }
  stencil.store %r to %u(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// -----

// expected-error @below {{'func.func' op returns values, which no device has all of}}
// expected-note @below {{give results through field arguments}}
func.func @returned(%u: !stencil.field<[0,64]xf64>) -> !stencil.temp<?xf64> {
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %x = arith.constant 1.0 : f64
    stencil.return %x : f64
  }
  stencil.store %r to %u(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return %r : !stencil.temp<?xf64>
}

// -----

func.func @cell(%u: !stencil.field<[0,64]xf64>, %m: memref<64xf64>) {
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %x = arith.constant 1.0 : f64
    stencil.return %x : f64
  }
  stencil.store %r to %u(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  %one = arith.constant 1.0 : f64
  %at = arith.constant 3 : index
  // expected-error @below {{'memref.store' op uses memory that is no field}}
  // expected-note @below {{store to fields: stencil-opt --stencil-bind-memrefs --stencil-gather-updates}}
  memref.store %one, %m[%at] : memref<64xf64>
  return
}

// -----

// What a step leaves in this memory is for the next one, which may begin a piece.
// expected-error @below {{'func.func' op has a step that reads memory allocated before the time loop, and not written before in this step or the ones that rotate to it}}
// expected-note @below {{give this memory as a field argument}}
func.func @remembered(%u: !stencil.field<[0,64]xf64>) {
  %first = arith.constant 0 : index
  %steps = arith.constant 8 : index
  %one = arith.constant 1 : index
  %m = stencil.alloc : !stencil.field<[0,64]xf64>
  scf.for %step = %first to %steps step %one {
    %t = stencil.load %m : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
    %s = stencil.load %u : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
    stencil.store %s to %m(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
    stencil.store %t to %u(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  }
  return
}

// -----

!field = !stencil.field<[0,64]xf64>
!temp = !stencil.temp<?xf64>

// The memory begins with a field, which does not get back what the steps make of it.
func.func @kept(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 8 : index
  %one = arith.constant 1 : index
  %own = stencil.alloc : !field
  %before = stencil.load %u : !field -> !temp
  // expected-error @below {{'stencil.store' op is outside of the time loop, which devices run in pieces, and changes what the next piece begins with}}
  // expected-note @below {{copy between fields and memory of the function only}}
  stencil.store %before to %own(<[0], [64]>) : !temp to !field
  scf.for %step = %first to %steps step %one {
    %t = stencil.load %own : !field -> !temp
    %r = stencil.apply(%a = %t : !temp) -> (!temp) {
      %x = stencil.access %a[0] : !temp
      %twice = arith.addf %x, %x : f64
      stencil.return %twice : f64
    }
    stencil.store %r to %own(<[0], [64]>) : !temp to !field
  }
  %after = stencil.load %own : !field -> !temp
  stencil.store %after to %u(<[0], [63]>) : !temp to !field
  stencil.store %after to %v(<[0], [64]>) : !temp to !field
  return
}
