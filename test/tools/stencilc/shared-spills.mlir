// A plan may ask for the assembler's own spills to shared memory, in a version of PTX that can say it.
//
// RUN: stencilc compile %S/../../kernels/heat3d.mlir --emit=ptx -o - \
// RUN:   --plan mapping=thread,max_registers=32,spills=shared | FileCheck %s
// CHECK:      .version 8.7
// CHECK:      .maxnreg 32
// CHECK-NEXT: {
// CHECK-NEXT: .pragma "enable_smem_spilling";
//
// RUN: sh -c 'stencilc compile %S/../../kernels/heat3d.mlir --emit=ptx -o - --ptx-version 8.6 \
// RUN:   --plan mapping=thread,spills=shared; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=OLD
// OLD:      error: plan key 'spills' is "shared", which PTX 8.6 does not support; take PTX 8.7 or later (--ptx-version), or leave it out
// OLD-NEXT: code 1
//
// RUN: sh -c 'stencilc compile %S/../../kernels/derivative.mlir --emit=ptx -o - \
// RUN:   --plan demote=20,spills=shared; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC:      error: plan key 'spills' is "shared", but kernel 'derivative_stage0' has dynamic shared memory, with which the assembler cannot spill there; leave 'spills' out
// DYNAMIC-NEXT: code 1

// A plan in the program says it as well, and names no version of PTX either.
// RUN: stencilc compile %s --emit=ptx -o - | FileCheck %s --check-prefix=OWN
// RUN: stencilc compile %s --emit=report -o - | FileCheck %s --check-prefix=REPORT
// RUN: sh -c 'stencilc compile %s --emit=ptx -o - --ptx-version 8.6; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=OLD
// OWN:    .version 8.7
// OWN:    .pragma "enable_smem_spilling";
// REPORT: with PTX 8.7
func.func @fill(%out: !stencil.field<[0,64]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<[0,64]xf64>)
      attributes {stencil.plan = #stencil.plan<{spills = "shared"}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<[0,64]xf64> to !stencil.field<[0,64]xf64>
  return
}
