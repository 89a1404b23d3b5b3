// Every apply has a complete plan afterwards; what a plan said before stays.
//
// RUN: stencil-opt %s --stencil-select-plan | FileCheck %s
// RUN: stencil-opt %s --stencil-select-plan --stencil-select-plan | FileCheck %s
// RUN: stencil-opt %s --stencil-select-plan=target=sm_80 | FileCheck %s
// RUN: stencil-opt %s --stencil-select-plan='plan=points=2,max_registers=64,threads=2x32' | FileCheck %s --check-prefix=ASKED
// RUN: stencil-opt %s --stencil-select-plan='plan=points=2,cube:max_registers=128,line_stage0:max_registers=96,given_keys:points=1' | FileCheck %s --check-prefix=NAMED
// RUN: stencil-opt %s --stencil-select-plan=plain=true | FileCheck %s --check-prefix=PLAIN
// RUN: stencil-opt %s --stencil-select-plan --remarks-filter-missed=stencil-select-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stencilc run %s --on=interpreter --function=cube --same-after='builtin.module(stencil-select-plan)' --seed=1

// Lanes along the fastest dimension, points of a thread along the slowest, a register cap.
// CHECK-LABEL: func.func @cube
// CHECK:         stencil.plan = #stencil.plan<{mapping = "thread", max_registers = 64 : i64, points = array<i64: 4, 1, 1>, threads = array<i64: 1, 4, 64>}>
// What is asked for goes to whatever is left open; short lists count from the slowest dimension, or from the fastest.
// ASKED-LABEL: func.func @cube
// ASKED:         #stencil.plan<{mapping = "thread", max_registers = 64 : i64, points = array<i64: 2, 1, 1>, threads = array<i64: 1, 2, 32>}>
// Keys behind a name are for its function, stage or kernel, and win over what the kernel says itself.
// NAMED-LABEL: func.func @cube
// NAMED:         #stencil.plan<{mapping = "thread", max_registers = 128 : i64, points = array<i64: 2, 1, 1>
// PLAIN-LABEL: func.func @cube
// PLAIN:         #stencil.plan<{alignment_offset = 0 : i64, mapping = "thread", max_registers = 64 : i64, points = array<i64: 1, 1, 1>, schedule = "source", threads = array<i64: 1, 4, 64>}>
func.func @cube(%in: !stencil.field<[0,16]x[0,16]x[0,64]xf64>, %out: !stencil.field<[0,16]x[0,16]x[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,16]x[0,16]x[0,64]xf64> -> !stencil.temp<[0,16]x[0,16]x[0,64]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,16]x[0,16]x[0,64]xf64>) -> (!stencil.temp<[0,16]x[0,16]x[0,64]xf64>) {
    %v = stencil.access %a[0, 0, 0] : !stencil.temp<[0,16]x[0,16]x[0,64]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0, 0, 0], [16, 16, 64]>)
    : !stencil.temp<[0,16]x[0,16]x[0,64]xf64> to !stencil.field<[0,16]x[0,16]x[0,64]xf64>
  return
}

// Along one dimension there are only lanes.
// CHECK-LABEL: func.func @line
// NAMED-LABEL: func.func @line
// NAMED-SAME:    stencil.decisions = {stage0 = {plan = "line_stage0:mapping=thread,max_registers=96,points=2,threads=256", why = "{{.*}}; given: max_registers, points"}}
// NAMED:         #stencil.plan<{mapping = "thread", max_registers = 96 : i64, points = array<i64: 2>
// CHECK:         #stencil.plan<{mapping = "thread", max_registers = 64 : i64, points = array<i64: 1>, threads = array<i64: 256>}>
func.func @line() {
  %r = stencil.apply() -> (!stencil.temp<[0,1000]xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// Warps begin where rows of 32 cells do, one cell before the domain; in rows of 34 cells they begin anywhere.
// CHECK-LABEL: func.func @aligned
// CHECK:         #stencil.plan<{alignment_offset = 1 : i64, mapping = "thread", max_registers = 64 : i64
// CHECK-NOT:     alignment_offset
func.func @aligned(%even: !stencil.field<[0,32]x[0,32]xf32>, %odd: !stencil.field<[0,32]x[0,34]xf32>) {
  %r0 = stencil.apply() -> (!stencil.temp<[1,31]x[1,31]xf32>) {
    %c = arith.constant 1.0 : f32
    stencil.return %c : f32
  }
  stencil.store %r0 to %even(<[1, 1], [31, 31]>) : !stencil.temp<[1,31]x[1,31]xf32> to !stencil.field<[0,32]x[0,32]xf32>
  %r1 = stencil.apply() -> (!stencil.temp<[1,31]x[1,31]xf32>) {
    %c = arith.constant 1.0 : f32
    stencil.return %c : f32
  }
  stencil.store %r1 to %odd(<[1, 1], [31, 31]>) : !stencil.temp<[1,31]x[1,31]xf32> to !stencil.field<[0,32]x[0,34]xf32>
  return
}

// Few points along the slowest dimension: fifteen are left to threads of two, seventeen leave a remainder.
// CHECK-LABEL: func.func @short_slowest
// CHECK:         #stencil.plan<{mapping = "thread", max_registers = 64 : i64, points = array<i64: 2, 1>, threads = array<i64: 4, 64>}>
// CHECK:         #stencil.plan<{mapping = "thread", max_registers = 64 : i64, points = array<i64: 4, 1>, threads = array<i64: 4, 64>}>
func.func @short_slowest() {
  %r0 = stencil.apply() -> (!stencil.temp<[0,15]x[0,64]xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  %r1 = stencil.apply() -> (!stencil.temp<[0,17]x[0,64]xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// A plan counts runs of the body, which computes two points at once here.
// CHECK-LABEL: func.func @unrolled
// CHECK:         points = array<i64: 4, 1>
func.func @unrolled() {
  %r = stencil.apply() -> (!stencil.temp<[0,48]x[0,64]xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c, %c unroll <[2, 1]> : f64, f64
  }
  return
}

// What is said stays, what is not said is added.
// CHECK-LABEL: func.func @given_keys
// NAMED-LABEL: func.func @given_keys
// NAMED:         max_registers = 64 : i64, min_blocks = 2 : i64, points = array<i64: 1, 1>
// CHECK:         #stencil.plan<{mapping = "thread", max_registers = 64 : i64, min_blocks = 2 : i64, points = array<i64: 4, 1>, threads = array<i64: 8, 32>}>
func.func @given_keys() {
  %r = stencil.apply() -> (!stencil.temp<[0,64]x[0,64]xf64>)
      attributes {stencil.plan = #stencil.plan<{max_registers = 64 : i64, min_blocks = 2 : i64, points = array<i64: 4, 1>, threads = array<i64: 8, 32>}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// The largest block there is, whose registers are then the cap; as many rows as z can have.
// CHECK-LABEL: func.func @largest_blocks
// CHECK:         #stencil.plan<{mapping = "thread", max_registers = 64 : i64, points = array<i64: 1>, threads = array<i64: 1024>}>
// CHECK:         threads = array<i64: 64, 1, 16>
func.func @largest_blocks() {
  %r0 = stencil.apply() -> (!stencil.temp<[0,5000]xf64>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 1024>}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  %r1 = stencil.apply() -> (!stencil.temp<[0,64]x[0,2]x[0,64]xf64>)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 64, 1, 16>}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// As many blocks as fit along y.
// CHECK-LABEL: func.func @largest_grid
// CHECK:         threads = array<i64: 1, 32>
func.func @largest_grid() {
  %r = stencil.apply() -> (!stencil.temp<[0,65535]x[0,4]xf64>)
      attributes {stencil.plan = #stencil.plan<{points = array<i64: 1, 1>, threads = array<i64: 1, 32>}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// Points that nobody asks for have no bounds, and no plan.
// CHECK-LABEL: func.func @unused
// CHECK-NOT:     stencil.plan
func.func @unused() {
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// What a program asks for fills what the plan leaves open; what the mapping cannot serve is said.
// REMARK: mapping 'thread' does not support 'stream'
// CHECK-LABEL: func.func @constraints
// CHECK:         #stencil.plan<{mapping = "thread", max_registers = 64 : i64, min_blocks = 4 : i64, points = array<i64: 2, 1>, threads = array<i64: 8, 32>}>
func.func @constraints() {
  %r = stencil.apply() -> (!stencil.temp<[0,64]x[0,64]xf64>)
      attributes {stencil.constraints = {occupancy = 0.5, stream = 0},
                  stencil.plan = #stencil.plan<{points = array<i64: 2, 1>, threads = array<i64: 8, 32>}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}
