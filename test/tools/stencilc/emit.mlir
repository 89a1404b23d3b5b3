// Every level on the way to machine code can be written; each is what the one below was made from.
//
// RUN: stencilc compile %s --emit=stencil | FileCheck %s --check-prefix=STENCIL
// RUN: stencilc compile %s --emit=gpu -o - | FileCheck %s --check-prefix=GPU
// RUN: stencilc compile %s --emit=nvvm | FileCheck %s --check-prefix=NVVM
// RUN: stencilc compile %s --emit=llvm | FileCheck %s --check-prefix=LLVM
// RUN: stencilc compile %s --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: stencilc compile - --emit=ptx < %s | FileCheck %s --check-prefix=PTX
// RUN: stencilc compile %s --emit=report | FileCheck %s --check-prefix=REPORT
//
// What is printed compiles to the same: it is the program.
// RUN: stencilc compile %s --emit=stencil -o %t.stencil.mlir
// RUN: stencilc compile %t.stencil.mlir --emit=ptx -o %t.again.ptx
// RUN: stencilc compile %s --emit=ptx -o %t.once.ptx
// RUN: diff %t.once.ptx %t.again.ptx

// STENCIL: func.func @copy(
// STENCIL: stencil.load {{.*}} -> !stencil.temp<[0,64]xf64>
// STENCIL: stencil.stage = "stage0"
// STENCIL-NOT: gpu.module

// GPU: gpu.module @kernels
// GPU: gpu.func @copy_stage0
// GPU: func.func @copy({{.*}}memref<64xf64>
// GPU: gpu.launch_func @kernels::@copy_stage0

// NVVM: llvm.func @copy_stage0({{.*}}!llvm.ptr

// LLVM: define {{.*}}ptx_kernel void @copy_stage0(ptr

// PTX-NOT: program
// PTX: .target sm_90a
// PTX: .entry copy_stage0(
// PTX: ld.global.nc.b64
// PTX: add.rn.f64
// PTX: st.global.b64

// REPORT: program {{.*}}sm_90a
// REPORT: kernel {{ *}}copy_stage0
func.func @copy(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[0] : !stencil.temp<?xf64>
    %y = arith.addf %x, %x : f64
    stencil.return %y : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
