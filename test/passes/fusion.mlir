// What could become one kernel: planes that stages keep, dependences, greedy and cheapest kernels.
//
// RUN: stencil-opt %s -o /dev/null --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-name-stages),test-print-fusion)' 2>&1 | FileCheck %s
// RUN: stencil-opt %s -o /dev/null --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-name-stages),test-print-fusion{retimed=true})' 2>&1 | FileCheck %s --check-prefix=SCATTER
// RUN: stencil-opt %s -o /dev/null --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-name-stages),test-print-fusion{plane-cells=512 shared-bytes=8191})' 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: stencil-opt %s -o /dev/null --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-name-stages),test-print-fusion{plane-cells=512 shared-bytes=8192 order=2})' 2>&1 | FileCheck %s --check-prefix=FITS
// RUN: stencil-opt %s -o /dev/null --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-name-stages),test-print-fusion{order=1})' 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: stencil-opt %s -o /dev/null --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-name-stages),test-print-fusion{downsets=2})' 2>&1 | FileCheck %s --check-prefix=BEAM
// RUN: stencil-opt %s -o /dev/null --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-name-stages),test-print-fusion{rules=g})' 2>&1 | FileCheck %s --check-prefix=RULES

!field = !stencil.field<[0,66]x[0,66]x[0,66]xf64>
!temp = !stencil.temp<?x?x?xf64>

// Two steps of the seven-point star, whose work is counted in operations of f32. In gather form each keeps two planes in registers and one in
// shared memory; in scatter form the second reads the sum of plane -1, which is in shared memory for
// it, and all others stay in registers.
//
// CHECK-LABEL: fusion in @two_steps:
// CHECK-NEXT:  stage first: {{[0-9]+}} points, 14 operations, order 1
// CHECK-NEXT:    keeps arg0[-1] register, arg0[+0] shared, arg0[+1] register, first[+0] register
// CHECK-NEXT:  stage second: {{[0-9]+}} points, 14 operations, order 1
// CHECK-NEXT:    keeps first[-1] register, first[+0] shared, first[+1] register, arg1[+0] written
// CHECK-NEXT:  flow first to second: first, 1 planes
// CHECK-NEXT:  fuse first and second: D_m=2 T_reg=4 T_shm=2 S_reg=1 S_shm=0, the only pair
// CHECK-NEXT:  greedy kernel first+second: keeps arg0[-1] register, arg0[+0] shared, arg0[+1] register, first[-2] register, first[-1] shared, first[+0] register, arg1[-1] written
// CHECK-NEXT:  best kernel first+second:
// CHECK-NEXT:  cost of greedy fusion: {{.*}}: 0.0 % more (exact, 3 downsets)
//
// SCATTER-LABEL: fusion in @two_steps:
// SCATTER:         keeps arg0[+0] shared, first[-1] register, first[+0] register, first[+1] register
// SCATTER:         keeps first[+0] shared, arg1[-1] register, arg1[+0] register, arg1[+1] register
// SCATTER:         flow first to second: first, 1 planes
// SCATTER-NEXT:    fuse first and second: D_m=2 T_reg=5 T_shm=2 S_reg=1 S_shm=0, the only pair
// SCATTER-NEXT:    keeps arg0[+0] shared, first[-1] shared, first[+0] register, first[+1] register, arg1[-2] register, arg1[-1] register, arg1[+0] register
//
// SHARED-LABEL: fusion in @two_steps:
// SHARED:         refuse first and second: {{.*}}, 8192 bytes of shared memory, limit 8191
// SHARED:         best kernel first:
// SHARED-NEXT:    best kernel second:
// FITS-LABEL: fusion in @two_steps:
// FITS:         fuse first and second
// ORDER-LABEL: fusion in @two_steps:
// ORDER:         refuse first and second: {{.*}}, order 2, limit 1
// BEAM-LABEL: fusion in @two_steps:
// BEAM:         best kernel first+second:
// BEAM-NEXT:    cost of greedy fusion: {{.*}} (beam of 128)
func.func @two_steps(%in: !field, %out: !field) {
  %u = stencil.load %in : !field -> !temp
  %f = stencil.apply(%a = %u : !temp) -> (!temp) attributes {stencil.stage = "first"} {
    %w = arith.constant 0.125 : f64
    %zm = stencil.access %a[-1, 0, 0] : !temp
    %ym = stencil.access %a[0, -1, 0] : !temp
    %xm = stencil.access %a[0, 0, -1] : !temp
    %c = stencil.access %a[0, 0, 0] : !temp
    %xp = stencil.access %a[0, 0, 1] : !temp
    %yp = stencil.access %a[0, 1, 0] : !temp
    %zp = stencil.access %a[1, 0, 0] : !temp
    %1 = arith.addf %zm, %ym : f64
    %2 = arith.addf %1, %xm : f64
    %3 = arith.addf %2, %c : f64
    %4 = arith.addf %3, %xp : f64
    %5 = arith.addf %4, %yp : f64
    %6 = arith.addf %5, %zp : f64
    %7 = arith.mulf %w, %6 : f64
    stencil.return %7 : f64
  }
  %s = stencil.apply(%a = %f : !temp) -> (!temp) attributes {stencil.stage = "second"} {
    %w = arith.constant 0.125 : f64
    %zm = stencil.access %a[-1, 0, 0] : !temp
    %ym = stencil.access %a[0, -1, 0] : !temp
    %xm = stencil.access %a[0, 0, -1] : !temp
    %c = stencil.access %a[0, 0, 0] : !temp
    %xp = stencil.access %a[0, 0, 1] : !temp
    %yp = stencil.access %a[0, 1, 0] : !temp
    %zp = stencil.access %a[1, 0, 0] : !temp
    %1 = arith.addf %zm, %ym : f64
    %2 = arith.addf %1, %xm : f64
    %3 = arith.addf %2, %c : f64
    %4 = arith.addf %3, %xp : f64
    %5 = arith.addf %4, %yp : f64
    %6 = arith.addf %5, %zp : f64
    %7 = arith.mulf %w, %6 : f64
    stencil.return %7 : f64
  }
  stencil.store %s to %out(<[2, 2, 2], [64, 64, 64]>) : !temp to !field
  return
}

// The second overwrites a field that the first reads around its point: no kernel can do both.
//
// CHECK-LABEL: fusion in @overwritten:
// CHECK:       anti read to write: arg0, 1 planes
// CHECK-NEXT:  flow read to write: arg1, 0 planes
// CHECK-NEXT:  apart read and write: one overwrites what the other reads around its point
// CHECK-NOT:   {{^ +fuse}}
// CHECK:       refuse read and write: {{.*}}, read and write cannot be one kernel: one overwrites what the other reads around its point
// CHECK-NOT:   {{^ +fuse}}
// CHECK:       best kernel read:
// CHECK-NEXT:  best kernel write:
func.func @overwritten(%u: !field, %v: !field) {
  %t = stencil.load %u : !field -> !temp
  %r = stencil.apply(%a = %t : !temp) -> (!temp) attributes {stencil.stage = "read"} {
    %zm = stencil.access %a[-1, 0, 0] : !temp
    %zp = stencil.access %a[1, 0, 0] : !temp
    %1 = arith.addf %zm, %zp : f64
    stencil.return %1 : f64
  }
  stencil.store %r to %v(<[1, 1, 1], [65, 65, 65]>) : !temp to !field
  %s = stencil.load %v : !field -> !temp
  %w = stencil.apply(%a = %s : !temp) -> (!temp) attributes {stencil.stage = "write"} {
    %c = stencil.access %a[0, 0, 0] : !temp
    %1 = arith.addf %c, %c : f64
    stencil.return %1 : f64
  }
  stencil.store %w to %u(<[1, 1, 1], [65, 65, 65]>) : !temp to !field
  return
}

// Two terms of a sum, which read one cell of a plane each: by shuffles alone, from shared memory
// together. The first one keeps fewer values with the sum; by saved registers alone the two terms are
// first, though that takes shared memory.
//
// CHECK-LABEL: fusion in @three:
// CHECK:         keeps arg0[+0] shuffle[0, -1], left[+0] register
// CHECK:         keeps arg0[+0] shuffle[0, 1], arg1[+0] register, right[+0] register
// CHECK:       input left to right: arg0
// CHECK-NEXT:  flow left to sum: left, 0 planes
// CHECK-NEXT:  flow right to sum: right, 0 planes
// CHECK-NEXT:  fuse left and sum: {{.*}} before right and sum by rule b
// CHECK-NEXT:  fuse left+sum and right: D_m=3 T_reg=3 T_shm=1 S_reg=3 S_shm=-1, the only pair
// CHECK-NEXT:  greedy kernel left+right+sum: keeps arg0[+0] shared,
// RULES-LABEL: fusion in @three:
// RULES:         fuse left and right: D_m=1 T_reg=3 T_shm=1 S_reg=2 S_shm=-1, before left and sum by rule g
func.func @three(%u: !field, %v: !field, %out: !field) {
  %t = stencil.load %u : !field -> !temp
  %s = stencil.load %v : !field -> !temp
  %l = stencil.apply(%a = %t : !temp) -> (!temp) attributes {stencil.stage = "left"} {
    %xm = stencil.access %a[0, 0, -1] : !temp
    %1 = arith.addf %xm, %xm : f64
    stencil.return %1 : f64
  }
  %r = stencil.apply(%a = %t : !temp, %b = %s : !temp) -> (!temp) attributes {stencil.stage = "right"} {
    %xp = stencil.access %a[0, 0, 1] : !temp
    %c = stencil.access %b[0, 0, 0] : !temp
    %1 = arith.addf %xp, %c : f64
    stencil.return %1 : f64
  }
  %sum = stencil.apply(%a = %l : !temp, %b = %r : !temp) -> (!temp) attributes {stencil.stage = "sum"} {
    %1 = stencil.access %a[0, 0, 0] : !temp
    %2 = stencil.access %b[0, 0, 0] : !temp
    %3 = arith.addf %1, %2 : f64
    stencil.return %3 : f64
  }
  stencil.store %sum to %out(<[1, 1, 1], [65, 65, 65]>) : !temp to !field
  return
}
