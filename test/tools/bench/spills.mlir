// Registers and spills come out as the baseline has them, and are held against published ones.
//
// REQUIRES: ptxas
//
// DEFINE: %{baseline} = %S/../../../tools/bench/baselines/spills-sm_90.jsonl
// RUN: bench spills --kernels 2d64pt,hypterm-ppopp --caps 32 --schedules trees -o %t.jsonl | FileCheck %s
// CHECK:      2d64pt {{ *}}trees {{.*}} met
// CHECK:      hypterm-ppopp {{ *}}trees-split-{{.*}} 32/468/568 {{ *}}met
// CHECK-NEXT: {{^$}}
// CHECK-NEXT: limits: reached; 0 of 2 cells above their limit, 0 if nothing is split;
//
// Every line is one of the baseline's.
// RUN: FileCheck %s --check-prefix=LINES < %t.jsonl
// LINES: {"kernel":"2d64pt","cap":32,"version":"trees","registers":{{[0-9]+}},"spill_store_bytes":0,"spill_load_bytes":0}
// LINES: {"kernel":"hypterm-ppopp","cap":32,"version":"trees","registers":32,"spill_store_bytes":{{[0-9]+}},
// RUN: not grep --invert-match --line-regexp --fixed-strings --file=%{baseline} %t.jsonl
//
// RUN: not bench spills --schedules tree 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: invalid value 'tree'
// WRONG: source, trees, both
