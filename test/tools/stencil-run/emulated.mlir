// A host gives the bits of the interpreter: launches, copies and scalars, in every width of numbers, whatever the device may choose.
//
// DEFINE: %{name} =
// DEFINE: %{source} = %s
// DEFINE: %{reading} = --arg steps=5
// DEFINE: %{type} =
// DEFINE: %{environment} =
// DEFINE: %{compile} = stencilc compile %{source} %{type} --keep-ir -o %t/%{name}.spk
// DEFINE: %{interpret} = stencilc run %{source} %{type} --on=interpreter %{reading} --seed=7 --out-dir %t/%{name}
// DEFINE: %{run} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t/%{name}.spk %{environment} stencil-run %t/%{name}.spk %{reading} --seed=7
// RUN: rm -rf %t && mkdir %t
//
// REDEFINE: %{name} = f64
// RUN: %{compile}
// RUN: %{interpret}
// RUN: %{run} --out-dir %t/out | FileCheck %s
// RUN: cmp %t/f64/u.npy %t/out/u.npy
// RUN: cmp %t/f64/v.npy %t/out/v.npy
// RUN: not cmp %t/out/u.npy %t/out/v.npy
//
// CHECK: device 0: emulated sm_90a, compute capability 9.0, driver CUDA 13.0
// CHECK: 5 launches
//
// What is done as late as allowed, and blocks in another order.
// REDEFINE: %{environment} = STENCIL_EMULATED_LAG=1
// RUN: %{run} --expect %t/f64
// RUN: %{run} --expect %t/f64 --time --repeat=2 --verify --selftest
// REDEFINE: %{environment} = STENCIL_EMULATED_ORDER=3 STENCIL_EMULATED_LAG=0
// RUN: %{run} --expect %t/f64 --time --repeat=2 --verify --selftest | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{environment} =
//
// VERIFIED-DAG: self-test: bit-identical with the interpreter
// VERIFIED-DAG: verified: bit-identical with plain kernels
//
// REDEFINE: %{name} = f32
// REDEFINE: %{type} = --element-type=f32
// RUN: %{compile}
// RUN: %{interpret}
// RUN: %{run} --expect %t/f32 --time --repeat=2 --verify --selftest
// The results of other numbers are others.
// RUN: not %{run} --expect %t/f64 2>&1 | FileCheck %s --check-prefix=OTHER
//
// OTHER: u.npy
//
// REDEFINE: %{name} = f16
// REDEFINE: %{source} = %S/../../kernels/blur2d-f16.mlir
// REDEFINE: %{reading} =
// REDEFINE: %{type} =
// RUN: %{compile}
// RUN: %{interpret}
// RUN: %{run} --expect %t/f16 --time --repeat=2 --verify --selftest
//
// Four kernels a step, and a temporary buffer.
// REDEFINE: %{name} = boundary
// REDEFINE: %{source} = %S/../../kernels/boundary2d.mlir
// RUN: %{compile}
// RUN: %{interpret}
// RUN: %{run} --expect %t/boundary --time --repeat=2 --verify --selftest

func.func @diffusion(%u: !stencil.field<[-1,17]x[-1,33]xf64>, %v: !stencil.field<[-1,17]x[-1,33]xf64>, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %zero to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-1,17]x[-1,33]xf64>, !stencil.field<[-1,17]x[-1,33]xf64>) {
    %old = stencil.load %now : !stencil.field<[-1,17]x[-1,33]xf64> -> !stencil.temp<?x?xf64>
    %new = stencil.apply(%t = %old : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
      %c = stencil.access %t[0, 0] : !stencil.temp<?x?xf64>
      %w = stencil.access %t[0, -1] : !stencil.temp<?x?xf64>
      %e = stencil.access %t[1, 0] : !stencil.temp<?x?xf64>
      %a = arith.constant 0.3 : f64
      %we = arith.addf %w, %e : f64
      %flow = arith.mulf %we, %a : f64
      %kept = arith.mulf %c, %a : f64
      %sum = arith.addf %kept, %flow : f64
      stencil.return %sum : f64
    }
    stencil.store %new to %next(<[0, 0], [16, 32]>) : !stencil.temp<?x?xf64> to !stencil.field<[-1,17]x[-1,33]xf64>
    scf.yield %next, %now : !stencil.field<[-1,17]x[-1,33]xf64>, !stencil.field<[-1,17]x[-1,33]xf64>
  }
  return
}
