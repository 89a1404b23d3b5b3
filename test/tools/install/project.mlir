// A project of somebody else finds the installed package, builds with it in C and in C++, and uses our definitions.
//
// RUN: rm -rf %t && %install %t/prefix | FileCheck %s --check-prefix=INSTALLED
// RUN: cmake -S %S/Inputs/project -B %t/build -G Ninja -DCMAKE_PREFIX_PATH=%t/prefix -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug > %t/configure.log
// RUN: cmake --build %t/build > %t/build.log
// RUN: %t/build/check-in-c | FileCheck %s --check-prefix=C
// RUN: %t/build/count-in-cxx %s | FileCheck %s
// RUN: FileCheck %s --input-file=%t/build/user.inc --check-prefix=DEFINED
//
// The installed tree works by itself, inside mlir-opt too.
// RUN: %t/prefix/bin/stencil-opt %s --stencil-infer-bounds | FileCheck %s --check-prefix=BOUNDS
// RUN: mlir-opt %s --load-dialect-plugin=%t/prefix/lib/libstencil_plugin.so --load-pass-plugin=%t/prefix/lib/libstencil_plugin.so --pass-pipeline='builtin.module(stencil-infer-bounds)' | FileCheck %s --check-prefix=BOUNDS
// RUN: %t/prefix/bin/stencil-translate --mlir-to-ptx %s | FileCheck %s --check-prefix=PTX
// RUN: %t/prefix/bin/stencilc run %s --on=emulator --verify
//
// Manuals, completions, pages, examples, and a CUDA driver for machines without a GPU.
// RUN: ls %t/prefix/share/man/man1 | FileCheck %s --check-prefix=MANUALS
// RUN: FileCheck %s --input-file=%t/prefix/share/man/man1/stencilc-run.1 --check-prefix=MANUAL
// RUN: FileCheck %s --input-file=%t/prefix/share/bash-completion/completions/stencilc --check-prefix=BASH
// RUN: FileCheck %s --input-file=%t/prefix/share/bash-completion/completions/stencil-opt --check-prefix=OPT
// RUN: ls %t/prefix/share/zsh/site-functions/_stencil-run %t/prefix/share/fish/vendor_completions.d/stencil-translate.fish
// RUN: ls %t/prefix/share/doc/stencil/tools/docs/language.md %t/prefix/share/doc/stencil/tools/examples/heat2d.idsl
// RUN: ls -L %t/prefix/lib/stencil/emulated/libcuda.so.1 %t/prefix/lib/stencil/emulated/libcuda.so
// MANUALS-DAG: {{^}}stencil-lsp-server.1
// MANUALS-DAG: {{^}}stencil-opt.1
// MANUALS-DAG: {{^}}stencil-run.1
// MANUALS-DAG: {{^}}stencil-translate.1
// MANUALS-DAG: {{^}}stencilc-compile.1
// MANUALS-DAG: {{^}}stencilc.1
// MANUAL: seed
// BASH: --print-signature
// OPT: --stencil-infer-bounds

// INSTALLED: installed under
// INSTALLED: find_package(Stencil)

// C: "test.values"() : () -> !stencil.temp<[-1,7]xf64>
// C: !stencil.field<[-2,6]x[0,4]xf32>

// DEFINED: class SumOp

// CHECK:  2 reads
// CHECK:  stencil.access
// BOUNDS: -> !stencil.temp<[-1,65]xf64>
// PTX:    .entry average_stage0
func.func @average(%in: !stencil.field<[-1,65]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %u = stencil.access %x[-1] : !stencil.temp<?xf64>
    %v = stencil.access %x[1] : !stencil.temp<?xf64>
    %s = arith.addf %u, %v : f64
    stencil.return %s : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
