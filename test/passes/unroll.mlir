// An apply computes a box of neighbouring points at once; equal accesses stand once, and results are grouped.
//
// RUN: stencil-opt %s --stencil-unroll=unroll-factor=1,2 | FileCheck %s
// RUN: stencil-opt %s --stencil-unroll=unroll-factor=1,2 --stencil-unroll=unroll-factor=1,2 | FileCheck %s
// RUN: stencil-opt %s --stencil-unroll=unroll-factor=1,2 --stencil-infer-bounds | FileCheck %s
// RUN: stencil-opt %s --stencil-unroll=unroll-factor=1,2 --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: stencil-opt %s --stencil-unroll=unroll-factor=1,2 --remarks-filter=stencil-unroll -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-unroll{unroll-factor=2,3,1,2}))' | FileCheck %s --check-prefix=LONG
//
// DEFINE: %{function} =
// DEFINE: %{factors} = 1,2
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-unroll{unroll-factor=%{factors}}))' --seed=1
// DEFINE: %{opt} = stencil-opt %s --stencil-unroll=unroll-factor=%{factors} -o %t.mlir
// DEFINE: %{kernels} = stencilc run %t.mlir --on=emulator --function=%{function} --verify --seed=1
// RUN: %{opt}
// REDEFINE: %{function} = pair
// RUN: %{run} --arg 1=0.75
// RUN: %{kernels} --arg 1=0.75
// REDEFINE: %{function} = two_results
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = line_in_plane
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = shorter_list
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = buffer_form
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = points_left_out
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = computed_coordinates
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = in_branches
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{factors} = 4,2
// RUN: %{opt}
// REDEFINE: %{function} = two_results
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = line_in_plane
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = in_branches
// RUN: %{run}
// RUN: %{kernels}

!line = !stencil.field<[-8,24]xf64>
!long = !stencil.temp<[-1,17]xf64>
!short = !stencil.temp<[0,16]xf64>
!square = !stencil.field<[-4,12]x[-4,12]xf64>
!outer = !stencil.temp<[-1,9]x[-1,9]xf64>
!inner = !stencil.temp<[0,8]x[0,8]xf64>
!cube = !stencil.field<[0,2]x[0,2]x[0,4]xf64>
!block = !stencil.temp<[0,2]x[0,2]x[0,4]xf64>

// COUNT-DAG: num-unrolled
// COUNT-DAG: num-shared

// Of the three accesses of the second point two are those of the first; the product of what is outside stands once.
// REMARK: remark: {{.*}}Function=pair{{.*}}computes 2 points at once
// CHECK-LABEL: func.func @pair
// CHECK:       stencil.apply(%[[A:.*]] = %{{.*}} : !stencil.temp<[-1,17]xf64>, %[[K:.*]] = %{{.*}} : f64) -> (!stencil.temp<[0,16]xf64>) {
// CHECK-NEXT:    %[[KK:.*]] = arith.mulf %[[K]], %[[K]]
// CHECK-NEXT:    %[[X0:.*]] = stencil.access %[[A]][-1]
// CHECK-NEXT:    %[[X1:.*]] = stencil.access %[[A]][0]
// CHECK-NEXT:    %[[X2:.*]] = stencil.access %[[A]][1]
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[X0]], %[[X1]]
// CHECK-NEXT:    %[[M:.*]] = arith.mulf %[[S]], %[[KK]]
// CHECK-NEXT:    %[[R:.*]] = arith.subf %[[M]], %[[X2]]
// CHECK-NEXT:    %[[X3:.*]] = stencil.access %[[A]][2]
// CHECK-NEXT:    %[[S1:.*]] = arith.addf %[[X1]], %[[X2]]
// CHECK-NEXT:    %[[M1:.*]] = arith.mulf %[[S1]], %[[KK]]
// CHECK-NEXT:    %[[R1:.*]] = arith.subf %[[M1]], %[[X3]]
// CHECK-NEXT:    stencil.return %[[R]], %[[R1]] unroll <[2]> : f64, f64
func.func @pair(%in: !line, %c: f64, %out: !line) {
  %t = stencil.load %in : !line -> !long
  %r = stencil.apply(%a = %t : !long, %k = %c : f64) -> (!short) {
    %kk = arith.mulf %k, %k : f64
    %x0 = stencil.access %a[-1] : !long
    %x1 = stencil.access %a[0] : !long
    %x2 = stencil.access %a[1] : !long
    %s = arith.addf %x0, %x1 : f64
    %m = arith.mulf %s, %kk : f64
    %v = arith.subf %m, %x2 : f64
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0], [16]>) : !short to !line
  return
}

// All points of the first result, then those of the second; one that does not depend on the point is the same value.
// REMARK: remark: {{.*}}Function=two_results{{.*}}computes 2 points at once
// CHECK-LABEL: func.func @two_results
// CHECK:         %[[X:.*]] = stencil.access %{{.*}}[-1, 0]
// CHECK:         %[[J:.*]] = stencil.index 1 <[0, 1]>
// CHECK:         %[[V:.*]] = arith.mulf %[[X]],
// CHECK:         %[[Y:.*]] = stencil.access %{{.*}}[-1, 1]
// CHECK:         %[[J1:.*]] = stencil.index 1 <[0, 2]>
// CHECK:         %[[W:.*]] = arith.mulf %[[Y]],
// CHECK-NEXT:    stencil.return %[[V]], %[[W]], %[[C:.*]], %[[C]] unroll <[1, 2]>
func.func @two_results(%in: !square, %out0: !square, %out1: !square) {
  %t = stencil.load %in : !square -> !outer
  %one = arith.constant 1.5 : f64
  %r:2 = stencil.apply(%a = %t : !outer, %c = %one : f64) -> (!inner, !inner) {
    %x = stencil.access %a[-1, 0] : !outer
    %j = stencil.index 1 <[0, 1]>
    %n = arith.index_cast %j : index to i64
    %f = arith.sitofp %n : i64 to f64
    %v = arith.mulf %x, %f : f64
    stencil.return %v, %c : f64, f64
  }
  stencil.store %r#0 to %out0(<[0, 0], [8, 8]>) : !inner to !square
  stencil.store %r#1 to %out1(<[0, 0], [8, 8]>) : !inner to !square
  return
}

// An operand moves along the dimensions that it has: what lacks the unrolled one is read once.
// REMARK: remark: {{.*}}Function=line_in_plane{{.*}}computes 2 points at once
// CHECK-LABEL: func.func @line_in_plane
// CHECK-DAG:     stencil.access %[[B:.*]][3, _]
// CHECK-DAG:     stencil.access %[[B]][_, 3]
// CHECK-DAG:     stencil.access %[[B]][_, 4]
// CHECK-NOT:     stencil.access %{{.*}}[3, _]
// CHECK:         unroll <[1, 2]>
func.func @line_in_plane(%in: !line, %out: !square) {
  %t = stencil.load %in : !line -> !stencil.temp<[3,11]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[3,11]xf64>) -> (!inner) {
    %x = stencil.access %a[3, _] : !stencil.temp<[3,11]xf64>
    %y = stencil.access %a[_, 3] : !stencil.temp<[3,11]xf64>
    %s = arith.divf %x, %y : f64
    stencil.return %s : f64
  }
  stencil.store %r to %out(<[0, 0], [8, 8]>) : !inner to !square
  return
}

// The last factor belongs to the last dimension: a shorter list has ones in front, of a longer one the end counts.
// REMARK: remark: {{.*}}Function=shorter_list{{.*}}computes 2 points at once
// CHECK-LABEL: func.func @shorter_list
// CHECK:         unroll <[1, 1, 2]>
// LONG-LABEL:  func.func @pair
// LONG:          unroll <[2]>
// LONG-LABEL:  func.func @two_results
// LONG:          unroll <[1, 2]>
// LONG-LABEL:  func.func @shorter_list
// LONG-NOT:      unroll
// LONG-LABEL:  func.func @buffer_form
func.func @shorter_list(%in: !cube, %out: !cube) {
  %t = stencil.load %in : !cube -> !block
  %r = stencil.apply(%a = %t : !block) -> (!block) {
    %x = stencil.access %a[0, 0, 0] : !block
    %s = arith.addf %x, %x : f64
    stencil.return %s : f64
  }
  stencil.store %r to %out(<[0, 0, 0], [2, 2, 4]>) : !block to !cube
  return
}

// REMARK: remark: {{.*}}Function=buffer_form{{.*}}computes 2 points at once
// CHECK-LABEL: func.func @buffer_form
// CHECK:         stencil.access %{{.*}}[-1]
// CHECK:         stencil.access %{{.*}}[0]
// CHECK:         unroll <[2]>
// CHECK-NEXT:    } to <[0], [16]>
func.func @buffer_form(%in: !line, %out: !line) {
  stencil.apply(%a = %in : !line) outs (%out : !line) {
    %x = stencil.access %a[-1] : !line
    stencil.return %x : f64
  } to <[0], [16]>
  return
}

// Each point of the box is stored or left out by itself.
// REMARK: remark: {{.*}}Function=points_left_out{{.*}}computes 2 points at once
// CHECK-LABEL: func.func @points_left_out
// CHECK:         %[[V:.*]] = scf.if
// CHECK:         %[[W:.*]] = scf.if
// CHECK:         stencil.return %[[V]], %[[W]] unroll <[2]> : !stencil.result<f64>, !stencil.result<f64>
func.func @points_left_out(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !short
  %r = stencil.apply(%a = %t : !short) -> (!short) {
    %x = stencil.access %a[0] : !short
    %half = arith.constant 0.5 : f64
    %large = arith.cmpf ogt, %x, %half : f64
    %kept = scf.if %large -> (!stencil.result<f64>) {
      %some = stencil.store_result %x : !stencil.result<f64>
      scf.yield %some : !stencil.result<f64>
    } else {
      %none = stencil.store_result : !stencil.result<f64>
      scf.yield %none : !stencil.result<f64>
    }
    stencil.return %kept : !stencil.result<f64>
  }
  stencil.store %r to %out(<[0], [16]>) : !short to !line
  return
}

// The extent of a read at computed coordinates moves with the point; one in coordinates is read once.
// REMARK: remark: {{.*}}Function=computed_coordinates{{.*}}computes 2 points at once
// CHECK-LABEL: func.func @computed_coordinates
// CHECK:         stencil.dyn_access {{.*}} in <[-1]> : <[1]>
// CHECK-NEXT:    stencil.dyn_access {{.*}} in <[0]> : <[5]> attributes {absolute}
// CHECK:         stencil.dyn_access {{.*}} in <[0]> : <[2]>
// CHECK-NOT:     stencil.dyn_access
// CHECK:         unroll <[2]>
func.func @computed_coordinates(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !long
  %r = stencil.apply(%a = %t : !long) -> (!short) {
    %i = stencil.index 0 <[0]>
    %one = arith.constant 1 : index
    %five = arith.constant 5 : index
    %j = arith.addi %i, %one : index
    %x = stencil.dyn_access %a[%j] in <[-1]> : <[1]> : !long
    %y = stencil.dyn_access %a[%five] in <[0]> : <[5]> attributes {absolute} : !long
    %s = arith.addf %x, %y : f64
    stencil.return %s : f64
  }
  stencil.store %r to %out(<[0], [16]>) : !short to !line
  return
}

// In branches accesses stay where they are, and their points move.
// REMARK: remark: {{.*}}Function=in_branches{{.*}}computes 2 points at once
// CHECK-LABEL: func.func @in_branches
// CHECK:         scf.if
// CHECK-NEXT:      stencil.access %{{.*}}[-1, -1]
// CHECK:         scf.if
// CHECK-NEXT:      stencil.access %{{.*}}[-1, 0]
// CHECK:         unroll <[1, 2]>
func.func @in_branches(%in: !square, %out: !square) {
  %t = stencil.load %in : !square -> !outer
  %r = stencil.apply(%a = %t : !outer) -> (!inner) {
    %i = stencil.index 1 <[0, 0]>
    %three = arith.constant 3 : index
    %is_low = arith.cmpi slt, %i, %three : index
    %v = scf.if %is_low -> (f64) {
      %x = stencil.access %a[-1, -1] : !outer
      scf.yield %x : f64
    } else {
      %x = stencil.access %a[1, 1] : !outer
      %s = arith.negf %x : f64
      scf.yield %s : f64
    }
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0, 0], [8, 8]>) : !inner to !square
  return
}
