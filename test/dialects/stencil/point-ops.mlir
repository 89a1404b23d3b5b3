// Operations at one point: custom and generic form round-trip.
//
// RUN: stencil-opt %s | stencil-opt --mlir-print-op-generic | stencil-opt | FileCheck %s

// Temps and fields; only the operand's type is printed.
// CHECK-LABEL: func.func @access
func.func @access(%t: !stencil.temp<?x?xf64>, %f: !stencil.field<[0,8]x[0,8]xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?x?xf64>, %b = %f : !stencil.field<[0,8]x[0,8]xf64>)
      -> (!stencil.temp<?x?xf64>) {
    // CHECK: stencil.access %{{.*}}[-1, 2] : !stencil.temp<?x?xf64>
    %1 = stencil.access %a[-1, 2] : !stencil.temp<?x?xf64>
    // CHECK: stencil.access %{{.*}}[0, 0] : !stencil.field<[0,8]x[0,8]xf64>
    %2 = stencil.access %b[0, 0] : !stencil.field<[0,8]x[0,8]xf64>
    stencil.return %1 : f64
  }
  return
}

// Dimensions that the operand lacks: first, in the middle, last, all but one.
// CHECK-LABEL: func.func @access_of_lower_rank
func.func @access_of_lower_rank(%t: !stencil.temp<?x?xf64>, %u: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?x?xf64>, %b = %u : !stencil.temp<?xf64>)
      -> (!stencil.temp<?x?x?xf64>) {
    // CHECK: stencil.access %{{.*}}[_, -1, 2] : !stencil.temp<?x?xf64>
    %1 = stencil.access %a[_, -1, 2] : !stencil.temp<?x?xf64>
    // CHECK: stencil.access %{{.*}}[-1, _, 2] : !stencil.temp<?x?xf64>
    %2 = stencil.access %a[-1, _, 2] : !stencil.temp<?x?xf64>
    // CHECK: stencil.access %{{.*}}[-1, 2, _] : !stencil.temp<?x?xf64>
    %3 = stencil.access %a[-1, 2, _] : !stencil.temp<?x?xf64>
    // CHECK: stencil.access %{{.*}}[_, 3, _] : !stencil.temp<?xf64>
    %4 = stencil.access %b[_, 3, _] : !stencil.temp<?xf64>
    stencil.return %1 : f64
  }
  return
}

// Attributes are read on both sides of the offset and printed behind it.
// CHECK-LABEL: func.func @access_attributes
func.func @access_attributes(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    // CHECK: stencil.access %{{.*}}[1] attributes {before} : !stencil.temp<?xf64>
    %1 = stencil.access %a attributes {before} [1] : !stencil.temp<?xf64>
    // CHECK: stencil.access %{{.*}}[2] attributes {behind} : !stencil.temp<?xf64>
    %2 = stencil.access %a[2] attributes {behind} : !stencil.temp<?xf64>
    stencil.return %1 : f64
  }
  return
}

// At any depth inside of the apply.
// CHECK-LABEL: func.func @nested
func.func @nested(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %zero = arith.constant 0 : index
    %three = arith.constant 3 : index
    %one = arith.constant 1 : index
    %init = arith.constant 0.0 : f64
    // CHECK: scf.for
    %sum = scf.for %i = %zero to %three step %one iter_args(%s = %init) -> (f64) {
      // CHECK: stencil.index 0 <[0]>
      %x = stencil.index 0 <[0]>
      %c = arith.cmpi eq, %x, %i : index
      // CHECK: scf.if
      %v = scf.if %c -> (f64) {
        // CHECK: stencil.access %{{.*}}[-1] : !stencil.temp<?xf64>
        %w = stencil.access %a[-1] : !stencil.temp<?xf64>
        scf.yield %w : f64
      } else {
        // CHECK: stencil.dyn_access
        %w = stencil.dyn_access %a[%x] in <[0]> : <[0]> : !stencil.temp<?xf64>
        scf.yield %w : f64
      }
      %n = arith.addf %s, %v : f64
      scf.yield %n : f64
    }
    stencil.return %sum : f64
  }
  return
}

// CHECK-LABEL: func.func @dyn_access
func.func @dyn_access(%t: !stencil.temp<?x?xf64>, %f: !stencil.field<[0,8]x[0,8]xf32>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?x?xf64>, %b = %f : !stencil.field<[0,8]x[0,8]xf32>)
      -> (!stencil.temp<?x?xf64>) {
    // CHECK: %[[I:.*]] = stencil.index 0 <[-1, 0]>
    %i = stencil.index 0 <[-1, 0]>
    // CHECK: %[[J:.*]] = stencil.index 1 <[0, 0]> attributes {note}
    %j = stencil.index 1 <[0, 0]> attributes {note}
    // CHECK: stencil.dyn_access %{{.*}}[%[[I]], %[[J]]] in <[-1, -2]> : <[1, 2]> : !stencil.temp<?x?xf64>
    %1 = stencil.dyn_access %a[%i, %j] in <[-1, -2]> : <[1, 2]> : !stencil.temp<?x?xf64>
    // CHECK: stencil.dyn_access %{{.*}}[%[[J]], %[[I]]] in <[0, 0]> : <[0, 0]> attributes {note} : !stencil.field<[0,8]x[0,8]xf32>
    %2 = stencil.dyn_access %b[%j, %i] in <[0, 0]> : <[0, 0]> attributes {note}
      : !stencil.field<[0,8]x[0,8]xf32>
    stencil.return %1 : f64
  }
  return
}

// Coordinates, whatever the point is: the operand may have fewer dimensions than the apply, or more.
// CHECK-LABEL: func.func @absolute
func.func @absolute(%t: !stencil.temp<?x?xf64>, %table: !stencil.field<[0,8]xf32>, %cube: !stencil.temp<?x?x?xf64>,
                    %step: index) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?x?xf64>, %c = %table : !stencil.field<[0,8]xf32>,
                     %d = %cube : !stencil.temp<?x?x?xf64>, %s = %step : index) -> (!stencil.temp<?x?xf64>) {
    %i = stencil.index 0 <[0, 0]>
    %j = stencil.index 1 <[0, 0]>
    // CHECK: stencil.dyn_access %{{.*}}[%{{.*}}] in <[0]> : <[7]> attributes {absolute} : !stencil.field<[0,8]xf32>
    %1 = stencil.dyn_access %c[%s] in <[0]> : <[7]> attributes {absolute} : !stencil.field<[0,8]xf32>
    // CHECK: stencil.dyn_access %{{.*}}[%{{.*}}, %{{.*}}] in <[-1, 0]> : <[3, 9]> attributes {absolute, note} : !stencil.temp<?x?xf64>
    %2 = stencil.dyn_access %a[%j, %i] in <[-1, 0]> : <[3, 9]> attributes {note, absolute} : !stencil.temp<?x?xf64>
    // CHECK: stencil.dyn_access %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] in <[0, 0, 4]> : <[3, 9, 4]> attributes {absolute} : !stencil.temp<?x?x?xf64>
    %3 = stencil.dyn_access %d[%i, %j, %s] in <[0, 0, 4]> : <[3, 9, 4]> attributes {absolute} : !stencil.temp<?x?x?xf64>
    stencil.return %2 : f64
  }
  return
}

// With a value, without one.
// CHECK-LABEL: func.func @store_result
func.func @store_result(%t: !stencil.temp<?xf64>) {
  %0, %1 = stencil.apply(%a = %t : !stencil.temp<?xf64>)
      -> (!stencil.temp<?xf64>, !stencil.temp<?xf64>) {
    // CHECK: %[[V:.*]] = stencil.access
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    // CHECK: stencil.store_result %[[V]] attributes {note} : !stencil.result<f64>
    %s = stencil.store_result %v attributes {note} : !stencil.result<f64>
    // CHECK: stencil.store_result : !stencil.result<f64>
    %n = stencil.store_result : !stencil.result<f64>
    // CHECK: stencil.return %{{.*}}, %{{.*}} : !stencil.result<f64>, !stencil.result<f64>
    stencil.return %s, %n : !stencil.result<f64>, !stencil.result<f64>
  }
  return
}
