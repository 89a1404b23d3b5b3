// Canonicalization removes unused and duplicate values, and preserves what is computed.
//
// RUN: stencil-opt %s --canonicalize | FileCheck %s
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='canonicalize,cse,canonicalize' --seed=1
// REDEFINE: %{function} = operands
// RUN: %{run} --arg c=0.7
// REDEFINE: %{function} = buffer_form
// RUN: %{run}
// REDEFINE: %{function} = results
// RUN: %{run}
// REDEFINE: %{function} = unrolled_results
// RUN: %{run}
// REDEFINE: %{function} = optional_results
// RUN: %{run}
// REDEFINE: %{function} = chain
// RUN: %{run}
// REDEFINE: %{function} = combine_of_one
// RUN: %{run}
// REDEFINE: %{function} = combine_outside
// RUN: %{run}
// REDEFINE: %{function} = combine_of_wider
// RUN: %{run}
// REDEFINE: %{function} = combine_extras
// RUN: %{run}
// REDEFINE: %{function} = combine_kept
// RUN: %{run}
// REDEFINE: %{function} = combine_buffered
// RUN: %{run}

// Operands that the region does not use go, and so does a second name of one operand, number or grid.
// What nothing asks for any more goes with them.
// CHECK-LABEL: func.func @operands
// CHECK-SAME:    %[[IN:[a-z0-9]+]]: !stencil.field<[-1,9]xf64>, %[[UNUSED:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: f64
// CHECK-NEXT:  %[[T:.*]] = stencil.load %[[IN]]
// CHECK-NEXT:  stencil.apply(%[[A:.*]] = %[[T]] : !stencil.temp<[-1,9]xf64>, %[[K:.*]] = %[[C]] : f64) -> (!stencil.temp<[0,8]xf64>) attributes {stencil.stage = "sum"} {
// CHECK-NEXT:    %[[L:.*]] = stencil.access %[[A]][-1]
// CHECK-NEXT:    %[[R:.*]] = stencil.access %[[A]][1]
// CHECK:         arith.mulf %{{.*}}, %[[K]]
// CHECK:         arith.addf %{{.*}}, %[[K]]
func.func @operands(%in: !stencil.field<[-1,9]xf64>, %unused: !stencil.field<[0,8]xf64>, %c: f64,
                    %out: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,9]xf64> -> !stencil.temp<[-1,9]xf64>
  %u = stencil.load %unused : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[-1,9]xf64>, %x = %u : !stencil.temp<[0,8]xf64>,
                     %k = %c : f64, %b = %t : !stencil.temp<[-1,9]xf64>, %l = %c : f64)
      -> (!stencil.temp<[0,8]xf64>) attributes {stencil.stage = "sum"} {
    %left = stencil.access %a[-1] : !stencil.temp<[-1,9]xf64>
    %right = stencil.access %b[1] : !stencil.temp<[-1,9]xf64>
    %sum = arith.addf %left, %right : f64
    %scaled = arith.mulf %sum, %k : f64
    %shifted = arith.addf %scaled, %l : f64
    stencil.return %shifted : f64
  }
  stencil.store %r to %out(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  return
}

// The buffer form keeps its destinations, though one of them is an operand too.
// CHECK-LABEL: func.func @buffer_form
// CHECK-SAME:    %[[IN:[a-z0-9]+]]: {{.*}}, %[[OUT:[a-z0-9]+]]: {{.*}}, %[[OTHER:[a-z0-9]+]]:
// CHECK-NEXT:  stencil.apply(%[[A:.*]] = %[[OUT]] : !stencil.field<[0,8]xf64>) outs (%[[OUT]] : !stencil.field<[0,8]xf64>, %[[OTHER]] : !stencil.field<[0,8]xf64>)
func.func @buffer_form(%in: !stencil.field<[0,8]xf64>, %out: !stencil.field<[0,8]xf64>, %other: !stencil.field<[0,8]xf64>) {
  stencil.apply(%a = %out : !stencil.field<[0,8]xf64>, %unused = %in : !stencil.field<[0,8]xf64>)
      outs (%out : !stencil.field<[0,8]xf64>, %other : !stencil.field<[0,8]xf64>) {
    %v = stencil.access %a[0] : !stencil.field<[0,8]xf64>
    %w = arith.negf %v : f64
    stencil.return %w, %v : f64, f64
  } to <[0], [8]>
  return
}

// Results that nobody uses go, with what computes them alone; the others keep their order.
// CHECK-LABEL: func.func @results
// CHECK:       %[[R:.*]]:2 = stencil.apply({{.*}}) -> (!stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf32>) {
// CHECK-NEXT:    %[[V:.*]] = stencil.access
// CHECK-NEXT:    %[[N:.*]] = arith.truncf %[[V]] : f64 to f32
// CHECK-NEXT:    stencil.return %[[V]], %[[N]] : f64, f32
// CHECK-NEXT:  } to <[0], [8]>
// CHECK-NEXT:  stencil.store %[[R]]#0
// CHECK-NEXT:  stencil.store %[[R]]#1
func.func @results(%in: !stencil.field<[0,8]xf64>, %out0: !stencil.field<[0,8]xf64>, %out1: !stencil.field<[0,8]xf32>) {
  %t = stencil.load %in : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %r:4 = stencil.apply(%a = %t : !stencil.temp<[0,8]xf64>)
      -> (!stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf32>, !stencil.temp<[0,8]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    %n = arith.truncf %v : f64 to f32
    %w = arith.negf %v : f64
    %x = arith.addf %w, %v : f64
    stencil.return %w, %v, %n, %x : f64, f64, f32, f64
  } to <[0], [8]>
  stencil.store %r#1 to %out0(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  stencil.store %r#2 to %out1(<[0], [8]>) : !stencil.temp<[0,8]xf32> to !stencil.field<[0,8]xf32>
  return
}

// An unrolled return has several values for a result, which go together.
// CHECK-LABEL: func.func @unrolled_results
// CHECK:       %[[V:.*]] = stencil.access %{{.*}}[0]
// CHECK-NEXT:  %[[W:.*]] = stencil.access %{{.*}}[1]
// CHECK-NEXT:  %[[N:.*]] = arith.negf %[[V]]
// CHECK-NEXT:  %[[M:.*]] = arith.negf %[[W]]
// CHECK-NEXT:  stencil.return %[[N]], %[[M]] unroll <[2]> : f64, f64
func.func @unrolled_results(%in: !stencil.field<[0,8]xf64>, %out: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %r:3 = stencil.apply(%a = %t : !stencil.temp<[0,8]xf64>)
      -> (!stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    %w = stencil.access %a[1] : !stencil.temp<[0,8]xf64>
    %n = arith.negf %v : f64
    %m = arith.negf %w : f64
    %s = arith.addf %v, %w : f64
    stencil.return %v, %w, %n, %m, %s, %s unroll <[2]> : f64, f64, f64, f64, f64, f64
  }
  stencil.store %r#1 to %out(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  return
}

// A result that is not stored everywhere stays optional; one that nobody uses goes with its branch's value.
// CHECK-LABEL: func.func @optional_results
// CHECK:       stencil.apply({{.*}}) -> (!stencil.temp<[0,8]xf64>) {
// CHECK:         scf.if {{.*}} -> (!stencil.result<f64>) {
// CHECK:           stencil.store_result %{{.*}} : !stencil.result<f64>
// CHECK:         } else {
// CHECK:           stencil.store_result : !stencil.result<f64>
// CHECK:         stencil.return %{{.*}} : !stencil.result<f64>
func.func @optional_results(%in: !stencil.field<[0,8]xf64>, %out: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %r:2 = stencil.apply(%a = %t : !stencil.temp<[0,8]xf64>) -> (!stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    %zero = arith.constant 0.0 : f64
    %positive = arith.cmpf ogt, %v, %zero : f64
    %kept, %other = scf.if %positive -> (!stencil.result<f64>, !stencil.result<f64>) {
      %s = stencil.store_result %v : !stencil.result<f64>
      %n = stencil.store_result : !stencil.result<f64>
      scf.yield %s, %n : !stencil.result<f64>, !stencil.result<f64>
    } else {
      %s = stencil.store_result : !stencil.result<f64>
      %n = stencil.store_result %v : !stencil.result<f64>
      scf.yield %s, %n : !stencil.result<f64>, !stencil.result<f64>
    }
    stencil.return %other, %kept : !stencil.result<f64>, !stencil.result<f64>
  }
  stencil.store %r#1 to %out(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  return
}

// A chain of applies, buffers and combines at whose end nobody stands goes from the end on.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT:    stencil.load
// CHECK-NEXT:    stencil.store
// CHECK-NEXT:    return
func.func @chain(%in: !stencil.field<[0,8]xf64>, %out: !stencil.field<[0,8]xf64>) {
  %same = stencil.cast %in : !stencil.field<[0,8]xf64> -> !stencil.field<[0,8]xf64>
  %t = stencil.load %same : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,8]xf64>) -> (!stencil.temp<[0,8]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    stencil.return %v : f64
  }
  %b = stencil.buffer %r : !stencil.temp<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %m = stencil.combine 0 at 3 lower = (%b : !stencil.temp<[0,8]xf64>) upper = (%t : !stencil.temp<[0,8]xf64>)
    : !stencil.temp<[0,8]xf64>
  %s = stencil.apply(%a = %m : !stencil.temp<[0,8]xf64>, %x = %t : !stencil.temp<[0,8]xf64>) -> (!stencil.temp<[0,8]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    stencil.return %v : f64
  }
  %unused = stencil.alloc : !stencil.field<[0,8]xf64>
  stencil.store %t to %out(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  return
}

// A combine whose sides are one temp is this temp.
// CHECK-LABEL: func.func @combine_of_one
// CHECK-NEXT:    %[[T:.*]] = stencil.load
// CHECK-NEXT:    stencil.store %[[T]]
func.func @combine_of_one(%in: !stencil.field<[0,8]xf64>, %out: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %m = stencil.combine 0 at 3 lower = (%t : !stencil.temp<[0,8]xf64>) upper = (%t : !stencil.temp<[0,8]xf64>)
    : !stencil.temp<[0,8]xf64>
  stencil.store %m to %out(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  return
}

// Where all points lie on one side a combine is that side: at its first index the upper one, at the
// first beyond its points the lower one.
// CHECK-LABEL: func.func @combine_outside
// CHECK-SAME:    %[[IN:[a-z0-9]+]]: {{.*}}, %[[OTHER:[a-z0-9]+]]: {{.*}}, %[[OUT0:[a-z0-9]+]]: {{.*}}, %[[OUT1:[a-z0-9]+]]:
// CHECK-NEXT:    %[[T:.*]] = stencil.load %[[IN]]
// CHECK-NEXT:    %[[U:.*]] = stencil.load %[[OTHER]]
// CHECK-NEXT:    stencil.store %[[U]] to %[[OUT0]]
// CHECK-NEXT:    stencil.store %[[T]] to %[[OUT1]]
func.func @combine_outside(%in: !stencil.field<[2,4]x[0,8]xf64>, %other: !stencil.field<[2,4]x[0,8]xf64>,
                           %out0: !stencil.field<[2,4]x[0,8]xf64>, %out1: !stencil.field<[2,4]x[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[2,4]x[0,8]xf64> -> !stencil.temp<[2,4]x[0,8]xf64>
  %u = stencil.load %other : !stencil.field<[2,4]x[0,8]xf64> -> !stencil.temp<[2,4]x[0,8]xf64>
  %above = stencil.combine 0 at 2 lower = (%t : !stencil.temp<[2,4]x[0,8]xf64>) upper = (%u : !stencil.temp<[2,4]x[0,8]xf64>)
    : !stencil.temp<[2,4]x[0,8]xf64>
  %below = stencil.combine 1 at 8 lower = (%t : !stencil.temp<[2,4]x[0,8]xf64>) upper = (%u : !stencil.temp<[2,4]x[0,8]xf64>)
    : !stencil.temp<[2,4]x[0,8]xf64>
  stencil.store %above to %out0(<[2, 0], [4, 8]>) : !stencil.temp<[2,4]x[0,8]xf64> to !stencil.field<[2,4]x[0,8]xf64>
  stencil.store %below to %out1(<[2, 0], [4, 8]>) : !stencil.temp<[2,4]x[0,8]xf64> to !stencil.field<[2,4]x[0,8]xf64>
  return
}

// A side may have more points than are asked for: stores and accesses do not mind.
// CHECK-LABEL: func.func @combine_of_wider
// CHECK:         %[[T:.*]] = stencil.load {{.*}} -> !stencil.temp<[-2,10]xf64>
// CHECK-NEXT:    %{{.*}} = stencil.apply(%[[A:.*]] = %[[T]] : !stencil.temp<[-2,10]xf64>)
// CHECK-NEXT:      stencil.access %[[A]][1] : !stencil.temp<[-2,10]xf64>
// CHECK:         stencil.store %[[T]] to
func.func @combine_of_wider(%in: !stencil.field<[-2,10]xf64>, %out0: !stencil.field<[0,8]xf64>, %out1: !stencil.field<[0,7]xf64>) {
  %t = stencil.load %in : !stencil.field<[-2,10]xf64> -> !stencil.temp<[-2,10]xf64>
  %m = stencil.combine 0 at 3 lower = (%t : !stencil.temp<[-2,10]xf64>) upper = (%t : !stencil.temp<[-2,10]xf64>)
    : !stencil.temp<[0,8]xf64>
  %r = stencil.apply(%a = %m : !stencil.temp<[0,8]xf64>) -> (!stencil.temp<[0,7]xf64>) {
    %v = stencil.access %a[1] : !stencil.temp<[0,8]xf64>
    %w = arith.negf %v : f64
    stencil.return %w : f64
  }
  stencil.store %m to %out0(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  stencil.store %r to %out1(<[0], [7]>) : !stencil.temp<[0,7]xf64> to !stencil.field<[0,7]xf64>
  return
}

// Results of a combine that nobody uses go, pairs and extra ones, and then what only they came from.
// CHECK-LABEL: func.func @combine_extras
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}, %[[D:[a-z0-9]+]]: {{.*}}, %[[OUT0:[a-z0-9]+]]: {{.*}}, %[[OUT1:[a-z0-9]+]]: {{.*}}
// CHECK-NEXT:    %[[TA:.*]] = stencil.load %[[A]]
// CHECK-NEXT:    %[[TB:.*]] = stencil.load %[[B]]
// CHECK-NEXT:    %[[TD:.*]] = stencil.load %[[D]]
// CHECK-NEXT:    %[[R:.*]]:2 = stencil.combine 0 at 3 lower = (%[[TB]] : {{.*}}) upper = (%[[TA]] : {{.*}}) upperext = %[[TD]] : {{.*}} : !stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf64>
// CHECK-NEXT:    stencil.store %[[R]]#0 to %[[OUT0]]
// CHECK-NEXT:    stencil.store %[[R]]#1 to %[[OUT1]]
func.func @combine_extras(%a: !stencil.field<[0,8]xf64>, %b: !stencil.field<[0,8]xf64>, %c: !stencil.field<[0,8]xf64>,
                          %d: !stencil.field<[0,8]xf64>, %out0: !stencil.field<[0,8]xf64>, %out1: !stencil.field<[0,8]xf64>) {
  %ta = stencil.load %a : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %tb = stencil.load %b : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %tc = stencil.load %c : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %td = stencil.load %d : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %r:5 = stencil.combine 0 at 3
      lower = (%ta, %tb : !stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf64>)
      upper = (%tb, %ta : !stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf64>)
      lowerext = %tc : !stencil.temp<[0,8]xf64>
      upperext = %tc, %td : !stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf64>
    : !stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf64>
  stencil.store %r#1 to %out0(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  stencil.store %r#4 to %out1(<[3], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  return
}

// With a point on each side both are needed, and an extra result is no temp on the side that it lacks.
// CHECK-LABEL: func.func @combine_kept
// CHECK:         stencil.combine 0 at 1
// CHECK:         stencil.combine 0 at 7
// CHECK:         stencil.combine 0 at 0 {{.*}} lowerext
func.func @combine_kept(%in: !stencil.field<[0,8]xf64>, %other: !stencil.field<[0,8]xf64>,
                        %out0: !stencil.field<[0,8]xf64>, %out1: !stencil.field<[0,8]xf64>, %out2: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %u = stencil.load %other : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %first = stencil.combine 0 at 1 lower = (%t : !stencil.temp<[0,8]xf64>) upper = (%u : !stencil.temp<[0,8]xf64>)
    : !stencil.temp<[0,8]xf64>
  %last = stencil.combine 0 at 7 lower = (%t : !stencil.temp<[0,8]xf64>) upper = (%u : !stencil.temp<[0,8]xf64>)
    : !stencil.temp<[0,8]xf64>
  %nothing = stencil.combine 0 at 0 lower = (:) upper = (:) lowerext = %t : !stencil.temp<[0,8]xf64>
    : !stencil.temp<[0,8]xf64>
  stencil.store %first to %out0(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  stencil.store %last to %out1(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  stencil.store %nothing to %out2(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  return
}

// A buffer holds what an apply or a combine computes, and is its only user: a combine of a load stays,
// and so does one of what others read too; one of an apply for it alone is the apply.
// CHECK-LABEL: func.func @combine_buffered
// CHECK:         %[[LOADED:.*]] = stencil.combine
// CHECK-NEXT:    stencil.buffer %[[LOADED]]
// CHECK:         stencil.apply
// CHECK:         %[[SHARED:.*]] = stencil.combine
// CHECK-NEXT:    stencil.buffer %[[SHARED]]
// CHECK:         %[[OWN:.*]] = stencil.apply
// CHECK-NOT:     stencil.combine
// CHECK:         stencil.buffer %[[OWN]]
func.func @combine_buffered(%in: !stencil.field<[0,8]xf64>, %out0: !stencil.field<[0,8]xf64>, %out1: !stencil.field<[0,8]xf64>,
                            %out2: !stencil.field<[0,8]xf64>, %out3: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %loaded = stencil.combine 0 at 3 lower = (%t : !stencil.temp<[0,8]xf64>) upper = (%t : !stencil.temp<[0,8]xf64>)
    : !stencil.temp<[0,8]xf64>
  %b0 = stencil.buffer %loaded : !stencil.temp<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,8]xf64>) -> (!stencil.temp<[0,8]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    %w = arith.negf %v : f64
    stencil.return %w : f64
  }
  %shared = stencil.combine 0 at 3 lower = (%r : !stencil.temp<[0,8]xf64>) upper = (%r : !stencil.temp<[0,8]xf64>)
    : !stencil.temp<[0,8]xf64>
  %b1 = stencil.buffer %shared : !stencil.temp<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %s = stencil.apply(%a = %t : !stencil.temp<[0,8]xf64>) -> (!stencil.temp<[0,8]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    %w = arith.addf %v, %v : f64
    stencil.return %w : f64
  }
  %own = stencil.combine 0 at 3 lower = (%s : !stencil.temp<[0,8]xf64>) upper = (%s : !stencil.temp<[0,8]xf64>)
    : !stencil.temp<[0,8]xf64>
  %b2 = stencil.buffer %own : !stencil.temp<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  stencil.store %b0 to %out0(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  stencil.store %b1 to %out1(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  stencil.store %r to %out2(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  stencil.store %b2 to %out3(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  return
}

// Memory of a temp that lies in memory already is memory of the first temp.
// CHECK-LABEL: func.func @buffer_of_buffer
// CHECK:         %[[R:.*]] = stencil.apply
// CHECK:         %[[F:.*]] = stencil.buffer %[[R]] : !stencil.temp<[0,8]xf64> -> !stencil.field<[0,8]xf64>
// CHECK-NEXT:    return %[[F]]
func.func @buffer_of_buffer(%c: f64) -> !stencil.field<[0,8]xf64> {
  %r = stencil.apply(%k = %c : f64) -> (!stencil.temp<[0,8]xf64>) {
    stencil.return %k : f64
  }
  %b = stencil.buffer %r : !stencil.temp<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %f = stencil.buffer %b : !stencil.temp<[0,8]xf64> -> !stencil.field<[0,8]xf64>
  return %f : !stencil.field<[0,8]xf64>
}

// The region's own use of its argument by a call wants the very type: the combine stays.
// CHECK-LABEL: func.func @combine_called
// CHECK:         stencil.combine
func.func private @point(!stencil.temp<[0,8]xf64>) -> f64
func.func @combine_called(%t: !stencil.temp<[-2,10]xf64>) -> !stencil.temp<[0,8]xf64> {
  %m = stencil.combine 0 at 3 lower = (%t : !stencil.temp<[-2,10]xf64>) upper = (%t : !stencil.temp<[-2,10]xf64>)
    : !stencil.temp<[0,8]xf64>
  %r = stencil.apply(%a = %m : !stencil.temp<[0,8]xf64>) -> (!stencil.temp<[0,8]xf64>) {
    %v = func.call @point(%a) : (!stencil.temp<[0,8]xf64>) -> f64
    stencil.return %v : f64
  }
  return %r : !stencil.temp<[0,8]xf64>
}
