// Operations on whole fields and temps: custom and generic form round-trip.
//
// RUN: stencil-opt %s | stencil-opt --mlir-print-op-generic | stencil-opt | FileCheck %s

// CHECK-LABEL: func.func @cast
func.func @cast(%unknown: !stencil.field<?x?xf64>, %known: !stencil.field<[0,8]xf32>) {
  // CHECK: stencil.cast %{{.*}} : !stencil.field<?x?xf64> -> !stencil.field<[-4,68]x[-4,52]xf64>
  %0 = stencil.cast %unknown : !stencil.field<?x?xf64> -> !stencil.field<[-4,68]x[-4,52]xf64>
  // CHECK: stencil.cast %{{.*}} attributes {note} : !stencil.field<[0,8]xf32> -> !stencil.field<[0,8]xf32>
  %1 = stencil.cast %known attributes {note} : !stencil.field<[0,8]xf32> -> !stencil.field<[0,8]xf32>
  return
}

// Temps of unknown bounds, of the field's own, of smaller ones; tensors of another size.
// CHECK-LABEL: func.func @load
func.func @load(%f: !stencil.field<[-4,68]xf64>, %t: !stencil.field<[0,8]xtensor<12xf32>>) {
  // CHECK: stencil.load %{{.*}} : !stencil.field<[-4,68]xf64> -> !stencil.temp<?xf64>
  %0 = stencil.load %f : !stencil.field<[-4,68]xf64> -> !stencil.temp<?xf64>
  // CHECK: stencil.load %{{.*}} : !stencil.field<[-4,68]xf64> -> !stencil.temp<[-4,68]xf64>
  %1 = stencil.load %f : !stencil.field<[-4,68]xf64> -> !stencil.temp<[-4,68]xf64>
  // CHECK: stencil.load %{{.*}} attributes {note} : !stencil.field<[-4,68]xf64> -> !stencil.temp<[0,1]xf64>
  %2 = stencil.load %f attributes {note} : !stencil.field<[-4,68]xf64> -> !stencil.temp<[0,1]xf64>
  // CHECK: stencil.load %{{.*}} : !stencil.field<[0,8]xtensor<12xf32>> -> !stencil.temp<?xtensor<10xf32>>
  %3 = stencil.load %t : !stencil.field<[0,8]xtensor<12xf32>> -> !stencil.temp<?xtensor<10xf32>>
  return
}

// The whole field, and a part of it that the temp just covers.
// CHECK-LABEL: func.func @store
func.func @store(%t: !stencil.temp<?x?xf64>, %s: !stencil.temp<[0,64]x[0,48]xf64>,
                 %f: !stencil.field<[-4,68]x[-4,52]xf64>) {
  // CHECK: stencil.store %{{.*}} to %{{.*}}(<[-4, -4], [68, 52]>) : !stencil.temp<?x?xf64> to !stencil.field<[-4,68]x[-4,52]xf64>
  stencil.store %t to %f(<[-4, -4], [68, 52]>)
    : !stencil.temp<?x?xf64> to !stencil.field<[-4,68]x[-4,52]xf64>
  // CHECK: stencil.store %{{.*}} to %{{.*}}(<[0, 0], [64, 48]>) attributes {note} : !stencil.temp<[0,64]x[0,48]xf64> to
  stencil.store %s to %f(<[0, 0], [64, 48]>) attributes {note}
    : !stencil.temp<[0,64]x[0,48]xf64> to !stencil.field<[-4,68]x[-4,52]xf64>
  return
}

// A result of an apply may be buffered, twice as well; any temp into a field.
// CHECK-LABEL: func.func @buffer
func.func @buffer(%t: !stencil.temp<[0,8]xf64>) -> !stencil.field<[0,8]xf64> {
  %0 = stencil.apply(%a = %t : !stencil.temp<[0,8]xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    stencil.return %v : f64
  }
  // CHECK: stencil.buffer %[[T:.*]] : !stencil.temp<?xf64> -> !stencil.temp<?xf64>
  %1 = stencil.buffer %0 : !stencil.temp<?xf64> -> !stencil.temp<?xf64>
  // CHECK: stencil.buffer %[[T]] attributes {note} : !stencil.temp<?xf64> -> !stencil.temp<?xf64>
  %2 = stencil.buffer %0 attributes {note} : !stencil.temp<?xf64> -> !stencil.temp<?xf64>
  // CHECK: stencil.buffer %{{.*}} : !stencil.temp<[0,8]xf64> -> !stencil.field<[0,8]xf64>
  %3 = stencil.buffer %t : !stencil.temp<[0,8]xf64> -> !stencil.field<[0,8]xf64>
  return %3 : !stencil.field<[0,8]xf64>
}

// CHECK-LABEL: func.func @combine
// CHECK-SAME:    %[[L:.*]]: !stencil.temp<?x?xf64>, %[[U:.*]]: !stencil.temp<?x?xf64>
func.func @combine(%l: !stencil.temp<?x?xf64>, %u: !stencil.temp<?x?xf64>) {
  // CHECK: stencil.combine 0 at 11 lower = (%[[L]] : !stencil.temp<?x?xf64>) upper = (%[[U]] : !stencil.temp<?x?xf64>) : !stencil.temp<?x?xf64>
  %0 = stencil.combine 0 at 11 lower = (%l : !stencil.temp<?x?xf64>)
    upper = (%u : !stencil.temp<?x?xf64>) : !stencil.temp<?x?xf64>
  // CHECK: stencil.combine 1 at -3 lower = (%[[L]], %[[U]] : !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>) upper = (%[[U]], %[[L]] : {{.*}}) attributes {note} : !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>
  %1:2 = stencil.combine 1 at -3
    lower = (%l, %u : !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>)
    upper = (%u, %l : !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>) attributes {note}
    : !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>
  // No parentheses around the extra operands.
  // CHECK: %{{.*}}:3 = stencil.combine {{.*}} lowerext = %[[L]] : !stencil.temp<?x?xf64> upperext = %[[U]] : !stencil.temp<?x?xf64> : !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>
  %2:3 = stencil.combine 1 at 4 lower = (%l : !stencil.temp<?x?xf64>)
    upper = (%u : !stencil.temp<?x?xf64>) lowerext = %l : !stencil.temp<?x?xf64>
    upperext = %u : !stencil.temp<?x?xf64>
    : !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>
  // Nothing but extra operands.
  // CHECK: %{{.*}}:2 = stencil.combine 1 at 4 lower = (:) upper = (:) upperext = %[[L]], %[[U]] : !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64> :
  %3:2 = stencil.combine 1 at 4 lower = (:) upper = (:)
    upperext = %l, %u : !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>
    : !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>
  return
}

// Attributes of an alloc have no keyword in front of them; one is read nevertheless.
// CHECK-LABEL: func.func @alloc
func.func @alloc() {
  // CHECK: stencil.alloc : !stencil.field<[-4,68]xf64>
  %0 = stencil.alloc : !stencil.field<[-4,68]xf64>
  // CHECK: stencil.alloc {note} : !stencil.field<[0,1]xf64>
  %1 = stencil.alloc {note} : !stencil.field<[0,1]xf64>
  // CHECK: stencil.alloc {note} : !stencil.field<[0,2]xf64>
  %2 = stencil.alloc attributes {note} : !stencil.field<[0,2]xf64>
  return
}

// CHECK-LABEL: func.func @external
func.func @external(%a: memref<64xf64>, %p: !llvm.ptr) {
  // CHECK: stencil.external_load %{{.*}} : memref<64xf64> -> !stencil.field<[0,64]xf64>
  %0 = stencil.external_load %a : memref<64xf64> -> !stencil.field<[0,64]xf64>
  // CHECK: stencil.external_load %{{.*}} attributes {note} : !llvm.ptr -> memref<64xf64>
  %1 = stencil.external_load %p attributes {note} : !llvm.ptr -> memref<64xf64>
  // CHECK: stencil.external_store %{{.*}} to %{{.*}} : !stencil.field<[0,64]xf64> to memref<64xf64>
  stencil.external_store %0 to %a : !stencil.field<[0,64]xf64> to memref<64xf64>
  // CHECK: stencil.external_store %{{.*}} to %{{.*}} attributes {note} : !stencil.field<[0,64]xf64> to !llvm.ptr
  stencil.external_store %0 to %p attributes {note} : !stencil.field<[0,64]xf64> to !llvm.ptr
  return
}
