// Attributes of the dialect on ops of others, and on arguments of functions, have their kinds.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'func.func' op 'stencil.name' must be a string that is not empty, got unit}}
func.func @name(%u : !stencil.field<[0,4]xf64> {stencil.name}) {
  return
}

// -----

// expected-error @below {{'func.func' op 'stencil.scratch' must be a unit attribute, got true}}
func.func @scratch(%u : !stencil.field<[0,4]xf64> {stencil.scratch = true}) {
  return
}

// -----

// expected-error @below {{'func.func' op 'stencil.decisions' must be a dictionary, got "none"}}
func.func @decisions() attributes {stencil.decisions = "none"} {
  return
}

// -----

func.func @stage(%u : !stencil.field<[0,4]xf64>) {
  %t = stencil.load %u : !stencil.field<[0,4]xf64> -> !stencil.temp<[0,4]xf64>
  // expected-error @below {{'stencil.apply' op 'stencil.stage' must be a string that is not empty, got 1 : i64}}
  %r = stencil.apply(%a = %t : !stencil.temp<[0,4]xf64>) -> (!stencil.temp<[0,4]xf64>) attributes {stencil.stage = 1} {
    %c = stencil.access %a[0] : !stencil.temp<[0,4]xf64>
    stencil.return %c : f64
  }
  stencil.store %r to %u(<[0], [4]>) : !stencil.temp<[0,4]xf64> to !stencil.field<[0,4]xf64>
  return
}

// -----

func.func @plan() {
  // expected-error @below {{'arith.constant' op 'stencil.plan' must be a #stencil.plan, got "thread"}}
  %c = arith.constant {stencil.plan = "thread"} 0 : index
  return
}

// -----

func.func @steps() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' op 'stencil.time_steps' must be an integer or unit, got "two"}}
  scf.for %i = %c0 to %c1 step %c1 {
  } {stencil.time_steps = "two"}
  return
}

// -----

// expected-error @below {{'func.func' op 'stencil.step_limits' must be an array of dictionaries with integers 'first' and 'last', and perhaps 'argument', got [{first = 0 : i64}]}}
func.func @limits() attributes {stencil.step_limits = [{first = 0 : i64}]} {
  return
}

// -----

// expected-error @below {{'func.func' op 'stencil.bounds' must be a #stencil.bounds, got 4 : i64}}
func.func @bounds(%m : memref<4xf64> {stencil.bounds = 4}) {
  return
}

// -----

func.func @empty_stage(%u : !stencil.field<[0,4]xf64>) {
  %t = stencil.load %u : !stencil.field<[0,4]xf64> -> !stencil.temp<[0,4]xf64>
  // expected-error @below {{'stencil.apply' op 'stencil.stage' must be a string that is not empty, got ""}}
  %r = stencil.apply(%a = %t : !stencil.temp<[0,4]xf64>) -> (!stencil.temp<[0,4]xf64>) attributes {stencil.stage = ""} {
    %c = stencil.access %a[0] : !stencil.temp<[0,4]xf64>
    stencil.return %c : f64
  }
  return
}

// -----

// The planes from 32 on have no owner.
// expected-error @below {{'func.func' op 'stencil.decomposition' must be a dictionary of 'lower', 'upper', 'halo', perhaps 'steps', 'computed' and 'early', and 'windows', whose owned planes follow each other from 'lower' to 'upper'}}
func.func @unowned() attributes {stencil.decomposition = {halo = 1 : i64, lower = 0 : i64, steps = 2 : i64,
    upper = 64 : i64, windows = [array<i64: 0, 32, 0>]}} {
  return
}

// -----

// A window has an owned range and a shift, or two of them with a seam.
// expected-error @below {{'func.func' op 'stencil.decomposition' must be a dictionary}}
func.func @no_shift() attributes {stencil.decomposition = {halo = 1 : i64, lower = 0 : i64, upper = 64 : i64,
    windows = [array<i64: 0, 64>]}} {
  return
}

// -----

// expected-error @below {{'func.func' op 'stencil.decomposition' must be a dictionary}}
func.func @no_steps() attributes {stencil.decomposition = {halo = 1 : i64, lower = 0 : i64, steps = 0 : i64,
    upper = 64 : i64, windows = [array<i64: 0, 64, 0>]}} {
  return
}

// -----

// expected-error @below {{'func.func' op 'stencil.cut' must be an array of a dimension and a range of planes, got array<i64: 0, 8, 8>}}
func.func @no_planes(%u: !stencil.field<[0,8]xf64> {stencil.cut = array<i64: 0, 8, 8>}) {
  return
}

// -----

// expected-error @below {{'func.func' op 'stencil.window' must be "shift", "seam" or "shift_from_seam", got "offset"}}
func.func @no_number_of_a_window(%n: index {stencil.window = "offset"}) {
  return
}

// -----

// expected-error @below {{'func.func' op 'stencil.received' must be an array of arrays of ranges of planes, in order, got [array<i64: 8, 4>]}}
func.func @planes_not_in_order(%u: !stencil.field<[0,8]xf64> {stencil.received = [array<i64: 8, 4>]}) {
  return
}

// -----

func.func @number_of_iterations() {
  // expected-error @below {{'arith.constant' op 'stencil.last_iterations' must be a unit attribute, got 1 : i64}}
  %last = arith.constant {stencil.last_iterations = 1 : i64} 1 : index
  return
}

// -----

// expected-error @below {{'func.func' op 'stencil.decomposition' must be a dictionary}}
func.func @half_a_range() attributes {stencil.decomposition = {lower = 0 : i64, upper = 8 : i64, halo = 0 : i64, computed = [array<i64: 8>], windows = [array<i64: 0, 8, 0>]}} {
  return
}

// -----

// expected-error @below {{'func.func' op 'stencil.padding' must be an array of two numbers of cells that are not negative, got array<i64: 1, -2>}}
func.func @negative_padding(%u: !stencil.field<[0,8]xf64> {stencil.padding = array<i64: 1, -2>}) {
  return
}

// -----

// expected-error @below {{'func.func' op 'stencil.row_alignment' must be a power of two as an integer, got 48 : i64}}
func.func @odd_alignment() attributes {stencil.row_alignment = 48 : i64} {
  return
}
