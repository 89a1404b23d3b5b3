// A program is compared with itself after a pipeline, on the same random input; a pipeline that
// changes a value is found out.
//
// RUN: stencilc run %s --same-after='builtin.module(func.func(stencil-infer-bounds))' --seed=1 | FileCheck %s --check-prefix=SAME
// RUN: stencilc run %s --on=interpreter --same-after=cse,canonicalize | FileCheck %s --check-prefix=SAME
// SAME: same after the pipeline: bit-identical (2 fields, 129 cells)
//
// Forming an fma is permitted here, and rounds once where the program as written rounds twice.
// RUN: sh -c 'stencilc run %s --same-after="func.func(stencil-freeze-arithmetic)" --seed=1; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: argument 1 'out': cell [{{[0-9]+}}] is {{[0-9.]+}} (0x{{[0-9a-f]+}}), expected {{[0-9.]+}} (0x{{[0-9a-f]+}})
// OTHER-SAME: of 64 cells differ, at most 1 units in the last place apart
// OTHER: not the same after the pipeline
// OTHER: code 1
//
// RUN: not stencilc run %s --same-after=stencil-no-such-pass 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: error: cannot parse the pipeline {{.*}}stencil-no-such-pass
// RUN: not stencilc run %s --same-after=symbol-privatize,symbol-dce 2>&1 | FileCheck %s --check-prefix=GONE
// GONE: error: the pipeline leaves no function 'f' to run
// RUN: not stencilc run %s --on=emulator --same-after=cse 2>&1 | FileCheck %s --check-prefix=BACKEND
// BACKEND: error: --same-after runs on the interpreter; remove --on
func.func @f(%in: !stencil.field<[-1,64]xf32>, %out: !stencil.field<[0,64]xf32>) {
  %t = stencil.load %in : !stencil.field<[-1,64]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>) {
    %x = stencil.access %a[0] : !stencil.temp<?xf32>
    %y = stencil.access %a[-1] : !stencil.temp<?xf32>
    %m = arith.mulf %x, %y fastmath<contract> : f32
    %s = arith.addf %m, %x fastmath<contract> : f32
    stencil.return %s : f32
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf32> to !stencil.field<[0,64]xf32>
  return
}
