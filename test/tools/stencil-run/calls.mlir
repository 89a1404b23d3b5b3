// What a run asks of the driver: each field copied once, a launch a kernel; timed runs are graphs; nothing is left behind.
//
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --keep-ir --no-verification -o %t/p.spk
// DEFINE: %{run} = stencil-run %t/p.spk --arg steps=4
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk STENCIL_EMULATED_LOG=%t/once.log %{run}
// RUN: FileCheck %s --input-file=%t/once.log --implicit-check-not='{{launch|copy|allocate|graph}}'
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk STENCIL_EMULATED_LOG=%t/timed.log %{run} --time --repeat=2 --warm-up=1
// RUN: FileCheck %s --input-file=%t/timed.log --check-prefix=TIMED
//
// CHECK:         allocate 528 bytes
// CHECK:         allocate 528 bytes
// CHECK-COUNT-2: copy host to device 528 bytes
// CHECK-COUNT-4: launch diffusion_stage0 grid {{[0-9 ]+}} block {{[0-9 ]+}} shared 0
// CHECK:         synchronize
// CHECK-COUNT-2: copy device to host 528 bytes
// CHECK:         context destroyed, left in it: 0 buffers, 0 modules, 0 streams, 0 events, 0 graphs
//
// The first run, which is not timed; then one to warm up and two that count, each from the same
// content.
// TIMED-NOT:     graph launch
// TIMED-COUNT-4: launch diffusion_stage0
// TIMED-COUNT-2: copy {{host|device}} to device 528 bytes
// TIMED:         graph launch: 4 operations
// TIMED-COUNT-4: launch diffusion_stage0
// TIMED-COUNT-2: copy {{host|device}} to device 528 bytes
// TIMED:         graph launch: 4 operations
// TIMED-COUNT-4: launch diffusion_stage0
// TIMED-COUNT-2: copy {{host|device}} to device 528 bytes
// TIMED:         graph launch: 4 operations
// TIMED-COUNT-4: launch diffusion_stage0
// TIMED-NOT:     graph launch
// TIMED:         context destroyed, left in it: 0 buffers, 0 modules, 0 streams, 0 events, 0 graphs

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
