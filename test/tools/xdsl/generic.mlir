// Ops that xDSL knows in generic form only pass through both tools in that form.
//
// REQUIRES: xdsl
// DEFINE: %{xdsl-opt} = %xdsl-python -m xdsl.tools.xdsl_opt
// RUN: stencil-opt %s --mlir-print-op-generic | %{xdsl-opt} | FileCheck %s
// RUN: stencil-opt %s --mlir-print-op-generic | %{xdsl-opt} | stencil-opt | FileCheck %s --check-prefix=BACK
// The custom form is not read.
// RUN: stencil-opt %s | not %{xdsl-opt} 2>&1 | FileCheck %s --check-prefix=CUSTOM
//
// CHECK: %[[MEMORY:.*]] = "gpu.alloc"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> memref<15x15xf32>
// CHECK: stencil.external_load %[[MEMORY]] : memref<15x15xf32> -> !stencil.field<[0,15]x[0,15]xf32>
// CHECK: "gpu.dealloc"
// BACK: gpu.alloc
// BACK: stencil.external_load
// CUSTOM: gpu.alloc does not have a custom format

func.func @buffers() {
  %memory = gpu.alloc () : memref<15x15xf32>
  %field = stencil.external_load %memory : memref<15x15xf32> -> !stencil.field<[0,15]x[0,15]xf32>
  // As xDSL writes it: MLIR's has no segment sizes.
  "gpu.dealloc"(%memory) {operandSegmentSizes = array<i32: 0, 1>} : (memref<15x15xf32>) -> ()
  return
}
