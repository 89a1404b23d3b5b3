// Sweeps over several statements are drawn as one iteration, and what is kept of each stream.
//
// Six staggered fields, each with a domain of its own, are exchanged along two dimensions.
// RUN: stencilc compile %S/../../kernels/maxwell3d.mlir --extents 64,64,64 --emit=pipeline \
// RUN:   --plan mapping=block,steps=2 | %golden %s.maxwell3d.golden
//
// Two unknowns on a periodic grid, whose readers wait an iteration and so need one fence.
// RUN: stencilc compile %S/../../kernels/gray-scott3d.mlir --extents 64,64,64 --emit=pipeline \
// RUN:   --plan mapping=block,steps=2,skew=lazy,loads=prefetch \
// RUN:   | %golden %s.gray-scott3d.golden
//
// What only statements of the same step read, and a field that nothing changes.
// RUN: stencilc compile %S/../../kernels/denoise.mlir --extents 64,64,64 --emit=pipeline \
// RUN:   --plan mapping=block,steps=2,rotation=unroll,conductance:max_registers=64 \
// RUN:   | %golden %s.denoise.golden
//
// Fields that come to shared memory two iterations ahead, one with its halo.
// RUN: stencilc compile %S/../../kernels/acoustic-so4.mlir --extents 64,64,64 --emit=pipeline \
// RUN:   --plan loop:mapping=block,loop:steps=2,loop:points=1x2x2,loop:loads=halo,loop:ring=3 \
// RUN:   | %golden %s.acoustic-so4.golden
//
// The level before that of `now` enters as well; of a statement with two results one is stored;
// lines are exchanged by shuffles only.
// RUN: stencilc compile %s --emit=pipeline --plan mapping=warp,steps=2 | FileCheck %s
//
// CHECK:      stream    newest  kept     exchanged  memory
// CHECK-NEXT: now       p       p-1 p-2  shuffles   fetched
// CHECK-NEXT: now-1     p-1                         fetched
// CHECK:      fetch           now[p] now-1[p-1]
// CHECK:      flux            flux.0+2[p-2], flux.1+2[p-2] -> memory  from {{.*}}+1[p-2 p-1]
// CHECK-NEXT: update          {{.*}}+2[p-2] -> memory {{ *}}from {{.*}}[p-2] flux.0+2[p-3 p-2]
!field = !stencil.field<[0,40]x[0,70]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @wave(%old: !field, %now: !field, %next: !field, %k: !field) {
  %first = arith.constant 0 : index
  %steps = arith.constant 9 : index
  %one = arith.constant 1 : index
  %end:3 = scf.for %step = %first to %steps step %one
      iter_args(%u = %old, %v = %now, %w = %next) -> (!field, !field, !field) {
    %us = stencil.load %u : !field -> !temp
    %vs = stencil.load %v : !field -> !temp
    %flux = stencil.apply(%x = %vs : !temp) -> (!temp) attributes {stencil.stage = "flux"} {
      %0 = stencil.access %x[1, 0] : !temp
      %1 = stencil.access %x[0, 1] : !temp
      %2 = stencil.access %x[0, 0] : !temp
      %3 = arith.addf %0, %1 : f64
      %4 = arith.divf %3, %2 : f64
      %5 = math.sqrt %4 : f64
      stencil.return %5 : f64
    }
    stencil.store %flux to %k(<[0, 0], [39, 69]>) : !temp to !field
    %r = stencil.apply(%x = %us : !temp, %f = %flux : !temp) -> (!temp)
        attributes {stencil.stage = "update"} {
      %0 = stencil.access %x[0, 0] : !temp
      %1 = stencil.access %f[-1, 0] : !temp
      %2 = stencil.access %f[0, -1] : !temp
      %3 = stencil.access %f[0, 0] : !temp
      %4 = arith.addf %1, %2 : f64
      %5 = arith.subf %4, %3 : f64
      %6 = arith.subf %5, %0 : f64
      stencil.return %6 : f64
    }
    stencil.store %r to %w(<[1, 1], [39, 69]>) : !temp to !field
    scf.yield %v, %w, %u : !field, !field, !field
  }
  return
}
