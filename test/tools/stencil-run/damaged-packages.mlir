// A package that was cut off or changed is refused before anything is run, wherever the damage is; the exit code is 2.
//
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --keep-ir -o %t/p.spk
// DEFINE: %{package} =
// DEFINE: %{run} = sh -c '%emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk STENCIL_EMULATED_LOG=%t/log stencil-run %{package} --arg steps=2 --out-dir %t/out; echo "code $?"' 2>&1
//
// REDEFINE: %{package} = %t/cut.spk
// RUN: head -c 4000 %t/p.spk > %t/cut.spk
// RUN: %{run} | FileCheck %s --check-prefix=CUT
// RUN: head -c -1 %t/p.spk > %t/cut.spk
// RUN: %{run} | FileCheck %s --check-prefix=CUT
// RUN: head -c 0 %t/p.spk > %t/cut.spk
// RUN: %{run} | FileCheck %s --check-prefix=CUT
// CUT: error: package '{{.*}}cut.spk': it is truncated or not a kernel package
// CUT: code 2
//
// A letter of the PTX, of the manifest, of a checksum, and of the archive itself.
// REDEFINE: %{package} = %t/changed.spk
// RUN: sed "0,/ld.global/s//ld.globaL/" %t/p.spk > %t/changed.spk
// RUN: %{run} | FileCheck %s --check-prefix=CHANGED
// RUN: sed "0,/\"sm_90a\"/s//\"sm_90b\"/" %t/p.spk > %t/changed.spk
// RUN: %{run} | FileCheck %s --check-prefix=CHANGED
// RUN: sed "0,/\"fields\"/s//\"fieldS\"/" %t/p.spk > %t/changed.spk
// RUN: %{run} | FileCheck %s --check-prefix=CHANGED
// RUN: sed "0,/plain.manifest/s//plaiN.manifest/" %t/p.spk > %t/changed.spk
// RUN: %{run} | FileCheck %s --check-prefix=CHANGED
// CHANGED: error: package '{{.*}}changed.spk': it was altered or damaged (its bytes do not match its digest)
// CHANGED: code 2
//
// REDEFINE: %{package} = %s
// RUN: %{run} | FileCheck %s --check-prefix=SOURCE
// SOURCE: error: package '{{.*}}damaged-packages.mlir': it is truncated or not a kernel package
// SOURCE: code 2
// REDEFINE: %{package} = %t/missing.spk
// RUN: %{run} | FileCheck %s --check-prefix=MISSING
// MISSING: error: package '{{.*}}missing.spk' cannot be read: No such file
// MISSING: code 2
//
// RUN: not ls %t/log
// RUN: not ls %t/out
// REDEFINE: %{package} = %t/p.spk
// RUN: %{run} | FileCheck %s --check-prefix=WHOLE
// WHOLE: code 0

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
