// An apply whose plan says so becomes several: each result is computed in one of them, or its sum goes on in the next.
//
// RUN: stencil-opt %s --stencil-split-applies | FileCheck %s
// RUN: stencil-opt %s --stencil-split-applies --stencil-split-applies | FileCheck %s
// RUN: stencil-opt %s --stencil-split-applies --stencil-statistics=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS
// RUN: stencil-opt %s --stencil-split-applies --remarks-filter-passed=stencil-split-applies --remarks-filter-missed=stencil-split-applies -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-split-applies))' --seed=1
// What a part reads must still be there when its kernel runs.
// DEFINE: %{kernels} = stencilc run %s --on=emulator --function=%{function} --verify --seed=1
// REDEFINE: %{function} = sum
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = results
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = shared_values
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = overwrites
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = overwrite_each_other
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = optional
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = unrolled
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = in_loop
// RUN: %{run} --arg steps=3
// RUN: %{kernels} --arg steps=3

!field = !stencil.field<[-2,66]xf64>
!all = !stencil.temp<[-2,66]xf64>
!temp = !stencil.temp<[0,64]xf64>

// Three terms, one factor, one that is there before: the sum is cut where both halves weigh most alike.
// CHECK-LABEL: func.func @sum
// CHECK:         %[[PART:.+]] = stencil.apply
// CHECK-SAME:      stencil.plan = #stencil.plan<{}>, stencil.stage = "a.1"
// CHECK-NEXT:      stencil.access %{{.*}}[-1]
// CHECK-NEXT:      stencil.access %{{.*}}[0]
// CHECK-NEXT:      arith.constant
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      %[[PARTIAL:.+]] = math.fma
// CHECK-NEXT:      stencil.return %[[PARTIAL]]
// CHECK:         %[[WHOLE:.+]] = stencil.apply({{.*}}%[[B:[a-z0-9_]+]] = %[[PART]] : !stencil.temp<[0,64]xf64>)
// CHECK-SAME:      stencil.stage = "a.2"
// CHECK-NEXT:      %[[SO_FAR:.+]] = stencil.access %[[B]][0]
// CHECK-NOT:       arith.mulf
// CHECK:           math.fma %{{.*}}, %{{.*}}, %[[SO_FAR]]
// CHECK:         stencil.store %[[WHOLE]]
// REMARK:      'a.1' gives no result, stores 1 values for later parts, loads 0 of earlier ones, computes 0 operations again
// REMARK:      'a.2' gives result 0, stores 0 values for later parts, loads 1 of earlier ones, computes 0 operations again
func.func @sum(%in: !field, %out: !field) {
  %t = stencil.load %in : !field -> !all
  %o = stencil.load %out : !field -> !temp
  %r = stencil.apply(%a = %t : !all, %b = %o : !temp) -> (!temp)
      attributes {stencil.plan = #stencil.plan<{splits = 2 : i64}>, stencil.stage = "a"} {
    %x = stencil.access %a[-1] : !all
    %y = stencil.access %a[0] : !all
    %z = stencil.access %a[1] : !all
    %old = stencil.access %b[0] : !temp
    %c = arith.constant 0.3 : f64
    %one = arith.mulf %x, %c : f64
    %two = math.fma %y, %c, %one : f64
    %three = math.fma %z, %c, %two : f64
    %new = arith.addf %old, %three : f64
    stencil.return %new : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !temp to !field
  return
}

// Results are parts before sums are cut; a name that is taken is not given again.
// CHECK-LABEL: func.func @results
// CHECK:         %[[ONE:.+]] = stencil.apply(%{{.*}} = %{{.*}} : !stencil.temp<[-2,66]xf64>)
// CHECK-SAME:      stencil.stage = "a.1_"
// CHECK:           arith.subf
// CHECK-NEXT:      stencil.return
// CHECK:         %[[TWO:.+]] = stencil.apply
// CHECK-SAME:      stencil.stage = "a.2"
// CHECK:           arith.addf
// CHECK-NEXT:      stencil.return
// CHECK:         stencil.store %[[ONE]]
// CHECK:         stencil.store %[[TWO]]
// CHECK:         stencil.stage = "a.1"}
func.func @results(%in: !field, %p: !field, %q: !field, %s: !field) {
  %t = stencil.load %in : !field -> !all
  %one, %two = stencil.apply(%a = %t : !all) -> (!temp, !temp)
      attributes {stencil.plan = #stencil.plan<{splits = 2 : i64}>, stencil.stage = "a"} {
    %x = stencil.access %a[-1] : !all
    %y = stencil.access %a[1] : !all
    %difference = arith.subf %x, %y : f64
    %sum = arith.addf %x, %y : f64
    stencil.return %difference, %sum : f64, f64
  }
  stencil.store %one to %p(<[0], [64]>) : !temp to !field
  stencil.store %two to %q(<[0], [64]>) : !temp to !field
  %three = stencil.apply() -> (!temp) attributes {stencil.stage = "a.1"} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  stencil.store %three to %s(<[0], [64]>) : !temp to !field
  return
}

// Both results need a root and a quotient. The root is of a field that the second result reads in any case, the quotient
// of two that it does not.
// CHECK-LABEL: func.func @shared_values
// CHECK:         %[[ONE:.+]]:2 = stencil.apply
// CHECK:           math.sqrt
// CHECK:           %[[QUOTIENT:.+]] = arith.divf
// CHECK:           stencil.return %{{.*}}, %[[QUOTIENT]] : f64, f64
// CHECK:         %[[TWO:.+]] = stencil.apply(
// CHECK-SAME:      = %[[ONE]]#1
// CHECK-NOT:       arith.divf
// CHECK:           math.sqrt
// CHECK-NOT:       arith.divf
// CHECK:           stencil.return
// CHECK:         stencil.store %[[ONE]]#0
// CHECK:         stencil.store %[[TWO]]
// REMARK:      'shared.1' gives result 0, stores 1 values for later parts, loads 0 of earlier ones, computes 0 operations again
// REMARK:      'shared.2' gives result 1, stores 0 values for later parts, loads 1 of earlier ones, computes 1 operations again
func.func @shared_values(%a: !field, %b: !field, %c: !field, %p: !field, %q: !field) {
  %ta = stencil.load %a : !field -> !all
  %tb = stencil.load %b : !field -> !all
  %tc = stencil.load %c : !field -> !all
  %one, %two = stencil.apply(%ua = %ta : !all, %ub = %tb : !all, %uc = %tc : !all) -> (!temp, !temp)
      attributes {stencil.plan = #stencil.plan<{splits = 2 : i64}>, stencil.stage = "shared"} {
    %va = stencil.access %ua[0] : !all
    %vb = stencil.access %ub[0] : !all
    %vc = stencil.access %uc[0] : !all
    %next = stencil.access %ua[1] : !all
    %root = math.sqrt %va : f64
    %quotient = arith.divf %vb, %vc : f64
    %difference = arith.subf %root, %quotient : f64
    %product = arith.mulf %root, %quotient : f64
    %last = arith.addf %product, %next : f64
    stencil.return %difference, %last : f64, f64
  }
  stencil.store %one to %p(<[0], [64]>) : !temp to !field
  stencil.store %two to %q(<[0], [64]>) : !temp to !field
  return
}

// The first result overwrites what the second reads: the second is computed first.
// CHECK-LABEL: func.func @overwrites
// CHECK:         %[[TWO:.+]] = stencil.apply
// CHECK:           arith.mulf
// CHECK:         %[[ONE:.+]] = stencil.apply
// CHECK:           arith.addf
// CHECK:         stencil.store %[[ONE]] to %[[P:[a-z0-9]+]]
// CHECK:         stencil.store %[[TWO]]
func.func @overwrites(%p: !field, %q: !field) {
  %t = stencil.load %p : !field -> !temp
  %one, %two = stencil.apply(%a = %t : !temp) -> (!temp, !temp)
      attributes {stencil.plan = #stencil.plan<{splits = 2 : i64}>} {
    %v = stencil.access %a[0] : !temp
    %sum = arith.addf %v, %v : f64
    %square = arith.mulf %v, %v : f64
    stencil.return %sum, %square : f64, f64
  }
  stencil.store %one to %p(<[0], [64]>) : !temp to !field
  stencil.store %two to %q(<[0], [64]>) : !temp to !field
  return
}

// Two results that overwrite what the other one reads stay together; their sums can still be cut.
// CHECK-LABEL: func.func @overwrite_each_other
// CHECK:         %[[PART:.+]] = stencil.apply
// CHECK:         %[[BOTH:.+]]:2 = stencil.apply
// CHECK-NOT:     stencil.apply
func.func @overwrite_each_other(%p: !field, %q: !field, %in: !field) {
  %tp = stencil.load %p : !field -> !temp
  %tq = stencil.load %q : !field -> !temp
  %t = stencil.load %in : !field -> !all
  %one, %two = stencil.apply(%a = %tp : !temp, %b = %tq : !temp, %c = %t : !all) -> (!temp, !temp)
      attributes {stencil.plan = #stencil.plan<{splits = 2 : i64}>} {
    %v = stencil.access %a[0] : !temp
    %w = stencil.access %b[0] : !temp
    %x = stencil.access %c[-2] : !all
    %y = stencil.access %c[2] : !all
    %product = arith.mulf %x, %y : f64
    %so_far = arith.addf %product, %x : f64
    %sum = arith.addf %so_far, %w : f64
    %difference = arith.subf %v, %w : f64
    stencil.return %sum, %difference : f64, f64
  }
  stencil.store %one to %p(<[0], [64]>) : !temp to !field
  stencil.store %two to %q(<[0], [64]>) : !temp to !field
  return
}

// A result that some points do not have is never stored for another part.
// CHECK-LABEL: func.func @optional
// CHECK:         stencil.apply
// CHECK:           scf.if
// CHECK:         stencil.apply
// CHECK-NOT:       scf.if
// CHECK:         stencil.store
func.func @optional(%in: !field, %p: !field, %q: !field) {
  %t = stencil.load %in : !field -> !all
  %one, %two = stencil.apply(%a = %t : !all) -> (!temp, !temp)
      attributes {stencil.plan = #stencil.plan<{splits = 2 : i64}>} {
    %x = stencil.access %a[-1] : !all
    %y = stencil.access %a[1] : !all
    %sum = arith.addf %x, %y : f64
    %is_more = arith.cmpf ogt, %x, %y : f64
    %some = scf.if %is_more -> (!stencil.result<f64>) {
      %there = stencil.store_result %sum : !stencil.result<f64>
      scf.yield %there : !stencil.result<f64>
    } else {
      %nothing = stencil.store_result : !stencil.result<f64>
      scf.yield %nothing : !stencil.result<f64>
    }
    %difference = arith.subf %x, %y : f64
    stencil.return %some, %difference : !stencil.result<f64>, f64
  }
  stencil.store %one to %p(<[0], [64]>) : !temp to !field
  stencil.store %two to %q(<[0], [64]>) : !temp to !field
  return
}

// Two points at once: results are parts, sums are not cut.
// CHECK-LABEL: func.func @unrolled
// CHECK:         stencil.apply
// CHECK:           stencil.return %{{.*}}, %{{.*}} unroll <[2]> : f64, f64
// CHECK:         stencil.apply
// CHECK:           stencil.return %{{.*}}, %{{.*}} unroll <[2]> : f64, f64
func.func @unrolled(%in: !field, %p: !field, %q: !field) {
  %t = stencil.load %in : !field -> !all
  %one, %two = stencil.apply(%a = %t : !all) -> (!temp, !temp)
      attributes {stencil.plan = #stencil.plan<{splits = 2 : i64}>} {
    %x = stencil.access %a[0] : !all
    %y = stencil.access %a[1] : !all
    %z = stencil.access %a[2] : !all
    %s = arith.addf %x, %y : f64
    %u = arith.addf %y, %z : f64
    %d = arith.subf %x, %y : f64
    %e = arith.subf %y, %z : f64
    stencil.return %s, %u, %d, %e unroll <[2]> : f64, f64, f64, f64
  }
  stencil.store %one to %p(<[0], [64]>) : !temp to !field
  stencil.store %two to %q(<[0], [64]>) : !temp to !field
  return
}

// In a loop that exchanges fields, both parts belong to an iteration.
// CHECK-LABEL: func.func @in_loop
// CHECK:         scf.for
// CHECK-COUNT-3:   stencil.apply
// CHECK:           stencil.store
// CHECK:           scf.yield
func.func @in_loop(%p: !field, %q: !field, %steps: index) {
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  %last:2 = scf.for %i = %zero to %steps step %step iter_args(%from = %p, %to = %q) -> (!field, !field) {
    %t = stencil.load %from : !field -> !all
    %r = stencil.apply(%a = %t : !all) -> (!temp)
        attributes {stencil.plan = #stencil.plan<{splits = 3 : i64}>} {
      %c = arith.constant 0.2 : f64
      %v = stencil.access %a[-2] : !all
      %w = stencil.access %a[-1] : !all
      %x = stencil.access %a[0] : !all
      %y = stencil.access %a[1] : !all
      %z = stencil.access %a[2] : !all
      %two = arith.addf %v, %w : f64
      %three = arith.addf %two, %x : f64
      %four = arith.subf %three, %y : f64
      %five = arith.addf %four, %z : f64
      %scaled = arith.mulf %five, %c : f64
      stencil.return %scaled : f64
    }
    stencil.store %r to %to(<[0], [64]>) : !temp to !field
    scf.yield %to, %from : !field, !field
  }
  return
}

// COUNTS: "stencil-split-applies": { "num-parts": 17, "num-recomputed": 1, "num-split": 8, {{.*}}"num-stored": 5 }
