// Applies that cannot be brought into one form, each reason once.
//
// RUN: stencil-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --stencil-unify-applies

func.func @exchange(%f: !stencil.field<[0,8]x[0,8]xf64>) {
  // expected-error @below {{'dmp.swap' op exchanges halos between ranks}}
  // expected-note @below {{this compiler runs one rank; distribute with a tool that has MPI, and compile each rank's kernels}}
  "dmp.swap"(%f) <{strategy = #dmp.grid_slice_2d<#dmp.topo<1x2>, false>,
                   swaps = [#dmp.exchange<at [4, 0] size [1, 4] source offset [-1, 0] to [1, 0]>]}>
    : (!stencil.field<[0,8]x[0,8]xf64>) -> ()
  return
}

// -----

func.func @unknown_field(%in: !stencil.field<?xf64>, %out: !stencil.field<[0,64]xf64>) {
  // expected-error @below {{'stencil.apply' op reads a field of unknown bounds}}
  // expected-note @below {{give the field bounds, or cast it to a field that has them}}
  stencil.apply(%a = %in : !stencil.field<?xf64>) outs (%out : !stencil.field<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.field<?xf64>
    stencil.return %v : f64
  } to <[0], [64]>
  return
}

// -----

func.func @memory_without_bounds(%in: !stencil.field<[0,64]xf64>) -> !stencil.field<?xf64> {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %p = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    stencil.return %v : f64
  }
  // expected-error @below {{'stencil.buffer' op is memory of unknown bounds}}
  // expected-note @below {{give the types of the temp and of the field bounds}}
  %b = stencil.buffer %p : !stencil.temp<?xf64> -> !stencil.field<?xf64>
  return %b : !stencil.field<?xf64>
}
