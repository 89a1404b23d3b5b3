// A kernel that is no sweep has a variant for aligned rows where alignment makes another plan of it: vectors of neighbours, which every thread proves aligned for all extents that the variant is for.
//
// DEFINE: %{run} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk stencil-run %t/p.spk --seed=3
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --sizes=run-time --keep-ir -o %t/p.spk | FileCheck %s --check-prefix=REPORT
// REPORT-DAG: plan{{ +}}smooth_mean:mapping=thread,max_registers={{[0-9]+}},points=4x1,threads={{[0-9x]+$}}
// REPORT-DAG: plan{{ +}}smooth_aligned_mean:{{.*}}points=4x4,{{.*}}vector=4
// RUN: stencilc compile %s --sizes=run-time --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry smooth_mean(
// PTX-NOT: .v4
// PTX-LABEL: .entry smooth_aligned_mean(
// PTX: ld.global.nc.v4.b32
// PTX: st.global.v4.b32
//
// Rows differ from those of the text by sectors of eight cells, or by less.
// DEFINE: %{extents} =
// DEFINE: %{interpret} = stencilc run %s --extents=%{extents} --on=interpreter --seed=3 --out-dir %t/expected
// REDEFINE: %{extents} = 40,512
// RUN: %{interpret}
// RUN: %{run} --extents=%{extents} --expect %t/expected --verify | FileCheck %s --check-prefixes=ALIGNED,CHECK
// REDEFINE: %{extents} = 3,24
// RUN: %{interpret}
// RUN: %{run} --extents=%{extents} --expect %t/expected --verify | FileCheck %s --check-prefixes=ALIGNED,CHECK
// ALIGNED: function 'smooth_aligned': 1 launch
// REDEFINE: %{extents} = 40,516
// RUN: %{interpret}
// RUN: %{run} --extents=%{extents} --expect %t/expected --verify | FileCheck %s --check-prefixes=BASE,CHECK
// BASE: function 'smooth': 1 launch
// CHECK: verified: bit-identical
//
// Where vectors are asked for, both functions have the plan; addresses of the first are no multiples of anything.
// RUN: stencilc compile %s --sizes=run-time --plan=vector=2,points=1x2,threads=4x32 --emit=ptx -o - | FileCheck %s --check-prefix=ASKED
// ASKED-LABEL: .entry smooth_mean(
// ASKED-NOT: .v2
// ASKED-LABEL: .entry smooth_aligned_mean(
// ASKED: ld.global.nc.v2.b32
//
// Rows of an odd length hold no vectors: there is no such variant.
// RUN: stencilc compile %s --extents=40,511 --sizes=run-time --keep-ir -o %t/odd.spk | FileCheck %s --check-prefix=ODD
// ODD: plan{{ +}}smooth_mean:mapping=thread
// ODD-NOT: aligned

func.func @smooth(%in: !stencil.field<[-4,44]x[-4,516]xf32> {stencil.name = "in"}, %out: !stencil.field<[-4,44]x[-4,516]xf32> {stencil.name = "out"}) {
  %c = stencil.load %in : !stencil.field<[-4,44]x[-4,516]xf32> -> !stencil.temp<?x?xf32>
  %r = stencil.apply(%x = %c : !stencil.temp<?x?xf32>) -> (!stencil.temp<?x?xf32>) attributes {stencil.stage = "mean"} {
    %w = arith.constant 0.25 : f32
    %n = stencil.access %x[-1, 0] : !stencil.temp<?x?xf32>
    %s = stencil.access %x[1, 0] : !stencil.temp<?x?xf32>
    %l = stencil.access %x[0, -1] : !stencil.temp<?x?xf32>
    %e = stencil.access %x[0, 1] : !stencil.temp<?x?xf32>
    %ns = arith.addf %n, %s : f32
    %le = arith.addf %l, %e : f32
    %sum = arith.addf %ns, %le : f32
    %v = arith.mulf %sum, %w : f32
    stencil.return %v : f32
  }
  stencil.store %r to %out(<[0, 0], [40, 512]>) : !stencil.temp<?x?xf32> to !stencil.field<[-4,44]x[-4,516]xf32>
  return
}
