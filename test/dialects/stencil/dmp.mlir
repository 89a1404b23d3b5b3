// Halo exchanges between processes are unregistered ops, which are preserved.
//
// RUN: stencil-opt %s --allow-unregistered-dialect | stencil-opt --allow-unregistered-dialect --mlir-print-op-generic | stencil-opt --allow-unregistered-dialect | FileCheck %s

// On a temp, with what is sent where.
// CHECK-LABEL: func.func @temp
func.func @temp(%f: !stencil.field<[-4,68]x[-4,68]xf32>) {
  // CHECK: %[[T:.*]] = stencil.load
  %0 = stencil.load %f
    : !stencil.field<[-4,68]x[-4,68]xf32> -> !stencil.temp<[-1,65]x[-1,65]xf32>
  // CHECK: "dmp.swap"(%[[T]]) <{strategy = #dmp.grid_slice_2d<#dmp.topo<2x2>, false>, swaps = [#dmp.exchange<at [64, 0] size [1, 64] source offset [-1, 0] to [1, 0]>, #dmp.exchange<at [-1, 0] size [1, 64] source offset [1, 0] to [-1, 0]>]}> : (!stencil.temp<[-1,65]x[-1,65]xf32>) -> !stencil.temp<[-1,65]x[-1,65]xf32>
  %1 = "dmp.swap"(%0) <{
      strategy = #dmp.grid_slice_2d<#dmp.topo<2x2>, false>,
      swaps = [#dmp.exchange<at [64, 0] size [1, 64] source offset [-1, 0] to [1, 0]>,
               #dmp.exchange<at [-1, 0] size [1, 64] source offset [1, 0] to [-1, 0]>]}>
    : (!stencil.temp<[-1,65]x[-1,65]xf32>) -> !stencil.temp<[-1,65]x[-1,65]xf32>
  return
}

// On a field, without a result; properties and attributes of other ages.
// CHECK-LABEL: func.func @field
func.func @field(%f: !stencil.field<[-4,68]x[-4,68]x[0,8]xf32>) {
  // CHECK: "dmp.swap"(%{{.*}}) <{strategy = #dmp.grid_slice_3d<#dmp.topo<2x2x2>, false>, swaps = []}> : (!stencil.field<[-4,68]x[-4,68]x[0,8]xf32>) -> ()
  "dmp.swap"(%f) <{strategy = #dmp.grid_slice_3d<#dmp.topo<2x2x2>, false>, swaps = []}>
    : (!stencil.field<[-4,68]x[-4,68]x[0,8]xf32>) -> ()
  // CHECK: "dmp.swap"(%{{.*}}) {domain = #dmp.shape_with_halo<[0,1,9,10]x[0,1,9,10]>, strategy = #dmp.grid_slice_2d<#dmp.topo<2x2>, false>, swaps = []} :
  "dmp.swap"(%f) {strategy = #dmp.grid_slice_2d<#dmp.topo<2x2>, false>, swaps = [],
                  domain = #dmp.shape_with_halo<[0,1,9,10]x[0,1,9,10]>}
    : (!stencil.field<[-4,68]x[-4,68]x[0,8]xf32>) -> ()
  return
}
