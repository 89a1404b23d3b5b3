// Dimensions that are always longer or shorter by as many points: a table may be read along both.
//
// RUN: stencil-opt %s --stencil-generalize-domain="alike=0,0" | FileCheck %s
// RUN: not stencil-opt %s --stencil-generalize-domain="alike=0,1" 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: 'stencil.access' op makes one dimension follow dimension 0 and dimension 1 of the domain
// RUN: not stencil-opt %s --stencil-generalize-domain="alike=0" 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: 'func.func' op has a domain of rank 2, whose dimensions are not alike [0]
// RANK: note: write for each dimension its own number or that of an earlier one, as in 0,0,2
// RUN: not stencil-opt %s --stencil-generalize-domain="alike=1,1" 2>&1 | FileCheck %s --check-prefix=LATER
// LATER: error: 'func.func' op has a domain of rank 2, whose dimensions are not alike [1, 1]
//
// CHECK-LABEL: func.func @profile
// CHECK-SAME:    !stencil.field<[0,64]xf64> {stencil.follows = array<i64: 0>}
// CHECK-SAME:    stencil.run_time_extents = {least = array<i64: 1, 1>, lower = array<i64: 0, 0>, upper = array<i64: 64, 64>}
func.func @profile(%f: !stencil.field<[0,64]x[0,64]xf64>, %g: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %g : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?x?xf64>) {
    %x = stencil.access %a[0, _] : !stencil.temp<?xf64>
    %y = stencil.access %a[_, 0] : !stencil.temp<?xf64>
    %s = arith.addf %x, %y : f64
    stencil.return %s : f64
  }
  stencil.store %r to %f(<[0, 0], [64, 64]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,64]x[0,64]xf64>
  return
}
