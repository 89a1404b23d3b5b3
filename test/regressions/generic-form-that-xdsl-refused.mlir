// In the generic form an access has plain attributes, as has a combine for its groups of operands.
//
// As properties they were refused by xDSL: "property 'offset' is not defined by the operation".
//
// RUN: stencil-opt %s --mlir-print-op-generic | FileCheck %s
// RUN: stencil-opt %s --mlir-print-op-generic | stencil-opt | FileCheck %s --check-prefix=CUSTOM

// CHECK: "stencil.access"(%{{.*}}) {note, offset = #stencil.index<[-1]>, offset_mapping = #stencil.index<[1]>} :
// CHECK: "stencil.combine"(%{{.*}}, %{{.*}}, %{{.*}}) <{dim = 1 : index, index = 4 : index}> {note, operandSegmentSizes = array<i32: 1, 1, 0, 1>} :
// CUSTOM: stencil.access %{{.*}}[_, -1] attributes {note} : !stencil.temp<?xf64>
// CUSTOM: stencil.combine 1 at 4 lower = (%{{.*}} : !stencil.temp<?x?xf64>) upper = (%{{.*}} : !stencil.temp<?x?xf64>) upperext = %{{.*}} : !stencil.temp<?x?xf64> attributes {note} : !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>
func.func @both(%t: !stencil.temp<?xf64>) {
  %a, %b, %c = stencil.apply(%u = %t : !stencil.temp<?xf64>)
      -> (!stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>) {
    %v = stencil.access %u[_, -1] attributes {note} : !stencil.temp<?xf64>
    stencil.return %v, %v, %v : f64, f64, f64
  }
  %r:2 = stencil.combine 1 at 4 lower = (%a : !stencil.temp<?x?xf64>)
    upper = (%b : !stencil.temp<?x?xf64>) upperext = %c : !stencil.temp<?x?xf64>
    attributes {note} : !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>
  return
}
