// An apply keeps the values from which its readers compute the results, where that takes less time.
//
// DEFINE: %{select} = builtin.module(func.func(stencil-infer-bounds,stencil-unify-applies,stencil-select-cuts))
// RUN: stencil-opt %s --pass-pipeline='%{select}' | FileCheck %s
// RUN: stencil-opt %s --pass-pipeline='%{select}' --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: stencil-opt %s --pass-pipeline='%{select}' --remarks-filter-passed=stencil-select-cuts -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-unify-applies,stencil-select-cuts{plain=true}))' | FileCheck %s --check-prefix=PLAIN
// RUN: stencil-opt %s --pass-pipeline='%{select}' | stencil-opt --pass-pipeline='builtin.module(func.func(stencil-select-cuts))' --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: not stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-select-cuts{target=sm_1}))' 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: stencilc run %s --on=interpreter --function=along_an_axis --same-after='builtin.module(func.func(stencil-infer-bounds,stencil-unify-applies,stencil-select-cuts,stencil-cut-producers))' --seed=1
// RUN: stencilc run %s --on=interpreter --function=in_place --same-after='builtin.module(func.func(stencil-infer-bounds,stencil-unify-applies,stencil-select-cuts,stencil-cut-producers))' --seed=1
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-unify-applies,stencil-select-cuts,stencil-cut-producers))' -o %t.mlir
// RUN: stencilc run %t.mlir --on=emulator --function=in_place --verify --seed=1
//
// COUNT: 2 stencil-select-cuts num-selected
// AGAIN-NOT: num-selected
// PLAIN-NOT: stencil.crosses
// TARGET: error: {{.*}}sm_1

!field = !stencil.field<[-2,258]x[-2,258]xf32>
!temp = !stencil.temp<?x?xf32>

// Derivatives along an axis whose components are in memory, as vectors: two slopes, four results.
// REMARK: remark: {{.*}}Function=along_an_axis{{.*}}keeps 2 values instead of 4, and its readers compute the rest
// CHECK-LABEL: func.func @along_an_axis
// CHECK:       arith.addf {{.*}} {stencil.crosses = "{{[0-9]+}} -> {{[0-9]+}} bytes a point, {{[0-9]+}} -> {{[0-9]+}} issue slots, {{[0-9.]+}} -> {{[0-9.]+}} us predicted"}
// CHECK:       arith.addf {{.*}} {stencil.crosses =
// CHECK-NOT:   stencil.crosses
func.func @along_an_axis(%u: !field, %w: !field, %nx: !field, %ny: !field, %v: !field) {
  %ut = stencil.load %u : !field -> !temp
  %wt = stencil.load %w : !field -> !temp
  %xt = stencil.load %nx : !field -> !temp
  %yt = stencil.load %ny : !field -> !temp
  %p:4 = stencil.apply(%u_ = %ut : !temp, %w_ = %wt : !temp, %x_ = %xt : !temp, %y_ = %yt : !temp) -> (!temp, !temp, !temp, !temp) attributes {stencil.stage = "slopes"} {
    %x = stencil.access %x_[0, 0] : !temp
    %y = stencil.access %y_[0, 0] : !temp
    %ul = stencil.access %u_[0, -1] : !temp
    %ur = stencil.access %u_[0, 1] : !temp
    %us = stencil.access %u_[-1, 0] : !temp
    %un = stencil.access %u_[1, 0] : !temp
    %udx = arith.subf %ur, %ul : f32
    %udy = arith.subf %un, %us : f32
    %uax = arith.mulf %udx, %x : f32
    %uay = arith.mulf %udy, %y : f32
    %ua = arith.addf %uax, %uay : f32
    %ufx = arith.mulf %ua, %x : f32
    %ufy = arith.mulf %ua, %y : f32
    %wl = stencil.access %w_[0, -1] : !temp
    %wr = stencil.access %w_[0, 1] : !temp
    %ws = stencil.access %w_[-1, 0] : !temp
    %wn = stencil.access %w_[1, 0] : !temp
    %wdx = arith.subf %wr, %wl : f32
    %wdy = arith.subf %wn, %ws : f32
    %wax = arith.mulf %wdx, %x : f32
    %way = arith.mulf %wdy, %y : f32
    %wa = arith.addf %wax, %way : f32
    %wfx = arith.mulf %wa, %x : f32
    %wfy = arith.mulf %wa, %y : f32
    stencil.return %ufx, %ufy, %wfx, %wfy : f32, f32, f32, f32
  }
  %q = stencil.apply(%ufx = %p#0 : !temp, %ufy = %p#1 : !temp, %wfx = %p#2 : !temp, %wfy = %p#3 : !temp) -> (!temp) attributes {stencil.stage = "divergence"} {
    %ue = stencil.access %ufx[0, 1] : !temp
    %uo = stencil.access %ufx[0, -1] : !temp
    %un = stencil.access %ufy[1, 0] : !temp
    %us = stencil.access %ufy[-1, 0] : !temp
    %udx = arith.subf %ue, %uo : f32
    %udy = arith.subf %un, %us : f32
    %ud = arith.addf %udx, %udy : f32
    %we = stencil.access %wfx[0, 1] : !temp
    %wo = stencil.access %wfx[0, -1] : !temp
    %wn = stencil.access %wfy[1, 0] : !temp
    %ws = stencil.access %wfy[-1, 0] : !temp
    %wdx = arith.subf %we, %wo : f32
    %wdy = arith.subf %wn, %ws : f32
    %wd = arith.addf %wdx, %wdy : f32
    %product = arith.mulf %ud, %wd : f32
    stencil.return %product : f32
  }
  stencil.store %q to %v(<[0, 0], [256, 256]>) : !temp to !field
  return
}

// The reader overwrites a component, which is kept too: it would read old and new values of it.
// REMARK: remark: {{.*}}Function=in_place{{.*}}keeps 3 values instead of 4, and its readers compute the rest
// CHECK-LABEL: func.func @in_place
// CHECK:       stencil.access {{.*}} attributes {stencil.crosses =
// CHECK:       arith.addf {{.*}} {stencil.crosses =
// CHECK:       arith.addf {{.*}} {stencil.crosses =
// CHECK-NOT:   stencil.crosses
func.func @in_place(%u: !field, %w: !field, %nx: !field, %ny: !field) {
  %ut = stencil.load %u : !field -> !temp
  %wt = stencil.load %w : !field -> !temp
  %xt = stencil.load %nx : !field -> !temp
  %yt = stencil.load %ny : !field -> !temp
  %p:4 = stencil.apply(%u_ = %ut : !temp, %w_ = %wt : !temp, %x_ = %xt : !temp, %y_ = %yt : !temp) -> (!temp, !temp, !temp, !temp) attributes {stencil.stage = "slopes"} {
    %x = stencil.access %x_[0, 0] : !temp
    %y = stencil.access %y_[0, 0] : !temp
    %ul = stencil.access %u_[0, -1] : !temp
    %ur = stencil.access %u_[0, 1] : !temp
    %us = stencil.access %u_[-1, 0] : !temp
    %un = stencil.access %u_[1, 0] : !temp
    %udx = arith.subf %ur, %ul : f32
    %udy = arith.subf %un, %us : f32
    %uax = arith.mulf %udx, %x : f32
    %uay = arith.mulf %udy, %y : f32
    %ua = arith.addf %uax, %uay : f32
    %ufx = arith.mulf %ua, %x : f32
    %ufy = arith.mulf %ua, %y : f32
    %wl = stencil.access %w_[0, -1] : !temp
    %wr = stencil.access %w_[0, 1] : !temp
    %ws = stencil.access %w_[-1, 0] : !temp
    %wn = stencil.access %w_[1, 0] : !temp
    %wdx = arith.subf %wr, %wl : f32
    %wdy = arith.subf %wn, %ws : f32
    %wax = arith.mulf %wdx, %x : f32
    %way = arith.mulf %wdy, %y : f32
    %wa = arith.addf %wax, %way : f32
    %wfx = arith.mulf %wa, %x : f32
    %wfy = arith.mulf %wa, %y : f32
    stencil.return %ufx, %ufy, %wfx, %wfy : f32, f32, f32, f32
  }
  %q = stencil.apply(%ufx = %p#0 : !temp, %ufy = %p#1 : !temp, %wfx = %p#2 : !temp, %wfy = %p#3 : !temp) -> (!temp) attributes {stencil.stage = "divergence"} {
    %ue = stencil.access %ufx[0, 1] : !temp
    %uo = stencil.access %ufx[0, -1] : !temp
    %un = stencil.access %ufy[1, 0] : !temp
    %us = stencil.access %ufy[-1, 0] : !temp
    %udx = arith.subf %ue, %uo : f32
    %udy = arith.subf %un, %us : f32
    %ud = arith.addf %udx, %udy : f32
    %we = stencil.access %wfx[0, 1] : !temp
    %wo = stencil.access %wfx[0, -1] : !temp
    %wn = stencil.access %wfy[1, 0] : !temp
    %ws = stencil.access %wfy[-1, 0] : !temp
    %wdx = arith.subf %we, %wo : f32
    %wdy = arith.subf %wn, %ws : f32
    %wd = arith.addf %wdx, %wdy : f32
    %product = arith.mulf %ud, %wd : f32
    stencil.return %product : f32
  }
  stencil.store %q to %ny(<[0, 0], [256, 256]>) : !temp to !field
  return
}
