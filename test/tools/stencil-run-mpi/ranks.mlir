// Processes that send each other planes give the bits of one device.
//
// REQUIRES: mpi
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --keep-ir -o %t/one.spk
// RUN: stencilc compile %s --devices=2 --steps-between-exchanges=2 --keep-ir --no-verification -o %t/two.spk
// RUN: stencilc compile %s --devices=3 --steps-between-exchanges=2 --keep-ir -o %t/three.spk
// RUN: stencilc compile %s --devices=4 --steps-between-exchanges=4 --keep-ir --no-verification -o %t/four.spk
// DEFINE: %{streams} = 1
// DEFINE: %{ranks} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t STENCIL_EMULATED_DEVICES=2 STENCIL_EMULATED_STREAMS=%{streams} mpirun -n
// DEFINE: %{run} = --arg steps=9 --seed=5
//
// One process runs what was compiled for one device, also without mpirun.
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t stencil-run-mpi %t/one.spk %{run} --out-dir %t/one --verify | FileCheck %s --check-prefix=ONE
//
// Arguments, files and checksums are those of the whole domain, and one process speaks.
// RUN: %{ranks} 3 stencil-run-mpi %t/three.spk --print-signature | FileCheck %s --check-prefix=SIGNATURE
// RUN: %{ranks} 3 stencil-run-mpi %t/three.spk %{run} --verify --selftest --report %t/report.json --out-dir %t/three --symbol dt=1 2>&1 | FileCheck %s
// RUN: cmp %t/one/u.npy %t/three/u.npy
// RUN: cmp %t/one/v.npy %t/three/v.npy
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t/report.json
// RUN: %{ranks} 2 stencil-run-mpi %t/two.spk %{run} --expect %t/one | FileCheck %s --check-prefix=TWO
//
// Each process reads its planes.
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t stencil-run %t/one.spk --in-dir %t/one --steps 6 --out-dir %t/later
// REDEFINE: %{streams} = 7
// RUN: %{ranks} 4 stencil-run-mpi %t/four.spk --in-dir %t/one --steps 6 --expect %t/later --time --repeat=2 --device=1 | FileCheck %s --check-prefix=FOUR
// RUN: not %{ranks} 2 stencil-run-mpi %t/two.spk --in-dir %t/one --steps 6 --expect %t/one 2>&1 | FileCheck %s --check-prefix=DIFFERS
//
// All read the same fields.
// RUN: not %{ranks} 1 stencil-run-mpi %t/two.spk --in-dir %t/one --steps 6 : -n 1 stencil-run-mpi %t/two.spk --steps 6 2>&1 | FileCheck %s --check-prefix=FIELDS
// FIELDS: error: on rank 1 of 2 {{.*}}: it has fields from no file, and rank 0 has 0={{.*}}/one/u.npy, 1={{.*}}/one/v.npy; all ranks are to be started alike
//
// ONE: run       function 'diffusion': {{[0-9]+}} launches
// ONE: verified: bit-identical with plain kernels
// SIGNATURE: function 'diffusion'
// SIGNATURE-NOT: function 'diffusion'
// SIGNATURE: devices: 3, which own 22, 21, 21 planes
// CHECK: note: symbol 'dt' is not used
// CHECK-NOT: note
// CHECK: device    0: emulated
// CHECK: run       function 'diffusion': 9 launches
// CHECK: shared    64 planes by 3 devices ([[M:[^:]+]]:0, [[M]]:1, [[M]]:0), each of which does this, halos of 1 planes
// CHECK: exchanges 4, every 2 time steps, 256 bytes in {{.*}} ms, 6 pairs of devices through the host
// CHECK: self-test: bit-identical
// CHECK: verified: bit-identical with plain kernels, 2 fields and 132 cells in 1 runs
// CHECK-NOT: verified
// JSON-DAG: {{^}}  "steps": 9,
// JSON-DAG: "exchanged_bytes": 256
// JSON-DAG: "through_host": 6
// JSON-DAG: "machines": [
// TWO: exchanges 4, every 2 time steps
// TWO: verified: bit-identical
// FOUR: shared    64 planes by 4 devices ([[M:[^:]+]]:1, [[M]]:1, [[M]]:1, [[M]]:1)
// FOUR: time      median
// FOUR: verified: bit-identical
// DIFFERS: error: {{.*}}the fields differ from those expected
// DIFFERS-NOT: the fields differ

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
