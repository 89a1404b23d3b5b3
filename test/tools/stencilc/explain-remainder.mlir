// What pairs of sweeps leave of a number of steps that is not known is made by pairs of fewer
// steps; of a number that they divide, but for the steps that are never fused, nothing is left.
//
// RUN: stencilc explain %s --extents 8192,8192 | FileCheck %s
// RUN: sed 's/%%count = .*/%%count = arith.constant 1602 : index/' %s > %t.mlir
// RUN: stencilc explain %t.mlir --extents 8192,8192 | FileCheck %s --check-prefix=DIVIDED
//
// CHECK:     chosen    loop:
// CHECK-NOT: remainder
// CHECK:     swept, 8 time steps of 'grow' per sweep
//
// DIVIDED: chosen    loop:{{.*}},remainder=single,steps=8,
// DIVIDED: swept, 8 time steps of 'grow' per sweep

!field = !stencil.field<[-1,65]x[-1,65]xf32>
!temp = !stencil.temp<?x?xf32>

func.func @growth(%u0: !field, %u1: !field, %v0: !field, %v1: !field, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = arith.addi %steps, %zero : index
  %end:4 = scf.for %step = %zero to %count step %one
      iter_args(%u = %u0, %u_next = %u1, %v = %v0, %v_next = %v1)
      -> (!field, !field, !field, !field) {
    %us = stencil.load %u : !field -> !temp
    %vs = stencil.load %v : !field -> !temp
    %grown:2 = stencil.apply(%x = %us : !temp, %y = %vs : !temp) -> (!temp, !temp)
        attributes {stencil.stage = "grow"} {
      %north = stencil.access %x[-1, 0] : !temp
      %south = stencil.access %x[1, 0] : !temp
      %west = stencil.access %x[0, -1] : !temp
      %east = stencil.access %x[0, 1] : !temp
      %here = stencil.access %x[0, 0] : !temp
      %food = stencil.access %y[0, 0] : !temp
      %sum0 = arith.addf %north, %south : f32
      %sum1 = arith.addf %west, %east : f32
      %sum = arith.addf %sum0, %sum1 : f32
      %fifth = arith.constant 0.2 : f32
      %spread = arith.mulf %sum, %fifth : f32
      %eaten = arith.mulf %here, %food : f32
      %more = arith.addf %spread, %eaten : f32
      %less = arith.subf %food, %eaten : f32
      stencil.return %more, %less : f32, f32
    }
    stencil.store %grown#0 to %u_next(<[0, 0], [64, 64]>) : !temp to !field
    stencil.store %grown#1 to %v_next(<[0, 0], [64, 64]>) : !temp to !field
    scf.yield %u_next, %u, %v_next, %v : !field, !field, !field, !field
  }
  return
}
