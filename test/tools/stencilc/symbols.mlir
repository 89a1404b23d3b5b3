// A Devito program runs when its symbols have values; its timers are ignored.
//
// RUN: stencilc run %s --on=interpreter --symbol time_m=0 --symbol time_M=3 --symbol dt=0.5 --out-dir %t.a | FileCheck %s
// RUN: stencilc run %s --on=emulator --symbol time_m=0 --symbol time_M=3 --arg dt=0.5 --verify --out-dir %t.b | FileCheck %s --check-prefix=EMULATED
// RUN: cmp %t.a/u0.npy %t.b/u0.npy
//
// A value for a symbol that the program reads and does not need is no error.
// RUN: stencilc run %s --on=emulator --symbol time_m=0 --symbol time_M=3 --symbol dt=0.5 --symbol unused=1 --out-dir %t.c
// RUN: cmp %t.a/u0.npy %t.c/u0.npy
//
// RUN: not stencilc run %s --symbol time_m=0 --symbol dt=0.5 2>&1 | FileCheck %s --check-prefix=UNSET
// UNSET: error: argument 3 'time_M', a scalar of index, has no value; set it with --symbol time_M=NUMBER
//
// Nor is one for a symbol that the program does not have: a note says so, since the name may be
// misspelled.
// RUN: stencilc run %s --on=emulator --symbol time_m=0 --symbol time_M=3 --symbol dt=0.5 --symbol h_x=1 --verify 2>&1 | FileCheck %s --check-prefix=EXTRA
// EXTRA: note: symbol 'h_x' is not used; the program has dt, time_M, time_m, unused
// EXTRA: {{^}}verified: bit-identical
// RUN: not stencilc run %s --symbol timem=0 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: note: symbol 'timem' is not used (did you mean 'time_m'?); the program has dt, time_M, time_m, unused
// UNKNOWN: error: argument 2 'time_m', a scalar of index, has no value; set it with --symbol time_m=NUMBER
// RUN: not stencilc run %s --symbol timers=0 2>&1 | FileCheck %s --check-prefix=TIMERS
// TIMERS: note: symbol 'timers' is not used

// CHECK: interpreter: 4 applies, 24 points
// EMULATED: emulator: 4 launches
// EMULATED: {{^}}verified: bit-identical
!field = !stencil.field<[-1,7]xf32>

func.func @Kernel(%u0: !field, %u1: !field) {
  %start = func.call @timer_start() : () -> f64
  %first = "devito.load_symbolic"() {symbol_name = "time_m"} : () -> index
  %last = "devito.load_symbolic"() {symbol_name = "time_M"} : () -> index
  %unused = "devito.load_symbolic"() {symbol_name = "unused"} : () -> f32
  %one = arith.constant 1 : index
  %end = arith.addi %last, %one : index
  %r:2 = scf.for %time = %first to %end step %one iter_args(%a = %u0, %b = %u1) -> (!field, !field) {
    %old = stencil.load %a : !field -> !stencil.temp<?xf32>
    %new = stencil.apply(%x = %old : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>) {
      %dt = "devito.load_symbolic"() {symbol_name = "dt"} : () -> f32
      %power = arith.constant -2 : i64
      %k = "math.fpowi"(%dt, %power) : (f32, i64) -> f32
      %l = stencil.access %x[-1] : !stencil.temp<?xf32>
      %c = stencil.access %x[1] : !stencil.temp<?xf32>
      %d = arith.subf %c, %l : f32
      %s = arith.divf %d, %k : f32
      stencil.return %s : f32
    }
    stencil.store %new to %b(<[0], [6]>) : !stencil.temp<?xf32> to !field
    scf.yield %b, %a : !field, !field
  }
  %seconds = func.call @timer_end(%start) : (f64) -> f64
  %timers = "devito.load_symbolic"() {symbol_name = "timers"} : () -> !llvm.ptr
  llvm.store %seconds, %timers : f64, !llvm.ptr
  return
}
func.func private @timer_start() -> f64
func.func private @timer_end(f64) -> f64
