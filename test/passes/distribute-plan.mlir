// A plan of a program says which kernels it is computed by; applies and loops get their parts of it.
//
// RUN: stencil-opt %s --stencil-distribute-plan | FileCheck %s
// RUN: stencil-opt %s --stencil-distribute-plan --stencil-distribute-plan | FileCheck %s
// RUN: stencil-opt %s --stencil-distribute-plan=plain=true | FileCheck %s --check-prefix=PLAIN
// RUN: stencil-opt %s --stencil-distribute-plan --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
//
// What the plan says is what is made, and computes the same.
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=emulator --function=%{function} --verify --seed=1
// REDEFINE: %{function} = four_stages
// RUN: %{run} | FileCheck %s --check-prefix=KERNELS --implicit-check-not='kernel '
// REDEFINE: %{function} = two_groups
// RUN: %{run} | FileCheck %s --check-prefix=GROUPS --implicit-check-not='kernel '
// REDEFINE: %{function} = time_loop
// RUN: %{run} | FileCheck %s --check-prefix=LOOP
//
// PLAIN-NOT: stencil.{{program_plan|group|plan|inline}}
// COUNT: 5 stencil-distribute-plan num-planned
// KERNELS: kernel four_stages_sums:
// KERNELS: kernel four_stages_last:
// GROUPS: kernel two_groups_group1:
// GROUPS: kernel two_groups_group:
// LOOP: kernel time_loop_both

!grid = !stencil.field<[-4,20]x[-4,44]xf64>
!temp = !stencil.temp<?x?xf64>

// Of four applies one is computed by its reader, two are a sweep, and one a kernel of its own.
// CHECK-LABEL: func.func @four_stages
// CHECK-NOT:     program_plan
// CHECK:         stencil.apply
// CHECK-SAME:      stencil.inline = "its program plan says so", stencil.stage = "first"
// CHECK:         stencil.apply
// CHECK-SAME:      stencil.group = "sums", stencil.plan = #stencil.plan<{mapping = "warp"}>, stencil.stage = "second"
// CHECK:         stencil.apply
// CHECK-SAME:      stencil.group = "sums", stencil.plan = #stencil.plan<{mapping = "warp"}>, stencil.stage = "third"
// CHECK:         stencil.apply
// CHECK-SAME:      {stencil.plan = #stencil.plan<{}>, stencil.stage = "last"}
func.func @four_stages(%a: !grid, %b: !grid, %c: !grid) attributes {stencil.program_plan =
    #stencil.program_plan<[{name = "sums", stages = ["second", "third"], inlined = ["first"],
    plan = #stencil.plan<{mapping = "warp"}>}, {stages = ["last"]}]>} {
  %as = stencil.load %a : !grid -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.stage = "first"} {
    %0 = stencil.access %x[0, 1] : !temp
    %1 = stencil.access %x[0, -1] : !temp
    %2 = arith.subf %0, %1 : f64
    stencil.return %2 : f64
  }
  %q = stencil.apply(%x = %p : !temp) -> (!temp) attributes {stencil.stage = "second"} {
    %0 = stencil.access %x[1, 0] : !temp
    %1 = stencil.access %x[-1, 0] : !temp
    %2 = arith.mulf %0, %1 : f64
    stencil.return %2 : f64
  }
  %r = stencil.apply(%x = %q : !temp) -> (!temp) attributes {stencil.stage = "third"} {
    %0 = stencil.access %x[0, 1] : !temp
    %1 = stencil.access %x[1, 0] : !temp
    %2 = arith.mulf %0, %1 : f64
    stencil.return %2 : f64
  }
  stencil.store %r to %b(<[0, 0], [16, 40]>) : !temp to !grid
  %s = stencil.apply(%x = %q : !temp) -> (!temp) attributes {stencil.stage = "last"} {
    %0 = stencil.access %x[0, -1] : !temp
    stencil.return %0 : f64
  }
  stencil.store %s to %c(<[0, 0], [16, 40]>) : !temp to !grid
  return
}

// Groups without names have numbers. What needs nothing of the other is launched as the program has it.
// CHECK-LABEL: func.func @two_groups
// CHECK:         stencil.group = "group1", stencil.plan = #stencil.plan<{}>, stencil.stage = "first"
// CHECK:         stencil.group = "group", stencil.plan = #stencil.plan<{}>, stencil.stage = "second"
// CHECK:         stencil.group = "group1", stencil.plan = #stencil.plan<{}>, stencil.stage = "third"
// CHECK:         stencil.group = "group", stencil.plan = #stencil.plan<{}>, stencil.stage = "fourth"
func.func @two_groups(%a: !grid, %b: !grid, %c: !grid) attributes {stencil.program_plan =
    #stencil.program_plan<[{stages = ["second", "fourth"]}, {stages = ["first", "third"]}]>} {
  %as = stencil.load %a : !grid -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.stage = "first"} {
    %0 = stencil.access %x[0, 1] : !temp
    stencil.return %0 : f64
  }
  %q = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.stage = "second"} {
    %0 = stencil.access %x[1, 0] : !temp
    stencil.return %0 : f64
  }
  %r = stencil.apply(%x = %p : !temp) -> (!temp) attributes {stencil.stage = "third"} {
    %0 = stencil.access %x[1, 1] : !temp
    %1 = stencil.access %x[1, -1] : !temp
    %2 = arith.mulf %0, %1 : f64
    stencil.return %2 : f64
  }
  stencil.store %r to %b(<[0, 0], [16, 40]>) : !temp to !grid
  %s = stencil.apply(%x = %q : !temp) -> (!temp) attributes {stencil.stage = "fourth"} {
    %0 = stencil.access %x[0, -1] : !temp
    %1 = stencil.access %x[0, 1] : !temp
    %2 = arith.mulf %0, %1 : f64
    stencil.return %2 : f64
  }
  stencil.store %s to %c(<[0, 0], [16, 40]>) : !temp to !grid
  return
}

// A loop has the plan of its steps.
// CHECK-LABEL: func.func @time_loop
// CHECK-COUNT-2: stencil.plan = #stencil.plan<{}>
// CHECK:         } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2 : i64}>, stencil.stage = "both"}
func.func @time_loop(%a: !grid, %b: !grid) attributes {stencil.program_plan =
    #stencil.program_plan<[{name = "both", stages = ["first", "second"], time_loop,
    plan = #stencil.plan<{mapping = "warp", steps = 2}>}]>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 5 : index
  scf.for %i = %zero to %steps step %one {
    %as = stencil.load %a : !grid -> !temp
    %bs = stencil.load %b : !grid -> !temp
    %p = stencil.apply(%x = %bs : !temp, %y = %as : !temp) -> (!temp) attributes {stencil.stage = "first"} {
      %0 = stencil.access %x[0, 1] : !temp
      %1 = stencil.access %y[0, 0] : !temp
      %2 = arith.subf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %p to %a(<[0, 0], [16, 40]>) : !temp to !grid
    %an = stencil.load %a : !grid -> !temp
    %q = stencil.apply(%x = %an : !temp, %y = %bs : !temp) -> (!temp) attributes {stencil.stage = "second"} {
      %0 = stencil.access %x[1, 0] : !temp
      %1 = stencil.access %y[0, 0] : !temp
      %2 = arith.subf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %q to %b(<[0, 0], [16, 40]>) : !temp to !grid
  }
  return
}
