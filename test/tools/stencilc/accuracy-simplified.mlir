// Freezing may drop an apply that nothing needs, and simplify the coordinates of a read: the first
// is told by its place, and there is no bound for the second.
//
// RUN: stencilc accuracy %s --points=100 | FileCheck %s

!ints = !stencil.field<[0,16]xi64>
!inputs = !stencil.field<[0,16]xf64>
!counts = !stencil.temp<?xi64>
!values = !stencil.temp<?xf64>

// The difference of equal numbers is zero, so the first apply is not read.
// CHECK: program {{.*}}, 100 points
// CHECK-NEXT: apply scaled of dropped: 3 operations, frozen 1
// CHECK-NEXT: result 0:
func.func @dropped(%a: !ints, %in: !inputs, %out: !inputs) {
  %t = stencil.load %a : !ints -> !counts
  %u = stencil.load %in : !inputs -> !values
  %r = stencil.apply(%x = %t : !counts) -> (!counts) attributes {stencil.stage = "unread"} {
    %v = stencil.access %x[1] : !counts
    %w = arith.addi %v, %v : i64
    stencil.return %w : i64
  }
  %s = stencil.apply(%x = %u : !values, %y = %r : !counts) -> (!values)
      attributes {stencil.stage = "scaled"} {
    %v = stencil.access %y[0] : !counts
    %w = stencil.access %y[0] : !counts
    %d = arith.subi %v, %w : i64
    %n = arith.sitofp %d : i64 to f64
    %z = stencil.access %x[0] : !values
    %two = arith.constant 2.0 : f64
    %p = arith.mulf %z, %two : f64
    %zero = arith.constant 0 : i64
    %same = arith.cmpi eq, %d, %zero : i64
    %q = arith.select %same, %p, %n : f64
    stencil.return %q : f64
  }
  stencil.store %s to %out(<[1], [14]>) : !values to !inputs
  return
}

// CHECK-NEXT: apply chosen of coordinates: no bound: a cell at coordinates that the text computes in another way
func.func @coordinates(%a: !inputs, %b: !inputs) {
  %t = stencil.load %a : !inputs -> !values
  %r = stencil.apply(%x = %t : !values) -> (!values) attributes {stencil.stage = "chosen"} {
    %u = stencil.access %x[0] : !values
    %zero = arith.constant 0.0 : f64
    %c = arith.cmpf olt, %u, %zero : f64
    %i = stencil.index 0 <[1]>
    %j = stencil.index 0 <[1]>
    %k = arith.select %c, %i, %j : index
    %v = stencil.dyn_access %x[%k] in <[0]> : <[1]> : !values
    stencil.return %v : f64
  }
  stencil.store %r to %b(<[1], [14]>) : !values to !inputs
  return
}
