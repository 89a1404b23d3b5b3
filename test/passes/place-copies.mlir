// A copy stands exactly where memory cannot keep a temp's values: afterwards every store is direct, every load in place.
//
// RUN: stencil-opt %s --stencil-place-copies | FileCheck %s
// RUN: stencil-opt %s --stencil-place-copies --stencil-place-copies | FileCheck %s
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-place-copies))' --seed=1
// A copy that is missing does not change what the interpreter computes, but what the kernels do.
// DEFINE: %{kernels} = stencilc run %s --on=emulator --function=%{function} --verify --seed=1
// REDEFINE: %{function} = in_place_with_offsets
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = in_place_own_point
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = in_place_other_cells
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = in_place_common_row
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = in_place_absolute
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = in_place_unrolled
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = stored_twice
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = stored_and_read
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = store_of_load
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = read_before_store
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = optional_result
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = read_after_store
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = rotated_fields
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = shared_slots
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = loaded_before_loop
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = loop_stores_to_loaded
// RUN: %{run}
// RUN: %{kernels}
// REDEFINE: %{function} = allocated
// RUN: %{run}
// RUN: %{kernels}

// Neighbours are read while their field is written: the load is copied, at the points that it has.
// CHECK-LABEL: func.func @in_place_with_offsets
// CHECK-SAME:    (%[[F:[a-z0-9]+]]: !stencil.field<[-1,65]xf64>)
func.func @in_place_with_offsets(%f: !stencil.field<[-1,65]xf64>) {
  // CHECK:      %[[T:.*]] = stencil.load %[[F]] : !stencil.field<[-1,65]xf64> -> !stencil.temp<[-1,63]xf64>
  // CHECK-NEXT: %[[COPY:.*]] = stencil.apply(%[[A:.*]] = %[[T]] : !stencil.temp<[-1,63]xf64>) -> (!stencil.temp<[-1,63]xf64>) {
  // CHECK-NEXT:   %[[V:.*]] = stencil.access %[[A]][0]
  // CHECK-NEXT:   stencil.return %[[V]]
  // CHECK-NEXT: }
  // CHECK-NEXT: stencil.apply({{.*}} = %[[COPY]] :
  %t = stencil.load %f : !stencil.field<[-1,65]xf64> -> !stencil.temp<[-1,63]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[-1,63]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %a[-1] : !stencil.temp<[-1,63]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %f(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[-1,65]xf64>
  return
}

// Each point reads its own cell only: that needs no copy.
// CHECK-LABEL: func.func @in_place_own_point
// CHECK-COUNT-1: stencil.apply
// CHECK-NOT:     stencil.apply
func.func @in_place_own_point(%f: !stencil.field<[-1,65]xf64>) {
  %t = stencil.load %f : !stencil.field<[-1,65]xf64> -> !stencil.temp<[0,64]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %square = arith.mulf %v, %v : f64
    stencil.return %square : f64
  }
  stencil.store %r to %f(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[-1,65]xf64>
  return
}

// What is read of the field is not what is written, as with components that lie behind each other.
// CHECK-LABEL: func.func @in_place_other_cells
// CHECK-COUNT-1: stencil.apply
// CHECK-NOT:     stencil.apply
func.func @in_place_other_cells(%f: !stencil.field<[0,30]x[0,33]xf64>) {
  %t = stencil.load %f : !stencil.field<[0,30]x[0,33]xf64> -> !stencil.temp<[10,30]x[0,33]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[10,30]x[0,33]xf64>) -> (!stencil.temp<[0,10]x[1,33]xf64>) {
    %v = stencil.access %a[10, -1] : !stencil.temp<[10,30]x[0,33]xf64>
    %w = stencil.access %a[20, 0] : !stencil.temp<[10,30]x[0,33]xf64>
    %s = arith.subf %w, %v : f64
    stencil.return %s : f64
  }
  stencil.store %r to %f(<[0, 1], [10, 33]>) : !stencil.temp<[0,10]x[1,33]xf64> to !stencil.field<[0,30]x[0,33]xf64>
  return
}

// One row is both.
// CHECK-LABEL: func.func @in_place_common_row
// CHECK-COUNT-2: stencil.apply
func.func @in_place_common_row(%f: !stencil.field<[0,30]x[0,33]xf64>) {
  %t = stencil.load %f : !stencil.field<[0,30]x[0,33]xf64> -> !stencil.temp<[9,30]x[0,33]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[9,30]x[0,33]xf64>) -> (!stencil.temp<[0,10]x[1,33]xf64>) {
    %v = stencil.access %a[9, -1] : !stencil.temp<[9,30]x[0,33]xf64>
    %w = stencil.access %a[20, 0] : !stencil.temp<[9,30]x[0,33]xf64>
    %s = arith.subf %w, %v : f64
    stencil.return %s : f64
  }
  stencil.store %r to %f(<[0, 1], [10, 33]>) : !stencil.temp<[0,10]x[1,33]xf64> to !stencil.field<[0,30]x[0,33]xf64>
  return
}

// One cell that every point reads is another point's cell: the load is copied, and so is one that reads a mirrored
// cell.
// CHECK-LABEL: func.func @in_place_absolute
// CHECK:         %[[T:.*]] = stencil.load
// CHECK-NEXT:    %[[COPY:.*]] = stencil.apply({{.*}} = %[[T]] :
// CHECK:         stencil.apply({{.*}} = %[[COPY]] :
// CHECK:         %[[U:.*]] = stencil.load
// CHECK-NEXT:    %[[OTHER:.*]] = stencil.apply({{.*}} = %[[U]] :
// CHECK:         stencil.apply({{.*}} = %[[OTHER]] :
func.func @in_place_absolute(%f: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %f : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %zero = arith.constant 0 : index
    %v = stencil.dyn_access %a[%zero] in <[0]> : <[0]> attributes {absolute} : !stencil.temp<[0,64]xf64>
    %w = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %s = arith.subf %w, %v : f64
    stencil.return %s : f64
  }
  stencil.store %r to %f(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  %u = stencil.load %f : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %q = stencil.apply(%a = %u : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %i = stencil.index 0 <[0]>
    %last = arith.constant 63 : index
    %j = arith.subi %last, %i : index
    %v = stencil.dyn_access %a[%j] in <[0]> : <[63]> attributes {absolute} : !stencil.temp<[0,64]xf64>
    stencil.return %v : f64
  }
  stencil.store %q to %f(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}

// With unroll one run of the body reads other points' cells, even at offset zero.
// CHECK-LABEL: func.func @in_place_unrolled
// CHECK-COUNT-2: stencil.apply
func.func @in_place_unrolled(%f: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %f : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %w = stencil.access %a[1] : !stencil.temp<[0,64]xf64>
    stencil.return %w, %v unroll <[2]> : f64, f64
  }
  stencil.store %r to %f(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}

// One temp, two stores: the kernel writes both, from two results.
// CHECK-LABEL: func.func @stored_twice
// CHECK-SAME:    (%{{[a-z0-9]+}}: !stencil.field<[0,64]xf64>, %[[OUT0:[a-z0-9]+]]: !stencil.field<[0,64]xf64>, %[[OUT1:[a-z0-9]+]]: !stencil.field<[0,64]xf64>)
func.func @stored_twice(%in: !stencil.field<[0,64]xf64>, %out0: !stencil.field<[0,64]xf64>, %out1: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  // CHECK: %[[R:.*]]:2 = stencil.apply({{.*}}) -> (!stencil.temp<[0,64]xf64>, !stencil.temp<[0,64]xf64>) attributes {stencil.stage = "double"}
  %r = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) attributes {stencil.stage = "double"} {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %double = arith.addf %v, %v : f64
    // CHECK: stencil.return %[[V:.*]], %[[V]] : f64, f64
    stencil.return %double : f64
  }
  // CHECK-DAG: stencil.store %[[R]]#0 to %[[OUT0]]
  // CHECK-DAG: stencil.store %[[R]]#1 to %[[OUT1]]
  stencil.store %r to %out0(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  stencil.store %r to %out1(<[16], [32]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}

// A temp that is stored and read by an apply: the store has a result of its own, for all points of a group.
// CHECK-LABEL: func.func @stored_and_read
// CHECK-SAME:    (%{{[a-z0-9]+}}: !stencil.field<[0,64]xf64>, %[[OUT0:[a-z0-9]+]]: !stencil.field<[0,64]xf64>, %[[OUT1:[a-z0-9]+]]: !stencil.field<[1,64]xf64>)
func.func @stored_and_read(%in: !stencil.field<[0,64]xf64>, %out0: !stencil.field<[0,64]xf64>, %out1: !stencil.field<[1,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  // CHECK: %[[R:.*]]:2 = stencil.apply
  // CHECK: stencil.return %[[V:.*]], %[[W:.*]], %[[V]], %[[W]] unroll <[2]>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %w = stencil.access %a[1] : !stencil.temp<[0,64]xf64>
    stencil.return %w, %v unroll <[2]> : f64, f64
  }
  // CHECK: %[[S:.*]] = stencil.apply({{.*}} = %[[R]]#0
  %s = stencil.apply(%a = %r : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[1,64]xf64>) {
    %v = stencil.access %a[-1] : !stencil.temp<[0,64]xf64>
    stencil.return %v : f64
  }
  // CHECK: stencil.store %[[R]]#1 to %[[OUT0]]
  // CHECK: stencil.store %[[S]] to %[[OUT1]]
  stencil.store %r to %out0(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  stencil.store %s to %out1(<[1], [64]>) : !stencil.temp<[1,64]xf64> to !stencil.field<[1,64]xf64>
  return
}

// What was loaded is stored: an apply copies, the stored points only.
// CHECK-LABEL: func.func @store_of_load
func.func @store_of_load(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  // CHECK: %[[T:.*]] = stencil.load
  // CHECK: %[[COPY:.*]] = stencil.apply({{.*}} = %[[T]] : {{.*}}) -> (!stencil.temp<[8,16]xf64>)
  // CHECK: stencil.store %[[COPY]] to
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  stencil.store %t to %out(<[8], [16]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}

// The field is read between the apply and its store: the values wait in a temporary.
// CHECK-LABEL: func.func @read_before_store
// CHECK-SAME:    (%{{[a-z0-9]+}}: !stencil.field<[0,64]xf64>, %[[OUT:[a-z0-9]+]]: !stencil.field<[0,64]xf64>, %[[OTHER:[a-z0-9]+]]: !stencil.field<[0,64]xf64>)
func.func @read_before_store(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>, %other: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %old = stencil.load %out : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  // CHECK: %[[R:.*]] = stencil.apply
  %r = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    stencil.return %v : f64
  }
  // CHECK: %[[S:.*]] = stencil.apply
  %s = stencil.apply(%a = %old : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %double = arith.addf %v, %v : f64
    stencil.return %double : f64
  }
  // CHECK:      stencil.store %[[S]] to %[[OTHER]]
  // CHECK:      %[[COPY:.*]] = stencil.apply({{.*}} = %[[R]] :
  // CHECK:      stencil.store %[[COPY]] to %[[OUT]]
  stencil.store %s to %other(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}

// The same with points that are not stored: memory of a temporary cannot say so, the apply is repeated.
// CHECK-LABEL: func.func @optional_result
// CHECK-SAME:    (%{{[a-z0-9]+}}: !stencil.field<[0,64]xf64>, %[[OUT:[a-z0-9]+]]: !stencil.field<[0,64]xf64>, %[[OTHER:[a-z0-9]+]]: !stencil.field<[0,64]xf64>)
func.func @optional_result(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>, %other: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %old = stencil.load %out : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) attributes {stencil.stage = "positive"} {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %half = arith.constant 0.5 : f64
    %large = arith.cmpf ogt, %v, %half : f64
    %kept = scf.if %large -> (!stencil.result<f64>) {
      %some = stencil.store_result %v : !stencil.result<f64>
      scf.yield %some : !stencil.result<f64>
    } else {
      %none = stencil.store_result : !stencil.result<f64>
      scf.yield %none : !stencil.result<f64>
    }
    stencil.return %kept : !stencil.result<f64>
  }
  // CHECK: %[[S:.*]] = stencil.apply({{.*}}) -> (!stencil.temp<[0,64]xf64>) {
  // CHECK:   arith.addf
  %s = stencil.apply(%a = %old : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %double = arith.addf %v, %v : f64
    stencil.return %double : f64
  }
  // CHECK: stencil.store %[[S]] to %[[OTHER]]
  // CHECK: %[[AGAIN:.*]] = stencil.apply
  // CHECK:   stencil.store_result : !stencil.result<f64>
  // CHECK: stencil.store %[[AGAIN]] to %[[OUT]]
  stencil.store %s to %other(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}

// A loaded temp is read after its field was stored to: the load is copied before that.
// CHECK-LABEL: func.func @read_after_store
// CHECK-SAME:    (%[[F:[a-z0-9]+]]: !stencil.field<[0,64]xf64>, %[[OUT:[a-z0-9]+]]: !stencil.field<[0,64]xf64>)
func.func @read_after_store(%f: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  // CHECK:      %[[T:.*]] = stencil.load %[[F]]
  // CHECK-NEXT: %[[COPY:.*]] = stencil.apply({{.*}} = %[[T]] :
  %t = stencil.load %f : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %double = arith.addf %v, %v : f64
    stencil.return %double : f64
  }
  // CHECK:      stencil.store {{.*}} to %[[F]]
  // CHECK-NEXT: stencil.apply({{.*}} = %[[COPY]] :
  stencil.store %r to %f(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  %s = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    stencil.return %v : f64
  }
  stencil.store %s to %out(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}

// Fields that a loop rotates are never the same memory at once: no copy.
// CHECK-LABEL: func.func @rotated_fields
// CHECK-COUNT-1: stencil.apply
// CHECK-NOT:     stencil.apply
func.func @rotated_fields(%u: !stencil.field<[-1,65]xf64>, %v: !stencil.field<[-1,65]xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 3 : index
  %l0, %l1 = scf.for %time = %zero to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-1,65]xf64>, !stencil.field<[-1,65]xf64>) {
    %t = stencil.load %now : !stencil.field<[-1,65]xf64> -> !stencil.temp<[-1,65]xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<[-1,65]xf64>) -> (!stencil.temp<[0,64]xf64>) {
      %left = stencil.access %a[-1] : !stencil.temp<[-1,65]xf64>
      %right = stencil.access %a[1] : !stencil.temp<[-1,65]xf64>
      %sum = arith.addf %left, %right : f64
      stencil.return %sum : f64
    }
    stencil.store %r to %next(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[-1,65]xf64>
    scf.yield %next, %now : !stencil.field<[-1,65]xf64>, !stencil.field<[-1,65]xf64>
  }
  return
}

// One field in both slots: what is read may be what is written.
// CHECK-LABEL: func.func @shared_slots
// CHECK:         scf.for
// CHECK:           %[[T:.*]] = stencil.load
// CHECK-NEXT:      %[[COPY:.*]] = stencil.apply({{.*}} = %[[T]] :
// CHECK:           stencil.apply({{.*}} = %[[COPY]] :
func.func @shared_slots(%u: !stencil.field<[-1,65]xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 3 : index
  %l0, %l1 = scf.for %time = %zero to %steps step %one iter_args(%now = %u, %next = %u)
      -> (!stencil.field<[-1,65]xf64>, !stencil.field<[-1,65]xf64>) {
    %t = stencil.load %now : !stencil.field<[-1,65]xf64> -> !stencil.temp<[-1,65]xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<[-1,65]xf64>) -> (!stencil.temp<[0,64]xf64>) {
      %left = stencil.access %a[-1] : !stencil.temp<[-1,65]xf64>
      %right = stencil.access %a[1] : !stencil.temp<[-1,65]xf64>
      %sum = arith.addf %left, %right : f64
      stencil.return %sum : f64
    }
    stencil.store %r to %next(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[-1,65]xf64>
    scf.yield %next, %now : !stencil.field<[-1,65]xf64>, !stencil.field<[-1,65]xf64>
  }
  return
}

// A field that is no slot of the loop keeps its place: the temp is loaded before, and read in every iteration.
// CHECK-LABEL: func.func @loaded_before_loop
// CHECK-COUNT-1: stencil.apply
// CHECK-NOT:     stencil.apply
func.func @loaded_before_loop(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 3 : index
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  scf.for %time = %zero to %steps step %one {
    %old = stencil.load %out : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
    %r = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>, %b = %old : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
      %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
      %w = stencil.access %b[0] : !stencil.temp<[0,64]xf64>
      %sum = arith.addf %v, %w : f64
      stencil.return %sum : f64
    }
    stencil.store %r to %out(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  }
  return
}

// Loaded before a loop that stores to its field: copied before the loop.
// CHECK-LABEL: func.func @loop_stores_to_loaded
// CHECK:         %[[T:.*]] = stencil.load
// CHECK-NEXT:    %[[COPY:.*]] = stencil.apply({{.*}} = %[[T]] :
// CHECK:         scf.for
// CHECK:           stencil.apply({{.*}} = %[[COPY]] :
func.func @loop_stores_to_loaded(%f: !stencil.field<[0,64]xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 3 : index
  %t = stencil.load %f : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  scf.for %time = %zero to %steps step %one {
    %r = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
      %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
      %double = arith.addf %v, %v : f64
      stencil.return %double : f64
    }
    stencil.store %r to %f(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  }
  return
}

// Allocated memory is new: what is loaded from an argument cannot change by a store to it.
// CHECK-LABEL: func.func @allocated
// CHECK-COUNT-2: stencil.apply
// CHECK-NOT:     stencil.apply
func.func @allocated(%f: !stencil.field<[-1,65]xf64>) {
  %scratch = stencil.alloc : !stencil.field<[-1,65]xf64>
  %t = stencil.load %f : !stencil.field<[-1,65]xf64> -> !stencil.temp<[-1,65]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[-1,65]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %left = stencil.access %a[-1] : !stencil.temp<[-1,65]xf64>
    %right = stencil.access %a[1] : !stencil.temp<[-1,65]xf64>
    %sum = arith.addf %left, %right : f64
    stencil.return %sum : f64
  }
  stencil.store %r to %scratch(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[-1,65]xf64>
  %s = stencil.load %scratch : !stencil.field<[-1,65]xf64> -> !stencil.temp<[0,64]xf64>
  %q = stencil.apply(%a = %s : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    stencil.return %v : f64
  }
  stencil.store %q to %f(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[-1,65]xf64>
  return
}

// What nobody uses needs no copy, and is gone.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT:    return
func.func @unused(%f: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %f : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}
