// Packages are built, held against their plain kernels and measured; an existing file of results is appended to; what differs is a failure, and a fault ends one package only.
//
// RUN: rm -rf %t && mkdir %t
// RUN: bench build -o %t/d --small --kernels heat,j2d5pt --types f64 --keep-ir | FileCheck %s --check-prefix=BUILD
// BUILD: 8 entries: 6 nvcc, 2 plain
// DEFINE: %{more} =
// DEFINE: %{packages} = STENCIL_EMULATED_PACKAGES=%t/d/heat-f64-plain-default.spk:%t/d/j2d5pt-f64-plain-default.spk
// DEFINE: %{run} = sh -c '%emulated-driver %{packages} %{more}; echo "code $?"' 2>&1
//
// REDEFINE: %{more} = bench-run %t/d --filter=plain
// RUN: %{run} | FileCheck %s --check-prefix=FIRST
// FIRST-DAG: heat f64 plain default: {{[0-9.]+}} GPt/s
// FIRST-DAG: j2d5pt f64 plain default: {{[0-9.]+}} GPt/s
// FIRST: 2 measured, 0 failed, 0 known before, 0 left
// FIRST: code 0
// RUN: FileCheck %s --check-prefix=LINES < %t/d/results.jsonl
// LINES-DAG: {"kernel":"heat","type":"f64","version":"plain","plan":"default",{{.*}}"verified":true,"comparison":"bit for bit"
// LINES-DAG: {"kernel":"j2d5pt","type":"f64","version":"plain",{{.*}}"size":[39,77],"steps":4,"points":11100,
//
// RUN: %{run} | FileCheck %s --check-prefix=AGAIN
// AGAIN-NOT: registers{{$}}
// AGAIN: 0 measured, 0 failed, 2 known before, 0 left
//
// A baseline has the papers' sizes. The same file is as fast as itself.
// RUN: sh -c 'bench check %t/d/results.jsonl; echo "code $?"' | FileCheck %s --check-prefix=CHECK
// CHECK: line 1: size is {{.*}}, it is
// CHECK: 2 lines, 2 refused
// CHECK: code 1
// RUN: touch %t/empty.jsonl
// RUN: not bench check %t/empty.jsonl | FileCheck %s --check-prefix=EMPTY
// EMPTY: empty.jsonl: nothing was measured
// RUN: not bench compare %t/empty.jsonl %t/d/results.jsonl 2>&1 | FileCheck %s --check-prefix=COMMON
// COMMON: the files have no result in common: compare runs of the same kernels and plans
// RUN: bench compare %t/d/results.jsonl %t/d/results.jsonl | FileCheck %s --check-prefix=SAME
// SAME: 2 compared: 0 slower, 0 faster, 2 the same within noise; 1.000x on geometric average
//
// A package whose kernels compute something else, under a digest that holds.
// RUN: alter-package %t/d/heat-f64-plain-default.spk %t/wrong.spk --change=constant --part=code
// RUN: sh -c 'sed -i "s/$(sha256sum < %t/d/heat-f64-plain-default.spk | head -c 64)/$(sha256sum < %t/wrong.spk | head -c 64)/" %t/d/index.json'
// RUN: cp %t/wrong.spk %t/d/heat-f64-plain-default.spk
// RUN: %{run} | FileCheck %s --check-prefix=WRONG
// WRONG: heat-f64-plain-default: the fields differ from those of the plain kernels: {{.*}}cells differ
// WRONG: 0 measured, 1 failed, 1 known before
// WRONG: code 1
// RUN: FileCheck %s --check-prefix=FAILURE < %t/d/results.jsonl
// FAILURE: {"kernel":"heat",{{.*}}"error":"the fields differ
//
// A kernel that fails takes its context with it; the package after it is measured all the same.
// REDEFINE: %{more} = STENCIL_EMULATED_FAULT=heat_stage0:2 bench-run %t/d --filter=plain --again --time-limit 600
// RUN: %{run} | FileCheck %s --check-prefix=FAULT
// FAULT-DAG: heat-f64-plain-default: kernel 'heat_stage0': {{.*}}ILLEGAL_ADDRESS
// FAULT-DAG: j2d5pt f64 plain default: {{[0-9.]+}} GPt/s
// FAULT: 1 measured, 0 failed, 1 known before
// FAULT: code 1
//
// REDEFINE: %{more} = bench-run %t/d --filter=plain --time-limit 0 --out %t/none.jsonl
// RUN: %{run} | FileCheck %s --check-prefix=NONE
// NONE: 0 measured, 0 failed, 0 known before, 2 left
//
// RUN: cp %t/wrong.spk %t/d/j2d5pt-f64-plain-default.spk
// REDEFINE: %{more} = bench-run %t/d --filter=j2d5pt-f64-plain --again --out %t/changed.jsonl
// RUN: %{run} | FileCheck %s --check-prefix=CHANGED
// CHANGED: j2d5pt-f64-plain-default: package 'j2d5pt-f64-plain-default.spk' is not the one that was built
//
// REDEFINE: %{more} = bench-run %t/nothing
// RUN: %{run} | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: '{{.*}}index.json' cannot be read: {{.*}}; `bench build -o` makes such a folder
// NOTHING: code 2
