// What LLVM cannot make code for ends as every failure of ours does: with its reason, the program in
// a file, and exit code 70. Programs are refused before; kernels in the LLVM dialect are not looked
// at.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: python3 -c "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]) != 70)" stencil-translate --mlir-to-ptx %s 2> %t/error.txt
// RUN: FileCheck %s --input-file=%t/error.txt
// RUN: cat %t/stencil-crash-*.mlir | FileCheck %s --check-prefix=KEPT

// CHECK: error: internal error: LLVM: {{.*}}library call
// CHECK: note: this is a bug of the compiler; please report it with '{{.*}}stencil-crash-{{.*}}.mlir'
// KEPT: // internal error: LLVM:
// KEPT: command: {{.*}}stencil-translate --mlir-to-ptx
// KEPT: llvm.func @quotient
gpu.module @kernels {
  llvm.func @quotient(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %a = llvm.load %p : !llvm.ptr -> f80
    %b = llvm.fdiv %a, %a : f80
    llvm.store %b, %p : f80, !llvm.ptr
    llvm.return
  }
}
