// An apply that one other reads, at one offset, is marked; all others keep a kernel of their own.
//
// RUN: stencil-opt %s --stencil-select-inlining | FileCheck %s
// RUN: stencil-opt %s --stencil-select-inlining=plain=true | FileCheck %s --check-prefix=PLAIN
// RUN: stencil-opt %s --stencil-select-inlining --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: stencilc run %s --on=interpreter --function=at_one_offset --same-after='builtin.module(func.func(stencil-select-inlining,stencil-inline-producers{marked=true}))' --seed=1
// One kernel, with the bits that two have.
// RUN: stencilc run %s --on=emulator --function=at_one_offset --verify --seed=1 | FileCheck %s --check-prefix=ONE --implicit-check-not='kernel '
// RUN: stencilc run %s --on=emulator --function=rotated --arg steps=3 --verify --seed=1 | FileCheck %s --check-prefix=ROTATED --implicit-check-not='kernel '
// RUN: stencilc run %s --on=emulator --function=in_place --verify --seed=1
// RUN: stencilc run %s --on=emulator --function=at_several_offsets --verify --seed=1
//
// COUNT: 3 stencil-select-inlining num-selected
// PLAIN-NOT: stencil.inline
// ONE: kernel    at_one_offset_update:
// ROTATED: kernel    rotated_update:

!field = !stencil.field<[-2,34]x[-2,34]xf64>
!temp = !stencil.temp<?x?xf64>

// A chain: each is read once, the last one is stored.
// CHECK-LABEL: func.func @at_one_offset
// CHECK:       stencil.apply{{.*}} attributes {stencil.inline, stencil.stage = "laplacian"}
// CHECK:       stencil.apply{{.*}} attributes {stencil.inline, stencil.stage = "scaled"}
// CHECK:       stencil.apply{{.*}} attributes {stencil.stage = "update"}
func.func @at_one_offset(%u: !field, %v: !field) {
  %t = stencil.load %u : !field -> !temp
  %l = stencil.apply(%x = %t : !temp) -> (!temp) attributes {stencil.stage = "laplacian"} {
    %a = stencil.access %x[-1, 0] : !temp
    %b = stencil.access %x[0, 1] : !temp
    %s = arith.addf %a, %b : f64
    stencil.return %s : f64
  }
  %m = stencil.apply(%x = %l : !temp) -> (!temp) attributes {stencil.stage = "scaled"} {
    %a = stencil.access %x[0, 1] : !temp
    %s = arith.mulf %a, %a : f64
    stencil.return %s : f64
  }
  %n = stencil.apply(%x = %t : !temp, %y = %m : !temp) -> (!temp) attributes {stencil.stage = "update"} {
    %a = stencil.access %x[0, 0] : !temp
    %b = stencil.access %y[0, 0] : !temp
    %s = arith.subf %a, %b : f64
    stencil.return %s : f64
  }
  stencil.store %n to %v(<[0, 0], [32, 32]>) : !temp to !field
  return
}

// Fields that a loop rotates are two: what is read is not what is written.
// CHECK-LABEL: func.func @rotated
// CHECK:       stencil.apply{{.*}} attributes {stencil.inline, stencil.stage = "laplacian"}
func.func @rotated(%u: !field, %v: !field, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %i = %zero to %steps step %one iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %t = stencil.load %now : !field -> !temp
    %l = stencil.apply(%x = %t : !temp) -> (!temp) attributes {stencil.stage = "laplacian"} {
      %a = stencil.access %x[-1, 0] : !temp
      stencil.return %a : f64
    }
    %n = stencil.apply(%x = %t : !temp, %y = %l : !temp) -> (!temp) attributes {stencil.stage = "update"} {
      %a = stencil.access %x[0, 0] : !temp
      %b = stencil.access %y[0, 0] : !temp
      %s = arith.subf %a, %b : f64
      stencil.return %s : f64
    }
    stencil.store %n to %next(<[0, 0], [32, 32]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

// Every point would be computed twice.
// CHECK-LABEL: func.func @at_several_offsets
// CHECK-NOT:   stencil.inline
func.func @at_several_offsets(%u: !field, %v: !field) {
  %t = stencil.load %u : !field -> !temp
  %l = stencil.apply(%x = %t : !temp) -> (!temp) {
    %a = stencil.access %x[-1, 0] : !temp
    stencil.return %a : f64
  }
  %n = stencil.apply(%y = %l : !temp) -> (!temp) {
    %a = stencil.access %y[0, 0] : !temp
    %b = stencil.access %y[0, 1] : !temp
    %s = arith.subf %a, %b : f64
    stencil.return %s : f64
  }
  stencil.store %n to %v(<[0, 0], [32, 32]>) : !temp to !field
  return
}

// The field that is read is updated: it would have to be copied.
// CHECK-LABEL: func.func @in_place
// CHECK-NOT:   stencil.inline
func.func @in_place(%u: !field) {
  %t = stencil.load %u : !field -> !temp
  %l = stencil.apply(%x = %t : !temp) -> (!temp) {
    %a = stencil.access %x[-1, 0] : !temp
    stencil.return %a : f64
  }
  %n = stencil.apply(%y = %l : !temp) -> (!temp) {
    %a = stencil.access %y[0, 0] : !temp
    %s = arith.mulf %a, %a : f64
    stencil.return %s : f64
  }
  stencil.store %n to %u(<[0, 0], [32, 32]>) : !temp to !field
  return
}

// What is stored has a kernel, and what has a plan is one.
// CHECK-LABEL: func.func @wanted
// CHECK-NOT:   stencil.inline
func.func @wanted(%u: !field, %v: !field, %w: !field) {
  %t = stencil.load %u : !field -> !temp
  %l = stencil.apply(%x = %t : !temp) -> (!temp) {
    %a = stencil.access %x[-1, 0] : !temp
    stencil.return %a : f64
  }
  %m = stencil.apply(%y = %l : !temp) -> (!temp)
      attributes {stencil.plan = #stencil.plan<{points = array<i64: 2, 1>}>} {
    %a = stencil.access %y[0, 0] : !temp
    stencil.return %a : f64
  }
  %n = stencil.apply(%y = %m : !temp) -> (!temp) {
    %a = stencil.access %y[0, 0] : !temp
    stencil.return %a : f64
  }
  stencil.store %n to %v(<[0, 0], [32, 32]>) : !temp to !field
  stencil.store %l to %w(<[0, 0], [32, 32]>) : !temp to !field
  return
}
