// Where extents are given at run time, ghost cells and points that overwrite others are chosen by
// distances from the ends of the domain, which move with it, and the least extents are those from
// which on a point is near one end only.
//
// DEFINE: %{generalize} = --stencil-generalize-domain --stencil-infer-bounds --stencil-unify-applies
// RUN: stencil-opt %s %{generalize} --stencil-merge-stores --stencil-fold-ghost-cells | FileCheck %s
//
// At the reference it computes what it has computed.
// RUN: stencilc run %s --on=interpreter --function=mirrored --same-after='builtin.module(stencil-generalize-domain,func.func(stencil-infer-bounds,stencil-unify-applies,stencil-merge-stores,stencil-fold-ghost-cells,stencil-infer-bounds))' --seed=1
//
// A domain that is smaller than that keeps its fills.
// RUN: stencil-opt %s --stencil-resize-domain=extents=8 %{generalize} --stencil-merge-stores --stencil-fold-ghost-cells --remarks-filter-missed=stencil-fold-ghost-cells -o %t 2>&1 | FileCheck %s --check-prefix=SMALL
// SMALL: remark: {{.*}}keeps its ghost cells: it fills ghost cells from far away in a domain whose extents are given at run time; give the program a larger domain, as --extents does

!line = !stencil.field<[-1,33]xf64>
!row = !stencil.temp<?xf64>

// A point reads one cell on each side, and each of two fills one more; the domain has two ghost
// cells.
//
// CHECK-LABEL: func.func @mirrored
// CHECK-SAME: stencil.run_time_extents = {least = array<i64: 9>
// CHECK: scf.for
// CHECK: %[[LOW:.*]] = stencil.index 0 <[-1]> attributes {stencil.distance}
// CHECK: arith.cmpi slt, %[[LOW]], %{{.*}} : index
// CHECK: %[[HIGH:.*]] = stencil.index 0 <[-31]> attributes {stencil.distance}
// CHECK: arith.cmpi sge, %[[HIGH]], %{{.*}} : index
// A point is held.
// CHECK: %[[HELD:.*]] = stencil.index 0 <[-30]> attributes {stencil.distance}
// CHECK: arith.cmpi eq, %[[HELD]], %{{.*}} : index
// The last iterations fill ghost cells.
// CHECK: scf.for
// CHECK: stencil.store {{.*}}(<[-1], [0]>)
func.func @mirrored(%u: !line, %v: !line) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 5 : index
  %end:2 = scf.for %t = %zero to %steps step %one iter_args(%now = %u, %next = %v) -> (!line, !line) {
    %before = stencil.load %now : !line -> !row
    %low = stencil.apply(%a = %before : !row) -> (!row) {
      %x = stencil.access %a[1] : !row
      stencil.return %x : f64
    }
    stencil.store %low to %now(<[-1], [0]>) : !row to !line
    %high = stencil.apply(%a = %before : !row) -> (!row) {
      %x = stencil.access %a[-1] : !row
      stencil.return %x : f64
    }
    stencil.store %high to %now(<[32], [33]>) : !row to !line
    %values = stencil.load %now : !line -> !row
    %new = stencil.apply(%a = %values : !row) -> (!row) {
      %w = stencil.access %a[-1] : !row
      %e = stencil.access %a[1] : !row
      %sum = arith.addf %w, %e : f64
      stencil.return %sum : f64
    }
    stencil.store %new to %next(<[0], [32]>) : !row to !line
    %held = stencil.apply() -> (!row) {
      %value = arith.constant 1.0 : f64
      stencil.return %value : f64
    }
    stencil.store %held to %next(<[30], [31]>) : !row to !line
    scf.yield %next, %now : !line, !line
  }
  return
}
