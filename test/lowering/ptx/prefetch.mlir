// LLVM selects its prefetch intrinsic for some targets and versions of PTX; elsewhere the same
// instruction is inline PTX, and kernels are the same otherwise.
//
// DEFINE: %{ptx} = stencilc compile %s --no-verification --emit=ptx -o -
// RUN: %{ptx} | FileCheck %s --check-prefixes=CHECK,SELECTED
// RUN: %{ptx} --target=sm_80 | FileCheck %s --check-prefixes=CHECK,INLINE
// RUN: %{ptx} --target=sm_89 | FileCheck %s --check-prefixes=CHECK,INLINE
// RUN: %{ptx} --target=sm_90 --ptx-version=7.8 | FileCheck %s --check-prefixes=CHECK,INLINE
// RUN: %if ptxas %{ stencilc compile %s --no-verification --target=sm_80 --emit=cubin -o %t.cubin %}
// RUN: stencilc run %s --target=sm_80 --on=emulator --verify | FileCheck %s --check-prefix=SAME
//
// A large kernel prefetches by default.
// RUN: stencilc compile %S/../../kernels/derivative.mlir --target=sm_80 --no-verification --emit=ptx -o - | FileCheck %s --check-prefix=LARGE
//
// CHECK: .entry ahead_stage0
// SELECTED-NOT: inline asm
// INLINE: begin inline asm
// CHECK: prefetch.global.L1 [%rd{{[0-9]+}}];
// LARGE: prefetch.global.L1
// CHECK: ld.global
// SAME: verified: bit-identical

!field = !stencil.field<[0,66]x[0,64]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @ahead(%u: !field, %v: !field) {
  %t = stencil.load %u : !field -> !temp
  %r = stencil.apply(%a = %t : !temp) -> (!temp)
      attributes {stencil.plan = #stencil.plan<{block_steps = 4 : i64, prefetch = 1 : i64}>} {
    %x = stencil.access %a[-1, 0] : !temp
    %y = stencil.access %a[1, 0] : !temp
    %s = arith.addf %x, %y : f64
    stencil.return %s : f64
  }
  stencil.store %r to %v(<[1, 0], [65, 64]>) : !temp to !field
  return
}
