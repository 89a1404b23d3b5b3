// Programs whose temps cannot have bounds, each reason once.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --stencil-infer-bounds

// A load of more than the field has; the access that wants it is named.
func.func @load_leaves_field(%in: !stencil.field<[0,64]x[0,64]xf64>, %out: !stencil.field<[0,64]x[0,64]xf64>) {
  // expected-error @below {{'stencil.load' op reads cell [-1, 0], outside the field's bounds <[0, 0], [64, 64]>}}
  // expected-note @below {{the program needs the points <[-1, 0], [63, 64]>: widen the field, or store to fewer}}
  %t = stencil.load %in : !stencil.field<[0,64]x[0,64]xf64> -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    // expected-note @below {{these points are needed here}}
    %v = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0, 0], [64, 64]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,64]x[0,64]xf64>
  return
}

// -----

// Bounds that an apply states do not grow as those of its results do.
func.func @stated_bounds(%in: !stencil.field<[0,8]xf64>, %out: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,8]xf64> -> !stencil.temp<?xf64>
  // expected-error @below {{'stencil.apply' op computes the points <[0], [6]>, and <[1], [7]> are needed}}
  // expected-note @below {{widen the bounds after 'to', or leave them out: they are inferred}}
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    stencil.return %v : f64
  } to <[0], [6]>
  // expected-note @below {{these points are needed here}}
  stencil.store %r to %out(<[1], [7]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}

// -----

// One cell beyond the upper end: bounds are half open.
func.func @field_operand_leaves_field(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  stencil.apply(%a = %in : !stencil.field<[0,64]xf64>) outs (%out : !stencil.field<[0,64]xf64>) {
    // expected-error @below {{'stencil.access' op reads cell [64], outside the field's bounds <[0], [64]>}}
    // expected-note @below {{the program needs the points <[1], [65]>: widen the field, or store to fewer}}
    %v = stencil.access %a[1] : !stencil.field<[0,64]xf64>
    stencil.return %v : f64
  } to <[0], [64]>
  return
}

// -----

// An absolute extent is inclusive, and is asked for as a whole: here one cell more than the table has.
func.func @table_too_short(%table: !stencil.field<[0,8]xf64>, %out: !stencil.field<[0,64]xf64>, %step: index) {
  stencil.apply(%a = %table : !stencil.field<[0,8]xf64>, %s = %step : index) outs (%out : !stencil.field<[0,64]xf64>) {
    // expected-error @below {{'stencil.dyn_access' op reads cell [8], outside the field's bounds <[0], [8]>}}
    // expected-note @below {{the program needs the points <[0], [9]>: widen the field, or store to fewer}}
    %v = stencil.dyn_access %a[%s] in <[0]> : <[8]> attributes {absolute} : !stencil.field<[0,8]xf64>
    stencil.return %v : f64
  } to <[0], [64]>
  return
}

// -----

func.func @unknown_field(%in: !stencil.field<?xf64>, %out: !stencil.field<[0,64]xf64>) {
  stencil.apply(%a = %in : !stencil.field<?xf64>) outs (%out : !stencil.field<[0,64]xf64>) {
    // expected-error @below {{'stencil.access' op reads a field of unknown bounds}}
    // expected-note @below {{give the field bounds, or cast it to a field that has them}}
    %v = stencil.access %a[0] : !stencil.field<?xf64>
    stencil.return %v : f64
  } to <[0], [64]>
  return
}

// -----

func.func @two_extents(%in: !stencil.field<?xf64>) {
  // expected-note @below {{the other cast}}
  %one = stencil.cast %in : !stencil.field<?xf64> -> !stencil.field<[0,64]xf64>
  // expected-error @below {{'stencil.cast' op casts one argument to other bounds than a cast before it}}
  // expected-note @below {{extents are static: one argument has one}}
  %two = stencil.cast %in : !stencil.field<?xf64> -> !stencil.field<[0,65]xf64>
  return
}

// -----

func.func @temp_through_condition(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>, %flag: i1) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  // expected-error @below {{'arith.select' op has a temp among its operands or results}}
  // expected-note @below {{temps are values of one iteration: carry the field, and load it inside}}
  %chosen = arith.select %flag, %t, %t : !stencil.temp<?xf64>
  %r = stencil.apply(%a = %chosen : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// -----

func.func @temp_through_loop(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>, %n: index) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  // expected-error @below {{'scf.for' op has a temp among its operands or results}}
  // expected-note @below {{temps are values of one iteration: carry the field, and load it inside}}
  %last = scf.for %i = %n to %n step %n iter_args(%carried = %t) -> (!stencil.temp<?xf64>) {
    %r = stencil.apply(%a = %carried : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %v = stencil.access %a[0] : !stencil.temp<?xf64>
      stencil.return %v : f64
    }
    scf.yield %r : !stencil.temp<?xf64>
  }
  %buffered = stencil.apply(%a = %last : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  stencil.store %buffered to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// -----

func.func @overflow(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    // expected-error @below {{'stencil.access' op reads too far from its point}}
    // expected-note @below {{coordinates do not fit in 64 bits}}
    %v = stencil.access %a[9223372036854775800] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// -----

// Each cell has coordinates of 64 bits; all between them cannot be counted.
func.func @far_apart(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  // expected-error @below {{'stencil.load' op needs the points <[-9223372036854775807], [64]>, more than 64 bits can count}}
  // expected-note @below {{reduce the distance of reads and stores}}
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[-9223372036854775807] : !stencil.temp<?xf64>
    %w = stencil.access %a[0] : !stencil.temp<?xf64>
    %s = arith.addf %v, %w : f64
    stencil.return %s : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// -----

// The same of a temp that is computed.
func.func @far_apart_in_a_temp(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  // expected-error @below {{'stencil.apply' op needs the points <[-4611686018427387904], [4611686018427387968]>, more than 64 bits can count}}
  // expected-note @below {{reduce the distance of reads and stores}}
  %m = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  %r = stencil.apply(%a = %m : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[-4611686018427387904] : !stencil.temp<?xf64>
    %w = stencil.access %a[4611686018427387904] : !stencil.temp<?xf64>
    %s = arith.addf %v, %w : f64
    stencil.return %s : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
