// A package for several devices gives the bits of one, whatever the order in which devices work.
//
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --devices=3 --steps-between-exchanges=2 --keep-ir -o %t/three.spk
// RUN: stencilc compile %s --keep-ir -o %t/one.spk
// DEFINE: %{devices} = 0,1,2
// DEFINE: %{streams} = 1
// DEFINE: %{run} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t/three.spk STENCIL_EMULATED_DEVICES=3 STENCIL_EMULATED_STREAMS=%{streams} stencil-run %t/three.spk --arg steps=9 --seed=5
//
// Arguments, files and checksums are those of the whole domain.
// RUN: stencil-run %t/three.spk --print-signature | FileCheck %s --check-prefix=SIGNATURE
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/one.spk stencil-run %t/one.spk --arg steps=9 --seed=5 --out-dir %t/one
// RUN: %{run} --verify --report %t/report.json --out-dir %t/three | FileCheck %s
// RUN: cmp %t/one/u.npy %t/three/u.npy
// RUN: cmp %t/one/v.npy %t/three/v.npy
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t/report.json
// RUN: not %{run} --in-dir %t/one --expect %t/one 2>&1 | FileCheck %s --check-prefix=DIFFERS
//
// Other orders, all windows on one device, devices that do not reach each other.
// REDEFINE: %{streams} = 2
// RUN: %{run} --expect %t/one | FileCheck %s --check-prefix=EXPECTED
// REDEFINE: %{streams} = 3
// RUN: %{run} --expect %t/one --time --repeat=2 | FileCheck %s --check-prefixes=TIMED,EXPECTED
// RUN: %{run} --expect %t/one --synchronous | FileCheck %s --check-prefix=EXPECTED
// RUN: %{run} --devices=0,0,0 --expect %t/one | FileCheck %s --check-prefix=EXPECTED
// RUN: %{run} --devices=0,1,0 --verify --selftest | FileCheck %s --check-prefix=TWICE
// RUN: env STENCIL_EMULATED_PEERS=0 %{run} --expect %t/one | FileCheck %s --check-prefixes=HOST,EXPECTED
//
// RUN: sh -c 'for seed in 4 5 6 7 8 9 10 11; do %emulated-driver STENCIL_EMULATED_PACKAGES=%t/three.spk STENCIL_EMULATED_DEVICES=3 STENCIL_EMULATED_STREAMS=$seed stencil-run %t/three.spk --arg steps=9 --seed=5 --expect %t/one || exit 1; done' | FileCheck %s --check-prefix=EXPECTED
//
// Where streams do not wait for events, other orders give other results: a wait that is left out would show.
// RUN: sh -c 'for seed in 4 5 6 7 8 9 10 11; do %emulated-driver STENCIL_EMULATED_WAITS=0 STENCIL_EMULATED_PACKAGES=%t/three.spk STENCIL_EMULATED_DEVICES=3 STENCIL_EMULATED_STREAMS=$seed stencil-run %t/three.spk --arg steps=9 --seed=5 --expect %t/one 2>&1; done; true' | FileCheck %s --check-prefix=DIFFERS
//
// What does not fit is refused.
// RUN: not %{run} --devices=2 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: env STENCIL_EMULATED_DEVICES=2 %emulated-driver STENCIL_EMULATED_PACKAGES=%t/three.spk not stencil-run %t/three.spk --arg steps=9 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not %{run} --devices=0,1,3 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: env STENCIL_EMULATED_MEMORY=300 not %{run} 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not %{run} --devices=a 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: not %{run} --every=2 --out-dir %t/every 2>&1 | FileCheck %s --check-prefix=EVERY
// RUN: not %emulated-driver STENCIL_EMULATED_PACKAGES=%t/one.spk STENCIL_EMULATED_DEVICES=2 stencil-run %t/one.spk --arg steps=9 --devices=2 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not stencilc compile %s --devices=3 --emit=c-host -o %t/host 2>&1 | FileCheck %s --check-prefix=C-HOST
// RUN: not stencilc compile %s --devices=3 --size=128 -o %t/sized.spk 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not stencilc compile %s --devices=3 --sizes=run-time -o %t/sized.spk 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not stencilc compile %s --devices=70 -o %t/thin.spk 2>&1 | FileCheck %s --check-prefix=THIN
// RUN: not stencilc compile %s --devices=2 --steps-between-exchanges=3 -o %t/odd.spk 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not stencilc compile %s --steps-between-exchanges=4 -o %t/alone.spk 2>&1 | FileCheck %s --check-prefix=REQUIRED
// RUN: not stencilc run %s --devices=2 --on=interpreter --arg steps=9 2>&1 | FileCheck %s --check-prefix=INTERPRETER
//
// SIGNATURE: [-1,65]xf64
// SIGNATURE: devices: 3, which own 22, 21, 21 planes, with halos of 1; an exchange every 2 time steps
// CHECK: device    0: emulated
// CHECK: run       function 'diffusion': 9 launches
// CHECK: shared    64 planes by 3 devices (0, 1, 2), each of which does this, halos of 1 planes
// CHECK: exchanges 4, every 2 time steps, 256 bytes in
// CHECK: verified: bit-identical with plain kernels, 2 fields and 132 cells in 1 runs
// JSON-DAG: {{^}}  "steps": 9,
// JSON-DAG: "exchanged_bytes": 256
// JSON-DAG: "steps_between_exchanges": 2
// JSON-DAG: "exchange_s": {{[0-9.e-]+}}
// JSON-DAG: "direct": 6
// DIFFERS: error: the fields differ from those expected
// TIMED: exchanges 4, every 2 time steps
// HOST: 6 pairs of devices through the host
// EXPECTED: verified: bit-identical
// TWICE: shared    64 planes by 3 devices (0, 1, 0)
// TWICE: self-test: bit-identical
// TWICE: verified: bit-identical with plain kernels
// COUNT: error: function 'diffusion' was compiled for 3 devices, 2 are given; name as many, of which one may occur several times, or compile it with --devices=2
// FEW: error: function 'diffusion' was compiled for 3 devices, this machine has 2; compile it with --devices=2, or name as many devices, of which one may occur several times, as 0,0,0
// MISSING: error: device 3 does not exist: there are 3, counted from 0
// MEMORY: error: on device {{[0-9]}} of the run: the program needs
// LIST: 'a' names no devices; write 2 for the first two, or 0,1
// EVERY: --every and --energy are about runs on one device; leave them out
// ALONE: error: function 'diffusion' was compiled for 1 device, 2 are given
// C-HOST: --emit=c-host is about programs of one device
// SIZE: --size is about programs of one device
// OPEN: --devices cuts a domain of known extents, and --sizes=run-time leaves them open
// THIN: has 64 planes along dimension 0, too few for 70 devices with their halos, exchanging after every 2 time steps
// THIN: give fewer devices, or fewer steps between exchanges; {{[0-9]+}} planes would be enough
// ODD: cannot be exchanged after every 3 time steps: its fields are in their places again after a multiple of 2
// REQUIRED: --devices
// INTERPRETER: --devices is about kernels, and the interpreter runs the program itself

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
