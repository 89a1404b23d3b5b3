// Upstream's inliner moves functions around and into applies.
//
// RUN: stencil-opt %s --inline | FileCheck %s

func.func private @step(%f: !stencil.field<[-1,65]xf64>, %g: !stencil.field<[-1,65]xf64>) {
  %t = stencil.load %f : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %l = stencil.access %a[-1] : !stencil.temp<?xf64>
    %u = stencil.access %a[1] : !stencil.temp<?xf64>
    %m = func.call @mean(%l, %u) : (f64, f64) -> f64
    stencil.return %m : f64
  }
  stencil.store %r to %g(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[-1,65]xf64>
  return
}

func.func private @mean(%x: f64, %y: f64) -> f64 {
  %half = arith.constant 0.5 : f64
  %sum = arith.addf %x, %y : f64
  %mean = arith.mulf %sum, %half : f64
  return %mean : f64
}

// Functions that hold stencil operations, and calls at a point.
// CHECK-LABEL: func.func @two_steps
// CHECK-SAME:    %[[F:.*]]: !stencil.field<[-1,65]xf64>, %[[G:.*]]: !stencil.field<[-1,65]xf64>
func.func @two_steps(%f: !stencil.field<[-1,65]xf64>, %g: !stencil.field<[-1,65]xf64>) {
  // CHECK-NOT: call
  // CHECK:     stencil.load %[[F]]
  // CHECK:     stencil.apply
  // CHECK:       stencil.access %[[A:.*]][-1]
  // CHECK:       stencil.access %[[A]][1]
  // CHECK:       arith.addf
  // CHECK:     stencil.store %{{.*}} to %[[G]]
  func.call @step(%f, %g) : (!stencil.field<[-1,65]xf64>, !stencil.field<[-1,65]xf64>) -> ()
  // CHECK-NOT: call
  // CHECK:     stencil.load %[[G]]
  // CHECK:     stencil.store %{{.*}} to %[[F]]
  func.call @step(%g, %f) : (!stencil.field<[-1,65]xf64>, !stencil.field<[-1,65]xf64>) -> ()
  return
}

func.func private @write(%f: !stencil.field<[0,8]xf64>, %x: f64) -> f64 {
  %t = stencil.load %f : !stencil.field<[0,8]xf64> -> !stencil.temp<?xf64>
  stencil.store %t to %f(<[0], [4]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return %x : f64
}

// What works on whole grids is not moved to a point.
// CHECK-LABEL: func.func @left_alone
func.func @left_alone(%f: !stencil.field<[0,8]xf64>, %g: !stencil.field<[0,8]xf64>) {
  %r = stencil.apply(%a = %f : !stencil.field<[0,8]xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.field<[0,8]xf64>
    // CHECK: func.call @write
    %w = func.call @write(%a, %v) : (!stencil.field<[0,8]xf64>, f64) -> f64
    stencil.return %w : f64
  }
  stencil.store %r to %g(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}
