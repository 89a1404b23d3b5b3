// Groups of applies that cannot be one sweep are refused.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --stencil-infer-bounds --stencil-place-copies --sweep-fuse-statements

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// Another block of threads may have stored the cell that is read.
func.func @in_place(%a: !line, %b: !line) {
  %as = stencil.load %a : !line -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  // expected-error @below {{cannot be one sweep: it reads cells of a field before it stores them, and threads of another block may have stored them}}
  // expected-note @below {{store to another field}}
  %q = stencil.apply(%x = %p : !temp, %y = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[0] : !temp
    %1 = stencil.access %y[0] : !temp
    %2 = arith.mulf %0, %1 : f64
    stencil.return %2 : f64
  }
  stencil.store %q to %a(<[0], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @temp_read_outside(%a: !line, %b: !line, %c: !line) {
  %as = stencil.load %a : !line -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  // expected-error @below {{cannot be one sweep: it computes a temp that an op outside of the group reads}}
  // expected-note @below {{store the temp to a field, and load that}}
  %q = stencil.apply(%x = %p : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %q to %b(<[0], [8]>) : !temp to !line
  %r = stencil.apply(%x = %p : !temp) -> (!temp) {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %r to %c(<[0], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// The temp is in memory, if it is anywhere.
func.func @temp_from_outside(%a: !line, %b: !line) {
  %as = stencil.load %a : !line -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp) {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  // expected-error @below {{cannot be one sweep: it reads a temp that none of its statements computes}}
  // expected-note @below {{store the temp to a field, and load that}}
  %q = stencil.apply(%x = %p : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %q to %b(<[0], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// What the first apply reads is overwritten before the second.
func.func @overwritten_between(%a: !line, %b: !line, %c: !line) {
  %as = stencil.load %a : !line -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  %cs = stencil.load %c : !line -> !temp
  %other = stencil.apply(%x = %cs : !temp) -> (!temp) {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  stencil.store %other to %a(<[0], [8]>) : !temp to !line
  // expected-error @below {{cannot be one sweep: it has an op between its statements that accesses one of their fields}}
  // expected-note @below {{move it before or behind them}}
  %q = stencil.apply(%x = %p : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %q to %b(<[0], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

// What the first apply stores is read before the second.
func.func @read_between(%a: !line, %b: !line, %c: !line, %d: !line) {
  %as = stencil.load %a : !line -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  stencil.store %p to %b(<[0], [8]>) : !temp to !line
  %bs = stencil.load %b : !line -> !temp
  %other = stencil.apply(%x = %bs : !temp) -> (!temp) {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  stencil.store %other to %d(<[0], [8]>) : !temp to !line
  // expected-error @below {{cannot be one sweep: it has an op between its statements that accesses one of their fields}}
  // expected-note @below {{move it before or behind them}}
  %q = stencil.apply(%x = %bs : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %q to %c(<[0], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @loop_between(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %as = stencil.load %a : !line -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  scf.for %i = %zero to %n step %one {
  }
  // expected-error @below {{cannot be one sweep: it has 'scf.for' between its statements}}
  // expected-note @below {{move it before or behind them}}
  %q = stencil.apply(%x = %p : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %q to %b(<[0], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @late_field(%a: !line) {
  %as = stencil.load %a : !line -> !temp
  // expected-error @below {{cannot be one sweep: it stores to a field that is made after its last statement}}
  // expected-note @below {{make the field before the statements}}
  %p = stencil.apply(%x = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  %b = stencil.alloc : !line
  stencil.store %p to %b(<[0], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @stored_twice(%a: !line, %b: !line) {
  %as = stencil.load %a : !line -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  stencil.store %p to %b(<[0], [4]>) : !temp to !line
  // expected-error @below {{cannot be one sweep: it stores to one field, or to those that rotate with it, twice}}
  // expected-note @below {{store each field once an iteration}}
  %q = stencil.apply(%x = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %q to %b(<[4], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-1,9]xf64>
!temp = !stencil.temp<?xf64>

func.func @nothing_to_repeat(%a: !line, %b: !line) {
  %as = stencil.load %a : !line -> !temp
  // expected-error @below {{cannot be one sweep: it is no loop, and a sweep of 2 steps repeats it}}
  // expected-note @below {{take steps = 1}}
  %p = stencil.apply(%x = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>} {
    %0 = stencil.access %x[1] : !temp
    stencil.return %0 : f64
  }
  stencil.store %p to %b(<[0], [8]>) : !temp to !line
  return
}
