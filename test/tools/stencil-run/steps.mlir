// A run that was interrupted goes on where it was: checkpoints are the fields of a shorter run, and a start for another.
//
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --keep-ir --no-verification -o %t/p.spk
// DEFINE: %{run} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk stencil-run %t/p.spk --seed=5
//
// RUN: %{run} --steps=6 --every=2 --out-dir %t/all
// RUN: %{run} --steps=2 --out-dir %t/two
// RUN: cmp %t/all/step-00000002/u.npy %t/two/u.npy
// RUN: cmp %t/all/step-00000002/v.npy %t/two/v.npy
// RUN: not cmp %t/all/u.npy %t/two/u.npy
// RUN: %{run} --steps=4 --in-dir %t/all/step-00000002 --out-dir %t/rest
// RUN: cmp %t/all/u.npy %t/rest/u.npy
// RUN: cmp %t/all/v.npy %t/rest/v.npy
// RUN: stencilc run %s --on=interpreter --seed=5 --arg steps=6 --out-dir %t/expected
// RUN: cmp %t/all/u.npy %t/expected/u.npy
// RUN: cmp %t/all/v.npy %t/expected/v.npy
//
// The report has the number, however it is given.
// RUN: %{run} --arg steps=7 --report=%t/report.json
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t/report.json
// JSON: {{^}}  "steps": 7,

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
