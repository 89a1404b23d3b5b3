// A tuner measures plans, each verified, keeps them, and compilations take the fastest.
//
// RUN: rm -rf %t && mkdir -p %t/tmp
// DEFINE: %{device} = %emulated-driver TMPDIR=%t/tmp STENCIL_EMULATED_TARGET=sm_90a STENCIL_EMULATED_PACKAGES=%t
// DEFINE: %{program} = %S/../../kernels/heat3d.mlir --steps=4 --extents
// DEFINE: %{tune} = %{device} stencilc tune --store=%t/store.jsonl --keep-ir --repeat=3
//
// RUN: %{tune} %{program} 8,12,40 --measure=4 > %t/first.txt 2> %t/first.err
// RUN: cat %t/first.err %t/first.txt | FileCheck %s
// CHECK: {{^}}default {{ *[0-9.]+}} us, fastest so far{{$}}
// CHECK-NEXT: {{^}}  1 stage0 {{.*}} us, {{.*}}  stage0:mapping=thread
// CHECK: default {{.*}} us
// CHECK-NEXT: fastest {{.*}} times as fast; {{[2-5]}} plans measured, {{more would be measured with a larger --measure|no other is expected}}
// CHECK-NEXT: plan     stage0:mapping=thread,
// CHECK-NEXT: kept in {{.*}}store.jsonl; compile with --tuned={{.*}}store.jsonl
//
// Started again it goes on: what was measured is known.
// RUN: %{tune} %{program} 8,12,40 --measure=2 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: default {{.*}}, known before
// AGAIN: {{[012]}} plans measured
// RUN: wc -l < %t/store.jsonl | FileCheck %s --check-prefix=LINES
// LINES: {{^[3-7]$}}
//
// A search without a GPU, from what was measured.
// RUN: stencilc tune --target=sm_90a --store=%t/store.jsonl %{program} 8,12,40 --replay 2> /dev/null | FileCheck %s --check-prefix=REPLAY
// REPLAY: known    {{[3-7]}} plans, the fastest {{.*}} us: {{.*}} % of its speed found;
//
// A made-up time stands out: it is taken at its size, at others, and on other chips.
// RUN: %{tune} %{program} 8,12,40 --measure=0 --plan=points=2 > /dev/null 2>&1
// RUN: sed -n '2s/"median_us":[0-9.]*/"median_us":0.5/p' %t/store.jsonl > %t/fast.jsonl
// RUN: stencilc tuned %t/store.jsonl --add=%t/fast.jsonl 2>&1 | FileCheck %s --check-prefix=ADDED
// ADDED: 1 measurements added to
// ADDED-NEXT: heat3d 8x12x40, steps=4, emulated sm_90a, stencilc {{.*}}: 0.5 us by stage0:mapping=thread,
// RUN: stencilc compile --tuned=%t/store.jsonl %S/../../kernels/heat3d.mlir --extents=8,12,40 -o %t/same.spk 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: note: function 'heat3d': the fastest of {{.*}} plans measured on emulated sm_90a at this size
// SAME: plan      stage0:mapping=thread,max_registers=255,points=1x1x1,
// RUN: env STENCIL_TUNED=%t/store.jsonl stencilc compile %S/../../kernels/heat3d.mlir --extents=16,16,64 -o %t/other.spk 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: note: function 'heat3d': the fastest of {{.*}} plans measured on emulated sm_90a at 8x12x40
// OTHER: plan      stage0:mapping=thread,max_registers=255,points=1x1x1,
// RUN: stencilc run --on=emulator --verify --tuned=%t/store.jsonl %S/../../kernels/heat3d.mlir --extents=8,12,40 --steps=2 2>&1 | FileCheck %s --check-prefix=RAN
// RAN: note: function 'heat3d': the fastest of
// RAN: bit-identical
//
// A plan that is given wins, and a program that was not tuned is compiled as ever.
// RUN: stencilc compile --tuned=%t/store.jsonl --plan=points=2 %S/../../kernels/heat3d.mlir -o %t/given.spk 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: note: a plan is given: measurements of others are not looked up
// RUN: stencilc compile --tuned=%t/store.jsonl %S/../../kernels/laplace2d.mlir -o %t/laplace.spk 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: note: function 'laplace2d': nothing was measured of it
//
// For a machine without the compiler: packed here, measured there, taken back.
// RUN: %{tune} --target=sm_90a %{program} 8,8,40 --measure=3 --pack=%t/packed | FileCheck %s --check-prefix=PACK
// PACK: 4 plans in {{.*}}packed; on a machine with a GPU: stencil-run --tune {{.*}}packed
// RUN: cp -r %t/packed %t/cut && truncate -s 500 %t/cut/001.spk
// RUN: %{device} stencil-run --tune %t/cut --repeat=2 | FileCheck %s --check-prefix=CUT
// CUT: us, fastest so far  the default plan
// CUT-NEXT: no time: package '{{.*}}001.spk': it is truncated or not a kernel package
// CUT: 4 measured, 0 known before
// RUN: %{device} stencil-run --tune %t/packed --repeat=2 | FileCheck %s --check-prefix=THERE
// THERE: us, fastest so far  the default plan
// THERE: 4 measured, 0 known before; add {{.*}}results.jsonl to a file of 'stencilc tune' with 'stencilc tuned FILE --add'
// RUN: %{device} stencil-run --tune %t/packed --repeat=2 | FileCheck %s --check-prefix=DONE
// DONE: {{^}}0 measured, 4 known before;
// RUN: stencilc tuned %t/new.jsonl --add=%t/packed/results.jsonl | FileCheck %s --check-prefix=TAKEN
// TAKEN: heat3d 8x8x40, steps=4, emulated sm_90a, {{.*}}; 4 plans, 0 without a time
//
// The format of other tuners, there and back.
// RUN: stencilc tuned %t/new.jsonl --export=%t/t4.json
// RUN: FileCheck %s --check-prefix=T4 < %t/t4.json
// T4: "configuration": {
// T4: "{{loop|stage0}}:{{[a-z_]+}}": {{[0-9"]}}
// T4: "invalidity": "correct"
// T4: "schema_version": "1.0.0"
// RUN: stencilc tuned %t/back.jsonl --add=%t/t4.json > /dev/null 2>&1
// RUN: diff %t/new.jsonl %t/back.jsonl
// RUN: stencilc tune --target=sm_90a --store=%t/foreign.jsonl %{program} 8,8,40 --import=%S/Inputs/other-tuner.json 2>&1 | FileCheck %s --check-prefix=IMPORT
// IMPORT: note: 'points=64,threads=1024x1024' is left out: {{.*}}plan needs 1048576 threads per block
// IMPORT: 2 results added to
//
// The search of the hybrid circular queue: slots of a sweep that lie in registers.
// RUN: %{tune} %S/../../kernels/j2d5pt.mlir --extents=70,140 --steps=12 --space=queue --measure=2 --plan=mapping=warp,steps=2 2>&1 | FileCheck %s --check-prefix=QUEUE
// QUEUE: fastest
