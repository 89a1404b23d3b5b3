// Stages of whole programs: which become one kernel, in which order, and why.
//
// DEFINE: %{pipeline} = builtin.module(func.func(stencil-infer-bounds,stencil-name-stages),test-print-fusion
// RUN: stencil-opt %S/../kernels/curl.mlir -o /dev/null --pass-pipeline='%{pipeline})' 2>&1 | FileCheck %s --check-prefix=CURL
// RUN: stencil-opt %S/../kernels/denoise.mlir -o /dev/null --pass-pipeline='%{pipeline})' 2>&1 | FileCheck %s --check-prefix=DENOISE
// RUN: stencil-opt %S/../kernels/hypterm.mlir -o /dev/null --pass-pipeline='%{pipeline})' 2>&1 | FileCheck %s --check-prefix=HYPTERM
// RUN: stencil-opt %S/../kernels/horizontal-diffusion.mlir -o /dev/null --pass-pipeline='%{pipeline})' 2>&1 | FileCheck %s --check-prefix=DIFFUSION
// RUN: stencil-opt %S/../kernels/horizontal-diffusion.mlir -o /dev/null --pass-pipeline='%{pipeline}{order=1})' 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: stencil-opt %S/../kernels/horizontal-diffusion.mlir -o /dev/null --pass-pipeline='%{pipeline}{axis=2})' 2>&1 | FileCheck %s --check-prefix=AXIS

// The second stage reads backward: no plane has to be waited for.
// CURL:      flow forward to backward: forward.0, 0 planes
// CURL:      fuse forward and backward: D_m=6 T_reg=4 T_shm=6 S_reg=3 S_shm=0, the only pair
// CURL-NEXT: greedy kernel forward+backward: keeps arg0[+0] shared, arg0[+1] register, arg1[+0] shared, arg1[+1] register, arg2[+0] shared, forward.0[-1] register, forward.0[+0] shared,

// Both stages read around their points in the field of values, a plane apart: two shared planes.
// DENOISE:      input conductance to update: [[VALUES:field[0-9]+]]
// DENOISE-NEXT: flow conductance to update: conductance, 1 planes
// DENOISE-NEXT: fuse conductance and update: D_m=3 T_reg=5 T_shm=3 S_reg=3 S_shm=0, the only pair
// DENOISE-NEXT: greedy kernel conductance+update: keeps [[VALUES]][-2] register, [[VALUES]][-1] shared, [[VALUES]][+0] shared, [[VALUES]][+1] register, conductance[-2] register, conductance[-1] shared, conductance[+0] register,

// One apply: derivatives of fourth order on each side keep eight planes and read the ninth across.
// HYPTERM:      order 4
// HYPTERM-NEXT: keeps arg0[-4] register, arg0[-3] register, arg0[-2] register, arg0[-1] register, arg0[+0] shared, arg0[+1] register,
// HYPTERM-NOT:  fuse{{ }}
// HYPTERM:      best kernel stage0:

// The Laplacian is read across by one flux, at planes by the other; the update waits for a plane.
// DIFFUSION:      fuse lap and fly: D_m=3 T_reg=3 T_shm=2 S_reg=1 S_shm=1, before lap and flx by rule b
// DIFFUSION-NEXT: fuse lap+fly and flx: D_m=3 T_reg=5 T_shm=2 S_reg=3 S_shm=0, before flx and update by rule b
// DIFFUSION-NEXT: fuse lap+flx+fly and update: D_m=5 T_reg=7 T_shm=3 S_reg=2 S_shm=0, the only pair
// DIFFUSION-NEXT: greedy kernel lap+flx+fly+update: keeps arg0[-1] register, arg0[+0] shared, arg0[+1] register, lap[-1] register, lap[+0] shared, flx[-2] register, flx[-1] register, fly[-1] shared, fly[+0] register, arg1[-1] register, arg2[-1] written
// DIFFUSION-NEXT: best kernel lap+flx+fly+update:

// Where no stage may compute a halo of a halo, the Laplacian is a kernel by itself.
// ORDER:      refuse lap and fly: {{.*}}, order 2, limit 1
// ORDER-NEXT: refuse lap and flx: {{.*}}, order 2, limit 1
// ORDER-NEXT: fuse fly and update: {{.*}}, before flx and update by rule b
// ORDER-NEXT: fuse flx and fly+update: {{.*}}, the only pair
// ORDER-NEXT: refuse lap and flx+fly+update: {{.*}}, order 2, limit 1
// ORDER:      best kernel lap:
// ORDER-NEXT: best kernel flx+fly+update:
// ORDER-NEXT: 0.0 % more

// Streamed along the dimension in which nothing is read beside the point: nothing waits.
// AXIS-NOT: , 1 planes
// AXIS:     greedy kernel lap+flx+fly+update:
