// Heat in a box with a source that varies in time, a mirrored wall and two ends that are joined.
//
// u' = u + k (sum of the 6 neighbours - 6 u) + s[t] q[x, z]. The source's strength s is a table that every point
// reads at the index of the time step; its shape q is the same in every y, and stored transposed. Along z, the
// slowest dimension, the neighbour below the first plane is the one above it (a mirror: no flow through the
// wall); along x the neighbour of the last column is the first one (periodic). Along y the halo is given. Ghost
// cells as in [LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, SIAM 2007,
// chapter 2], but read where they come from instead of being stored.
// Reads by coordinate, of a field and of temps, of 1, 2 and 3 dimensions. 10 x 12 x 14 points, f64, five steps.
// 11 FLOPs per point.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg k=0.1 --arg first=0 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg k=0.1 --arg first=3 | FileCheck %s
// The table has strengths for 8 steps.
// RUN: not stencilc run %s --on=interpreter --seed=1 --arg k=0.1 --arg first=4 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not stencilc run %s --on=emulator --seed=1 --arg k=0.1 --arg first=4 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not stencilc run %s --on=emulator --seed=1 --arg k=0.1 --arg first=-1 2>&1 | FileCheck %s --check-prefix=EARLY
//
// CHECK: 11 FLOP
// CHECK: verified: bit-identical
// LATE: error: argument 2 'strength' has values for 4 time steps from 4 on, and 5 would be made
// EARLY: error: argument 2 'strength' has values from time step 0 on, and the time loop starts at -1

!field = !stencil.field<[0,11]x[-1,13]x[0,14]xf64>
!table = !stencil.field<[0,8]xf64>
!shape = !stencil.field<[0,14]x[0,10]xf64>
!temp = !stencil.temp<?x?x?xf64>
!plane = !stencil.temp<?x?xf64>

func.func @forced_heat3d(%u: !field, %v: !field, %strength: !table, %shape: !shape, %k: f64, %first: index) {
  %one = arith.constant 1 : index
  %steps = arith.constant 5 : index
  %end = arith.addi %first, %steps : index
  %source = stencil.load %shape : !shape -> !plane
  %done:2 = scf.for %step = %first to %end step %one iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp, %q = %source : !plane, %s = %strength : !table,
                             %time = %step : index, %rate = %k : f64) -> (!temp) {
      %z = stencil.index 0 <[0, 0, 0]>
      %y = stencil.index 1 <[0, 0, 0]>
      %x = stencil.index 2 <[0, 0, 0]>
      %below = stencil.index 0 <[-1, 0, 0]>
      %zero = arith.constant 0 : index
      %reflected = arith.subi %zero, %below : index
      %mirrored = arith.maxsi %below, %reflected : index
      %right = stencil.index 2 <[0, 0, 1]>
      %left = stencil.index 2 <[0, 0, 13]>
      %columns = arith.constant 14 : index
      %joined_right = arith.remsi %right, %columns : index
      %joined_left = arith.remsi %left, %columns : index
      %here = stencil.access %t[0, 0, 0] : !temp
      %zp = stencil.access %t[1, 0, 0] : !temp
      %ym = stencil.access %t[0, -1, 0] : !temp
      %yp = stencil.access %t[0, 1, 0] : !temp
      %zm = stencil.dyn_access %t[%mirrored, %y, %x] in <[0, 0, 0]> : <[9, 11, 13]> attributes {absolute} : !temp
      %xm = stencil.dyn_access %t[%z, %y, %joined_left] in <[0, 0, 0]> : <[9, 11, 13]> attributes {absolute} : !temp
      %xp = stencil.dyn_access %t[%z, %y, %joined_right] in <[0, 0, 0]> : <[9, 11, 13]> attributes {absolute} : !temp
      %strong = stencil.dyn_access %s[%time] in <[0]> : <[7]> attributes {absolute} : !table
      %form = stencil.dyn_access %q[%x, %z] in <[0, 0]> : <[13, 9]> attributes {absolute} : !plane
      %six = arith.constant 6.0 : f64
      %along_z = arith.addf %zm, %zp : f64
      %along_y = arith.addf %ym, %yp : f64
      %along_x = arith.addf %xm, %xp : f64
      %zy = arith.addf %along_z, %along_y : f64
      %around = arith.addf %zy, %along_x : f64
      %centre = arith.mulf %here, %six : f64
      %curvature = arith.subf %around, %centre : f64
      %flow = arith.mulf %rate, %curvature : f64
      %kept = arith.addf %here, %flow : f64
      %heat = arith.mulf %strong, %form : f64
      %new = arith.addf %kept, %heat : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[0, 0, 0], [10, 12, 14]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
