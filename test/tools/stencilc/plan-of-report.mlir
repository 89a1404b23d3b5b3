// The plan that a report shows can be pasted back, and gives the same PTX.
//
// DEFINE: %{program} = heat3d
// DEFINE: %{size} =
// DEFINE: %{paste} = sh -c 'stencilc compile %S/../../kernels/%{program} %{size} --no-verification --emit=ptx,report -o %t/ --report=%t.json > %t.txt && plans=$(sed -n "s/^plan  *//p" %t.txt | paste -sd,) && stencilc compile %S/../../kernels/%{program} %{size} --no-verification --plan "$plans" --emit=ptx -o %t.again.ptx && cmp %t/*.ptx %t.again.ptx && echo "plan $plans"'
// RUN: rm -rf %t
// REDEFINE: %{program} = heat3d.mlir
// REDEFINE: %{size} = --extents=256,256,256
// RUN: %{paste} | FileCheck %s --check-prefix=SWEEP
// RUN: FileCheck %s --check-prefix=WHY --input-file=%t.txt
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: rm -rf %t
// REDEFINE: %{program} = denoise.mlir
// REDEFINE: %{size} =
// RUN: %{paste} | FileCheck %s --check-prefix=STAGES
//
// SWEEP: plan stage0:chunks=4,loads=ring,mapping=block,max_registers=255,points=1x3x2,ring=3,rotation=unroll,steps=2
// WHY:      plan      stage0:
// WHY-NEXT: {{^ +}}swept, 2 time steps per sweep: {{[0-9.]+}} us predicted for a step, {{[0-9.]+}} us by itself (NVIDIA H200; 256x256x256 points)
// JSON: "plan": "stage0:chunks=4
// JSON: "why": "swept, 2 time steps
// STAGES: plan {{.*}}mapping=thread{{.*}}:{{.*}}mapping=thread
