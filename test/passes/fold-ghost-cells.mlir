// Ghost cells are computed where they are read; the last iterations fill them, in a loop of their own.
//
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-fold-ghost-cells | FileCheck %s
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-fold-ghost-cells --stencil-infer-bounds --stencil-fold-ghost-cells | FileCheck %s
// RUN: stencil-opt %s --stencil-fold-ghost-cells --remarks-filter-passed=stencil-fold-ghost-cells -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stencil-opt %s --stencil-fold-ghost-cells --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// Loops whose fills have no mark stay.
// RUN: stencil-opt %s --stencil-fold-ghost-cells=marked=true | FileCheck %s --check-prefix=MARKED
//
// DEFINE: %{function} =
// DEFINE: %{steps} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-infer-bounds,stencil-unify-applies,stencil-fold-ghost-cells,stencil-infer-bounds))' --seed=1 %{steps}
// DEFINE: %{opt} = stencil-opt %s --stencil-infer-bounds --stencil-fold-ghost-cells --stencil-infer-bounds -o %t.mlir
// DEFINE: %{kernels} = stencilc run %t.mlir --on=emulator --function=%{function} --verify --seed=1 %{steps}
// RUN: %{opt}
// REDEFINE: %{function} = mirrored
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = corners
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = far_ghosts
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = from_other_fields
// REDEFINE: %{steps} = --arg 3=0 --arg 4=0.75
// RUN: %{run}
// REDEFINE: %{steps} = --arg 3=1 --arg 4=0.75
// RUN: %{run}
// REDEFINE: %{steps} = --arg 3=2 --arg 4=0.75
// RUN: %{run}
// REDEFINE: %{steps} = --arg 3=5 --arg 4=0.75
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = in_place
// REDEFINE: %{steps} =
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = three_levels
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = behind
// REDEFINE: %{steps} = --arg 2=0
// RUN: %{run}
// REDEFINE: %{steps} = --arg 2=1
// RUN: %{run}
// REDEFINE: %{steps} = --arg 2=3
// RUN: %{run}
// REDEFINE: %{steps} = --arg 2=8
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = behind_in_place
// REDEFINE: %{steps} =
// RUN: %{run}
// RUN: %{kernels}

!line = !stencil.field<[-1,9]xf64>
!row = !stencil.temp<[-1,9]xf64>

// COUNT: num-fills
// COUNT: num-folded

// MARKED-LABEL: func.func @mirrored
// MARKED: stencil.stage = "low"
// MARKED: stencil.stage = "high"
// MARKED-NOT: scf.for
// MARKED: return

// The number of steps, of which the last two fill ghost cells.
//
// CHECK-LABEL: func.func @mirrored
// CHECK: %[[N:.*]] = arith.constant {stencil.time_steps = 1 : i64} 5 : index
// CHECK: %[[R:.*]] = arith.constant 2 : index
// CHECK: %[[LESS:.*]] = arith.subi %[[N]], %[[R]]
// CHECK: %[[FIRST:.*]] = arith.maxsi %[[LESS]]
// CHECK: scf.for
// CHECK-NEXT: stencil.load %[[NOW:.*]] :
// CHECK-NEXT: stencil.apply(%[[T:[^ ]*]] =
// CHECK: %[[ONE:.*]] = stencil.access %[[T]][0]
// CHECK: %[[LEFT:.*]] = stencil.access %[[T]][-1]
// CHECK: stencil.index 0
// CHECK: %[[END:.*]] = arith.constant 1 : index
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi slt, %{{.*}}, %[[END]]
// CHECK: arith.select %[[IS_FIRST]], %[[ONE]], %[[LEFT]]
// CHECK: %[[LAST:.*]] = arith.constant 7 : index
// CHECK: arith.cmpi sge, %{{.*}}, %[[LAST]]
// CHECK: arith.select
// CHECK: stencil.store
// CHECK-NEXT: scf.yield
// CHECK: {stencil.continued}
// CHECK: scf.for
// CHECK: stencil.stage = "low_last"
// CHECK: stencil.stage = "high_last"
// CHECK: stencil.stage = "step_last"
// REMARK: remark: {{.*}}computes the ghost cells of 2 fills where it reads them
func.func @mirrored(%u: !line, %v: !line) {
  %first = arith.constant 0 : index
  %steps = arith.constant 5 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!line, !line) {
    %for_low = stencil.load %now : !line -> !row
    %low = stencil.apply(%t = %for_low : !row) -> (!stencil.temp<[-1,0]xf64>)
        attributes {stencil.stage = "low"} {
      %inside = stencil.access %t[1] : !row
      stencil.return %inside : f64
    }
    stencil.store %low to %now(<[-1], [0]>) : !stencil.temp<[-1,0]xf64> to !line
    %for_high = stencil.load %now : !line -> !row
    %high = stencil.apply(%t = %for_high : !row) -> (!stencil.temp<[8,9]xf64>)
        attributes {stencil.stage = "high"} {
      %inside = stencil.access %t[-1] : !row
      stencil.return %inside : f64
    }
    stencil.store %high to %now(<[8], [9]>) : !stencil.temp<[8,9]xf64> to !line
    %values = stencil.load %now : !line -> !row
    %stepped = stencil.apply(%t = %values : !row) -> (!stencil.temp<[0,8]xf64>)
        attributes {stencil.stage = "step"} {
      %left = stencil.access %t[-1] : !row
      %right = stencil.access %t[1] : !row
      %sum = arith.addf %left, %right : f64
      %half = arith.constant 0.5 : f64
      %new = arith.mulf %sum, %half : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !line
    scf.yield %next, %now : !line, !line
  }
  return
}

!field = !stencil.field<[-1,9]x[-1,7]xf64>
!temp = !stencil.temp<?x?xf64>

// A corner is what one wall makes of what the other makes of a cell inside: two choices.
//
// CHECK-LABEL: func.func @corners
// CHECK: scf.for
// CHECK: stencil.access %{{.*}}[0, 0]
// CHECK: arith.negf
// CHECK: arith.select
// CHECK: arith.select
// CHECK: arith.select
// CHECK: {stencil.continued}
func.func @corners(%u: !field, %v: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 6 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %for_y = stencil.load %now : !field -> !temp
    %y = stencil.apply(%t = %for_y : !temp) -> (!temp) {
      %inside = stencil.access %t[1, 0] : !temp
      %turned = arith.negf %inside : f64
      stencil.return %turned : f64
    }
    stencil.store %y to %now(<[-1, 0], [0, 6]>) : !temp to !field
    %for_x = stencil.load %now : !field -> !temp
    %x = stencil.apply(%t = %for_x : !temp) -> (!temp) {
      %inside = stencil.access %t[0, 1] : !temp
      stencil.return %inside : f64
    }
    stencil.store %x to %now(<[-1, -1], [8, 0]>) : !temp to !field
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %corner = stencil.access %t[-1, -1] : !temp
      %here = stencil.access %t[0, 0] : !temp
      %far = stencil.access %t[1, 1] : !temp
      %sum = arith.addf %corner, %here : f64
      %all = arith.addf %sum, %far : f64
      %part = arith.constant 0.25 : f64
      %new = arith.mulf %all, %part : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[0, 0], [8, 6]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

!wide = !stencil.field<[-2,14]xf64>
!wide_row = !stencil.temp<?xf64>

// Ghost cells two away, each filled from its own mirror; the last ones hold a constant.
//
// CHECK-LABEL: func.func @far_ghosts
// CHECK: scf.for
// CHECK: {stencil.continued}
func.func @far_ghosts(%u: !wide, %v: !wide) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!wide, !wide) {
    %for_near = stencil.load %now : !wide -> !wide_row
    %near = stencil.apply(%t = %for_near : !wide_row) -> (!wide_row) {
      %inside = stencil.access %t[1] : !wide_row
      stencil.return %inside : f64
    }
    stencil.store %near to %now(<[-1], [0]>) : !wide_row to !wide
    %for_far = stencil.load %now : !wide -> !wide_row
    %far = stencil.apply(%t = %for_far : !wide_row) -> (!wide_row) {
      %inside = stencil.access %t[3] : !wide_row
      stencil.return %inside : f64
    }
    stencil.store %far to %now(<[-2], [-1]>) : !wide_row to !wide
    %rest = stencil.apply() -> (!wide_row) {
      %cold = arith.constant 0.5 : f64
      stencil.return %cold : f64
    }
    stencil.store %rest to %now(<[12], [14]>) : !wide_row to !wide
    %values = stencil.load %now : !wide -> !wide_row
    %stepped = stencil.apply(%t = %values : !wide_row) -> (!wide_row) {
      %left = stencil.access %t[-2] : !wide_row
      %near_left = stencil.access %t[-1] : !wide_row
      %right = stencil.access %t[2] : !wide_row
      %one_side = arith.addf %left, %near_left : f64
      %sum = arith.addf %one_side, %right : f64
      %part = arith.constant 0.25 : f64
      %new = arith.mulf %sum, %part : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[0], [12]>) : !wide_row to !wide
    scf.yield %next, %now : !wide, !wide
  }
  return
}

// Fills read a coefficient, coordinates and numbers; the number of iterations is an argument.
//
// CHECK-LABEL: func.func @from_other_fields
// CHECK: arith.divsi
// CHECK: arith.maxsi {{.*}}stencil.time_steps = 1
// CHECK: scf.for
// CHECK: stencil.index 0
// CHECK: {stencil.continued}
func.func @from_other_fields(%u: !wide, %v: !wide, %c: !wide, %steps: index, %number: f64) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %coefficients = stencil.load %c : !wide -> !wide_row
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!wide, !wide) {
    %for_low = stencil.load %now : !wide -> !wide_row
    %twice = arith.addf %number, %number : f64
    %low = stencil.apply(%t = %for_low : !wide_row, %d = %coefficients : !wide_row,
        %n = %twice : f64) -> (!wide_row) {
      %inside = stencil.access %t[1] : !wide_row
      %factor = stencil.access %d[0] : !wide_row
      %place = stencil.index 0 <[3]>
      %integer = arith.index_cast %place : index to i64
      %coordinate = arith.sitofp %integer : i64 to f64
      %product = arith.mulf %inside, %factor : f64
      %more = arith.addf %product, %coordinate : f64
      %all = arith.addf %more, %n : f64
      stencil.return %all : f64
    }
    stencil.store %low to %now(<[-1], [0]>) : !wide_row to !wide
    %values = stencil.load %now : !wide -> !wide_row
    %stepped = stencil.apply(%t = %values : !wide_row) -> (!wide_row) {
      %left = stencil.access %t[-1] : !wide_row
      %right = stencil.access %t[0] : !wide_row
      %sum = arith.addf %left, %right : f64
      %half = arith.constant 0.5 : f64
      %new = arith.mulf %sum, %half : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[0], [12]>) : !wide_row to !wide
    scf.yield %next, %now : !wide, !wide
  }
  return
}

// A field that is stored in place: its last iteration alone fills ghost cells.
//
// CHECK-LABEL: func.func @in_place
// CHECK: arith.constant {stencil.time_steps = 1 : i64} 4
// CHECK: %[[LAST:.*]] = arith.constant 1 : index
// CHECK: arith.subi %{{.*}}, %[[LAST]]
// CHECK: scf.for
// CHECK: {stencil.continued}
func.func @in_place(%e: !wide, %h: !wide) {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    %for_low = stencil.load %h : !wide -> !wide_row
    %low = stencil.apply(%t = %for_low : !wide_row) -> (!wide_row) {
      %inside = stencil.access %t[1] : !wide_row
      stencil.return %inside : f64
    }
    stencil.store %low to %h(<[-1], [0]>) : !wide_row to !wide
    %e_old = stencil.load %e : !wide -> !wide_row
    %h_old = stencil.load %h : !wide -> !wide_row
    %e_new = stencil.apply(%a = %e_old : !wide_row, %b = %h_old : !wide_row) -> (!wide_row) {
      %here = stencil.access %a[0] : !wide_row
      %left = stencil.access %b[-1] : !wide_row
      %right = stencil.access %b[0] : !wide_row
      %flow = arith.subf %right, %left : f64
      %new = arith.addf %here, %flow : f64
      stencil.return %new : f64
    }
    stencil.store %e_new to %e(<[0], [12]>) : !wide_row to !wide
    %e_now = stencil.load %e : !wide -> !wide_row
    %h_new = stencil.apply(%a = %e_now : !wide_row, %b = %h_old : !wide_row) -> (!wide_row) {
      %here = stencil.access %b[0] : !wide_row
      %left = stencil.access %a[0] : !wide_row
      %new = arith.addf %here, %left : f64
      stencil.return %new : f64
    }
    stencil.store %h_new to %h(<[0], [12]>) : !wide_row to !wide
  }
  return
}

// Three fields take turns: the last three iterations fill their ghost cells.
//
// CHECK-LABEL: func.func @three_levels
// CHECK: arith.constant {stencil.time_steps = 1 : i64} 6
// CHECK: arith.constant 3 : index
// CHECK: {stencil.continued}
func.func @three_levels(%u: !wide, %v: !wide, %w: !wide) {
  %first = arith.constant 0 : index
  %steps = arith.constant 6 : index
  %one = arith.constant 1 : index
  %end:3 = scf.for %step = %first to %steps step %one
      iter_args(%before = %u, %now = %v, %next = %w) -> (!wide, !wide, !wide) {
    %for_low = stencil.load %now : !wide -> !wide_row
    %low = stencil.apply(%t = %for_low : !wide_row) -> (!wide_row) {
      %inside = stencil.access %t[1] : !wide_row
      stencil.return %inside : f64
    }
    stencil.store %low to %now(<[-1], [0]>) : !wide_row to !wide
    %past = stencil.load %before : !wide -> !wide_row
    %values = stencil.load %now : !wide -> !wide_row
    %stepped = stencil.apply(%p = %past : !wide_row, %t = %values : !wide_row) -> (!wide_row) {
      %old = stencil.access %p[0] : !wide_row
      %left = stencil.access %t[-1] : !wide_row
      %new = arith.subf %left, %old : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[0], [12]>) : !wide_row to !wide
    scf.yield %now, %next, %before : !wide, !wide, !wide
  }
  return
}

// Ghost cells that are filled behind the statement, for the next iteration: the first iteration
// reads what the fields held before.
//
// CHECK-LABEL: func.func @behind
// CHECK: arith.minsi
// CHECK: scf.for
// CHECK: stencil.stage = "step_first"
// CHECK: stencil.stage = "mirror_first"
// CHECK: scf.for
// CHECK-NOT: stencil.stage = "mirror"
// CHECK: stencil.stage = "step"
// CHECK: arith.select
// CHECK: {stencil.continued}
// CHECK: stencil.stage = "mirror_last"
func.func @behind(%u: !wide, %v: !wide, %steps: index) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!wide, !wide) {
    %values = stencil.load %now : !wide -> !wide_row
    %stepped = stencil.apply(%t = %values : !wide_row) -> (!wide_row)
        attributes {stencil.stage = "step"} {
      %left = stencil.access %t[-1] : !wide_row
      %right = stencil.access %t[1] : !wide_row
      %sum = arith.addf %left, %right : f64
      %half = arith.constant 0.5 : f64
      %new = arith.mulf %sum, %half : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[0], [12]>) : !wide_row to !wide
    %for_low = stencil.load %next : !wide -> !wide_row
    %low = stencil.apply(%t = %for_low : !wide_row) -> (!wide_row)
        attributes {stencil.stage = "mirror"} {
      %inside = stencil.access %t[1] : !wide_row
      stencil.return %inside : f64
    }
    stencil.store %low to %next(<[-1], [0]>) : !wide_row to !wide
    %rest = stencil.apply() -> (!wide_row) attributes {stencil.stage = "cold"} {
      %cold = arith.constant 0.5 : f64
      stencil.return %cold : f64
    }
    stencil.store %rest to %next(<[12], [14]>) : !wide_row to !wide
    scf.yield %next, %now : !wide, !wide
  }
  return
}

// The same in fields that are stored in place.
//
// CHECK-LABEL: func.func @behind_in_place
// CHECK: {stencil.continued}
func.func @behind_in_place(%e: !wide, %h: !wide) {
  %first = arith.constant 0 : index
  %steps = arith.constant 5 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    %e_old = stencil.load %e : !wide -> !wide_row
    %h_old = stencil.load %h : !wide -> !wide_row
    %e_new = stencil.apply(%a = %e_old : !wide_row, %b = %h_old : !wide_row) -> (!wide_row) {
      %here = stencil.access %a[0] : !wide_row
      %left = stencil.access %b[-1] : !wide_row
      %flow = arith.subf %here, %left : f64
      stencil.return %flow : f64
    }
    stencil.store %e_new to %e(<[0], [12]>) : !wide_row to !wide
    %e_now = stencil.load %e : !wide -> !wide_row
    %h_new = stencil.apply(%a = %e_now : !wide_row, %b = %h_old : !wide_row) -> (!wide_row) {
      %here = stencil.access %b[0] : !wide_row
      %other = stencil.access %a[0] : !wide_row
      %new = arith.addf %here, %other : f64
      stencil.return %new : f64
    }
    stencil.store %h_new to %h(<[0], [12]>) : !wide_row to !wide
    %for_low = stencil.load %h : !wide -> !wide_row
    %low = stencil.apply(%t = %for_low : !wide_row) -> (!wide_row) {
      %inside = stencil.access %t[1] : !wide_row
      stencil.return %inside : f64
    }
    stencil.store %low to %h(<[-1], [0]>) : !wide_row to !wide
  }
  return
}
