// A field that was cast to a memref left a `memref.store` of a flat buffer with as many indices as the
// field has dimensions: invalid IR of the compiler's own, "operand #1 must be memref". Stores of cells
// are kernels; what no host program can do is refused by name.
//
// RUN: stencilc run %s --function=cell --on=emulator --verify --arg 1=3 | FileCheck %s
// CHECK: {{^}}verified: bit-identical
// RUN: not stencilc compile %s -o %t.spk 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: 'memref.store' op accesses cells of memref<4x4xf64, strided<[5, 1]>>, which is no field
// REFUSED: note: a memref of 1 to 3 dimensions and known extents

func.func @cell(%f: !stencil.field<[-1,7]x[0,5]xf64>, %i: index) {
  %m = builtin.unrealized_conversion_cast %f : !stencil.field<[-1,7]x[0,5]xf64> to memref<8x5xf64>
  %x = arith.constant 2.5 : f64
  memref.store %x, %m[%i, %i] : memref<8x5xf64>
  return
}

func.func @subview(%f: !stencil.field<[-1,7]x[0,5]xf64>, %i: index) {
  %m = builtin.unrealized_conversion_cast %f : !stencil.field<[-1,7]x[0,5]xf64> to memref<8x5xf64>
  %n = memref.subview %m[0, 0] [4, 4] [1, 1] : memref<8x5xf64> to memref<4x4xf64, strided<[5, 1]>>
  %x = arith.constant 2.5 : f64
  memref.store %x, %n[%i, %i] : memref<4x4xf64, strided<[5, 1]>>
  return
}
