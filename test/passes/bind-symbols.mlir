// Each symbol of Devito's becomes one function argument that knows its name; timers vanish.
//
// RUN: stencil-opt %s --allow-unregistered-dialect --stencil-bind-symbols | FileCheck %s
// RUN: stencil-opt %s --allow-unregistered-dialect --stencil-bind-symbols --stencil-bind-symbols | FileCheck %s
// RUN: stencilc run %s --on=interpreter --function=loop_and_apply --same-after='builtin.module(stencil-bind-symbols)' --seed=1 --symbol time_m=0 --symbol time_M=2 --symbol dt=0.25 --symbol h_x=0.5

func.func private @timer_start() -> f64
func.func private @timer_end(f64) -> f64

// Loop bounds are arguments; inside the apply a symbol is a scalar operand, one for all its reads.
// CHECK-LABEL: func.func @loop_and_apply
// CHECK-SAME:    %[[U:[a-z0-9]+]]: !stencil.field<[-1,65]xf32>, %[[V:[a-z0-9]+]]: !stencil.field<[-1,65]xf32>
// CHECK-SAME:    %[[FIRST:[a-z0-9]+]]: index {stencil.symbol = "time_m"}, %[[LAST:[a-z0-9]+]]: index {stencil.symbol = "time_M"}
// CHECK-SAME:    %[[DT:[a-z0-9]+]]: f32 {stencil.symbol = "dt"}, %[[HX:[a-z0-9]+]]: f32 {stencil.symbol = "h_x"})
// CHECK-NOT:     devito.load_symbolic
func.func @loop_and_apply(%u: !stencil.field<[-1,65]xf32>, %v: !stencil.field<[-1,65]xf32>) {
  %first = "devito.load_symbolic"() {symbol_name = "time_m"} : () -> index
  %last = "devito.load_symbolic"() {symbol_name = "time_M"} : () -> index
  %one = arith.constant 1 : index
  // CHECK: %[[END:.*]] = arith.addi %[[LAST]]
  %end = arith.addi %last, %one : index
  // CHECK: scf.for {{.*}} = %[[FIRST]] to %[[END]]
  %l0, %l1 = scf.for %time = %first to %end step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-1,65]xf32>, !stencil.field<[-1,65]xf32>) {
    // CHECK: %[[T:.*]] = stencil.load
    %t = stencil.load %now : !stencil.field<[-1,65]xf32> -> !stencil.temp<?xf32>
    // CHECK: stencil.apply({{.*}} = %[[T]] : !stencil.temp<?xf32>, %[[A:.*]] = %[[DT]] : f32, %[[B:.*]] = %[[HX]] : f32)
    %r = stencil.apply(%a = %t : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>) {
      %dt = "devito.load_symbolic"() {symbol_name = "dt"} : () -> f32
      %h_x = "devito.load_symbolic"() {symbol_name = "h_x"} : () -> f32
      %ratio = arith.divf %dt, %h_x : f32
      %left = stencil.access %a[-1] : !stencil.temp<?xf32>
      %right = stencil.access %a[1] : !stencil.temp<?xf32>
      %difference = arith.subf %right, %left : f32
      %change = arith.mulf %ratio, %difference : f32
      // CHECK: arith.divf %{{.*}}, %[[B]]
      %again = "devito.load_symbolic"() {symbol_name = "h_x"} : () -> f32
      %scaled = arith.divf %change, %again : f32
      stencil.return %scaled : f32
    }
    stencil.store %r to %next(<[0], [64]>) : !stencil.temp<?xf32> to !stencil.field<[-1,65]xf32>
    scf.yield %next, %now : !stencil.field<[-1,65]xf32>, !stencil.field<[-1,65]xf32>
  }
  return
}

// One name of two types is two arguments; a symbol that nothing uses is none.
// CHECK-LABEL: func.func @types
// CHECK-SAME:    (%[[F:[a-z0-9]+]]: f32 {stencil.symbol = "x"}, %[[D:[a-z0-9]+]]: f64 {stencil.symbol = "x"})
func.func @types() -> (f32, f64) {
  %0 = "devito.load_symbolic"() {symbol_name = "x"} : () -> f32
  %1 = "devito.load_symbolic"() {symbol_name = "x"} : () -> f64
  %2 = "devito.load_symbolic"() {symbol_name = "unused"} : () -> f64
  // CHECK: return %[[F]], %[[D]]
  return %0, %1 : f32, f64
}

// Calls of timers go, with the stores of what they measured and the pointers for that.
// CHECK-LABEL: func.func @timers()
// CHECK-NEXT:    return
func.func @timers() {
  %0 = func.call @timer_start() : () -> f64
  %1 = func.call @timer_end(%0) : (f64) -> f64
  %2 = "devito.load_symbolic"() {symbol_name = "timers"} : () -> !llvm.ptr
  "llvm.store"(%1, %2) <{ordering = 0 : i64}> : (f64, !llvm.ptr) -> ()
  return
}

// A timer whose result goes elsewhere is no timer of ours.
// CHECK-LABEL: func.func @used_timer
func.func @used_timer() -> f64 {
  // CHECK-NEXT: call @timer_start
  %0 = func.call @timer_start() : () -> f64
  return %0 : f64
}

// Attributes of the function and of its arguments stay.
// CHECK-LABEL: func.func @attributes_stay
// CHECK-SAME:    %{{.*}}: f64 {stencil.scratch}, %{{.*}}: f64 {stencil.symbol = "dt"})
// CHECK-SAME:    attributes {param_names = ["a"]}
func.func @attributes_stay(%a: f64 {stencil.scratch}) -> f64 attributes {param_names = ["a"]} {
  %dt = "devito.load_symbolic"() {symbol_name = "dt"} : () -> f64
  %sum = arith.addf %a, %dt : f64
  return %sum : f64
}
