// The extents of the domain are to be given when the program runs: the domain that bounds are written for, and the least extents for its margins.
//
// RUN: stencil-opt %s --stencil-generalize-domain | FileCheck %s
// RUN: stencil-opt %s --stencil-generalize-domain -o %t.mlir
// RUN: stencil-opt %t.mlir --stencil-generalize-domain | FileCheck %s
// RUN: stencilc run %t.mlir --on=emulator --function=halo --verify --seed=1
// RUN: stencilc run %t.mlir --on=emulator --function=strips --verify --seed=1

// CHECK-LABEL: func.func @halo
// CHECK-SAME:    !stencil.field<[-1,33]x[0,32]xf64> {stencil.follows = array<i64: 0, 1>}
// CHECK-SAME:    !stencil.field<[0,32]xf64> {stencil.follows = array<i64: 1>}
// CHECK-SAME:    !stencil.field<[0,6]xf64> {stencil.follows = array<i64: -1>}
// CHECK-SAME:    stencil.run_time_extents = {least = array<i64: 1, 1>, lower = array<i64: 0, 0>, upper = array<i64: 32, 32>}
func.func @halo(%in: !stencil.field<[-1,33]x[0,32]xf64>, %row: !stencil.field<[0,32]xf64>,
                %table: !stencil.field<[0,6]xf64>, %out: !stencil.field<[0,32]x[0,32]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,33]x[0,32]xf64> -> !stencil.temp<?x?xf64>
  %s = stencil.load %row : !stencil.field<[0,32]xf64> -> !stencil.temp<?xf64>
  %w = stencil.load %table : !stencil.field<[0,6]xf64> -> !stencil.temp<?xf64>
  %third = arith.constant 3 : index
  %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>, %b = %s : !stencil.temp<?xf64>,
                     %c = %w : !stencil.temp<?xf64>, %i = %third : index) -> (!stencil.temp<?x?xf64>) {
    %x = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
    %y = stencil.access %a[1, 0] : !stencil.temp<?x?xf64>
    %z = stencil.access %b[_, 0] : !stencil.temp<?xf64>
    %v = stencil.dyn_access %c[%i] in <[0]> : <[5]> attributes {absolute} : !stencil.temp<?xf64>
    %xy = arith.addf %x, %y : f64
    %xyz = arith.addf %xy, %z : f64
    %sum = arith.addf %xyz, %v : f64
    stencil.return %sum : f64
  }
  stencil.store %r to %out(<[0, 0], [32, 32]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,32]x[0,32]xf64>
  return
}

// Strips of 2 and 3 rows, and a row between them.
//
// CHECK-LABEL: func.func @strips
// CHECK-SAME:    {least = array<i64: 6, 1>, lower = array<i64: 0, 0>, upper = array<i64: 32, 32>}
func.func @strips(%out: !stencil.field<[0,32]x[0,32]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<?x?xf64>) {
    %one = arith.constant 1.0 : f64
    stencil.return %one : f64
  }
  stencil.store %r to %out(<[0, 0], [2, 32]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,32]x[0,32]xf64>
  %q = stencil.apply() -> (!stencil.temp<?x?xf64>) {
    %two = arith.constant 2.0 : f64
    stencil.return %two : f64
  }
  stencil.store %q to %out(<[2, 0], [29, 32]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,32]x[0,32]xf64>
  %p = stencil.apply() -> (!stencil.temp<?x?xf64>) {
    %three = arith.constant 3.0 : f64
    stencil.return %three : f64
  }
  stencil.store %p to %out(<[29, 0], [32, 32]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,32]x[0,32]xf64>
  return
}
