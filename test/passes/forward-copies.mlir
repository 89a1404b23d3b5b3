// Fields that are copied to memory with ghost cells are read where they were copied from.
//
// DEFINE: %{forward} = --stencil-infer-bounds --stencil-unify-applies --stencil-forward-copies
// RUN: stencil-opt %s %{forward} | FileCheck %s --implicit-check-not=stencil.alloc
// RUN: stencil-opt %s %{forward} --stencil-forward-copies | FileCheck %s --implicit-check-not=stencil.alloc
// RUN: stencil-opt %s %{forward} --remarks-filter-passed=stencil-forward-copies --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-forward-copies=plain=true | FileCheck %s --check-prefix=PLAIN
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-infer-bounds,stencil-unify-applies,stencil-forward-copies,stencil-infer-bounds))' --seed=1
// DEFINE: %{kernels} = stencilc run %s --on=emulator --function=%{function} --verify --seed=1
// REDEFINE: %{function} = mirrored
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = early
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = window
// RUN: %{run}
// RUN: %{kernels}

!row = !stencil.field<[0,16]xf64>
!own = !stencil.field<[-2,18]xf64>
!part = !stencil.field<[4,12]xf64>
!temp = !stencil.temp<?xf64>

// Two cells before the first mirror those behind it, whichever comes first in memory; the two behind
// the last hold the other end.
//
// PLAIN-LABEL: func.func @mirrored
// PLAIN:         stencil.alloc
// REMARK:      remark: [Passed] stencil-forward-copies {{.*}}is read where it is copied from, with 3 fills
// CHECK-LABEL: func.func @mirrored(
// CHECK-SAME:      %[[IN:[a-z0-9-]+]]: !stencil.field<[0,16]xf64>
// CHECK:         %[[CELLS:[a-z0-9-]+]] = stencil.apply(%[[FROM:[a-z0-9-]+]] = %[[IN]] : {{.*}}) -> (!stencil.temp<[-2,18]xf64>) attributes {stencil.stage = "copy"} {
// CHECK-NEXT:      %[[I:[a-z0-9-]+]] = stencil.index 0 <[0]>
// CHECK:           %[[LOW:[a-z0-9-]+]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK:           %[[MIRROR:[a-z0-9-]+]] = arith.constant -1 : index
// CHECK-NEXT:      %[[MIRRORED:[a-z0-9-]+]] = arith.subi %[[MIRROR]], %[[I]] : index
// CHECK-NEXT:      %[[INSIDE:[a-z0-9-]+]] = arith.select %[[LOW]], %[[MIRRORED]], %[[I]] : index
// CHECK:           %[[HIGH:[a-z0-9-]+]] = arith.cmpi sge, %{{.*}}, %{{.*}} : index
// CHECK:           %[[EXTENT:[a-z0-9-]+]] = arith.constant -16 : index
// CHECK-NEXT:      %[[OTHER:[a-z0-9-]+]] = arith.addi %[[I]], %[[EXTENT]] : index
// CHECK-NEXT:      %[[CELL:[a-z0-9-]+]] = arith.select %[[HIGH]], %[[OTHER]], %[[INSIDE]] : index
// CHECK-NEXT:      %[[VALUE:[a-z0-9-]+]] = stencil.dyn_access %[[FROM]][%[[CELL]]] in <[0]> : <[15]> attributes {absolute}
// CHECK-NEXT:      stencil.return %[[VALUE]] : f64
// CHECK:         stencil.apply(%{{.*}} = %[[CELLS]] :
func.func @mirrored(%in: !row, %out: !row) {
  %own = stencil.alloc : !own
  %values = stencil.load %in : !row -> !temp
  %copy = stencil.apply(%x = %values : !temp) -> (!temp) attributes {stencil.stage = "copy"} {
    %cell = stencil.access %x[0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %copy to %own(<[0], [16]>) : !temp to !own
  %before_one = stencil.load %own : !own -> !temp
  %one = stencil.apply(%x = %before_one : !temp) -> (!temp) {
    %cell = stencil.access %x[1] : !temp
    stencil.return %cell : f64
  }
  stencil.store %one to %own(<[-1], [0]>) : !temp to !own
  %before_two = stencil.load %own : !own -> !temp
  %two = stencil.apply(%x = %before_two : !temp) -> (!temp) {
    %cell = stencil.access %x[3] : !temp
    stencil.return %cell : f64
  }
  stencil.store %two to %own(<[-2], [-1]>) : !temp to !own
  %before_three = stencil.load %own : !own -> !temp
  %three = stencil.apply(%x = %before_three : !temp) -> (!temp) {
    %cell = stencil.access %x[-16] : !temp
    stencil.return %cell : f64
  }
  stencil.store %three to %own(<[16], [18]>) : !temp to !own
  %filled = stencil.load %own : !own -> !temp
  %new = stencil.apply(%x = %filled : !temp) -> (!temp) {
    %left = stencil.access %x[-2] : !temp
    %right = stencil.access %x[2] : !temp
    %sum = arith.addf %left, %right : f64
    stencil.return %sum : f64
  }
  stencil.store %new to %out(<[0], [16]>) : !temp to !row
  return
}

// A statement reads the points before the side is filled, with the load of what fills it. Ghost
// cells hold a number and the negative of a cell.
//
// REMARK:      remark: [Passed] stencil-forward-copies {{.*}}with 2 fills
// CHECK-LABEL: func.func @early(
// CHECK:         %[[CELLS:[a-z0-9-]+]] = stencil.apply
// CHECK:           %[[CELL:[a-z0-9-]+]] = stencil.dyn_access
// CHECK:           %[[MINUS:[a-z0-9-]+]] = arith.negf %[[CELL]] : f64
// CHECK:           %[[IS_LOW:[a-z0-9-]+]] = arith.andi
// CHECK-NEXT:      %[[EITHER:[a-z0-9-]+]] = arith.select %[[IS_LOW]], %[[MINUS]], %[[CELL]] : f64
// CHECK:           %[[NUMBER:[a-z0-9-]+]] = arith.constant 1.5{{.*}} : f64
// CHECK:           %[[VALUE:[a-z0-9-]+]] = arith.select %{{.*}}, %[[NUMBER]], %[[EITHER]] : f64
// CHECK-NEXT:      stencil.return %[[VALUE]] : f64
// CHECK:         %[[EARLY:[a-z0-9-]+]] = stencil.apply(%{{.*}} = %[[CELLS]] :
// CHECK:         stencil.apply(%{{.*}} = %[[CELLS]] : {{.*}}, %{{.*}} = %[[EARLY]] :
func.func @early(%in: !row, %out: !row) {
  %own = stencil.alloc : !own
  %values = stencil.load %in : !row -> !temp
  stencil.store %values to %own(<[0], [16]>) : !temp to !own
  %before = stencil.load %own : !own -> !temp
  %early = stencil.apply(%x = %before : !temp) -> (!temp) {
    %cell = stencil.access %x[0] : !temp
    %double = arith.addf %cell, %cell : f64
    stencil.return %double : f64
  }
  %low = stencil.apply(%x = %before : !temp) -> (!temp) {
    %cell = stencil.access %x[1] : !temp
    %minus = arith.negf %cell : f64
    stencil.return %minus : f64
  }
  stencil.store %low to %own(<[-1], [0]>) : !temp to !own
  %high = stencil.apply() -> (!temp) {
    %number = arith.constant 1.5 : f64
    stencil.return %number : f64
  }
  stencil.store %high to %own(<[16], [18]>) : !temp to !own
  %filled = stencil.load %own : !own -> !temp
  %new = stencil.apply(%x = %filled : !temp, %y = %early : !temp) -> (!temp) {
    %left = stencil.access %x[-1] : !temp
    %right = stencil.access %x[2] : !temp
    %own_cell = stencil.access %y[0] : !temp
    %sum = arith.addf %left, %right : f64
    %all = arith.addf %sum, %own_cell : f64
    stencil.return %all : f64
  }
  stencil.store %new to %out(<[0], [16]>) : !temp to !row
  return
}

// Part of a field, which lies elsewhere in it.
//
// CHECK-LABEL: func.func @window(
// CHECK:         stencil.dyn_access {{.*}} in <[5]> : <[12]> attributes {absolute}
// REMARK:      3 stencil-forward-copies num-forwarded
func.func @window(%in: !row, %out: !part) {
  %own = stencil.alloc : !own
  %values = stencil.load %in : !row -> !temp
  %copy = stencil.apply(%x = %values : !temp) -> (!temp) {
    %cell = stencil.access %x[1] : !temp
    stencil.return %cell : f64
  }
  stencil.store %copy to %own(<[4], [12]>) : !temp to !own
  %before = stencil.load %own : !own -> !temp
  %edge = stencil.apply(%x = %before : !temp) -> (!temp) {
    %cell = stencil.access %x[-1] : !temp
    stencil.return %cell : f64
  }
  stencil.store %edge to %own(<[12], [13]>) : !temp to !own
  %filled = stencil.load %own : !own -> !temp
  %new = stencil.apply(%x = %filled : !temp) -> (!temp) {
    %right = stencil.access %x[1] : !temp
    stencil.return %right : f64
  }
  stencil.store %new to %out(<[4], [12]>) : !temp to !part
  return
}
