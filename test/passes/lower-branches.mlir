// Branches of the host are loops of one iteration or none; conditional loops are counted ones.
//
// RUN: stencil-opt %s --stencil-lower-branches | FileCheck %s --implicit-check-not=scf.while
//
// DEFINE: %{function} =
// DEFINE: %{arguments} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-lower-branches))' --seed=1 %{arguments}
// DEFINE: %{kernels} = stencilc run %s --on=emulator --function=%{function} --verify --seed=1 %{arguments}
// REDEFINE: %{function} = branch
// REDEFINE: %{arguments} = --arg 2=3
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{arguments} = --arg 2=9
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{function} = chosen
// REDEFINE: %{arguments} = --arg 2=1
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{arguments} = --arg 2=0
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{function} = numbers
// REDEFINE: %{arguments} = --arg 2=1 --arg 3=0.75
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{arguments} = --arg 2=0 --arg 3=0.75
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{function} = rising
// REDEFINE: %{arguments} = --arg 2=-2 --arg 3=5
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{arguments} = --arg 2=6 --arg 3=5
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{function} = falling
// REDEFINE: %{arguments} = --arg 1=7
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{arguments} = --arg 1=0
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// VERIFIED: {{^}}verified: bit-identical

!field = !stencil.field<[0,17]xf32>

func.func private @difference(%u: !field, %v: !field, %k: f32) {
  %t = stencil.load %u : !field -> !stencil.temp<?xf32>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf32>, %s = %k : f32) -> (!stencil.temp<?xf32>) {
    %w = stencil.access %x[-1] : !stencil.temp<?xf32>
    %e = stencil.access %x[1] : !stencil.temp<?xf32>
    %d = arith.subf %e, %w : f32
    %m = arith.mulf %d, %s : f32
    stencil.return %m : f32
  }
  stencil.store %r to %v(<[1], [16]>) : !stencil.temp<?xf32> to !field
  return
}

// Stores under a condition of the host.
// CHECK-LABEL: func.func @branch
func.func @branch(%u: !field, %v: !field, %n: i32) {
  %five = arith.constant 5 : i32
  %k = arith.constant 0.5 : f32
  // CHECK: %[[C:.*]] = arith.cmpi slt
  // CHECK: %[[NOT:.*]] = arith.xori %[[C]]
  // CHECK: %[[ONE:.*]] = arith.index_castui %[[NOT]] : i1 to index
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[ONE]]
  // CHECK: call @difference(%arg1, %arg0
  // CHECK: %[[OTHER:.*]] = arith.index_castui %[[C]] : i1 to index
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[OTHER]]
  // CHECK: call @difference(%arg0, %arg1
  %c = arith.cmpi slt, %n, %five : i32
  scf.if %c {
    func.call @difference(%u, %v, %k) : (!field, !field, f32) -> ()
  } else {
    func.call @difference(%v, %u, %k) : (!field, !field, f32) -> ()
  }
  scf.if %c {
    func.call @difference(%v, %u, %k) : (!field, !field, f32) -> ()
  }
  return
}

// A field that is one of two, in both spellings.
// CHECK-LABEL: func.func @chosen
func.func @chosen(%u: !field, %v: !field, %c: i1, %w: !field) {
  %k = arith.constant 0.25 : f32
  %one = arith.select %c, %u, %v : !field
  func.call @difference(%one, %w, %k) : (!field, !field, f32) -> ()
  %two = scf.if %c -> (!field) {
    func.call @difference(%u, %v, %k) : (!field, !field, f32) -> ()
    scf.yield %v : !field
  } else {
    scf.yield %u : !field
  }
  func.call @difference(%w, %two, %k) : (!field, !field, f32) -> ()
  return
}

// Numbers come out of branches, in a time loop.
// CHECK-LABEL: func.func @numbers
func.func @numbers(%u: !field, %v: !field, %c: i1, %a: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %i = %zero to %four step %one {
    %two = arith.constant 2 : index
    %early = arith.cmpi ult, %i, %two : index
    %k = scf.if %early -> (f32) {
      %l = scf.if %c -> (f32) {
        %b = arith.addf %a, %a : f32
        scf.yield %b : f32
      } else {
        scf.yield %a : f32
      }
      scf.yield %l : f32
    } else {
      %s = arith.mulf %a, %a : f32
      scf.yield %s : f32
    }
    func.call @difference(%u, %v, %k) : (!field, !field, f32) -> ()
    func.call @difference(%v, %u, %k) : (!field, !field, f32) -> ()
  }
  return
}

// A counter that rises to a bound; fields rotate, and what the counter is at the end is used.
// CHECK-LABEL: func.func @rising
// CHECK:         %[[END:.*]] = arith.addi %arg3, %{{.*}} : i64
// CHECK:         scf.for %{{.*}} = %arg2 to %[[END]] step %{{.*}} iter_args
func.func @rising(%u: !field, %v: !field, %first: i64, %last: i64) {
  %r:3 = scf.while (%i = %first, %a = %u, %b = %v) : (i64, !field, !field) -> (!field, i64, !field) {
    %c = arith.cmpi sge, %last, %i : i64
    scf.condition(%c) %a, %i, %b : !field, i64, !field
  } do {
  ^bb0(%a: !field, %i: i64, %b: !field):
    %k = arith.sitofp %i : i64 to f32
    func.call @difference(%a, %b, %k) : (!field, !field, f32) -> ()
    %two = arith.constant 2 : i64
    %next = arith.addi %two, %i : i64
    scf.yield %next, %b, %a : i64, !field, !field
  }
  %k = arith.sitofp %r#1 : i64 to f32
  func.call @difference(%r#0, %r#2, %k) : (!field, !field, f32) -> ()
  return
}

// One that falls, with a bound that is a constant in the condition.
// CHECK-LABEL: func.func @falling
// CHECK:         scf.for %{{.*}} = %{{.*}} to %arg1 step
func.func @falling(%u: !field, %n: i32, %w: !field) {
  %left = scf.while (%i = %n) : (i32) -> i32 {
    %end = arith.constant 0 : i32
    %c = arith.cmpi sgt, %i, %end : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %k = arith.sitofp %i : i32 to f32
    func.call @difference(%u, %w, %k) : (!field, !field, f32) -> ()
    func.call @difference(%w, %u, %k) : (!field, !field, f32) -> ()
    %three = arith.constant 3 : i32
    %next = arith.subi %i, %three : i32
    scf.yield %next : i32
  }
  return
}

// A point has branches of its own.
// CHECK-LABEL: func.func @inside
// CHECK:         scf.if
func.func @inside(%u: !field, %v: !field) {
  %t = stencil.load %u : !field -> !stencil.temp<?xf32>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>) {
    %w = stencil.access %x[0] : !stencil.temp<?xf32>
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf olt, %w, %zero : f32
    %d = scf.if %c -> (f32) {
      scf.yield %zero : f32
    } else {
      scf.yield %w : f32
    }
    stencil.return %d : f32
  }
  stencil.store %r to %v(<[1], [16]>) : !stencil.temp<?xf32> to !field
  return
}
