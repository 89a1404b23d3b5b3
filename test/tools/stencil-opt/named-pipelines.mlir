// The ways from a program to each level have names, with options; the plugin has them in MLIR's own
// mlir-opt, too.
//
// DEFINE: %{options} = target=sm_80 plan=max_registers=96,stage0:points=2
// DEFINE: %{plugin} = --load-dialect-plugin=%plugin --load-pass-plugin=%plugin
// RUN: stencil-opt %s --stencil-to-gpu='%{options}' > %t.gpu.mlir
// RUN: FileCheck %s --input-file=%t.gpu.mlir
// RUN: mlir-opt %s %{plugin} --pass-pipeline='builtin.module(stencil-to-gpu{%{options}})' | diff - %t.gpu.mlir
// RUN: stencil-opt %s --stencil-to-frozen --stencil-to-sweeps='%{options}' | FileCheck %s --check-prefix=SWEEPS
// RUN: stencil-opt %s --stencil-to-nvvm='%{options}' > %t.nvvm.mlir
// RUN: FileCheck %s --check-prefix=NVVM --input-file=%t.nvvm.mlir
// RUN: stencil-opt %t.gpu.mlir --stencil-gpu-to-nvvm | diff - %t.nvvm.mlir
// RUN: stencil-opt %S/../../kernels/curl.mlir --stencil-pipeline-stencilgen='plan=mapping=block,threads=1x8x32,points=1x4x2' | FileCheck %s --check-prefix=FUSED --implicit-check-not=gpu.func
// RUN: not stencil-opt %s --stencil-to-gpu='plan=pints=2' 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: not stencil-opt %s --stencil-to-gpu='traget=sm_80' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: stencil-opt --help | FileCheck %s --check-prefix=HELP
//
// CHECK:  gpu.func @fill_stage0{{.*}} nvvm.maxnreg = 96
// SWEEPS: stencil.plan = #stencil.plan<{{.*}}max_registers = 96 : i64, points = array<i64: 2>
// NVVM:   llvm.func @fill_stage0
// FUSED:  gpu.func @curl_group
// KEY:    error: {{.*}}pints
// OPTION: no such option traget
// HELP:   --stencil-gpu-to-nvvm
// HELP:   --stencil-pipeline-stencilgen
// HELP:   --stencil-to-frozen
// HELP:   --stencil-to-gpu {{.*}}from a program to kernels and a host program in the gpu dialect
// HELP:     --plan=<string>

func.func @fill(%out: !stencil.field<[0,64]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
