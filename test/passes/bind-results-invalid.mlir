// Results that no argument can hold, each reason once.
//
// RUN: stencil-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --stencil-bind-results

func.func @unknown_bounds(%f: !stencil.field<[0,8]xf32>) -> !stencil.temp<?xf32> {
  %t = stencil.load %f : !stencil.field<[0,8]xf32> -> !stencil.temp<?xf32>
  // expected-error @below {{'func.return' op returns result 0 of unknown bounds: !stencil.temp<?xf32>}}
  // expected-note @below {{give the type bounds, or store the result to an argument}}
  return %t : !stencil.temp<?xf32>
}

// -----

func.func @handle(%f: !stencil.field<[0,8]xf32>) -> !foreign.handle {
  %h = "foreign.open"() : () -> !foreign.handle
  // expected-error @below {{'func.return' op returns result 0 of type !foreign.handle}}
  // expected-note @below {{a package has results that are fields, temps with bounds, or numbers}}
  return %h : !foreign.handle
}

// -----

func.func @narrow(%f: !stencil.field<[0,8]xf32>, %x: i5) -> (!stencil.field<[0,8]xf32>, i5) {
  %y = arith.addi %x, %x : i5
  // expected-error @below {{'func.return' op returns result 1 of type i5}}
  // expected-note @below {{a package has results that are fields, temps with bounds, or numbers}}
  return %f, %y : !stencil.field<[0,8]xf32>, i5
}
