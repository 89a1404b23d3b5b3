// Marks that cannot be followed are refused where they are.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --stencil-cut-producers

!field = !stencil.field<[-2,18]xf64>
!temp = !stencil.temp<[-1,17]xf64>

func.func @inside_of_a_branch(%u: !field, %v: !field) {
  %t = stencil.load %u : !field -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!stencil.temp<[0,17]xf64>) {
    %l = stencil.access %a[-1] : !temp
    %r = stencil.access %a[0] : !temp
    %c = arith.cmpf olt, %l, %r : f64
    %s = scf.if %c -> f64 {
      // expected-error @below {{cannot cross to readers: it is no floating-point number of every point}}
      // expected-note @below {{mark ops of the apply's own block}}
      %d = arith.subf %r, %l {stencil.crosses} : f64
      scf.yield %d : f64
    } else {
      scf.yield %l : f64
    }
    stencil.return %s : f64
  }
  stencil.store %p to %v(<[0], [17]>) : !stencil.temp<[0,17]xf64> to !field
  return
}

// -----

!field = !stencil.field<[-2,18]xf64>
!temp = !stencil.temp<[-1,17]xf64>

func.func @no_number(%u: !field, %v: !field) {
  %t = stencil.load %u : !field -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!stencil.temp<[0,17]xf64>) {
    %l = stencil.access %a[-1] : !temp
    %r = stencil.access %a[0] : !temp
    // expected-error @below {{cannot cross to readers}}
    // expected-note @below {{mark ops of the apply's own block}}
    %c = arith.cmpf olt, %l, %r {stencil.crosses} : f64
    %s = arith.select %c, %l, %r : f64
    stencil.return %s : f64
  }
  stencil.store %p to %v(<[0], [17]>) : !stencil.temp<[0,17]xf64> to !field
  return
}

// -----

!field = !stencil.field<[-2,18]xf64>
!temp = !stencil.temp<[-2,18]xf64>

func.func @several_points(%u: !field, %v: !field) {
  %t = stencil.load %u : !field -> !temp
  // expected-error @below {{cannot be cut: it computes several points at once, or has destinations}}
  // expected-note @below {{cut it before stencil-unroll}}
  %p = stencil.apply(%a = %t : !temp) -> (!stencil.temp<[0,16]xf64>) {
    %l = stencil.access %a[-1] : !temp
    %r = stencil.access %a[0] : !temp
    %d = arith.subf %r, %l {stencil.crosses} : f64
    stencil.return %d, %r unroll <[2]> : f64, f64
  }
  stencil.store %p to %v(<[0], [16]>) : !stencil.temp<[0,16]xf64> to !field
  return
}

// -----

!field = !stencil.field<[-2,18]xf64>
!temp = !stencil.temp<?xf64>

func.func @no_bounds(%u: !field, %v: !field) {
  %t = stencil.load %u : !field -> !temp
  // expected-error @below {{cannot be cut: it has no bounds}}
  // expected-note @below {{run stencil-infer-bounds first}}
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %l = stencil.access %a[-1] : !temp
    %r = stencil.access %a[0] : !temp
    %d = arith.subf %r, %l {stencil.crosses} : f64
    stencil.return %d : f64
  }
  stencil.store %p to %v(<[0], [16]>) : !temp to !field
  return
}
