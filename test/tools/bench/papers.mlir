// A paper's experiments are built with our plain kernels; a pipeline that is still to come is named.
//
// RUN: rm -rf %t
// RUN: bench paper queue --small -o %t 2>&1 | FileCheck %s
// CHECK: note: pipeline 'queue' is not part of this compiler yet; `plain` is
// CHECK: Fig. 9: speed over time steps
// CHECK: kernel {{.*}}paper: searched
// CHECK: j3d7pt
// CHECK: not here: 2d13pt
// CHECK: nothing is run here: copy
// RUN: ls %t/j3d7pt-f32-default.spk
//
// RUN: sh -c 'bench build -o %t/q --pipeline=queue; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=BUILD
// BUILD: error: pipeline 'queue' is not part of this compiler yet; `plain` is
// BUILD: code 2
// RUN: sh -c 'bench paper stencil; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: paper 'stencil' is unknown, known are reorder, stencilgen, regdem, queue
