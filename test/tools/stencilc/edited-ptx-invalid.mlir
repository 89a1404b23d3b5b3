// PTX that was edited needs a GPU: whoever reads no PTX says so.
//
// RUN: stencilc compile %s --emit=ptx -o %t.ptx
// RUN: not stencilc run %s --on=emulator --ptx=%t.ptx 2>&1 | FileCheck %s --check-prefix=EMULATOR
// RUN: not stencilc run %s --on=interpreter --ptx=%t.ptx 2>&1 | FileCheck %s --check-prefix=INTERPRETER
// RUN: not stencilc run %s --on=emulator --ptx=%t.none 2>&1 | FileCheck %s --check-prefix=MISSING
//
// EMULATOR: error: --ptx needs a GPU: the emulator runs the kernels' LLVM IR, and would not see what was edited; run on a machine with a GPU, with --on=gpu, or leave --ptx out
// INTERPRETER: error: --ptx needs a GPU: the interpreter runs the program itself
// MISSING: error: '{{.*}}.none' cannot be read
//
// A package's kernels are replaced by those that its host programs launch, and by no others.
// RUN: stencilc compile %s -o %t.spk
// RUN: sed 's/copy_stage0/other/' %t.ptx > %t.other.ptx
// RUN: not stencil-run %t.spk --ptx=%t.other.ptx 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: the PTX has no entry 'copy_stage0', which the program launches; it has 'other'
func.func @copy(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[0] : !stencil.temp<?xf64>
    %y = arith.addf %x, %x : f64
    stencil.return %y : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
