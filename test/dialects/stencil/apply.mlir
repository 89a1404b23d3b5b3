// Both forms of apply, and its terminator: custom and generic form round-trip.
//
// RUN: stencil-opt %s | stencil-opt --mlir-print-op-generic | stencil-opt | FileCheck %s

// Temps, fields and scalars as operands; arguments are named before the region, not in it.
// CHECK-LABEL: func.func @value_form
// CHECK-SAME:    %[[T:.*]]: !stencil.temp<?x?xf64>, %[[F:.*]]: !stencil.field<[0,8]x[0,8]xf32>, %[[C:.*]]: f64
func.func @value_form(%t: !stencil.temp<?x?xf64>, %f: !stencil.field<[0,8]x[0,8]xf32>, %c: f64) {
  // CHECK:      %{{.*}}:2 = stencil.apply(%[[A:.*]] = %[[T]] : !stencil.temp<?x?xf64>, %{{.*}} = %[[F]] : !stencil.field<[0,8]x[0,8]xf32>, %[[S:.*]] = %[[C]] : f64) -> (!stencil.temp<?x?xf64>, !stencil.temp<?x?xf32>) {
  // CHECK-NEXT:   stencil.access %[[A]][-1, 0]
  %0, %1 = stencil.apply(%a = %t : !stencil.temp<?x?xf64>,
                         %b = %f : !stencil.field<[0,8]x[0,8]xf32>, %s = %c : f64)
      -> (!stencil.temp<?x?xf64>, !stencil.temp<?x?xf32>) {
    %v = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
    %w = stencil.access %b[0, 0] : !stencil.field<[0,8]x[0,8]xf32>
    %m = arith.mulf %v, %s : f64
    // CHECK: stencil.return %{{.*}}, %{{.*}} : f64, f32
    stencil.return %m, %w : f64, f32
  }
  return
}

// No operand; attributes; points to compute, where the result's type knows them and where not.
// CHECK-LABEL: func.func @bounds
func.func @bounds() {
  // CHECK: stencil.apply() -> (!stencil.temp<?xf64>) attributes {note, stencil.stage = "one"} {
  %0 = stencil.apply() -> (!stencil.temp<?xf64>) attributes {stencil.stage = "one", note} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  // CHECK: } to <[-1], [8]>
  } to <[-1], [8]>
  // CHECK: stencil.apply() -> (!stencil.temp<[0,8]xf64>) {
  %1 = stencil.apply() -> (!stencil.temp<[0,8]xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  // CHECK: } to <[0], [8]>
  } to <[0], [8]>
  return
}

// CHECK-LABEL: func.func @buffer_form
// CHECK-SAME:    %[[F:.*]]: !stencil.field<[-1,65]xf64>, %[[G:.*]]: !stencil.field<[0,64]xf64>, %[[H:.*]]: !stencil.field<?xf32>
func.func @buffer_form(%f: !stencil.field<[-1,65]xf64>, %g: !stencil.field<[0,64]xf64>,
                       %h: !stencil.field<?xf32>) {
  // CHECK: stencil.apply(%{{.*}} = %[[F]] : !stencil.field<[-1,65]xf64>) outs (%[[G]] : !stencil.field<[0,64]xf64>, %[[H]] : !stencil.field<?xf32>) attributes {note} {
  stencil.apply(%a = %f : !stencil.field<[-1,65]xf64>)
      outs (%g : !stencil.field<[0,64]xf64>, %h : !stencil.field<?xf32>) attributes {note} {
    %v = stencil.access %a[-1] : !stencil.field<[-1,65]xf64>
    %w = arith.truncf %v : f64 to f32
    stencil.return %v, %w : f64, f32
  // CHECK: } to <[0], [64]>
  } to <[0], [64]>
  return
}

// Names of the region may hide names outside of it; they are printed apart.
// CHECK-LABEL: func.func @hidden_names
// CHECK-SAME:    %[[T:.*]]: !stencil.temp<?xf64>
func.func @hidden_names(%arg0: !stencil.temp<?xf64>) -> !stencil.temp<?xf64> {
  // CHECK: %[[R:.*]] = stencil.apply(%[[A:.*]] = %[[T]] :
  %0 = stencil.apply(%arg0 = %arg0 : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    // CHECK: stencil.access %[[A]][0]
    %0 = stencil.access %arg0[0] : !stencil.temp<?xf64>
    stencil.return %0 : f64
  }
  // CHECK: return %[[R]]
  return %0 : !stencil.temp<?xf64>
}

// Two by two points at a time: four values per result. 64 and 48 are multiples of 2, and of 1.
// CHECK-LABEL: func.func @unroll
func.func @unroll(%t: !stencil.temp<?x?xf64>) {
  %0, %1 = stencil.apply(%a = %t : !stencil.temp<?x?xf64>)
      -> (!stencil.temp<[0,64]x[0,48]xf64>, !stencil.temp<[0,64]x[0,48]xi1>) {
    %v = stencil.access %a[0, 0] : !stencil.temp<?x?xf64>
    %c = arith.constant true
    // CHECK: stencil.return {{.*}} unroll <[2, 2]> attributes {note} : f64, f64, f64, f64, i1, i1, i1, i1
    stencil.return %v, %v, %v, %v, %c, %c, %c, %c unroll <[2, 2]> attributes {note}
      : f64, f64, f64, f64, i1, i1, i1, i1
  }
  // Of unknown bounds every factor may be one that divides.
  %2 = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %v = stencil.access %a[0, 0] : !stencil.temp<?x?xf64>
    // CHECK: stencil.return {{.*}} unroll <[1, 3]> : f64, f64, f64
    stencil.return %v, %v, %v unroll <[1, 3]> : f64, f64, f64
  }
  return
}

// A result may be returned as it is or as what is stored or not; tensors of another size too.
// CHECK-LABEL: func.func @returned_types
func.func @returned_types(%t: !stencil.temp<?xtensor<8xf32>>) {
  %0, %1 = stencil.apply(%a = %t : !stencil.temp<?xtensor<8xf32>>)
      -> (!stencil.temp<?xtensor<10xf32>>, !stencil.temp<?xtensor<8xf32>>) {
    %v = stencil.access %a[0] : !stencil.temp<?xtensor<8xf32>>
    %s = stencil.store_result %v : !stencil.result<tensor<8xf32>>
    // CHECK: stencil.return %{{.*}}, %{{.*}} : tensor<8xf32>, !stencil.result<tensor<8xf32>>
    stencil.return %v, %s : tensor<8xf32>, !stencil.result<tensor<8xf32>>
  }
  return
}
