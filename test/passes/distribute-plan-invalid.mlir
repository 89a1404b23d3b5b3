// Plans of programs that cannot be followed are refused, with the reason.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --stencil-distribute-plan

!line = !stencil.field<[-4,12]xf64>
!temp = !stencil.temp<[-3,11]xf64>

// expected-error @below {{has a program plan with stage 'fourth', which is no apply of it}}
// expected-note @below {{the stages are first, second, third}}
func.func @unknown(%a: !line, %b: !line, %n: index) attributes {stencil.program_plan =
    #stencil.program_plan<[{stages = ["first", "second", "third", "fourth"]}]>} {
  %as = stencil.load %a : !line -> !temp
  %v0 = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.stage = "first"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  %v1 = stencil.apply(%x = %v0 : !temp) -> (!temp) attributes {stencil.stage = "second"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  %v2 = stencil.apply(%x = %v1 : !temp) -> (!temp) attributes {stencil.stage = "third"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %v2 to %b(<[0], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-4,12]xf64>
!temp = !stencil.temp<[-3,11]xf64>

func.func @missing(%a: !line, %b: !line, %n: index) attributes {stencil.program_plan =
    #stencil.program_plan<[{stages = ["first", "third"]}]>} {
  %as = stencil.load %a : !line -> !temp
  %v0 = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.stage = "first"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  // expected-error @below {{is stage 'second', which its program plan has in no kernel}}
  // expected-note @below {{add it to the stages of a kernel, or to those that one inlines}}
  %v1 = stencil.apply(%x = %v0 : !temp) -> (!temp) attributes {stencil.stage = "second"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  %v2 = stencil.apply(%x = %v1 : !temp) -> (!temp) attributes {stencil.stage = "third"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %v2 to %b(<[0], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-4,12]xf64>
!temp = !stencil.temp<[-3,11]xf64>

func.func @order(%a: !line, %b: !line, %n: index) attributes {stencil.program_plan =
    #stencil.program_plan<[{stages = ["second", "third"]}, {stages = ["first"]}]>} {
  %as = stencil.load %a : !line -> !temp
  %v0 = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.stage = "first"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  // expected-error @below {{needs the kernel of 'first', which its program plan has later}}
  // expected-note @below {{list kernels in an order in which each needs earlier ones only}}
  %v1 = stencil.apply(%x = %v0 : !temp) -> (!temp) attributes {stencil.stage = "second"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  %v2 = stencil.apply(%x = %v1 : !temp) -> (!temp) attributes {stencil.stage = "third"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %v2 to %b(<[0], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-4,12]xf64>
!temp = !stencil.temp<[-3,11]xf64>

func.func @through_an_inlined_one(%a: !line, %b: !line, %n: index) attributes {stencil.program_plan =
    #stencil.program_plan<[{stages = ["third"], inlined = ["second"]}, {stages = ["first"]}]>} {
  %as = stencil.load %a : !line -> !temp
  %v0 = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.stage = "first"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  %v1 = stencil.apply(%x = %v0 : !temp) -> (!temp) attributes {stencil.stage = "second"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  // expected-error @below {{needs the kernel of 'first', which its program plan has later}}
  // expected-note @below {{list kernels in an order}}
  %v2 = stencil.apply(%x = %v1 : !temp) -> (!temp) attributes {stencil.stage = "third"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %v2 to %b(<[0], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-4,12]xf64>
!temp = !stencil.temp<[-3,11]xf64>

func.func @threads(%a: !line, %b: !line, %n: index) attributes {stencil.program_plan =
    #stencil.program_plan<[{stages = ["first", "second", "third"], plan = #stencil.plan<{mapping = "thread"}>}]>} {
  %as = stencil.load %a : !line -> !temp
  // expected-error @below {{is of a kernel of several stages with mapping 'thread', which computes one}}
  // expected-note @below {{give the kernel another mapping, or leave that open}}
  %v0 = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.stage = "first"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  %v1 = stencil.apply(%x = %v0 : !temp) -> (!temp) attributes {stencil.stage = "second"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  %v2 = stencil.apply(%x = %v1 : !temp) -> (!temp) attributes {stencil.stage = "third"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %v2 to %b(<[0], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-4,12]xf64>
!temp = !stencil.temp<[-3,11]xf64>

func.func @no_reader(%a: !line, %b: !line, %n: index) attributes {stencil.program_plan =
    #stencil.program_plan<[{stages = ["first", "second"], inlined = ["third"]}]>} {
  %as = stencil.load %a : !line -> !temp
  %v0 = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.stage = "first"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  %v1 = stencil.apply(%x = %v0 : !temp) -> (!temp) attributes {stencil.stage = "second"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  // expected-error @below {{cannot be inlined, as its program plan says: no apply reads it}}
  // expected-note @below {{make it a stage of a kernel}}
  %v2 = stencil.apply(%x = %v1 : !temp) -> (!temp) attributes {stencil.stage = "third"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %v2 to %b(<[0], [8]>) : !temp to !line
  return
}

// -----

!line = !stencil.field<[-4,12]xf64>
!temp = !stencil.temp<[-3,11]xf64>

func.func @outside_of_a_loop(%a: !line, %b: !line, %n: index) attributes {stencil.program_plan =
    #stencil.program_plan<[{stages = ["first"], inlined = ["second"]}, {stages = ["third"]}]>} {
  %as = stencil.load %a : !line -> !temp
  %v0 = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.stage = "first"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  // expected-error @below {{cannot be inlined, as its program plan says: a reader reads an apply that is outside of a loop around the reader}}
  // expected-note @below {{make it a stage of a kernel}}
  %v1 = stencil.apply(%x = %v0 : !temp) -> (!temp) attributes {stencil.stage = "second"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %v2 = stencil.apply(%x = %v1 : !temp) -> (!temp) attributes {stencil.stage = "third"} {
      %0 = stencil.access %x[0] : !temp
      stencil.return %0 : f64
    }
    stencil.store %v2 to %b(<[0], [8]>) : !temp to !line
  }
  return
}

// -----

!line = !stencil.field<[-4,12]xf64>
!temp = !stencil.temp<[-3,11]xf64>

func.func @two_blocks(%a: !line, %b: !line, %n: index) attributes {stencil.program_plan =
    #stencil.program_plan<[{stages = ["first", "second", "third"]}]>} {
  %as = stencil.load %a : !line -> !temp
  %v0 = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.stage = "first"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  %v1 = stencil.apply(%x = %v0 : !temp) -> (!temp) attributes {stencil.stage = "second"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    // expected-error @below {{is in another block than the first stage of its kernel}}
    // expected-note @below {{give each block kernels of its own}}
    %v2 = stencil.apply(%x = %v1 : !temp) -> (!temp) attributes {stencil.stage = "third"} {
      %0 = stencil.access %x[0] : !temp
      stencil.return %0 : f64
    }
    stencil.store %v2 to %b(<[0], [8]>) : !temp to !line
  }
  return
}

// -----

!line = !stencil.field<[-4,12]xf64>
!temp = !stencil.temp<[-3,11]xf64>

func.func @no_loop(%a: !line, %b: !line, %n: index) attributes {stencil.program_plan =
    #stencil.program_plan<[{stages = ["first", "second"], time_loop}, {stages = ["third"]}]>} {
  %as = stencil.load %a : !line -> !temp
  // expected-error @below {{is of a kernel with 'time_loop', and its stages are not all of a loop's body}}
  // expected-note @below {{list all stages of the loop, or leave 'time_loop' out}}
  %v0 = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.stage = "first"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  %v1 = stencil.apply(%x = %v0 : !temp) -> (!temp) attributes {stencil.stage = "second"} {
    %0 = stencil.access %x[0] : !temp
    stencil.return %0 : f64
  }
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %v2 = stencil.apply(%x = %v1 : !temp) -> (!temp) attributes {stencil.stage = "third"} {
      %0 = stencil.access %x[0] : !temp
      stencil.return %0 : f64
    }
    stencil.store %v2 to %b(<[0], [8]>) : !temp to !line
  }
  return
}
