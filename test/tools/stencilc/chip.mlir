// Plans are made for a chip: the one that is named, the one that runs the program, or that of the target.
//
// DEFINE: %{explain} = stencilc explain %S/../../kernels/j3d27pt.mlir --extents 512,512,512
//
// The target follows from the chip.
// RUN: %{explain} --chip rtx4090 | FileCheck %s --check-prefix=GRAPHICS
// RUN: %{explain} --chip "NVIDIA GeForce RTX 4090" --target sm_89 | FileCheck %s --check-prefix=GRAPHICS
// GRAPHICS:      program {{.*}}, sm_89; times are predicted for NVIDIA GeForce RTX 4090
// GRAPHICS-NEXT: by its data sheet, and by what kernels reach on an NVIDIA H200
//
// Double precision is what a chip for graphics waits for.
// GRAPHICS:      estimate {{.*}} memory [[#]].[[#]] us, issue [[#]].[[#]] us, arithmetic [[#]].[[#]] us, {{.*}}; it waits for arithmetic
//
// On an H200, which was measured, it is memory, and nothing is said of where numbers come from.
// RUN: %{explain} --chip H200 | FileCheck %s --check-prefix=H200 --match-full-lines
// RUN: %{explain} | FileCheck %s --check-prefix=H200 --match-full-lines
// H200:       program {{.*}}, sm_90a; times are predicted for NVIDIA H200
// H200-EMPTY:
// H200:       estimate {{.*}} memory {{[0-9.]+}} us, issue {{[0-9.]+}} us, launch {{.*}}; it waits for memory
//
// Code of an older architecture runs on a newer chip.
// RUN: %{explain} --chip h100 --target sm_80 | FileCheck %s --check-prefix=OLDER
// OLDER:      program {{.*}}, sm_80; times are predicted for NVIDIA H100 80GB HBM3
// OLDER-NEXT: by its data sheet, and by what kernels reach on an NVIDIA H200
// OLDER-NEXT: the chip is of sm_90a: limits are sm_80's, times sm_90a's
//
// Facts are a chip, too.
// RUN: %{explain} --chip name=NVIDIA_L4,target=sm_89,multiprocessors=58,clock_mhz=2040,bandwidth_gb_per_s=300,l2_kib=49152 --json | FileCheck %s --check-prefix=FACTS
// FACTS: "name": "NVIDIA L4",
// FACTS-NEXT: "architecture": "sm_89",
// FACTS-NEXT: "is_of_target": true,
// FACTS-NEXT: "derived_from": "NVIDIA H200"
//
// Passes are told the chip, unless it is what the target stands for.
// RUN: stencilc compile %s --chip h100 --print-pipeline | FileCheck %s --check-prefix=TOLD
// RUN: stencilc compile %s --chip a100 --print-pipeline | FileCheck %s --check-prefix=UNTOLD
// RUN: stencilc compile %s --print-pipeline > %t.default
// RUN: stencilc compile %s --chip h200 --print-pipeline | diff - %t.default
// TOLD:   stencil-select-plan{target=sm_90a chip=h100}
// UNTOLD: stencil-select-plan{target=sm_80}
//
// A report says what its numbers rest on; that of a chip that was measured need not.
// RUN: stencilc compile %s --chip a100-40gb --emit=ptx,report -o %t.a100/ --report %t.json | FileCheck %s --check-prefix=REPORT
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: stencilc compile %s --emit=ptx,report -o %t.h200/ | FileCheck %s --check-prefix=MEASURED
// REPORT: chip      NVIDIA A100-SXM4-40GB, by its data sheet; what kernels reach of it is derived from measurements of NVIDIA H200
// REPORT: memory bounds it to {{[0-9.]+}} GPt/s on NVIDIA A100-SXM4-40GB, by its data sheet
// JSON:      "chip": {
// JSON-NEXT:   "name": "NVIDIA A100-SXM4-40GB",
// JSON-NEXT:   "chosen_by": "option",
// JSON-NEXT:   "derived_from": "NVIDIA H200"
// MEASURED-NOT: {{^}}chip
//
// So does the tuner, before it measures.
// RUN: rm -rf %t.pack %t.jsonl
// RUN: stencilc tune %s --chip h100 --measure 1 --store %t.jsonl --pack %t.pack 2>&1 | FileCheck %s --check-prefix=TUNE
// TUNE: note: chip: NVIDIA H100 80GB HBM3, by its data sheet; what kernels reach of it is derived from measurements of NVIDIA H200
//
// What runs a program is what its plans are for, by its name or by what its driver reports.
// DEFINE: %{device} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t
// RUN: rm -rf %t && mkdir %t && stencilc compile %s --chip l40s --keep-ir -o %t/l40s.spk
// RUN: %{device} STENCIL_EMULATED_CHIP=l40s stencilc run %s --on=gpu | FileCheck %s --check-prefix=NAMED
// RUN: %{device} STENCIL_EMULATED_CHIP=name=NVIDIA_L4,target=sm_89,multiprocessors=58,clock_mhz=2040,bandwidth_gb_per_s=300,l2_kib=49152 stencilc run %s --on=gpu | FileCheck %s --check-prefix=REPORTED
// RUN: %{device} STENCIL_EMULATED_TARGET=sm_89 stencilc run %s --on=gpu | FileCheck %s --check-prefix=NOBODY
// NAMED:    program {{.*}} sm_89
// NAMED:    chip      NVIDIA L40S, by its data sheet; what kernels reach of it is derived from measurements of NVIDIA H200
// REPORTED: chip      facts of NVIDIA L4 are derived from what its driver reports; what kernels reach of it is derived from measurements of NVIDIA H200
// NOBODY:   chip      nothing is known of this machine's; plans are made for NVIDIA GeForce RTX 4090
//
// What is compiled does not depend on the machine, unless it is asked for.
// RUN: %{device} STENCIL_EMULATED_CHIP=l40s stencilc compile %s --print-pipeline | diff - %t.default
// RUN: %{device} STENCIL_EMULATED_CHIP=l40s stencilc compile %s --chip native --print-pipeline | FileCheck %s --check-prefix=NATIVE
// RUN: %{device} STENCIL_EMULATED_CHIP=l40s stencilc compile %s --target native --print-pipeline | FileCheck %s --check-prefix=NATIVE
// NATIVE: stencil-select-plan{target=sm_89 chip=l40s}
//
// The doctor says which chip is assumed.
// RUN: %{device} STENCIL_EMULATED_CHIP=h100 stencilc doctor | FileCheck %s --check-prefix=DOCTOR
// RUN: %{device} STENCIL_EMULATED_TARGET=sm_80 stencilc doctor | FileCheck %s --check-prefix=UNKNOWN
// DOCTOR:  GPU        works  NVIDIA H100 80GB HBM3 (device 0, 9.0, {{[0-9]+}} GiB), target sm_90a, plans for NVIDIA H100 80GB HBM3, derived from its data sheet
// UNKNOWN: GPU        works  emulated sm_80 (device 0, 8.0, {{[0-9]+}} GiB), target sm_80; nothing is known of this machine's; plans are made for NVIDIA A100-SXM4-80GB
//
// RUN: sh -c 'stencilc compile %s --chip rtx490; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: error: chip 'rtx490' is unknown (did you mean 'rtx4090'?); known chips are h200, h100, a100-80gb, a100-40gb, rtx4090, l40s, b200, or facts, as in name=
// NEAR: code 1
// RUN: not stencilc explain %s --chip l40s --target sm_90a 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: target sm_90a and chip l40s contradict each other: code for sm_90a does not run on NVIDIA L40S, which is of sm_89; leave one of them out
func.func @one(%out: !stencil.field<[0,64]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %one = arith.constant 1.0 : f64
    stencil.return %one : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
