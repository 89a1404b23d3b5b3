// A reduction and its terminator: custom and generic form round-trip.
//
// RUN: stencil-opt %s | stencil-opt --mlir-print-op-generic | stencil-opt | FileCheck %s

// CHECK-LABEL: func.func @reduce
// CHECK-SAME:    %[[ACC:.*]]: f64, %[[ZERO:.*]]: f64
func.func @reduce(%acc: f64, %zero: f64) {
  // CHECK:      stencil.reduce %[[ACC]] init %[[ZERO]] {
  // CHECK-NEXT: ^bb0(%[[X:.*]]: f64, %[[Y:.*]]: f64):
  stencil.reduce %acc init %zero {
  ^bb0(%x: f64, %y: f64):
    // CHECK: %[[S:.*]] = arith.addf %[[X]], %[[Y]] : f64
    %s = arith.addf %x, %y : f64
    // CHECK: stencil.yield %[[S]] {note} : f64
    stencil.yield %s {note} : f64
  // CHECK: } {note} : f64
  } {note} : f64
  return
}
