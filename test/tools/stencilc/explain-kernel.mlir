// A kernel: the facts that decided. No estimate tells its plans apart, so none is listed.
//
// RUN: stencilc explain %s | FileCheck %s
// RUN: stencilc explain %s --plan points=2,mapping=thread | FileCheck %s --check-prefix=GIVEN
//
// CHECK:      kernel stage0 in 'copy' at {{.*}}explain-kernel.mlir:[[@LINE+27]]:8: 4096 points
// CHECK-NEXT: chosen stage0:{{.*}}mapping=thread
// CHECK-NEXT: not swept: no sweep of a sum over a star of radius 0 in 1D, 64-bit outside of a loop was measured as faster; one point per thread
// CHECK-NEXT: estimate {{[0-9.]+}} us with mapping thread, whatever the plan: memory {{[0-9.]+}} us, issue {{[0-9.]+}} us, launch {{[0-9.]+}} us; it waits for {{memory|launch}}
// CHECK-NEXT: no estimate tells its plans apart; {{[0-9]+}} could be measured
// CHECK-NOT:  compared
//
// GIVEN:      chosen stage0:mapping=thread,{{.*}}points=2
// GIVEN-NEXT: `mapping` is given; {{.*}}; given: mapping, points
//
// Time steps that are weighed on a small domain have times; on a large one the plan is the one that
// is predicted to be fastest, also for a target whose blocks have less shared memory.
// RUN: stencilc explain %S/../../kernels/j2d5pt.mlir --extents 643,641 | FileCheck %s --check-prefix=SMALL
// RUN: stencilc explain %S/../../kernels/heat3d.mlir --extents 256,256,256 | FileCheck %s --check-prefix=LARGE
// RUN: stencilc explain %S/../../kernels/heat3d.mlir --extents 512,512,512 --target sm_89 | FileCheck %s --check-prefix=LARGE
// SMALL:      loop stage0 in 'j2d5pt'
// SMALL:      not swept: the domain is small
// SMALL-NEXT: compared a step of a sweep of 2 steps {{[0-9.]+}} us; by itself {{[0-9.]+}} us
// LARGE:      loop stage0 in 'heat3d'
// LARGE-NEXT: chosen stage0:{{.*}}mapping=block
// LARGE-NEXT: swept, 2 time steps per sweep: [[US:[0-9.]+]] us predicted for a step, {{[0-9.]+}} us by itself
// LARGE-NEXT: estimate {{[0-9.]+}} us with mapping thread, whatever the plan: {{.*}}
// LARGE-NEXT: no estimate tells these plans apart; {{[0-9]+}} could be measured
// LARGE-NEXT: compared {{[0-9]+}} plans, of which {{[0-9]+}} fit
// LARGE:      {{^ *}}[[US]] {{.*}} chosen
func.func @copy(%in: !stencil.field<[0,4096]xf64>, %out: !stencil.field<[0,4096]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,4096]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[0] : !stencil.temp<?xf64>
    %y = arith.addf %x, %x : f64
    stencil.return %y : f64
  }
  stencil.store %r to %out(<[0], [4096]>) : !stencil.temp<?xf64> to !stencil.field<[0,4096]xf64>
  return
}
