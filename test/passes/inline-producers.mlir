// What an apply reads of another one is computed in it, once per offset; operands are merged, and what others want stays.
//
// RUN: stencil-opt %s --stencil-inline-producers | FileCheck %s
// RUN: stencil-opt %s --stencil-inline-producers --stencil-inline-producers | FileCheck %s
// RUN: stencil-opt %s --stencil-inline-producers --stencil-infer-bounds -o /dev/null
// RUN: stencil-opt %s --stencil-inline-producers --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: stencil-opt %s --stencil-inline-producers --remarks-filter-passed=stencil-inline-producers -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-inline-producers))' --seed=1
// What was inlined is compiled too.
// DEFINE: %{opt} = stencil-opt %s --stencil-inline-producers --stencil-infer-bounds -o %t.mlir
// DEFINE: %{kernels} = stencilc run %t.mlir --on=emulator --function=%{function} --verify --seed=1
// RUN: %{opt}
// REDEFINE: %{function} = offsets
// RUN: %{run} --arg 1=0.75
// RUN: %{kernels} --arg 1=0.75
// REDEFINE: %{function} = several_results
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = coordinates
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = lower_rank
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = chain
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = stored_too
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = branches_and_loops
// RUN: %{run} --arg 1=3
// RUN: %{kernels} --arg 1=3
// REDEFINE: %{function} = store_between
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = field_operands
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = unrolled_reader
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = kept_values
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = near_coordinates
// RUN: %{run}
// RUN: %{kernels}

!temp = !stencil.temp<?xf64>
!plane = !stencil.temp<?x?xf64>
!line = !stencil.field<[-8,24]xf64>
!square = !stencil.field<[-4,12]x[-4,12]xf64>

// COUNT-DAG: num-inlined
// COUNT-DAG: num-copies
// COUNT-DAG: num-erased

// Three accesses, two offsets: two copies, each with what it reads moved there. The shared operand and the scalar are
// operands once.
// REMARK: remark: {{.*}}Function=offsets{{.*}}is inlined into its reader, at 2 offsets
// CHECK-LABEL: func.func @offsets
// CHECK-SAME:    (%[[IN:[a-z0-9]+]]: !stencil.field<[-8,24]xf64>, %[[C:[a-z0-9]+]]: f64,
func.func @offsets(%in: !line, %c: f64, %out: !line) {
  // CHECK:      %[[T:.*]] = stencil.load %[[IN]]
  // CHECK-NEXT: %[[R:.*]] = stencil.apply(%[[A:.*]] = %[[T]] : !stencil.temp<?xf64>, %[[K:.*]] = %[[C]] : f64) -> (!stencil.temp<?xf64>) {
  // CHECK-NEXT:   %[[X0:.*]] = stencil.access %[[A]][-2]
  // CHECK-NEXT:   %[[X1:.*]] = stencil.access %[[A]][0]
  // CHECK-NEXT:   %[[S:.*]] = arith.addf %[[X0]], %[[X1]]
  // CHECK-NEXT:   %[[P:.*]] = arith.mulf %[[S]], %[[K]]
  // CHECK-NEXT:   %[[Y0:.*]] = stencil.access %[[A]][2]
  // CHECK-NEXT:   %[[Y1:.*]] = stencil.access %[[A]][4]
  // CHECK-NEXT:   %[[U:.*]] = arith.addf %[[Y0]], %[[Y1]]
  // CHECK-NEXT:   %[[Q:.*]] = arith.mulf %[[U]], %[[K]]
  // CHECK-NEXT:   %[[OWN:.*]] = stencil.access %[[A]][0]
  // CHECK-NEXT:   %[[ONE:.*]] = arith.subf %[[Q]], %[[P]]
  // CHECK-NEXT:   %[[TWO:.*]] = arith.mulf %[[ONE]], %[[P]]
  // CHECK-NEXT:   %[[THREE:.*]] = arith.divf %[[TWO]], %[[OWN]]
  // CHECK-NEXT:   stencil.return %[[THREE]]
  // CHECK-NEXT: }
  // CHECK-NEXT: stencil.store %[[R]]
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp, %k = %c : f64) -> (!temp) {
    %x0 = stencil.access %a[-1] : !temp
    %x1 = stencil.access %a[1] : !temp
    %s = arith.addf %x0, %x1 : f64
    %m = arith.mulf %s, %k : f64
    stencil.return %m : f64
  }
  %r = stencil.apply(%b = %p : !temp, %a = %t : !temp) -> (!temp) {
    %y0 = stencil.access %b[-1] : !temp
    %y1 = stencil.access %b[3] : !temp
    %y2 = stencil.access %b[-1] : !temp
    %x = stencil.access %a[0] : !temp
    %one = arith.subf %y1, %y0 : f64
    %two = arith.mulf %one, %y2 : f64
    %three = arith.divf %two, %x : f64
    stencil.return %three : f64
  }
  stencil.store %r to %out(<[0], [16]>) : !temp to !line
  return
}

// Of three results two are read: the copy at an offset has what these need, once for both.
// REMARK: remark: {{.*}}Function=several_results{{.*}}is inlined into its reader, at 2 offsets
// CHECK-LABEL: func.func @several_results
// CHECK:         stencil.apply
// CHECK-NOT:     stencil.apply
// CHECK-NOT:     math.sqrt
// CHECK:         arith.negf
// CHECK-NOT:     arith.negf
// CHECK:         math.absf
// CHECK:         arith.negf
// CHECK:         return
func.func @several_results(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !temp
  %p:3 = stencil.apply(%a = %t : !temp) -> (!temp, !temp, !temp) {
    %x = stencil.access %a[0] : !temp
    %n = arith.negf %x : f64
    %s = math.sqrt %x : f64
    %abs = math.absf %n : f64
    stencil.return %n, %s, %abs : f64, f64, f64
  }
  %r = stencil.apply(%n = %p#0 : !temp, %abs = %p#2 : !temp) -> (!temp) {
    %y0 = stencil.access %n[1] : !temp
    %y1 = stencil.access %abs[1] : !temp
    %y2 = stencil.access %n[0] : !temp
    %one = arith.mulf %y0, %y1 : f64
    %two = arith.addf %one, %y2 : f64
    stencil.return %two : f64
  }
  stencil.store %r to %out(<[0], [16]>) : !temp to !line
  return
}

// Coordinates are those of the point that is read.
// REMARK: remark: {{.*}}Function=coordinates{{.*}}is inlined into its reader, at 2 offsets
// CHECK-LABEL: func.func @coordinates
// CHECK:         stencil.apply
// CHECK-DAG:     stencil.index 1 <[0, 3]>
// CHECK-DAG:     stencil.index 1 <[0, 5]>
// CHECK-NOT:     stencil.apply
// CHECK:         return
func.func @coordinates(%out: !square) {
  %zero = arith.constant 0.5 : f64
  %p = stencil.apply(%z = %zero : f64) -> (!plane) {
    %j = stencil.index 1 <[7, 4]>
    %n = arith.index_cast %j : index to i64
    %x = arith.sitofp %n : i64 to f64
    %y = arith.addf %x, %z : f64
    stencil.return %y : f64
  }
  %r = stencil.apply(%a = %p : !plane) -> (!plane) {
    %x = stencil.access %a[2, -1] : !plane
    %y = stencil.access %a[0, 1] : !plane
    %s = arith.divf %x, %y : f64
    stencil.return %s : f64
  }
  stencil.store %r to %out(<[0, 0], [8, 8]>) : !plane to !square
  return
}

// A line's code in a plane's: what followed its dimension follows the one that the access names.
// REMARK: remark: {{.*}}Function=lower_rank{{.*}}is inlined into its reader, at 2 offsets
// CHECK-LABEL: func.func @lower_rank
// CHECK:         stencil.apply(%[[A:.*]] = %{{.*}} : !stencil.temp<?x?xf64>, %[[B:.*]] = %{{.*}} : !stencil.temp<?xf64>)
// CHECK-DAG:     stencil.access %[[B]][_, 1]
// CHECK-DAG:     stencil.access %[[B]][_, 3]
// CHECK-DAG:     stencil.index 1 <[0, 2]>
// CHECK-DAG:     stencil.access %[[B]][-2, _]
// CHECK-DAG:     stencil.access %[[B]][0, _]
// CHECK-DAG:     stencil.index 0 <[-1, 0]>
// CHECK-NOT:     stencil.apply
// CHECK:         return
func.func @lower_rank(%in: !square, %coefficients: !line, %out: !square) {
  %t = stencil.load %in : !square -> !plane
  %c = stencil.load %coefficients : !line -> !temp
  %p = stencil.apply(%b = %c : !temp) -> (!temp) {
    %i = stencil.index 0 <[0]>
    %x0 = stencil.access %b[-1] : !temp
    %x1 = stencil.access %b[1] : !temp
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f64
    %s = arith.mulf %x0, %f : f64
    %m = arith.addf %s, %x1 : f64
    stencil.return %m : f64
  }
  %r = stencil.apply(%a = %t : !plane, %b = %p : !temp) -> (!plane) {
    %x = stencil.access %a[0, 0] : !plane
    %y0 = stencil.access %b[_, 2] : !temp
    %y1 = stencil.access %b[-1, _] : !temp
    %m0 = arith.mulf %x, %y0 : f64
    %m1 = arith.addf %m0, %y1 : f64
    stencil.return %m1 : f64
  }
  stencil.store %r to %out(<[0, 0], [8, 8]>) : !plane to !square
  return
}

// Three applies in a row, the first read by both others: it stands in the last once per offset, three times.
// REMARK: remark: {{.*}}Function=chain{{.*}}is inlined into its reader, at 3 offsets
// REMARK: remark: {{.*}}Function=chain{{.*}}is inlined into its reader, at 2 offsets
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-1: stencil.apply
// CHECK-NOT:     stencil.apply
// CHECK-COUNT-3: math.sqrt
// CHECK-NOT:     math.sqrt
// CHECK:         return
func.func @chain(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    %s = math.sqrt %x : f64
    stencil.return %s : f64
  }
  %q = stencil.apply(%a = %p : !temp) -> (!temp) {
    %x = stencil.access %a[-1] : !temp
    %y = stencil.access %a[1] : !temp
    %s = arith.addf %x, %y : f64
    stencil.return %s : f64
  }
  %r = stencil.apply(%a = %p : !temp, %b = %q : !temp) -> (!temp) {
    %x = stencil.access %a[2] : !temp
    %y = stencil.access %b[-1] : !temp
    %z = stencil.access %b[1] : !temp
    %one = arith.divf %x, %y : f64
    %two = arith.subf %one, %z : f64
    stencil.return %two : f64
  }
  stencil.store %r to %out(<[0], [16]>) : !temp to !line
  return
}

// A producer that is stored stays for its store, and is computed in each of its readers.
// REMARK: remark: {{.*}}Function=stored_too{{.*}}is inlined into its reader, at 1 offset
// REMARK: remark: {{.*}}Function=stored_too{{.*}}is inlined into its reader, at 1 offset
// CHECK-LABEL: func.func @stored_too
// CHECK:         %[[P:.*]] = stencil.apply
// CHECK-COUNT-1: math.sqrt
// CHECK:         stencil.store %[[P]]
// CHECK:         %[[Q:.*]] = stencil.apply(%{{.*}} = %[[T:.*]] : !stencil.temp<?xf64>) ->
// CHECK-COUNT-1: math.sqrt
// CHECK:         %[[R:.*]] = stencil.apply(%{{.*}} = %[[T]] : !stencil.temp<?xf64>) ->
// CHECK-COUNT-1: math.sqrt
// CHECK-NOT:     stencil.apply
// CHECK:         return
func.func @stored_too(%in: !line, %out0: !line, %out1: !line, %out2: !line) {
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    %s = math.sqrt %x : f64
    stencil.return %s : f64
  }
  stencil.store %p to %out0(<[0], [16]>) : !temp to !line
  %q = stencil.apply(%a = %p : !temp) -> (!temp) {
    %x = stencil.access %a[-1] : !temp
    stencil.return %x : f64
  }
  %r = stencil.apply(%a = %p : !temp) -> (!temp) {
    %x = stencil.access %a[4] : !temp
    stencil.return %x : f64
  }
  stencil.store %q to %out1(<[0], [16]>) : !temp to !line
  stencil.store %r to %out2(<[0], [16]>) : !temp to !line
  return
}

// Accesses in one branch: the copy is there. In both: before the branches. In a loop: before the loop.
// REMARK: remark: {{.*}}Function=branches_and_loops{{.*}}is inlined into its reader, at 3 offsets
// CHECK-LABEL: func.func @branches_and_loops
// CHECK:         stencil.apply(%{{.*}} = %{{.*}} : index, %[[A:.*]] =
// CHECK:           %[[BOTH:.*]] = stencil.access %[[A]][2]
// CHECK-NEXT:      %[[BOTH_ROOT:.*]] = math.sqrt %[[BOTH]]
// CHECK:           scf.if
// CHECK:             %[[ONE:.*]] = stencil.access %[[A]][-1]
// CHECK-NEXT:        %[[ONE_ROOT:.*]] = math.sqrt %[[ONE]]
// CHECK-NEXT:        %[[ONE_SUM:.*]] = arith.addf %[[ONE_ROOT]], %[[BOTH_ROOT]]
// CHECK:             scf.yield %[[ONE_SUM]]
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %[[BOTH_ROOT]]
// CHECK:           %[[LOOP:.*]] = stencil.access %[[A]][3]
// CHECK-NEXT:      %[[LOOP_ROOT:.*]] = math.sqrt %[[LOOP]]
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        arith.addf %{{.*}}, %[[LOOP_ROOT]]
func.func @branches_and_loops(%in: !line, %n: index, %out: !line) {
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    %s = math.sqrt %x : f64
    stencil.return %s : f64
  }
  %r = stencil.apply(%a = %p : !temp, %m = %n : index) -> (!temp) {
    %i = stencil.index 0 <[0]>
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %is_low = arith.cmpi slt, %i, %m : index
    %chosen = scf.if %is_low -> (f64) {
      %x = stencil.access %a[-1] : !temp
      %y = stencil.access %a[2] : !temp
      %s = arith.addf %x, %y : f64
      scf.yield %s : f64
    } else {
      %y = stencil.access %a[2] : !temp
      scf.yield %y : f64
    }
    %sum = scf.for %k = %zero to %m step %one iter_args(%old = %chosen) -> (f64) {
      %x = stencil.access %a[3] : !temp
      %new = arith.addf %old, %x : f64
      scf.yield %new : f64
    }
    stencil.return %sum : f64
  }
  stencil.store %r to %out(<[0], [16]>) : !temp to !line
  return
}

// The field is stored to between producer and reader: what was loaded is a value, and is not loaded again.
// REMARK: remark: {{.*}}Function=store_between{{.*}}is inlined into its reader, at 1 offset
// CHECK-LABEL: func.func @store_between
// CHECK:         %[[T:.*]] = stencil.load
// CHECK-NOT:     stencil.load
// CHECK:         stencil.store
// CHECK:         stencil.apply(%{{.*}} = %[[T]] :
// CHECK:         return
func.func @store_between(%f: !line, %out: !line) {
  %t = stencil.load %f : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[1] : !temp
    %s = math.sqrt %x : f64
    stencil.return %s : f64
  }
  %q = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    %s = arith.addf %x, %x : f64
    stencil.return %s : f64
  }
  stencil.store %q to %f(<[0], [20]>) : !temp to !line
  %r = stencil.apply(%a = %p : !temp) -> (!temp) {
    %x = stencil.access %a[1] : !temp
    stencil.return %x : f64
  }
  stencil.store %r to %out(<[0], [16]>) : !temp to !line
  return
}

// A producer that reads a field, a reader that writes one: the field is loaded where the producer stood.
// REMARK: remark: {{.*}}Function=field_operands{{.*}}is inlined into its reader, at 1 offset
// CHECK-LABEL: func.func @field_operands
// CHECK-SAME:    (%[[F:[a-z0-9]+]]: !stencil.field<[-8,24]xf64>, %[[OUT:[a-z0-9]+]]: !stencil.field<[-8,24]xf64>)
// CHECK-NEXT:    %[[T:.*]] = stencil.load %[[F]] : !stencil.field<[-8,24]xf64> -> !stencil.temp<[-8,24]xf64>
// CHECK:         stencil.apply(%{{.*}} = %[[F]] : !stencil.field<[-8,24]xf64>) outs (%[[F]] :
// CHECK:         stencil.apply(%{{.*}} = %[[T]] : !stencil.temp<[-8,24]xf64>) outs (%[[OUT]] :
func.func @field_operands(%f: !line, %out: !line) {
  %p = stencil.apply(%a = %f : !line) -> (!temp) {
    %x = stencil.access %a[1] : !line
    %s = math.sqrt %x : f64
    stencil.return %s : f64
  }
  stencil.apply(%a = %f : !line) outs (%f : !line) {
    %x = stencil.access %a[0] : !line
    %s = arith.addf %x, %x : f64
    stencil.return %s : f64
  } to <[0], [20]>
  stencil.apply(%a = %p : !temp) outs (%out : !line) {
    %x = stencil.access %a[1] : !temp
    stencil.return %x : f64
  } to <[0], [16]>
  return
}

// An unrolled reader counts its offsets from its first point, as the copies do.
// REMARK: remark: {{.*}}Function=unrolled_reader{{.*}}is inlined into its reader, at 2 offsets
// CHECK-LABEL: func.func @unrolled_reader
// CHECK-COUNT-1: stencil.apply
// CHECK-DAG:     stencil.index 0 <[0]>
// CHECK-DAG:     stencil.index 0 <[1]>
// CHECK:         unroll <[2]>
func.func @unrolled_reader(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %i = stencil.index 0 <[0]>
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f64
    %x = stencil.access %a[1] : !temp
    %s = arith.mulf %x, %f : f64
    stencil.return %s : f64
  }
  %r = stencil.apply(%a = %p : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    %y = stencil.access %a[1] : !temp
    stencil.return %x, %y unroll <[2]> : f64, f64
  }
  stencil.store %r to %out(<[0], [16]>) : !temp to !line
  return
}

// `stencil.store_result` with a value at every point is that value.
// REMARK: remark: {{.*}}Function=kept_values{{.*}}is inlined into its reader, at 1 offset
// CHECK-LABEL: func.func @kept_values
// CHECK:         stencil.apply(%[[A:.*]] =
// CHECK-NEXT:      %[[X:.*]] = stencil.access %[[A]][1]
// CHECK-NEXT:      stencil.return %[[X]] : f64
func.func @kept_values(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    %s = stencil.store_result %x : !stencil.result<f64>
    stencil.return %s : !stencil.result<f64>
  }
  %r = stencil.apply(%a = %p : !temp) -> (!temp) {
    %x = stencil.access %a[1] : !temp
    stencil.return %x : f64
  }
  stencil.store %r to %out(<[0], [16]>) : !temp to !line
  return
}

// The extent of reads at computed coordinates moves with the point; one in coordinates stays.
// REMARK: remark: {{.*}}Function=near_coordinates{{.*}}is inlined into its reader, at 1 offset
// CHECK-LABEL: func.func @near_coordinates
// CHECK:         stencil.index 0 <[3]>
// CHECK:         stencil.dyn_access {{.*}} in <[2]> : <[4]>
// CHECK:         stencil.dyn_access {{.*}} in <[0]> : <[5]> attributes {absolute}
func.func @near_coordinates(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %i = stencil.index 0 <[0]>
    %one = arith.constant 1 : index
    %five = arith.constant 5 : index
    %j = arith.addi %i, %one : index
    %x = stencil.dyn_access %a[%j] in <[-1]> : <[1]> : !temp
    %y = stencil.dyn_access %a[%five] in <[0]> : <[5]> attributes {absolute} : !temp
    %s = arith.addf %x, %y : f64
    stencil.return %s : f64
  }
  %r = stencil.apply(%a = %p : !temp) -> (!temp) {
    %x = stencil.access %a[3] : !temp
    stencil.return %x : f64
  }
  stencil.store %r to %out(<[0], [16]>) : !temp to !line
  return
}
