// Groups of any applies of a block: members are put in a row, and what others share with them is in memory.
//
// DEFINE: %{passes} = func.func(stencil-infer-bounds,stencil-place-copies,stencil-place-groups)
// RUN: stencil-opt %s '--pass-pipeline=builtin.module(%{passes})' | FileCheck %s
// RUN: stencil-opt %s '--pass-pipeline=builtin.module(%{passes},func.func(stencil-place-groups))' | FileCheck %s
// RUN: stencil-opt %s '--pass-pipeline=builtin.module(%{passes})' --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(%{passes})' --seed=1
// DEFINE: %{swept} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(%{passes},stencil-select-plan,func.func(sweep-fuse-statements))' --seed=1
// REDEFINE: %{function} = pair_of_three
// RUN: %{run}
// RUN: %{swept}
// REDEFINE: %{function} = reader_between
// RUN: %{run}
// RUN: %{swept}
// REDEFINE: %{function} = two_groups
// RUN: %{run}
// RUN: %{swept}
// REDEFINE: %{function} = through_memory
// RUN: %{run}
// RUN: %{swept}
// REDEFINE: %{function} = shared_input
// RUN: %{run}
// RUN: %{swept}
//
// COUNT: 3 stencil-place-groups num-moved
// COUNT: 3 stencil-place-groups num-stored

!grid = !stencil.field<[-4,12]x[-4,14]xf64>
!temp = !stencil.temp<?x?xf64>

!wide = !stencil.temp<[-1,7]x[0,9]xf64>
!middle = !stencil.temp<[-1,7]x[-1,8]xf64>
!result = !stencil.temp<[0,6]x[0,8]xf64>

// A temp from before the group is in memory, where the group reads it.
// CHECK-LABEL: func.func @pair_of_three
// CHECK:         %[[F:.*]] = stencil.alloc
// CHECK-NEXT:    %[[P:.*]] = stencil.apply
// CHECK:         stencil.store %[[P]] to %[[F]](<[-1, -1], [7, 8]>)
// CHECK-NEXT:    %[[L:.*]] = stencil.load %[[F]]
// CHECK-NEXT:    stencil.apply(%{{.*}} = %[[L]] : {{.*}}stencil.group = "group"
func.func @pair_of_three(%a: !grid, %b: !grid) {
  %as = stencil.load %a : !grid -> !wide
  %p = stencil.apply(%x = %as : !wide) -> (!middle) {
    %0 = stencil.access %x[0, 1] : !wide
    stencil.return %0 : f64
  }
  %q = stencil.apply(%x = %p : !middle) -> (!result) attributes {stencil.group = "group"} {
    %0 = stencil.access %x[1, 0] : !middle
    %1 = stencil.access %x[-1, -1] : !middle
    %2 = arith.mulf %0, %1 : f64
    stencil.return %2 : f64
  }
  %r = stencil.apply(%x = %q : !result) -> (!result) attributes {stencil.group = "group"} {
    %0 = stencil.access %x[0, 0] : !result
    stencil.return %0 : f64
  }
  stencil.store %r to %b(<[0, 0], [6, 8]>) : !result to !grid
  return
}

// What reads a result of the group from between its applies is behind them. A temp that is read
// in the group too is handed on there.
// CHECK-LABEL: func.func @reader_between
// CHECK:         %[[F:.*]] = stencil.alloc
// CHECK-NEXT:    %[[P:.*]]:2 = stencil.apply{{.*}}attributes {stencil.group = "group"}
// CHECK:         stencil.store %[[P]]#1 to %[[F]]
// CHECK-NEXT:    stencil.apply(%{{.*}} = %[[P]]#0 : {{.*}}stencil.group = "group"
// CHECK:         stencil.store
// CHECK-NEXT:    %[[L:.*]] = stencil.load %[[F]]
// CHECK-NEXT:    stencil.apply(%{{.*}} = %[[L]] :
// CHECK-NOT:     stencil.group
// CHECK:         return
func.func @reader_between(%a: !grid, %b: !grid, %c: !grid) {
  %as = stencil.load %a : !grid -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.group = "group"} {
    %0 = stencil.access %x[0, 1] : !temp
    stencil.return %0 : f64
  }
  %r = stencil.apply(%x = %p : !temp) -> (!temp) {
    %0 = stencil.access %x[2, 0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %r to %c(<[0, 0], [6, 8]>) : !temp to !grid
  %q = stencil.apply(%x = %p : !temp) -> (!temp) attributes {stencil.group = "group"} {
    %0 = stencil.access %x[1, 0] : !temp
    %1 = stencil.access %x[-1, -1] : !temp
    %2 = arith.mulf %0, %1 : f64
    stencil.return %2 : f64
  }
  stencil.store %q to %b(<[0, 0], [6, 8]>) : !temp to !grid
  return
}

// Two groups, whose applies alternate, and a temp from one to the other.
// CHECK-LABEL: func.func @two_groups
// CHECK:         stencil.group = "group", stencil.stage = "first"
// CHECK:         stencil.group = "group", stencil.stage = "third"
// CHECK:         stencil.group = "group1", stencil.stage = "second"
// CHECK:         stencil.group = "group1", stencil.stage = "fourth"
func.func @two_groups(%a: !grid, %b: !grid, %c: !grid) {
  %as = stencil.load %a : !grid -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.stage = "first"} {
    %0 = stencil.access %x[0, 1] : !temp
    stencil.return %0 : f64
  }
  %q = stencil.apply(%x = %p : !temp) -> (!temp)
      attributes {stencil.group = "group1", stencil.stage = "second"} {
    %0 = stencil.access %x[1, 0] : !temp
    %1 = stencil.access %x[-1, 0] : !temp
    %2 = arith.mulf %0, %1 : f64
    stencil.return %2 : f64
  }
  %r = stencil.apply(%x = %p : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.stage = "third"} {
    %0 = stencil.access %x[0, 0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %r to %b(<[0, 0], [6, 8]>) : !temp to !grid
  %s = stencil.apply(%x = %q : !temp) -> (!temp)
      attributes {stencil.group = "group1", stencil.stage = "fourth"} {
    %0 = stencil.access %x[0, 1] : !temp
    stencil.return %0 : f64
  }
  stencil.store %s to %c(<[0, 0], [6, 8]>) : !temp to !grid
  return
}

// Order is by memory too: what overwrites a field that the group reads is behind it, and a load of
// what the group stores is a part of it.
// CHECK-LABEL: func.func @through_memory
// CHECK-SAME:    (%[[A:[a-z0-9]+]]: !stencil{{[^%]*}}%[[B:[a-z0-9]+]]: !stencil
// CHECK:         stencil.group = "group", stencil.stage = "first"
// CHECK:         stencil.load %[[B]]
// CHECK:         stencil.group = "group", stencil.stage = "third"
// CHECK:         stencil.stage = "second"
// CHECK:         stencil.store %{{.*}} to %[[A]]
func.func @through_memory(%a: !grid, %b: !grid, %c: !grid, %d: !grid) {
  %as = stencil.load %a : !grid -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.stage = "first"} {
    %0 = stencil.access %x[0, 1] : !temp
    stencil.return %0 : f64
  }
  stencil.store %p to %b(<[0, 0], [6, 8]>) : !temp to !grid
  %ds = stencil.load %d : !grid -> !temp
  %q = stencil.apply(%x = %ds : !temp) -> (!temp) attributes {stencil.stage = "second"} {
    %0 = stencil.access %x[1, 0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %q to %a(<[0, 0], [6, 8]>) : !temp to !grid
  %bs = stencil.load %b : !grid -> !temp
  %r = stencil.apply(%x = %bs : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.stage = "third"} {
    %0 = stencil.access %x[0, -1] : !temp
    stencil.return %0 : f64
  }
  stencil.store %r to %c(<[0, 0], [6, 8]>) : !temp to !grid
  return
}

// Applies may have no more than an input in common. A group of one is none.
// CHECK-LABEL: func.func @shared_input
// CHECK-COUNT-2: stencil.group = "group"
// CHECK-NOT:     stencil.group
// CHECK:         return
func.func @shared_input(%a: !grid, %b: !grid, %c: !grid, %d: !grid) {
  %as = stencil.load %a : !grid -> !temp
  %p = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.group = "group"} {
    %0 = stencil.access %x[0, 1] : !temp
    stencil.return %0 : f64
  }
  stencil.store %p to %b(<[0, 0], [6, 8]>) : !temp to !grid
  %q = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.group = "group"} {
    %0 = stencil.access %x[1, 0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %q to %c(<[0, 0], [6, 8]>) : !temp to !grid
  %r = stencil.apply(%x = %as : !temp) -> (!temp) attributes {stencil.group = "alone"} {
    %0 = stencil.access %x[-1, 0] : !temp
    stencil.return %0 : f64
  }
  stencil.store %r to %d(<[0, 0], [6, 8]>) : !temp to !grid
  return
}
