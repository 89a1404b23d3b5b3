// Sweeps compute what needs no exchange beside it, and give the bits of one device in every order.
//
// RUN: rm -rf %t && mkdir %t
// RUN: stencil-opt %s --stencil-decompose-domain='devices=2 steps=4' -o %t/two.mlir
// RUN: stencilc compile %t/two.mlir --no-verification --plan mapping=warp,steps=2,chunks=2 --keep-ir -o %t/two.spk
// RUN: stencil-opt %s -o %t/one.mlir
// RUN: stencilc compile %t/one.mlir --keep-ir -o %t/one.spk
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/one.spk stencil-run %t/one.spk --seed=5 --out-dir %t/one
// RUN: sh -c 'for seed in 1 2 3 4 5 6 7 8; do %emulated-driver STENCIL_EMULATED_PACKAGES=%t/two.spk STENCIL_EMULATED_DEVICES=2 STENCIL_EMULATED_STREAMS=$seed stencil-run %t/two.spk --seed=5 --expect %t/one || exit 1; done' | FileCheck %s
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/two.spk STENCIL_EMULATED_DEVICES=2 STENCIL_EMULATED_STREAMS=1 stencil-run %t/two.spk --seed=5 --expect %t/one --devices=0,0 --time --repeat=2 | FileCheck %s
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/two.spk STENCIL_EMULATED_DEVICES=2 STENCIL_EMULATED_STREAMS=1 stencil-run %t/two.spk --seed=5 --expect %t/one --synchronous | FileCheck %s
//
// Where streams do not wait for events, other orders give other results: a wait that is left out would show.
// RUN: sh -c 'for seed in 1 2 3 4 5 6 7 8; do %emulated-driver STENCIL_EMULATED_WAITS=0 STENCIL_EMULATED_PACKAGES=%t/two.spk STENCIL_EMULATED_DEVICES=2 STENCIL_EMULATED_STREAMS=$seed stencil-run %t/two.spk --seed=5 --expect %t/one 2>&1; done; true' | FileCheck %s --check-prefix=DIFFERS
//
// A device between two others has planes at both ends that wait for its copies.
// RUN: stencil-opt %s --stencil-resize-domain='extents=192,48' -o %t/large.mlir
// RUN: stencilc compile %t/large.mlir --no-verification --keep-ir -o %t/large.spk
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/large.spk stencil-run %t/large.spk --seed=5 --out-dir %t/large
// RUN: stencil-opt %t/large.mlir --stencil-decompose-domain='devices=3 steps=4' -o %t/three.mlir
// RUN: stencilc compile %t/three.mlir --no-verification --plan mapping=warp,steps=2,chunks=2 --keep-ir -o %t/three.spk
// RUN: sh -c 'for seed in 1 2 3 4; do %emulated-driver STENCIL_EMULATED_PACKAGES=%t/three.spk STENCIL_EMULATED_DEVICES=3 STENCIL_EMULATED_STREAMS=$seed stencil-run %t/three.spk --seed=5 --expect %t/large || exit 1; done' | FileCheck %s
//
// Four pieces: the second sweep of a piece computes what the device owns, the first two planes
// more. Pieces after an exchange begin with a launch beside it and one after it.
// CHECK: run       function 'spread': 8 launches
// CHECK: exchanges 3, every 4 time steps
// CHECK: verified: bit-identical
// DIFFERS: error: the fields differ from those expected

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
