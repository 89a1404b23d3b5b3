// The interpreter finds a missing fence, at the op that reads too early, and says what to do.
// dialects/interpreter/tests/planes.rs has the other mistakes.
//
// RUN: not stencilc run %s --on=interpreter 2>&1 | FileCheck %s

!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @f(%a: !f, %b: !f) {
  sweep.tiled "f.s0" steps 1 over <[1, 1], [9, 9]> reach [0, 0, 1, 0]
      fields(%u = %a : !f, %v = %b : !f)
      plan <{mapping = "block", points = [1, 1], threads = [1, 32]}>
      points 64 flops 0 bytes 1024 {
    %x = sweep.shared "planes" copies 2 : !sweep.buffer<f64>
    sweep.planes from 0 to 0 turns 2 {
      %t = sweep.fetch %u[0] : !f
      sweep.put %t to %x : !sweep.buffer<f64>
      // CHECK: run-planes-wrong.mlir:[[#@LINE+2]]:12: error: 'sweep.take' op reads plane 1, which other threads may not have put yet
      // CHECK: run-planes-wrong.mlir:[[#@LINE+1]]:12: note: put a 'sweep.fence' between
      %w = sweep.take %x[0] by [0, -1] : !sweep.buffer<f64>
      sweep.store %w to %v[0] : !f
      sweep.yield
    }
  }
  return
}
