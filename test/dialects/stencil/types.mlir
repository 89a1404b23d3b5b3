// Types and attributes are printed as they are written, in both forms of the operations.
//
// RUN: stencil-opt %s | stencil-opt --mlir-print-op-generic | stencil-opt | FileCheck %s

// Known bounds, one to three dimensions; negative coordinates; no blanks.
// CHECK-LABEL: func.func private @known_bounds(
// CHECK-SAME:    !stencil.field<[-4,68]xf64>, !stencil.field<[-4,68]x[0,1]xf32>,
// CHECK-SAME:    !stencil.temp<[-9,-3]x[-1,65]x[10,20]xf16>)
func.func private @known_bounds(
    !stencil.field<[-4,68]xf64>, !stencil.field<[ -4 , 68 ]x[0,1]xf32>,
    !stencil.temp<[-9,-3]x[-1,65]x[10,20]xf16>)

// Unknown bounds, one to three dimensions.
// CHECK-LABEL: func.func private @unknown_bounds(
// CHECK-SAME:    !stencil.field<?xbf16>, !stencil.temp<?x?xi1>, !stencil.temp<?x?x?xindex>)
func.func private @unknown_bounds(
    !stencil.field<?xbf16>, !stencil.temp<?x?xi1>, !stencil.temp<?x?x?xindex>)

// Elements that begin with the letter of the delimiter, with a digit after it, or with a symbol.
// CHECK-LABEL: func.func private @elements(
// CHECK-SAME:    !stencil.field<[0,64]x[0,64]xtensor<510xf32>>, !stencil.temp<?xtensor<?xf32>>,
// CHECK-SAME:    !stencil.temp<?xvector<4xf32>>, !stencil.temp<?xcomplex<f64>>,
// CHECK-SAME:    !stencil.temp<?x!llvm.ptr>, !stencil.temp<?x(f32) -> f32>)
func.func private @elements(
    !stencil.field<[0,64]x[0,64]xtensor<510xf32>>, !stencil.temp<?xtensor<?xf32>>,
    !stencil.temp<?xvector<4xf32>>, !stencil.temp<?xcomplex<f64>>,
    !stencil.temp<?x!llvm.ptr>, !stencil.temp<?x(f32) -> f32>)

// CHECK-LABEL: func.func private @results(
// CHECK-SAME:    !stencil.result<f64>, !stencil.result<tensor<510xf32>>)
func.func private @results(!stencil.result<f64>, !stencil.result<tensor<510xf32>>)

// The last size whose bytes 64 bits can count.
// CHECK-LABEL: func.func private @largest(
// CHECK-SAME:    !stencil.field<[0,9223372036854775807]xi8>
// CHECK-SAME:    !stencil.field<[-4611686018427387904,4611686018427387903]xi8>
func.func private @largest(
    !stencil.field<[0,9223372036854775807]xi8>,
    !stencil.field<[-4611686018427387904,4611686018427387903]xi8>)

// CHECK-LABEL: func.func private @attributes()
// CHECK-DAG:     a = #stencil.index<[1]>
// CHECK-DAG:     b = #stencil.index<[1, -2, 3]>
// CHECK-DAG:     c = #stencil.bounds<[0], [7]>
// CHECK-DAG:     d = #stencil.bounds<[-1, 0, 2], [3, 4, 5]>
func.func private @attributes() attributes {
  a = #stencil.index<[1]>, b = #stencil.index<[1, -2, 3]>,
  c = #stencil.bounds<[0], [7]>, d = #stencil.bounds<[-1, 0, 2], [3, 4, 5]>
}
