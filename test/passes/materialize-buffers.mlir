// Every buffer is memory, a store to all of it and a load.
//
// RUN: stencil-opt %s --stencil-materialize-buffers | FileCheck %s
// RUN: stencil-opt %s --stencil-materialize-buffers --stencil-materialize-buffers | FileCheck %s
// RUN: stencil-opt %s --stencil-materialize-buffers --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: stencil-opt %s --stencil-materialize-buffers --remarks-filter-missed=stencil-materialize-buffers -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-materialize-buffers))' --seed=1
// DEFINE: %{kernels} = stencilc run %t.mlir --on=emulator --function=%{function} --verify --seed=1
// RUN: stencil-opt %s --stencil-materialize-buffers -o %t.mlir
// REDEFINE: %{function} = read_with_offsets
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = memory_itself
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = in_a_loop
// RUN: %{run} --arg 1=3
// RUN: %{kernels} --arg 1=3
// REDEFINE: %{function} = unknown_bounds
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = points_left_out
// RUN: %{run}
// RUN: %{kernels}

!line = !stencil.field<[-8,24]xf64>
!long = !stencil.temp<[-1,17]xf64>
!short = !stencil.temp<[0,16]xf64>

// COUNT-DAG: 3 {{.*}}num-allocated
// COUNT-DAG: 2 {{.*}}num-declined

// The memory has the bounds of the temp.
// CHECK-LABEL: func.func @read_with_offsets
// CHECK:         %[[P:.*]] = stencil.apply
// CHECK:         %[[F:.*]] = stencil.alloc : !stencil.field<[-1,17]xf64>
// CHECK-NEXT:    stencil.store %[[P]] to %[[F]](<[-1], [17]>) : !stencil.temp<[-1,17]xf64> to !stencil.field<[-1,17]xf64>
// CHECK-NEXT:    %[[B:.*]] = stencil.load %[[F]] : !stencil.field<[-1,17]xf64> -> !stencil.temp<[-1,17]xf64>
// CHECK-NEXT:    stencil.apply(%{{.*}} = %[[B]] :
// CHECK-NOT:     stencil.buffer
// CHECK:         return
func.func @read_with_offsets(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !long
  %p = stencil.apply(%a = %t : !long) -> (!long) {
    %x = stencil.access %a[0] : !long
    %s = math.sqrt %x : f64
    stencil.return %s : f64
  }
  %b = stencil.buffer %p : !long -> !long
  %q = stencil.apply(%a = %b : !long) -> (!short) {
    %x = stencil.access %a[-1] : !long
    %y = stencil.access %a[1] : !long
    %s = arith.addf %x, %y : f64
    stencil.return %s : f64
  }
  stencil.store %q to %out(<[0], [16]>) : !short to !line
  return
}

// A buffer that is a field is the memory itself.
// CHECK-LABEL: func.func @memory_itself
// CHECK:         %[[P:.*]] = stencil.apply
// CHECK:         %[[F:.*]] = stencil.alloc
// CHECK-NEXT:    stencil.store %[[P]] to %[[F]]
// CHECK-NEXT:    stencil.apply(%{{.*}} = %[[F]] : !stencil.field<[-1,17]xf64>)
func.func @memory_itself(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !long
  %p = stencil.apply(%a = %t : !long) -> (!long) {
    %x = stencil.access %a[0] : !long
    %s = math.sqrt %x : f64
    stencil.return %s : f64
  }
  %b = stencil.buffer %p : !long -> !stencil.field<[-1,17]xf64>
  %q = stencil.apply(%a = %b : !stencil.field<[-1,17]xf64>) -> (!short) {
    %x = stencil.access %a[-1] : !stencil.field<[-1,17]xf64>
    stencil.return %x : f64
  }
  stencil.store %q to %out(<[0], [16]>) : !short to !line
  return
}

// In a loop every iteration writes all of the memory before it reads.
// CHECK-LABEL: func.func @in_a_loop
// CHECK:         scf.for
// CHECK:           stencil.alloc
// CHECK-NEXT:      stencil.store
// CHECK-NEXT:      stencil.load
func.func @in_a_loop(%f: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %time = %zero to %n step %one {
    %t = stencil.load %f : !line -> !long
    %p = stencil.apply(%a = %t : !long) -> (!long) {
      %x = stencil.access %a[0] : !long
      %s = math.sqrt %x : f64
      stencil.return %s : f64
    }
    %b = stencil.buffer %p : !long -> !long
    %q = stencil.apply(%a = %b : !long) -> (!short) {
      %x = stencil.access %a[-1] : !long
      %y = stencil.access %a[1] : !long
      %s = arith.addf %x, %y : f64
      stencil.return %s : f64
    }
    stencil.store %q to %f(<[0], [16]>) : !short to !line
  }
  return
}

// REMARK: remark: {{.*}}Function=unknown_bounds{{.*}}has unknown bounds: run stencil-infer-bounds first
// CHECK-LABEL: func.func @unknown_bounds
// CHECK:         stencil.buffer
func.func @unknown_bounds(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !stencil.temp<?xf64>
  %p = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[0] : !stencil.temp<?xf64>
    stencil.return %x : f64
  }
  %b = stencil.buffer %p : !stencil.temp<?xf64> -> !stencil.temp<?xf64>
  stencil.store %b to %out(<[0], [16]>) : !stencil.temp<?xf64> to !line
  return
}

// Points that were left out are not stored: memory would store what it holds there.
// REMARK: remark: {{.*}}Function=points_left_out{{.*}}buffers a temp with unwritten points, which memory cannot represent
// CHECK-LABEL: func.func @points_left_out
// CHECK:         stencil.buffer
func.func @points_left_out(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !short
  %p = stencil.apply(%a = %t : !short) -> (!short) {
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
  %b = stencil.buffer %p : !short -> !short
  stencil.store %b to %out(<[0], [16]>) : !short to !line
  return
}
