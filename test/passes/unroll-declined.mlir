// What cannot be unrolled stays as it is, and a remark says why.
//
// RUN: stencil-opt %s --stencil-unroll=unroll-factor=2,4 -o %t.after
// RUN: stencil-opt %s -o %t.before
// RUN: diff %t.before %t.after
// RUN: stencil-opt %s --stencil-unroll=unroll-factor=2,4 --remarks-filter-missed=stencil-unroll -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: stencil-opt %s --stencil-unroll=unroll-factor=2,4 --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// Where all factors are ones there is nothing to say.
// RUN: stencil-opt %s --stencil-unroll=unroll-factor=1 --remarks-filter-missed=stencil-unroll 2>&1 | FileCheck %s --check-prefix=ONES --implicit-check-not=remark: --implicit-check-not='unroll <[1'
//
// COUNT: 3 {{.*}}num-declined
// ONES: func.func @unknown_bounds

!line = !stencil.field<[0,18]xf64>

// CHECK: remark: {{.*}}Function=unknown_bounds{{.*}}has unknown bounds: run stencil-infer-bounds first
func.func @unknown_bounds(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[0] : !stencil.temp<?xf64>
    stencil.return %x : f64
  }
  stencil.store %r to %out(<[0], [16]>) : !stencil.temp<?xf64> to !line
  return
}

// 18 is no multiple of 4: more points than asked for would read more than there is.
// CHECK: remark: {{.*}}Function=odd_extent{{.*}}has 18 points in dimension 0, not a multiple of the factor 4
func.func @odd_extent(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !stencil.temp<[0,18]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,18]xf64>) -> (!stencil.temp<[0,18]xf64>) {
    %x = stencil.access %a[0] : !stencil.temp<[0,18]xf64>
    stencil.return %x : f64
  }
  stencil.store %r to %out(<[0], [18]>) : !stencil.temp<[0,18]xf64> to !line
  return
}

// CHECK: remark: {{.*}}Function=unrolled_already{{.*}}already computes several points
func.func @unrolled_already(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !stencil.temp<[0,16]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,16]xf64>) -> (!stencil.temp<[0,16]xf64>) {
    %x = stencil.access %a[0] : !stencil.temp<[0,16]xf64>
    %y = stencil.access %a[1] : !stencil.temp<[0,16]xf64>
    stencil.return %x, %y unroll <[2]> : f64, f64
  }
  stencil.store %r to %out(<[0], [16]>) : !stencil.temp<[0,16]xf64> to !line
  return
}
