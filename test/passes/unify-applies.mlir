// One form of apply is left: results that are stored, operands that are temps.
//
// RUN: stencil-opt %s --stencil-unify-applies | FileCheck %s
// RUN: stencil-opt %s --stencil-unify-applies --stencil-unify-applies | FileCheck %s
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-unify-applies))' --seed=1
// REDEFINE: %{function} = buffer_form
// RUN: %{run}
// REDEFINE: %{function} = field_operand
// RUN: %{run}
// REDEFINE: %{function} = in_place
// RUN: %{run}
// REDEFINE: %{function} = buffer
// RUN: %{run}
// REDEFINE: %{function} = unrolled_field_operand
// RUN: %{run}
// REDEFINE: %{function} = unused_operand
// RUN: %{run}

// Destinations become results with a store each, right behind the apply. Its name and plan stay.
// CHECK-LABEL: func.func @buffer_form
// CHECK-SAME:    %[[IN:[a-z0-9]+]]: !stencil.field<[-1,65]xf64>, %[[OUT0:[a-z0-9]+]]: !stencil.field<[0,64]xf64>, %[[OUT1:[a-z0-9]+]]: !stencil.field<[-8,80]xf32>
func.func @buffer_form(%in: !stencil.field<[-1,65]xf64>, %out0: !stencil.field<[0,64]xf64>,
                       %out1: !stencil.field<[-8,80]xf32>) {
  %t = stencil.load %in : !stencil.field<[-1,65]xf64> -> !stencil.temp<[-1,63]xf64>
  // CHECK: %[[R:.*]]:2 = stencil.apply({{.*}}) -> (!stencil.temp<[0,64]xf64>, !stencil.temp<[0,64]xf32>) attributes {stencil.stage = "shift"}
  // CHECK-NOT: outs
  stencil.apply(%a = %t : !stencil.temp<[-1,63]xf64>)
      outs (%out0 : !stencil.field<[0,64]xf64>, %out1 : !stencil.field<[-8,80]xf32>) attributes {stencil.stage = "shift"} {
    %v = stencil.access %a[-1] : !stencil.temp<[-1,63]xf64>
    %w = arith.truncf %v : f64 to f32
    stencil.return %v, %w : f64, f32
  } to <[0], [64]>
  // CHECK:      stencil.store %[[R]]#0 to %[[OUT0]](<[0], [64]>)
  // CHECK-NEXT: stencil.store %[[R]]#1 to %[[OUT1]](<[0], [64]>)
  // CHECK-NEXT: return
  return
}

// A field operand is loaded right before the apply, at the cells that are read.
// CHECK-LABEL: func.func @field_operand
// CHECK-SAME:    %[[IN:[a-z0-9]+]]: !stencil.field<[-4,68]x[0,48]xf64>
func.func @field_operand(%in: !stencil.field<[-4,68]x[0,48]xf64>, %out: !stencil.field<[0,64]x[0,48]xf64>) {
  // CHECK:      %[[T:.*]] = stencil.load %[[IN]] : !stencil.field<[-4,68]x[0,48]xf64> -> !stencil.temp<[-2,65]x[0,48]xf64>
  // CHECK-NEXT: stencil.apply(%[[A:.*]] = %[[T]] : !stencil.temp<[-2,65]x[0,48]xf64>)
  // CHECK-NEXT:   stencil.access %[[A]][-2, 0] : !stencil.temp<[-2,65]x[0,48]xf64>
  %r = stencil.apply(%a = %in : !stencil.field<[-4,68]x[0,48]xf64>) -> (!stencil.temp<[0,64]x[0,48]xf64>) {
    %v = stencil.access %a[-2, 0] : !stencil.field<[-4,68]x[0,48]xf64>
    %w = stencil.access %a[1, 0] : !stencil.field<[-4,68]x[0,48]xf64>
    %sum = arith.addf %v, %w : f64
    stencil.return %sum : f64
  }
  stencil.store %r to %out(<[0, 0], [64, 48]>) : !stencil.temp<[0,64]x[0,48]xf64> to !stencil.field<[0,64]x[0,48]xf64>
  return
}

// A field that is read and written keeps the values from before: the load stands before the store.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME:    %[[F:[a-z0-9]+]]: !stencil.field<[-1,65]xf64>
func.func @in_place(%f: !stencil.field<[-1,65]xf64>) {
  // CHECK:      stencil.load %[[F]] : !stencil.field<[-1,65]xf64> -> !stencil.temp<[-1,65]xf64>
  // CHECK:      stencil.store {{.*}} to %[[F]](<[0], [64]>)
  stencil.apply(%a = %f : !stencil.field<[-1,65]xf64>) outs (%f : !stencil.field<[-1,65]xf64>) {
    %left = stencil.access %a[-1] : !stencil.field<[-1,65]xf64>
    %right = stencil.access %a[1] : !stencil.field<[-1,65]xf64>
    %sum = arith.addf %left, %right : f64
    stencil.return %sum : f64
  } to <[0], [64]>
  return
}

// A buffer, and a buffer of it, are what went in.
// CHECK-LABEL: func.func @buffer
// CHECK-NOT:     stencil.buffer
func.func @buffer(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  // CHECK: %[[R:.*]] = stencil.apply
  %r = stencil.apply(%a = %t : !stencil.temp<[0,64]xf64>) -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %double = arith.addf %v, %v : f64
    stencil.return %double : f64
  }
  %held = stencil.buffer %r : !stencil.temp<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  %again = stencil.buffer %r : !stencil.temp<[0,64]xf64> -> !stencil.temp<[0,64]xf64>
  // CHECK: stencil.apply({{.*}} = %[[R]] : {{.*}}, {{.*}} = %[[R]] :
  %s = stencil.apply(%a = %held : !stencil.temp<[0,64]xf64>, %b = %again : !stencil.temp<[0,64]xf64>)
      -> (!stencil.temp<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,64]xf64>
    %w = stencil.access %b[0] : !stencil.temp<[0,64]xf64>
    %product = arith.mulf %v, %w : f64
    stencil.return %product : f64
  }
  stencil.store %s to %out(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}

// With unroll, a group's cells count from its first point.
// CHECK-LABEL: func.func @unrolled_field_operand
func.func @unrolled_field_operand(%in: !stencil.field<[-4,68]xf64>, %out: !stencil.field<[0,64]xf64>) {
  // CHECK: stencil.load {{.*}} -> !stencil.temp<[0,64]xf64>
  stencil.apply(%a = %in : !stencil.field<[-4,68]xf64>) outs (%out : !stencil.field<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.field<[-4,68]xf64>
    %w = stencil.access %a[1] : !stencil.field<[-4,68]xf64>
    // CHECK: stencil.return {{.*}} unroll <[2]>
    stencil.return %v, %w unroll <[2]> : f64, f64
  } to <[0], [64]>
  return
}

// An operand that the region does not use is gone, and with it what the load would ask for.
// CHECK-LABEL: func.func @unused_operand
// CHECK:         stencil.apply(%[[A:.*]] = %{{.*}} : !stencil.temp<[0,64]xf64>) ->
func.func @unused_operand(%in: !stencil.field<[0,64]xf64>, %other: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  stencil.apply(%a = %in : !stencil.field<[0,64]xf64>, %b = %other : !stencil.field<[0,64]xf64>)
      outs (%out : !stencil.field<[0,64]xf64>) {
    %v = stencil.access %a[0] : !stencil.field<[0,64]xf64>
    stencil.return %v : f64
  } to <[0], [64]>
  return
}
