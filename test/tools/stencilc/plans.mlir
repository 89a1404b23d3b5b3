// The keys of plans are listed with their values; each has an entry, which says what goes with it.
//
// RUN: stencilc plans | FileCheck %s --check-prefix=LIST
// RUN: stencilc plans queue-registers | FileCheck %s --check-prefix=ENTRY
// RUN: stencilc plans --markdown | diff - %S/../../../passes/docs/generated/plan-keys.md
// RUN: not stencilc plans thread 2>&1 | FileCheck %s --check-prefix=SLIP
// RUN: not stencilc compile %s --plan points=2,vector=2,points=4 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not stencilc compile %S/../../kernels/heat3d.mlir --plan points=64x64x64 2>&1 | FileCheck %s --check-prefix=LARGE
//
// LIST:       alignment_offset  0 to 127
// LIST:       block_steps       1 to 4096
// LIST-NEXT:  {{^ +}}How often a block computes its points
// LIST:       loads             direct, prefetch, ring
// LIST:       threads           1 to 1024 for each dimension, as 1x4x32
// ENTRY:      queue_registers
// ENTRY-NEXT: Slots of the queue of planes that lie in registers, the rest in shared memory.
// ENTRY-NEXT: values: 0 to 255
// ENTRY-NEXT: default: all
// ENTRY-NEXT: mappings: warp, block
// ENTRY-NEXT: rule: `queue_registers` needs `storage=queue`.
// SLIP:       error: plan key 'thread' is unknown, did you mean 'threads'?
// TWICE:      plan key 'points' is written twice, as 2 and as 4; leave one
// LARGE:      error: 'stencil.apply' op plan key 'points' cannot be 64x64x64: a thread would compute 262144 points
