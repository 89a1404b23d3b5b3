// What the emulated driver answers to calls of every kind, those that must fail among them; test/gpu/driver-answers.mlir asks NVIDIA's.
//
// REQUIRES: numpy
//
// RUN: stencilc compile %s --keep-ir --no-verification -o %t.spk
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t.spk %python %S/../../../lowering/emulator/driver/tests/answers.py %t.spk | %golden %s.golden
// What is done as late as allowed is answered alike.
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t.spk STENCIL_EMULATED_LAG=1 %python %S/../../../lowering/emulator/driver/tests/answers.py %t.spk | %golden %s.golden

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
