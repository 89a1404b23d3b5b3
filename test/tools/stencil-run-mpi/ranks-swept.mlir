// Sweeps compute what needs no message while messages travel, and give the bits of one device.
//
// REQUIRES: mpi
// RUN: rm -rf %t && mkdir %t
// RUN: stencil-opt %s --stencil-decompose-domain='devices=2 steps=4' -o %t/two.mlir
// RUN: stencilc compile %t/two.mlir --no-verification --plan mapping=warp,steps=2,chunks=2 --keep-ir -o %t/two.spk
// RUN: stencil-opt %s -o %t/one.mlir
// RUN: stencilc compile %t/one.mlir --keep-ir --no-verification -o %t/one.spk
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/one.spk stencil-run %t/one.spk --seed=5 --out-dir %t/one
// RUN: sh -c 'for seed in 1 2; do %emulated-driver STENCIL_EMULATED_PACKAGES=%t/two.spk STENCIL_EMULATED_STREAMS=$seed mpirun -n 2 stencil-run-mpi %t/two.spk --seed=5 --expect %t/one || exit 1; done' | FileCheck %s
//
// Where streams do not wait for events, other orders give other results.
// RUN: sh -c 'for seed in 4 5 6; do %emulated-driver STENCIL_EMULATED_WAITS=0 STENCIL_EMULATED_PACKAGES=%t/two.spk STENCIL_EMULATED_STREAMS=$seed mpirun -n 2 stencil-run-mpi %t/two.spk --seed=5 --expect %t/one 2>&1; done; true' | FileCheck %s --check-prefix=DIFFERS
//
// CHECK: run       function 'spread': 8 launches
// CHECK: exchanges 3, every 4 time steps
// CHECK: verified: bit-identical
// CHECK: verified: bit-identical
// DIFFERS: error: {{.*}}the fields differ from those expected

!field = !stencil.field<[-1,65]x[-1,49]xf64>

func.func @spread(%u: !field, %v: !field {stencil.scratch}) {
  %zero = arith.constant 0 : index
  %steps = arith.constant 16 : index
  %one = arith.constant 1 : index
  %r:2 = scf.for %i = %zero to %steps step %one iter_args(%a = %u, %b = %v) -> (!field, !field) {
    %t = stencil.load %a : !field -> !stencil.temp<?x?xf64>
    %n = stencil.apply(%x = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
      %half = arith.constant 0.5 : f64
      %north = stencil.access %x[-1, 0] : !stencil.temp<?x?xf64>
      %south = stencil.access %x[1, 0] : !stencil.temp<?x?xf64>
      %east = stencil.access %x[0, 1] : !stencil.temp<?x?xf64>
      %p = arith.addf %north, %south : f64
      %m = arith.mulf %p, %half : f64
      %q = arith.subf %m, %east : f64
      stencil.return %q : f64
    }
    stencil.store %n to %b(<[0, 0], [64, 48]>) : !stencil.temp<?x?xf64> to !field
    scf.yield %b, %a : !field, !field
  }
  return
}
