// The statement of this loop would be a kernel of its own by default: a plan that names the loop is
// for the sweep of the loop all the same. It was refused, as if there was no such kernel.
//
// RUN: stencilc compile %S/../kernels/star25.mlir --element-type f32 --extents 512,512,512 --steps 36 --plan loop:mapping=block,loop:loads=halo,loop:threads=1x8x32,loop:points=1x4x2,loop:ring=3 --emit=ptx -o %t.ptx | FileCheck %s
// RUN: stencilc compile %S/../kernels/star25.mlir --element-type f32 --extents 512,512,512 --steps 36 --emit=ptx -o %t.ptx | FileCheck %s --check-prefix=DEFAULT
//
// CHECK:       kernel star25_loop
// CHECK:       plan loop:{{.*}}loads=halo
// DEFAULT-NOT: star25_loop
// DEFAULT:     plan stage0:{{.*}}mapping=thread
