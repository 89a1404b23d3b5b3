// Arguments that nothing uses and that no launch can pass are gone, with their names.
//
// RUN: stencil-opt %s --allow-unregistered-dialect --stencil-bind-symbols --stencil-drop-arguments | FileCheck %s
// RUN: stencil-opt %s --allow-unregistered-dialect --stencil-bind-symbols --stencil-drop-arguments --remarks-filter-passed=stencil-drop-arguments -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stencilc run %s --on=interpreter --function=hosts --same-after='builtin.module(stencil-bind-symbols,func.func(stencil-drop-arguments))' --seed=1 --arg s=2 --arg n=3
// RUN: stencilc run %s --on=emulator --function=hosts --verify --seed=1 --arg s=2 --arg n=3 | FileCheck %s --check-prefix=VERIFIED
// RUN: stencilc run %s --function=hosts --print-signature | FileCheck %s --check-prefix=SIGNATURE
// VERIFIED: {{^}}verified: bit-identical
//
// REMARK: argument 8 of type !stencil.temp<[0,4]xf32> is not used: removed
// REMARK: argument 6 of type !foreign.handle is not used: removed
// REMARK: argument 4 of type memref<4xf32> is not used: removed
// REMARK: argument 3 of type !stencil.field<?x?xf64> is not used: removed
// REMARK: argument 1 of type !llvm.ptr is not used: removed
//
// SIGNATURE:      0  u
// SIGNATURE-NEXT: 1  v
// SIGNATURE-NEXT: 2  s
// SIGNATURE-NEXT: 3  n
// SIGNATURE-NEXT: 4  idle
// SIGNATURE-NOT:  5

func.func private @timer_start() -> f64
func.func private @timer_end(f64) -> f64

// Fields with bounds and numbers stay: callers pass them. A timer's result is written nowhere.
// CHECK-LABEL: func.func @hosts
// CHECK-SAME:    (%[[U:.*]]: !stencil.field<[0,8]xf32>, %[[V:.*]]: !stencil.field<[0,8]xf32>
// CHECK-SAME:    %[[S:.*]]: f32, %[[N:.*]]: index, %[[IDLE:.*]]: !stencil.field<[0,4]xf32>)
// CHECK-SAME:    param_names = ["u", "v", "s", "n", "idle"]
// CHECK-NOT:     llvm
func.func @hosts(%u: !stencil.field<[0,8]xf32>, %timers: !llvm.ptr, %v: !stencil.field<[0,8]xf32>,
    %unknown: !stencil.field<?x?xf64>, %buffer: memref<4xf32>, %s: f32, %handle: !foreign.handle,
    %n: index, %temp: !stencil.temp<[0,4]xf32>, %idle: !stencil.field<[0,4]xf32>)
    attributes {param_names = ["u", "timers", "v", "unknown", "buffer", "s", "handle", "n", "temp", "idle"]} {
  %start = func.call @timer_start() : () -> f64
  %t = stencil.load %u : !stencil.field<[0,8]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf32>, %k = %s : f32) -> (!stencil.temp<?xf32>) {
    %c = stencil.access %x[0] : !stencil.temp<?xf32>
    %m = arith.mulf %c, %k : f32
    stencil.return %m : f32
  }
  stencil.store %r to %v(<[0], [8]>) : !stencil.temp<?xf32> to !stencil.field<[0,8]xf32>
  %seconds = func.call @timer_end(%start) : (f64) -> f64
  %place = llvm.getelementptr %timers[8] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %seconds, %place : f64, !llvm.ptr
  return
}

// A pointer that something else is stored to is used.
// CHECK-LABEL: func.func @used(%{{.*}}: !llvm.ptr, %{{.*}}: f64)
func.func @used(%p: !llvm.ptr, %x: f64) {
  llvm.store %x, %p : f64, !llvm.ptr
  return
}
