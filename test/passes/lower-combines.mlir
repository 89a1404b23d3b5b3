// A combine is gone: its stores are stores of each side, its other users choose at each point.
//
// RUN: stencil-opt %s --stencil-lower-combines | FileCheck %s
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-lower-combines))' --seed=1
// REDEFINE: %{function} = stored
// RUN: %{run}
// REDEFINE: %{function} = chosen
// RUN: %{run}
// REDEFINE: %{function} = nested
// RUN: %{run}
// REDEFINE: %{function} = extra_stored
// RUN: %{run}
// REDEFINE: %{function} = extra_chosen
// RUN: %{run}
// REDEFINE: %{function} = empty_side
// RUN: %{run}
//
// The kernels of all of them compute it too.
// DEFINE: %{both} = stencilc run %s --on=emulator --verify --function=%{function} --seed=1
// REDEFINE: %{function} = stored
// RUN: %{both}
// REDEFINE: %{function} = chosen
// RUN: %{both}
// REDEFINE: %{function} = nested
// RUN: %{both}
// REDEFINE: %{function} = extra_stored
// RUN: %{both}
// REDEFINE: %{function} = extra_chosen
// RUN: %{both}
// REDEFINE: %{function} = empty_side
// RUN: %{both}

// Each side is stored at its own points; where they meet, the upper one.
// CHECK-LABEL: func.func @stored
// CHECK-SAME:    , %[[OUT:[a-z0-9]+]]: !stencil.field<[0,8]x[0,64]xf64>)
func.func @stored(%in: !stencil.field<[0,8]x[0,64]xf64>, %out: !stencil.field<[0,8]x[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,8]x[0,64]xf64> -> !stencil.temp<[0,8]x[0,64]xf64>
  // CHECK: %[[LOW:.*]] = stencil.apply
  %low = stencil.apply(%a = %t : !stencil.temp<[0,8]x[0,64]xf64>) -> (!stencil.temp<[0,8]x[0,11]xf64>) {
    %v = stencil.access %a[0, 0] : !stencil.temp<[0,8]x[0,64]xf64>
    stencil.return %v : f64
  }
  // CHECK: %[[HIGH:.*]] = stencil.apply
  %high = stencil.apply(%a = %t : !stencil.temp<[0,8]x[0,64]xf64>) -> (!stencil.temp<[0,8]x[11,64]xf64>) {
    %v = stencil.access %a[0, 0] : !stencil.temp<[0,8]x[0,64]xf64>
    %w = arith.negf %v : f64
    stencil.return %w : f64
  }
  %both = stencil.combine 1 at 11 lower = (%low : !stencil.temp<[0,8]x[0,11]xf64>) upper = (%high : !stencil.temp<[0,8]x[11,64]xf64>)
    : !stencil.temp<[0,8]x[0,64]xf64>
  // CHECK-NOT:  stencil.apply
  // CHECK:      stencil.store %[[LOW]] to %[[OUT]](<[0, 0], [8, 11]>)
  // CHECK-NEXT: stencil.store %[[HIGH]] to %[[OUT]](<[0, 11], [8, 64]>)
  // CHECK-NEXT: return
  stencil.store %both to %out(<[0, 0], [8, 64]>) : !stencil.temp<[0,8]x[0,64]xf64> to !stencil.field<[0,8]x[0,64]xf64>
  return
}

// An apply that reads around the meeting point reads an apply that chooses.
// CHECK-LABEL: func.func @chosen
func.func @chosen(%in: !stencil.field<[-1,65]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,65]xf64> -> !stencil.temp<[-1,65]xf64>
  // CHECK: %[[LOW:.*]] = stencil.apply
  %low = stencil.apply(%a = %t : !stencil.temp<[-1,65]xf64>) -> (!stencil.temp<[-1,11]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[-1,65]xf64>
    stencil.return %v : f64
  }
  // CHECK: %[[HIGH:.*]] = stencil.apply
  %high = stencil.apply(%a = %t : !stencil.temp<[-1,65]xf64>) -> (!stencil.temp<[11,65]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[-1,65]xf64>
    %w = arith.negf %v : f64
    stencil.return %w : f64
  }
  // CHECK:      %[[BOTH:.*]] = stencil.apply(%[[A:.*]] = %[[LOW]] : {{.*}}, %[[B:.*]] = %[[HIGH]] : {{.*}}) -> (!stencil.temp<[-1,65]xf64>)
  // CHECK:        %[[I:.*]] = stencil.index 0 <[0]>
  // CHECK:        %[[ELEVEN:.*]] = arith.constant 11 : index
  // CHECK:        %[[BELOW:.*]] = arith.cmpi slt, %[[I]], %[[ELEVEN]]
  // CHECK:        scf.if %[[BELOW]] -> (f64)
  // CHECK:          stencil.access %[[A]][0]
  // CHECK:        else
  // CHECK:          stencil.access %[[B]][0]
  %both = stencil.combine 0 at 11 lower = (%low : !stencil.temp<[-1,11]xf64>) upper = (%high : !stencil.temp<[11,65]xf64>)
    : !stencil.temp<[-1,65]xf64>
  // CHECK:      stencil.apply({{.*}} = %[[BOTH]] :
  %r = stencil.apply(%a = %both : !stencil.temp<[-1,65]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %left = stencil.access %a[-1] : !stencil.temp<[-1,65]xf64>
    %right = stencil.access %a[1] : !stencil.temp<[-1,65]xf64>
    %sum = arith.addf %left, %right : f64
    stencil.return %sum : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}

// A combine of combines that is stored ends as stores alone.
// CHECK-LABEL: func.func @nested
// CHECK-SAME:    , %[[OUT:[a-z0-9]+]]: !stencil.field<[0,64]xf64>)
func.func @nested(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  // CHECK: %[[INNER:.*]]:2 = stencil.apply
  %low, %middle = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,20]xf64>, !stencil.temp<[0,20]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %w = arith.negf %v : f64
    stencil.return %v, %w : f64, f64
  }
  // CHECK: %[[HIGH:.*]] = stencil.apply
  %high = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[20,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %w = arith.addf %v, %v : f64
    stencil.return %w : f64
  }
  %inner = stencil.combine 0 at 10 lower = (%low : !stencil.temp<[0,20]xf64>) upper = (%middle : !stencil.temp<[0,20]xf64>)
    : !stencil.temp<[0,20]xf64>
  %outer = stencil.combine 0 at 20 lower = (%inner : !stencil.temp<[0,20]xf64>) upper = (%high : !stencil.temp<[20,64]xf64>)
    : !stencil.temp<[0,64]xf64>
  // CHECK-NOT: scf.if
  // CHECK: stencil.store %[[INNER]]#0 to %[[OUT]](<[0], [10]>)
  // CHECK: stencil.store %[[INNER]]#1 to %[[OUT]](<[10], [20]>)
  // CHECK: stencil.store %[[HIGH]] to %[[OUT]](<[20], [64]>)
  stencil.store %outer to %out(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}

// An extra result exists on its side only: a store of it writes there, and nothing elsewhere.
// CHECK-LABEL: func.func @extra_stored
// CHECK-SAME:    , %[[OUT0:[a-z0-9]+]]: !stencil.field<[0,64]xf64>, %[[OUT1:[a-z0-9]+]]: !stencil.field<[0,64]xf64>, %[[OUT2:[a-z0-9]+]]: !stencil.field<[0,64]xf32>)
func.func @extra_stored(%in: !stencil.field<[0,64]xf64>, %out0: !stencil.field<[0,64]xf64>,
                        %out1: !stencil.field<[0,64]xf64>, %out2: !stencil.field<[0,64]xf32>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  // CHECK: %[[LOW:.*]]:2 = stencil.apply
  %low, %below = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,11]xf64>, !stencil.temp<[0,11]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %w = arith.negf %v : f64
    stencil.return %v, %w : f64, f64
  }
  // CHECK: %[[HIGH:.*]]:2 = stencil.apply
  %high, %above = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[11,64]xf64>, !stencil.temp<[11,64]xf32>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %w = arith.truncf %v : f64 to f32
    stencil.return %v, %w : f64, f32
  }
  %both, %lower, %upper = stencil.combine 0 at 11
      lower = (%low : !stencil.temp<[0,11]xf64>) upper = (%high : !stencil.temp<[11,64]xf64>)
      lowerext = %below : !stencil.temp<[0,11]xf64> upperext = %above : !stencil.temp<[11,64]xf32>
    : !stencil.temp<[0,64]xf64>, !stencil.temp<[0,64]xf64>, !stencil.temp<[0,64]xf32>
  // CHECK-DAG: stencil.store %[[LOW]]#0 to %[[OUT0]](<[0], [11]>)
  // CHECK-DAG: stencil.store %[[HIGH]]#0 to %[[OUT0]](<[11], [64]>)
  // CHECK-DAG: stencil.store %[[LOW]]#1 to %[[OUT1]](<[0], [11]>)
  // CHECK-DAG: stencil.store %[[HIGH]]#1 to %[[OUT2]](<[11], [64]>)
  // CHECK-NOT: stencil.store
  stencil.store %both to %out0(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  stencil.store %lower to %out1(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  stencil.store %upper to %out2(<[0], [64]>) : !stencil.temp<[0,64]xf32> to !stencil.field<[0,64]xf32>
  return
}

// Read by an apply, the missing side is a result that is not stored.
// CHECK-LABEL: func.func @extra_chosen
func.func @extra_chosen(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %low, %below = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,11]xf64>, !stencil.temp<[0,11]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %w = arith.negf %v : f64
    stencil.return %v, %w : f64, f64
  }
  %high = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[11,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    stencil.return %v : f64
  }
  %both, %lower = stencil.combine 0 at 11
      lower = (%low : !stencil.temp<[0,11]xf64>) upper = (%high : !stencil.temp<[11,64]xf64>)
      lowerext = %below : !stencil.temp<[0,11]xf64>
    : !stencil.temp<[0,64]xf64>, !stencil.temp<[0,64]xf64>
  // CHECK: scf.if {{.*}} -> (!stencil.result<f64>)
  // CHECK:   stencil.store_result %{{.*}} : !stencil.result<f64>
  // CHECK: else
  // CHECK:   stencil.store_result : !stencil.result<f64>
  %r = stencil.apply(%a = %lower : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,11]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0], [11]>) : !stencil.temp<[0,11]xf64> to !stencil.field<[0,64]xf64>
  return
}

// A side without points vanishes, in stores and in choices.
// CHECK-LABEL: func.func @empty_side
// CHECK-SAME:    , %[[OUT0:[a-z0-9]+]]: !stencil.field<[0,64]xf64>, %[[OUT1:[a-z0-9]+]]: !stencil.field<[0,64]xf64>)
func.func @empty_side(%in: !stencil.field<[0,64]xf64>, %out0: !stencil.field<[0,64]xf64>, %out1: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  // CHECK: %[[LOW:.*]] = stencil.apply
  %low = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    stencil.return %v : f64
  }
  %high = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %w = arith.negf %v : f64
    stencil.return %w : f64
  }
  %both = stencil.combine 0 at 64 lower = (%low : !stencil.temp<[0,64]xf64>) upper = (%high : !stencil.temp<[0,64]xf64>)
    : !stencil.temp<[0,64]xf64>
  // CHECK-NOT: scf.if
  // CHECK: %[[COPY:.*]] = stencil.apply({{.*}} = %[[LOW]] : !stencil.temp<[0,64]xf64>)
  %r = stencil.apply(%a = %both : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    stencil.return %v : f64
  }
  // CHECK:     stencil.store %[[LOW]] to %[[OUT0]](<[0], [64]>)
  // CHECK-NOT: to %[[OUT0]]
  stencil.store %both to %out0(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  stencil.store %r to %out1(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}

// What nobody asks for has no points to choose at, and stays.
// CHECK-LABEL: func.func @unused
// CHECK:         stencil.combine
func.func @unused(%in: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %both = stencil.combine 0 at 11 lower = (%t : !stencil.temp<?xf64>) upper = (%t : !stencil.temp<?xf64>)
    : !stencil.temp<?xf64>
  %r = stencil.apply(%a = %both : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}
