// A group of applies: what led to it, what it was compared with, and what cannot be one sweep.
//
// DEFINE: %{boundary} = %S/../../kernels/boundary2d.mlir --extents 8192,8192
// RUN: stencilc explain %{boundary} | FileCheck %s
// RUN: stencilc explain %{boundary} --kernel stage2 | FileCheck %s --check-prefix=PART
//
// CHECK:      fusion 'inside' at {{.*}}boundary2d.mlir:37:15 is one sweep with 'stage2'; the block is predicted to take {{.*}} us, and {{.*}} us apart
// CHECK-NEXT: no sweep {{.*}}boundary2d.mlir:20:12: the loop cannot be one sweep: it stores to 'v', or to those that rotate with it, twice
// CHECK:      group group in 'boundary2d' at {{.*}}: 8191x8191 points
// CHECK-NEXT: chosen group:{{.*}}mapping=warp
// CHECK-NEXT: swept, 'inside', 'stage2' at once: [[CHOSEN:[0-9.]+]] us predicted, [[APART:[0-9.]+]] us by themselves (NVIDIA H200); the block is predicted to take
// CHECK-NEXT: compared 9 plans, of which 9 fit
// CHECK:      [[CHOSEN]] {{.*}} memory chosen loads=prefetch,points=1x4{{$}}
// CHECK:      [[APART]] {{.*}} % slower: memory mapping=thread: a kernel for each statement
// CHECK:      change the next is {{[0-9]+}} % slower; as fast on a chip with issue {{[0-9]+}} % faster
// Its applies are no kernels.
// CHECK-NOT:  kernel stage2
// CHECK:      kernel wall in 'boundary2d'
//
// The name of an apply is that of the group.
// PART:       group group in 'boundary2d'
// PART-NOT:   kernel wall
