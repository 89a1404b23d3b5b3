// A package for all extents has its sweeps in variants: small grids are computed step by step, large ones are swept, with vector accesses where rows are aligned as those of the text.
//
// DEFINE: %{run} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk stencil-run %t/p.spk --seed=3
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --sizes=run-time --plan=mapping=warp,steps=2,threads=1x32,points=1x2 --keep-ir -o %t/p.spk | FileCheck %s --check-prefix=REPORT
// REPORT-DAG: plan {{.*}}heat_step:mapping=thread
// REPORT-DAG: plan {{.*}}heat_aligned_step:{{.*}}mapping=warp
// REPORT-DAG: plan {{.*}}heat_swept_step:{{.*}}mapping=warp
// RUN: stencil-run %t/p.spk --print-signature | FileCheck %s --check-prefix=SIGNATURE
// SIGNATURE: function 'heat', compiled for
// SIGNATURE: at least 1 x 1; else 126 x 126, as shown
// RUN: stencil-run %t/p.spk --function=heat_swept --print-signature | FileCheck %s --check-prefix=SWEPT
// A tile of 64 columns, which ends within the domain.
// SWEPT: at least 1 x 62; else 126 x 126, as shown
//
// The interpreter on the program that is resized.
// DEFINE: %{extents} =
// DEFINE: %{interpret} = stencilc run %s --extents=%{extents} --on=interpreter --seed=3 --out-dir %t/expected
// REDEFINE: %{extents} = 20,61
// RUN: %{interpret}
// RUN: %{run} --extents=%{extents} --expect %t/expected --verify | FileCheck %s --check-prefixes=BASE,CHECK
// BASE: function 'heat': 5 launches
// REDEFINE: %{extents} = 20,63
// RUN: %{interpret}
// RUN: %{run} --extents=%{extents} --expect %t/expected --verify | FileCheck %s --check-prefixes=ANY,CHECK
// ANY: function 'heat_swept': 3 launches
// RUN: not %{run} --function=heat_aligned --extents=%{extents} 2>&1 | FileCheck %s --check-prefix=UNALIGNED
// UNALIGNED: error: extent 63 of dimension 1 does not differ from 126 by a multiple of 4, as function 'heat_aligned' needs for aligned rows: run the one that it is a variant of
// REDEFINE: %{extents} = 1,66
// RUN: %{interpret}
// RUN: %{run} --extents=%{extents} --expect %t/expected --verify | FileCheck %s --check-prefixes=ALIGNED,CHECK
// ALIGNED: function 'heat_aligned': 3 launches
// CHECK: verified: bit-identical
//
// Chunks for other extents than the text's keep the number of blocks: 3 tiles with 4 chunks each are 12, and so are 6 tiles with 2.
// RUN: stencilc compile %s --sizes=run-time --plan=mapping=warp,steps=2,threads=1x32,points=1x2,chunks=4 --keep-ir --no-verification -o %t/p.spk
// REDEFINE: %{extents} = 126,126
// RUN: %{interpret}
// RUN: %{run} --extents=%{extents} --expect %t/expected | FileCheck %s --check-prefix=CHUNKS
// REDEFINE: %{extents} = 126,310
// RUN: %{interpret}
// RUN: %{run} --extents=%{extents} --expect %t/expected | FileCheck %s --check-prefix=CHUNKS
// CHUNKS: grid 12x1x1, block 32x1x1
//
// Another number of time steps is compiled into all functions: two pairs of sweeps of two steps, and one step.
// RUN: stencilc compile %s --sizes=run-time --plan=mapping=warp,steps=2,threads=1x32,points=1x2 --steps=9 --keep-ir --no-verification -o %t/p.spk
// RUN: stencilc run %s --extents=%{extents} --steps=9 --on=interpreter --seed=3 --out-dir %t/expected
// RUN: %{run} --extents=%{extents} --expect %t/expected | FileCheck %s --check-prefix=STEPS
// STEPS: function 'heat_aligned': 5 launches
// STEPS: verified: bit-identical
//
// A run takes of these functions the one that a package takes for the extents.
// DEFINE: %{general} = stencilc run %s --sizes=run-time --plan=mapping=warp,steps=2,threads=1x32,points=1x2 --on=emulator --no-cache --seed=3 --verify
// RUN: %{general} | FileCheck %s --check-prefix=RUN-ALIGNED
// RUN-ALIGNED: program {{.*}}, 'heat_aligned', sm_90a
// RUN-ALIGNED: emulator: 3 launches
// RUN-ALIGNED: verified: bit-identical
// RUN: %{general} --steps=9 | FileCheck %s --check-prefix=RUN-STEPS
// RUN-STEPS: emulator: 5 launches
// RUN-STEPS: verified: bit-identical
// RUN: %{general} --extents=20,63 | FileCheck %s --check-prefix=RUN-ANY
// RUN-ANY: program {{.*}}, 'heat_swept', sm_90a
// RUN-ANY: verified: bit-identical
// RUN: stencilc run %s --sizes=run-time --plan=mapping=thread --on=emulator --no-cache --seed=3 --verify | FileCheck %s --check-prefix=RUN-BASE
// RUN-BASE: program {{.*}}, 'heat_aligned', sm_90a
// RUN-BASE: emulator: 5 launches
// RUN-BASE: verified: bit-identical
//
// Keys that no sweep has are for the kernels of all functions.
// RUN: stencilc compile %s --sizes=run-time --plan=mapping=thread,points=2 --no-verification -o %t/p.spk | FileCheck %s --check-prefix=THREAD
// THREAD: plan {{.*}}step:{{.*}}points=2x1
// THREAD-NOT: heat_swept
func.func @heat(%u: !stencil.field<[0,128]x[0,128]xf64> {stencil.name = "u"},
                %v: !stencil.field<[0,128]x[0,128]xf64> {stencil.name = "v"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 5 : index
  scf.for %t = %zero to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[0,128]x[0,128]xf64>, !stencil.field<[0,128]x[0,128]xf64>) {
    %values = stencil.load %now : !stencil.field<[0,128]x[0,128]xf64> -> !stencil.temp<?x?xf64>
    %stepped = stencil.apply(%w = %values : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>)
        attributes {stencil.stage = "step"} {
      %left = stencil.access %w[0, -1] : !stencil.temp<?x?xf64>
      %right = stencil.access %w[0, 1] : !stencil.temp<?x?xf64>
      %above = stencil.access %w[-1, 0] : !stencil.temp<?x?xf64>
      %below = stencil.access %w[1, 0] : !stencil.temp<?x?xf64>
      %rows = arith.addf %left, %right : f64
      %columns = arith.addf %above, %below : f64
      %sum = arith.addf %rows, %columns : f64
      stencil.return %sum : f64
    }
    stencil.store %stepped to %next(<[1, 1], [127, 127]>)
        : !stencil.temp<?x?xf64> to !stencil.field<[0,128]x[0,128]xf64>
    scf.yield %next, %now : !stencil.field<[0,128]x[0,128]xf64>, !stencil.field<[0,128]x[0,128]xf64>
  }
  return
}
