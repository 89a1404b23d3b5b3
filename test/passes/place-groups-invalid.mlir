// Groups that cannot be one sweep each are refused, with the reason.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --stencil-infer-bounds --stencil-place-copies --stencil-place-groups

!line = !stencil.field<[-4,12]xf64>
!temp = !stencil.temp<?xf64>

func.func @not_convex(%a: !line, %b: !line) {
  %as = stencil.load %a : !line -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.group = "group"} {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  // expected-error @below {{'stencil.apply' op needs a result of group 'group', which needs a result or an access of it}}
  // expected-note @below {{make it a part of the group, or split the group}}
  %q = stencil.apply(%x = %p : !temp) -> (!temp) {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  %r = stencil.apply(%x = %q : !temp) -> (!temp) attributes {stencil.group = "group"} {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  stencil.store %r to %b(<[0], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-4,12]xf64>
!temp = !stencil.temp<?xf64>

func.func @need_each_other(%a: !line, %b: !line, %c: !line) {
  %as = stencil.load %a : !line -> !temp
  // expected-error @below {{is of a group, and the groups 'one' and 'two' need each other}}
  // expected-note @below {{make one group of them, or split one}}
  %p = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.group = "one"} {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  %q = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.group = "two"} {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  %r = stencil.apply(%x = %q : !temp) -> (!temp) attributes {stencil.group = "one"} {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  stencil.store %r to %b(<[0], [8]>) : !temp to !line
  %s = stencil.apply(%x = %p : !temp) -> (!temp) attributes {stencil.group = "two"} {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  stencil.store %s to %c(<[0], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-4,12]xf64>
!temp = !stencil.temp<?xf64>

func.func @in_two_blocks(%a: !line, %b: !line, %c: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %as = stencil.load %a : !line -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.group = "group"} {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  stencil.store %p to %b(<[0], [8]>) : !temp to !line
  scf.for %i = %zero to %n step %one {
    %bs = stencil.load %b : !line -> !temp
    // expected-error @below {{is of group 'group', which is in another block}}
    // expected-note @below {{give each block groups of its own}}
    %q = stencil.apply(%x = %bs : !temp) -> (!temp) attributes {stencil.group = "group"} {
      %0 = stencil.access %x[1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %q to %c(<[0], [8]>) : !temp to !line
  }
  return
}

// -----

!line = !stencil.field<[-4,12]xf64>
!temp = !stencil.temp<?xf64>

// A block of threads may have stored what another one reads.
func.func @in_place(%a: !line, %b: !line) {
  %as = stencil.load %a : !line -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.group = "group"} {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  stencil.store %p to %b(<[0], [8]>) : !temp to !line
  %bs = stencil.load %b : !line -> !temp
  // expected-error @below {{is the last of group 'group', which cannot be one sweep: it reads cells of a field before it stores them}}
  // expected-note @below {{store to another field}}
  %q = stencil.apply(%x = %bs : !temp) -> (!temp) attributes {stencil.group = "group"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %q to %a(<[0], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-4,12]xf64>
!temp = !stencil.temp<?xf64>

func.func @unwritten(%a: !line, %b: !line, %c: !line) {
  %as = stencil.load %a : !line -> !temp
  // expected-error @below {{shares a temp with a group that has unwritten points or no bounds}}
  // expected-note @below {{store the temp, and load that}}
  %p = stencil.apply(%x = %as : !temp) -> (!temp) {
    %0 = stencil.access %x[1] : !temp
    %1 = stencil.store_result : !stencil.result<f64>
    stencil.return %1 : !stencil.result<f64>
  }
  %q = stencil.apply(%x = %p : !temp) -> (!temp) attributes {stencil.group = "group"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  %r = stencil.apply(%x = %q : !temp) -> (!temp) attributes {stencil.group = "group"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %r to %c(<[0], [8]>) : !temp to !line
  return
}
