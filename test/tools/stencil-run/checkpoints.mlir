// Checkpoints are written while the run goes on: the same files however late a driver copies, and those before a failure are whole.
//
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --keep-ir --no-verification -o %t/p.spk
// DEFINE: %{environment} =
// DEFINE: %{run} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk %{environment} stencil-run %t/p.spk --seed=5 --every=2
//
// RUN: %{run} --steps=31 --out-dir %t/usual | FileCheck %s
// CHECK-COUNT-15: wrote {{.*}}/usual/step-000000
// REDEFINE: %{environment} = STENCIL_EMULATED_LAG=0
// RUN: %{run} --steps=31 --out-dir %t/none
// RUN: diff -r %t/usual %t/none
// REDEFINE: %{environment} = STENCIL_EMULATED_LAG=1
// RUN: %{run} --steps=31 --out-dir %t/longest
// RUN: diff -r %t/usual %t/longest
//
// The fourth piece fails; the third is lost with the context or written, and nothing is half there.
// REDEFINE: %{environment} = STENCIL_EMULATED_FAULT=diffusion_stage0:7
// RUN: not %{run} --steps=31 --out-dir %t/failed
// RUN: diff -r %t/usual/step-00000002 %t/failed/step-00000002
// RUN: diff -r %t/usual/step-00000004 %t/failed/step-00000004
// RUN: not ls %t/failed/step-00000008 %t/failed/u.npy
// RUN: not ls -d %t/failed/.stencil-*
//
// A folder that cannot be written to.
// RUN: touch %t/file
// RUN: not %{run} --steps=31 --out-dir %t/file 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: '{{.*}}/file' cannot be written: File exists
//
// A restart from a folder without fields, or from a checkpoint that has lost one, is refused.
// DEFINE: %{restart} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk stencil-run %t/p.spk --steps=3
// RUN: not %{restart} --in-dir %t/nowhere 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: '{{.*}}/nowhere' has no file of a field, as u.npy for 'u'; give the folder that a run has written to
// RUN: %{restart} --in-dir %t/usual/step-00000002
// RUN: rm %t/usual/step-00000002/v.npy
// RUN: not %{restart} --in-dir %t/usual/step-00000002 2>&1 | FileCheck %s --check-prefix=LACKS
// LACKS: error: '{{.*}}step-00000002' lacks v.npy, which its run.json names; put the file back, or restart from another checkpoint

func.func @diffusion(%u: !stencil.field<[-1,38]xf64>, %v: !stencil.field<[-1,38]xf64>, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %zero to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-1,38]xf64>, !stencil.field<[-1,38]xf64>) {
    %old = stencil.load %now : !stencil.field<[-1,38]xf64> -> !stencil.temp<?xf64>
    %new = stencil.apply(%t = %old : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %w = stencil.access %t[-1] : !stencil.temp<?xf64>
      %e = stencil.access %t[1] : !stencil.temp<?xf64>
      %a = arith.constant 0.25 : f64
      %sum = arith.addf %w, %e : f64
      %mean = arith.mulf %sum, %a : f64
      stencil.return %mean : f64
    }
    stencil.store %new to %next(<[0], [37]>) : !stencil.temp<?xf64> to !stencil.field<[-1,38]xf64>
    scf.yield %next, %now : !stencil.field<[-1,38]xf64>, !stencil.field<[-1,38]xf64>
  }
  return
}
