// An apply whose plan asks for it becomes a sweep of one step, with its loads and its store.
//
// RUN: stencil-opt %s --convert-stencil-to-sweep | FileCheck %s
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(convert-stencil-to-sweep))' --seed=1
// REDEFINE: %{function} = widest
// RUN: %{run} --arg k=0.75
// REDEFINE: %{function} = one_of_two
// RUN: %{run}
// REDEFINE: %{function} = allocated
// RUN: %{run}
// REDEFINE: %{function} = rotated
// RUN: %{run} --arg n=5 --arg k=0.75
// REDEFINE: %{function} = own_cell_of_the_stored_slot
// RUN: %{run} --arg n=5

!line = !stencil.field<[-1,9]xf64>
!values = !stencil.temp<[-1,9]xf64>
!inner = !stencil.temp<[0,8]xf64>
!plane = !stencil.field<[-1,9]x[-1,9]xf64>

// Outside of a loop the field that is read farthest is carried; the others are read.
// CHECK-LABEL: func.func @widest
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{[^%]*}}%[[B:[a-z0-9]+]]: {{[^%]*}}%[[OUT:[a-z0-9]+]]: {{[^%]*}}%[[K:[a-z0-9]+]]: f64
func.func @widest(%a: !line, %b: !line, %out: !line, %k: f64) {
  // CHECK-NOT:  stencil.load
  // CHECK:      sweep.kernel "mean" steps 1 over <[0], [8]>
  // CHECK-NEXT:   carried(%[[V:.*]] = %[[B]] : {{.*}})
  // CHECK-NEXT:   boundaries(%[[B]] : {{.*}})
  // CHECK-NEXT:   reads(%[[U:.*]] = %[[A]] : {{.*}})
  // CHECK-NEXT:   scalars(%[[W:.*]] = %[[K]] : f64)
  // CHECK-NEXT:   outs(%[[OUT]] : {{.*}})
  // CHECK-NEXT:   plan <{mapping = "warp"}>
  %ta = stencil.load %a : !line -> !inner
  %tb = stencil.load %b : !line -> !values
  %r = stencil.apply(%u = %ta : !inner, %v = %tb : !values, %w = %k : f64) -> (!inner)
      attributes {stencil.stage = "mean", stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    // CHECK-NEXT: %[[OWN:.*]] = stencil.access %[[U]][0]
    // CHECK-NEXT: %[[LEFT:.*]] = stencil.access %[[V]][-1]
    // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[OWN]], %[[LEFT]]
    // CHECK-NEXT: %[[NEW:.*]] = arith.mulf %[[SUM]], %[[W]]
    // CHECK-NEXT: sweep.yield %[[NEW]] : f64
    %own = stencil.access %u[0] : !inner
    %left = stencil.access %v[-1] : !values
    %sum = arith.addf %own, %left : f64
    %new = arith.mulf %sum, %w : f64
    stencil.return %new : f64
  }
  // CHECK-NOT:  stencil.store
  stencil.store %r to %out(<[0], [8]>) : !inner to !line
  // CHECK:      return
  return
}

// Other mappings stay applies; what one of them loads is loaded still.
// CHECK-LABEL: func.func @one_of_two
func.func @one_of_two(%a: !line, %b: !line, %c: !line) {
  // CHECK:      %[[T:.*]] = stencil.load
  %t = stencil.load %a : !line -> !inner
  // CHECK:      stencil.apply(%{{.*}} = %[[T]]
  %r = stencil.apply(%x = %t : !inner) -> (!inner)
      attributes {stencil.plan = #stencil.plan<{threads = array<i64: 32>}>} {
    %v = stencil.access %x[0] : !inner
    stencil.return %v : f64
  }
  stencil.store %r to %b(<[0], [8]>) : !inner to !line
  // CHECK:      sweep.kernel "sweep" steps 1 over <[2], [6]>
  // CHECK:      plan <{mapping = "block"}>
  %s = stencil.apply(%x = %t : !inner) -> (!inner)
      attributes {stencil.plan = #stencil.plan<{mapping = "block"}>} {
    %v = stencil.access %x[0] : !inner
    stencil.return %v : f64
  }
  stencil.store %s to %c(<[2], [6]>) : !inner to !line
  return
}

// A field that is allocated behind the apply is allocated before the sweep. One argument for two
// loads of a field, and dynamic and lower-rank reads are `reads`.
// CHECK-LABEL: func.func @allocated
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{[^%]*}}%[[ROW:[a-z0-9]+]]:
func.func @allocated(%a: !plane, %row: !line, %table: !line) {
  %one = stencil.load %a : !plane -> !stencil.temp<[0,8]x[0,8]xf64>
  %two = stencil.load %a : !plane -> !stencil.temp<[-1,7]x[0,8]xf64>
  %t = stencil.load %row : !line -> !inner
  %d = stencil.load %table : !line -> !values
  // CHECK:      %[[MEMORY:.*]] = stencil.alloc
  // CHECK-NEXT: sweep.kernel
  // CHECK-NEXT:   carried(%[[U:.*]] = %[[A]] : {{.*}})
  // CHECK-NEXT:   boundaries(%[[A]] : {{.*}})
  // CHECK-NEXT:   reads(%{{.*}} = %[[ROW]] : {{.*}}, %{{.*}} = %{{.*}} : {{.*}})
  // CHECK-NEXT:   outs(%[[MEMORY]] : {{.*}})
  // CHECK:        stencil.access %[[U]][0, 0]
  // CHECK-NEXT:   stencil.access %[[U]][-1, 0]
  %r = stencil.apply(%x = %one : !stencil.temp<[0,8]x[0,8]xf64>,
      %y = %two : !stencil.temp<[-1,7]x[0,8]xf64>, %c = %t : !inner, %e = %d : !values)
      -> (!stencil.temp<[0,8]x[0,8]xf64>)
      attributes {stencil.plan = #stencil.plan<{mapping = "warp"}>} {
    %v = stencil.access %x[0, 0] : !stencil.temp<[0,8]x[0,8]xf64>
    %w = stencil.access %y[-1, 0] : !stencil.temp<[-1,7]x[0,8]xf64>
    %f = stencil.access %c[_, 0] : !inner
    %i = stencil.index 0 <[0, 0]>
    %g = stencil.dyn_access %e[%i] in <[-1]> : <[8]> attributes {absolute} : !values
    %0 = arith.addf %v, %w : f64
    %1 = arith.mulf %0, %f : f64
    %2 = arith.mulf %1, %g : f64
    stencil.return %2 : f64
  }
  %memory = stencil.alloc : !plane
  stencil.store %r to %memory(<[0, 0], [8, 8]>) : !stencil.temp<[0,8]x[0,8]xf64> to !plane
  return
}

// In a loop over time, the fields are there by age: home 0 holds the newest level, home 1 gets the
// next. What the iterations compute are level scalars.
// CHECK-LABEL: func.func @rotated
func.func @rotated(%a: !line, %b: !line, %c: !line, %n: index, %k: f64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK:      scf.for %[[I:.*]] = {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}, %[[W:.*]] = %{{.*}})
  %end:3 = scf.for %i = %zero to %n step %one iter_args(%p = %a, %q = %b, %w = %c)
      -> (!line, !line, !line) {
    %tq = stencil.load %q : !line -> !values
    %tp = stencil.load %p : !line -> !inner
    // CHECK:      sweep.kernel
    // CHECK-NEXT:   carried(%[[X:.*]] = %[[Q]] : {{.*}}, %[[Y:.*]] = %[[P]] : {{.*}})
    // CHECK-NEXT:   boundaries(%[[Q]] : {{.*}}, %[[W]] : {{.*}}, %[[P]] : {{.*}})
    // CHECK-NEXT:   scalars(%{{.*}} = %{{.*}} : f64)
    // CHECK-NEXT:   level_scalars(%{{.*}} = [%[[I]]] : index)
    // CHECK-NEXT:   outs(%[[W]] : {{.*}})
    %r = stencil.apply(%y = %tp : !inner, %s = %k : f64, %x = %tq : !values, %t = %i : index)
        -> (!inner) attributes {stencil.plan = #stencil.plan<{mapping = "warp"}>} {
      // CHECK:      stencil.access %[[Y]][0]
      // CHECK-NEXT: stencil.access %[[X]][1]
      %u = stencil.access %y[0] : !inner
      %v = stencil.access %x[1] : !values
      %time = arith.index_cast %t : index to i64
      %wave = arith.sitofp %time : i64 to f64
      %0 = arith.subf %v, %u : f64
      %1 = arith.mulf %0, %s : f64
      %2 = arith.addf %1, %wave : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %w(<[0], [8]>) : !inner to !line
    scf.yield %q, %w, %p : !line, !line, !line
  }
  return
}

// The slot that is stored may be read at its own cell: it holds the oldest level.
// CHECK-LABEL: func.func @own_cell_of_the_stored_slot
func.func @own_cell_of_the_stored_slot(%a: !line, %b: !line, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK:      iter_args(%[[NOW:.*]] = %{{.*}}, %[[PAST:.*]] = %{{.*}})
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%now = %a, %past = %b)
      -> (!line, !line) {
    %u = stencil.load %now : !line -> !values
    %v = stencil.load %past : !line -> !inner
    // CHECK:      carried(%{{.*}} = %[[NOW]] : {{.*}}, %{{.*}} = %[[PAST]] : {{.*}})
    // CHECK-NEXT: boundaries(%[[NOW]] : {{.*}}, %[[PAST]] : {{.*}})
    // CHECK-NEXT: outs(%[[PAST]] : {{.*}})
    %r = stencil.apply(%x = %u : !values, %y = %v : !inner) -> (!inner)
        attributes {stencil.plan = #stencil.plan<{mapping = "warp"}>} {
      %0 = stencil.access %x[1] : !values
      %1 = stencil.access %y[0] : !inner
      %2 = arith.subf %0, %1 : f64
      stencil.return %2 : f64
    }
    stencil.store %r to %past(<[0], [8]>) : !inner to !line
    scf.yield %past, %now : !line, !line
  }
  return
}
