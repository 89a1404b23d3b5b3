// All statements of a time loop with a plan, in several steps, become pairs of sweeps.
//
// DEFINE: %{passes} = func.func(stencil-infer-bounds,stencil-place-copies,sweep-fuse-statements)
// RUN: stencil-opt %s '--pass-pipeline=builtin.module(%{passes})' | FileCheck %s
// RUN: stencil-opt %s '--pass-pipeline=builtin.module(%{passes},func.func(sweep-fuse-statements))' | FileCheck %s
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(%{passes})' --seed=1
// REDEFINE: %{function} = rotation_of_two
// RUN: %{run} --arg n=0
// RUN: %{run} --arg n=1
// RUN: %{run} --arg n=4
// RUN: %{run} --arg n=5
// RUN: %{run} --arg n=13
// REDEFINE: %{function} = in_place
// RUN: %{run} --arg n=3
// RUN: %{run} --arg n=4
// RUN: %{run} --arg n=11
// REDEFINE: %{function} = rotation_of_three
// RUN: %{run} --arg n=0
// RUN: %{run} --arg n=2
// RUN: %{run} --arg n=3
// RUN: %{run} --arg n=8
// REDEFINE: %{function} = only_within_a_step
// RUN: %{run} --arg n=4
// RUN: %{run} --arg n=7
// REDEFINE: %{function} = stores_on_two_boxes
// RUN: %{run} --arg n=5
// RUN: %{run} --arg n=6
// REDEFINE: %{function} = coefficients_in_queues
// RUN: %{run} --arg n=5
// REDEFINE: %{function} = coefficients_in_memory
// RUN: %{run} --arg n=5
// REDEFINE: %{function} = numbers_of_each_step
// RUN: %{run} --arg n=31 --arg dt=0.5
// RUN: %{run} --arg n=24 --arg dt=0.5
// REDEFINE: %{function} = periodic
// RUN: %{run} --arg n=1
// RUN: %{run} --arg n=2
// RUN: %{run} --arg n=5
// RUN: %{run} --arg n=6
// RUN: %{run} --arg n=11
// REDEFINE: %{function} = single_steps_left
// RUN: %{run}

!grid = !stencil.field<[-1,7]x[-1,9]xf64>
!temp = !stencil.temp<?x?xf64>
!result = !stencil.temp<[0,6]x[0,8]xf64>
!row = !stencil.field<[-1,9]xf64>
!part = !stencil.field<[1,7]x[0,8]xf64>

// Two unknowns, of which each has two fields. The shadow buffer of each is its other field, which
// holds no level that is read. Every level has outside of its domain the cells of its home; what
// the first sweep wrote to the shadow buffer counts only within the domain. Both fields are seen
// after the loop and an iteration reads only the newest level, so the last iteration is left.
// CHECK-LABEL: func.func @rotation_of_two
// CHECK-SAME:    (%[[A:[a-z0-9]+]]: !stencil{{[^%]*}}%[[B:[a-z0-9]+]]: !stencil{{[^%]*}}%[[C:[a-z0-9]+]]: !stencil{{[^%]*}}%[[D:[a-z0-9]+]]: !stencil
func.func @rotation_of_two(%a: !grid, %b: !grid, %c: !grid, %d: !grid, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK-NOT:  stencil.alloc
  // CHECK:      %[[COUNT:.*]] = arith.maxsi {{.*}} {stencil.time_steps = 1 : i64} : index
  // CHECK:      arith.subi %[[COUNT]], %{{.*}} : index
  // CHECK:      %[[E2:.*]]:4 = scf.for {{.*}} iter_args(%[[U:.*]] = %[[A]], %[[V:.*]] = %[[B]], %[[P:.*]] = %[[C]], %[[Q:.*]] = %[[D]])
  // CHECK-NEXT:   sweep.stages "sweep" steps 2
  // CHECK-NEXT:     fields(%[[U0:.*]] = %[[U]] : {{.*}}, %[[V0:.*]] = %[[V]] : {{.*}}, %[[P0:.*]] = %[[P]] : {{.*}}, %[[Q0:.*]] = %[[Q]] : {{[^)]*}})
  // CHECK-NEXT:     plan <{mapping = "warp", steps = 2 : i64}>
  // CHECK-NEXT:     %[[US:.*]] = sweep.input %[[U0]] :
  // CHECK-NEXT:     %[[PS:.*]] = sweep.input %[[P0]] :
  // CHECK-NEXT:     %[[R:.*]] = sweep.stage "stage0" over <[0, 0], [6, 8]> (%{{.*}} = %[[US]] : {{.*}}, %{{.*}} = %[[PS]] : {{.*}})
  // CHECK-NEXT:         outside(%[[V0]] : {{.*}}, %[[U0]] : {{.*}}) rotations [2]
  // CHECK:          %[[W:.*]] = sweep.stage "stage1" over <[0, 0], [6, 8]> (%{{.*}} = %[[R]] : {{.*}}, %{{.*}} = %[[PS]] : {{.*}})
  // CHECK-NEXT:         outside(%[[Q0]] : {{.*}}, %[[P0]] : {{.*}}) rotations [2]
  // CHECK:          sweep.carry %[[R]] to %[[US]]
  // CHECK-NEXT:     sweep.carry %[[W]] to %[[PS]]
  // CHECK-NEXT:     sweep.output %[[R]] over <[0, 0], [6, 8]> to %[[V0]]
  // CHECK-NEXT:     sweep.output %[[W]] over <[0, 0], [6, 8]> to %[[Q0]]
  // CHECK:        sweep.stages "sweep" steps 2
  // CHECK-NEXT:     fields(%[[V1:.*]] = %[[V]] : {{.*}}, %[[U1:.*]] = %[[U]] : {{.*}}, %[[Q1:.*]] = %[[Q]] : {{.*}}, %[[P1:.*]] = %[[P]] : {{[^)]*}})
  // CHECK:          sweep.input %[[V1]] over <[0, 0], [6, 8]> outside %[[U1]]
  // CHECK-NEXT:     sweep.input %[[Q1]] over <[0, 0], [6, 8]> outside %[[P1]]
  // CHECK:          sweep.output %{{.*}} to %[[U1]]
  // CHECK-NEXT:     sweep.output %{{.*}} to %[[P1]]
  // CHECK:        scf.yield %[[U]], %[[V]], %[[P]], %[[Q]]
  // CHECK:      scf.for {{.*}} iter_args(%[[U:.*]] = %[[E2]]#0, %[[V:.*]] = %[[E2]]#1, %[[P:.*]] = %[[E2]]#2, %[[Q:.*]] = %[[E2]]#3)
  // CHECK:        stencil.apply
  // CHECK:        stencil.apply
  // CHECK:        scf.yield %[[V]], %[[U]], %[[Q]], %[[P]]
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  %end:4 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b, %p = %c, %q = %d)
      -> (!grid, !grid, !grid, !grid) {
    %us = stencil.load %u : !grid -> !temp
    %ps = stencil.load %p : !grid -> !temp
    %r = stencil.apply(%x = %us : !temp, %y = %ps : !temp) -> (!result) {
      %0 = stencil.access %x[0, 1] : !temp
      %1 = stencil.access %y[-1, 0] : !temp
      %2 = arith.subf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %v(<[0, 0], [6, 8]>) : !result to !grid
    %vs = stencil.load %v : !grid -> !temp
    %w = stencil.apply(%x = %vs : !temp, %y = %ps : !temp) -> (!result) {
      %0 = stencil.access %x[1, 0] : !temp
      %1 = stencil.access %y[0, -1] : !temp
      %2 = arith.addf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %w to %q(<[0, 0], [6, 8]>) : !result to !grid
    scf.yield %v, %u, %q, %p : !grid, !grid, !grid, !grid
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// In place, from the field's own cells: memory is allocated for the levels between the sweeps of a
// pair. No iteration is left for the field's sake, because the second sweep writes to it.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME:    (%[[A:[a-z0-9]+]]: !stencil{{[^%]*}}%[[B:[a-z0-9]+]]: !stencil
func.func @in_place(%a: !grid, %b: !grid, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK:      %[[MA:.*]] = stencil.alloc
  // CHECK-NEXT: %[[MB:.*]] = stencil.alloc
  // CHECK:      scf.for
  // CHECK-NEXT:   sweep.stages
  // CHECK-NEXT:     fields(%[[A0:.*]] = %[[A]] : {{.*}}, %[[MA0:.*]] = %[[MA]] : {{.*}}, %[[B0:.*]] = %[[B]] : {{.*}}, %[[MB0:.*]] = %[[MB]] :
  // CHECK:          sweep.input %[[A0]] :
  // CHECK:          sweep.input %[[B0]] :
  // CHECK:          sweep.output {{.*}} to %[[MA0]]
  // CHECK:          sweep.output {{.*}} to %[[MB0]]
  // CHECK:        sweep.stages
  // CHECK-NEXT:     fields(%[[MA1:.*]] = %[[MA]] : {{.*}}, %[[A1:.*]] = %[[A]] : {{.*}}, %[[MB1:.*]] = %[[MB]] : {{.*}}, %[[B1:.*]] = %[[B]] :
  // CHECK:          sweep.input %[[MA1]] over <[0, 0], [6, 8]> outside %[[A1]]
  // CHECK:          sweep.input %[[MB1]] over <[0, 0], [6, 8]> outside %[[B1]]
  // CHECK:          sweep.stage {{.*}} over
  // CHECK-NEXT:         outside(%[[A1]] : {{.*}}) rotations [1]
  // CHECK:          sweep.output {{.*}} to %[[A1]]
  // CHECK:          sweep.output {{.*}} to %[[B1]]
  scf.for %i = %zero to %n step %one {
    %as = stencil.load %a : !grid -> !temp
    %bs = stencil.load %b : !grid -> !temp
    %r = stencil.apply(%x = %as : !temp, %y = %bs : !temp) -> (!temp) {
      %0 = stencil.access %x[0, 0] : !temp
      %1 = stencil.access %y[-1, 1] : !temp
      %2 = arith.subf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %a(<[0, 0], [6, 8]>) : !temp to !grid
    %next = stencil.load %a : !grid -> !temp
    %w = stencil.apply(%x = %next : !temp, %y = %bs : !temp) -> (!temp) {
      %0 = stencil.access %x[1, 0] : !temp
      %1 = stencil.access %y[0, 0] : !temp
      %2 = arith.addf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %w to %b(<[0, 0], [6, 8]>) : !temp to !grid
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 1}>}
  return
}

// Two levels are read and a third field is in rotation: the field that a step writes holds no level
// that it reads, so both sweeps write their levels to the homes at once. One step leaves the other
// level in its place.
// CHECK-LABEL: func.func @rotation_of_three
func.func @rotation_of_three(%a: !grid, %b: !grid, %c: !grid, %d: !grid, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK-NOT:  stencil.alloc
  // CHECK:      scf.for {{.*}} iter_args(%[[U:.*]] = %{{.*}}, %[[V:.*]] = %{{.*}}, %[[W:.*]] = %{{[^)]*}})
  // CHECK-NEXT:   sweep.stages "sweep" steps 1
  // CHECK-NEXT:     fields(%[[V0:.*]] = %[[V]] : {{.*}}, %[[U0:.*]] = %[[U]] : {{.*}}, %[[W0:.*]] = %[[W]] :
  // CHECK:          %[[NOW:.*]] = sweep.input %[[V0]] :
  // CHECK-NEXT:     %[[OLD:.*]] = sweep.input %[[U0]] :
  // CHECK:          %[[R:.*]] = sweep.stage
  // CHECK:          sweep.carry %[[R]] to %[[NOW]]
  // CHECK-NEXT:     sweep.carry %[[NOW]] to %[[OLD]]
  // CHECK:          sweep.output %[[R]] {{.*}} to %[[W0]]
  // CHECK-NOT:      sweep.output
  // CHECK:        sweep.stages "sweep" steps 1
  // CHECK-NEXT:     fields(%[[W1:.*]] = %[[W]] : {{.*}}, %[[V1:.*]] = %[[V]] : {{.*}}, %[[U1:.*]] = %[[U]] :
  // CHECK:          sweep.input %[[W1]] :
  // CHECK-NEXT:     sweep.input %[[V1]] :
  // CHECK:          sweep.output {{.*}} to %[[U1]]
  // CHECK:        scf.yield %[[W]], %[[U]], %[[V]]
  %end:3 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b, %w = %c)
      -> (!grid, !grid, !grid) {
    %us = stencil.load %u : !grid -> !temp
    %vs = stencil.load %v : !grid -> !temp
    %r = stencil.apply(%x = %us : !temp, %y = %vs : !temp) -> (!temp) {
      %0 = stencil.access %x[0, 0] : !temp
      %1 = stencil.access %y[-1, 1] : !temp
      %2 = arith.subf %1, %0 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %w(<[0, 0], [6, 8]>) : !temp to !grid
    scf.yield %v, %w, %u : !grid, !grid, !grid
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 1}>}
  return
}

// What only the same step reads is in no memory: the first statement, which computes all points
// that the second reads, has no field outside of its domain and no output.
// CHECK-LABEL: func.func @only_within_a_step
func.func @only_within_a_step(%a: !grid, %b: !grid, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK:      sweep.stages
  // CHECK-NEXT:     fields(%{{[a-z0-9]+}} = %{{[a-z0-9]+}} : {{[^%]*}}%{{[a-z0-9]+}} = %{{[a-z0-9]+}} : {{[^%]*$}}
  // CHECK:        %[[T:.*]] = sweep.stage "stage0" over <[0, 0], [6, 9]>
  // CHECK-NOT:      outside
  // CHECK:        %[[R:.*]] = sweep.stage "stage1" over <[0, 0], [6, 8]> (%{{.*}} = %[[T]] :
  // CHECK:        sweep.carry %[[R]]
  // CHECK-NEXT:   sweep.output %[[R]]
  // CHECK-NEXT: }
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!grid, !grid) {
    %us = stencil.load %u : !grid -> !temp
    %t = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[-1, 0] : !temp
      %1 = stencil.access %x[1, -1] : !temp
      %2 = arith.subf %1, %0 : f64
      stencil.return %2 : f64
    }
    %r = stencil.apply(%x = %t : !temp) -> (!temp) {
      %0 = stencil.access %x[0, 0] : !temp
      %1 = stencil.access %x[0, 1] : !temp
      %2 = arith.mulf %1, %0 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %v(<[0, 0], [6, 8]>) : !temp to !grid
    scf.yield %v, %u : !grid, !grid
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// Results of one apply that are stored on different boxes are statements of their own, each with
// the operations that it needs.
// CHECK-LABEL: func.func @stores_on_two_boxes
func.func @stores_on_two_boxes(%a: !grid, %b: !grid, %c: !grid, %d: !grid, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK:      sweep.stage "stage0" over <[0, 0], [6, 7]>
  // CHECK-NEXT:     outside
  // CHECK-NEXT:   stencil.access %{{.*}}[0, 1]
  // CHECK-NEXT:   %[[S:.*]] = math.sqrt
  // CHECK-NEXT:   sweep.yield %[[S]] : f64
  // CHECK:      sweep.stage "stage1" over <[1, 0], [6, 8]>
  // CHECK-NEXT:     outside
  // CHECK-NEXT:   stencil.access %{{.*}}[-1, 0]
  // CHECK-NEXT:   %[[F:.*]] = arith.negf
  // CHECK-NEXT:   sweep.yield %[[F]] : f64
  %end:4 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b, %p = %c, %q = %d)
      -> (!grid, !grid, !grid, !grid) {
    %us = stencil.load %u : !grid -> !temp
    %ps = stencil.load %p : !grid -> !temp
    %r:2 = stencil.apply(%x = %us : !temp, %y = %ps : !temp) -> (!temp, !temp) {
      %0 = stencil.access %x[0, 1] : !temp
      %1 = stencil.access %y[-1, 0] : !temp
      %2 = math.sqrt %0 : f64
      %3 = arith.negf %1 : f64
      stencil.return %2, %3 : f64, f64
    }
    stencil.store %r#0 to %q(<[0, 0], [6, 7]>) : !temp to !grid
    stencil.store %r#1 to %v(<[1, 0], [6, 8]>) : !temp to !grid
    scf.yield %v, %u, %q, %p : !grid, !grid, !grid, !grid
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// A coefficient that is read at constant offsets is a stream: reads = "queue" is what a plan has that
// does not say. One of fewer dimensions, or without all cells of the domain, is a field.
// CHECK-LABEL: func.func @coefficients_in_queues
func.func @coefficients_in_queues(%a: !grid, %b: !grid, %k: !grid, %l: !row, %m: !part, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK:      sweep.stages
  // CHECK-NEXT:     fields(%[[U:[a-z0-9]+]] = {{[^%]*%[^%]*}}%[[V:[a-z0-9]+]] = {{[^%]*%[^%]*}}%[[K:[a-z0-9]+]] = {{[^%]*%[^%]*}}%[[L:[a-z0-9]+]] = {{[^%]*%[^%]*}}%[[M:[a-z0-9]+]] =
  // CHECK:        %[[US:.*]] = sweep.input %[[U]]
  // CHECK-NEXT:   %[[KS:.*]] = sweep.input %[[K]]
  // CHECK-NEXT:   sweep.stage {{.*}} (%{{.*}} = %[[US]] : {{.*}}, %{{.*}} = %[[KS]] : !stencil.temp{{.*}}, %{{.*}} = %[[L]] : !stencil.field{{.*}}, %{{.*}} = %[[M]] : !stencil.field
  // CHECK:        sweep.carry %{{.*}} to %[[US]]
  // CHECK-NOT:    sweep.carry
  // CHECK:        sweep.output
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!grid, !grid) {
    %us = stencil.load %u : !grid -> !temp
    %ks = stencil.load %k : !grid -> !temp
    %ls = stencil.load %l : !row -> !stencil.temp<?xf64>
    %ms = stencil.load %m : !part -> !temp
    %r = stencil.apply(%x = %us : !temp, %y = %ks : !temp, %z = %ls : !stencil.temp<?xf64>,
                       %w = %ms : !temp) -> (!temp) {
      %0 = stencil.access %x[0, 1] : !temp
      %1 = stencil.access %y[-1, 0] : !temp
      %2 = stencil.access %y[0, 1] : !temp
      %3 = stencil.access %z[_, 1] : !stencil.temp<?xf64>
      %4 = stencil.access %w[1, 0] : !temp
      %5 = arith.mulf %0, %1 : f64
      %6 = arith.mulf %2, %3 : f64
      %7 = arith.subf %5, %6 : f64
      %8 = arith.addf %7, %4 : f64
      stencil.return %8 : f64
    }
    stencil.store %r to %v(<[0, 0], [6, 8]>) : !temp to !grid
    scf.yield %v, %u : !grid, !grid
  } {stencil.plan = #stencil.plan<{mapping = "warp", reads = "queue", steps = 2}>}
  return
}

// With reads = "memory" a coefficient is a field however it is read.
// CHECK-LABEL: func.func @coefficients_in_memory
func.func @coefficients_in_memory(%a: !grid, %b: !grid, %k: !grid, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK:        %[[US:.*]] = sweep.input
  // CHECK-NEXT:   sweep.stage {{.*}} (%{{.*}} = %[[US]] : {{.*}}, %{{.*}} = %{{.*}} : !stencil.field
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!grid, !grid) {
    %us = stencil.load %u : !grid -> !temp
    %ks = stencil.load %k : !grid -> !temp
    %r = stencil.apply(%x = %us : !temp, %y = %ks : !temp) -> (!temp) {
      %0 = stencil.access %x[0, 1] : !temp
      %1 = stencil.access %y[0, 0] : !temp
      %2 = arith.mulf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %v(<[0, 0], [6, 8]>) : !temp to !grid
    scf.yield %v, %u : !grid, !grid
  } {stencil.plan = #stencil.plan<{mapping = "warp", reads = "memory", steps = 2}>}
  return
}

// A number that changes with the iteration is a level scalar, with a value for each step; one that
// does not is a scalar. The second sweep goes on where the first ends.
// CHECK-LABEL: func.func @numbers_of_each_step
// CHECK-SAME:    %[[DT:[a-z0-9]+]]: f64
func.func @numbers_of_each_step(%a: !grid, %b: !grid, %n: index, %dt: f64) {
  %three = arith.constant 3 : index
  %seven = arith.constant 7 : index
  // CHECK:      scf.for %[[I:[a-z0-9]+]] =
  // CHECK:        %[[N0:.*]] = arith.index_cast %[[I]]
  // CHECK-NEXT:   %[[T0:.*]] = arith.sitofp %[[N0]]
  // CHECK:        %[[I1:.*]] = arith.addi %[[I]],
  // CHECK-NEXT:   %[[N1:.*]] = arith.index_cast %[[I1]]
  // CHECK-NEXT:   %[[T1:.*]] = arith.sitofp %[[N1]]
  // CHECK-NEXT:   %[[I2:.*]] = arith.addi %[[I1]],
  // CHECK-NEXT:   sweep.stages
  // CHECK:          scalars(%[[S:.*]] = %[[DT]] : f64)
  // CHECK-NEXT:     level_scalars(%[[T:.*]] = [%[[T0]], %[[T1]]] : f64)
  // CHECK:          sweep.stage {{.*}} = %[[S]] : f64, %{{.*}} = %[[T]] : f64)
  // CHECK:        %[[N2:.*]] = arith.index_cast %[[I2]]
  // CHECK-NEXT:   %[[T2:.*]] = arith.sitofp %[[N2]]
  // CHECK:        sweep.stages
  // CHECK:          level_scalars(%{{.*}} = [%[[T2]], %{{[a-z0-9]+}}] : f64)
  %end:2 = scf.for %i = %three to %n step %seven iter_args(%u = %a, %v = %b) -> (!grid, !grid) {
    %whole = arith.index_cast %i : index to i64
    %time = arith.sitofp %whole : i64 to f64
    %us = stencil.load %u : !grid -> !temp
    %r = stencil.apply(%x = %us : !temp, %s = %dt : f64, %t = %time : f64) -> (!temp) {
      %0 = stencil.access %x[0, 1] : !temp
      %1 = arith.mulf %0, %s : f64
      %2 = arith.addf %1, %t : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %v(<[0, 0], [6, 8]>) : !temp to !grid
    scf.yield %v, %u : !grid, !grid
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// Ghost cells that are copied from the other end of the domain are no part of the sweep, which is
// periodic, and reads and writes nothing outside of its domain. They are seen after the loop, so
// as many iterations as fields rotate are left to it.
// CHECK-LABEL: func.func @periodic
func.func @periodic(%a: !grid, %b: !grid, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK:      %[[COUNT:.*]] = arith.maxsi {{.*}} {stencil.time_steps = 1 : i64} : index
  // CHECK-NEXT: %[[LEFT:.*]] = arith.constant 2 : index
  // CHECK-NEXT: arith.subi %[[COUNT]], %[[LEFT]] : index
  // CHECK:      scf.for
  // CHECK-NEXT:   sweep.stages "sweep" steps 2 periodic [0, 1]
  // CHECK-NOT:      outside
  // CHECK:          %[[S:.*]] = sweep.stage {{.*}} over <[0, 0], [6, 8]>
  // CHECK-NOT:      sweep.stage
  // CHECK:          sweep.output %[[S]]
  // CHECK:        sweep.stages "sweep" steps 2 periodic [0, 1]
  // CHECK-NOT:      outside
  // CHECK:      scf.for
  // CHECK-COUNT-5: stencil.apply
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!grid, !grid) {
    %t0 = stencil.load %u : !grid -> !temp
    %s0 = stencil.apply(%x = %t0 : !temp) -> (!temp) {
      %0 = stencil.access %x[6, 0] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s0 to %u(<[-1, 0], [0, 8]>) : !temp to !grid
    %t1 = stencil.load %u : !grid -> !temp
    %s1 = stencil.apply(%x = %t1 : !temp) -> (!temp) {
      %0 = stencil.access %x[-6, 0] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s1 to %u(<[6, 0], [7, 8]>) : !temp to !grid
    %t2 = stencil.load %u : !grid -> !temp
    %s2 = stencil.apply(%x = %t2 : !temp) -> (!temp) {
      %0 = stencil.access %x[0, 8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s2 to %u(<[-1, -1], [7, 0]>) : !temp to !grid
    %t3 = stencil.load %u : !grid -> !temp
    %s3 = stencil.apply(%x = %t3 : !temp) -> (!temp) {
      %0 = stencil.access %x[0, -8] : !temp
      stencil.return %0 : f64
    }
    stencil.store %s3 to %u(<[-1, 8], [7, 9]>) : !temp to !grid
    %us = stencil.load %u : !grid -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[-1, 1] : !temp
      %1 = stencil.access %x[1, -1] : !temp
      %2 = arith.subf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %v(<[0, 0], [6, 8]>) : !temp to !grid
    scf.yield %v, %u : !grid, !grid
  } {stencil.plan = #stencil.plan<{mapping = "warp", steps = 2}>}
  return
}

// With remainder = "single" the only sweeps are those of all steps; all other iterations are left.
// CHECK-LABEL: func.func @single_steps_left
func.func @single_steps_left(%a: !grid, %b: !grid) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 23 : index
  // CHECK:      scf.for
  // CHECK-COUNT-2: sweep.stages "sweep" steps 4
  // CHECK-NOT:  sweep.stages
  // CHECK:      scf.for
  // CHECK:        stencil.apply
  // CHECK-NOT:    stencil.plan
  // CHECK:      return
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %b) -> (!grid, !grid) {
    %us = stencil.load %u : !grid -> !temp
    %r = stencil.apply(%x = %us : !temp) -> (!temp) {
      %0 = stencil.access %x[0, 1] : !temp
      stencil.return %0 : f64
    }
    stencil.store %r to %v(<[0, 0], [6, 8]>) : !temp to !grid
    scf.yield %v, %u : !grid, !grid
  } {stencil.plan = #stencil.plan<{mapping = "warp", remainder = "single", steps = 4}>}
  return
}
