// Programs that cannot be resized, each reason once.
//
// RUN: stencil-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --stencil-resize-domain=extents=6,7

// expected-error @below {{'func.func' op has a domain of rank 1, and 2 extents are given}}
// expected-note @below {{write one extent per dimension, slowest first}}
func.func @rank(%f: !stencil.field<[0,64]xf64>) {
  stencil.apply() outs (%f : !stencil.field<[0,64]xf64>) {
    %v = arith.constant 1.0 : f64
    stencil.return %v : f64
  } to <[0], [64]>
  return
}

// -----

// expected-error @below {{'builtin.module' op has no domain to resize}}
// expected-note @below {{the domain is what a program stores; one without a store has none}}
module {
  func.func @nothing_stored(%f: !stencil.field<[0,64]x[0,64]xf64>) {
    return
  }
}

// -----

// Margins of 4 cells on either side leave one of 9 points, and none of 7; 6 leave a point between margins of 3 and 2.
func.func @margins(%f: !stencil.field<[0,64]x[0,64]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<?x?xf64>) {
    %v = arith.constant 1.0 : f64
    stencil.return %v : f64
  }
  // expected-error @below {{'stencil.store' op would have no point left along dimension 1 of a domain of 7 points}}
  // expected-note @below {{margins keep their widths: they need an extent of at least 9}}
  stencil.store %r to %f(<[3, 4], [62, 60]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,64]x[0,64]xf64>
  %all = stencil.apply() -> (!stencil.temp<?x?xf64>) {
    %v = arith.constant 1.0 : f64
    stencil.return %v : f64
  }
  stencil.store %all to %f(<[0, 0], [64, 64]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,64]x[0,64]xf64>
  return
}

// -----

// Strips of 3 and 4 rows have no place next to each other on 6 rows.
func.func @strips(%f: !stencil.field<[0,64]x[0,64]xf64>) {
  %r, %q = stencil.apply() -> (!stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>) {
    %v = arith.constant 1.0 : f64
    stencil.return %v, %v : f64, f64
  }
  // expected-note @below {{the other bound, 0 to 3, stays}}
  stencil.store %r to %f(<[0, 0], [3, 64]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,64]x[0,64]xf64>
  // expected-error @below {{'stencil.store' op would pass another bound along dimension 0 of a domain of 6 points}}
  // expected-note @below {{margins keep their widths: they need an extent of at least 7}}
  stencil.store %q to %f(<[60, 0], [64, 64]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,64]x[0,64]xf64>
  return
}

// -----

func.func @unknown_bounds(%f: !stencil.field<?x?xf64>, %out: !stencil.field<[0,64]x[0,64]xf64>) {
  // expected-error @below {{'stencil.apply' op uses a field of unknown bounds}}
  // expected-note @below {{give the field bounds, or cast it to a field that has them}}
  %r = stencil.apply(%a = %f : !stencil.field<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %v = stencil.access %a[0, 0] : !stencil.field<?x?xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0, 0], [64, 64]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,64]x[0,64]xf64>
  return
}

// -----

// One field of lower rank that is a row here and a column there: both ends would have to move differently.
func.func @row_and_column(%c: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]x[0,64]xf64>) {
  stencil.apply(%a = %c : !stencil.field<[0,64]xf64>) outs (%out : !stencil.field<[0,64]x[0,64]xf64>) {
    %v = stencil.access %a[0, _] : !stencil.field<[0,64]xf64>
    // expected-error @below {{'stencil.access' op makes one dimension follow dimension 0 and dimension 1 of the domain}}
    // expected-note @below {{give both the same extents before and after, or use two fields}}
    %w = stencil.access %a[_, 0] : !stencil.field<[0,64]xf64>
    %x = arith.addf %v, %w : f64
    stencil.return %x : f64
  } to <[0, 0], [64, 64]>
  return
}

// -----

// Nothing reads what is stored here, so nothing says what its points are.
func.func @apart(%c: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]x[0,64]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<?x?xf64>) {
    %v = arith.constant 1.0 : f64
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0, 0], [64, 64]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,64]x[0,64]xf64>
  %s = stencil.apply() -> (!stencil.temp<?xf64>) {
    %v = arith.constant 1.0 : f64
    stencil.return %v : f64
  }
  // expected-error @below {{'stencil.store' op stores 1 of 2 dimensions, and it is unknown which of the domain's dimension 0 follows}}
  // expected-note @below {{access it from what is stored in all dimensions, or take it out}}
  stencil.store %s to %c(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// -----

func.func @looks_at_coordinates(%out: !stencil.field<[0,64]x[0,64]xf64>) {
  stencil.apply() outs (%out : !stencil.field<[0,64]x[0,64]xf64>) {
    // expected-error @below {{'stencil.index' op is used in a computation: the program may compute something else on this domain}}
    // expected-note @below {{give allow-index=true if the result is the same}}
    %i = stencil.index 0 <[0, 0]>
    %last = arith.constant 63 : index
    // expected-note @below {{it is used here}}
    %is_last = arith.cmpi eq, %i, %last : index
    %v = arith.uitofp %is_last : i1 to f64
    stencil.return %v : f64
  } to <[0, 0], [64, 64]>
  return
}

// -----

// A coordinate that runs over a column.
func.func @column_sum(%in: !stencil.field<[0,64]x[0,64]xf64>, %out: !stencil.field<[0,64]x[0,64]xf64>) {
  stencil.apply(%a = %in : !stencil.field<[0,64]x[0,64]xf64>) outs (%out : !stencil.field<[0,64]x[0,64]xf64>) {
    %first = arith.constant 0 : index
    %end = arith.constant 64 : index
    %one = arith.constant 1 : index
    %start = stencil.access %a[0, 0] : !stencil.field<[0,64]x[0,64]xf64>
    %j = stencil.index 1 <[0, 0]>
    %sum = scf.for %i = %first to %end step %one iter_args(%s = %start) -> (f64) {
      // expected-error @below {{'stencil.dyn_access' op computes its coordinate 0: the program may compute something else on this domain}}
      // expected-note @below {{give allow-index=true if the result is the same}}
      %v = stencil.dyn_access %a[%i, %j] in <[0, 0]> : <[63, 63]> attributes {absolute} : !stencil.field<[0,64]x[0,64]xf64>
      %n = arith.addf %s, %v : f64
      scf.yield %n : f64
    }
    stencil.return %sum : f64
  } to <[0, 0], [64, 64]>
  return
}

// -----

func.func @foreign(%m: memref<64x64xf64>) {
  // expected-error @below {{'stencil.external_load' op passes on a field or temp, but the semantics of 'stencil.external_load' are unknown}}
  // expected-note @below {{write the program with loads, stores, applies, loops and calls}}
  %f = stencil.external_load %m : memref<64x64xf64> -> !stencil.field<[0,64]x[0,64]xf64>
  stencil.apply() outs (%f : !stencil.field<[0,64]x[0,64]xf64>) {
    %v = arith.constant 1.0 : f64
    stencil.return %v : f64
  } to <[0, 0], [64, 64]>
  return
}

// -----

func.func private @elsewhere(!stencil.field<[0,64]x[0,64]xf64>)

func.func @declared(%f: !stencil.field<[0,64]x[0,64]xf64>) {
  // expected-error @below {{'func.call' op passes a field or temp to a function without a body}}
  // expected-note @below {{define the function in this module}}
  func.call @elsewhere(%f) : (!stencil.field<[0,64]x[0,64]xf64>) -> ()
  stencil.apply() outs (%f : !stencil.field<[0,64]x[0,64]xf64>) {
    %v = arith.constant 1.0 : f64
    stencil.return %v : f64
  } to <[0, 0], [64, 64]>
  return
}

// -----

func.func @unrolled(%out: !stencil.field<[0,64]x[0,64]xf64>) {
  stencil.apply() outs (%out : !stencil.field<[0,64]x[0,64]xf64>) {
    %v = arith.constant 1.0 : f64
    // expected-error @below {{'stencil.return' op unrolls dimension 1 by 2, but 7 points would be computed}}
    // expected-note @below {{make the extent a multiple of the factor}}
    stencil.return %v, %v unroll <[1, 2]> : f64, f64
  } to <[0, 0], [64, 64]>
  return
}

// -----

func.func @distributed(%in: !stencil.field<[0,64]x[0,64]xf64>, %out: !stencil.field<[0,64]x[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]x[0,64]xf64> -> !stencil.temp<?x?xf64>
  // expected-error @below {{'dmp.swap' op names boxes that ranks exchange}}
  // expected-note @below {{resize before the tool that distributes the program}}
  %u = "dmp.swap"(%t) <{strategy = #dmp.grid_slice_2d<#dmp.topo<1x1>, false>, swaps = [#dmp.exchange<at [0, 0] size [1, 64] source offset [1, 0] to [-1, 0]>]}>
    : (!stencil.temp<?x?xf64>) -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%a = %u : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %v = stencil.access %a[0, 0] : !stencil.temp<?x?xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0, 0], [64, 64]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,64]x[0,64]xf64>
  return
}
