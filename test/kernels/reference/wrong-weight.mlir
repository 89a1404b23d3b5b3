// The comparison with NumPy can fail: a weight that is off by a thousandth, a neighbour that is not one.
//
// REQUIRES: numpy
// RUN: split-file %s %t
// RUN: %python %S/check.py %t/right.mlir --kernel=j2d5pt | FileCheck %t/right.mlir
// RUN: not %python %S/check.py %t/weight.mlir --kernel=j2d5pt 2>&1 | FileCheck %t/weight.mlir
// RUN: not %python %S/check.py %t/neighbour.mlir --kernel=j2d5pt 2>&1 | FileCheck %t/neighbour.mlir
// RUN: not %python %S/check.py %t/right.mlir --kernel=curl 2>&1 | FileCheck %t/right.mlir --check-prefix=OTHER

//--- right.mlir
// CHECK: j2d5pt: 180 cells within the bound
// OTHER: check.py: curl: takes u, v, not x, y, z

!field = !stencil.field<[0,12]x[0,15]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @star(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %five = arith.constant 5.0 : f64
      %twelve = arith.constant 12.0 : f64
      %fifteen = arith.constant 15.0 : f64
      %divisor = arith.constant 118.0 : f64
      %c = stencil.access %t[0, 0] : !temp
      %ym = stencil.access %t[-1, 0] : !temp
      %yp = stencil.access %t[1, 0] : !temp
      %xm = stencil.access %t[0, -1] : !temp
      %xp = stencil.access %t[0, 1] : !temp
      // Another order than that of the formula.
      %y = arith.addf %ym, %yp : f64
      %x = arith.addf %xm, %xp : f64
      %py = arith.mulf %five, %y : f64
      %px = arith.mulf %twelve, %x : f64
      %pc = arith.mulf %fifteen, %c : f64
      %pxy = arith.addf %py, %px : f64
      %sum = arith.addf %pc, %pxy : f64
      %new = arith.divf %sum, %divisor : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[1, 1], [11, 14]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

//--- weight.mlir
// CHECK: check.py: j2d5pt: a cell is {{.*}} times as far from the formula as it may be

!field = !stencil.field<[0,12]x[0,15]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @star(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %five = arith.constant 5.0 : f64
      %twelve = arith.constant 12.001 : f64
      %fifteen = arith.constant 15.0 : f64
      %divisor = arith.constant 118.0 : f64
      %c = stencil.access %t[0, 0] : !temp
      %ym = stencil.access %t[-1, 0] : !temp
      %yp = stencil.access %t[1, 0] : !temp
      %xm = stencil.access %t[0, -1] : !temp
      %xp = stencil.access %t[0, 1] : !temp
      // Another order than that of the formula.
      %y = arith.addf %ym, %yp : f64
      %x = arith.addf %xm, %xp : f64
      %py = arith.mulf %five, %y : f64
      %px = arith.mulf %twelve, %x : f64
      %pc = arith.mulf %fifteen, %c : f64
      %pxy = arith.addf %py, %px : f64
      %sum = arith.addf %pc, %pxy : f64
      %new = arith.divf %sum, %divisor : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[1, 1], [11, 14]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

//--- neighbour.mlir
// CHECK: check.py: j2d5pt: a cell is {{.*}} times as far from the formula as it may be

!field = !stencil.field<[0,12]x[0,15]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @star(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %five = arith.constant 5.0 : f64
      %twelve = arith.constant 12.0 : f64
      %fifteen = arith.constant 15.0 : f64
      %divisor = arith.constant 118.0 : f64
      %c = stencil.access %t[0, 0] : !temp
      %ym = stencil.access %t[-1, 1] : !temp
      %yp = stencil.access %t[1, 0] : !temp
      %xm = stencil.access %t[0, -1] : !temp
      %xp = stencil.access %t[0, 1] : !temp
      // Another order than that of the formula.
      %y = arith.addf %ym, %yp : f64
      %x = arith.addf %xm, %xp : f64
      %py = arith.mulf %five, %y : f64
      %px = arith.mulf %twelve, %x : f64
      %pc = arith.mulf %fifteen, %c : f64
      %pxy = arith.addf %py, %px : f64
      %sum = arith.addf %pc, %pxy : f64
      %new = arith.divf %sum, %divisor : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[1, 1], [11, 14]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
