// Generic forms of several versions: each property is looked up among the properties first, then among
// the attributes. All are printed in one way.
//
// RUN: stencil-opt %s | FileCheck %s
// RUN: stencil-opt %s | stencil-opt --mlir-print-op-generic | stencil-opt | FileCheck %s

// Everything is an attribute.
// CHECK-LABEL: func.func @attributes
func.func @attributes(%t: !stencil.temp<?xf64>, %f: !stencil.field<[0,8]xf64>) {
  // CHECK: stencil.store %{{.*}} to %{{.*}}(<[0], [8]>) attributes {note} :
  "stencil.store"(%t, %f) {bounds = #stencil.bounds<[0], [8]>, note}
    : (!stencil.temp<?xf64>, !stencil.field<[0,8]xf64>) -> ()
  // CHECK: stencil.combine 0 at 4 lower = (%{{.*}} : !stencil.temp<?xf64>) upper = (%{{.*}} : !stencil.temp<?xf64>) : !stencil.temp<?xf64>
  %0 = "stencil.combine"(%t, %t)
    {dim = 0 : index, index = 4 : index, operandSegmentSizes = array<i32: 1, 1, 0, 0>}
    : (!stencil.temp<?xf64>, !stencil.temp<?xf64>) -> !stencil.temp<?xf64>
  // CHECK: stencil.apply({{.*}}) outs ({{.*}}) {
  "stencil.apply"(%f, %f) ({
  ^bb0(%a: !stencil.field<[0,8]xf64>):
    // CHECK: %[[V:.*]] = stencil.access %{{.*}}[0] :
    %v = "stencil.access"(%a) {offset = #stencil.index<[0]>, offset_mapping = #stencil.index<[0]>}
      : (!stencil.field<[0,8]xf64>) -> f64
    // CHECK: stencil.index 0 <[1]>
    %i = "stencil.index"() {dim = 0 : index, offset = #stencil.index<[1]>} : () -> index
    // CHECK: stencil.dyn_access {{.*}} in <[-1]> : <[1]> :
    %w = "stencil.dyn_access"(%a, %i) {lb = #stencil.index<[-1]>, ub = #stencil.index<[1]>}
      : (!stencil.field<[0,8]xf64>, index) -> f64
    // CHECK: stencil.dyn_access {{.*}} in <[0]> : <[7]> attributes {absolute} :
    %x = "stencil.dyn_access"(%a, %i) {absolute, lb = #stencil.index<[0]>, ub = #stencil.index<[7]>}
      : (!stencil.field<[0,8]xf64>, index) -> f64
    // CHECK: stencil.return %{{.*}}, %{{.*}} unroll <[2]> : f64, f64
    "stencil.return"(%v, %w) {unroll = #stencil.index<[2]>} : (f64, f64) -> ()
  // CHECK: } to <[0], [8]>
  }) {bounds = #stencil.bounds<[0], [8]>, operandSegmentSizes = array<i32: 1, 1>}
    : (!stencil.field<[0,8]xf64>, !stencil.field<[0,8]xf64>) -> ()
  return
}

// As xDSL 0.74 mixes them: an attribute for the segments of a combine, properties for the rest.
// CHECK-LABEL: func.func @mixed
func.func @mixed(%t: !stencil.temp<?xf64>, %f: !stencil.field<[0,8]xf64>) {
  // CHECK: stencil.combine 0 at 4 {{.*}} attributes {note} : !stencil.temp<?xf64>
  %0 = "stencil.combine"(%t, %t) <{dim = 0 : index, index = 4 : index}>
    {operandSegmentSizes = array<i32: 1, 1, 0, 0>, note}
    : (!stencil.temp<?xf64>, !stencil.temp<?xf64>) -> !stencil.temp<?xf64>
  // CHECK: stencil.apply() outs
  "stencil.apply"(%f) <{operandSegmentSizes = array<i32: 0, 1>}> ({
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  // CHECK: } to <[0], [8]>
  }) {bounds = #stencil.bounds<[0], [8]>} : (!stencil.field<[0,8]xf64>) -> ()
  return
}

// A property wins over an attribute of the same name.
// CHECK-LABEL: func.func @both
func.func @both(%t: !stencil.temp<?xf64>, %f: !stencil.field<[0,8]xf64>) {
  // CHECK: stencil.store %{{.*}} to %{{.*}}(<[0], [8]>) :
  "stencil.store"(%t, %f) <{bounds = #stencil.bounds<[0], [8]>}>
    {bounds = #stencil.bounds<[0], [4]>}
    : (!stencil.temp<?xf64>, !stencil.field<[0,8]xf64>) -> ()
  return
}
