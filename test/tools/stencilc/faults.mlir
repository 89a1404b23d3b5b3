// What a GPU leaves undefined is an error of the program on interpreter and emulator: at the op,
// or with kernel, block and thread.
//
// RUN: sh -c 'stencilc run %s --on=interpreter --arg shift=1 --arg by=0 --out-dir %t; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=INTERPRETER
// RUN: sh -c 'stencilc run %s --on=emulator --arg shift=1 --arg by=0 --out-dir %t; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=EMULATOR
// RUN: not ls %t
//
// RUN: stencilc run %s --on=emulator --arg shift=1 --arg by=3 --verify | FileCheck %s
// CHECK: verified: bit-identical
//
// RUN: not stencilc run %s --on=emulator --arg shift=5 --arg by=3 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not stencilc run %s --on=interpreter --arg shift=5 --arg by=3 2>&1 | FileCheck %s --check-prefix=EXTENT

// INTERPRETER: faults.mlir:[[#@LINE + 15]]:{{[0-9]+}}: error: 'arith.divsi' op
// INTERPRETER: ^
// INTERPRETER: code 1

// EMULATOR: error: kernel 'divide_stage0' ({{.*}}faults.mlir:[[#@LINE + 7]]:{{[0-9]+}}): block ({{.*}}), thread ({{.*}}): a checked operation failed
// EMULATOR: code 1

// OUTSIDE: error: kernel 'divide_stage0' ({{.*}}): block (0, 0, 0), thread ({{.*}}): a checked operation failed
// EXTENT: faults.mlir:[[#@LINE + 6]]:{{[0-9]+}}: error: 'stencil.dyn_access' op
func.func @divide(%in: !stencil.field<[0,16]xi32>, %out: !stencil.field<[0,8]xi32>, %shift: index, %by: i32) {
  %t = stencil.load %in : !stencil.field<[0,16]xi32> -> !stencil.temp<?xi32>
  %r = stencil.apply(%a = %t : !stencil.temp<?xi32>, %s = %shift : index, %b = %by : i32) -> (!stencil.temp<?xi32>) {
    %i = stencil.index 0 <[0]>
    %j = arith.addi %i, %s : index
    %x = stencil.dyn_access %a[%j] in <[0]> : <[2]> : !stencil.temp<?xi32>
    %q = arith.divsi %x, %b : i32
    stencil.return %q : i32
  }
  stencil.store %r to %out(<[0], [8]>) : !stencil.temp<?xi32> to !stencil.field<[0,8]xi32>
  return
}
