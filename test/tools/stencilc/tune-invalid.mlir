// What a tuner refuses, and what it leaves as it was.
//
// RUN: rm -rf %t && mkdir -p %t/tmp
// DEFINE: %{program} = %S/../../kernels/heat3d.mlir --extents=8,8,40
// DEFINE: %{device} = %emulated-driver TMPDIR=%t/tmp STENCIL_EMULATED_TARGET=sm_90a STENCIL_EMULATED_PACKAGES=%t/tmp
//
// Without a driver nothing is measured, and no empty store is taken for a result.
// RUN: not stencilc tune --target=sm_90a --store=%t/s.jsonl %{program} --steps=2 2>&1 | FileCheck %s --check-prefix=DRIVER
// DRIVER: error: {{.*}}driver
//
// Scalars must be given, before anything is measured.
// RUN: not stencilc tune --target=sm_90a --store=%t/s.jsonl %S/../../kernels/devito-diffusion2d.mlir 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: error: argument 2 'time_m', a scalar of index, has no value; set it with --symbol time_m=NUMBER
//
// RUN: echo 'measurements' > %t/foreign.jsonl
// RUN: not stencilc tune --target=sm_90a --store=%t/foreign.jsonl %{program} --steps=2 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: error: '{{.*}}foreign.jsonl', line 1: it is no measurement of 'stencilc tune'
// RUN: sh -c 'stencilc compile --tuned=%t/foreign.jsonl %{program} -o %t/a.spk; echo "code $?"' 2>&1 | FileCheck %s --check-prefixes=FOREIGN,PROGRAM
// PROGRAM: code 1
// RUN: echo measurements | diff - %t/foreign.jsonl
// RUN: sh -c 'stencilc compile --tuned=%t/missing.jsonl %{program} -o %t/a.spk; echo "code $?"' 2>&1 | FileCheck %s --check-prefixes=MISSING,SURROUNDINGS
// MISSING: error: '{{.*}}missing.jsonl' does not exist; 'stencilc tune' makes it
// RUN: sh -c 'stencilc compile --tuned=%t %{program} -o %t/a.spk; echo "code $?"' 2>&1 | FileCheck %s --check-prefixes=UNREADABLE,SURROUNDINGS
// UNREADABLE: error: '{{.*}}' cannot be read: {{.*}}directory
// SURROUNDINGS: code 2
// RUN: not stencilc tuned %t/missing.jsonl 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: '{{.*}}missing.jsonl' has no measurements; 'stencilc tune' makes some
// RUN: not ls %t/a.spk
//
// RUN: not stencilc tune --target=sm_90a --store=%t/s.jsonl %{program} --steps=2 --replay 2>&1 | FileCheck %s --check-prefix=REPLAY
// REPLAY: error: the store has no time of this function, size and run; measure some, or name another --store
//
// A kernel that fails ends the process that measures it; the next plan gets another one.
// RUN: %{device} STENCIL_EMULATED_FAULT=heat3d_stage0:3 stencilc tune --store=%t/faults.jsonl --keep-ir --repeat=2 %{program} --steps=2 --measure=3 > %t/out.txt 2>&1 || true
// RUN: FileCheck %s --check-prefix=FAULT < %t/out.txt
// FAULT: error: the default plan cannot be measured: {{.*}}heat3d_stage0
// RUN: FileCheck %s --check-prefix=KEPT < %t/faults.jsonl
// KEPT: "outcome":{"failed":{"step":"run","message":
//
// Folders of candidates.
// RUN: stencilc tune --target=sm_90a --store=%t/s.jsonl %{program} --steps=2 --measure=1 --pack=%t/packed
// RUN: not stencilc tune --target=sm_90a --store=%t/s.jsonl %{program} --steps=2 --measure=1 --pack=%t/packed 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: '{{.*}}packed' has candidates already; name another folder
// RUN: not stencil-run --tune %t 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: '{{.*}}tuning.json' cannot be read
// RUN: not stencil-run --tune %t/packed 2>&1 | FileCheck %s --check-prefix=DRIVER
// RUN: not stencilc tune --target=sm_90a %{program} --steps=2 --pack=%t/p --replay 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: the argument '--pack <DIR>' cannot be used with '--replay'
//
// RUN: not stencilc tune --target=sm_90a --store=%t/s.jsonl %{program} --steps=2 --import=%t/foreign.jsonl 2>&1 | FileCheck %s --check-prefix=IMPORT
// IMPORT: error: '{{.*}}foreign.jsonl': it is no JSON
