// What leaves at the gpu level is read by MLIR's own mlir-opt, which knows no dialect of ours, and by
// stencilc, which makes the same PTX and package code of it; so do the passes that it prints.
//
// DEFINE: %{kernel} = heat3d
// DEFINE: %{arguments} =
// DEFINE: %{make} = stencilc compile %S/../../kernels/%{kernel}.mlir %{arguments} --no-verification --emit=gpu,ptx -o %t/ > %t.txt
// DEFINE: %{stock} = mlir-opt %t/%{kernel}.gpu.mlir -o %t/stock.gpu.mlir
// DEFINE: %{again} = stencilc compile %t/stock.gpu.mlir --emit=ptx -o %t/again.ptx
// DEFINE: %{passes} = sh -c 'stencil-opt %t/start.mlir --pass-pipeline="$(stencilc compile %S/../../kernels/%{kernel}.mlir %{arguments} --emit=gpu --print-pipeline)" -o %t/passes.gpu.mlir'
// RUN: rm -rf %t && %{make} && %{stock} && %{again} && cmp %t/heat3d.ptx %t/again.ptx
// RUN: not grep "#stencil" %t/heat3d.gpu.mlir
// RUN: stencilc compile %t/stock.gpu.mlir --emit=package,report -o %t/ | FileCheck %s --check-prefix=REPORT
//
// The passes start from what is read; names of arguments are the reader's.
// DEFINE: %{start} = stencilc compile %S/../../kernels/%{kernel}.mlir --emit=stencil -o %t/start.mlir
// RUN: %{start} && stencilc compile %t/start.mlir --emit=gpu -o %t/direct.gpu.mlir
// Arguments keep the names that they have been given, whatever they are called where they are printed.
// RUN: stencilc compile %t/start.mlir --emit=stencil -o - | FileCheck %s --check-prefix=NAMES
// NAMES: stencil.name = "u"
// RUN: %{passes} && stencil-opt %t/direct.gpu.mlir | cmp - %t/passes.gpu.mlir
// REDEFINE: %{arguments} = --target sm_80 --element-type=f32 --plan max_registers=128,steps=2
// RUN: stencilc compile %t/start.mlir %{arguments} --emit=gpu -o %t/direct.gpu.mlir
// RUN: %{passes} && stencil-opt %t/direct.gpu.mlir | cmp - %t/passes.gpu.mlir
//
// A kernel of demoted registers, and a host program with several kernels.
// REDEFINE: %{kernel} = denoise
// REDEFINE: %{arguments} = --plan mapping=thread,demote=4
// RUN: %{make} && %{stock} && %{again} && cmp %t/denoise.ptx %t/again.ptx
//
// What is decided above kernels comes too late for them.
// RUN: not stencilc compile %t/heat3d.gpu.mlir --plan points=2 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: not stencilc compile %t/heat3d.gpu.mlir --emit=stencil 2>&1 | FileCheck %s --check-prefix=ABOVE
// RUN: not stencilc compile %t/heat3d.gpu.mlir --print-pipeline 2>&1 | FileCheck %s --check-prefix=PASSES
//
// REPORT: kernel    heat3d_stage0: stage stage0
// REPORT: plan      stage0:mapping=thread,
// PLAN:   error: '{{.*}}heat3d.gpu.mlir' holds kernels already, --plan does not change them; give it where they are made
// ABOVE:  error: '{{.*}}heat3d.gpu.mlir' holds kernels, a level after --emit=stencil; give the program that they were made from
// PASSES: error: '{{.*}}heat3d.gpu.mlir' holds kernels already, --print-pipeline does not change them
