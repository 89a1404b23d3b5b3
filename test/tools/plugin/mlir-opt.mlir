// The plugin gives MLIR's own mlir-opt our dialects and passes; a program that has them refuses it.
//
// DEFINE: %{plugin} = --load-dialect-plugin=%plugin --load-pass-plugin=%plugin
// RUN: mlir-opt %s %{plugin} --pass-pipeline='builtin.module(stencil-infer-bounds)' | FileCheck %s
// RUN: mlir-opt %s %{plugin} --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-fold-divisions),canonicalize)' | FileCheck %s --check-prefixes=CHECK,FOLDED
// The whole way from a program to kernels in the NVVM dialect is passes.
// RUN: mlir-opt %s %{plugin} --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-freeze-arithmetic,stencil-name-stages,stencil-unify-applies,stencil-place-copies),stencil-select-plan{target=sm_90},convert-stencil-to-gpu-threads,gpu.module(convert-scf-to-cf,convert-arith-to-llvm,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=true}))' | FileCheck %s --check-prefix=KERNEL
// Verifiers that are Rust come with it, and so do options and their errors.
// RUN: not mlir-opt %s %{plugin} --pass-pipeline='builtin.module(stencil-select-plan{plan=pints=2})' 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: not mlir-opt %S/../../dialects/stencil/plan-invalid.mlir --split-input-file --load-dialect-plugin=%plugin 2>&1 | FileCheck %s --check-prefix=VERIFIED
// Without the dialect there is a syntax error; without the passes, no such pass.
// RUN: not mlir-opt %s --load-pass-plugin=%plugin 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: mlir-opt --load-dialect-plugin=%plugin --show-dialects | FileCheck %s --check-prefix=DIALECTS
//
// RUN: not stencil-opt %s --load-dialect-plugin=%plugin 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not stencil-opt %s --load-pass-plugin=%plugin 2>&1 | FileCheck %s --check-prefix=TWICE

// CHECK-LABEL: func.func @average
// CHECK:         stencil.load {{.*}} -> !stencil.temp<[-1,65]xf64>
// FOLDED:        arith.mulf
// KERNEL:        llvm.func @average_{{.*}}nvvm.kernel
// KEY:           error: {{.*}}pints
// VERIFIED:      error: {{.*}}plan
// NONE:          error: {{.*}}stencil
// DIALECTS:      stencil
// DIALECTS:      sweep
// TWICE:         error: the stencil plugin is not loaded: this program has {{(dialect|pass) '.*'}} already
// TWICE-NEXT:    note: leave --load-dialect-plugin and --load-pass-plugin of it out

func.func @average(%in: !stencil.field<[-1,65]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %u = stencil.access %x[-1] : !stencil.temp<?xf64>
    %v = stencil.access %x[1] : !stencil.temp<?xf64>
    %two = arith.constant 2.0 : f64
    %s = arith.addf %u, %v : f64
    %a = arith.divf %s, %two : f64
    stencil.return %a : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
