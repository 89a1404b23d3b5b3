// Applies of a group become one sweep of one step: what they hand on is in no memory.
//
// DEFINE: %{passes} = func.func(stencil-infer-bounds,stencil-place-copies,sweep-fuse-statements)
// RUN: stencil-opt %s '--pass-pipeline=builtin.module(%{passes})' | FileCheck %s
// RUN: stencil-opt %s '--pass-pipeline=builtin.module(%{passes},func.func(sweep-fuse-statements))' | FileCheck %s
// RUN: stencil-opt %s '--pass-pipeline=builtin.module(%{passes})' --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(%{passes})' --seed=1
// DEFINE: %{emulated} = stencilc run %s --on=emulator --function=%{function} --verify --seed=1
// REDEFINE: %{function} = temp_between
// RUN: %{run}
// RUN: %{emulated}
// REDEFINE: %{function} = stored_and_loaded
// RUN: %{run}
// RUN: %{emulated}
// REDEFINE: %{function} = several_results
// RUN: %{run} --arg scale=0.5
// RUN: %{emulated} --arg scale=0.5
// REDEFINE: %{function} = others_between
// RUN: %{run}
// RUN: %{emulated}
// REDEFINE: %{function} = less_than_the_domain
// RUN: %{run}
// RUN: %{emulated}
// REDEFINE: %{function} = in_a_loop
// RUN: %{run} --arg n=3
// RUN: %{emulated} --arg n=3
//
// COUNT: 6 sweep-fuse-statements num-grouped

!grid = !stencil.field<[-2,8]x[-2,10]xf64>
!temp = !stencil.temp<?x?xf64>

// The first result is computed on more points than the second, and stored nowhere.
// CHECK-LABEL: func.func @temp_between
// CHECK-SAME:    (%[[A:[a-z0-9]+]]: !stencil{{[^%]*}}%[[B:[a-z0-9]+]]: !stencil
// CHECK-NEXT:    sweep.stages "group" steps 1
// CHECK-NEXT:      fields(%[[B0:.*]] = %[[B]] : {{.*}}, %[[A0:.*]] = %[[A]] : {{[^)]*}})
// CHECK-NEXT:      plan <{mapping = "warp"}>
// CHECK-NEXT:      %[[P:.*]] = sweep.stage "stage0" over <[-1, -1], [7, 9]> (%{{.*}} = %[[A0]] :
// CHECK:           %[[Q:.*]] = sweep.stage "stage1" over <[0, 0], [6, 8]> (%{{.*}} = %[[P]] :
// CHECK-NOT:       sweep.carry
// CHECK:           sweep.output %[[Q]] over <[0, 0], [6, 8]> to %[[B0]]
// CHECK-NOT:     stencil.{{apply|load|store}}
// CHECK:         return
func.func @temp_between(%a: !grid, %b: !grid) {
  %as = stencil.load %a : !grid -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[0, 1] : !temp
    %1 = stencil.access %x[-1, 0] : !temp
    %2 = arith.subf %0, %1 : f64
    stencil.return %2 : f64
  }
  %q = stencil.apply(%x = %p : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[1, 0] : !temp
    %1 = stencil.access %x[-1, -1] : !temp
    %2 = stencil.access %x[0, 1] : !temp
    %3 = arith.mulf %0, %1 : f64
    %4 = arith.addf %3, %2 : f64
    stencil.return %4 : f64
  }
  stencil.store %q to %b(<[0, 0], [6, 8]>) : !temp to !grid
  return
}

// What is stored and loaded again leaves, and is handed on. Outside of its points the cells of its
// field are read, which nothing writes.
// CHECK-LABEL: func.func @stored_and_loaded
// CHECK-SAME:    (%[[A:[a-z0-9]+]]: !stencil{{[^%]*}}%[[B:[a-z0-9]+]]: !stencil{{[^%]*}}%[[C:[a-z0-9]+]]: !stencil
// CHECK-NEXT:    sweep.stages "group" steps 1
// CHECK-NEXT:      fields(%[[B0:.*]] = %[[B]] : {{.*}}, %[[C0:.*]] = %[[C]] : {{.*}}, %[[A0:.*]] = %[[A]] : {{[^)]*}})
// CHECK-NEXT:      plan
// CHECK-NEXT:      %[[AS:.*]] = sweep.input %[[A0]]
// CHECK-NEXT:      %[[P:.*]] = sweep.stage "stage0" over <[0, 0], [6, 8]> (%{{.*}} = %[[AS]] : {{[^)]*}})
// CHECK-NEXT:          outside(%[[B0]] : {{.*}}) rotations [1]
// CHECK:           %[[Q:.*]] = sweep.stage "stage1" over <[0, 0], [6, 8]> (%{{.*}} = %[[P]] : {{.*}}, %{{.*}} = %[[AS]] : {{[^)]*}})
// CHECK:           sweep.output %[[P]] over <[0, 0], [6, 8]> to %[[B0]]
// CHECK-NEXT:      sweep.output %[[Q]] over <[0, 0], [6, 8]> to %[[C0]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @stored_and_loaded(%a: !grid, %b: !grid, %c: !grid) {
  %as = stencil.load %a : !grid -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp", reads = "queue"}>} {
    %0 = stencil.access %x[0, 0] : !temp
    %1 = stencil.access %x[2, 0] : !temp
    %2 = arith.subf %0, %1 : f64
    stencil.return %2 : f64
  }
  stencil.store %p to %b(<[0, 0], [6, 8]>) : !temp to !grid
  %bs = stencil.load %b : !grid -> !temp
  %q = stencil.apply(%x = %bs : !temp, %y = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp", reads = "queue"}>} {
    %0 = stencil.access %x[1, 0] : !temp
    %1 = stencil.access %x[-1, 1] : !temp
    %2 = stencil.access %y[0, 0] : !temp
    %3 = arith.mulf %0, %1 : f64
    %4 = arith.addf %3, %2 : f64
    stencil.return %4 : f64
  }
  stencil.store %q to %c(<[0, 0], [6, 8]>) : !temp to !grid
  return
}

// An apply with results on two boxes is two statements; a number of the host serves both.
// CHECK-LABEL: func.func @several_results
// CHECK:         sweep.stages "group1" steps 1
// CHECK-NEXT:      fields
// CHECK-NEXT:      scalars(%[[S:.*]] = %{{.*}} : f64)
// CHECK:           %[[P:.*]] = sweep.stage "stage0" over <[0, -1], [6, 9]> ({{.*}} = %[[S]] : f64)
// CHECK:           sweep.stage "stage1" over <[1, 1], [5, 7]> ({{.*}} = %[[S]] : f64)
// CHECK:           sweep.stage "stage2" over <[0, 0], [6, 8]> (%{{.*}} = %[[P]] :
// CHECK-COUNT-2:   sweep.output
func.func @several_results(%a: !grid, %b: !grid, %c: !grid, %scale: f64) {
  %as = stencil.load %a : !grid -> !temp
  %p, %r = stencil.apply(%x = %as : !temp, %s = %scale : f64) -> (!temp, !temp)
      attributes {stencil.group = "group1", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[0, 0] : !temp
    %1 = stencil.access %x[1, 1] : !temp
    %2 = arith.mulf %0, %s : f64
    %3 = arith.subf %1, %s : f64
    stencil.return %2, %3 : f64, f64
  }
  stencil.store %r to %c(<[1, 1], [5, 7]>) : !temp to !grid
  %q = stencil.apply(%x = %p : !temp) -> (!temp)
      attributes {stencil.group = "group1", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[0, 1] : !temp
    %1 = stencil.access %x[0, -1] : !temp
    %2 = arith.addf %0, %1 : f64
    stencil.return %2 : f64
  }
  stencil.store %q to %b(<[0, 0], [6, 8]>) : !temp to !grid
  return
}

// What is between the applies accesses none of their fields, and stays. The sweep is behind it.
// CHECK-LABEL: func.func @others_between
// CHECK:         stencil.apply
// CHECK:         stencil.store
// CHECK:         sweep.stages
// CHECK-NOT:     stencil.apply
func.func @others_between(%a: !grid, %b: !grid, %c: !grid) {
  %as = stencil.load %a : !grid -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[0, 1] : !temp
    stencil.return %0 : f64
  }
  %other = stencil.apply(%x = %as : !temp) -> (!temp) {
    %0 = stencil.access %x[1, 0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %other to %c(<[0, 0], [6, 8]>) : !temp to !grid
  %q = stencil.apply(%x = %p : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[1, 0] : !temp
    %1 = stencil.access %x[0, 1] : !temp
    %2 = arith.mulf %0, %1 : f64
    stencil.return %2 : f64
  }
  stencil.store %q to %b(<[0, 0], [6, 8]>) : !temp to !grid
  return
}

// Tiles are loaded without checks inside the domain: a field without some of its cells is read from
// memory at each point.
// CHECK-LABEL: func.func @less_than_the_domain
// CHECK:         sweep.stages
// CHECK-NOT:       sweep.input
// CHECK:         return
func.func @less_than_the_domain(%a: !stencil.field<[1,8]x[0,9]xf64>, %b: !grid) {
  %as = stencil.load %a : !stencil.field<[1,8]x[0,9]xf64> -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "block", threads = array<i64: 1, 32>, chunks = 3, reads = "queue"}>} {
    %0 = stencil.access %x[1, 0] : !temp
    %1 = stencil.access %x[1, 1] : !temp
    %2 = arith.subf %0, %1 : f64
    stencil.return %2 : f64
  }
  %q = stencil.apply(%x = %p : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "block", threads = array<i64: 1, 32>, chunks = 3, reads = "queue"}>} {
    %0 = stencil.access %x[0, 0] : !temp
    %1 = stencil.access %x[1, 0] : !temp
    %2 = arith.mulf %0, %1 : f64
    stencil.return %2 : f64
  }
  stencil.store %q to %b(<[0, 0], [6, 8]>) : !temp to !grid
  return
}

// A loop that stores one field twice is no sweep; the statements of its iterations are one each.
// CHECK-LABEL: func.func @in_a_loop
// CHECK:         scf.for
// CHECK:           sweep.stages "group" steps 1
// CHECK:           stencil.apply
// CHECK:           scf.yield
func.func @in_a_loop(%a: !grid, %b: !grid, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!grid, !grid) {
    %us = stencil.load %u : !grid -> !temp
    %p = stencil.apply(%x = %us : !temp) -> (!temp)
        attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
      %0 = stencil.access %x[0, 1] : !temp
      %1 = stencil.access %x[0, -1] : !temp
      %2 = arith.subf %0, %1 : f64
      stencil.return %2 : f64
    }
    %q = stencil.apply(%x = %p : !temp, %y = %us : !temp) -> (!temp)
        attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
      %0 = stencil.access %x[1, 0] : !temp
      %1 = stencil.access %y[0, 0] : !temp
      %2 = arith.mulf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %q to %v(<[0, 0], [6, 8]>) : !temp to !grid
    %rim = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[0, 0] : !temp
      stencil.return %0 : f64
    }
    stencil.store %rim to %v(<[6, 0], [7, 8]>) : !temp to !grid
    scf.yield %v, %u : !grid, !grid
  }
  return
}
