// What an apply cannot compute of another one stays, and a remark says why.
//
// RUN: stencil-opt %s --allow-unregistered-dialect --stencil-inline-producers -o %t.after
// RUN: stencil-opt %s --allow-unregistered-dialect -o %t.before
// RUN: diff %t.before %t.after
// RUN: stencil-opt %s --allow-unregistered-dialect --stencil-inline-producers --remarks-filter-missed=stencil-inline-producers -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: stencil-opt %s --allow-unregistered-dialect --stencil-inline-producers --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
//
// COUNT: 10 {{.*}}num-declined

!temp = !stencil.temp<?xf64>
!plane = !stencil.temp<?x?xf64>
!line = !stencil.field<[-8,24]xf64>
!square = !stencil.field<[-4,12]x[-4,12]xf64>

// A buffer, a combine or an exchange of halos is there to keep the two apart.
// CHECK: remark: {{.*}}Function=walls{{.*}}stencil.buffer separates an apply from its reader
// CHECK: remark: {{.*}}Function=walls{{.*}}stencil.combine separates an apply from its reader
// CHECK: remark: {{.*}}Function=walls{{.*}}dmp.swap separates an apply from its reader
func.func @walls(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !temp
  %p:4 = stencil.apply(%a = %t : !temp) -> (!temp, !temp, !temp, !temp) {
    %x = stencil.access %a[0] : !temp
    stencil.return %x, %x, %x, %x : f64, f64, f64, f64
  }
  %b = stencil.buffer %p#0 : !temp -> !temp
  %c = stencil.combine 0 at 4 lower = (%p#1 : !temp) upper = (%p#2 : !temp) : !temp
  %s = "dmp.swap"(%p#3) {swaps = []} : (!temp) -> !temp
  %q = stencil.apply(%a = %b : !temp) -> (!temp) {
    %x = stencil.access %a[1] : !temp
    stencil.return %x : f64
  }
  %r = stencil.apply(%a = %c : !temp, %d = %s : !temp) -> (!temp) {
    %x = stencil.access %a[1] : !temp
    %y = stencil.access %d[1] : !temp
    %z = arith.addf %x, %y : f64
    stencil.return %z : f64
  }
  stencil.store %q to %out(<[0], [8]>) : !temp to !line
  stencil.store %r to %out(<[8], [16]>) : !temp to !line
  return
}

// CHECK: remark: {{.*}}Function=computed_coordinates{{.*}}reads another apply at computed coordinates
func.func @computed_coordinates(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    stencil.return %x : f64
  }
  %r = stencil.apply(%a = %p : !temp) -> (!temp) {
    %i = stencil.index 0 <[0]>
    %x = stencil.dyn_access %a[%i] in <[0]> : <[0]> : !temp
    stencil.return %x : f64
  }
  stencil.store %r to %out(<[0], [16]>) : !temp to !line
  return
}

// Which point of a group is meant depends on the reader's point.
// CHECK: remark: {{.*}}Function=unrolled{{.*}}reads an apply that computes several points at once
func.func @unrolled(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    %y = stencil.access %a[1] : !temp
    stencil.return %x, %y unroll <[2]> : f64, f64
  }
  %r = stencil.apply(%a = %p : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    stencil.return %x : f64
  }
  stencil.store %r to %out(<[0], [16]>) : !temp to !line
  return
}

// CHECK: remark: {{.*}}Function=points_left_out{{.*}}reads an apply with unwritten points
func.func @points_left_out(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    %half = arith.constant 0.5 : f64
    %large = arith.cmpf ogt, %x, %half : f64
    %kept = scf.if %large -> (!stencil.result<f64>) {
      %some = stencil.store_result %x : !stencil.result<f64>
      scf.yield %some : !stencil.result<f64>
    } else {
      %none = stencil.store_result : !stencil.result<f64>
      scf.yield %none : !stencil.result<f64>
    }
    stencil.return %kept : !stencil.result<f64>
  }
  %r = stencil.apply(%a = %p : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    stencil.return %x : f64
  }
  stencil.store %r to %out(<[0], [16]>) : !temp to !line
  return
}

// What an assertion does would be done at every offset.
// CHECK: remark: {{.*}}Function=effects{{.*}}reads an apply that does more than compute values
func.func @effects(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    %half = arith.constant 0.5 : f64
    %large = arith.cmpf ogt, %x, %half : f64
    cf.assert %large, "small"
    stencil.return %x : f64
  }
  %r = stencil.apply(%a = %p : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    stencil.return %x : f64
  }
  stencil.store %r to %out(<[0], [16]>) : !temp to !line
  return
}

// CHECK: remark: {{.*}}Function=unknown_field{{.*}}reads an apply that reads a field of unknown bounds
func.func @unknown_field(%in: !stencil.field<?xf64>, %out: !line) {
  %p = stencil.apply(%a = %in : !stencil.field<?xf64>) -> (!temp) {
    %x = stencil.access %a[0] : !stencil.field<?xf64>
    stencil.return %x : f64
  }
  %r = stencil.apply(%a = %p : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    stencil.return %x : f64
  }
  stencil.store %r to %out(<[0], [16]>) : !temp to !line
  return
}

// A read near the point needs an operand of the reader's rank.
// CHECK: remark: {{.*}}Function=lower_rank{{.*}}has more dimensions than an apply that reads at computed coordinates
func.func @lower_rank(%in: !line, %out: !square) {
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %i = stencil.index 0 <[0]>
    %x = stencil.dyn_access %a[%i] in <[0]> : <[0]> : !temp
    stencil.return %x : f64
  }
  %r = stencil.apply(%a = %p : !temp) -> (!plane) {
    %x = stencil.access %a[_, 0] : !temp
    stencil.return %x : f64
  }
  stencil.store %r to %out(<[0, 0], [8, 8]>) : !plane to !square
  return
}

// What is computed once before a loop would be computed in each iteration.
// CHECK: remark: {{.*}}Function=outside_of_a_loop{{.*}}reads an apply that is outside of a loop around the reader
func.func @outside_of_a_loop(%in: !line, %n: index, %out: !line) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    stencil.return %x : f64
  }
  scf.for %time = %zero to %n step %one {
    %r = stencil.apply(%a = %p : !temp) -> (!temp) {
      %x = stencil.access %a[0] : !temp
      stencil.return %x : f64
    }
    stencil.store %r to %out(<[0], [16]>) : !temp to !line
  }
  return
}
