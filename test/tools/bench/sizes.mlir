// Packages for every size are measured beside those for one, at the benchmark's size and at one whose rows are not aligned; all are held against the same plain kernels.
//
// RUN: rm -rf %t && mkdir %t
// RUN: bench build -o %t/d --small --run-time-sizes --kernels j2d5pt --types f64 --no-cuda --keep-ir | FileCheck %s --check-prefix=BUILD
// BUILD: 4 entries: 1 plain, 1 plain-run-time, 1 plain-run-time-unaligned, 1 plain-unaligned
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/d/j2d5pt-f64-plain-default.spk:%t/d/j2d5pt-f64-plain-unaligned-default.spk:%t/d/j2d5pt-f64-plain-run-time-default.spk bench-run %t/d --repeat 7 | FileCheck %s --check-prefix=MEASURED
// MEASURED-DAG: j2d5pt f64 plain default -
// MEASURED-DAG: j2d5pt f64 plain-run-time default -
// MEASURED-DAG: j2d5pt f64 plain-run-time-unaligned default -
// MEASURED: 4 measured, 0 failed, 0 known before, 0 left
// RUN: FileCheck %s --check-prefix=LINES < %t/d/results.jsonl
// LINES-DAG: "version":"plain-run-time","plan":"default",{{.*}}"size":[39,77],{{.*}}"verified":true,"comparison":"bit for bit"
// LINES-DAG: "version":"plain-run-time-unaligned","plan":"default",{{.*}}"size":[38,76],
//
// The emulator's times mean nothing: either exit code is right.
// RUN: sh -c 'bench sizes %t/d/results.jsonl; echo "code $?"' | FileCheck %s --check-prefix=TABLE
// TABLE: kernel  type  one size  every  ratio  unaligned: one  every  ratio  to aligned: one  every
// TABLE-NEXT: j2d5pt  f64
// TABLE: aligned rows: {{[0-9.]+}} of packages for one size on geometric average of 1, lowest {{[0-9.]+}}
// TABLE-NEXT: unaligned rows: {{[0-9.]+}} of packages for one size
// TABLE-NEXT: code {{[01]}}
//
// RUN: sh -c 'bench build -o %t/e --run-time-sizes --from idsl --kernels j2d5pt; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=IDSL
// IDSL: error: --run-time-sizes takes programs in MLIR only; leave out --from
// IDSL: code 2
