// Stores of single cells are applies over their field, with the result of the sequential loop.
//
// RUN: stencil-opt %s --stencil-bind-memrefs --stencil-gather-updates | FileCheck %s --implicit-check-not=memref.store
//
// DEFINE: %{function} =
// DEFINE: %{arguments} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-bind-memrefs,stencil-gather-updates))' --seed=1 %{arguments}
// DEFINE: %{kernels} = stencilc run %s --on=emulator --function=%{function} --verify --seed=1 %{arguments}
// REDEFINE: %{function} = injection
// REDEFINE: %{arguments} = --arg 3=3 --arg 4=0.125
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{function} = same_cell
// REDEFINE: %{arguments} = --arg 1=6
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{function} = corners
// REDEFINE: %{arguments} =
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{function} = one_point
// REDEFINE: %{arguments} = --arg 1=4 --arg 2=2.5
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// VERIFIED: {{^}}verified: bit-identical

!field = !stencil.field<[-2,14]x[-1,10]xf32>
!memory = memref<16x11xf32>

// Devito's injection inside of its time loop: the time step chooses a row of the source's values.
// CHECK-LABEL: func.func @injection
// CHECK:         scf.for
// CHECK:           stencil.apply
// CHECK:           stencil.store
// CHECK:           stencil.apply
// CHECK:             %[[OLD:.*]] = stencil.access %{{.*}}[0, 0]
// CHECK:             scf.for {{.*}} iter_args(%[[CELL:.*]] = %[[OLD]]) -> (f32)
// CHECK:               stencil.dyn_access {{.*}} attributes {absolute}
// CHECK:               %[[HERE:.*]] = arith.andi
// CHECK:               scf.if %[[HERE]] -> (f32)
// CHECK:                 arith.addf %[[CELL]]
// CHECK:           stencil.store %{{.*}} to %{{.*}}(<[-2, -1], [14, 10]>)
func.func @injection(%u0: !field, %u1: !field, %source: !stencil.field<[0,4]x[0,5]xf32>, %steps: index, %dt: f32, %points: !stencil.field<[0,5]x[0,2]xf32>) {
  %src = builtin.unrealized_conversion_cast %source : !stencil.field<[0,4]x[0,5]xf32> to memref<4x5xf32>
  %at = builtin.unrealized_conversion_cast %points : !stencil.field<[0,5]x[0,2]xf32> to memref<5x2xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = arith.constant 5 : index
  %r:2 = scf.for %time = %zero to %steps step %one iter_args(%a = %u0, %b = %u1) -> (!field, !field) {
    %t = stencil.load %a : !field -> !stencil.temp<?x?xf32>
    %n = stencil.apply(%x = %t : !stencil.temp<?x?xf32>) -> (!stencil.temp<?x?xf32>) {
      %w = stencil.access %x[0, -1] : !stencil.temp<?x?xf32>
      %s = stencil.access %x[1, 0] : !stencil.temp<?x?xf32>
      %d = arith.subf %w, %s : f32
      stencil.return %d : f32
    }
    stencil.store %n to %b(<[0, 0], [12, 9]>) : !stencil.temp<?x?xf32> to !field
    %m = builtin.unrealized_conversion_cast %b : !field to !memory
    scf.parallel (%p) = (%zero) to (%count) step (%one) {
      %px = memref.load %at[%p, %zero] : memref<5x2xf32>
      %py = memref.load %at[%p, %one] : memref<5x2xf32>
      %five = arith.constant 5.0 : f32
      %xs = arith.mulf %px, %five : f32
      %xf = math.absf %xs : f32
      %yf = math.absf %py : f32
      %xi = arith.fptosi %xf : f32 to i64
      %yi = arith.fptosi %yf : f32 to i64
      %i = arith.index_cast %xi : i64 to index
      %j = arith.index_cast %yi : i64 to index
      %amplitude = memref.load %src[%time, %p] : memref<4x5xf32>
      %old = memref.load %m[%i, %j] : !memory
      %scaled = arith.mulf %amplitude, %dt : f32
      %new = arith.addf %old, %scaled : f32
      memref.store %new, %m[%i, %j] : !memory
      scf.reduce
    }
    scf.yield %b, %a : !field, !field
  }
  return
}

// Every iteration stores to the same cell: the last one stays, and each sees the one before it.
// CHECK-LABEL: func.func @same_cell
func.func @same_cell(%m: memref<7xf64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  scf.for %i = %zero to %n step %one {
    %old = memref.load %m[%three] : memref<7xf64>
    %k = arith.index_cast %i : index to i64
    %f = arith.sitofp %k : i64 to f64
    %sum = arith.addf %old, %f : f64
    %half = arith.mulf %sum, %sum : f64
    memref.store %half, %m[%three] : memref<7xf64>
  }
  return
}

// Two dimensions of iterations, branches, two fields, and two stores to one of them: the second sees
// what the first has stored.
// CHECK-LABEL: func.func @corners
// CHECK-COUNT-2: stencil.apply
// CHECK-NOT:     stencil.apply
func.func @corners(%a: memref<9x8xi32>, %b: memref<8xbf16>, %weights: memref<4xi32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  scf.parallel (%p, %q) = (%zero, %one) to (%four, %four) step (%one, %two) {
    %i = arith.addi %p, %q : index
    %j = arith.muli %q, %two : index
    %even = arith.remui %p, %two : index
    %is_even = arith.cmpi eq, %even, %zero : index
    %w = memref.load %weights[%p] : memref<4xi32>
    scf.if %is_even {
      %old = memref.load %a[%i, %q] : memref<9x8xi32>
      %new = arith.addi %old, %w : i32
      memref.store %new, %a[%i, %q] : memref<9x8xi32>
      %again = memref.load %a[%i, %q] : memref<9x8xi32>
      %square = arith.muli %again, %again : i32
      memref.store %square, %a[%i, %q] : memref<9x8xi32>
    } else {
      memref.store %w, %a[%p, %j] : memref<9x8xi32>
      %f = arith.sitofp %w : i32 to bf16
      memref.store %f, %b[%i] : memref<8xbf16>
    }
    scf.reduce
  }
  return
}

// A store by itself.
// CHECK-LABEL: func.func @one_point
// CHECK:         stencil.apply
// CHECK:         stencil.store
func.func @one_point(%u: !stencil.field<[-3,5]xf16>, %i: index, %x: f16) {
  %m = builtin.unrealized_conversion_cast %u : !stencil.field<[-3,5]xf16> to memref<8xf16>
  %old = memref.load %m[%i] : memref<8xf16>
  %new = arith.mulf %old, %x : f16
  memref.store %new, %m[%i] : memref<8xf16>
  return
}
