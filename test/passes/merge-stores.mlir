// What overwrites points of an apply is part of it, under a condition of the coordinates.
//
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-merge-stores | FileCheck %s
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-merge-stores --stencil-infer-bounds --stencil-merge-stores | FileCheck %s
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-merge-stores --remarks-filter-passed=stencil-merge-stores -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-merge-stores --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-merge-stores=marked=true | FileCheck %s --check-prefix=MARKED
//
// DEFINE: %{function} =
// DEFINE: %{arguments} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-infer-bounds,stencil-unify-applies,stencil-merge-stores,stencil-infer-bounds))' --seed=1 %{arguments}
// DEFINE: %{opt} = stencil-opt %s --stencil-infer-bounds --stencil-merge-stores --stencil-infer-bounds -o %t.mlir
// DEFINE: %{kernels} = stencilc run %t.mlir --on=emulator --function=%{function} --verify --seed=1 %{arguments}
// RUN: %{opt}
// REDEFINE: %{function} = source
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = held
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = in_a_loop
// REDEFINE: %{arguments} = --arg 3=0.75
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = old_values
// REDEFINE: %{arguments} =
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = sources
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = behind_one_that_stays
// RUN: %{run}
// RUN: %{kernels}

!field = !stencil.field<[-1,9]x[-1,9]xf64>
!temp = !stencil.temp<[-1,9]x[-1,9]xf64>
!inside = !stencil.temp<[0,8]x[0,8]xf64>

// COUNT: num-merged
// MARKED-LABEL: func.func @source
// MARKED: stencil.store
// MARKED: stencil.stage = "source"

// A source at one point, added to what was computed there.
//
// CHECK-LABEL: func.func @source
// CHECK: stencil.apply{{.*}}stencil.includes = ["'source' at some of its points"]
// CHECK: %[[NEW:.*]] = arith.mulf
// CHECK: %[[Y:.*]] = stencil.index 0
// CHECK: %[[AT_Y:.*]] = arith.cmpi eq, %[[Y]], %{{.*}}
// CHECK: %[[X:.*]] = stencil.index 1
// CHECK: %[[AT_X:.*]] = arith.cmpi eq, %[[X]], %{{.*}}
// CHECK: %[[THERE:.*]] = arith.andi %[[AT_Y]], %[[AT_X]]
// CHECK: %[[BOTH:.*]] = scf.if %[[THERE]] -> (f64) {
// CHECK: arith.addf %[[NEW]], %{{.*}}
// CHECK: scf.yield
// CHECK: } else {
// CHECK: scf.yield %[[NEW]]
// CHECK: stencil.return %[[BOTH]]
// CHECK: stencil.store
// CHECK-NOT: stencil.store
// CHECK: return
// REMARK: remark: {{.*}}is part of the apply whose points it overwrites
func.func @source(%u: !field, %v: !field) {
  %values = stencil.load %u : !field -> !temp
  %stepped = stencil.apply(%t = %values : !temp) -> (!inside) attributes {stencil.stage = "step"} {
    %left = stencil.access %t[0, -1] : !temp
    %half = arith.constant 0.5 : f64
    %new = arith.mulf %left, %half : f64
    stencil.return %new : f64
  }
  stencil.store %stepped to %v(<[0, 0], [8, 8]>) : !inside to !field
  %now = stencil.load %v : !field -> !inside
  %source = stencil.apply(%t = %now : !inside) -> (!stencil.temp<[3,4]x[5,6]xf64>)
      attributes {stencil.stage = "source"} {
    %here = stencil.access %t[0, 0] : !inside
    %more = arith.constant 1.5 : f64
    %new = arith.addf %here, %more : f64
    stencil.return %new : f64
  }
  stencil.store %source to %v(<[3, 5], [4, 6]>) : !stencil.temp<[3,4]x[5,6]xf64> to !field
  return
}

!any = !stencil.temp<?x?xf64>

// Two fields, of which each is held at other points; one follows the old values around the point.
//
// CHECK-LABEL: func.func @held
// CHECK: scf.if
// CHECK: scf.if
// CHECK: stencil.return
// CHECK: stencil.store
// CHECK: stencil.store
// CHECK-NOT: stencil.store
// CHECK: return
func.func @held(%u: !field, %v: !field, %w: !field) {
  %values = stencil.load %u : !field -> !any
  %first, %second = stencil.apply(%t = %values : !any) -> (!any, !any) {
    %left = stencil.access %t[0, -1] : !any
    %right = stencil.access %t[0, 1] : !any
    %sum = arith.addf %left, %right : f64
    %difference = arith.subf %left, %right : f64
    stencil.return %sum, %difference : f64, f64
  }
  stencil.store %first to %v(<[0, 0], [8, 8]>) : !any to !field
  stencil.store %second to %w(<[0, 0], [8, 8]>) : !any to !field
  %again = stencil.load %u : !field -> !any
  %now = stencil.load %w : !field -> !any
  %low, %high = stencil.apply(%t = %again : !any, %own = %now : !any) -> (!any, !any) {
    %above = stencil.access %t[1, 0] : !any
    %here = stencil.access %own[0, 0] : !any
    %turned = arith.negf %here : f64
    stencil.return %above, %turned : f64, f64
  }
  stencil.store %low to %v(<[0, 0], [1, 8]>) : !any to !field
  stencil.store %high to %w(<[7, 2], [8, 5]>) : !any to !field
  return
}

// Each iteration adds what the host computes for it, at some points.
//
// CHECK-LABEL: func.func @in_a_loop
// CHECK: scf.for
// CHECK: scf.if
// CHECK: stencil.store
// CHECK-NOT: stencil.store
// CHECK: scf.yield %{{.*}}, %{{.*}} : !stencil.field
func.func @in_a_loop(%u: !field, %v: !field, %c: !field, %number: f64) {
  %start = arith.constant 0 : index
  %steps = arith.constant 3 : index
  %one = arith.constant 1 : index
  %coefficients = stencil.load %c : !field -> !any
  %end:2 = scf.for %step = %start to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %twice = arith.addf %number, %number : f64
    %values = stencil.load %now : !field -> !any
    %stepped = stencil.apply(%t = %values : !any) -> (!any) {
      %left = stencil.access %t[-1, 0] : !any
      stencil.return %left : f64
    }
    stencil.store %stepped to %next(<[0, 0], [8, 8]>) : !any to !field
    %unforced = stencil.load %next : !field -> !any
    %forced = stencil.apply(%t = %unforced : !any, %d = %coefficients : !any, %n = %twice : f64,
        %time = %step : index) -> (!any) {
      %here = stencil.access %t[0, 0] : !any
      %factor = stencil.access %d[0, 1] : !any
      %product = arith.mulf %factor, %n : f64
      %integer = arith.index_cast %time : index to i64
      %moment = arith.sitofp %integer : i64 to f64
      %more = arith.addf %product, %moment : f64
      %new = arith.addf %here, %more : f64
      stencil.return %new : f64
    }
    stencil.store %forced to %next(<[2, 2], [5, 4]>) : !any to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

// What was loaded before the first store is what the field held then.
//
// CHECK-LABEL: func.func @old_values
// CHECK: scf.if
func.func @old_values(%u: !field, %v: !field) {
  %before = stencil.load %v : !field -> !any
  %values = stencil.load %u : !field -> !any
  %stepped = stencil.apply(%t = %values : !any) -> (!any) {
    %here = stencil.access %t[0, 0] : !any
    stencil.return %here : f64
  }
  stencil.store %stepped to %v(<[0, 0], [8, 8]>) : !any to !field
  %kept = stencil.apply(%t = %before : !any) -> (!any) {
    %left = stencil.access %t[0, -1] : !any
    stencil.return %left : f64
  }
  stencil.store %kept to %v(<[4, 4], [6, 8]>) : !any to !field
  return
}

// Three sources: the second is at another point than the first, the third overlaps both.
//
// CHECK-LABEL: func.func @sources
// CHECK: scf.if
// CHECK: scf.if
// CHECK: scf.if
// CHECK: stencil.store
// CHECK-NOT: stencil.store
// CHECK: return
func.func @sources(%u: !field, %v: !field) {
  %values = stencil.load %u : !field -> !any
  %stepped = stencil.apply(%t = %values : !any) -> (!any) {
    %left = stencil.access %t[0, -1] : !any
    stencil.return %left : f64
  }
  stencil.store %stepped to %v(<[0, 0], [8, 8]>) : !any to !field
  %now = stencil.load %v : !field -> !any
  %one = stencil.apply(%t = %now : !any) -> (!any) {
    %here = stencil.access %t[0, 0] : !any
    %new = arith.negf %here : f64
    stencil.return %new : f64
  }
  stencil.store %one to %v(<[2, 3], [3, 4]>) : !any to !field
  %then = stencil.load %v : !field -> !any
  %two = stencil.apply(%t = %then : !any) -> (!any) {
    %here = stencil.access %t[0, 0] : !any
    %new = arith.addf %here, %here : f64
    stencil.return %new : f64
  }
  stencil.store %two to %v(<[5, 6], [6, 7]>) : !any to !field
  %last = stencil.load %v : !field -> !any
  %three = stencil.apply(%t = %last : !any) -> (!any) {
    %here = stencil.access %t[0, 0] : !any
    %new = arith.mulf %here, %here : f64
    stencil.return %new : f64
  }
  stencil.store %three to %v(<[2, 2], [6, 8]>) : !any to !field
  return
}

// One that reads its neighbours stays; another behind it, at other points, is merged all the same.
//
// CHECK-LABEL: func.func @behind_one_that_stays
// CHECK: scf.if
// CHECK: stencil.store
// CHECK: stencil.access %{{.*}}[0, 1]
// CHECK: stencil.store
// CHECK-NOT: stencil.store
// CHECK: return
func.func @behind_one_that_stays(%u: !field, %v: !field) {
  %values = stencil.load %u : !field -> !any
  %stepped = stencil.apply(%t = %values : !any) -> (!any) {
    %left = stencil.access %t[0, -1] : !any
    stencil.return %left : f64
  }
  stencil.store %stepped to %v(<[0, 0], [8, 8]>) : !any to !field
  %now = stencil.load %v : !field -> !any
  %one = stencil.apply(%t = %now : !any) -> (!any) {
    %right = stencil.access %t[0, 1] : !any
    stencil.return %right : f64
  }
  stencil.store %one to %v(<[2, 3], [3, 4]>) : !any to !field
  %then = stencil.load %v : !field -> !any
  %two = stencil.apply(%t = %then : !any) -> (!any) {
    %here = stencil.access %t[0, 0] : !any
    %new = arith.addf %here, %here : f64
    stencil.return %new : f64
  }
  stencil.store %two to %v(<[2, 5], [3, 7]>) : !any to !field
  return
}
