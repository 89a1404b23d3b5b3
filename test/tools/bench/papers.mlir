// A paper's experiments are built with our plain kernels; a pipeline that is still to come is named.
//
// RUN: rm -rf %t
// RUN: bench paper regdem --small -o %t 2>&1 | FileCheck %s
// CHECK: note: pipeline 'regdem' is not part of this compiler yet; `plain` is
// CHECK: Fig. 6: speed relative to the base, by version
// CHECK: kernel {{.*}}paper: regdem
// CHECK: cheby
// CHECK: nothing is run here: copy
// RUN: ls %t/cheby-f64-plain-default.spk
//
// RUN: sh -c 'bench build -o %t/q --pipeline=regdem; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=BUILD
// BUILD: error: pipeline 'regdem' is not part of this compiler yet; `plain` is
// BUILD: code 2
// RUN: sh -c 'bench paper stencil; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: paper 'stencil' is unknown, known are reorder, stencilgen, regdem, queue
