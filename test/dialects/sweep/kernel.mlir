// A kernel: custom and generic form round-trip.
//
// RUN: stencil-opt %s | stencil-opt --mlir-print-op-generic | stencil-opt | FileCheck %s

// Two levels of a star; each kind of operand has a line, and what there is none of has no line.
// CHECK-LABEL: func.func @star
// CHECK-SAME:    %[[NOW:.*]]: !stencil.field<[0,10]x[0,10]xf64>, %[[NEXT:.*]]: !stencil.field<[0,10]x[0,10]xf64>, %[[C:.*]]: f64
func.func @star(%now: !stencil.field<[0,10]x[0,10]xf64>, %next: !stencil.field<[0,10]x[0,10]xf64>,
                %c: f64) {
  // CHECK-NEXT: sweep.kernel "star.s0" steps 2 over <[1, 1], [9, 9]> form "scatter"
  // CHECK-NEXT:     carried(%[[U:.*]] = %[[NOW]] : !stencil.field<[0,10]x[0,10]xf64>)
  // CHECK-NEXT:     boundaries(%[[NOW]] : !stencil.field<[0,10]x[0,10]xf64>, %[[NEXT]] : !stencil.field<[0,10]x[0,10]xf64>)
  // CHECK-NEXT:     scalars(%[[K:.*]] = %[[C]] : f64)
  // CHECK-NEXT:     outs(%[[NEXT]] : !stencil.field<[0,10]x[0,10]xf64>)
  // CHECK-NEXT:     plan <{steps = 2 : i64}> {
  // CHECK-NEXT:   stencil.access %[[U]][-1, 0]
  sweep.kernel "star.s0" steps 2 over <[1, 1], [9, 9]> form "scatter"
      carried(%u = %now : !stencil.field<[0,10]x[0,10]xf64>)
      boundaries(%now : !stencil.field<[0,10]x[0,10]xf64>, %next : !stencil.field<[0,10]x[0,10]xf64>)
      scalars(%k = %c : f64)
      outs(%next : !stencil.field<[0,10]x[0,10]xf64>)
      plan <{steps = 2}> {
    %n = stencil.access %u[-1, 0] : !stencil.field<[0,10]x[0,10]xf64>
    %s = stencil.access %u[1, 0] : !stencil.field<[0,10]x[0,10]xf64>
    %0 = arith.addf %n, %s : f64
    %1 = arith.mulf %0, %k : f64
    // CHECK: sweep.yield %{{.*}} : f64
    sweep.yield %1 : f64
  }
  return
}

// Level scalars are written argument by argument; the operands are level by level.
// CHECK-LABEL: func.func @every_kind
// CHECK-SAME:    %[[A:.*]]: !stencil.field<[0,10]xf32>, %[[B:.*]]: !stencil.field<[0,10]xf32>, %{{.*}}: !stencil.field<[0,10]xf32>, %{{.*}}: !stencil.field<[0,4]xf32>, %[[I0:.*]]: index, %[[I1:.*]]: index, %[[X0:.*]]: f32, %[[X1:.*]]: f32
func.func @every_kind(%a: !stencil.field<[0,10]xf32>, %b: !stencil.field<[0,10]xf32>,
                      %c: !stencil.field<[0,10]xf32>, %table: !stencil.field<[0,4]xf32>,
                      %i0: index, %i1: index, %x0: f32, %x1: f32) {
  // CHECK-NEXT: sweep.kernel "a \22quoted\22 name" steps 2 over <[1], [9]> form "gather" slots ["shared", "register"]
  // CHECK-NEXT:     carried(%{{.*}} = %[[A]] : !stencil.field<[0,10]xf32>, %[[OLD:.*]] = %[[B]] : !stencil.field<[0,10]xf32>)
  // CHECK-NEXT:     boundaries(%[[A]] : {{.*}}, %[[B]] : {{.*}})
  // CHECK-NEXT:     reads(%[[T:.*]] = %{{.*}} : !stencil.field<[0,4]xf32>)
  // CHECK-NEXT:     level_scalars(%[[I:.*]] = [%[[I0]], %[[I1]]] : index, %[[X:.*]] = [%[[X0]], %[[X1]]] : f32)
  // CHECK-NEXT:     outs(%{{.*}} : !stencil.field<[0,10]xf32>)
  // CHECK-NEXT:     plan <{}> attributes {note} {
  sweep.kernel "a \"quoted\" name" steps 2 over <[1], [9]> form "gather" slots ["shared", "register"]
      carried(%u = %a : !stencil.field<[0,10]xf32>, %v = %b : !stencil.field<[0,10]xf32>)
      boundaries(%a : !stencil.field<[0,10]xf32>, %b : !stencil.field<[0,10]xf32>)
      reads(%t = %table : !stencil.field<[0,4]xf32>)
      level_scalars(%i = [%i0, %i1] : index, %x = [%x0, %x1] : f32)
      outs(%c : !stencil.field<[0,10]xf32>)
      plan <{}> attributes {note} {
    // CHECK-NEXT: stencil.dyn_access %[[T]][%[[I]]]
    %p = stencil.dyn_access %t[%i] in <[0]> : <[3]> attributes {absolute}
        : !stencil.field<[0,4]xf32>
    // CHECK-NEXT: stencil.access %[[OLD]][1]
    %q = stencil.access %v[1] : !stencil.field<[0,10]xf32>
    %r = stencil.access %u[0] : !stencil.field<[0,10]xf32>
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %0, %r : f32
    // CHECK: arith.mulf %{{.*}}, %[[X]]
    %2 = arith.mulf %1, %x : f32
    sweep.yield %2 : f32
  }
  return
}

// The point has a rank and coordinates, as in an apply; a read of lower rank names its dimensions.
// CHECK-LABEL: func.func @points
func.func @points(%now: !stencil.field<[0,10]x[0,10]xf64>, %next: !stencil.field<[0,10]x[0,10]xf64>,
                  %row: !stencil.field<[0,10]xf64>) {
  sweep.kernel "p" steps 1 over <[1, 1], [9, 9]>
      carried(%u = %now : !stencil.field<[0,10]x[0,10]xf64>)
      boundaries(%now : !stencil.field<[0,10]x[0,10]xf64>)
      reads(%c = %row : !stencil.field<[0,10]xf64>)
      outs(%next : !stencil.field<[0,10]x[0,10]xf64>)
      plan <{}> {
    // CHECK: stencil.index 1 <[0, 1]>
    %j = stencil.index 1 <[0, 1]>
    // CHECK: stencil.access %{{.*}}[_, 1]
    %l = stencil.access %c[_, 1] : !stencil.field<[0,10]xf64>
    %v = stencil.access %u[0, 1] : !stencil.field<[0,10]x[0,10]xf64>
    %odd = arith.index_cast %j : index to i64
    %w = arith.sitofp %odd : i64 to f64
    %0 = arith.mulf %w, %l : f64
    %1 = arith.addf %0, %v : f64
    sweep.yield %1 : f64
  }
  return
}

// A sweep of one step may write over what it reads, if each point reads its own cell alone. A home
// that no level reads needs no halo.
// CHECK-LABEL: func.func @in_place
func.func @in_place(%now: !stencil.field<[0,10]xf64>, %next: !stencil.field<[1,9]xf64>) {
  // CHECK: sweep.kernel "in_place"
  sweep.kernel "in_place" steps 1 over <[1], [9]>
      carried(%u = %now : !stencil.field<[0,10]xf64>, %v = %next : !stencil.field<[1,9]xf64>)
      boundaries(%now : !stencil.field<[0,10]xf64>, %next : !stencil.field<[1,9]xf64>)
      outs(%next : !stencil.field<[1,9]xf64>)
      plan <{}> {
    %a = stencil.access %u[1] : !stencil.field<[0,10]xf64>
    %b = stencil.access %v[0] : !stencil.field<[1,9]xf64>
    %0 = arith.subf %a, %b : f64
    sweep.yield %0 : f64
  }
  return
}

// Conditions and loops compute a point as anything else does.
// CHECK-LABEL: func.func @control
func.func @control(%now: !stencil.field<[0,10]xf64>, %next: !stencil.field<[0,10]xf64>, %k: i1) {
  sweep.kernel "control" steps 1 over <[1], [9]>
      carried(%u = %now : !stencil.field<[0,10]xf64>)
      boundaries(%now : !stencil.field<[0,10]xf64>)
      scalars(%c = %k : i1)
      outs(%next : !stencil.field<[0,10]xf64>)
      plan <{}> {
    // CHECK: scf.if
    %0 = scf.if %c -> f64 {
      %a = stencil.access %u[1] : !stencil.field<[0,10]xf64>
      scf.yield %a : f64
    } else {
      %a = stencil.access %u[-1] : !stencil.field<[0,10]xf64>
      scf.yield %a : f64
    }
    // CHECK: math.sqrt
    %1 = math.sqrt %0 : f64
    sweep.yield %1 : f64
  }
  return
}
