// Applies in a row that read each other's results are a group with one plan, where a sweep of them is predicted to be faster.
//
// RUN: stencil-opt %s --stencil-select-plan | FileCheck %s
// RUN: stencil-opt %s --stencil-select-plan --stencil-select-plan | FileCheck %s
// RUN: stencil-opt %s --stencil-select-plan --remarks-filter-missed=stencil-select-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stencil-opt %s --stencil-select-plan=plan=mapping=thread | FileCheck %s --check-prefix=THREAD
// RUN: stencil-opt %s --stencil-select-plan=plain=true | FileCheck %s --check-prefix=THREAD
// RUN: stencil-opt %s --stencil-select-plan=plan=group:mapping=warp,group:points=1x2 | FileCheck %s --check-prefix=NAMED
// RUN: stencil-opt %s --stencil-select-plan=plan=mapping=warp,steps=2,points=1x2 --remarks-filter-missed=stencil-select-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: stencil-opt %s --stencil-select-plan=plan=first:points=2x1 | FileCheck %s --check-prefix=KERNELS
// RUN: stencil-opt %s --stencil-select-plan=plan=first:points=2x1 --remarks-filter-missed=stencil-select-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=KEYS
//
// A group with keys is one kernel, with the bits that two have; mapping=thread keeps both.
// RUN: stencilc run %s --on=emulator --function=small --verify --seed=1 --plan group:mapping=warp | FileCheck %s --check-prefix=ONE --implicit-check-not='kernel '
// RUN: stencilc run %s --on=emulator --function=small --verify --seed=1 | FileCheck %s --check-prefix=TWO
//
// THREAD-NOT: stencil.group
// ONE: kernel small_group:
// ONE: swept, 'first', 'second' at once; given: mapping
// TWO: kernel small_first:
// TWO: kernel small_second:

!image = !stencil.field<[-2,8194]x[-2,8194]xf32>
!wide = !stencil.temp<[-2,8194]x[-2,8194]xf32>
!grid = !stencil.field<[-1,8193]x[-1,8193]xf32>
!temp = !stencil.temp<[-1,8193]x[-1,8193]xf32>
!result = !stencil.temp<[0,8192]x[0,8192]xf32>

// CHECK-LABEL: func.func @temp_between
// CHECK-SAME:    stencil.decisions = {group = {plan = "group:{{[^"]*}}mapping=warp,{{[^"]*}}", why = "swept, 'first', 'second' at once: {{.*}} us predicted, {{.*}} us by themselves (NVIDIA H200)"}}
// CHECK:         stencil.apply
// CHECK-SAME:      stencil.group = "group", stencil.plan = #stencil.plan<{{.*}}mapping = "warp"{{.*}}>, stencil.stage = "first"
// CHECK:         stencil.apply
// CHECK-SAME:      stencil.group = "group", stencil.plan = #stencil.plan<{{.*}}mapping = "warp"{{.*}}>, stencil.stage = "second"
// NAMED-LABEL: func.func @temp_between
// NAMED-COUNT-2: stencil.apply{{.*}}stencil.group = "group", stencil.plan = #stencil.plan<{{.*}}points = array<i64: 1, 2>
// Keys for one of the kernels keep them apart.
// KEYS: is no sweep of its statements: keys are given for its kernel 'first'
// KERNELS-LABEL: func.func @temp_between
// KERNELS-NOT:   stencil.group
// KERNELS:       return
func.func @temp_between(%a: !image, %c: !grid) {
  %as = stencil.load %a : !image -> !wide
  %p = stencil.apply(%x = %as : !wide) -> (!temp) attributes {stencil.stage = "first"} {
    %0 = stencil.access %x[0, 1] : !wide
    %1 = stencil.access %x[-1, 0] : !wide
    %2 = arith.subf %0, %1 : f32
    stencil.return %2 : f32
  }
  %q = stencil.apply(%x = %p : !temp) -> (!result) attributes {stencil.stage = "second"} {
    %0 = stencil.access %x[1, 0] : !temp
    %1 = stencil.access %x[-1, -1] : !temp
    %2 = arith.mulf %0, %1 : f32
    stencil.return %2 : f32
  }
  stencil.store %q to %c(<[0, 0], [8192, 8192]>) : !result to !grid
  return
}

// The second statement overwrites what the first reads.
// CHECK-LABEL: func.func @in_place
// CHECK-NOT:     stencil.group
// REMARK: cannot join a sweep: it reads cells of a field before it stores them, and threads of another block may have stored them
func.func @in_place(%a: !grid, %b: !grid) {
  %as = stencil.load %a : !grid -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!result) attributes {stencil.stage = "first"} {
    %0 = stencil.access %x[0, 1] : !temp
    stencil.return %0 : f32
  }
  stencil.store %p to %b(<[0, 0], [8192, 8192]>) : !result to !grid
  %bs = stencil.load %b : !grid -> !temp
  %q = stencil.apply(%x = %bs : !temp) -> (!result) attributes {stencil.stage = "second"} {
    %0 = stencil.access %x[1, 0] : !temp
    stencil.return %0 : f32
  }
  stencil.store %q to %a(<[0, 0], [8192, 8192]>) : !result to !grid
  return
}

!small_grid = !stencil.field<[-1,17]x[-1,41]xf32>
!small = !stencil.temp<[-1,17]x[-1,41]xf32>
!small_result = !stencil.temp<[0,16]x[0,40]xf32>

// A sweep of few planes is not worth its start; one step is not several.
// CHECK-LABEL: func.func @small
// CHECK-NOT:     stencil.group
// CHECK:         return
// REMARK: is no sweep of its statements: the domain has fewer than 64 planes or columns
// STEPS: is no sweep of its statements: it makes one step, and `steps` asks for more
func.func @small(%a: !small_grid, %b: !small_grid, %c: !small_grid) {
  %as = stencil.load %a : !small_grid -> !small
  %p = stencil.apply(%x = %as : !small) -> (!small_result) attributes {stencil.stage = "first"} {
    %0 = stencil.access %x[0, 1] : !small
    %1 = stencil.access %x[-1, 0] : !small
    %2 = arith.subf %0, %1 : f32
    stencil.return %2 : f32
  }
  stencil.store %p to %b(<[0, 0], [16, 40]>) : !small_result to !small_grid
  %bs = stencil.load %b : !small_grid -> !small
  %q = stencil.apply(%x = %bs : !small) -> (!small_result) attributes {stencil.stage = "second"} {
    %0 = stencil.access %x[1, 0] : !small
    %1 = stencil.access %x[-1, -1] : !small
    %2 = arith.mulf %0, %1 : f32
    stencil.return %2 : f32
  }
  stencil.store %q to %c(<[0, 0], [16, 40]>) : !small_result to !small_grid
  return
}

// CHECK-LABEL: func.func @without_names
func.func @without_names(%a: !small_grid, %b: !small_grid, %c: !small_grid) {
  %as = stencil.load %a : !small_grid -> !small
  %p = stencil.apply(%x = %as : !small) -> (!small_result) {
    %0 = stencil.access %x[0, 1] : !small
    stencil.return %0 : f32
  }
  stencil.store %p to %b(<[0, 0], [16, 40]>) : !small_result to !small_grid
  %bs = stencil.load %b : !small_grid -> !small
  %q = stencil.apply(%x = %bs : !small) -> (!small_result) {
    %0 = stencil.access %x[1, 0] : !small
    %1 = stencil.access %x[-1, -1] : !small
    %2 = arith.mulf %0, %1 : f32
    stencil.return %2 : f32
  }
  stencil.store %q to %c(<[0, 0], [16, 40]>) : !small_result to !small_grid
  return
}
