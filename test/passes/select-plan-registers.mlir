// Points of a thread whose cells would be spilled with 64 registers have 128.
//
// RUN: stencil-opt %s '--pass-pipeline=builtin.module(func.func(stencil-infer-bounds),stencil-select-plan{plan=mapping=thread})' | FileCheck %s

!grid = !stencil.field<[-4,516]x[-4,516]x[-4,516]xf32>

// Differences that are squared are live until both cells are there.
// CHECK-LABEL: func.func @squares(
// CHECK:         #stencil.plan<{{.*}}max_registers = 128 : i64, points = array<i64: 2, 2, 2>
func.func @squares(%in: !stencil.field<[0,512]x[0,512]x[0,512]xf64>, %out: !stencil.field<[0,512]x[0,512]x[0,512]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,512]x[0,512]x[0,512]xf64> -> !stencil.temp<?x?x?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?x?xf64>) -> (!stencil.temp<?x?x?xf64>) {
    %sum0 = stencil.access %a[0, 0, 0] : !stencil.temp<?x?x?xf64>
    %l0 = stencil.access %a[-1, 0, 0] : !stencil.temp<?x?x?xf64>
    %h0 = stencil.access %a[1, 0, 0] : !stencil.temp<?x?x?xf64>
    %d0 = arith.subf %h0, %l0 : f64
    %p0 = arith.mulf %d0, %d0 : f64
    %sum1 = arith.addf %sum0, %p0 : f64
    %l1 = stencil.access %a[-2, 0, 0] : !stencil.temp<?x?x?xf64>
    %h1 = stencil.access %a[2, 0, 0] : !stencil.temp<?x?x?xf64>
    %d1 = arith.subf %h1, %l1 : f64
    %p1 = arith.mulf %d1, %d1 : f64
    %sum2 = arith.addf %sum1, %p1 : f64
    %l2 = stencil.access %a[0, -1, 0] : !stencil.temp<?x?x?xf64>
    %h2 = stencil.access %a[0, 1, 0] : !stencil.temp<?x?x?xf64>
    %d2 = arith.subf %h2, %l2 : f64
    %p2 = arith.mulf %d2, %d2 : f64
    %sum3 = arith.addf %sum2, %p2 : f64
    %l3 = stencil.access %a[0, -2, 0] : !stencil.temp<?x?x?xf64>
    %h3 = stencil.access %a[0, 2, 0] : !stencil.temp<?x?x?xf64>
    %d3 = arith.subf %h3, %l3 : f64
    %p3 = arith.mulf %d3, %d3 : f64
    %sum4 = arith.addf %sum3, %p3 : f64
    %l4 = stencil.access %a[0, 0, -1] : !stencil.temp<?x?x?xf64>
    %h4 = stencil.access %a[0, 0, 1] : !stencil.temp<?x?x?xf64>
    %d4 = arith.subf %h4, %l4 : f64
    %p4 = arith.mulf %d4, %d4 : f64
    %sum5 = arith.addf %sum4, %p4 : f64
    %l5 = stencil.access %a[0, 0, -2] : !stencil.temp<?x?x?xf64>
    %h5 = stencil.access %a[0, 0, 2] : !stencil.temp<?x?x?xf64>
    %d5 = arith.subf %h5, %l5 : f64
    %p5 = arith.mulf %d5, %d5 : f64
    %sum6 = arith.addf %sum5, %p5 : f64
    stencil.return %sum6 : f64
  }
  stencil.store %r to %out(<[2, 2, 2], [510, 510, 510]>) : !stencil.temp<?x?x?xf64> to !stencil.field<[0,512]x[0,512]x[0,512]xf64>
  return
}

// The same cells take half of the registers.
// CHECK-LABEL: func.func @of_one_word(
// CHECK:         #stencil.plan<{{.*}}max_registers = 64 : i64, points = array<i64: 2, 2, 2>
func.func @of_one_word(%in: !stencil.field<[0,512]x[0,512]x[0,512]xf32>, %out: !stencil.field<[0,512]x[0,512]x[0,512]xf32>) {
  %t = stencil.load %in : !stencil.field<[0,512]x[0,512]x[0,512]xf32> -> !stencil.temp<?x?x?xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?x?xf32>) -> (!stencil.temp<?x?x?xf32>) {
    %sum0 = stencil.access %a[0, 0, 0] : !stencil.temp<?x?x?xf32>
    %l0 = stencil.access %a[-1, 0, 0] : !stencil.temp<?x?x?xf32>
    %h0 = stencil.access %a[1, 0, 0] : !stencil.temp<?x?x?xf32>
    %d0 = arith.subf %h0, %l0 : f32
    %p0 = arith.mulf %d0, %d0 : f32
    %sum1 = arith.addf %sum0, %p0 : f32
    %l1 = stencil.access %a[-2, 0, 0] : !stencil.temp<?x?x?xf32>
    %h1 = stencil.access %a[2, 0, 0] : !stencil.temp<?x?x?xf32>
    %d1 = arith.subf %h1, %l1 : f32
    %p1 = arith.mulf %d1, %d1 : f32
    %sum2 = arith.addf %sum1, %p1 : f32
    %l2 = stencil.access %a[0, -1, 0] : !stencil.temp<?x?x?xf32>
    %h2 = stencil.access %a[0, 1, 0] : !stencil.temp<?x?x?xf32>
    %d2 = arith.subf %h2, %l2 : f32
    %p2 = arith.mulf %d2, %d2 : f32
    %sum3 = arith.addf %sum2, %p2 : f32
    %l3 = stencil.access %a[0, -2, 0] : !stencil.temp<?x?x?xf32>
    %h3 = stencil.access %a[0, 2, 0] : !stencil.temp<?x?x?xf32>
    %d3 = arith.subf %h3, %l3 : f32
    %p3 = arith.mulf %d3, %d3 : f32
    %sum4 = arith.addf %sum3, %p3 : f32
    %l4 = stencil.access %a[0, 0, -1] : !stencil.temp<?x?x?xf32>
    %h4 = stencil.access %a[0, 0, 1] : !stencil.temp<?x?x?xf32>
    %d4 = arith.subf %h4, %l4 : f32
    %p4 = arith.mulf %d4, %d4 : f32
    %sum5 = arith.addf %sum4, %p4 : f32
    %l5 = stencil.access %a[0, 0, -2] : !stencil.temp<?x?x?xf32>
    %h5 = stencil.access %a[0, 0, 2] : !stencil.temp<?x?x?xf32>
    %d5 = arith.subf %h5, %l5 : f32
    %p5 = arith.mulf %d5, %d5 : f32
    %sum6 = arith.addf %sum5, %p5 : f32
    stencil.return %sum6 : f32
  }
  stencil.store %r to %out(<[2, 2, 2], [510, 510, 510]>) : !stencil.temp<?x?x?xf32> to !stencil.field<[0,512]x[0,512]x[0,512]xf32>
  return
}

// Cells of a sum are added as they come.
// CHECK-LABEL: func.func @sum(
// CHECK:         #stencil.plan<{{.*}}max_registers = 64 : i64, points = array<i64: 2, 2, 2>
func.func @sum(%in: !stencil.field<[0,512]x[0,512]x[0,512]xf64>, %out: !stencil.field<[0,512]x[0,512]x[0,512]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,512]x[0,512]x[0,512]xf64> -> !stencil.temp<?x?x?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?x?xf64>) -> (!stencil.temp<?x?x?xf64>) {
    %sum0 = stencil.access %a[0, 0, 0] : !stencil.temp<?x?x?xf64>
    %w = arith.constant 0.25 : f64
    %l0 = stencil.access %a[-1, 0, 0] : !stencil.temp<?x?x?xf64>
    %h0 = stencil.access %a[1, 0, 0] : !stencil.temp<?x?x?xf64>
    %p0 = arith.mulf %l0, %w : f64
    %q0 = arith.mulf %h0, %w : f64
    %m0 = arith.addf %sum0, %p0 : f64
    %sum1 = arith.addf %m0, %q0 : f64
    %l1 = stencil.access %a[-2, 0, 0] : !stencil.temp<?x?x?xf64>
    %h1 = stencil.access %a[2, 0, 0] : !stencil.temp<?x?x?xf64>
    %p1 = arith.mulf %l1, %w : f64
    %q1 = arith.mulf %h1, %w : f64
    %m1 = arith.addf %sum1, %p1 : f64
    %sum2 = arith.addf %m1, %q1 : f64
    %l2 = stencil.access %a[0, -1, 0] : !stencil.temp<?x?x?xf64>
    %h2 = stencil.access %a[0, 1, 0] : !stencil.temp<?x?x?xf64>
    %p2 = arith.mulf %l2, %w : f64
    %q2 = arith.mulf %h2, %w : f64
    %m2 = arith.addf %sum2, %p2 : f64
    %sum3 = arith.addf %m2, %q2 : f64
    %l3 = stencil.access %a[0, -2, 0] : !stencil.temp<?x?x?xf64>
    %h3 = stencil.access %a[0, 2, 0] : !stencil.temp<?x?x?xf64>
    %p3 = arith.mulf %l3, %w : f64
    %q3 = arith.mulf %h3, %w : f64
    %m3 = arith.addf %sum3, %p3 : f64
    %sum4 = arith.addf %m3, %q3 : f64
    %l4 = stencil.access %a[0, 0, -1] : !stencil.temp<?x?x?xf64>
    %h4 = stencil.access %a[0, 0, 1] : !stencil.temp<?x?x?xf64>
    %p4 = arith.mulf %l4, %w : f64
    %q4 = arith.mulf %h4, %w : f64
    %m4 = arith.addf %sum4, %p4 : f64
    %sum5 = arith.addf %m4, %q4 : f64
    %l5 = stencil.access %a[0, 0, -2] : !stencil.temp<?x?x?xf64>
    %h5 = stencil.access %a[0, 0, 2] : !stencil.temp<?x?x?xf64>
    %p5 = arith.mulf %l5, %w : f64
    %q5 = arith.mulf %h5, %w : f64
    %m5 = arith.addf %sum5, %p5 : f64
    %sum6 = arith.addf %m5, %q5 : f64
    stencil.return %sum6 : f64
  }
  stencil.store %r to %out(<[2, 2, 2], [510, 510, 510]>) : !stencil.temp<?x?x?xf64> to !stencil.field<[0,512]x[0,512]x[0,512]xf64>
  return
}

// So are those of a sum that a coefficient of the point multiplies, and one point adds to.
// CHECK-LABEL: func.func @wave(
// CHECK:         #stencil.plan<{{.*}}max_registers = 64 : i64, points = array<i64: 4, 1, 2>
func.func @wave(%in: !grid, %speed: !grid, %older: !grid, %out: !grid) {
  %t = stencil.load %in : !grid -> !stencil.temp<?x?x?xf32>
  %s = stencil.load %speed : !grid -> !stencil.temp<?x?x?xf32>
  %u = stencil.load %older : !grid -> !stencil.temp<?x?x?xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?x?xf32>, %f = %s : !stencil.temp<?x?x?xf32>, %o = %u : !stencil.temp<?x?x?xf32>)
      -> (!stencil.temp<?x?x?xf32>) {
    %w = arith.constant 0.25 : f32
    %sum0 = stencil.access %a[0, 0, 0] : !stencil.temp<?x?x?xf32>
    %c1 = stencil.access %a[-1, 0, 0] : !stencil.temp<?x?x?xf32>
    %sum1 = math.fma %c1, %w, %sum0 : f32
    %c2 = stencil.access %a[1, 0, 0] : !stencil.temp<?x?x?xf32>
    %sum2 = math.fma %c2, %w, %sum1 : f32
    %c3 = stencil.access %a[-2, 0, 0] : !stencil.temp<?x?x?xf32>
    %sum3 = math.fma %c3, %w, %sum2 : f32
    %c4 = stencil.access %a[2, 0, 0] : !stencil.temp<?x?x?xf32>
    %sum4 = math.fma %c4, %w, %sum3 : f32
    %c5 = stencil.access %a[-3, 0, 0] : !stencil.temp<?x?x?xf32>
    %sum5 = math.fma %c5, %w, %sum4 : f32
    %c6 = stencil.access %a[3, 0, 0] : !stencil.temp<?x?x?xf32>
    %sum6 = math.fma %c6, %w, %sum5 : f32
    %c7 = stencil.access %a[-4, 0, 0] : !stencil.temp<?x?x?xf32>
    %sum7 = math.fma %c7, %w, %sum6 : f32
    %c8 = stencil.access %a[4, 0, 0] : !stencil.temp<?x?x?xf32>
    %sum8 = math.fma %c8, %w, %sum7 : f32
    %c9 = stencil.access %a[0, -1, 0] : !stencil.temp<?x?x?xf32>
    %sum9 = math.fma %c9, %w, %sum8 : f32
    %c10 = stencil.access %a[0, 1, 0] : !stencil.temp<?x?x?xf32>
    %sum10 = math.fma %c10, %w, %sum9 : f32
    %c11 = stencil.access %a[0, -2, 0] : !stencil.temp<?x?x?xf32>
    %sum11 = math.fma %c11, %w, %sum10 : f32
    %c12 = stencil.access %a[0, 2, 0] : !stencil.temp<?x?x?xf32>
    %sum12 = math.fma %c12, %w, %sum11 : f32
    %c13 = stencil.access %a[0, -3, 0] : !stencil.temp<?x?x?xf32>
    %sum13 = math.fma %c13, %w, %sum12 : f32
    %c14 = stencil.access %a[0, 3, 0] : !stencil.temp<?x?x?xf32>
    %sum14 = math.fma %c14, %w, %sum13 : f32
    %c15 = stencil.access %a[0, -4, 0] : !stencil.temp<?x?x?xf32>
    %sum15 = math.fma %c15, %w, %sum14 : f32
    %c16 = stencil.access %a[0, 4, 0] : !stencil.temp<?x?x?xf32>
    %sum16 = math.fma %c16, %w, %sum15 : f32
    %c17 = stencil.access %a[0, 0, -1] : !stencil.temp<?x?x?xf32>
    %sum17 = math.fma %c17, %w, %sum16 : f32
    %c18 = stencil.access %a[0, 0, 1] : !stencil.temp<?x?x?xf32>
    %sum18 = math.fma %c18, %w, %sum17 : f32
    %c19 = stencil.access %a[0, 0, -2] : !stencil.temp<?x?x?xf32>
    %sum19 = math.fma %c19, %w, %sum18 : f32
    %c20 = stencil.access %a[0, 0, 2] : !stencil.temp<?x?x?xf32>
    %sum20 = math.fma %c20, %w, %sum19 : f32
    %c21 = stencil.access %a[0, 0, -3] : !stencil.temp<?x?x?xf32>
    %sum21 = math.fma %c21, %w, %sum20 : f32
    %c22 = stencil.access %a[0, 0, 3] : !stencil.temp<?x?x?xf32>
    %sum22 = math.fma %c22, %w, %sum21 : f32
    %c23 = stencil.access %a[0, 0, -4] : !stencil.temp<?x?x?xf32>
    %sum23 = math.fma %c23, %w, %sum22 : f32
    %c24 = stencil.access %a[0, 0, 4] : !stencil.temp<?x?x?xf32>
    %sum24 = math.fma %c24, %w, %sum23 : f32
    %factor = stencil.access %f[0, 0, 0] : !stencil.temp<?x?x?xf32>
    %before = stencil.access %o[0, 0, 0] : !stencil.temp<?x?x?xf32>
    %change = arith.mulf %sum24, %factor : f32
    %moved = arith.subf %change, %before : f32
    %row = stencil.index 0 <[0, 0, 0]>
    %middle = arith.constant 256 : index
    %is_source = arith.cmpi eq, %row, %middle : index
    %with_source = scf.if %is_source -> (f32) {
      %more = arith.addf %moved, %factor : f32
      scf.yield %more : f32
    } else {
      scf.yield %moved : f32
    }
    stencil.return %with_source : f32
  }
  stencil.store %r to %out(<[0, 0, 0], [512, 512, 512]>) : !stencil.temp<?x?x?xf32> to !grid
  return
}

// A coefficient that is read at several places multiplies as neighbours do.
// CHECK-LABEL: func.func @between(
// CHECK:         #stencil.plan<{{.*}}max_registers = 128 : i64, points = array<i64: 4, 1, 2>
func.func @between(%in: !grid, %speed: !grid, %older: !grid, %out: !grid) {
  %t = stencil.load %in : !grid -> !stencil.temp<?x?x?xf32>
  %s = stencil.load %speed : !grid -> !stencil.temp<?x?x?xf32>
  %u = stencil.load %older : !grid -> !stencil.temp<?x?x?xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?x?xf32>, %f = %s : !stencil.temp<?x?x?xf32>, %o = %u : !stencil.temp<?x?x?xf32>)
      -> (!stencil.temp<?x?x?xf32>) {
    %w = arith.constant 0.25 : f32
    %sum0 = stencil.access %a[0, 0, 0] : !stencil.temp<?x?x?xf32>
    %c1 = stencil.access %a[-1, 0, 0] : !stencil.temp<?x?x?xf32>
    %sum1 = math.fma %c1, %w, %sum0 : f32
    %c2 = stencil.access %a[1, 0, 0] : !stencil.temp<?x?x?xf32>
    %sum2 = math.fma %c2, %w, %sum1 : f32
    %c3 = stencil.access %a[-2, 0, 0] : !stencil.temp<?x?x?xf32>
    %sum3 = math.fma %c3, %w, %sum2 : f32
    %c4 = stencil.access %a[2, 0, 0] : !stencil.temp<?x?x?xf32>
    %sum4 = math.fma %c4, %w, %sum3 : f32
    %c5 = stencil.access %a[-3, 0, 0] : !stencil.temp<?x?x?xf32>
    %sum5 = math.fma %c5, %w, %sum4 : f32
    %c6 = stencil.access %a[3, 0, 0] : !stencil.temp<?x?x?xf32>
    %sum6 = math.fma %c6, %w, %sum5 : f32
    %c7 = stencil.access %a[-4, 0, 0] : !stencil.temp<?x?x?xf32>
    %sum7 = math.fma %c7, %w, %sum6 : f32
    %c8 = stencil.access %a[4, 0, 0] : !stencil.temp<?x?x?xf32>
    %sum8 = math.fma %c8, %w, %sum7 : f32
    %c9 = stencil.access %a[0, -1, 0] : !stencil.temp<?x?x?xf32>
    %sum9 = math.fma %c9, %w, %sum8 : f32
    %c10 = stencil.access %a[0, 1, 0] : !stencil.temp<?x?x?xf32>
    %sum10 = math.fma %c10, %w, %sum9 : f32
    %c11 = stencil.access %a[0, -2, 0] : !stencil.temp<?x?x?xf32>
    %sum11 = math.fma %c11, %w, %sum10 : f32
    %c12 = stencil.access %a[0, 2, 0] : !stencil.temp<?x?x?xf32>
    %sum12 = math.fma %c12, %w, %sum11 : f32
    %c13 = stencil.access %a[0, -3, 0] : !stencil.temp<?x?x?xf32>
    %sum13 = math.fma %c13, %w, %sum12 : f32
    %c14 = stencil.access %a[0, 3, 0] : !stencil.temp<?x?x?xf32>
    %sum14 = math.fma %c14, %w, %sum13 : f32
    %c15 = stencil.access %a[0, -4, 0] : !stencil.temp<?x?x?xf32>
    %sum15 = math.fma %c15, %w, %sum14 : f32
    %c16 = stencil.access %a[0, 4, 0] : !stencil.temp<?x?x?xf32>
    %sum16 = math.fma %c16, %w, %sum15 : f32
    %c17 = stencil.access %a[0, 0, -1] : !stencil.temp<?x?x?xf32>
    %sum17 = math.fma %c17, %w, %sum16 : f32
    %c18 = stencil.access %a[0, 0, 1] : !stencil.temp<?x?x?xf32>
    %sum18 = math.fma %c18, %w, %sum17 : f32
    %c19 = stencil.access %a[0, 0, -2] : !stencil.temp<?x?x?xf32>
    %sum19 = math.fma %c19, %w, %sum18 : f32
    %c20 = stencil.access %a[0, 0, 2] : !stencil.temp<?x?x?xf32>
    %sum20 = math.fma %c20, %w, %sum19 : f32
    %c21 = stencil.access %a[0, 0, -3] : !stencil.temp<?x?x?xf32>
    %sum21 = math.fma %c21, %w, %sum20 : f32
    %c22 = stencil.access %a[0, 0, 3] : !stencil.temp<?x?x?xf32>
    %sum22 = math.fma %c22, %w, %sum21 : f32
    %c23 = stencil.access %a[0, 0, -4] : !stencil.temp<?x?x?xf32>
    %sum23 = math.fma %c23, %w, %sum22 : f32
    %c24 = stencil.access %a[0, 0, 4] : !stencil.temp<?x?x?xf32>
    %sum24 = math.fma %c24, %w, %sum23 : f32
    %factor = stencil.access %f[0, 0, 0] : !stencil.temp<?x?x?xf32>
    %before = stencil.access %o[0, 0, 0] : !stencil.temp<?x?x?xf32>
    %next = stencil.access %f[0, 0, 1] : !stencil.temp<?x?x?xf32>
    %change = arith.mulf %sum24, %factor : f32
    %moved = arith.subf %change, %before : f32
    %row = stencil.index 0 <[0, 0, 0]>
    %middle = arith.constant 256 : index
    %is_source = arith.cmpi eq, %row, %middle : index
    %with_source = scf.if %is_source -> (f32) {
      %more = arith.addf %moved, %next : f32
      scf.yield %more : f32
    } else {
      scf.yield %moved : f32
    }
    stencil.return %with_source : f32
  }
  stencil.store %r to %out(<[0, 0, 0], [512, 512, 512]>) : !stencil.temp<?x?x?xf32> to !grid
  return
}

// Two dimensions: fewer cells.
// CHECK-LABEL: func.func @flat(
// CHECK:         #stencil.plan<{{.*}}max_registers = 64 : i64, points = array<i64: 4, 2>
func.func @flat(%in: !stencil.field<[0,1024]x[0,1024]xf64>, %out: !stencil.field<[0,1024]x[0,1024]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,1024]x[0,1024]xf64> -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %sum0 = stencil.access %a[0, 0] : !stencil.temp<?x?xf64>
    %l0 = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
    %h0 = stencil.access %a[1, 0] : !stencil.temp<?x?xf64>
    %d0 = arith.subf %h0, %l0 : f64
    %p0 = arith.mulf %d0, %d0 : f64
    %sum1 = arith.addf %sum0, %p0 : f64
    %l1 = stencil.access %a[-2, 0] : !stencil.temp<?x?xf64>
    %h1 = stencil.access %a[2, 0] : !stencil.temp<?x?xf64>
    %d1 = arith.subf %h1, %l1 : f64
    %p1 = arith.mulf %d1, %d1 : f64
    %sum2 = arith.addf %sum1, %p1 : f64
    %l2 = stencil.access %a[0, -1] : !stencil.temp<?x?xf64>
    %h2 = stencil.access %a[0, 1] : !stencil.temp<?x?xf64>
    %d2 = arith.subf %h2, %l2 : f64
    %p2 = arith.mulf %d2, %d2 : f64
    %sum3 = arith.addf %sum2, %p2 : f64
    %l3 = stencil.access %a[0, -2] : !stencil.temp<?x?xf64>
    %h3 = stencil.access %a[0, 2] : !stencil.temp<?x?xf64>
    %d3 = arith.subf %h3, %l3 : f64
    %p3 = arith.mulf %d3, %d3 : f64
    %sum4 = arith.addf %sum3, %p3 : f64
    stencil.return %sum4 : f64
  }
  stencil.store %r to %out(<[2, 2], [1022, 1022]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,1024]x[0,1024]xf64>
  return
}

// A root is a call where it is slow.
// CHECK-LABEL: func.func @root(
// CHECK:         #stencil.plan<{{.*}}max_registers = 128 : i64, points = array<i64: 4, 2>
func.func @root(%in: !stencil.field<[0,1024]x[0,1024]xf64>, %out: !stencil.field<[0,1024]x[0,1024]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,1024]x[0,1024]xf64> -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %sum0 = stencil.access %a[0, 0] : !stencil.temp<?x?xf64>
    %l0 = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
    %h0 = stencil.access %a[1, 0] : !stencil.temp<?x?xf64>
    %d0 = arith.subf %h0, %l0 : f64
    %p0 = arith.mulf %d0, %d0 : f64
    %sum1 = arith.addf %sum0, %p0 : f64
    %l1 = stencil.access %a[-2, 0] : !stencil.temp<?x?xf64>
    %h1 = stencil.access %a[2, 0] : !stencil.temp<?x?xf64>
    %d1 = arith.subf %h1, %l1 : f64
    %p1 = arith.mulf %d1, %d1 : f64
    %sum2 = arith.addf %sum1, %p1 : f64
    %l2 = stencil.access %a[0, -1] : !stencil.temp<?x?xf64>
    %h2 = stencil.access %a[0, 1] : !stencil.temp<?x?xf64>
    %d2 = arith.subf %h2, %l2 : f64
    %p2 = arith.mulf %d2, %d2 : f64
    %sum3 = arith.addf %sum2, %p2 : f64
    %l3 = stencil.access %a[0, -2] : !stencil.temp<?x?xf64>
    %h3 = stencil.access %a[0, 2] : !stencil.temp<?x?xf64>
    %d3 = arith.subf %h3, %l3 : f64
    %p3 = arith.mulf %d3, %d3 : f64
    %sum4 = arith.addf %sum3, %p3 : f64
    %root = math.sqrt %sum4 : f64
    stencil.return %root : f64
  }
  stencil.store %r to %out(<[2, 2], [1022, 1022]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,1024]x[0,1024]xf64>
  return
}

// A maximum is several instructions, and calls nothing.
// CHECK-LABEL: func.func @maximum(
// CHECK:         #stencil.plan<{{.*}}max_registers = 64 : i64, points = array<i64: 4, 2>
func.func @maximum(%in: !stencil.field<[0,1024]x[0,1024]xf64>, %out: !stencil.field<[0,1024]x[0,1024]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,1024]x[0,1024]xf64> -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %sum0 = stencil.access %a[0, 0] : !stencil.temp<?x?xf64>
    %l0 = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
    %h0 = stencil.access %a[1, 0] : !stencil.temp<?x?xf64>
    %d0 = arith.subf %h0, %l0 : f64
    %p0 = arith.mulf %d0, %d0 : f64
    %sum1 = arith.addf %sum0, %p0 : f64
    %l1 = stencil.access %a[-2, 0] : !stencil.temp<?x?xf64>
    %h1 = stencil.access %a[2, 0] : !stencil.temp<?x?xf64>
    %d1 = arith.subf %h1, %l1 : f64
    %p1 = arith.mulf %d1, %d1 : f64
    %sum2 = arith.addf %sum1, %p1 : f64
    %l2 = stencil.access %a[0, -1] : !stencil.temp<?x?xf64>
    %h2 = stencil.access %a[0, 1] : !stencil.temp<?x?xf64>
    %d2 = arith.subf %h2, %l2 : f64
    %p2 = arith.mulf %d2, %d2 : f64
    %sum3 = arith.addf %sum2, %p2 : f64
    %l3 = stencil.access %a[0, -2] : !stencil.temp<?x?xf64>
    %h3 = stencil.access %a[0, 2] : !stencil.temp<?x?xf64>
    %d3 = arith.subf %h3, %l3 : f64
    %p3 = arith.mulf %d3, %d3 : f64
    %sum4 = arith.addf %sum3, %p3 : f64
    %root = arith.maximumf %sum4, %sum0 : f64
    stencil.return %root : f64
  }
  stencil.store %r to %out(<[2, 2], [1022, 1022]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,1024]x[0,1024]xf64>
  return
}
