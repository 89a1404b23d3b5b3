// One package for all extents: those of files, those of an option, or those of the text.
//
// DEFINE: %{run} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk stencil-run %t/p.spk --seed=3
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --sizes=run-time --keep-ir -o %t/p.spk | FileCheck %s --check-prefix=REPORT
// REPORT: plan {{.*}}mapping=thread
// REPORT: not swept: extents are known only at run time, and it is for all of them: a variant of it may be swept
// RUN: stencil-run %t/p.spk --print-signature | FileCheck %s --check-prefix=SIGNATURE
// SIGNATURE: 0 u field [-1,33]x[-2,34]xf32, shape (34, 36)
// SIGNATURE: extents: those of the fields or of --extents, at least 1 x 1; else 32 x 32, as shown
//
// The interpreter on the program that is resized.
// DEFINE: %{extents} =
// DEFINE: %{interpret} = stencilc run %s --extents=%{extents} --on=interpreter --seed=3 --out-dir %t/expected
// REDEFINE: %{extents} = 32,32
// RUN: %{interpret}
// RUN: %{run} --expect %t/expected --verify | FileCheck %s
// REDEFINE: %{extents} = 1,1
// RUN: %{interpret}
// RUN: %{run} --extents=%{extents} --expect %t/expected --verify | FileCheck %s
// REDEFINE: %{extents} = 67,3
// RUN: %{interpret}
// RUN: %{run} --extents=%{extents} --expect %t/expected --verify --time --repeat=2 | FileCheck %s
// CHECK: verified: bit-identical
//
// Files say the extents, and all of them the same.
// RUN: %{run} --in-dir %t/expected --out-dir %t/again | FileCheck %s --check-prefix=FILES
// FILES: 603 points
// REDEFINE: %{extents} = 67,4
// RUN: stencilc run %s --extents=%{extents} --on=interpreter --seed=3 --out-dir %t/other
// RUN: not %{run} --arg u=%t/other/u.npy --arg v=%t/expected/v.npy 2>&1 | FileCheck %s --check-prefix=DISAGREE
// DISAGREE: error: argument 0 'u' gives dimension 1 of the domain 4 points, argument 1 'v' gives it 3
//
// RUN: not %{run} --extents=67 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: function 'average' has a domain of 2 dimensions, 1 extents are given
// RUN: not %{run} --extents=0,3 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: they are no extents; write positive integers with commas, as in 64,64,128
// RUN: not %{run} --extents=100000,100000 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: argument 0 'u' would have 10000600008 cells; kernels for run-time extents address at most 2147483647: compile the program for this size
//
// A variant of a fixed size is preferred where the files have it.
// RUN: stencilc compile %s --sizes=run-time --size 67,3 -o %t/both.spk
// RUN: stencil-run %t/both.spk --in-dir %t/expected --print-signature | FileCheck %s --check-prefix=FIXED
// FIXED: function 'average_67_3', compiled for sm_90a
// RUN: stencil-run %t/both.spk --in-dir %t/other --print-signature | FileCheck %s --check-prefix=GENERAL
// GENERAL: function 'average', compiled for sm_90a
//
// A package of one size says how to get another.
// RUN: stencilc compile %s --keep-ir -o %t/p.spk
// RUN: not %{run} --extents=67,3 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: function 'average' was compiled for one size; compile it with --sizes=run-time to give its extents
//
// The extents of the text have to go too.
// RUN: not stencilc compile %s --sizes=run-time --extents=100000,100000 -o %t/no.spk 2>&1 | FileCheck %s --check-prefix=REFERENCE
// REFERENCE: 'func.func' op does not run with the extents that it is written for: argument 0 'u' would have 10000600008 cells
//
// A plan for a sweep is for a variant of the function; run-time-sweeps.mlir has more of them.
// RUN: stencilc compile %s --sizes=run-time --plan=mapping=warp -o %t/swept.spk | FileCheck %s --check-prefix=MAPPING
// MAPPING: plan {{.*}}average_{{[a-z0-9]*}}:mapping=thread
// MAPPING: plan {{.*}}average_swept_{{[a-z0-9]*}}:{{.*}}mapping=warp
func.func @average(%u: !stencil.field<[-1,33]x[-2,34]xf32> {stencil.name = "u"},
                   %v: !stencil.field<[-1,33]x[-2,34]xf32> {stencil.name = "v"}) {
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %i = %zero to %three step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-1,33]x[-2,34]xf32>, !stencil.field<[-1,33]x[-2,34]xf32>) {
    %t = stencil.load %now : !stencil.field<[-1,33]x[-2,34]xf32> -> !stencil.temp<?x?xf32>
    %r = stencil.apply(%a = %t : !stencil.temp<?x?xf32>) -> (!stencil.temp<?x?xf32>) {
      %x = stencil.access %a[-1, 0] : !stencil.temp<?x?xf32>
      %y = stencil.access %a[1, 0] : !stencil.temp<?x?xf32>
      %z = stencil.access %a[0, -2] : !stencil.temp<?x?xf32>
      %w = stencil.access %a[0, 2] : !stencil.temp<?x?xf32>
      %xy = arith.addf %x, %y : f32
      %zw = arith.addf %z, %w : f32
      %sum = arith.addf %xy, %zw : f32
      %quarter = arith.constant 0.25 : f32
      %mean = arith.mulf %sum, %quarter : f32
      stencil.return %mean : f32
    }
    stencil.store %r to %next(<[0, 0], [32, 32]>) : !stencil.temp<?x?xf32> to !stencil.field<[-1,33]x[-2,34]xf32>
    scf.yield %next, %now : !stencil.field<[-1,33]x[-2,34]xf32>, !stencil.field<[-1,33]x[-2,34]xf32>
  }
  return
}
