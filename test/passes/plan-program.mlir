// Of the partitions of a block's applies into kernels the one that is predicted to be fastest is its plan.
//
// RUN: stencil-opt %s --stencil-plan-program | FileCheck %s
// RUN: stencil-opt %s --stencil-plan-program --stencil-plan-program | FileCheck %s
// RUN: stencil-opt %s --stencil-plan-program --remarks-filter=stencil-plan-program -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stencil-opt %s --stencil-plan-program=plan=mapping=thread | FileCheck %s --check-prefix=NONE
// RUN: stencil-opt %s --stencil-plan-program=plain=true | FileCheck %s --check-prefix=NONE
// RUN: stencil-opt %s --stencil-plan-program=plan=second:points=2x1 | FileCheck %s --check-prefix=NONE
// RUN: stencil-opt %s --stencil-plan-program=fusion=stencilgen | FileCheck %s --check-prefix=GREEDY
// RUN: stencil-opt %s --stencil-plan-program=fusion=stencilgen --remarks-filter=stencil-plan-program -o /dev/null 2>&1 | FileCheck %s --check-prefix=LOG
//
// Reports say what else there was, and kernels compute what the program says.
// RUN: stencil-opt %s --stencil-plan-program --stencil-distribute-plan --stencil-place-groups --stencil-select-plan | FileCheck %s --check-prefix=REPORT
// RUN: stencilc run %s --on=interpreter --function=small --seed=1 --same-after='builtin.module(func.func(stencil-plan-program{fusion=stencilgen},stencil-distribute-plan,stencil-place-groups),stencil-select-plan,func.func(sweep-fuse-statements))'
//
// NONE-NOT: stencil.program_plan

!grid = !stencil.field<[-4,8196]x[-104,8296]xf32>
!wide = !stencil.temp<[-2,8194]x[-103,8295]xf32>
!temp = !stencil.temp<[-1,8193]x[-103,8295]xf32>
!far = !stencil.temp<[0,8192]x[-102,8294]xf32>
!result = !stencil.temp<[0,8192]x[0,8192]xf32>

// The third apply reads too far along the lines of a tile to be part of the sweep.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    stencil.program_plan = #stencil.program_plan<[{stages = ["first", "second"]}, {stages = ["third"]}]>
// REMARK: is one sweep with 'second'; the block is predicted to take {{.*}} us, and {{.*}} us apart
// REMARK: is not one sweep with 'first', 'second': they are predicted to take {{.*}} us as the best sweep of its statements, and {{.*}} us by themselves
// REPORT-LABEL: func.func @chain
// REPORT-SAME:    group = {plan = "group:{{[^"]*}}", why = "swept, 'first', 'second' at once: {{.*}} us predicted, {{.*}} us by themselves (NVIDIA H200); the block is predicted to take {{.*}} us, and {{.*}} us apart"}
// REPORT-SAME:    third = {plan = "third:
// GREEDY-LABEL: func.func @chain
// GREEDY-SAME:    #stencil.program_plan<[{stages = ["first", "second"]}, {stages = ["third"]}]>
// LOG: fuse first and second: D_m=2 {{.*}}, the only pair
// LOG: refuse first+second and third: {{.*}}, order {{1..}}, limit 4
func.func @chain(%a: !grid, %b: !grid) {
  %as = stencil.load %a : !grid -> !wide
  %p = stencil.apply(%x = %as : !wide) -> (!temp) attributes {stencil.stage = "first"} {
    %0 = stencil.access %x[0, 0] : !wide
    %1 = stencil.access %x[-1, 0] : !wide
    %2 = arith.subf %0, %1 : f32
    stencil.return %2 : f32
  }
  %q = stencil.apply(%x = %p : !temp) -> (!far) attributes {stencil.stage = "second"} {
    %0 = stencil.access %x[0, 1] : !temp
    %1 = stencil.access %x[-1, -1] : !temp
    %2 = arith.mulf %0, %1 : f32
    stencil.return %2 : f32
  }
  %r = stencil.apply(%x = %q : !far) -> (!result) attributes {stencil.stage = "third"} {
    %0 = stencil.access %x[0, 100] : !far
    %1 = stencil.access %x[0, -100] : !far
    %2 = stencil.access %x[0, 0] : !far
    %3 = arith.mulf %0, %1 : f32
    %4 = arith.subf %3, %2 : f32
    stencil.return %4 : f32
  }
  stencil.store %r to %b(<[0, 0], [8192, 8192]>) : !result to !grid
  return
}

!small_grid = !stencil.field<[-8,24]x[-8,48]xf32>
!small_wide = !stencil.temp<[-1,17]x[-1,41]xf32>
!small = !stencil.temp<[0,16]x[0,40]xf32>

// Few planes are not worth a sweep, but STENCILGEN does not ask for that. In a loop it fuses as
// elsewhere: all statements are steps of the loop's sweep.
// CHECK-LABEL: func.func @small
// CHECK-NOT:     stencil.program_plan
// GREEDY-LABEL: func.func @small
// GREEDY-SAME:    #stencil.program_plan<[{stages = ["left", "right"]}, {stages = ["even", "odd"], time_loop}]>
func.func @small(%a: !small_grid, %b: !small_grid, %c: !small_grid) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 4 : index
  %as = stencil.load %a : !small_grid -> !small_wide
  %p = stencil.apply(%x = %as : !small_wide) -> (!small_wide) attributes {stencil.stage = "left"} {
    %0 = stencil.access %x[0, 0] : !small_wide
    %1 = arith.mulf %0, %0 : f32
    stencil.return %1 : f32
  }
  %q = stencil.apply(%x = %p : !small_wide) -> (!small) attributes {stencil.stage = "right"} {
    %0 = stencil.access %x[0, 1] : !small_wide
    %1 = stencil.access %x[-1, -1] : !small_wide
    %2 = arith.mulf %0, %1 : f32
    stencil.return %2 : f32
  }
  stencil.store %q to %c(<[0, 0], [16, 40]>) : !small to !small_grid
  %end:2 = scf.for %i = %zero to %steps step %one iter_args(%u = %a, %v = %b)
      -> (!small_grid, !small_grid) {
    %us = stencil.load %u : !small_grid -> !small_wide
    %e = stencil.apply(%x = %us : !small_wide) -> (!small_wide) attributes {stencil.stage = "even"} {
      %0 = stencil.access %x[0, 0] : !small_wide
      %1 = arith.mulf %0, %0 : f32
      stencil.return %1 : f32
    }
    %o = stencil.apply(%x = %e : !small_wide, %y = %us : !small_wide) -> (!small) attributes {stencil.stage = "odd"} {
      %0 = stencil.access %x[1, 0] : !small_wide
      %1 = stencil.access %y[0, 0] : !small_wide
      %2 = arith.subf %0, %1 : f32
      stencil.return %2 : f32
    }
    stencil.store %o to %v(<[0, 0], [16, 40]>) : !small to !small_grid
    scf.yield %v, %u : !small_grid, !small_grid
  }
  return
}
