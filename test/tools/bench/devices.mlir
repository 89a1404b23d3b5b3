// Reports of stencil-run on one device and on two become lines, which a table shows and every later reading checks.
//
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{compile} = stencilc compile %S/../../kernels/j2d5pt.mlir --element-type=f32 --keep-ir
// RUN: %{compile} --extents=60,48 -o %t/one.spk
// RUN: %{compile} --extents=60,48 --devices=2 -o %t/strong.spk
// RUN: %{compile} --extents=120,48 --devices=2 -o %t/weak.spk
// DEFINE: %{run} = %emulated-driver STENCIL_EMULATED_DEVICES=2 STENCIL_EMULATED_PACKAGES=%t/one.spk:%t/strong.spk:%t/weak.spk stencil-run --seed=1 --verify --time --repeat=7 --warm-up=0
// RUN: %{run} %t/one.spk --steps=96 --report=%t/one.json
// RUN: %{run} %t/strong.spk --steps=96 --devices=0,1 --report=%t/strong.json
// RUN: %{run} %t/weak.spk --steps=96 --devices=0,1 --report=%t/weak.json
// RUN: FileCheck %s --check-prefix=TIMELINE < %t/weak.json
// TIMELINE: "hidden": {{[0-9.]+}}
// TIMELINE: "timeline": [
// TIMELINE: "computed_s": {{[0-9.e-]+}},
// TIMELINE-NEXT: "copies_s": [
// TIMELINE: "waited_s": [
// TIMELINE: "joined_s": {{[0-9.e-]+}}
// RUN: bench devices %t/lines.jsonl --pair %t/one.json %t/strong.json
// RUN: bench devices %t/lines.jsonl --pair %t/one.json %t/weak.json | FileCheck %s
// CHECK: program  type  scaling  devices  planes  plane  T  between  one ms
// CHECK-NEXT: j2d5pt   f32   weak           2  60, 120     50
// CHECK-NEXT: j2d5pt   f32   strong         2       60     50
// CHECK-NEXT: weak: {{[0-9.]+}} % on geometric average of 1
// CHECK-NEXT: strong: {{[0-9.]+}} % on geometric average of 1
// RUN: FileCheck %s --check-prefix=LINES < %t/lines.jsonl
// LINES: {"program":"j2d5pt","type":"f32","devices":2,"planes":[60,60],"plane_cells":[50],"steps":96,
// LINES-NEXT: {"program":"j2d5pt","type":"f32","devices":2,"planes":[60,120],{{.*}}"hidden":{{[0-9.e-]+}},{{.*}}"verified":true,"direct":2,"through_host":0,
//
// A number that the samples do not give.
// RUN: sed 's/"efficiency":[0-9.]*/"efficiency":7/' %t/lines.jsonl > %t/wrong.jsonl
// RUN: sh -c 'bench devices %t/wrong.jsonl; echo "code $?"' | FileCheck %s --check-prefix=WRONG
// WRONG: wrong.jsonl: line 1: efficiency is 7, the samples give
// WRONG: code 1
//
// Reports that make no line leave the file as it is.
// RUN: %{run} %t/weak.spk --steps=12 --devices=0,1 --report=%t/other.json
// RUN: sh -c 'bench devices %t/lines.jsonl --pair %t/one.json %t/other.json; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: one.json' is of 96 time steps, '{{.*}}other.json' is of 12 time steps
// OTHER: code 2
// RUN: sh -c 'bench devices %t/lines.jsonl --pair %t/weak.json %t/one.json; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: weak.json' is of several devices; the first report is of one
// ORDER: code 2
// RUN: bench devices %t/lines.jsonl --markdown | FileCheck %s --check-prefix=MARKDOWN
// MARKDOWN: | program | type | scaling |
// MARKDOWN-NEXT: | --- | --- | --- | ---: |
// MARKDOWN-COUNT-2: | j2d5pt | f32 |
//
// The lines that the repository keeps hold.
// RUN: bench devices %S/../../../tools/bench/baselines/h200-x2.jsonl | FileCheck %s --check-prefix=BASELINE
// BASELINE: weak: {{[0-9.]+}} % on geometric average of 12
// BASELINE-NEXT: strong: {{[0-9.]+}} % on geometric average of 19
