// The default plan is measured beside those that are predicted to be fastest, at the benchmark's size and at a part of it; each line has its predicted time.
//
// RUN: rm -rf %t && mkdir %t
// RUN: bench build -o %t/d --small --plans predicted=2 --divide 1,2 --steps 48 --kernels j2d5pt --types f64 --no-cuda --keep-ir | FileCheck %s --check-prefix=BUILD
// BUILD: 6 entries: 3 plain, 3 plain-by-2
// RUN: FileCheck %s --check-prefix=INDEX < %t/d/index.json
// INDEX: "plan": "default",
// INDEX: "predicted_ms": 0.0
// INDEX: "version": "plain-by-2",
// INDEX: "size": [
// INDEX-NEXT: 19,
// INDEX-NEXT: 38
//
// RUN: sh -c 'ls %t/d/*.spk | paste -sd: > %t/packages'
// RUN: sh -c '%emulated-driver STENCIL_EMULATED_PACKAGES=$(cat %t/packages) bench-run %t/d --repeat 7' | FileCheck %s --check-prefix=MEASURED
// MEASURED: 6 measured, 0 failed, 0 known before, 0 left
// RUN: FileCheck %s --check-prefix=LINES < %t/d/results.jsonl
// LINES-COUNT-6: "steps":{{(4[89]|[5-9][0-9])}},{{.*}}"verified":true,"comparison":"bit for bit",{{.*}}"predicted_ms":0.0
//
// The emulator's times mean nothing: either exit code is right.
// RUN: sh -c 'bench defaults %t/d/results.jsonl; echo "code $?"' | FileCheck %s --check-prefix=TABLE
// TABLE: kernel  type  size   fastest plan  default  fastest  share  predicted/measured  plans
// TABLE-NEXT: j2d5pt  f64   19x38
// TABLE-NEXT: j2d5pt  f64   39x77
// TABLE: default plans: {{[0-9.]+}} of the fastest in the median of 2, lowest {{[0-9.]+}}
// TABLE-NEXT: predictions: {{[0-9.]+}} % off in the median of 6
// TABLE-NEXT: code {{[01]}}
//
// RUN: sh -c 'bench build -o %t/e --plans predicted=none --kernels j2d5pt; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: plans 'predicted=none': write predicted=5 for the five that are predicted to be fastest
// COUNT: code 2
//
// A program with a table of a value for each time step makes as many as the benchmark.
// RUN: bench build -o %t/f --small --steps 24 --kernels acoustic-so8 --types f32 --no-cuda
// RUN: FileCheck %s --check-prefix=TABLED < %t/f/index.json
// TABLED: "steps": 7,
