// A field of another shape or type than the program's is refused with both; the exit code is 1.
//
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --keep-ir --no-verification -o %t/p.spk
// RUN: stencilc run %s --extents 32 --on=interpreter --arg steps=1 --out-dir %t/small
// RUN: stencilc run %s --element-type=f32 --on=interpreter --arg steps=1 --out-dir %t/single
// DEFINE: %{arguments} =
// DEFINE: %{run} = sh -c '%emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk STENCIL_EMULATED_LOG=%t/log stencil-run %t/p.spk %{arguments} --out-dir %t/out; echo "code $?"' 2>&1
//
// REDEFINE: %{arguments} = --arg steps=2 --arg u=%t/small/u.npy
// RUN: %{run} | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: no variant of 'diffusion' has fields of the extents given: '{{.*}}u.npy' (34,)
// SHAPE-NEXT: diffusion: u (66,)
// SHAPE: code 1
//
// REDEFINE: %{arguments} = --arg steps=2 --arg u=%t/single/u.npy
// RUN: %{run} | FileCheck %s --check-prefix=TYPE
// TYPE: error: argument 0 'u': '{{.*}}u.npy' holds <f4, the field holds f64 (<f8)
// TYPE: code 1
//
// REDEFINE: %{arguments} = --arg steps=2 --arg w=%t/small/u.npy
// RUN: %{run} | FileCheck %s --check-prefix=NAME
// NAME: error: {{.*}}'w'
// NAME: code 1
//
// REDEFINE: %{arguments} =
// RUN: %{run} | FileCheck %s --check-prefix=SCALAR
// SCALAR: error: {{.*}}argument 2 'steps'
// SCALAR: code 1
//
// RUN: not ls %t/out
// RUN: not ls %t/log

func.func @diffusion(%u: !stencil.field<[-1,65]xf64>, %v: !stencil.field<[-1,65]xf64>, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %zero to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-1,65]xf64>, !stencil.field<[-1,65]xf64>) {
    %old = stencil.load %now : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
    %new = stencil.apply(%t = %old : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %w = stencil.access %t[-1] : !stencil.temp<?xf64>
      %e = stencil.access %t[1] : !stencil.temp<?xf64>
      %a = arith.constant 0.25 : f64
      %sum = arith.addf %w, %e : f64
      %mean = arith.mulf %sum, %a : f64
      stencil.return %mean : f64
    }
    stencil.store %new to %next(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[-1,65]xf64>
    scf.yield %next, %now : !stencil.field<[-1,65]xf64>, !stencil.field<[-1,65]xf64>
  }
  return
}
