// Ghost cells that a loop fills for its next iteration, from fields that it loads behind the
// statement: the statement read what was loaded after it. Coefficients are loaded once more; what
// the loop changes, or computes behind the statement, keeps the fills.
//
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-fold-ghost-cells --remarks-filter-missed=stencil-fold-ghost-cells -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FOLDED < %t
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-infer-bounds,stencil-unify-applies,stencil-fold-ghost-cells,stencil-infer-bounds))' --seed=1
// REDEFINE: %{function} = coefficient
// RUN: %{run}
// REDEFINE: %{function} = unknown
// RUN: %{run}
// REDEFINE: %{function} = number
// RUN: %{run} --arg 2=0.75

!field = !stencil.field<[-2,14]xf64>
!temp = !stencil.temp<?xf64>

// FOLDED-LABEL: func.func @coefficient
// FOLDED: scf.for
// FOLDED: scf.for
// FOLDED: stencil.load %[[NOW:.*]] :
// FOLDED-NEXT: stencil.load %[[C:.*]] :
// FOLDED-NEXT: stencil.apply
// FOLDED: {stencil.continued}
func.func @coefficient(%u: !field, %v: !field, %c: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 5 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %left = stencil.access %t[-1] : !temp
      stencil.return %left : f64
    }
    stencil.store %stepped to %next(<[0], [12]>) : !temp to !field
    %coefficients = stencil.load %c : !field -> !temp
    %low = stencil.apply(%d = %coefficients : !temp) -> (!temp) {
      %wall = stencil.access %d[1] : !temp
      stencil.return %wall : f64
    }
    stencil.store %low to %next(<[-1], [0]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

// CHECK: remark: {{.*}}it fills ghost cells, for the next iteration, from a field that changes; fill them before the first statement
func.func @unknown(%u: !field, %v: !field, %w: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 5 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %left = stencil.access %t[-1] : !temp
      stencil.return %left : f64
    }
    stencil.store %stepped to %next(<[0], [12]>) : !temp to !field
    %before = stencil.load %w : !field -> !temp
    %other = stencil.apply(%t = %values : !temp, %b = %before : !temp) -> (!temp) {
      %here = stencil.access %t[0] : !temp
      %old = stencil.access %b[0] : !temp
      %sum = arith.addf %here, %old : f64
      stencil.return %sum : f64
    }
    stencil.store %other to %w(<[0], [12]>) : !temp to !field
    %changed = stencil.load %w : !field -> !temp
    %low = stencil.apply(%d = %changed : !temp) -> (!temp) {
      %wall = stencil.access %d[1] : !temp
      stencil.return %wall : f64
    }
    stencil.store %low to %next(<[-1], [0]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

// CHECK: remark: {{.*}}it fills ghost cells, for the next iteration, with a number of this one; fill them before the first statement
func.func @number(%u: !field, %v: !field, %number: f64) {
  %first = arith.constant 0 : index
  %steps = arith.constant 5 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %left = stencil.access %t[-1] : !temp
      stencil.return %left : f64
    }
    stencil.store %stepped to %next(<[0], [12]>) : !temp to !field
    %twice = arith.addf %number, %number : f64
    %low = stencil.apply(%n = %twice : f64) -> (!temp) {
      stencil.return %n : f64
    }
    stencil.store %low to %next(<[-1], [0]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
