// Copies that stay in memory, each with its reason.
//
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-unify-applies --stencil-forward-copies --remarks-filter-missed=stencil-forward-copies -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAME --implicit-check-not=absolute < %t

!row = !stencil.field<[0,16]xf64>
!own = !stencil.field<[-2,17]xf64>
!temp = !stencil.temp<?xf64>

// The field that was copied changes before a statement reads the copy.
//
// SAME-LABEL: func.func @stored_afterwards
// SAME: stencil.alloc
// CHECK: remark: {{.*}}stays in memory: it is a copy of a field that is stored afterwards; store to another field
func.func @stored_afterwards(%in: !row, %out: !row) {
  %own = stencil.alloc : !own
  %values = stencil.load %in : !row -> !temp
  stencil.store %values to %own(<[0], [16]>) : !temp to !own
  %filled = stencil.load %own : !own -> !temp
  %new = stencil.apply(%x = %filled : !temp) -> (!temp) {
    %cell = stencil.access %x[0] : !temp
    %sum = arith.addf %cell, %cell : f64
    stencil.return %sum : f64
  }
  stencil.store %new to %in(<[0], [16]>) : !temp to !row
  %again = stencil.load %own : !own -> !temp
  %last = stencil.apply(%x = %again : !temp) -> (!temp) {
    %cell = stencil.access %x[0] : !temp
    %minus = arith.negf %cell : f64
    stencil.return %minus : f64
  }
  stencil.store %last to %out(<[0], [16]>) : !temp to !row
  return
}

// A fill computes something.
//
// SAME-LABEL: func.func @other_values
// SAME: stencil.alloc
// CHECK: remark: {{.*}}it has cells that are no copies of its own cells; it stays in memory
func.func @other_values(%in: !row, %out: !row) {
  %own = stencil.alloc : !own
  %values = stencil.load %in : !row -> !temp
  stencil.store %values to %own(<[0], [16]>) : !temp to !own
  %before = stencil.load %own : !own -> !temp
  %low = stencil.apply(%x = %before : !temp) -> (!temp) {
    %one = stencil.access %x[1] : !temp
    %two = stencil.access %x[2] : !temp
    %sum = arith.addf %one, %two : f64
    stencil.return %sum : f64
  }
  stencil.store %low to %own(<[-1], [0]>) : !temp to !own
  %filled = stencil.load %own : !own -> !temp
  %new = stencil.apply(%x = %filled : !temp) -> (!temp) {
    %left = stencil.access %x[-1] : !temp
    stencil.return %left : f64
  }
  stencil.store %new to %out(<[0], [16]>) : !temp to !row
  return
}

// A fill overwrites a point.
//
// SAME-LABEL: func.func @inside
// SAME: stencil.alloc
// CHECK: remark: {{.*}}it has cells that do not lie side by side around those that are copied; fill whole sides, one dimension after the other
func.func @inside(%in: !row, %out: !row) {
  %own = stencil.alloc : !own
  %values = stencil.load %in : !row -> !temp
  stencil.store %values to %own(<[0], [16]>) : !temp to !own
  %held = stencil.apply() -> (!temp) {
    %number = arith.constant 1.0 : f64
    stencil.return %number : f64
  }
  stencil.store %held to %own(<[0], [1]>) : !temp to !own
  %filled = stencil.load %own : !own -> !temp
  %new = stencil.apply(%x = %filled : !temp) -> (!temp) {
    %cell = stencil.access %x[0] : !temp
    %minus = arith.negf %cell : f64
    stencil.return %minus : f64
  }
  stencil.store %new to %out(<[0], [16]>) : !temp to !row
  return
}

// A statement reads a ghost cell before it is filled.
//
// SAME-LABEL: func.func @too_early
// SAME: stencil.alloc
// CHECK: remark: {{.*}}it has cells that are read before they are filled; it stays in memory
func.func @too_early(%in: !row, %out: !row) {
  %own = stencil.alloc : !own
  %values = stencil.load %in : !row -> !temp
  stencil.store %values to %own(<[0], [16]>) : !temp to !own
  %before = stencil.load %own : !own -> !temp
  %new = stencil.apply(%x = %before : !temp) -> (!temp) {
    %right = stencil.access %x[1] : !temp
    stencil.return %right : f64
  }
  %high = stencil.apply(%x = %before : !temp) -> (!temp) {
    %cell = stencil.access %x[-1] : !temp
    stencil.return %cell : f64
  }
  stencil.store %high to %own(<[16], [17]>) : !temp to !own
  stencil.store %new to %out(<[0], [16]>) : !temp to !row
  return
}

// A time loop reads and writes the copy: its ghost cells are filled in each iteration.
//
// SAME-LABEL: func.func @in_a_loop
// SAME: stencil.alloc
// CHECK: remark: {{.*}}it is used in a loop or a branch; it stays in memory
func.func @in_a_loop(%in: !row, %out: !row) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 4 : index
  %own = stencil.alloc : !own
  %values = stencil.load %in : !row -> !temp
  stencil.store %values to %own(<[0], [16]>) : !temp to !own
  scf.for %step = %zero to %steps step %one {
    %now = stencil.load %own : !own -> !temp
    %new = stencil.apply(%x = %now : !temp) -> (!temp) {
      %cell = stencil.access %x[0] : !temp
      %minus = arith.negf %cell : f64
      stencil.return %minus : f64
    }
    stencil.store %new to %out(<[0], [16]>) : !temp to !row
  }
  return
}

// The loop reads what was loaded before it.
//
// SAME-LABEL: func.func @loaded_before_a_loop
// SAME: stencil.alloc
// CHECK: remark: {{.*}}it is read in a loop, or stored as it is; it stays in memory
func.func @loaded_before_a_loop(%in: !row, %out: !row) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 4 : index
  %own = stencil.alloc : !own
  %values = stencil.load %in : !row -> !temp
  stencil.store %values to %own(<[0], [16]>) : !temp to !own
  %now = stencil.load %own : !own -> !temp
  scf.for %step = %zero to %steps step %one {
    %new = stencil.apply(%x = %now : !temp) -> (!temp) {
      %cell = stencil.access %x[0] : !temp
      %minus = arith.negf %cell : f64
      stencil.return %minus : f64
    }
    stencil.store %new to %out(<[0], [16]>) : !temp to !row
  }
  return
}

// What is no copy of a field is not spoken of.
//
// SAME-LABEL: func.func @computed
// SAME: stencil.alloc
// CHECK-NOT: remark
func.func @computed(%in: !row, %out: !row) {
  %own = stencil.alloc : !own
  %values = stencil.load %in : !row -> !temp
  %double = stencil.apply(%x = %values : !temp) -> (!temp) {
    %cell = stencil.access %x[0] : !temp
    %sum = arith.addf %cell, %cell : f64
    stencil.return %sum : f64
  }
  stencil.store %double to %own(<[0], [16]>) : !temp to !own
  %filled = stencil.load %own : !own -> !temp
  %new = stencil.apply(%x = %filled : !temp) -> (!temp) {
    %cell = stencil.access %x[0] : !temp
    %minus = arith.negf %cell : f64
    stencil.return %minus : f64
  }
  stencil.store %new to %out(<[0], [16]>) : !temp to !row
  return
}
