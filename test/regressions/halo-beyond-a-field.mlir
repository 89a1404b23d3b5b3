// Copies of the cells around a tile were moved into the field where it ends with its domain, and so
// to cells that other blocks store. Nothing used their values, but the copies raced with the stores:
// what the emulator says of that with all races watched, the test of random statements asks for.
//
// RUN: stencilc run %s --on=emulator --verify --seed=135 --arg 4=0.75 | FileCheck %s
// CHECK: verified: bit-identical

!u0 = !stencil.field<[1,6]x[3,16]x[-4,35]xf32>
!k0 = !stencil.field<[1,6]x[3,15]x[-4,35]xf32>
!k1 = !stencil.field<[1,6]x[3,18]x[-4,35]xf32>
!temp = !stencil.temp<?x?x?xf32>

func.func @main(%f0_1: !u0, %f0_2: !u0, %k0: !k0, %k1: !k1, %constant: f32) {
  %first = arith.constant -1 : index
  %step = arith.constant 1 : index
  %last = arith.constant 6 : index
  %end:2 = scf.for %i = %first to %last step %step iter_args(%u0_1 = %f0_1, %u0_2 = %f0_2)
      -> (!u0, !u0) {
    %whole = arith.index_cast %i : index to i32
    %count = arith.sitofp %whole : i32 to f32
    %scale = arith.constant 0.0078125 : f32
    %time = arith.mulf %count, %scale : f32
    %l0_0 = stencil.load %k1 : !k1 -> !temp
    %r0:1 = stencil.apply(%x0 = %l0_0 : !temp)
        -> (!temp) {
      %v0 = stencil.access %x0[-1, 1, 0] : !temp
      %v1 = stencil.access %x0[0, 0, 0] : !temp
      %v2 = stencil.access %x0[0, 0, 1] : !temp
      %v3 = arith.constant 0.22135416666666666 : f32
      %v4 = arith.mulf %v0, %v3 : f32
      %v5 = arith.constant 0.32291666666666663 : f32
      %v6 = arith.mulf %v1, %v5 : f32
      %v7 = arith.subf %v4, %v6 : f32
      %v8 = arith.constant 0.2864583333333333 : f32
      %v9 = arith.mulf %v2, %v8 : f32
      %v10 = arith.addf %v7, %v9 : f32
      stencil.return %v10 : f32
    }
    %l1_0 = stencil.load %u0_2 : !u0 -> !temp
    %r1:1 = stencil.apply(%x0 = %l1_0 : !temp, %t = %time : f32)
        -> (!temp) {
      %v0 = stencil.access %x0[1, 0, 1] : !temp
      %v1 = arith.constant 0.546875 : f32
      %v2 = arith.mulf %t, %v1 : f32
      stencil.return %v2 : f32
    }
    %l2_0 = stencil.load %u0_1 : !u0 -> !temp
    %l2_1 = stencil.load %u0_2 : !u0 -> !temp
    %r2:1 = stencil.apply(%x0 = %l2_0 : !temp, %x1 = %l2_1 : !temp, %x2 = %r0#0 : !temp, %x3 = %r1#0 : !temp, %t = %time : f32)
        -> (!temp) {
      %v0 = stencil.access %x0[0, 0, 1] : !temp
      %v1 = stencil.access %x1[0, 0, 0] : !temp
      %v2 = stencil.access %x2[-1, 0, -1] : !temp
      %v3 = stencil.access %x2[0, 1, 0] : !temp
      %v4 = stencil.access %x3[0, 0, 0] : !temp
      %v5 = stencil.access %x3[0, 0, 1] : !temp
      %v6 = arith.constant 0.13839285714285712 : f32
      %v7 = arith.mulf %v0, %v6 : f32
      %v8 = arith.constant 0.09151785714285714 : f32
      %v9 = arith.mulf %v1, %v8 : f32
      %v10 = arith.subf %v7, %v9 : f32
      %v11 = arith.constant 0.13058035714285712 : f32
      %v12 = arith.mulf %v2, %v11 : f32
      %v13 = arith.addf %v10, %v12 : f32
      %v14 = arith.constant 0.08035714285714285 : f32
      %v15 = arith.mulf %v3, %v14 : f32
      %v16 = arith.addf %v13, %v15 : f32
      %v17 = arith.constant 0.07254464285714285 : f32
      %v18 = arith.mulf %v4, %v17 : f32
      %v19 = arith.addf %v16, %v18 : f32
      %v20 = arith.constant 0.1372767857142857 : f32
      %v21 = arith.mulf %v5, %v20 : f32
      %v22 = arith.addf %v19, %v21 : f32
      %v23 = arith.constant 0.11495535714285714 : f32
      %v24 = arith.mulf %t, %v23 : f32
      %v25 = arith.addf %v22, %v24 : f32
      stencil.return %v25 : f32
    }
    stencil.store %r2#0 to %u0_2(<[3, 3, -3], [5, 16, 33]>) : !temp to !u0
    scf.yield %u0_2, %u0_1 : !u0, !u0
  } {stencil.plan = #stencil.plan<{mapping = "block", steps = 2, threads = array<i64: 1, 5, 32>, points = array<i64: 1, 3, 1>, loads = "halo", ring = 4}>}
  return
}
