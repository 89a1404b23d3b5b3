// More kernels than there are pieces, and kernels that sweep.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --stencil-split-applies

!temp = !stencil.temp<[0,64]xf64>
func.func @more_than_pieces(%t: !temp) {
  // expected-error @below {{'stencil.apply' op cannot be split into 4 kernels, it has 3 pieces}}
  // expected-note @below {{take at most 3 for `splits`}}
  %r = stencil.apply(%a = %t : !temp) -> (!temp)
      attributes {stencil.plan = #stencil.plan<{splits = 4 : i64}>} {
    %v = stencil.access %a[0] : !temp
    %two = arith.addf %v, %v : f64
    %three = arith.addf %two, %v : f64
    %four = arith.addf %three, %v : f64
    stencil.return %four : f64
  }
  return
}

// -----

!temp = !stencil.temp<[0,64]xf64>
func.func @one_piece(%t: !temp) {
  // expected-error @below {{'stencil.apply' op cannot be split into 2 kernels, it is one piece}}
  // expected-note @below {{leave `splits` out}}
  %r = stencil.apply(%a = %t : !temp) -> (!temp)
      attributes {stencil.plan = #stencil.plan<{splits = 2 : i64}>} {
    %v = stencil.access %a[0] : !temp
    stencil.return %v : f64
  }
  return
}

// -----

!temp = !stencil.temp<[0,64]xf64>
func.func @sweep(%t: !temp) {
  // expected-error @below {{'stencil.apply' op plan key 'splits' has no effect with mapping "warp", only with thread}}
  // expected-note @below {{fix the plan}}
  %r = stencil.apply(%a = %t : !temp) -> (!temp)
      attributes {stencil.plan = #stencil.plan<{mapping = "warp", splits = 2 : i64}>} {
    %v = stencil.access %a[0] : !temp
    %two = arith.addf %v, %v : f64
    %three = arith.addf %two, %v : f64
    stencil.return %three : f64
  }
  return
}

// -----

!temp = !stencil.temp<[0,64]xf64>
!field = !stencil.field<[0,64]xf64>
func.func @destinations(%t: !temp, %f: !field) {
  // expected-error @below {{'stencil.apply' op cannot be split: it has destinations, or no bounds}}
  // expected-note @below {{run stencil-place-copies first}}
  stencil.apply(%a = %t : !temp) outs (%f : !field)
      attributes {stencil.plan = #stencil.plan<{splits = 2 : i64}>} {
    %v = stencil.access %a[0] : !temp
    %two = arith.addf %v, %v : f64
    %three = arith.addf %two, %v : f64
    stencil.return %three : f64
  } to <[0], [64]>
  return
}

// -----

func.func @none() {
  %r = stencil.apply() -> (!stencil.temp<[0,64]xf64>)
      // expected-error @below {{plan key 'splits' is 0, outside 1..=64}}
      attributes {stencil.plan = #stencil.plan<{splits = 0 : i64}>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}
