// Tables that are read at coordinates computed from the time step limit it; the loop's bounds do not.
//
// RUN: stencil-opt %s --split-input-file --stencil-limit-time-steps | FileCheck %s
// RUN: stencil-opt %s --split-input-file --stencil-limit-time-steps --stencil-limit-time-steps | FileCheck %s
// RUN: stencilc run %s --on=interpreter --function=table --arg steps=7 --same-after='builtin.module(func.func(stencil-limit-time-steps))' --seed=1

!field = !stencil.field<[0,4]xf64>
!table = !stencil.field<[0,7]xf64>
!temp = !stencil.temp<[0,4]xf64>
!values = !stencil.temp<[0,7]xf64>
!row = !stencil.field<[-3,9]x[0,4]xf64>

// One table, read where the step is: for its seven cells.
// CHECK-LABEL: func.func @table(
// CHECK-SAME:    attributes {stencil.step_limits = [{argument = 1 : i64, first = 0 : i64, last = 6 : i64}]}
func.func @table(%u: !field, %s: !table, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %t = %zero to %steps step %one {
    %old = stencil.load %u : !field -> !temp
    %new = stencil.apply(%a = %old : !temp, %b = %s : !table, %time = %t : index) -> (!temp) {
      %x = stencil.access %a[0] : !temp
      %y = stencil.dyn_access %b[%time] in <[0]> : <[6]> attributes {absolute} : !table
      %sum = arith.addf %x, %y : f64
      stencil.return %sum : f64
    }
    stencil.store %new to %u(<[0], [4]>) : !temp to !field
  }
  return
}

// Two reads of one table, at the step before and, computed by the host, at twice the step: from 1
// on the former, to 3 the latter. The second table, of which a part is read, is named after it.
// CHECK-LABEL: func.func @linear(
// CHECK-SAME:    {stencil.step_limits = [{argument = 1 : i64, first = 1 : i64, last = 3 : i64},
// CHECK-SAME:                            {argument = 2 : i64, first = -1 : i64, last = 2 : i64}]}
func.func @linear(%u: !field, %s: !table, %r: !row, %steps: i32) {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : index
  %values = stencil.load %s : !table -> !values
  scf.for %t = %one to %steps step %one : i32 {
    %step = arith.index_cast %t : i32 to index
    %twice = arith.muli %step, %two : index
    %new = stencil.apply(%a = %values : !values, %b = %r : !row, %time = %t : i32, %double = %twice : index)
        -> (!temp) {
      %c1 = arith.constant 1 : i32
      %c4 = arith.constant 4 : index
      %before = arith.subi %time, %c1 : i32
      %cast = arith.index_cast %before : i32 to index
      %x = stencil.dyn_access %a[%cast] in <[0]> : <[6]> attributes {absolute} : !values
      %y = stencil.dyn_access %a[%double] in <[0]> : <[6]> attributes {absolute} : !values
      // From the end: 4 - 2t.
      %back = arith.subi %c4, %double : index
      %i = stencil.index 0 <[0]>
      %z = stencil.dyn_access %b[%back, %i] in <[0, 0]> : <[7, 3]> attributes {absolute} : !row
      %xy = arith.addf %x, %y : f64
      %sum = arith.addf %xy, %z : f64
      stencil.return %sum : f64
    }
    stencil.store %new to %u(<[0], [4]>) : !temp to !field
  }
  return
}

// Tables that are no arguments: what the program computes itself, and one of two that change places.
// CHECK-LABEL: func.func @no_argument(
// CHECK-SAME:    attributes {stencil.step_limits = [{first = 0 : i64, last = 4 : i64}]}
func.func @no_argument(%u: !field, %s: !table, %r: !table, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %read = stencil.load %s : !table -> !values
  %twice = stencil.apply(%a = %read : !values) -> (!values) {
    %x = stencil.access %a[0] : !values
    %y = arith.addf %x, %x : f64
    stencil.return %y : f64
  }
  %end:2 = scf.for %t = %zero to %steps step %one iter_args(%p = %s, %q = %r) -> (!table, !table) {
    %new = stencil.apply(%a = %twice : !values, %b = %p : !table, %time = %t : index) -> (!temp) {
      %two = arith.constant 2 : index
      %x = stencil.dyn_access %a[%time] in <[0]> : <[6]> attributes {absolute} : !values
      %later = arith.addi %time, %two : index
      %y = stencil.dyn_access %b[%later] in <[0]> : <[6]> attributes {absolute} : !table
      %sum = arith.addf %x, %y : f64
      stencil.return %sum : f64
    }
    stencil.store %new to %u(<[0], [4]>) : !temp to !field
    scf.yield %q, %p : !table, !table
  }
  return
}

// Not limited: what is read at some steps only, at other coordinates, or in a nested loop. What was
// stated before is gone.
// CHECK-LABEL: func.func @unlimited(
// CHECK-NOT:     stencil.step_limits
// CHECK:         return
func.func @unlimited(%u: !field, %s: !table, %steps: index, %at: index)
    attributes {stencil.step_limits = [{first = 0 : i64, last = 4 : i64}]} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %t = %zero to %steps step %one {
    %new = stencil.apply(%b = %s : !table, %time = %t : index, %place = %at : index) -> (!temp) {
      %seven = arith.constant 7 : index
      %none = arith.constant 0.0 : f64
      %early = arith.cmpi slt, %time, %seven : index
      %x = scf.if %early -> f64 {
        %inside = stencil.dyn_access %b[%time] in <[0]> : <[6]> attributes {absolute} : !table
        scf.yield %inside : f64
      } else {
        scf.yield %none : f64
      }
      %turn = arith.remsi %time, %seven : index
      %y = stencil.dyn_access %b[%turn] in <[0]> : <[6]> attributes {absolute} : !table
      %z = stencil.dyn_access %b[%place] in <[0]> : <[6]> attributes {absolute} : !table
      %xy = arith.addf %x, %y : f64
      %sum = arith.addf %xy, %z : f64
      stencil.return %sum : f64
    }
    stencil.store %new to %u(<[0], [4]>) : !temp to !field
    scf.for %n = %zero to %t step %one {
      %inner = stencil.apply(%b = %s : !table, %time = %t : index) -> (!temp) {
        %x = stencil.dyn_access %b[%time] in <[0]> : <[6]> attributes {absolute} : !table
        stencil.return %x : f64
      }
      stencil.store %inner to %u(<[0], [4]>) : !temp to !field
    }
  }
  return
}

// Nor where it is not known which of two loops is the time loop, nor in loops that compare without
// signs.
// CHECK-LABEL: func.func @two_loops(
// CHECK-NOT:     stencil.step_limits
// CHECK-LABEL: func.func @unsigned(
// CHECK-NOT:     stencil.step_limits
// CHECK:         return
func.func @two_loops(%u: !field, %s: !table, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %t = %zero to %steps step %one {
    %new = stencil.apply(%b = %s : !table, %time = %t : index) -> (!temp) {
      %x = stencil.dyn_access %b[%time] in <[0]> : <[6]> attributes {absolute} : !table
      stencil.return %x : f64
    }
    stencil.store %new to %u(<[0], [4]>) : !temp to !field
  }
  scf.for %t = %zero to %steps step %one {
  }
  return
}

func.func @unsigned(%u: !field, %s: !table, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for unsigned %t = %zero to %steps step %one {
    %new = stencil.apply(%b = %s : !table, %time = %t : index) -> (!temp) {
      %x = stencil.dyn_access %b[%time] in <[0]> : <[6]> attributes {absolute} : !table
      stencil.return %x : f64
    }
    stencil.store %new to %u(<[0], [4]>) : !temp to !field
  }
  return
}
