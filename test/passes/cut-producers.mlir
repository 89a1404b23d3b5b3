// Readers go on from the marked values of an apply, and compute its results from there at each offset.
//
// RUN: stencil-opt %s --stencil-cut-producers | FileCheck %s
// RUN: stencil-opt %s --stencil-cut-producers --stencil-cut-producers | FileCheck %s
// RUN: stencil-opt %s --stencil-cut-producers --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: stencil-opt %s --stencil-cut-producers --remarks-filter-passed=stencil-cut-producers --remarks-filter-missed=stencil-cut-producers -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-cut-producers))' --seed=1
// What was cut is compiled too.
// DEFINE: %{cut} = stencil-opt %s --stencil-cut-producers -o %t.mlir
// DEFINE: %{kernels} = stencilc run %t.mlir --on=emulator --function=%{function} --verify --seed=1
// RUN: %{cut}
// REDEFINE: %{function} = products
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = stored_too
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = overwritten
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = readers
// RUN: %{run}
// RUN: %{kernels}
//
// COUNT-DAG: 4 {{.*}}num-cut
// COUNT-DAG: 6 {{.*}}num-crossing
// COUNT-DAG: 5 {{.*}}num-dropped
// COUNT-DAG: 1 {{.*}}num-declined

!field = !stencil.field<[-2,18]x[-2,18]xf64>
!temp = !stencil.temp<[-1,17]x[-1,17]xf64>
!wide = !stencil.temp<[-2,18]x[-2,18]xf64>
!out = !stencil.temp<[0,16]x[0,16]xf64>

// Two components from one slope and a coefficient that is in memory.
// REMARK: remark: {{.*}}Function=products{{.*}}its readers compute a part of it, at 4 offsets
// CHECK-LABEL: func.func @products
// CHECK:       %[[SLOPE:.*]] = stencil.apply
// CHECK:         %[[D:.*]] = arith.subf
// CHECK-NOT:     stencil.crosses
// CHECK-NEXT:    stencil.return %[[D]] : f64
// CHECK:       stencil.apply(%{{.*}} = %[[SLOPE]] : {{.*}}stencil.includes = ["the rest of flux at 4 offsets (fewer bytes)"]
// CHECK-COUNT-4: arith.mulf
// CHECK-NOT:     arith.mulf
// CHECK:       stencil.store
func.func @products(%u: !field, %k: !field, %v: !field) {
  %t = stencil.load %u : !field -> !wide
  %c = stencil.load %k : !field -> !wide
  %p:2 = stencil.apply(%a = %t : !wide, %b = %c : !wide) -> (!temp, !temp) attributes {stencil.stage = "flux"} {
    %l = stencil.access %a[-1, 0] : !wide
    %r = stencil.access %a[0, 1] : !wide
    %k0 = stencil.access %b[0, 0] : !wide
    %k1 = stencil.access %b[1, 0] : !wide
    %d = arith.subf %r, %l {stencil.crosses = "fewer bytes"} : f64
    %x = arith.mulf %d, %k0 : f64
    %y = arith.mulf %d, %k1 : f64
    stencil.return %x, %y : f64, f64
  }
  %q = stencil.apply(%x = %p#0 : !temp, %y = %p#1 : !temp) -> (!out) {
    %xr = stencil.access %x[0, 1] : !temp
    %xl = stencil.access %x[0, -1] : !temp
    %yr = stencil.access %y[1, 0] : !temp
    %yl = stencil.access %y[-1, 0] : !temp
    %dx = arith.subf %xr, %xl : f64
    %dy = arith.subf %yr, %yl : f64
    %s = arith.addf %dx, %dy : f64
    stencil.return %s : f64
  }
  stencil.store %q to %v(<[0, 0], [16, 16]>) : !out to !field
  return
}

// A result that is stored stays, as does one whose own op is marked; a reader goes on from it.
// REMARK: remark: {{.*}}Function=stored_too{{.*}}at 1 offset
// CHECK-LABEL: func.func @stored_too
// CHECK:       %[[P:.*]]:3 = stencil.apply
// CHECK:         stencil.return %[[A:.*]], %[[B:.*]], %[[E:.*]] : f64, f64, f64
// CHECK:       stencil.store %[[P]]#0
// CHECK:       stencil.apply
// CHECK-COUNT-2: arith.mulf
func.func @stored_too(%u: !field, %v: !field, %w: !field) {
  %t = stencil.load %u : !field -> !wide
  %p:3 = stencil.apply(%a = %t : !wide) -> (!temp, !temp, !temp) {
    %l = stencil.access %a[-1, 0] : !wide
    %r = stencil.access %a[0, 1] : !wide
    %s = arith.addf %r, %l {stencil.crosses} : f64
    %d = arith.subf %r, %l {stencil.crosses} : f64
    %x = arith.mulf %s, %s : f64
    %y = arith.mulf %x, %d : f64
    stencil.return %x, %s, %y : f64, f64, f64
  }
  stencil.store %p#0 to %w(<[0, 0], [16, 16]>) : !temp to !field
  %q = stencil.apply(%x = %p#1 : !temp, %y = %p#2 : !temp) -> (!out) {
    %xr = stencil.access %x[1, 1] : !temp
    %yr = stencil.access %y[1, 1] : !temp
    %z = arith.addf %xr, %yr : f64
    stencil.return %z : f64
  }
  stencil.store %q to %v(<[0, 0], [16, 16]>) : !out to !field
  return
}

// The reader stores to the field that it now reads around its point.
// REMARK: remark: {{.*}}Function=overwritten{{.*}}at 2 offsets
func.func @overwritten(%u: !field) {
  %t = stencil.load %u : !field -> !wide
  %p = stencil.apply(%a = %t : !wide) -> (!temp) {
    %l = stencil.access %a[-1, 0] : !wide
    %r = stencil.access %a[0, 1] : !wide
    %d = arith.subf %r, %l {stencil.crosses} : f64
    %x = arith.mulf %d, %r : f64
    stencil.return %x : f64
  }
  %q = stencil.apply(%x = %p : !temp) -> (!out) {
    %one = stencil.access %x[0, 1] : !temp
    %two = stencil.access %x[1, 0] : !temp
    %z = arith.addf %one, %two : f64
    stencil.return %z : f64
  }
  stencil.store %q to %u(<[0, 0], [16, 16]>) : !out to !field
  return
}

// Two readers, one in a branch and one of the other; one of three that reads at computed coordinates keeps the result.
// REMARK: remark: {{.*}}Function=readers{{.*}}at 2 offsets
// REMARK: remark: {{.*}}Function=readers{{.*}}at 1 offset
// REMARK: remark: {{.*}}Function=readers{{.*}}reads another apply at computed coordinates
func.func @readers(%u: !field, %v: !field, %w: !field, %z: !field) {
  %t = stencil.load %u : !field -> !wide
  %p:2 = stencil.apply(%a = %t : !wide) -> (!temp, !temp) {
    %l = stencil.access %a[-1, 0] : !wide
    %r = stencil.access %a[0, 1] : !wide
    %s = arith.addf %r, %l {stencil.crosses} : f64
    %d = arith.subf %r, %l {stencil.crosses} : f64
    %x = arith.mulf %s, %d : f64
    %y = arith.divf %s, %d : f64
    stencil.return %x, %y : f64, f64
  }
  %q = stencil.apply(%x = %p#0 : !temp) -> (!out) {
    %one = stencil.access %x[0, 1] : !temp
    %zero = arith.constant 0.0 : f64
    %is_positive = arith.cmpf ogt, %one, %zero : f64
    %two = scf.if %is_positive -> f64 {
      %inner = stencil.access %x[1, 0] : !temp
      scf.yield %inner : f64
    } else {
      scf.yield %zero : f64
    }
    %n = arith.addf %one, %two : f64
    stencil.return %n : f64
  }
  %m = stencil.apply(%x = %p#0 : !temp, %y = %p#1 : !temp, %before = %q : !out) -> (!out) {
    %one = stencil.access %x[0, 0] : !temp
    %two = stencil.access %y[0, 0] : !temp
    %three = stencil.access %before[0, 0] : !out
    %sum = arith.addf %one, %two : f64
    %n = arith.addf %sum, %three : f64
    stencil.return %n : f64
  }
  %o = stencil.apply(%x = %p#1 : !temp) -> (!out) {
    %i = stencil.index 0 <[0, 0]>
    %j = stencil.index 1 <[0, 0]>
    %n = stencil.dyn_access %x[%i, %j] in <[0, 0]> : <[0, 0]> : !temp
    stencil.return %n : f64
  }
  stencil.store %q to %v(<[0, 0], [16, 16]>) : !out to !field
  stencil.store %m to %w(<[0, 0], [16, 16]>) : !out to !field
  stencil.store %o to %z(<[0, 0], [16, 16]>) : !out to !field
  return
}
