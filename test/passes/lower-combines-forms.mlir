// Combines in the forms in which programs have them: along each dimension, of loads, of one apply's
// results, stored, read, buffered, in a loop. Kernels of all of them compute what the combines mean.
//
// RUN: stencil-opt %s --mlir-print-local-scope --stencil-lower-combines | FileCheck %s
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-lower-combines))' --seed=1
// DEFINE: %{both} = stencilc run %s --on=emulator --verify --function=%{function} --seed=1
// REDEFINE: %{function} = of_loads
// RUN: %{run}
// RUN: %{both}
// REDEFINE: %{function} = of_loads_read
// RUN: %{run}
// RUN: %{both}
// REDEFINE: %{function} = dimension_0_of_2
// RUN: %{run}
// RUN: %{both}
// REDEFINE: %{function} = dimension_1_of_2
// RUN: %{run}
// RUN: %{both}
// REDEFINE: %{function} = dimension_0_of_3
// RUN: %{run}
// RUN: %{both}
// REDEFINE: %{function} = dimension_1_of_3
// RUN: %{run}
// RUN: %{both}
// REDEFINE: %{function} = dimension_2_of_3
// RUN: %{run}
// RUN: %{both}
// REDEFINE: %{function} = two_results
// RUN: %{run}
// RUN: %{both}
// REDEFINE: %{function} = two_combines
// RUN: %{run}
// RUN: %{both}
// REDEFINE: %{function} = upper_extra_read
// RUN: %{run}
// RUN: %{both}
// REDEFINE: %{function} = only_extras
// RUN: %{run}
// RUN: %{both}
// REDEFINE: %{function} = several_fields
// RUN: %{run}
// RUN: %{both}
// REDEFINE: %{function} = buffered
// RUN: %{run}
// RUN: %{both}
// REDEFINE: %{function} = nested_read
// RUN: %{run}
// RUN: %{both}
// REDEFINE: %{function} = corners
// RUN: %{run}
// RUN: %{both}
// REDEFINE: %{function} = in_a_loop
// RUN: %{run}
// RUN: %{both}

!f1 = !stencil.field<[-2,10]xf64>
!t1 = !stencil.temp<[-2,10]xf64>
!i1d = !stencil.temp<[0,8]xf64>
!f2 = !stencil.field<[0,4]x[0,8]xf64>
!t2 = !stencil.temp<[0,4]x[0,8]xf64>

// Sides may be temps that were loaded: a store of each.
// CHECK-LABEL: func.func @of_loads(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>, %[[B:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>, %[[OUT:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>)
// CHECK-DAG:     %[[TA:.*]] = stencil.load %[[A]]
// CHECK-DAG:     %[[TB:.*]] = stencil.load %[[B]]
// CHECK-NOT:     stencil.apply
// CHECK:         stencil.store %[[TA]] to %[[OUT]](<[-2], [3]>)
// CHECK-NEXT:    stencil.store %[[TB]] to %[[OUT]](<[3], [10]>)
// CHECK-NOT:     stencil.combine
func.func @of_loads(%a: !f1, %b: !f1, %out: !f1) {
  %ta = stencil.load %a : !f1 -> !t1
  %tb = stencil.load %b : !f1 -> !t1
  %c = stencil.combine 0 at 3 lower = (%ta : !t1) upper = (%tb : !t1) : !t1
  stencil.store %c to %out(<[-2], [10]>) : !t1 to !f1
  return
}

// The same, read by an apply across the index.
// CHECK-LABEL: func.func @of_loads_read(
// CHECK:         %[[TA:.*]] = stencil.load
// CHECK:         %[[TB:.*]] = stencil.load
// CHECK:         %[[C:.*]] = stencil.apply({{.*}} = %[[TA]] : {{.*}}, {{.*}} = %[[TB]] : {{.*}})
// CHECK:           scf.if
// CHECK:         stencil.apply({{.*}} = %[[C]] :
func.func @of_loads_read(%a: !f1, %b: !f1, %out: !f1) {
  %ta = stencil.load %a : !f1 -> !t1
  %tb = stencil.load %b : !f1 -> !t1
  %c = stencil.combine 0 at 3 lower = (%ta : !t1) upper = (%tb : !t1) : !t1
  %r = stencil.apply(%x = %c : !t1) -> (!i1d) {
    %l = stencil.access %x[-2] : !t1
    %h = stencil.access %x[2] : !t1
    %d = arith.subf %h, %l : f64
    stencil.return %d : f64
  }
  stencil.store %r to %out(<[0], [8]>) : !i1d to !f1
  return
}

// Dimension 0 of 2, stored and read with neighbours across the index.
// CHECK-LABEL: func.func @dimension_0_of_2(
// CHECK-SAME:    , %[[OUT:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>, %{{[a-z0-9]+}}: !stencil.field<{{[^>]*}}>)
// CHECK:         %[[LOW:.*]] = stencil.apply
// CHECK:         %[[HIGH:.*]] = stencil.apply
// CHECK:         stencil.index 0 <[0, 0]>
// CHECK:         arith.constant 1 : index
// CHECK-DAG:     stencil.store %[[LOW]] to %[[OUT]](<[0, -1], [1, 7]>)
// CHECK-DAG:     stencil.store %[[HIGH]] to %[[OUT]](<[1, -1], [4, 7]>)
func.func @dimension_0_of_2(%in: !stencil.field<[0,4]x[-1,7]xf64>, %out: !stencil.field<[0,4]x[-1,7]xf64>, %around: !stencil.field<[0,4]x[-1,7]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,4]x[-1,7]xf64> -> !stencil.temp<[0,4]x[-1,7]xf64>
  %low = stencil.apply(%a = %t : !stencil.temp<[0,4]x[-1,7]xf64>) -> (!stencil.temp<[0,1]x[-1,7]xf64>) {
    %v = stencil.access %a[0, 0] : !stencil.temp<[0,4]x[-1,7]xf64>
    %w = arith.addf %v, %v : f64
    stencil.return %w : f64
  }
  %high = stencil.apply(%a = %t : !stencil.temp<[0,4]x[-1,7]xf64>) -> (!stencil.temp<[1,4]x[-1,7]xf64>) {
    %v = stencil.access %a[0, 0] : !stencil.temp<[0,4]x[-1,7]xf64>
    %w = arith.negf %v : f64
    stencil.return %w : f64
  }
  %both = stencil.combine 0 at 1 lower = (%low : !stencil.temp<[0,1]x[-1,7]xf64>) upper = (%high : !stencil.temp<[1,4]x[-1,7]xf64>)
    : !stencil.temp<[0,4]x[-1,7]xf64>
  %r = stencil.apply(%a = %both : !stencil.temp<[0,4]x[-1,7]xf64>) -> (!stencil.temp<[1,3]x[-1,7]xf64>) {
    %v = stencil.access %a[-1, 0] : !stencil.temp<[0,4]x[-1,7]xf64>
    %w = stencil.access %a[1, 0] : !stencil.temp<[0,4]x[-1,7]xf64>
    %d = arith.subf %w, %v : f64
    stencil.return %d : f64
  }
  stencil.store %both to %out(<[0, -1], [4, 7]>) : !stencil.temp<[0,4]x[-1,7]xf64> to !stencil.field<[0,4]x[-1,7]xf64>
  stencil.store %r to %around(<[1, -1], [3, 7]>) : !stencil.temp<[1,3]x[-1,7]xf64> to !stencil.field<[0,4]x[-1,7]xf64>
  return
}

// Dimension 1 of 2, stored and read with neighbours across the index.
// CHECK-LABEL: func.func @dimension_1_of_2(
// CHECK-SAME:    , %[[OUT:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>, %{{[a-z0-9]+}}: !stencil.field<{{[^>]*}}>)
// CHECK:         %[[LOW:.*]] = stencil.apply
// CHECK:         %[[HIGH:.*]] = stencil.apply
// CHECK:         stencil.index 1 <[0, 0]>
// CHECK:         arith.constant 3 : index
// CHECK-DAG:     stencil.store %[[LOW]] to %[[OUT]](<[0, -1], [4, 3]>)
// CHECK-DAG:     stencil.store %[[HIGH]] to %[[OUT]](<[0, 3], [4, 7]>)
func.func @dimension_1_of_2(%in: !stencil.field<[0,4]x[-1,7]xf64>, %out: !stencil.field<[0,4]x[-1,7]xf64>, %around: !stencil.field<[0,4]x[-1,7]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,4]x[-1,7]xf64> -> !stencil.temp<[0,4]x[-1,7]xf64>
  %low = stencil.apply(%a = %t : !stencil.temp<[0,4]x[-1,7]xf64>) -> (!stencil.temp<[0,4]x[-1,3]xf64>) {
    %v = stencil.access %a[0, 0] : !stencil.temp<[0,4]x[-1,7]xf64>
    %w = arith.addf %v, %v : f64
    stencil.return %w : f64
  }
  %high = stencil.apply(%a = %t : !stencil.temp<[0,4]x[-1,7]xf64>) -> (!stencil.temp<[0,4]x[3,7]xf64>) {
    %v = stencil.access %a[0, 0] : !stencil.temp<[0,4]x[-1,7]xf64>
    %w = arith.negf %v : f64
    stencil.return %w : f64
  }
  %both = stencil.combine 1 at 3 lower = (%low : !stencil.temp<[0,4]x[-1,3]xf64>) upper = (%high : !stencil.temp<[0,4]x[3,7]xf64>)
    : !stencil.temp<[0,4]x[-1,7]xf64>
  %r = stencil.apply(%a = %both : !stencil.temp<[0,4]x[-1,7]xf64>) -> (!stencil.temp<[0,4]x[0,6]xf64>) {
    %v = stencil.access %a[0, -1] : !stencil.temp<[0,4]x[-1,7]xf64>
    %w = stencil.access %a[0, 1] : !stencil.temp<[0,4]x[-1,7]xf64>
    %d = arith.subf %w, %v : f64
    stencil.return %d : f64
  }
  stencil.store %both to %out(<[0, -1], [4, 7]>) : !stencil.temp<[0,4]x[-1,7]xf64> to !stencil.field<[0,4]x[-1,7]xf64>
  stencil.store %r to %around(<[0, 0], [4, 6]>) : !stencil.temp<[0,4]x[0,6]xf64> to !stencil.field<[0,4]x[-1,7]xf64>
  return
}

// Dimension 0 of 3, stored and read with neighbours across the index.
// CHECK-LABEL: func.func @dimension_0_of_3(
// CHECK-SAME:    , %[[OUT:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>, %{{[a-z0-9]+}}: !stencil.field<{{[^>]*}}>)
// CHECK:         %[[LOW:.*]] = stencil.apply
// CHECK:         %[[HIGH:.*]] = stencil.apply
// CHECK:         stencil.index 0 <[0, 0, 0]>
// CHECK:         arith.constant 1 : index
// CHECK-DAG:     stencil.store %[[LOW]] to %[[OUT]](<[0, -1, 1], [1, 7, 6]>)
// CHECK-DAG:     stencil.store %[[HIGH]] to %[[OUT]](<[1, -1, 1], [4, 7, 6]>)
func.func @dimension_0_of_3(%in: !stencil.field<[0,4]x[-1,7]x[1,6]xf64>, %out: !stencil.field<[0,4]x[-1,7]x[1,6]xf64>, %around: !stencil.field<[0,4]x[-1,7]x[1,6]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,4]x[-1,7]x[1,6]xf64> -> !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
  %low = stencil.apply(%a = %t : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>) -> (!stencil.temp<[0,1]x[-1,7]x[1,6]xf64>) {
    %v = stencil.access %a[0, 0, 0] : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
    %w = arith.addf %v, %v : f64
    stencil.return %w : f64
  }
  %high = stencil.apply(%a = %t : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>) -> (!stencil.temp<[1,4]x[-1,7]x[1,6]xf64>) {
    %v = stencil.access %a[0, 0, 0] : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
    %w = arith.negf %v : f64
    stencil.return %w : f64
  }
  %both = stencil.combine 0 at 1 lower = (%low : !stencil.temp<[0,1]x[-1,7]x[1,6]xf64>) upper = (%high : !stencil.temp<[1,4]x[-1,7]x[1,6]xf64>)
    : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
  %r = stencil.apply(%a = %both : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>) -> (!stencil.temp<[1,3]x[-1,7]x[1,6]xf64>) {
    %v = stencil.access %a[-1, 0, 0] : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
    %w = stencil.access %a[1, 0, 0] : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
    %d = arith.subf %w, %v : f64
    stencil.return %d : f64
  }
  stencil.store %both to %out(<[0, -1, 1], [4, 7, 6]>) : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64> to !stencil.field<[0,4]x[-1,7]x[1,6]xf64>
  stencil.store %r to %around(<[1, -1, 1], [3, 7, 6]>) : !stencil.temp<[1,3]x[-1,7]x[1,6]xf64> to !stencil.field<[0,4]x[-1,7]x[1,6]xf64>
  return
}

// Dimension 1 of 3, stored and read with neighbours across the index.
// CHECK-LABEL: func.func @dimension_1_of_3(
// CHECK-SAME:    , %[[OUT:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>, %{{[a-z0-9]+}}: !stencil.field<{{[^>]*}}>)
// CHECK:         %[[LOW:.*]] = stencil.apply
// CHECK:         %[[HIGH:.*]] = stencil.apply
// CHECK:         stencil.index 1 <[0, 0, 0]>
// CHECK:         arith.constant 3 : index
// CHECK-DAG:     stencil.store %[[LOW]] to %[[OUT]](<[0, -1, 1], [4, 3, 6]>)
// CHECK-DAG:     stencil.store %[[HIGH]] to %[[OUT]](<[0, 3, 1], [4, 7, 6]>)
func.func @dimension_1_of_3(%in: !stencil.field<[0,4]x[-1,7]x[1,6]xf64>, %out: !stencil.field<[0,4]x[-1,7]x[1,6]xf64>, %around: !stencil.field<[0,4]x[-1,7]x[1,6]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,4]x[-1,7]x[1,6]xf64> -> !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
  %low = stencil.apply(%a = %t : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>) -> (!stencil.temp<[0,4]x[-1,3]x[1,6]xf64>) {
    %v = stencil.access %a[0, 0, 0] : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
    %w = arith.addf %v, %v : f64
    stencil.return %w : f64
  }
  %high = stencil.apply(%a = %t : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>) -> (!stencil.temp<[0,4]x[3,7]x[1,6]xf64>) {
    %v = stencil.access %a[0, 0, 0] : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
    %w = arith.negf %v : f64
    stencil.return %w : f64
  }
  %both = stencil.combine 1 at 3 lower = (%low : !stencil.temp<[0,4]x[-1,3]x[1,6]xf64>) upper = (%high : !stencil.temp<[0,4]x[3,7]x[1,6]xf64>)
    : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
  %r = stencil.apply(%a = %both : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>) -> (!stencil.temp<[0,4]x[0,6]x[1,6]xf64>) {
    %v = stencil.access %a[0, -1, 0] : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
    %w = stencil.access %a[0, 1, 0] : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
    %d = arith.subf %w, %v : f64
    stencil.return %d : f64
  }
  stencil.store %both to %out(<[0, -1, 1], [4, 7, 6]>) : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64> to !stencil.field<[0,4]x[-1,7]x[1,6]xf64>
  stencil.store %r to %around(<[0, 0, 1], [4, 6, 6]>) : !stencil.temp<[0,4]x[0,6]x[1,6]xf64> to !stencil.field<[0,4]x[-1,7]x[1,6]xf64>
  return
}

// Dimension 2 of 3, stored and read with neighbours across the index.
// CHECK-LABEL: func.func @dimension_2_of_3(
// CHECK-SAME:    , %[[OUT:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>, %{{[a-z0-9]+}}: !stencil.field<{{[^>]*}}>)
// CHECK:         %[[LOW:.*]] = stencil.apply
// CHECK:         %[[HIGH:.*]] = stencil.apply
// CHECK:         stencil.index 2 <[0, 0, 0]>
// CHECK:         arith.constant 4 : index
// CHECK-DAG:     stencil.store %[[LOW]] to %[[OUT]](<[0, -1, 1], [4, 7, 4]>)
// CHECK-DAG:     stencil.store %[[HIGH]] to %[[OUT]](<[0, -1, 4], [4, 7, 6]>)
func.func @dimension_2_of_3(%in: !stencil.field<[0,4]x[-1,7]x[1,6]xf64>, %out: !stencil.field<[0,4]x[-1,7]x[1,6]xf64>, %around: !stencil.field<[0,4]x[-1,7]x[1,6]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,4]x[-1,7]x[1,6]xf64> -> !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
  %low = stencil.apply(%a = %t : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>) -> (!stencil.temp<[0,4]x[-1,7]x[1,4]xf64>) {
    %v = stencil.access %a[0, 0, 0] : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
    %w = arith.addf %v, %v : f64
    stencil.return %w : f64
  }
  %high = stencil.apply(%a = %t : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>) -> (!stencil.temp<[0,4]x[-1,7]x[4,6]xf64>) {
    %v = stencil.access %a[0, 0, 0] : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
    %w = arith.negf %v : f64
    stencil.return %w : f64
  }
  %both = stencil.combine 2 at 4 lower = (%low : !stencil.temp<[0,4]x[-1,7]x[1,4]xf64>) upper = (%high : !stencil.temp<[0,4]x[-1,7]x[4,6]xf64>)
    : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
  %r = stencil.apply(%a = %both : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>) -> (!stencil.temp<[0,4]x[-1,7]x[2,5]xf64>) {
    %v = stencil.access %a[0, 0, -1] : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
    %w = stencil.access %a[0, 0, 1] : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64>
    %d = arith.subf %w, %v : f64
    stencil.return %d : f64
  }
  stencil.store %both to %out(<[0, -1, 1], [4, 7, 6]>) : !stencil.temp<[0,4]x[-1,7]x[1,6]xf64> to !stencil.field<[0,4]x[-1,7]x[1,6]xf64>
  stencil.store %r to %around(<[0, -1, 2], [4, 7, 5]>) : !stencil.temp<[0,4]x[-1,7]x[2,5]xf64> to !stencil.field<[0,4]x[-1,7]x[1,6]xf64>
  return
}

// One apply feeds both sides of a combine with two results: stored, and read.
// CHECK-LABEL: func.func @two_results(
// CHECK-SAME:    , %[[OUT0:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>, %[[OUT1:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>, %{{[a-z0-9]+}}: !stencil.field<{{[^>]*}}>)
// CHECK:         %[[R:.*]]:2 = stencil.apply
// CHECK-DAG:     stencil.store %[[R]]#0 to %[[OUT0]](<[-2], [3]>)
// CHECK-DAG:     stencil.store %[[R]]#1 to %[[OUT0]](<[3], [10]>)
// CHECK-DAG:     stencil.store %[[R]]#1 to %[[OUT1]](<[-2], [3]>)
// CHECK-DAG:     stencil.store %[[R]]#0 to %[[OUT1]](<[3], [10]>)
func.func @two_results(%in: !f1, %out0: !f1, %out1: !f1, %out2: !f1) {
  %t = stencil.load %in : !f1 -> !t1
  %p, %q = stencil.apply(%a = %t : !t1) -> (!t1, !t1) {
    %v = stencil.access %a[0] : !t1
    %w = arith.negf %v : f64
    %x = arith.addf %v, %v : f64
    stencil.return %w, %x : f64, f64
  }
  %c:2 = stencil.combine 0 at 3 lower = (%p, %q : !t1, !t1) upper = (%q, %p : !t1, !t1) : !t1, !t1
  %r = stencil.apply(%x = %c#0 : !t1, %y = %c#1 : !t1) -> (!i1d) {
    %l = stencil.access %x[-2] : !t1
    %h = stencil.access %y[2] : !t1
    %d = arith.subf %h, %l : f64
    stencil.return %d : f64
  }
  stencil.store %c#0 to %out0(<[-2], [10]>) : !t1 to !f1
  stencil.store %c#1 to %out1(<[-2], [10]>) : !t1 to !f1
  stencil.store %r to %out2(<[0], [8]>) : !i1d to !f1
  return
}

// One apply feeds both sides of two combines with different indices.
// CHECK-LABEL: func.func @two_combines(
// CHECK-SAME:    , %[[OUT0:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>, %[[OUT1:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>)
// CHECK:         %[[R:.*]]:2 = stencil.apply
// CHECK-NOT:     stencil.apply
// CHECK:         stencil.store %[[R]]#0 to %[[OUT0]](<[-2], [3]>)
// CHECK-NEXT:    stencil.store %[[R]]#1 to %[[OUT0]](<[3], [10]>)
// CHECK-NEXT:    stencil.store %[[R]]#1 to %[[OUT1]](<[-2], [7]>)
// CHECK-NEXT:    stencil.store %[[R]]#0 to %[[OUT1]](<[7], [10]>)
func.func @two_combines(%in: !f1, %out0: !f1, %out1: !f1) {
  %t = stencil.load %in : !f1 -> !t1
  %p, %q = stencil.apply(%a = %t : !t1) -> (!t1, !t1) {
    %v = stencil.access %a[0] : !t1
    %w = arith.negf %v : f64
    %x = arith.addf %v, %v : f64
    stencil.return %w, %x : f64, f64
  }
  %c = stencil.combine 0 at 3 lower = (%p : !t1) upper = (%q : !t1) : !t1
  %d = stencil.combine 0 at 7 lower = (%q : !t1) upper = (%p : !t1) : !t1
  stencil.store %c to %out0(<[-2], [10]>) : !t1 to !f1
  stencil.store %d to %out1(<[-2], [10]>) : !t1 to !f1
  return
}

// An extra result of the upper side, read on its side.
// CHECK-LABEL: func.func @upper_extra_read(
// CHECK:         scf.if {{.*}} -> (!stencil.result<f64>)
// CHECK-NEXT:      stencil.store_result : !stencil.result<f64>
// CHECK:         else
// CHECK:           stencil.store_result %{{.*}} : !stencil.result<f64>
func.func @upper_extra_read(%a: !f1, %b: !f1, %out: !f1) {
  %ta = stencil.load %a : !f1 -> !t1
  %tb = stencil.load %b : !f1 -> !t1
  %e = stencil.apply(%x = %ta : !t1) -> (!t1) {
    %v = stencil.access %x[0] : !t1
    %w = arith.negf %v : f64
    stencil.return %w : f64
  }
  %c:2 = stencil.combine 0 at 3 lower = (%ta : !t1) upper = (%tb : !t1) upperext = %e : !t1 : !t1, !t1
  %r = stencil.apply(%x = %c#1 : !t1, %y = %c#0 : !t1) -> (!stencil.temp<[3,8]xf64>) {
    %v = stencil.access %x[2] : !t1
    %w = stencil.access %y[-2] : !t1
    %d = arith.subf %v, %w : f64
    stencil.return %d : f64
  }
  stencil.store %r to %out(<[3], [8]>) : !stencil.temp<[3,8]xf64> to !f1
  return
}

// Extra results without a pair, one of each side.
// CHECK-LABEL: func.func @only_extras(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>, %[[B:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>, %[[OUT0:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>, %[[OUT1:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>)
// CHECK:         %[[TA:.*]] = stencil.load %[[A]]
// CHECK:         %[[TB:.*]] = stencil.load %[[B]]
// CHECK-NEXT:    stencil.store %[[TA]] to %[[OUT0]](<[-2], [3]>)
// CHECK-NEXT:    stencil.store %[[TB]] to %[[OUT1]](<[3], [10]>)
// CHECK-NEXT:    return
func.func @only_extras(%a: !f1, %b: !f1, %out0: !f1, %out1: !f1) {
  %ta = stencil.load %a : !f1 -> !t1
  %tb = stencil.load %b : !f1 -> !t1
  %c:2 = stencil.combine 0 at 3 lower = (:) upper = (:) lowerext = %ta : !t1 upperext = %tb : !t1 : !t1, !t1
  stencil.store %c#0 to %out0(<[-2], [10]>) : !t1 to !f1
  stencil.store %c#1 to %out1(<[-2], [10]>) : !t1 to !f1
  return
}

// Stored to several fields, in parts: each store is split by itself, at most.
// CHECK-LABEL: func.func @several_fields(
// CHECK-SAME:    %[[OUT0:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>, %[[OUT1:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>, %[[OUT2:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>)
// CHECK:         %[[L:.*]] = stencil.apply
// CHECK:         %[[U:.*]] = stencil.apply
// CHECK:         stencil.store %[[L]] to %[[OUT0]](<[-2], [3]>)
// CHECK-NEXT:    stencil.store %[[U]] to %[[OUT0]](<[3], [10]>)
// CHECK-NEXT:    stencil.store %[[L]] to %[[OUT1]](<[0], [3]>)
// CHECK-NEXT:    stencil.store %[[U]] to %[[OUT2]](<[3], [10]>)
// CHECK-NEXT:    return
func.func @several_fields(%in: !f1, %out0: !f1, %out1: !f1, %out2: !f1) {
  %t = stencil.load %in : !f1 -> !t1
  %l = stencil.apply(%a = %t : !t1) -> (!t1) {
    %v = stencil.access %a[0] : !t1
    stencil.return %v : f64
  }
  %u = stencil.apply(%a = %t : !t1) -> (!t1) {
    %v = stencil.access %a[0] : !t1
    %w = arith.negf %v : f64
    stencil.return %w : f64
  }
  %c = stencil.combine 0 at 3 lower = (%l : !t1) upper = (%u : !t1) : !t1
  stencil.store %c to %out0(<[-2], [10]>) : !t1 to !f1
  stencil.store %c to %out1(<[0], [3]>) : !t1 to !f1
  stencil.store %c to %out2(<[3], [10]>) : !t1 to !f1
  return
}

// A buffer of a combine is one of the apply that chooses.
// CHECK-LABEL: func.func @buffered(
// CHECK:         %[[C:.*]] = stencil.apply({{.*}}) -> (!stencil.temp<[-2,10]xf64>)
// CHECK:           scf.if
// CHECK:         %[[B:.*]] = stencil.buffer %[[C]]
// CHECK:         stencil.store %[[B]]
func.func @buffered(%a: !f1, %b: !f1, %out: !f1, %around: !f1) {
  %ta = stencil.load %a : !f1 -> !t1
  %tb = stencil.load %b : !f1 -> !t1
  %c = stencil.combine 0 at 3 lower = (%ta : !t1) upper = (%tb : !t1) : !t1
  %kept = stencil.buffer %c : !t1 -> !t1
  %r = stencil.apply(%x = %kept : !t1) -> (!i1d) {
    %l = stencil.access %x[-2] : !t1
    %h = stencil.access %x[2] : !t1
    %d = arith.subf %h, %l : f64
    stencil.return %d : f64
  }
  stencil.store %kept to %out(<[-2], [10]>) : !t1 to !f1
  stencil.store %r to %around(<[0], [8]>) : !i1d to !f1
  return
}

// A combine of combines that is read: the last one becomes an apply, and reads those before it.
// CHECK-LABEL: func.func @nested_read(
// CHECK:         %[[INNER:.*]] = stencil.apply({{.*}}) -> (!stencil.temp<[-2,10]xf64>)
// CHECK:           stencil.index 0 <[0]>
// CHECK:           arith.constant 3 : index
// CHECK:         %[[OUTER:.*]] = stencil.apply({{.*}} = %[[INNER]] : {{.*}})
// CHECK:           arith.constant 6 : index
// CHECK:         stencil.apply({{.*}} = %[[OUTER]] :
// CHECK-NOT:     stencil.combine
func.func @nested_read(%a: !f1, %b: !f1, %out: !f1) {
  %ta = stencil.load %a : !f1 -> !t1
  %tb = stencil.load %b : !f1 -> !t1
  %c = stencil.combine 0 at 3 lower = (%ta : !t1) upper = (%tb : !t1) : !t1
  %d = stencil.combine 0 at 6 lower = (%c : !t1) upper = (%ta : !t1) : !t1
  %r = stencil.apply(%x = %d : !t1) -> (!i1d) {
    %l = stencil.access %x[-2] : !t1
    %h = stencil.access %x[2] : !t1
    %s = arith.subf %h, %l : f64
    stencil.return %s : f64
  }
  stencil.store %r to %out(<[0], [8]>) : !i1d to !f1
  return
}

// Combines along two dimensions meet in a corner: four stores.
// CHECK-LABEL: func.func @corners(
// CHECK-SAME:    %[[OUT:[a-z0-9]+]]: !stencil.field<{{[^>]*}}>)
// CHECK:         %[[TA:.*]] = stencil.load
// CHECK:         %[[TB:.*]] = stencil.load
// CHECK-NEXT:    stencil.store %[[TA]] to %[[OUT]](<[0, 0], [2, 3]>)
// CHECK-NEXT:    stencil.store %[[TB]] to %[[OUT]](<[0, 3], [2, 8]>)
// CHECK-NEXT:    stencil.store %[[TB]] to %[[OUT]](<[2, 0], [4, 3]>)
// CHECK-NEXT:    stencil.store %[[TA]] to %[[OUT]](<[2, 3], [4, 8]>)
// CHECK-NEXT:    return
func.func @corners(%a: !f2, %b: !f2, %out: !f2) {
  %ta = stencil.load %a : !f2 -> !t2
  %tb = stencil.load %b : !f2 -> !t2
  %low = stencil.combine 1 at 3 lower = (%ta : !t2) upper = (%tb : !t2) : !t2
  %high = stencil.combine 1 at 3 lower = (%tb : !t2) upper = (%ta : !t2) : !t2
  %all = stencil.combine 0 at 2 lower = (%low : !t2) upper = (%high : !t2) : !t2
  stencil.store %all to %out(<[0, 0], [4, 8]>) : !t2 to !f2
  return
}

// In a loop over time that rotates two fields, with a store and a read in each step.
// CHECK-LABEL: func.func @in_a_loop(
// CHECK:         scf.for
// CHECK:           stencil.apply
// CHECK:           stencil.apply
// CHECK:             scf.if
// CHECK:           stencil.store {{.*}}(<[0], [3]>)
// CHECK-NEXT:      stencil.store {{.*}}(<[3], [8]>)
// CHECK:           scf.yield
func.func @in_a_loop(%a: !f1, %b: !f1, %out: !f1) {
  %first = arith.constant 0 : index
  %last = arith.constant 5 : index
  %step = arith.constant 1 : index
  %u, %v = scf.for %i = %first to %last step %step iter_args(%now = %a, %next = %b) -> (!f1, !f1) {
    %t = stencil.load %now : !f1 -> !t1
    %l, %h = stencil.apply(%x = %t : !t1) -> (!i1d, !i1d) {
      %p = stencil.access %x[-1] : !t1
      %q = stencil.access %x[1] : !t1
      %d = arith.subf %q, %p : f64
      %s = arith.addf %q, %p : f64
      stencil.return %d, %s : f64, f64
    }
    %c = stencil.combine 0 at 3 lower = (%l : !i1d) upper = (%h : !i1d) : !i1d
    %r = stencil.apply(%x = %c : !i1d) -> (!stencil.temp<[1,7]xf64>) {
      %p = stencil.access %x[-1] : !i1d
      %q = stencil.access %x[1] : !i1d
      %d = arith.subf %q, %p : f64
      stencil.return %d : f64
    }
    stencil.store %c to %next(<[0], [8]>) : !i1d to !f1
    stencil.store %r to %out(<[1], [7]>) : !stencil.temp<[1,7]xf64> to !f1
    scf.yield %next, %now : !f1, !f1
  }
  return
}
