// A roofline has every kernel where it is predicted to be, or on the roof where nothing is predicted.
//
// DEFINE: %{maxwell} = stencilc viz %S/../../kernels/maxwell3d.mlir --extents 256,256,256 --roofline
// RUN: %{maxwell} -o %t.svg
// RUN: FileCheck %s --check-prefix=SVG --input-file=%t.svg
// RUN: %{maxwell} | FileCheck %s --check-prefix=SVG
// RUN: %{maxwell} --format text | FileCheck %s --check-prefix=TEXT
// RUN: %{maxwell} --format text --kernel maxwell3d_electric | FileCheck %s --check-prefix=ONE
//
// SVG: <svg
// SVG: roofline of {{.*}}maxwell3d.mlir on NVIDIA H200 (sm_90a)
// SVG: f64 arithmetic, 33.5 TFLOP/s
// SVG: maxwell3d_loop, maxwell3d_loop_1: {{[0-9.]+}} GPt/s predicted, {{[0-9]+}} % of the bound
// SVG: maxwell3d_electric: {{[0-9.]+}} GPt/s predicted
// SVG: </svg>
//
// The roof is that of the chip.
// RUN: %{maxwell} --format text --chip rtx4090 | FileCheck %s --check-prefix=GRAPHICS
// GRAPHICS: roofline of {{.*}}maxwell3d.mlir on NVIDIA GeForce RTX 4090, derived from its data sheet (sm_89)
// GRAPHICS: roof f64 arithmetic: 1.3 TFLOP/s
// GRAPHICS: roof copies: 0.90 TB/s
//
// TEXT: roofline of {{.*}}maxwell3d.mlir on NVIDIA H200 (sm_90a)
// TEXT: |{{ +}}/{{-+}}
// TEXT: | {{.*}}A
// TEXT: FLOP/byte
// TEXT: roof f64 arithmetic: 33.5 TFLOP/s
// TEXT: roof copies: 4.28 TB/s
// 36 operations and 48 bytes: half of what a step by itself moves, as a sweep makes two.
// TEXT: A maxwell3d_loop, maxwell3d_loop_1: {{[0-9.]+}} GPt/s predicted, {{[0-9]+}} % of the bound; 0.75 FLOP/byte
// TEXT: B maxwell3d_electric: {{.*}}; 0.21 FLOP/byte
// ONE:     A maxwell3d_electric
// ONE-NOT: maxwell3d_loop
//
// Sweeps that were measured, and single steps by their mapping, have a bound alone; copies no place.
// RUN: stencilc viz %S/../../kernels/j3d7pt.mlir --extents 256,256,256 --roofline --format text | FileCheck %s --check-prefix=BOUND
// BOUND: A j3d7pt_stage0, j3d7pt_stage0_1: {{[0-9.]+}} GPt/s by memory, nothing predicted
// RUN: stencilc viz %S/../../kernels/gray-scott3d.mlir --roofline --format text | FileCheck %s --check-prefix=COPY
// COPY: gray_scott3d_u_z_low: {{.*}}; no arithmetic
