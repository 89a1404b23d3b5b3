// What one apply or combine computes and another reads goes through a buffer; what is only stored does not.
//
// RUN: stencil-opt %s --stencil-materialize-storage | FileCheck %s
// RUN: stencil-opt %s --stencil-materialize-storage --stencil-materialize-storage | FileCheck %s
// RUN: stencil-opt %s --stencil-materialize-storage --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: stencil-opt %s --stencil-materialize-storage --remarks-filter-missed=stencil-materialize-storage -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// Nothing is computed across a buffer.
// RUN: stencil-opt %s --stencil-materialize-storage --stencil-inline-producers | FileCheck %s
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-materialize-storage))' --seed=1
// DEFINE: %{kernels} = stencilc run %t.mlir --on=emulator --function=%{function} --verify --seed=1
// RUN: stencil-opt %s --stencil-materialize-storage -o %t.mlir
// REDEFINE: %{function} = stored_and_read
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = combined
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = in_a_loop
// RUN: %{run} --arg 1=3
// RUN: %{kernels} --arg 1=3
// REDEFINE: %{function} = points_left_out
// RUN: %{run}
// RUN: %{kernels}

!temp = !stencil.temp<?xf64>
!line = !stencil.field<[-8,24]xf64>

// COUNT-DAG: 5 {{.*}}num-buffered
// COUNT-DAG: 2 {{.*}}num-declined

// One result is read and stored, and both take the buffer; the other is stored alone.
// CHECK-LABEL: func.func @stored_and_read
// CHECK:         %[[P:.*]]:2 = stencil.apply
// CHECK:         %[[B:.*]] = stencil.buffer %[[P]]#0 : !stencil.temp<?xf64> -> !stencil.temp<?xf64>
// CHECK-NOT:     stencil.buffer
// CHECK:         stencil.apply(%{{.*}} = %[[B]] :
// CHECK-DAG:     stencil.store %[[B]] to
// CHECK-DAG:     stencil.store %[[P]]#1 to
// CHECK:         return
func.func @stored_and_read(%in: !line, %out0: !line, %out1: !line, %out2: !line) {
  %t = stencil.load %in : !line -> !temp
  %p:2 = stencil.apply(%a = %t : !temp) -> (!temp, !temp) {
    %x = stencil.access %a[0] : !temp
    %s = arith.addf %x, %x : f64
    stencil.return %s, %x : f64, f64
  }
  %q = stencil.apply(%a = %p#0 : !temp) -> (!temp) {
    %x = stencil.access %a[1] : !temp
    stencil.return %x : f64
  }
  stencil.store %p#0 to %out0(<[0], [16]>) : !temp to !line
  stencil.store %p#1 to %out1(<[0], [16]>) : !temp to !line
  stencil.store %q to %out2(<[0], [16]>) : !temp to !line
  return
}

// Both sides of a combine, and its result, which an apply reads.
// CHECK-LABEL: func.func @combined
// CHECK:         %[[P:.*]]:2 = stencil.apply
// CHECK-DAG:     %[[B0:.*]] = stencil.buffer %[[P]]#0
// CHECK-DAG:     %[[B1:.*]] = stencil.buffer %[[P]]#1
// CHECK:         %[[C:.*]] = stencil.combine 0 at 4 lower = (%[[B0]] : !stencil.temp<?xf64>) upper = (%[[B1]] :
// CHECK:         %[[B2:.*]] = stencil.buffer %[[C]]
// CHECK:         stencil.apply(%{{.*}} = %[[B2]] :
func.func @combined(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !temp
  %p:2 = stencil.apply(%a = %t : !temp) -> (!temp, !temp) {
    %x = stencil.access %a[0] : !temp
    %s = arith.addf %x, %x : f64
    stencil.return %s, %x : f64, f64
  }
  %c = stencil.combine 0 at 4 lower = (%p#0 : !temp) upper = (%p#1 : !temp) : !temp
  %q = stencil.apply(%a = %c : !temp) -> (!temp) {
    %x = stencil.access %a[1] : !temp
    %y = stencil.access %a[-1] : !temp
    %s = arith.addf %x, %y : f64
    stencil.return %s : f64
  }
  stencil.store %q to %out(<[0], [8]>) : !temp to !line
  return
}

// The buffer stands behind what it keeps, outside of the loop of those who read it.
// CHECK-LABEL: func.func @in_a_loop
// CHECK:         %[[P:.*]] = stencil.apply
// CHECK:         %[[B:.*]] = stencil.buffer %[[P]]
// CHECK:         scf.for
// CHECK:           stencil.apply(%{{.*}} = %[[B]] :
func.func @in_a_loop(%in: !line, %n: index, %out: !line) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    %s = math.sqrt %x : f64
    stencil.return %s : f64
  }
  scf.for %time = %zero to %n step %one {
    %r = stencil.apply(%a = %p : !temp) -> (!temp) {
      %x = stencil.access %a[2] : !temp
      stencil.return %x : f64
    }
    stencil.store %r to %out(<[0], [16]>) : !temp to !line
  }
  return
}

// Memory cannot say which points were left out: of the apply, and on the side of the combine that has no temp.
// REMARK: remark: {{.*}}Function=points_left_out{{.*}}has unwritten points, which memory cannot represent
// REMARK: remark: {{.*}}Function=points_left_out{{.*}}has unwritten points, which memory cannot represent
// CHECK-LABEL: func.func @points_left_out
// CHECK-NOT:     stencil.buffer
// CHECK:         return
func.func @points_left_out(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
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
  %c = stencil.combine 0 at 4 lower = (:) upper = (:) lowerext = %p : !temp : !temp
  %d = stencil.combine 0 at 2 lower = (%c : !temp) upper = (%c : !temp) : !temp
  stencil.store %d to %out(<[0], [8]>) : !temp to !line
  return
}
