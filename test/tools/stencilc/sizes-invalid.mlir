// Fields that no memory holds are refused with their bytes, before anything is allocated.
//
// RUN: split-file %s %t
//
// RUN: sh -c 'stencilc run %t/large.mlir --on=interpreter; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: sh -c 'stencilc run %t/large.mlir --on=emulator; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: the run needs 8796093022208 bytes of memory for its fields, {{[0-9]+}} bytes are available
// LARGE: code 2
//
// It is a program all the same, for a machine that has the memory.
// RUN: stencilc compile %t/large.mlir --emit=ptx | FileCheck %s --check-prefix=PTX
// PTX: .entry fill_stage0
//
// RUN: sh -c 'stencilc run %t/overflow.mlir --on=interpreter; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: overflow.mlir:1:{{[0-9]+}}: error: bounds [0,4294967296) of dimension 1 make more points than 64 bits can count
// OVERFLOW: code 1

//--- large.mlir
func.func @fill(%out: !stencil.field<[0,1048576]x[0,1048576]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<?x?xf64>) {
    %one = arith.constant 1.0 : f64
    stencil.return %one : f64
  }
  stencil.store %r to %out(<[0, 0], [1048576, 1048576]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,1048576]x[0,1048576]xf64>
  return
}

//--- overflow.mlir
func.func @fill(%out: !stencil.field<[0,4294967296]x[0,4294967296]xf64>) {
  return
}
