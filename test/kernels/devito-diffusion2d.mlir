// A diffusion step in the form that Devito writes: symbols read where they are used, powers for
// grid spacings, timers around the loop over time, a load that nothing uses.
//
// u(t+1) = dt * (a * (d2x u + d2y u) + u / dt), second order, spacings h_x and h_y. Radius 1,
// 24 x 20 points, f32, time steps from time_m to time_M inclusive.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 --symbol time_m=0 --symbol time_M=4 \
// RUN:   --symbol dt=0.01 --symbol h_x=0.1 --symbol h_y=0.2 | FileCheck %s
// CHECK: verified: bit-identical

!field = !stencil.field<[-1,25]x[-1,21]xf32>
!temp = !stencil.temp<?x?xf32>

func.func @Kernel(%u0: !field, %u1: !field) {
  %start = func.call @timer_start() : () -> f64
  %time_m = "devito.load_symbolic"() {symbol_name = "time_m"} : () -> index
  %time_M = "devito.load_symbolic"() {symbol_name = "time_M"} : () -> index
  %one = arith.constant 1 : index
  %last = arith.addi %time_M, %one : index
  %end:2 = scf.for %time = %time_m to %last step %one
      iter_args(%now = %u0, %next = %u1) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {
      %minus_two = arith.constant -2 : i64
      %h_x = "devito.load_symbolic"() {symbol_name = "h_x"} : () -> f32
      %per_x = math.fpowi %h_x, %minus_two : f32, i64
      %h_y = "devito.load_symbolic"() {symbol_name = "h_y"} : () -> f32
      %per_y = math.fpowi %h_y, %minus_two : f32, i64
      %up = stencil.access %t[-1, 0] : !temp
      %down = stencil.access %t[1, 0] : !temp
      %left = stencil.access %t[0, -1] : !temp
      %right = stencil.access %t[0, 1] : !temp
      %here = stencil.access %t[0, 0] : !temp
      %two = arith.constant -2.0 : f32
      %kept = arith.mulf %here, %two : f32
      %x0 = arith.addf %up, %down : f32
      %x1 = arith.addf %x0, %kept : f32
      %x = arith.mulf %x1, %per_x : f32
      %y0 = arith.addf %left, %right : f32
      %y1 = arith.addf %y0, %kept : f32
      %y = arith.mulf %y1, %per_y : f32
      %half = arith.constant 0.5 : f32
      %laplacian = arith.addf %x, %y : f32
      %flow = arith.mulf %half, %laplacian : f32
      %dt = "devito.load_symbolic"() {symbol_name = "dt"} : () -> f32
      %minus_one = arith.constant -1 : i64
      %per_dt = math.fpowi %dt, %minus_one : f32, i64
      %rate = arith.mulf %per_dt, %here : f32
      %sum = arith.addf %flow, %rate : f32
      %dt_again = "devito.load_symbolic"() {symbol_name = "dt"} : () -> f32
      %new = arith.mulf %sum, %dt_again : f32
      stencil.return %new : f32
    }
    stencil.store %stepped to %next(<[0, 0], [24, 20]>) : !temp to !field
    %unused = stencil.load %next : !field -> !temp
    scf.yield %next, %now : !field, !field
  }
  %timers = "devito.load_symbolic"() {symbol_name = "timers"} : () -> !llvm.ptr
  %spent = func.call @timer_end(%start) : (f64) -> f64
  "llvm.store"(%spent, %timers) <{ordering = 0 : i64}> : (f64, !llvm.ptr) -> ()
  func.return
}
func.func private @timer_start() -> f64
func.func private @timer_end(f64) -> f64
