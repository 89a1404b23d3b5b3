// A chip that nobody knows is an error, not a default, and so is one that does not run the target's code.
//
// RUN: not stencil-opt %s --stencil-select-plan='target=sm_90a chip=h10' 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not stencil-opt %s --stencil-select-plan='target=sm_90a chip=rtx4090' 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not stencil-opt %s --stencil-select-plan='target=sm_90a chip=name=x' 2>&1 | FileCheck %s --check-prefix=FACTS
// RUN: not stencil-opt %s --stencil-select-inlining='target=sm_90a chip=h10' 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not stencil-opt %s --stencil-plan-program='target=sm_90a chip=h10' 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not stencil-opt %s --stencil-select-merging='target=sm_90a chip=h10' 2>&1 | FileCheck %s --check-prefix=CHIP

// CHIP:  error: 'func.func' op chip 'h10' is unknown (did you mean 'h100'?); known chips are h200, h100, a100-80gb, a100-40gb, rtx4090, l40s, b200, or facts
// CHIP:  note: choose a known target and chip
// BOTH:  error: 'func.func' op target sm_90a and chip rtx4090 contradict each other: code for sm_90a does not run on NVIDIA GeForce RTX 4090, which is of sm_89; leave one of them out
// FACTS: error: 'func.func' op the facts of a chip lack 'target'; they are as in name=NVIDIA_L4,target=sm_89,
func.func @unknown_chip() {
  return
}
