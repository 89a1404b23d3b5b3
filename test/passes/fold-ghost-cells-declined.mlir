// Loops that keep their fills of ghost cells, each with its reason.
//
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-fold-ghost-cells --remarks-filter-missed=stencil-fold-ghost-cells -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAME --implicit-check-not=continued < %t

!field = !stencil.field<[-2,14]xf64>
!temp = !stencil.temp<?xf64>

// SAME-LABEL: func.func @before_and_after
// SAME: scf.for
// CHECK: remark: {{.*}}it fills ghost cells before and after its statements; fill all of them before the first statement
func.func @before_and_after(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %cold = stencil.apply() -> (!temp) {
      %zero = arith.constant 0.0 : f64
      stencil.return %zero : f64
    }
    stencil.store %cold to %now(<[-1], [0]>) : !temp to !field
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %left = stencil.access %t[-1] : !temp
      stencil.return %left : f64
    }
    stencil.store %stepped to %next(<[0], [12]>) : !temp to !field
    %for_high = stencil.load %next : !field -> !temp
    %high = stencil.apply(%t = %for_high : !temp) -> (!temp) {
      %inside = stencil.access %t[-1] : !temp
      stencil.return %inside : f64
    }
    stencil.store %high to %next(<[12], [13]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

// The cells at -2 are read, and filled after the statement that reads them.
//
// CHECK: remark: {{.*}}it reads ghost cells that the iteration has not filled before; fill all ghost cells before the first statement
func.func @too_late(%u: !field, %v: !field, %w: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %other = stencil.apply(%t = %values : !temp) -> (!temp) {
      %left = stencil.access %t[-2] : !temp
      stencil.return %left : f64
    }
    stencil.store %other to %w(<[0], [12]>) : !temp to !field
    %low = stencil.apply() -> (!temp) {
      %cold = arith.constant 0.5 : f64
      stencil.return %cold : f64
    }
    stencil.store %low to %now(<[-2], [0]>) : !temp to !field
    %filled = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %filled : !temp) -> (!temp) {
      %left = stencil.access %t[-1] : !temp
      stencil.return %left : f64
    }
    stencil.store %stepped to %next(<[0], [12]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

// Ghost cells that are filled from others, of which only an earlier iteration knows.
//
// CHECK: remark: {{.*}}it reads ghost cells that the iteration has not filled before
func.func @from_before(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %for_far = stencil.load %now : !field -> !temp
    %far = stencil.apply(%t = %for_far : !temp) -> (!temp) {
      %beside = stencil.access %t[1] : !temp
      stencil.return %beside : f64
    }
    stencil.store %far to %now(<[-2], [-1]>) : !temp to !field
    %for_near = stencil.load %now : !field -> !temp
    %near = stencil.apply(%t = %for_near : !temp) -> (!temp) {
      %beside = stencil.access %t[1] : !temp
      stencil.return %beside : f64
    }
    stencil.store %near to %now(<[-1], [0]>) : !temp to !field
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %left = stencil.access %t[-1] : !temp
      stencil.return %left : f64
    }
    stencil.store %stepped to %next(<[0], [12]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

// Points that are computed and overwritten at once.
//
// CHECK: remark: {{.*}}it stores to points of a field twice; store each point once an iteration
func.func @inside(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %source = stencil.apply() -> (!temp) {
      %hot = arith.constant 0.5 : f64
      stencil.return %hot : f64
    }
    stencil.store %source to %now(<[3], [4]>) : !temp to !field
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %left = stencil.access %t[-1] : !temp
      stencil.return %left : f64
    }
    stencil.store %stepped to %next(<[0], [12]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

// The mirror of a cell is three away: at the other end of the points no field has that cell.
//
// CHECK: remark: {{.*}}it fills ghost cells from cells that other points do not have; give the field as many ghost cells on the other side
func.func @no_room(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %for_low = stencil.load %now : !field -> !temp
    %low = stencil.apply(%t = %for_low : !temp) -> (!temp) {
      %inside = stencil.access %t[4] : !temp
      stencil.return %inside : f64
    }
    stencil.store %low to %now(<[-1], [0]>) : !temp to !field
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %left = stencil.access %t[-1] : !temp
      stencil.return %left : f64
    }
    stencil.store %stepped to %next(<[0], [12]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

// A fill of the next iteration's ghost cells from values that the statement has overwritten.
//
// CHECK: remark: {{.*}}it fills ghost cells, for the next iteration, from what it has overwritten; load the field behind its statement
func.func @from_overwritten(%u: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    %values = stencil.load %u : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %left = stencil.access %t[-1] : !temp
      stencil.return %left : f64
    }
    stencil.store %stepped to %u(<[0], [12]>) : !temp to !field
    %low = stencil.apply(%t = %values : !temp) -> (!temp) {
      %inside = stencil.access %t[1] : !temp
      stencil.return %inside : f64
    }
    stencil.store %low to %u(<[-1], [0]>) : !temp to !field
  }
  return
}
