// Loops in which bounds were not inferred, and reach farther than they say.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --sweep-fuse-statements

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// Of a temp whose bounds were not inferred nothing is known.
func.func @unknown_bounds(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{'scf.for' op cannot be one sweep: it uses a field of unknown bounds}}
  // expected-note @below {{give the field bounds}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !temp to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @outside_of_a_temp(%a: !line, %b: !line, %c: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{reads a temp outside of the points that are computed}}
  // expected-note @below {{store the temp to a field, and load that}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    %us = stencil.load %u : !line -> !stencil.temp<[-1,9]xf64>
    %t:2 = stencil.apply(%x = %us : !stencil.temp<[-1,9]xf64>)
        -> (!stencil.temp<[0,8]xf64>, !stencil.temp<[0,8]xf64>) {
      %0 = stencil.access %x[1] : !stencil.temp<[-1,9]xf64>
      %1 = stencil.access %x[-1] : !stencil.temp<[-1,9]xf64>
      stencil.return %0, %1 : f64, f64
    }
    stencil.store %t#0 to %c(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !line
    %r = stencil.apply(%x = %t#1 : !stencil.temp<[0,8]xf64>) -> (!stencil.temp<[0,8]xf64>) {
      %0 = stencil.access %x[1] : !stencil.temp<[0,8]xf64>
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !line
    scf.yield %v, %u : !line, !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @carried_temp(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %initial = stencil.load %a : !line -> !temp
  // expected-error @below {{is in a loop that carries temps}}
  // expected-note @below {{store them to fields, and carry those}}
  %end = scf.for %i = %zero to %n step %one iter_args(%t = %initial) -> (!temp) {
    %r = stencil.apply(%x = %t : !temp) -> (!temp) {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %b(<[0], [8]>) : !temp to !line
    scf.yield %t : !temp
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// A field that gets its bounds in the loop has none where a sweep is launched.
func.func @cast_in_the_loop(%a: !line, %c: !stencil.field<?xf64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{stores a field that its loop casts}}
  // expected-note @below {{cast it before the loop}}
  scf.for %i = %zero to %n step %one {
    %as = stencil.load %a : !line -> !stencil.temp<[-1,9]xf64>
    %r = stencil.apply(%x = %as : !stencil.temp<[-1,9]xf64>) -> (!stencil.temp<[0,8]xf64>) {
      %0 = stencil.access %x[1] : !stencil.temp<[-1,9]xf64>
      stencil.return %0 : f64
    }
    %m = stencil.cast %c : !stencil.field<?xf64> -> !line
    stencil.store %r to %m(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !line
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}
