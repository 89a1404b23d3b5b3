// Why a time loop of several statements became a sweep: every plan that was compared, by unit, what
// each lost by, what does not fit, and what would have to be otherwise.
//
// DEFINE: %{maxwell} = %S/../../kernels/maxwell3d.mlir --extents 320,320,320
// RUN: stencilc explain %{maxwell} | FileCheck %s
// RUN: stencilc explain %{maxwell} --all --kernel loop | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: stencilc explain %{maxwell} --json | FileCheck %s --check-prefix=JSON
//
// CHECK:      program {{.*}}maxwell3d.mlir, sm_90a; times are predicted for NVIDIA H200
// CHECK:      loop loop in 'maxwell3d' at {{.*}}maxwell3d.mlir:24:3: 320x320x320 points
// CHECK-NEXT: chosen loop:{{.*}}mapping=block,{{.*}}steps=2,threads=1x8x32
// CHECK-NEXT: swept, 2 time steps of 'electric', 'magnetic' per sweep: [[CHOSEN:[0-9.]+]] us predicted for a step, [[APART:[0-9.]+]] us by itself (NVIDIA H200)
// CHECK-NEXT: compared 111 plans, of which 30 fit
// CHECK-NEXT: all sweeps have mapping=block,reads=queue,remainder=single
// CHECK-NEXT: us memory issue exchange redundancy fill launch busiest plan
// The time of the reason is that of the row.
// CHECK-NEXT: [[CHOSEN]] {{[0-9.]+ [0-9.]+ [0-9]+}} % {{[0-9.]+ [0-9.]+ [0-9.]+}} memory chosen loads=halo,points=1x4x1,ring=3,steps=2,threads=1x8x32
// ALL:        [[APART]] {{[0-9.]+ [0-9.]+}} 0 % 1.00 1.00 2.10 memory {{[0-9]+}} % slower: memory mapping=thread: a kernel for each statement
// ALL-NOT:    more
// CHECK:      excluded {{[0-9]+}} plan{{s?}}: {{[0-9].*}} bytes of shared memory per block, at most 232448
// ALL-NEXT:   loads=halo,points={{.*}},steps={{[0-9]}},threads={{.*}}: {{[0-9]+}}
// CHECK:      {{[0-9]+}} plan{{s?}}: {{[0-9].*}} registers per thread {{at once|for planes}}, at most {{[0-9]+}}
// CHECK:      change the next is {{[0-9]+}} % slower;
// CHECK-NEXT: loop:{{.*}}mapping=block,points={{.*}}
// CHECK-NEXT: {{[0-9]+}} % faster at {{[0-9.]+}} us if it could be, but it needs {{[0-9]+}} registers per thread for planes and may take {{[0-9]+}}: {{[0-9]+}} too many
// The statements are kernels for nothing else.
// CHECK:      remainder iterations that sweeps leave are made by electric, magnetic
// CHECK-NOT:  kernel
//
// JSON:       "target": "sm_90a"
// JSON:       "is_of_target": true
// JSON:       "name": "loop"
// JSON:       "is_chosen": true
// JSON:       "redundancy":
// JSON:       "change": "unit"
// JSON:       "change": "limit"
//
// Keys of a plan are shown beside what is tried by default, of which it is none.
// RUN: stencilc explain %{maxwell} --plan loop:max_registers=96 | FileCheck %s --check-prefix=GIVEN
// GIVEN:      chosen loop:{{.*}}max_registers=96
// GIVEN:      given: max_registers
// GIVEN:      chosen as given
//
// Times of chips that nobody measured are derived, and say so.
// RUN: stencilc explain %{maxwell} --target sm_80 --ptx-version 8.0 | FileCheck %s --check-prefix=OTHER
// OTHER:      program {{.*}}, sm_80; times are predicted for NVIDIA A100-SXM4-80GB
// OTHER-NEXT: by its data sheet, and by what kernels reach on an NVIDIA H200
//
// A loop that is kept: what its best sweep would have to take.
// RUN: stencilc explain %S/../../kernels/star25.mlir --element-type f32 --extents 256,256,256 --kernel loop | FileCheck %s --check-prefix=KEPT
// KEPT:       chosen a kernel for each statement
// KEPT-NEXT:  a time step is predicted to take [[SWEPT:[0-9.]+]] us as the best sweep of its statements (of one step), and [[APART:[0-9.]+]] us by itself (NVIDIA H200)
// KEPT:       [[APART]] {{.*}} chosen mapping=thread: a kernel for each statement
// KEPT-NEXT:  [[SWEPT]] {{.*}} % slower: fill
// KEPT:       change the best sweep, [[SWEPT]] us predicted, would have to take {{[0-9.]+}} us or less, 95 % of its statements by themselves
//
// What rules exclude was not compared.
// RUN: stencilc explain %S/../../kernels/acoustic-so4.mlir --kernel loop | FileCheck %s --check-prefix=SMALL
// SMALL:      no sweep: the domain has fewer than 64 planes or columns
// SMALL-NEXT: possible {{[0-9]+}} plans, which were not compared: --all shows what is predicted of them
