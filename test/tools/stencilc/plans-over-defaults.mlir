// Keys of --plan lie over what the compiler would choose, and what follows from them is chosen anew;
// only `mapping` starts afresh.
//
// DEFINE: %{program} = heat3d.mlir --extents=256,256,256
// DEFINE: %{plan} = stencilc compile %S/../../kernels/%{program} --no-verification --emit=gpu -o -
// RUN: %{plan} | FileCheck %s --check-prefix=CHOSEN
// RUN: %{plan} --plan max_registers=128 | FileCheck %s --check-prefix=CAP
// RUN: %{plan} --plan stage0:max_registers=128 | FileCheck %s --check-prefix=CAP
// RUN: %{plan} --plan mapping=thread | FileCheck %s --check-prefix=THREAD
// RUN: not %{plan} --plan points=8 2>&1 | FileCheck %s --check-prefix=POINTS
// RUN: not %{plan} --plan block_steps=4,vector=2 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: not %{plan} --plan step:points=2 2>&1 | FileCheck %s --check-prefix=NAME
//
// REDEFINE: %{program} = j2d5pt.mlir
// RUN: %{plan} --plan ring=3 | FileCheck %s --check-prefix=ROUND
// RUN: %{plan} --plan ring=4 | FileCheck %s --check-prefix=RING
// RUN: %{plan} --plan loads=direct | FileCheck %s --check-prefix=DIRECT
//
// CHOSEN: stencil.plan = {chunks = 4 : i64, loads = "ring", mapping = "block", max_registers = 255 : i64, points = array<i64: 1, 3, 2>, ring = 3 : i64, rotation = "unroll", steps = 2 : i64,
// More blocks fit, and they are asked for.
// CAP:    stencil.plan = {chunks = {{[0-9]+}} : i64, {{.*}}loads = "ring", mapping = "block", max_registers = 128 : i64, min_blocks = 2 : i64, points = array<i64: 1, 3, 2>
// With as many places as planes that are read, both come round together.
// ROUND:  loads = "ring", mapping = "warp", {{.*}}ring = 3 : i64, rotation = "unroll", steps = 2
// RING:   ring = 4 : i64, steps = 2
// DIRECT-NOT: ring =
// DIRECT: mapping = "warp", max_registers = 255 : i64, points = array<i64: 1, 4>, steps = 2
// THREAD: stencil.plan = {mapping = "thread", max_registers = 64 : i64, points = array<i64: 4, 1, 1>
// POINTS:       error: {{.*}} plan key 'points' cannot be 8: the slowest dimension is streamed: one point along it
// POINTS:       note: the compiler chooses mapping "block" for this kernel, and keys lie over that; change them, or write mapping = "thread" too
// STEPS:        error: {{.*}} the plan is wrong for 2 reasons: (1) plan key 'block_steps' has no effect with mapping "block", only with thread; (2) plan key 'vector' has no effect with mapping "block", only with thread
// STEPS:        note: the compiler chooses mapping "block" for this kernel
// NAME:         error: {{.*}} has keys for 'step', which is no kernel
// NAME:    note: the kernels are stage0
