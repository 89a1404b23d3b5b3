// A field that was cast to a memref left a `memref.store` of a flat buffer with as many indices as the
// field has dimensions: invalid IR of the compiler's own, "operand #1 must be memref". Stores of cells
// are kernels; what no host program can do is refused by name.
//
// RUN: stencilc run %s --function=cell --on=emulator --verify --arg 1=3 | FileCheck %s
// CHECK: {{^}}verified: bit-identical
// RUN: not stencilc compile %s -o %t.spk 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: 'builtin.unrealized_conversion_cast' op cannot be part of a host program
// REFUSED: note: outside of applies there are counted loops and scalar operations only

func.func @cell(%f: !stencil.field<[-1,7]x[0,5]xf64>, %i: index) {
  %m = builtin.unrealized_conversion_cast %f : !stencil.field<[-1,7]x[0,5]xf64> to memref<8x5xf64>
  %x = arith.constant 2.5 : f64
  memref.store %x, %m[%i, %i] : memref<8x5xf64>
  return
}

func.func @copy(%f: !stencil.field<[-1,7]x[0,5]xf64>, %g: !stencil.field<[-1,7]x[0,5]xf64>) {
  %m = builtin.unrealized_conversion_cast %f : !stencil.field<[-1,7]x[0,5]xf64> to memref<8x5xf64>
  %n = builtin.unrealized_conversion_cast %g : !stencil.field<[-1,7]x[0,5]xf64> to memref<8x5xf64>
  memref.copy %m, %n : memref<8x5xf64> to memref<8x5xf64>
  return
}
