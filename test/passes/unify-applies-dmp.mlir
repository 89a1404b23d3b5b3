// An exchange between processes that exchanges nothing is what went in.
//
// RUN: stencil-opt %s --allow-unregistered-dialect --stencil-unify-applies | FileCheck %s
// RUN: stencilc run %s --on=interpreter --function=no_swaps --same-after='builtin.module(func.func(stencil-unify-applies))' --seed=1

// The list of exchanges is empty, as on a grid of one process.
// CHECK-LABEL: func.func @no_swaps
// CHECK-NOT:     dmp.swap
func.func @no_swaps(%in: !stencil.field<[0,8]x[0,8]xf64>, %out: !stencil.field<[0,8]x[0,8]xf64>) {
  // CHECK: %[[T:.*]] = stencil.load
  %t = stencil.load %in : !stencil.field<[0,8]x[0,8]xf64> -> !stencil.temp<[0,8]x[0,8]xf64>
  %s = "dmp.swap"(%t) <{strategy = #dmp.grid_slice_2d<#dmp.topo<1x1>, false>, swaps = []}>
    : (!stencil.temp<[0,8]x[0,8]xf64>) -> !stencil.temp<[0,8]x[0,8]xf64>
  // CHECK: stencil.apply({{.*}} = %[[T]] :
  %r = stencil.apply(%a = %s : !stencil.temp<[0,8]x[0,8]xf64>) -> (!stencil.temp<[0,8]x[0,8]xf64>) {
    %v = stencil.access %a[0, 0] : !stencil.temp<[0,8]x[0,8]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0, 0], [8, 8]>) : !stencil.temp<[0,8]x[0,8]xf64> to !stencil.field<[0,8]x[0,8]xf64>
  return
}

// One process has nobody to exchange with.
// CHECK-LABEL: func.func @one_process
// CHECK-NOT:     dmp.swap
func.func @one_process(%f: !stencil.field<[0,8]x[0,8]xf64>) {
  "dmp.swap"(%f) <{strategy = #dmp.grid_slice_2d<#dmp.topo<1x1>, false>,
                   swaps = [#dmp.exchange<at [4, 0] size [1, 4] source offset [-1, 0] to [1, 0]>]}>
    : (!stencil.field<[0,8]x[0,8]xf64>) -> ()
  return
}
