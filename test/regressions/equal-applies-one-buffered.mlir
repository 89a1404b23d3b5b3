// Two equal applies became one by common subexpressions, also where one of them is buffered: a buffer
// must be the only user, and the program was refused. A buffered result is memory of its own.
//
// RUN: stencil-opt %s --cse | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --function=applies --seed=1
// RUN: stencilc run %s --on=emulator --verify --function=combines --seed=1

// CHECK-LABEL: func.func @applies
// CHECK:         %[[R:.*]] = stencil.apply
// CHECK:         %[[S:.*]] = stencil.apply
// CHECK:         stencil.buffer %[[R]]
// CHECK:         stencil.store %[[S]]
func.func @applies(%in: !stencil.field<[0,8]xf64>, %o: !stencil.field<[0,8]xf64>, %p: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<[0,8]xf64>) -> (!stencil.temp<[0,8]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    stencil.return %v : f64
  }
  %s = stencil.apply(%a = %t : !stencil.temp<[0,8]xf64>) -> (!stencil.temp<[0,8]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    stencil.return %v : f64
  }
  %b = stencil.buffer %r : !stencil.temp<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  stencil.store %b to %o(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  stencil.store %s to %p(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  return
}

// CHECK-LABEL: func.func @combines
// CHECK:         %[[R:.*]] = stencil.combine
// CHECK:         %[[S:.*]] = stencil.combine
// CHECK:         stencil.buffer %[[R]]
// CHECK:         stencil.store %[[S]]
func.func @combines(%in: !stencil.field<[0,8]xf64>, %other: !stencil.field<[0,8]xf64>,
                    %o: !stencil.field<[0,8]xf64>, %p: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %u = stencil.load %other : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  %r = stencil.combine 0 at 3 lower = (%t : !stencil.temp<[0,8]xf64>) upper = (%u : !stencil.temp<[0,8]xf64>)
    : !stencil.temp<[0,8]xf64>
  %s = stencil.combine 0 at 3 lower = (%t : !stencil.temp<[0,8]xf64>) upper = (%u : !stencil.temp<[0,8]xf64>)
    : !stencil.temp<[0,8]xf64>
  %b = stencil.buffer %r : !stencil.temp<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  stencil.store %b to %o(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  stencil.store %s to %p(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  return
}
