// Where extents are given at run time, copied cells behind the domain move with its end, and the
// least extents are those for which ghost cells are copies of points.
//
// DEFINE: %{generalize} = --stencil-generalize-domain --stencil-infer-bounds --stencil-unify-applies
// RUN: stencil-opt %s %{generalize} --stencil-forward-copies | FileCheck %s --implicit-check-not=stencil.alloc
//
// At the reference it computes what it has computed.
// RUN: stencilc run %s --on=interpreter --function=mirrored --same-after='builtin.module(stencil-generalize-domain,func.func(stencil-infer-bounds,stencil-unify-applies,stencil-forward-copies,stencil-infer-bounds))' --seed=1
//
// And at other extents, which count ghost cells, what the program computes there, from the least on.
// DEFINE: %{extents} = 43
// DEFINE: %{interpret} = stencilc run %s --extents=%{extents} --on=interpreter --seed=3 --out-dir %t/expected
// DEFINE: %{run} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk stencil-run %t/p.spk --seed=3 --extents=%{extents} --expect %t/expected --verify
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --sizes=run-time --keep-ir -o %t/p.spk
// RUN: %{interpret}
// RUN: %{run}
// REDEFINE: %{extents} = 12
// RUN: %{interpret}
// RUN: %{run}
// RUN: not stencil-run %t/p.spk --extents=8 2>&1 | FileCheck %s --check-prefix=SMALL
// SMALL: error: extent 8 of dimension 0 is too small: function 'mirrored' needs at least 12

!row = !stencil.field<[0,32]xf64>
!own = !stencil.field<[-3,35]xf64>
!temp = !stencil.temp<?xf64>

// The cells behind the last mirror three points, and those before the first are of the other end.
//
// CHECK-LABEL: func.func @mirrored
// CHECK-SAME: stencil.run_time_extents = {least = array<i64: 9>
// CHECK: %[[I:[a-z0-9]+]] = stencil.index 0 <[0]>
// CHECK: stencil.index 0 <[0]> attributes {stencil.distance}
// The other end lies an extent further on.
// CHECK: arith.constant 32 : index
// CHECK: %[[END:[a-z0-9]+]] = stencil.index 0 <[-35]> attributes {stencil.distance}
// CHECK: arith.subi %[[I]], %[[END]] : index
// CHECK: stencil.dyn_access {{.*}} in <[0]> : <[31]> attributes {absolute}
func.func @mirrored(%in: !row, %out: !row) {
  %own = stencil.alloc : !own
  %values = stencil.load %in : !row -> !temp
  stencil.store %values to %own(<[0], [32]>) : !temp to !own
  %v0 = stencil.load %own : !own -> !temp
  %low = stencil.apply(%x = %v0 : !temp) -> (!temp) {
    %cell = stencil.access %x[32] : !temp
    stencil.return %cell : f64
  }
  stencil.store %low to %own(<[-3], [0]>) : !temp to !own
  %v1 = stencil.load %own : !own -> !temp
  %high_1 = stencil.apply(%x = %v1 : !temp) -> (!temp) {
    %cell = stencil.access %x[-1] : !temp
    stencil.return %cell : f64
  }
  stencil.store %high_1 to %own(<[32], [33]>) : !temp to !own
  %v2 = stencil.load %own : !own -> !temp
  %high_2 = stencil.apply(%x = %v2 : !temp) -> (!temp) {
    %cell = stencil.access %x[-3] : !temp
    stencil.return %cell : f64
  }
  stencil.store %high_2 to %own(<[33], [34]>) : !temp to !own
  %v3 = stencil.load %own : !own -> !temp
  %high_3 = stencil.apply(%x = %v3 : !temp) -> (!temp) {
    %cell = stencil.access %x[-5] : !temp
    stencil.return %cell : f64
  }
  stencil.store %high_3 to %own(<[34], [35]>) : !temp to !own
  %filled = stencil.load %own : !own -> !temp
  %new = stencil.apply(%x = %filled : !temp) -> (!temp) {
    %left = stencil.access %x[-3] : !temp
    %right = stencil.access %x[3] : !temp
    %sum = arith.subf %left, %right : f64
    stencil.return %sum : f64
  }
  stencil.store %new to %out(<[0], [32]>) : !temp to !row
  return
}
