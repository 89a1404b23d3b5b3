// What a function returns is an argument after the others, or the argument that it is.
//
// RUN: stencil-opt %s --stencil-bind-results | FileCheck %s
// RUN: stencil-opt %s --stencil-bind-results --stencil-bind-results | FileCheck %s
//
// DEFINE: %{function} =
// DEFINE: %{arguments} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(stencil-bind-results)' --seed=1 %{arguments}
// DEFINE: %{kernels} = stencilc run %s --on=emulator --function=%{function} --verify --seed=1 %{arguments}
// REDEFINE: %{function} = memory
// RUN: %{run} | FileCheck %s --check-prefix=THREE
// THREE: bit-identical (3 fields, 27 cells)
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{function} = rotated
// REDEFINE: %{arguments} = --arg 2=3
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{arguments} = --arg 2=0
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{function} = numbers
// REDEFINE: %{arguments} = --arg k=1.5 --arg n=4
// RUN: %{run} | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: bit-identical (6 fields, 20 cells)
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// VERIFIED: {{^}}verified: bit-identical

!field = !stencil.field<[0,9]xf32>

// An argument is itself; an allocation becomes an argument, without a copy.
// CHECK-LABEL: func.func @memory
// CHECK-SAME:    (%[[IN:.*]]: !stencil.field<[0,9]xf32>, %[[OUT:.*]]: !stencil.field<[0,9]xf32>, %[[R:.*]]: !stencil.field<[0,9]xf32> {stencil.name = "result1"}) {
// CHECK-NOT:     stencil.alloc
func.func @memory(%in: !field, %out: !field) -> (!field, !field) {
  %made = stencil.alloc : !field
  %t = stencil.load %in : !field -> !stencil.temp<?xf32>
  %r:2 = stencil.apply(%x = %t : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>, !stencil.temp<?xf32>) {
    %c = stencil.access %x[0] : !stencil.temp<?xf32>
    %d = arith.addf %c, %c : f32
    stencil.return %c, %d : f32, f32
  }
  stencil.store %r#0 to %out(<[1], [9]>) : !stencil.temp<?xf32> to !field
  // CHECK: stencil.store %{{.*}} to %[[R]]
  // CHECK-NEXT: return{{$}}
  stencil.store %r#1 to %made(<[0], [7]>) : !stencil.temp<?xf32> to !field
  return %out, %made : !field, !field
}

// Which of two fields comes out of a loop depends on the number of its iterations: it is copied.
// CHECK-LABEL: func.func @rotated
// CHECK-SAME:    %[[R:[a-z0-9]+]]: !stencil.field<[0,9]xf32> {stencil.name = "result"}) {
func.func @rotated(%u: !field, %v: !field, %n: index) -> !field {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: %[[LOOP:.*]]:2 = scf.for
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %t = stencil.load %now : !field -> !stencil.temp<?xf32>
    %r = stencil.apply(%x = %t : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>) {
      %w = stencil.access %x[-1] : !stencil.temp<?xf32>
      %e = stencil.access %x[1] : !stencil.temp<?xf32>
      %s = arith.subf %e, %w : f32
      stencil.return %s : f32
    }
    stencil.store %r to %next(<[1], [8]>) : !stencil.temp<?xf32> to !field
    scf.yield %next, %now : !field, !field
  }
  // CHECK:      %[[T:.*]] = stencil.load %[[LOOP]]#0
  // CHECK-NEXT: stencil.store %[[T]] to %[[R]](<[0], [9]>)
  return %end#0 : !field
}

// Numbers are fields of one cell, temps fields of theirs; names follow the positions of results.
// CHECK-LABEL: func.func @numbers
// CHECK-SAME:    !stencil.field<[0,1]xf64> {stencil.name = "result0"}
// CHECK-SAME:    !stencil.field<[2,6]xf32> {stencil.name = "result1"}
// CHECK-SAME:    !stencil.field<[0,1]xindex> {stencil.name = "result2"}
// CHECK-SAME:    !stencil.field<[0,1]xi1> {stencil.name = "result3"}
// CHECK-SAME:    !stencil.field<[0,1]xf16> {stencil.name = "result4"}
// CHECK-SAME:    param_names = ["u", "k", "n"]
func.func @numbers(%u: !stencil.field<[0,12]xf32>, %k: f64, %n: index)
    -> (f64, !stencil.temp<[2,6]xf32>, index, i1, f16) attributes {param_names = ["u", "k", "n"]} {
  // CHECK: %[[SQUARE:.*]] = arith.mulf
  %square = arith.mulf %k, %k : f64
  %double = arith.addi %n, %n : index
  %less = arith.cmpf olt, %k, %square : f64
  %short = arith.truncf %square : f64 to f16
  %t = stencil.load %u : !stencil.field<[0,12]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf32>) -> (!stencil.temp<[2,6]xf32>) {
    %c = stencil.access %x[3] : !stencil.temp<?xf32>
    stencil.return %c : f32
  }
  // CHECK: stencil.apply(%[[X:.*]] = %[[SQUARE]] : f64) -> (!stencil.temp<[0,1]xf64>) {
  // CHECK-NEXT: stencil.return %[[X]]
  return %square, %r, %double, %less, %short : f64, !stencil.temp<[2,6]xf32>, index, i1, f16
}

// A function without stencils is none of ours.
// CHECK-LABEL: func.func @plain(%{{.*}}: f64) -> f64
func.func @plain(%k: f64) -> f64 {
  return %k : f64
}
