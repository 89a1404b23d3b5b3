// A paper's experiments are built with our plain kernels and with its system's pipeline.
//
// Hundreds of kernels are compiled: the nightly run does it.
//
// REQUIRES: nightly, ptxas
//
// RUN: rm -rf %t
// RUN: bench paper regdem --small --kernels 2d64pt --types f64 -o %t | FileCheck %s
// CHECK:      Table 1: registers and spills of what is demoted
// CHECK:      2d64pt {{ *}}f64 {{ *}}base {{ *}}{{.*}}schedule=source
// CHECK-NEXT: 2d64pt {{ *}}f64 {{ *}}local {{ *}}{{.*}}max_registers=
// CHECK-NEXT: 2d64pt {{ *}}f64 {{ *}}local-shared {{ *}}{{.*}}spills=shared
// Under a cap of those that spill some are demoted.
// CHECK-NEXT: 2d64pt {{ *}}f64 {{ *}}regdem {{ *}}demote={{[0-9]+}},demote_heuristic=accesses,demote_remat=none,demote_schedule=kept,demote_values=4,{{.*}}max_registers={{.*}} {{[0-9]+ *}}0 {{ *}}-
// CHECK:      Fig. 6: speed by version
// CHECK:      kernel {{.*}}paper: regdem {{.*}}ordered, demoted
// CHECK:      Fig. 7: speed with one option off, under a cap of 64 registers
// CHECK:      kernel {{.*}}all on {{.*}}bank conflicts {{.*}}redundant moves {{.*}}no loads ahead
// CHECK:      Fig. 8: speed by order of candidates, under a cap of 64 registers
// CHECK:      kernel {{.*}}accesses {{.*}}weighted {{.*}}conflicts
// CHECK:      nothing is run here: copy
// RUN: ls %t/2d64pt-f64-plain-mappingthread.spk
