// What no sweep can compute is refused where a plan asks for it, with the reason.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --convert-stencil-to-sweep

!line = !stencil.field<[-1,9]xf64>
!inner = !stencil.temp<[0,8]xf64>

func.func @two_results(%a: !line, %b: !line, %c: !line) {
  %t = stencil.load %a : !line -> !inner
  // expected-error @below {{'stencil.apply' op cannot be a sweep: it has 2 results, a sweep of one statement and one step computes one}}
  // expected-note @below {{split it into applies of one result}}
  %r:2 = stencil.apply(%x = %t : !inner) -> (!inner, !inner)
      attributes {stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %v = stencil.access %x[0] : !inner
    stencil.return %v, %v : f64, f64
  }
  stencil.store %r#0 to %b(<[0], [8]>) : !inner to !line
  stencil.store %r#1 to %c(<[0], [8]>) : !inner to !line
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!inner = !stencil.temp<[0,8]xf64>

func.func @used_temps(%a: !line, %b: !line) {
  %t = stencil.load %a : !line -> !inner
  // expected-error @below {{'stencil.apply' op cannot be a sweep: it has a result that it cannot write to the field of its only store}}
  // expected-note @below {{store the result next to the apply, and use the field}}
  %r = stencil.apply(%x = %t : !inner) -> (!inner)
      attributes {stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %v = stencil.access %x[0] : !inner
    stencil.return %v : f64
  }
  %s = stencil.apply(%x = %r : !inner) -> (!inner) {
    %v = stencil.access %x[0] : !inner
    stencil.return %v : f64
  }
  stencil.store %s to %b(<[0], [8]>) : !inner to !line
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!inner = !stencil.temp<[0,8]xf64>

func.func @temp_of_another_apply(%a: !line, %b: !line) {
  %t = stencil.load %a : !line -> !inner
  %s = stencil.apply(%x = %t : !inner) -> (!inner) {
    %v = stencil.access %x[0] : !inner
    stencil.return %v : f64
  }
  // expected-error @below {{'stencil.apply' op cannot be a sweep: it reads a temp that another apply computes}}
  // expected-note @below {{store the temp to a field, or set 'mapping = "thread"' in its plan}}
  %r = stencil.apply(%x = %s : !inner) -> (!inner)
      attributes {stencil.plan = #stencil.plan<{mapping = "block"}>} {
    %v = stencil.access %x[0] : !inner
    stencil.return %v : f64
  }
  stencil.store %r to %b(<[0], [8]>) : !inner to !line
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!values = !stencil.temp<[-1,9]xf64>
!inner = !stencil.temp<[0,8]xf64>

// Neighbours are read while they are written: place-copies would have put a copy in between.
func.func @in_place(%a: !line) {
  %t = stencil.load %a : !line -> !values
  // expected-error @below {{'stencil.apply' op cannot be a sweep: it reads a temp whose field changes before its last use}}
  // expected-note @below {{run stencil-place-copies first}}
  %r = stencil.apply(%x = %t : !values) -> (!inner)
      attributes {stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %v = stencil.access %x[1] : !values
    stencil.return %v : f64
  }
  stencil.store %r to %a(<[0], [8]>) : !inner to !line
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!inner = !stencil.temp<[0,8]xf64>

func.func @unrolled(%a: !line, %b: !line) {
  %t = stencil.load %a : !line -> !stencil.temp<[0,9]xf64>
  // expected-error @below {{'stencil.apply' op cannot be a sweep: it computes several points at once}}
  // expected-note @below {{return one point, not unrolled}}
  %r = stencil.apply(%x = %t : !stencil.temp<[0,9]xf64>) -> (!inner)
      attributes {stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %v = stencil.access %x[0] : !stencil.temp<[0,9]xf64>
    %w = stencil.access %x[1] : !stencil.temp<[0,9]xf64>
    stencil.return %v, %w unroll <[2]> : f64, f64
  }
  stencil.store %r to %b(<[0], [8]>) : !inner to !line
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!inner = !stencil.temp<[0,8]xf64>

func.func @optional(%a: !line, %b: !line) {
  %t = stencil.load %a : !line -> !inner
  // expected-error @below {{'stencil.apply' op cannot be a sweep: it returns a stencil.result, which may leave points unwritten}}
  // expected-note @below {{return the number itself}}
  %r = stencil.apply(%x = %t : !inner) -> (!inner)
      attributes {stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %v = stencil.access %x[0] : !inner
    %w = stencil.store_result %v : !stencil.result<f64>
    stencil.return %w : !stencil.result<f64>
  }
  stencil.store %r to %b(<[0], [8]>) : !inner to !line
  return
}

// -----

!line = !stencil.field<[-1,9]xi32>
!inner = !stencil.temp<[0,8]xi32>

func.func @integers(%a: !line, %b: !line) {
  %t = stencil.load %a : !line -> !inner
  // expected-error @below {{'stencil.apply' op cannot be a sweep: it computes numbers of type i32, sweeps are made for floats}}
  // expected-note @below {{set 'mapping = "thread"' in its plan}}
  %r = stencil.apply(%x = %t : !inner) -> (!inner)
      attributes {stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %v = stencil.access %x[0] : !inner
    stencil.return %v : i32
  }
  stencil.store %r to %b(<[0], [8]>) : !inner to !line
  return
}

// -----

!line = !stencil.field<[-1,9]xf32>
!wide = !stencil.field<[-1,9]xf64>

// A field of other numbers, or one that is read at coordinates, cannot be the level to start from.
func.func @nothing_to_start_from(%a: !line, %b: !wide, %c: !wide) {
  %t = stencil.load %a : !line -> !stencil.temp<[0,8]xf32>
  %u = stencil.load %b : !wide -> !stencil.temp<[-1,9]xf64>
  // expected-error @below {{'stencil.apply' op cannot be a sweep: it reads no field of f64 of its rank at constant offsets}}
  // expected-note @below {{set 'mapping = "thread"' in its plan}}
  %r = stencil.apply(%x = %t : !stencil.temp<[0,8]xf32>, %y = %u : !stencil.temp<[-1,9]xf64>)
      -> (!stencil.temp<[0,8]xf64>) attributes {stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %v = stencil.access %x[0] : !stencil.temp<[0,8]xf32>
    %i = stencil.index 0 <[0]>
    %w = stencil.dyn_access %y[%i] in <[-1]> : <[1]> : !stencil.temp<[-1,9]xf64>
    %e = arith.extf %v : f32 to f64
    %s = arith.addf %e, %w : f64
    stencil.return %s : f64
  }
  stencil.store %r to %c(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !wide
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!inner = !stencil.temp<[0,8]xf64>

// The slots change places with a field that is also read by its own name.
func.func @by_another_name(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %t = stencil.load %a : !line -> !inner
    // expected-error @below {{'stencil.apply' op cannot be a sweep: it may write a field that it reads through another alias}}
    // expected-note @below {{set 'mapping = "thread"' in its plan}}
    %r = stencil.apply(%x = %t : !inner) -> (!inner)
        attributes {stencil.plan = #stencil.plan<{mapping = "warp"}>} {
      %w = stencil.access %x[0] : !inner
      stencil.return %w : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !inner to !line
    scf.yield %v, %u : !line, !line
  }
  return
}
