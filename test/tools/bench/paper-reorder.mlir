// The versions of statement reordering stand beside each other: spills of what is built, and speed where there are results.
//
// REQUIRES: ptxas
//
// RUN: rm -rf %t && mkdir %t
// RUN: bench paper reorder --small --kernels 3d27pt -o %t/d | FileCheck %s
// CHECK:      packages in '
// CHECK:      Table 1: kernels: size, order, FLOPs of a point, unrolling
// CHECK:      kernel  size         order  FLOPs/point  unrolled by
// CHECK-NEXT: 3d27pt  512x512x512      1           30            4
// CHECK-NOT:  Table 3
// CHECK:      Table 4: spills of one kernel
// CHECK:      kernel  type  version {{ *}}32: spill  32: GFLOP/s  48: spill {{.*}}255: spill  255: GFLOP/s
// CHECK-NEXT: 3d27pt  f64   original {{ *}}{{[0-9]+}} {{ *}}- {{.*}} 0 {{ *}}-{{$}}
// CHECK-NEXT: 3d27pt  f64   unrolled {{ *}}{{[0-9]+}} {{ *}}- {{.*}} 0 {{ *}}-{{$}}
// CHECK-NEXT: 3d27pt  f64   reordered, one kernel {{ *}}{{[0-9]+}} {{ *}}- {{.*}} 0 {{ *}}-{{$}}
// CHECK-NEXT: 3d27pt  f64   interleaved, one kernel {{ *}}{{[0-9]+}} {{ *}}- {{.*}} 0 {{ *}}-{{$}}
// CHECK:      Fig. 6: GFLOP/s of the best block and register cap
// CHECK:      plain GFLOP/s  original GFLOP/s  unrolled GFLOP/s  reordered GFLOP/s  interleaved GFLOP/s
// CHECK:      nothing is run here: copy
//
// Each version keeps its packages, though machine code of several may be the same.
// RUN: ls %t/d | FileCheck %s --check-prefix=PACKAGES
// PACKAGES-DAG: 3d27pt-f64-plain-mappingthread.spk
// PACKAGES-DAG: 3d27pt-f64-reorder-mappingthread-max_registers32-points1-schedulesource-splits1.spk
// PACKAGES-DAG: 3d27pt-f64-reorder-mappingthread-max_registers32-points4-schedulesource-splits1.spk
// PACKAGES-DAG: 3d27pt-f64-reorder-mappingthread-max_registers32-points4-schedulereorder-splits1.spk
// PACKAGES-DAG: 3d27pt-f64-reorder-mappingthread-max_registers32-points4-schedulereorder-interleave-splits1.spk
//
// A measurement of a reordered version, under the cap of 64 registers: it stands for the higher ones.
// RUN: grep -h '"kernel":"3d27pt","type":"f64","version":"plain","plan":"mapping=thread"' %S/../../../tools/bench/baselines/h200.jsonl > %t/plain.jsonl
// RUN: sed 's/"version":"plain","plan":"mapping=thread","cap":[0-9]*/"version":"reorder","plan":"mapping=thread,max_registers=64,points=4,schedule=reorder,splits=1","cap":64/' %t/plain.jsonl > %t/results.jsonl
// RUN: bench paper reorder --results %t/results.jsonl | FileCheck %s --check-prefix=RESULTS
// RESULTS:      Table 2: 3d125pt
// RESULTS:      3d125pt  f64   original {{ *}}- {{ *}}- {{ *}}- {{ *}}-{{$}}
// RESULTS:      Table 4:
// RESULTS:      3d27pt {{ *}}f64   unrolled {{[ -]*}}{{$}}
// RESULTS-NEXT: 3d27pt {{ *}}f64   reordered, one kernel {{ *}}- {{ *}}- {{ *}}- {{ *}}- {{ *}}0 {{ *}}[[SPEED:[0-9]+]] {{ *}}0 {{ *}}[[SPEED]] {{ *}}0 {{ *}}[[SPEED]]{{$}}
// RESULTS:      Fig. 6:
// RESULTS:      3d27pt {{ *}}f64 {{ *}}1 {{ *}}- {{ *}}- {{ *}}- {{ *}}- {{ *}}- {{ *}}- {{ *}}[[SPEED]] {{ *}}- {{ *}}mapping=thread,max_registers=64,points=4,schedule=reorder,splits=1
