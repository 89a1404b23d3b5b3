// Applies of one mark become one apply, with the operands, bodies and results of all; where that would change a value they stay apart.
//
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-merge-applies))' | FileCheck %s
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-merge-applies))' --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: stencilc run %s --on=interpreter --function=two_bounds --arg scale=0.3 --same-after='builtin.module(func.func(stencil-infer-bounds,stencil-merge-applies))' --seed=1
// RUN: stencilc run %s --on=interpreter --function=in_place --same-after='builtin.module(func.func(stencil-infer-bounds,stencil-merge-applies))' --seed=1
// RUN: stencilc run %s --on=emulator --function=two_bounds --arg scale=0.3 --verify --seed=1
// RUN: stencilc run %s --on=emulator --function=in_place --verify --seed=1
//
// COUNT: 5 stencil-merge-applies num-declined
// COUNT: 4 stencil-merge-applies num-merged

!field = !stencil.field<[-2,34]x[-3,35]xf32>
!temp = !stencil.temp<?x?xf32>

// The two loads of one field are one operand with the hull of their bounds; a number that only the
// second has is another.
// CHECK-LABEL: func.func @two_bounds
// CHECK-SAME:    %[[U:.*]]: !stencil.field<[-2,34]x[-3,35]xf32>, %[[A:.*]]: {{.*}}, %[[B:.*]]: {{.*}}, %[[S:.*]]: f32
// CHECK:         %[[T:.*]] = stencil.load %[[U]] : {{.*}} -> !stencil.temp<[-1,33]x[-1,34]xf32>
// CHECK-NOT:     stencil.load
// CHECK:         %[[R:.*]]:2 = stencil.apply(%[[X:.*]] = %[[T]] : {{.*}}, %{{.*}} = %[[S]] : f32)
// CHECK-SAME:      stencil.stage = "both"
// CHECK:           stencil.return %{{.*}}, %{{.*}} : f32, f32
// CHECK:         stencil.store %[[R]]#0 to %[[A]]
// CHECK-NOT:     stencil.apply
// CHECK:         stencil.store %[[R]]#1 to %[[B]]
func.func @two_bounds(%u: !field, %a: !field, %b: !field, %scale: f32) {
  %t = stencil.load %u : !field -> !temp
  %y = stencil.apply(%x = %t : !temp) -> (!temp) attributes {stencil.merge = "both"} {
    %1 = stencil.access %x[-1, 0] : !temp
    %2 = stencil.access %x[1, 0] : !temp
    %3 = arith.subf %2, %1 : f32
    stencil.return %3 : f32
  }
  stencil.store %y to %a(<[0, 0], [32, 33]>) : !temp to !field
  %s = stencil.load %u : !field -> !temp
  %z = stencil.apply(%x = %s : !temp, %k = %scale : f32) -> (!temp) attributes {stencil.merge = "both"} {
    %1 = stencil.access %x[0, -1] : !temp
    %2 = stencil.access %x[0, 1] : !temp
    %3 = arith.subf %2, %1 : f32
    %4 = arith.mulf %3, %k : f32
    stencil.return %4 : f32
  }
  stencil.store %z to %b(<[0, 0], [32, 33]>) : !temp to !field
  return
}

// Each updates a field of its own in place.
// CHECK-LABEL: func.func @in_place
// CHECK:         stencil.apply
// CHECK-NOT:     stencil.apply
func.func @in_place(%u: !field, %v: !field, %w: !field) {
  %t = stencil.load %u : !field -> !temp
  %s = stencil.load %v : !field -> !temp
  %r = stencil.load %w : !field -> !temp
  %y = stencil.apply(%x = %t : !temp, %k = %r : !temp) -> (!temp) attributes {stencil.merge = "step"} {
    %1 = stencil.access %x[0, 0] : !temp
    %2 = stencil.access %k[0, 1] : !temp
    %3 = arith.addf %2, %1 : f32
    stencil.return %3 : f32
  }
  stencil.store %y to %u(<[0, 0], [32, 33]>) : !temp to !field
  %z = stencil.apply(%x = %s : !temp, %k = %r : !temp) -> (!temp) attributes {stencil.merge = "step"} {
    %1 = stencil.access %x[0, 0] : !temp
    %2 = stencil.access %k[1, 0] : !temp
    %3 = arith.subf %2, %1 : f32
    stencil.return %3 : f32
  }
  stencil.store %z to %v(<[0, 0], [32, 33]>) : !temp to !field
  return
}

// The second reads what the first computes.
// CHECK-LABEL: func.func @dependent
// CHECK-COUNT-2: stencil.apply
func.func @dependent(%u: !field, %a: !field, %b: !field) {
  %t = stencil.load %u : !field -> !temp
  %y = stencil.apply(%x = %t : !temp) -> (!temp) attributes {stencil.merge = "m"} {
    %1 = stencil.access %x[0, 1] : !temp
    stencil.return %1 : f32
  }
  %z = stencil.apply(%x = %y : !temp) -> (!temp) attributes {stencil.merge = "m"} {
    %1 = stencil.access %x[0, 0] : !temp
    stencil.return %1 : f32
  }
  stencil.store %y to %a(<[0, 0], [32, 33]>) : !temp to !field
  stencil.store %z to %b(<[0, 0], [32, 33]>) : !temp to !field
  return
}

// The second reads it through memory.
// CHECK-LABEL: func.func @through_memory
// CHECK-COUNT-2: stencil.apply
func.func @through_memory(%u: !field, %a: !field, %b: !field) {
  %t = stencil.load %u : !field -> !temp
  %y = stencil.apply(%x = %t : !temp) -> (!temp) attributes {stencil.merge = "m"} {
    %1 = stencil.access %x[0, 1] : !temp
    stencil.return %1 : f32
  }
  stencil.store %y to %a(<[0, 0], [32, 33]>) : !temp to !field
  %s = stencil.load %a : !field -> !temp
  %z = stencil.apply(%x = %s : !temp) -> (!temp) attributes {stencil.merge = "m"} {
    %1 = stencil.access %x[0, 0] : !temp
    stencil.return %1 : f32
  }
  stencil.store %z to %b(<[0, 0], [32, 33]>) : !temp to !field
  return
}

// They compute different points.
// CHECK-LABEL: func.func @other_points
// CHECK-COUNT-2: stencil.apply
func.func @other_points(%u: !field, %a: !field, %b: !field) {
  %t = stencil.load %u : !field -> !temp
  %y = stencil.apply(%x = %t : !temp) -> (!temp) attributes {stencil.merge = "m"} {
    %1 = stencil.access %x[0, 1] : !temp
    stencil.return %1 : f32
  }
  %z = stencil.apply(%x = %t : !temp) -> (!temp) attributes {stencil.merge = "m"} {
    %1 = stencil.access %x[0, 0] : !temp
    stencil.return %1 : f32
  }
  stencil.store %y to %a(<[0, 0], [32, 33]>) : !temp to !field
  stencil.store %z to %b(<[0, 0], [32, 32]>) : !temp to !field
  return
}

// A loop between the two may access any field.
// CHECK-LABEL: func.func @loop_between
// CHECK-COUNT-3: stencil.apply
func.func @loop_between(%u: !field, %a: !field, %b: !field, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = stencil.load %u : !field -> !temp
  %y = stencil.apply(%x = %t : !temp) -> (!temp) attributes {stencil.merge = "m"} {
    %1 = stencil.access %x[0, 1] : !temp
    stencil.return %1 : f32
  }
  stencil.store %y to %a(<[0, 0], [32, 33]>) : !temp to !field
  scf.for %i = %zero to %n step %one {
    %s = stencil.load %a : !field -> !temp
    %w = stencil.apply(%x = %s : !temp) -> (!temp) {
      %1 = stencil.access %x[0, 0] : !temp
      stencil.return %1 : f32
    }
    stencil.store %w to %b(<[0, 0], [32, 33]>) : !temp to !field
  }
  %z = stencil.apply(%x = %t : !temp) -> (!temp) attributes {stencil.merge = "m"} {
    %1 = stencil.access %x[0, 0] : !temp
    stencil.return %1 : f32
  }
  stencil.store %z to %b(<[0, 0], [32, 33]>) : !temp to !field
  return
}

// What has a plan of its own is a kernel of its own.
// CHECK-LABEL: func.func @planned
// CHECK-COUNT-2: stencil.apply
func.func @planned(%u: !field, %a: !field, %b: !field) {
  %t = stencil.load %u : !field -> !temp
  %y = stencil.apply(%x = %t : !temp) -> (!temp)
      attributes {stencil.merge = "m", stencil.plan = #stencil.plan<{points = array<i64: 2, 1>}>} {
    %1 = stencil.access %x[0, 1] : !temp
    stencil.return %1 : f32
  }
  stencil.store %y to %a(<[0, 0], [32, 33]>) : !temp to !field
  %z = stencil.apply(%x = %t : !temp) -> (!temp) attributes {stencil.merge = "m"} {
    %1 = stencil.access %x[0, 0] : !temp
    stencil.return %1 : f32
  }
  stencil.store %z to %b(<[0, 0], [32, 33]>) : !temp to !field
  return
}
