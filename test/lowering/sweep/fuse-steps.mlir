// A time loop around a sweep of one step becomes loops of pairs of sweeps of several steps.
//
// RUN: stencil-opt %s --sweep-fuse-steps | FileCheck %s
// RUN: stencil-opt %s --sweep-fuse-steps --sweep-fuse-steps | FileCheck %s
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(sweep-fuse-steps))' --seed=1
// REDEFINE: %{function} = two_fields
// RUN: %{run} --arg n=0
// RUN: %{run} --arg n=1
// RUN: %{run} --arg n=9
// RUN: %{run} --arg n=24
// REDEFINE: %{function} = between_exchanges
// RUN: %{run} --arg n=9
// REDEFINE: %{function} = in_place
// RUN: %{run} --arg n=3
// RUN: %{run} --arg n=4
// RUN: %{run} --arg n=11
// REDEFINE: %{function} = own_cell_of_the_stored_slot
// RUN: %{run} --arg n=5
// RUN: %{run} --arg n=6
// RUN: %{run} --arg n=13
// REDEFINE: %{function} = three_fields
// RUN: %{run} --arg n=4
// RUN: %{run} --arg n=5
// RUN: %{run} --arg n=6
// RUN: %{run} --arg n=14
// REDEFINE: %{function} = numbers
// RUN: %{run} --arg dt=0.5 --arg n=0
// RUN: %{run} --arg dt=0.5 --arg n=45
// RUN: %{run} --arg dt=0.5 --arg n=102
// REDEFINE: %{function} = scratch_tail
// RUN: %{run} --arg n=2
// RUN: %{run} --arg n=5
// RUN: %{run} --arg n=6
// RUN: %{run} --arg n=7
// RUN: %{run} --arg n=13
// REDEFINE: %{function} = coefficients
// RUN: %{run} --arg n=3
// RUN: %{run} --arg n=5
// REDEFINE: %{function} = scratch
// RUN: %{run}

!line = !stencil.field<[-1,9]xf64>

// Two fields: out to the older one, and home. Both are seen, so the last iteration stays a single
// step. The number of iterations is one op, the other trip counts follow from it.
// CHECK-LABEL: func.func @two_fields
// CHECK-SAME:    (%[[A:.*]]: !stencil.field<[-1,9]xf64>, %[[B:.*]]: !stencil.field<[-1,9]xf64>, %[[N:.*]]: index)
func.func @two_fields(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK:      arith.divsi
  // CHECK:      %[[COUNT:.*]] = arith.maxsi {{.*}} {stencil.time_steps = 1 : i64} : index
  // CHECK:      %[[LESS:.*]] = arith.subi %[[COUNT]], %{{.*}} : index
  // CHECK:      %[[FUSED:.*]] = arith.maxsi %[[LESS]], %{{.*}} : index
  // CHECK:      %[[PAIRS:.*]] = arith.divsi %[[FUSED]], %[[EIGHT:.*]] : index
  // CHECK-NEXT: %[[REST:.*]] = arith.remsi %[[FUSED]], %[[EIGHT]] : index
  // CHECK:      %[[E4:.*]]:2 = scf.for %{{.*}} iter_args(%[[U:.*]] = %[[A]], %[[V:.*]] = %[[B]])
  // CHECK-NEXT:   sweep.kernel "s" steps 4 over <[0], [8]>
  // CHECK-NEXT:     carried(%{{.*}} = %[[U]] : {{.*}})
  // CHECK-NEXT:     boundaries(%[[U]] : {{.*}}, %[[V]] : {{.*}})
  // CHECK-NEXT:     outs(%[[V]] : {{.*}})
  // CHECK-NEXT:     plan <{mapping = "warp", steps = 4 : i64}>
  // CHECK:        sweep.kernel "s" steps 4 over <[0], [8]>
  // CHECK-NEXT:     carried(%{{.*}} = %[[V]] : {{.*}})
  // CHECK-NEXT:     boundaries(%[[U]] : {{.*}}, %[[V]] : {{.*}})
  // CHECK-NEXT:     outs(%[[U]] : {{.*}})
  // CHECK:        scf.yield %[[U]], %[[V]]
  // CHECK:      arith.divsi %[[REST]], %{{.*}} : index
  // CHECK:      %[[E2:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[E4]]#0, %{{.*}} = %[[E4]]#1)
  // CHECK-COUNT-2: sweep.kernel "s" steps 2
  // CHECK:      scf.for {{.*}} iter_args(%[[U:.*]] = %[[E2]]#0, %[[V:.*]] = %[[E2]]#1)
  // CHECK-NEXT:   sweep.kernel "s" steps 1
  // CHECK-NEXT:     carried(%{{.*}} = %[[U]] : {{.*}})
  // CHECK-NEXT:     boundaries(%[[U]] : {{.*}}, %[[V]] : {{.*}})
  // CHECK-NEXT:     outs(%[[V]] : {{.*}})
  // CHECK-NEXT:     plan <{mapping = "warp"}>
  // CHECK:        scf.yield %[[V]], %[[U]]
  // CHECK-NOT:  sweep.kernel
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %u : !line) boundaries(%u : !line, %v : !line)
        outs(%v : !line) plan <{mapping = "warp", steps = 4}> {
      %0 = stencil.access %x[1] : !line
      sweep.yield %0 : f64
    }
    scf.yield %v, %u : !line, !line
  }
  return
}

// A field that nobody sees may be left as it is: no iteration is kept back. An odd number of steps
// ends at the other field, whose cells around the domain the second sweep starts with. Three steps
// have a half of two, rounded up.
// CHECK-LABEL: func.func @scratch
func.func @scratch(%a: !line, %b: !line {stencil.scratch}) {
  %first = arith.constant -2 : index
  %last = arith.constant 20 : index
  %two = arith.constant 2 : index
  // CHECK:      %[[COUNT:.*]] = arith.constant {stencil.time_steps = 2 : i64} 11 : index
  // CHECK-NOT:  arith.maxsi
  // CHECK:      arith.divsi %[[COUNT]], %{{.*}} : index
  // CHECK:      scf.for {{.*}} iter_args(%[[U:.*]] = %{{.*}}, %[[V:.*]] = %{{.*}})
  // CHECK:        boundaries(%[[U]] : {{.*}}, %[[V]] : {{.*}})
  // CHECK:        boundaries(%[[V]] : {{.*}}, %[[U]] : {{.*}})
  // CHECK:      scf.for
  // CHECK-COUNT-2: sweep.kernel "s" steps 2
  // CHECK:      scf.for
  // CHECK-NEXT:   sweep.kernel "s" steps 1
  %end:2 = scf.for %i = %first to %last step %two iter_args(%u = %a, %v = %b) -> (!line, !line) {
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %u : !line) boundaries(%u : !line, %v : !line)
        outs(%v : !line) plan <{mapping = "warp", steps = 3}> {
      %0 = stencil.access %x[1] : !line
      sweep.yield %0 : f64
    }
    scf.yield %v, %u : !line, !line
  }
  return
}

// In place: one field, its levels go out to memory and home. Nothing has to be kept back.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME:    (%[[A:.*]]: !stencil.field<[-1,9]xf64>, %{{.*}}: index)
func.func @in_place(%a: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK:      %[[MEMORY:.*]] = stencil.alloc
  // CHECK:      scf.for
  // CHECK:        carried(%{{.*}} = %[[A]] : {{.*}})
  // CHECK-NEXT:   boundaries(%[[A]] : {{.*}})
  // CHECK-NEXT:   outs(%[[MEMORY]] : {{.*}})
  // CHECK:        carried(%{{.*}} = %[[MEMORY]] : {{.*}})
  // CHECK-NEXT:   boundaries(%[[A]] : {{.*}})
  // CHECK-NEXT:   outs(%[[A]] : {{.*}})
  scf.for %i = %zero to %n step %one {
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %a : !line) boundaries(%a : !line)
        outs(%a : !line) plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[0] : !line
      sweep.yield %0 : f64
    }
  }
  return
}

// Two levels are read, the older from the slot that is stored: both are stood in for by memory. Two
// sweeps of two steps leave both levels, two of one step would not.
// CHECK-LABEL: func.func @own_cell_of_the_stored_slot
func.func @own_cell_of_the_stored_slot(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK:      %[[M0:.*]] = stencil.alloc
  // CHECK-NEXT: %[[M1:.*]] = stencil.alloc
  // CHECK:      scf.for {{.*}} iter_args(%[[U:.*]] = %{{.*}}, %[[V:.*]] = %{{.*}})
  // CHECK-NEXT:   sweep.kernel "s" steps 3
  // CHECK-NEXT:     carried(%{{.*}} = %[[U]] : {{.*}}, %{{.*}} = %[[V]] : {{.*}})
  // CHECK-NEXT:     boundaries(%[[U]] : {{.*}}, %[[V]] : {{.*}})
  // CHECK-NEXT:     outs(%[[M0]] : {{.*}}, %[[M1]] : {{.*}})
  // CHECK:        sweep.kernel "s" steps 3
  // CHECK-NEXT:     carried(%{{.*}} = %[[M0]] : {{.*}}, %{{.*}} = %[[M1]] : {{.*}})
  // CHECK-NEXT:     boundaries(%[[V]] : {{.*}}, %[[U]] : {{.*}})
  // CHECK-NEXT:     outs(%[[U]] : {{.*}}, %[[V]] : {{.*}})
  // CHECK:      scf.for
  // CHECK-COUNT-2: sweep.kernel "s" steps 2
  // CHECK:      scf.for
  // CHECK-NEXT:   sweep.kernel "s" steps 1
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %u : !line, %y = %v : !line)
        boundaries(%u : !line, %v : !line) outs(%v : !line) plan <{mapping = "warp", steps = 3}> {
      %0 = stencil.access %x[1] : !line
      %1 = stencil.access %y[0] : !line
      %2 = arith.subf %0, %1 : f64
      sweep.yield %2 : f64
    }
    scf.yield %v, %u : !line, !line
  }
  return
}

// Three fields that change places, of which two are read: the slots move on by four.
// CHECK-LABEL: func.func @three_fields
func.func @three_fields(%a: !line, %b: !line, %c: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK:      scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}, %[[W:.*]] = %{{.*}})
  // CHECK-NEXT:   sweep.kernel "s" steps 2
  // CHECK-NEXT:     carried(%{{.*}} = %[[Q]] : {{.*}}, %{{.*}} = %[[P]] : {{.*}})
  // CHECK-NEXT:     boundaries(%[[Q]] : {{.*}}, %[[W]] : {{.*}}, %[[P]] : {{.*}})
  // CHECK:        sweep.kernel "s" steps 2
  // CHECK:          boundaries(%[[P]] : {{.*}}, %[[Q]] : {{.*}}, %[[W]] : {{.*}})
  // CHECK-NEXT:     outs(%[[W]] : {{.*}}, %[[Q]] : {{.*}})
  // CHECK:        scf.yield %[[Q]], %[[W]], %[[P]]
  %end:3 = scf.for %i = %zero to %n step %one iter_args(%p = %a, %q = %b, %w = %c)
      -> (!line, !line, !line) {
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %q : !line, %y = %p : !line)
        boundaries(%q : !line, %w : !line, %p : !line) outs(%w : !line)
        plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      %1 = stencil.access %y[0] : !line
      %2 = arith.subf %0, %1 : f64
      sweep.yield %2 : f64
    }
    scf.yield %q, %w, %p : !line, !line, !line
  }
  return
}

// What the host computes from the induction variable, and what the loop carries, is there for each
// level; what is the same for all is computed once.
// CHECK-LABEL: func.func @numbers
// CHECK-SAME:    %[[DT:[a-z0-9]+]]: f64)
func.func @numbers(%a: !line, %b: !line {stencil.scratch}, %n: index, %dt: f64) {
  %zero = arith.constant 0 : index
  %five = arith.constant 5 : index
  %start = arith.constant 0.0 : f64
  // CHECK:      scf.for %[[I:.*]] = {{.*}} iter_args({{.*}}, %[[TIME:.*]] = %{{.*}}) ->
  // CHECK-NEXT:   %[[HALF:.*]] = arith.mulf %[[DT]], %[[DT]]
  // CHECK-NEXT:   %[[T1:.*]] = arith.addf %[[TIME]], %[[DT]]
  // CHECK-NEXT:   %[[I1:.*]] = arith.addi %[[I]], %[[STEP:.*]] : index
  // CHECK-NEXT:   %[[T2:.*]] = arith.addf %[[T1]], %[[DT]]
  // CHECK-NEXT:   %[[I2:.*]] = arith.addi %[[I1]], %[[STEP]] : index
  // CHECK-NEXT:   sweep.kernel "s" steps 2
  // CHECK:          scalars(%{{.*}} = %[[HALF]] : f64)
  // CHECK-NEXT:     level_scalars(%{{.*}} = [%[[I]], %[[I1]]] : index, %{{.*}} = [%[[TIME]], %[[T1]]] : f64)
  // CHECK:        %[[T3:.*]] = arith.addf %[[T2]], %[[DT]]
  // CHECK:        %[[T4:.*]] = arith.addf %[[T3]], %[[DT]]
  // CHECK:          level_scalars(%{{.*}} = [%[[I2]], %{{.*}}] : index, %{{.*}} = [%[[T2]], %[[T3]]] : f64)
  // CHECK:        scf.yield %{{.*}}, %{{.*}}, %[[T4]]
  %end:3 = scf.for %i = %zero to %n step %five iter_args(%u = %a, %v = %b, %time = %start)
      -> (!line, !line, f64) {
    %half = arith.mulf %dt, %dt : f64
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %u : !line) boundaries(%u : !line, %v : !line)
        scalars(%h = %half : f64) level_scalars(%t = [%i] : index, %r = [%time] : f64)
        outs(%v : !line) plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      %1 = arith.mulf %0, %h : f64
      %2 = arith.addf %1, %r : f64
      sweep.yield %2 : f64
    }
    %next = arith.addf %time, %dt : f64
    scf.yield %v, %u, %next : !line, !line, f64
  }
  return
}

// With a scratch tail the rest comes first; the last pair goes out to memory, and brings the levels
// of both fields home. What uses the loop's results uses those of the last loop.
// CHECK-LABEL: func.func @scratch_tail
func.func @scratch_tail(%a: !line, %b: !line, %c: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK:      %[[COUNT:.*]] = arith.maxsi {{.*}} {stencil.time_steps = 1 : i64} : index
  // CHECK:      %[[PAIRS:.*]] = arith.divsi %[[COUNT]], %{{.*}} : index
  // CHECK:      %[[LAST:.*]] = arith.minsi %[[PAIRS]], %{{.*}} : index
  // CHECK:      %[[OTHERS:.*]] = arith.subi %[[PAIRS]], %[[LAST]] : index
  // CHECK:      scf.for
  // CHECK-COUNT-2: sweep.kernel "s" steps 2
  // CHECK:      %[[R0:.*]]:2 = scf.for
  // CHECK-NEXT:   sweep.kernel "s" steps 1
  // CHECK:      arith.muli %{{.*}}, %[[OTHERS]] : index
  // CHECK:      %[[R1:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[R0]]#0, %{{.*}} = %[[R0]]#1)
  // CHECK-COUNT-2: sweep.kernel "s" steps 3
  // CHECK:      %[[MEMORY:.*]] = stencil.alloc
  // CHECK:      arith.muli %{{.*}}, %[[LAST]] : index
  // CHECK:      %[[R2:.*]]:2 = scf.for {{.*}} iter_args(%[[U:.*]] = %[[R1]]#0, %[[V:.*]] = %[[R1]]#1)
  // CHECK-NEXT:   sweep.kernel "s" steps 3
  // CHECK:          outs(%[[MEMORY]] : {{.*}})
  // CHECK:        sweep.kernel "s" steps 3
  // CHECK-NEXT:     carried(%{{.*}} = %[[MEMORY]] : {{.*}})
  // CHECK-NEXT:     boundaries(%[[V]] : {{.*}}, %[[U]] : {{.*}})
  // CHECK-NEXT:     outs(%[[U]] : {{.*}}, %[[V]] : {{.*}})
  // CHECK:      sweep.kernel "copy" steps 1
  // CHECK-NEXT:   carried(%{{.*}} = %[[R2]]#0 : {{.*}})
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %u : !line) boundaries(%u : !line, %v : !line)
        outs(%v : !line) plan <{mapping = "warp", steps = 3, tail = "scratch"}> {
      %0 = stencil.access %x[1] : !line
      sweep.yield %0 : f64
    }
    scf.yield %v, %u : !line, !line
  }
  sweep.kernel "copy" steps 1 over <[0], [8]> carried(%x = %end#0 : !line) boundaries(%end#0 : !line)
      outs(%c : !line) plan <{mapping = "warp"}> {
    %0 = stencil.access %x[0] : !line
    sweep.yield %0 : f64
  }
  return
}

// Fields that the loop does not store are read as they are, from slots that keep them or not.
// CHECK-LABEL: func.func @coefficients
// CHECK-SAME:    (%{{[^%]*}}%{{[^%]*}}%[[K:[a-z0-9]+]]: !stencil.field<[-1,9]xf64>, %[[L:[a-z0-9]+]]:
func.func @coefficients(%a: !line, %b: !line, %k: !line, %l: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK:      scf.for {{.*}} iter_args(%[[U:.*]] = %{{.*}}, %[[S:.*]] = %[[K]], %[[V:.*]] = %{{.*}})
  // CHECK-NEXT:   sweep.kernel "s" steps 2
  // CHECK:          reads(%{{.*}} = %[[S]] : {{.*}}, %{{.*}} = %[[L]] : {{.*}})
  // CHECK:        scf.yield %[[U]], %[[S]], %[[V]]
  %end:3 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %s = %k, %v = %b)
      -> (!line, !line, !line) {
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %u : !line) boundaries(%u : !line, %v : !line)
        reads(%p = %s : !line, %q = %l : !line) outs(%v : !line)
        plan <{mapping = "warp", steps = 2}> {
      %0 = stencil.access %x[1] : !line
      %1 = stencil.access %p[0] : !line
      %2 = stencil.access %q[1] : !line
      %3 = arith.mulf %0, %1 : f64
      %4 = arith.mulf %3, %2 : f64
      sweep.yield %4 : f64
    }
    scf.yield %v, %s, %u : !line, !line, !line
  }
  return
}

// Devices that share a domain make several runs, of which only the last leaves its older level to a
// caller: the number of single steps is one op, for which the others take 0.
// CHECK-LABEL: func.func @between_exchanges
// CHECK:      %[[COUNT:.*]] = arith.maxsi {{.*}} {stencil.time_steps = 1 : i64} : index
// CHECK:      %[[LAST:.*]] = arith.constant {stencil.last_iterations} 1 : index
// CHECK:      arith.subi %[[COUNT]], %[[LAST]] : index
func.func @between_exchanges(%a: !line, %b: !line, %n: index)
    attributes {stencil.decomposition = {lower = 0 : i64, upper = 8 : i64, halo = 0 : i64, steps = 8 : i64, windows = [array<i64: 0, 8, 0>]}} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!line, !line) {
    sweep.kernel "s" steps 1 over <[0], [8]> carried(%x = %u : !line) boundaries(%u : !line, %v : !line)
        outs(%v : !line) plan <{mapping = "warp", steps = 4}> {
      %0 = stencil.access %x[1] : !line
      sweep.yield %0 : f64
    }
    scf.yield %v, %u : !line, !line
  }
  return
}
