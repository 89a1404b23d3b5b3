// A kernel that fails is named, in a first run and in graphs, however late the driver tells; the exit code is 1 and no field is written.
//
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --keep-ir -o %t/p.spk
// DEFINE: %{environment} =
// DEFINE: %{options} =
// DEFINE: %{run} = sh -c '%emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk %{environment} stencil-run %t/p.spk --arg steps=4 --out-dir %t/out %{options}; echo "code $?"' 2>&1 | FileCheck %s
//
// CHECK: error: kernel 'diffusion_stage0': an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)
// CHECK: code 1
//
// REDEFINE: %{environment} = STENCIL_EMULATED_FAULT=diffusion_stage0:3
// RUN: %{run}
// REDEFINE: %{environment} = STENCIL_EMULATED_FAULT=diffusion_stage0:4 STENCIL_EMULATED_LAG=1
// RUN: %{run}
// REDEFINE: %{environment} = STENCIL_EMULATED_FAULT=diffusion_stage0:1 STENCIL_EMULATED_LAG=0
// RUN: %{run}
//
// In the first graph: four launches come before it.
// REDEFINE: %{options} = --time --repeat=2
// REDEFINE: %{environment} = STENCIL_EMULATED_FAULT=diffusion_stage0:6
// RUN: %{run}
// REDEFINE: %{environment} = STENCIL_EMULATED_FAULT=diffusion_stage0:6 STENCIL_EMULATED_LAG=1
// RUN: %{run}
// REDEFINE: %{environment} = STENCIL_EMULATED_FAULT=diffusion_stage0:6 STENCIL_EMULATED_LAG=0
// RUN: %{run}
// In the last of all runs, whose results would be compared and written.
// REDEFINE: %{environment} = STENCIL_EMULATED_FAULT=diffusion_stage0:16 STENCIL_EMULATED_LAG=1
// RUN: %{run}
//
// In a plain kernel, and in the self-test.
// REDEFINE: %{options} = --verify
// REDEFINE: %{environment} = STENCIL_EMULATED_FAULT=diffusion_stage0:2
// RUN: %{run}
// REDEFINE: %{options} = --selftest
// RUN: %{run}
//
// RUN: not ls %t/out

func.func @diffusion(%u: !stencil.field<[-1,65]xf64>, %v: !stencil.field<[-1,65]xf64>, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %zero to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-1,65]xf64>, !stencil.field<[-1,65]xf64>) {
    %old = stencil.load %now : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
    %new = stencil.apply(%t = %old : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %w = stencil.access %t[-1] : !stencil.temp<?xf64>
      %e = stencil.access %t[1] : !stencil.temp<?xf64>
      %a = arith.constant 0.25 : f64
      %sum = arith.addf %w, %e : f64
      %mean = arith.mulf %sum, %a : f64
      stencil.return %mean : f64
    }
    stencil.store %new to %next(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[-1,65]xf64>
    scf.yield %next, %now : !stencil.field<[-1,65]xf64>, !stencil.field<[-1,65]xf64>
  }
  return
}
