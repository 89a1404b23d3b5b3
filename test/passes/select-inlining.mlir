// An apply is computed by its readers where that lowers the bytes of its block; all others keep a kernel.
//
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-select-inlining))' | FileCheck %s
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-select-inlining{plain=true}))' | FileCheck %s --check-prefix=PLAIN
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-select-inlining{plan=points=2,laplacian:points=4}))' | FileCheck %s --check-prefix=NAMED
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-select-inlining))' --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: stencilc run %s --on=interpreter --function=at_one_offset --same-after='builtin.module(func.func(stencil-infer-bounds,stencil-select-inlining,stencil-inline-producers{marked=true}))' --seed=1
// RUN: stencilc run %s --on=interpreter --function=stored --same-after='builtin.module(func.func(stencil-infer-bounds,stencil-select-inlining,stencil-inline-producers{marked=true}))' --seed=1
// One kernel, with the bits that two have.
// RUN: stencilc run %s --on=emulator --function=at_one_offset --verify --seed=1 | FileCheck %s --check-prefix=ONE --implicit-check-not='kernel '
// RUN: stencilc run %s --on=emulator --function=rotated --arg steps=3 --verify --seed=1 | FileCheck %s --check-prefix=ROTATED --implicit-check-not='kernel '
// RUN: stencilc run %s --on=emulator --function=in_place --verify --seed=1
// RUN: stencilc run %s --on=emulator --function=at_several_offsets --verify --seed=1 | FileCheck %s --check-prefix=SEVERAL --implicit-check-not='kernel '
// RUN: stencilc run %s --on=emulator --function=costly --verify --seed=1
// RUN: stencilc run %s --on=emulator --function=fluxes --verify --seed=1
// RUN: stencilc run %s --on=emulator --function=stored --verify --seed=1
// RUN: stencilc run %s --on=emulator --function=overwritten_later --verify --seed=1
// RUN: stencilc run %s --on=emulator --function=at_one_offset --verify --seed=1 --plan laplacian:points=2 | FileCheck %s --check-prefix=KEPT
//
// COUNT: 6 stencil-select-inlining num-selected
// PLAIN-NOT: stencil.inline
// NAMED: func.func @at_one_offset
// NAMED: attributes {stencil.stage = "laplacian"}
// NAMED: stencil.inline{{.*}}stencil.stage = "scaled"
// ONE: kernel    at_one_offset_update:
// ONE: computes scaled at 1 offset (41 -> 17 bytes a point{{.*}}), laplacian at 1 offset (57 -> 41 bytes
// ROTATED: kernel    rotated_update:
// SEVERAL: kernel    at_several_offsets_stage1:
// KEPT: kernel    at_one_offset_laplacian:

!field = !stencil.field<[-2,34]x[-2,34]xf64>
!temp = !stencil.temp<?x?xf64>

// A chain: each is read once, the last one is stored.
// CHECK-LABEL: func.func @at_one_offset
// CHECK:       stencil.apply{{.*}} attributes {stencil.inline = "{{.*}}", stencil.stage = "laplacian"}
// CHECK:       stencil.apply{{.*}} attributes {stencil.inline = "{{.*}}", stencil.stage = "scaled"}
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
// CHECK:       stencil.apply{{.*}} attributes {stencil.inline = "{{.*}}", stencil.stage = "laplacian"}
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

// Every point is computed twice, for half of the bytes.
// CHECK-LABEL: func.func @at_several_offsets
// CHECK:       stencil.inline = "32 -> 16 bytes a point, 2 -> 2 issue slots"
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

// Three more exponentials for each point take longer than 16 bytes.
// CHECK-LABEL: func.func @costly
// CHECK-NOT:   stencil.inline
func.func @costly(%u: !field, %v: !field) {
  %t = stencil.load %u : !field -> !temp
  %l = stencil.apply(%x = %t : !temp) -> (!temp) {
    %a = stencil.access %x[0, 0] : !temp
    %s = math.exp %a : f64
    %e = math.exp %s : f64
    %f = math.exp %e : f64
    %g = math.tanh %f : f64
    stencil.return %g : f64
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

// A flux through each of two faces is needed by the points on both sides, which a thread that
// computes four points in a column shares; each reader needs one of the results at an offset.
// CHECK-LABEL: func.func @fluxes
// CHECK:       stencil.inline = "48 -> 16 bytes a point, {{[0-9]+ -> [0-9]+}} issue slots"
func.func @fluxes(%u: !field, %v: !field) {
  %t = stencil.load %u : !field -> !temp
  %fy, %fx = stencil.apply(%x = %t : !temp) -> (!temp, !temp) {
    %a = stencil.access %x[0, 0] : !temp
    %0 = math.exp %a : f64
    %1 = math.exp %0 : f64
    %2 = arith.negf %a : f64
    %3 = math.exp %2 : f64
    %4 = math.exp %3 : f64
    stencil.return %1, %4 : f64, f64
  }
  %n = stencil.apply(%y = %fy : !temp, %x = %fx : !temp) -> (!temp) {
    %a = stencil.access %y[0, 0] : !temp
    %b = stencil.access %y[1, 0] : !temp
    %c = stencil.access %x[0, 0] : !temp
    %d = stencil.access %x[0, 1] : !temp
    %p = arith.subf %b, %a : f64
    %q = arith.subf %d, %c : f64
    %s = arith.addf %p, %q : f64
    stencil.return %s : f64
  }
  stencil.store %n to %v(<[0, 0], [32, 32]>) : !temp to !field
  return
}

// What is stored keeps its store, and is computed by its reader too: the reads of both are shared
// by the kernel that they become.
// CHECK-LABEL: func.func @stored
// CHECK:       stencil.inline = "48 -> 25 bytes a point
func.func @stored(%u: !field, %v: !field, %w: !field) {
  %t = stencil.load %u : !field -> !temp
  %l = stencil.apply(%x = %t : !temp) -> (!temp) {
    %a = stencil.access %x[-1, 0] : !temp
    %b = stencil.access %x[1, 0] : !temp
    %s = arith.addf %a, %b : f64
    stencil.return %s : f64
  }
  %n = stencil.apply(%x = %t : !temp, %y = %l : !temp) -> (!temp) {
    %a = stencil.access %y[0, 1] : !temp
    %b = stencil.access %x[0, 0] : !temp
    %s = arith.subf %a, %b : f64
    stencil.return %s : f64
  }
  stencil.store %l to %v(<[0, 0], [32, 32]>) : !temp to !field
  stencil.store %n to %w(<[0, 0], [32, 32]>) : !temp to !field
  return
}

// An apply between the two may write the field that is read, although its store comes last.
// CHECK-LABEL: func.func @overwritten_later
// CHECK-NOT:   stencil.inline
func.func @overwritten_later(%u: !field, %v: !field, %w: !field) {
  %t = stencil.load %u : !field -> !temp
  %other = stencil.load %w : !field -> !temp
  %l = stencil.apply(%x = %t : !temp) -> (!temp) {
    %a = stencil.access %x[-1, 0] : !temp
    stencil.return %a : f64
  }
  %m = stencil.apply(%x = %other : !temp) -> (!temp) {
    %a = stencil.access %x[0, 1] : !temp
    stencil.return %a : f64
  }
  %n = stencil.apply(%y = %l : !temp) -> (!temp) {
    %a = stencil.access %y[0, 0] : !temp
    %s = arith.mulf %a, %a : f64
    stencil.return %s : f64
  }
  stencil.store %n to %v(<[0, 0], [32, 32]>) : !temp to !field
  stencil.store %m to %u(<[0, 0], [32, 32]>) : !temp to !field
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

// What has a plan is a kernel, and so is what it reads.
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
