// Kernels may take fields with padded rows: files, results and checkpoints are those of arrays without padding.
//
// RUN: rm -rf %t && mkdir %t
// RUN: sed 's/stencil.row_alignment = 64/stencil.row_alignment = 1/' %s > %t/dense.mlir
// RUN: stencilc compile %s --keep-ir -o %t/p.spk
// RUN: stencilc compile %t/dense.mlir --keep-ir -o %t/d.spk
// RUN: stencilc compile %t/dense.mlir --row-alignment=64 --keep-ir -o %t/o.spk
// RUN: not stencilc compile %s --row-alignment=48 -o %t/o.spk 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: error: invalid value '48' for '--row-alignment <BYTES>': write a power of two up to 4096, as in 128
// RUN: not stencilc compile %s --row-alignment=64 --sizes=run-time -o %t/o.spk 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: error: --row-alignment=64 pads rows, and with --sizes=run-time they lie as in arrays of callers; remove one of them
// RUN: stencilc run %t/dense.mlir --row-alignment=32 --element-type=f64 --on=emulator --verify --steps=3 | FileCheck %s
// RUN: stencil-run %t/p.spk --print-signature | FileCheck %s --check-prefix=SIGNATURE
// SIGNATURE: 0 u field [-1,20]x[-1,38]xf32, shape (21, 39)
//
// DEFINE: %{run} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk stencil-run %t/p.spk --seed=5
// DEFINE: %{dense} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t/d.spk stencil-run %t/d.spk --seed=5
// RUN: stencilc run %s --on=interpreter --steps=7 --seed=5 --out-dir %t/expected
// RUN: %{run} --steps=7 --expect %t/expected --verify --time --repeat=2 | FileCheck %s
// CHECK: verified: bit-identical
//
// Rows of 39 cells lie in 64; those of 21 are copied at once.
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk STENCIL_EMULATED_LOG=%t/log stencil-run %t/p.spk --steps=1
// RUN: FileCheck %s --input-file=%t/log --check-prefix=LOG
// LOG-COUNT-2: allocate 5376 bytes
// LOG-COUNT-2: copy host to device 3276 bytes
// LOG:         launch
// LOG-COUNT-2: copy device to host 3276 bytes
//
// RUN: %{run} --steps=9 --every=2 --out-dir %t/padded
// RUN: %{dense} --steps=9 --every=2 --out-dir %t/usual
// RUN: rm %t/usual/*/run.json %t/padded/*/run.json
// RUN: diff -r %t/usual %t/padded
// RUN: %{run} --steps=5 --in-dir %t/padded/step-00000004 --out-dir %t/again
// RUN: diff %t/usual/v.npy %t/again/v.npy
//
// A reader of an older format does not take them for arrays without padding.
// RUN: unzip -p %t/p.spk manifest.json | FileCheck %s --check-prefix=MANIFEST
// MANIFEST-DAG: "format":{{ ?}}11
// MANIFEST-DAG: "padding"
// RUN: unzip -p %t/d.spk manifest.json | FileCheck %s --check-prefix=DENSE
// DENSE-NOT: "padding"

!field = !stencil.field<[-1,20]x[-1,38]xf32>
!temp = !stencil.temp<?x?xf32>
func.func @diffusion(%u: !field {stencil.name = "u"}, %v: !field {stencil.name = "v"}, %steps: index)
    attributes {stencil.row_alignment = 64 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %zero to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!field, !field) {
    %old = stencil.load %now : !field -> !temp
    %new = stencil.apply(%t = %old : !temp) -> (!temp) {
      %w = stencil.access %t[0, -1] : !temp
      %n = stencil.access %t[-1, 0] : !temp
      %e = stencil.access %t[0, 1] : !temp
      %a = arith.constant 0.25 : f32
      %sum = arith.addf %w, %e : f32
      %all = arith.addf %sum, %n : f32
      %mean = arith.mulf %all, %a : f32
      stencil.return %mean : f32
    }
    stencil.store %new to %next(<[0, 0], [19, 37]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
