// The doctor says what a machine has, and what each lack costs; without a GPU or an assembler all is well enough.
//
// RUN: stencilc doctor > %t.txt
// RUN: FileCheck %s --input-file=%t.txt
// RUN: stencilc doctor --format=json > %t.json
// RUN: python3 -c "import json; parts = {f['part']: f for f in json.load(open(r'%t.json'))}; assert parts['compiler']['works'] and 'driver' in parts, parts"
//
// What is not there, or is not what it should be, is told with the price and the remedy.
// RUN: env STENCIL_PTXAS=%S/doctor.mlir stencilc doctor | FileCheck %s --check-prefix=BROKEN
//
// The one that is named is taken, also where there is none: no other answers for it.
// RUN: env STENCIL_PTXAS=%t.none stencilc doctor | FileCheck %s --check-prefix=NONE
// RUN: sh -c 'STENCIL_PTXAS=%t.none stencilc compile %s --emit=cubin -o %t.cubin; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=COMPILE
// RUN: env STENCIL_PTXAS= stencilc compile %s --emit=ptx -o %t.ptx

// CHECK: compiler   works  {{[0-9.]+}} on LLVM 22.{{.*}}; compiled a small program to PTX for sm_90a
// CHECK: assembler {{works|lacks}}
// CHECK: libdevice {{works|lacks}}
// CHECK: driver {{works|lacks}}

// An assembler that is none is not taken for one.
// BROKEN:      assembler  lacks
// BROKEN-NEXT: {{^ +}}reports have no registers
// BROKEN-NEXT: {{^ +}}./x setup installs ptxas

// NONE:      assembler  lacks {{.*}}doctor.mlir.tmp.none: '{{.*}}doctor.mlir.tmp.none', which STENCIL_PTXAS names, cannot be run: No such file
// COMPILE:   error: '{{.*}}doctor.mlir.tmp.none', which STENCIL_PTXAS names, cannot be run: No such file
// COMPILE:   code 2

func.func @nothing() {
  return
}
