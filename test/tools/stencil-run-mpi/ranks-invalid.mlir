// What is wrong on one rank ends all with one message, which names the rank and its machine.
//
// REQUIRES: mpi
// RUN: rm -rf %t && mkdir -p %t/empty
// RUN: stencilc compile %s --devices=2 --steps-between-exchanges=2 --no-verification --keep-ir -o %t/two.spk
// RUN: stencilc compile %s --devices=2 --steps-between-exchanges=4 --no-verification --keep-ir -o %t/other.spk
// DEFINE: %{mpirun} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t timeout 30 mpirun
// DEFINE: %{run} = stencil-run-mpi %t/two.spk --arg steps=9
//
// RUN: not %{mpirun} -n 3 %{run} 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not %emulated-driver STENCIL_EMULATED_PACKAGES=%t %{run} 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not %{mpirun} -n 1 %{run} : -n 1 stencil-run-mpi %t/other.spk --arg steps=9 2>&1 | FileCheck %s --check-prefix=PACKAGE
// RUN: not %{mpirun} -n 1 %{run} : -n 1 %{run} --seed=3 2>&1 | FileCheck %s --check-prefix=OPTIONS
// RUN: not %{mpirun} -n 1 %{run} : -n 1 stencil-run-mpi %t/two.spk --arg steps=8 2>&1 | FileCheck %s --check-prefix=SCALARS
// RUN: not %{mpirun} -n 1 %{run} : -n 1 env STENCIL_EMULATED_CHIP=h100 %{run} 2>&1 | FileCheck %s --check-prefix=UNLIKE
// RUN: not %{mpirun} -n 1 %{run} : -n 1 env LD_LIBRARY_PATH= %{run} 2>&1 | FileCheck %s --check-prefix=DRIVER
// RUN: not %{mpirun} -n 1 %{run} : -n 1 %{run} --device=1 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not %{mpirun} -n 1 %{run} : -n 1 env STENCIL_EMULATED_MEMORY=300 %{run} 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not %{mpirun} -n 1 %{run} : -n 1 env -C %t/empty stencil-run-mpi missing.spk 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not %{mpirun} -n 2 %{run} --every=2 --out-dir %t/every 2>&1 | FileCheck %s --check-prefix=EVERY
// RUN: not %{mpirun} -n 2 %{run} --steps 2>&1 | FileCheck %s --check-prefix=USAGE
// RUN: %{mpirun} -n 2 stencil-run-mpi --help | FileCheck %s --check-prefix=HELP
//
// Fields are read by each rank: here only the second lacks the file.
// RUN: %{mpirun} -n 2 %{run} --out-dir %t
// RUN: not %{mpirun} -n 1 env -C %t %{run} --arg u=u.npy : -n 1 env -C %t/empty %{run} --arg u=u.npy 2>&1 | FileCheck %s --check-prefix=FIELD
//
// What fails on the way, or is killed, ends the others.
// RUN: not %{mpirun} -n 1 %{run} : -n 1 env STENCIL_EMULATED_FAULT=diffusion_stage0:4 %{run} 2>&1 | FileCheck %s --check-prefix=FAULT
// RUN: not %{mpirun} -n 1 stencil-run-mpi %t/two.spk --arg steps=400000 : -n 1 timeout -s KILL 1 stencil-run-mpi %t/two.spk --arg steps=400000 2>&1 | FileCheck %s --check-prefix=KILLED
//
// COUNT: error: function 'diffusion' was compiled for 2 devices, which are as many ranks, 3 ranks were started; start as many, mpirun -n 2 stencil-run-mpi ..., or compile it with --devices=3
// COUNT-NOT: error:
// ALONE: error: function 'diffusion' was compiled for 2 devices, which are as many ranks, 1 rank was started; start as many, mpirun -n 2 stencil-run-mpi
// PACKAGE: error: on rank 1 of 2 (machine '{{.+}}'): it has a package with checksum {{[0-9a-f]+}}, and rank 0 has {{[0-9a-f]+}}; all ranks are to be started alike
// PACKAGE-NOT: error:
// OPTIONS: error: on rank 1 of 2 (machine '{{.+}}'): it has options function 'diffusion', {{.*}}seed 3{{.*}}, and rank 0 has function 'diffusion', {{.*}}seed 0
// SCALARS: error: on rank 1 of 2 (machine '{{.+}}'): it has scalars
// UNLIKE: error: on rank 1 of 2 (machine '{{.+}}'): its device is '{{.*}}H100{{.*}}', and that of rank 0 on '{{.+}}' is 'emulated sm_90a'; all windows of a domain are equal
// DRIVER: error: on rank 1 of 2 (machine '{{.+}}'): {{.*}}libcuda
// DRIVER-NOT: error:
// DEVICE: error: on rank 1 of 2 (machine '{{.+}}'): device 1 does not exist
// MEMORY: error: on rank 1 of 2 (machine '{{.+}}'): the program needs
// FILE: error: on rank 1 of 2 (machine '{{.+}}'): {{.*}}'missing.spk'
// EVERY: error: --every is about runs of one process; use stencil-run for it
// EVERY-NOT: error:
// USAGE: error: a value is required for '--steps <N>'
// USAGE-NOT: error:
// HELP: processes of MPI
// HELP: mpirun -n 8 stencil-run-mpi heat3d.spk
// HELP-NOT: processes of MPI
// FIELD: error: on rank 1 of 2 (machine '{{.+}}'): argument 0 'u': 'u.npy' cannot be read
// FAULT: error: on rank 1 of 2 (machine '{{.+}}'):
// KILLED: exited on signal 9

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
