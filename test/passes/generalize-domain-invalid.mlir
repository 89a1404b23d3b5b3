// Programs whose extents cannot be given at run time, each reason once; those that resizing has are in its test.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --stencil-generalize-domain

// expected-error @below {{'builtin.module' op has no domain whose extents could be given}}
// expected-note @below {{the domain is what a program stores; one without a store has none}}
module {
  func.func @nothing_stored(%f: !stencil.field<[0,64]x[0,64]xf64>) {
    return
  }
}

// -----

func.func @unrolled(%f: !stencil.field<[0,64]x[0,64]xf64>) {
  stencil.apply() outs (%f : !stencil.field<[0,64]x[0,64]xf64>) {
    %v = arith.constant 1.0 : f64
    // expected-error @below {{'stencil.return' op unrolls dimension 1 by 2, which not every extent is a multiple of}}
    // expected-note @below {{compute one point; plans have 'points'}}
    stencil.return %v, %v unroll <[1, 2]> : f64, f64
  } to <[0, 0], [64, 64]>
  return
}

// -----

// Rows and columns are read by one table: their extents may differ.
func.func @transposed(%f: !stencil.field<[0,64]x[0,64]xf64>, %g: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %g : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?x?xf64>) {
    %x = stencil.access %a[0, _] : !stencil.temp<?xf64>
    // expected-error @below {{'stencil.access' op makes one dimension follow dimension 0 and dimension 1 of the domain}}
    // expected-note @below {{give both the same extents before and after, or use two fields}}
    %y = stencil.access %a[_, 0] : !stencil.temp<?xf64>
    %s = arith.addf %x, %y : f64
    stencil.return %s : f64
  }
  stencil.store %r to %f(<[0, 0], [64, 64]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,64]x[0,64]xf64>
  return
}

// -----

func.func @coordinates(%f: !stencil.field<[0,64]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    // expected-error @below {{'stencil.index' op is used in a computation: the program may compute something else on this domain}}
    // expected-note @below {{give allow-index=true if the result is the same}}
    %i = stencil.index 0 <[0]>
    // expected-note @below {{it is used here}}
    %n = arith.index_cast %i : index to i64
    %x = arith.sitofp %n : i64 to f64
    stencil.return %x : f64
  }
  stencil.store %r to %f(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// -----

// expected-error @below {{'func.func' op has an argument 1 that begins at 60, in the upper half of dimension 0: other extents would move it}}
// expected-note @below {{let the field begin at a bound of the lower half}}
func.func @strip(%f: !stencil.field<[0,64]xf64>, %g: !stencil.field<[60,64]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %v = arith.constant 1.0 : f64
    stencil.return %v : f64
  }
  stencil.store %r to %f(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  stencil.store %r to %g(<[60], [64]>) : !stencil.temp<?xf64> to !stencil.field<[60,64]xf64>
  return
}
