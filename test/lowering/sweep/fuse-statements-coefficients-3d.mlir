// Coefficients at neighbours in a periodic loop in three dimensions, with every way to load planes.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg 3=9 --plan loop:mapping=block,loop:steps=2,loop:points=1x2x1,loop:threads=1x4x32 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg 3=9 --plan loop:mapping=block,loop:loads=ring,loop:ring=3,loop:steps=2,loop:points=1x1x2,loop:threads=1x8x32 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg 3=9 --plan loop:mapping=block,loop:loads=halo,loop:ring=2,loop:steps=2,loop:points=1x2x1,loop:threads=1x8x32 | FileCheck %s
//
// CHECK: plan      loop:
// CHECK: verified: bit-identical

!field = !stencil.field<[-1,21]x[-1,13]x[-1,73]xf32>
!temp = !stencil.temp<?x?x?xf32>

func.func @flowing(%u: !field, %v: !field, %k: !field, %steps: index) {
  %k0_low_from = stencil.load %k : !field -> !temp
  %k0_low = stencil.apply(%x = %k0_low_from : !temp) -> (!temp) {
    %cell = stencil.access %x[20, 0, 0] : !temp
    stencil.return %cell : f32
  }
  stencil.store %k0_low to %k(<[-1, 0, 0], [0, 12, 72]>) : !temp to !field
  %k0_high_from = stencil.load %k : !field -> !temp
  %k0_high = stencil.apply(%x = %k0_high_from : !temp) -> (!temp) {
    %cell = stencil.access %x[-20, 0, 0] : !temp
    stencil.return %cell : f32
  }
  stencil.store %k0_high to %k(<[20, 0, 0], [21, 12, 72]>) : !temp to !field
  %k1_low_from = stencil.load %k : !field -> !temp
  %k1_low = stencil.apply(%x = %k1_low_from : !temp) -> (!temp) {
    %cell = stencil.access %x[0, 12, 0] : !temp
    stencil.return %cell : f32
  }
  stencil.store %k1_low to %k(<[-1, -1, 0], [21, 0, 72]>) : !temp to !field
  %k1_high_from = stencil.load %k : !field -> !temp
  %k1_high = stencil.apply(%x = %k1_high_from : !temp) -> (!temp) {
    %cell = stencil.access %x[0, -12, 0] : !temp
    stencil.return %cell : f32
  }
  stencil.store %k1_high to %k(<[-1, 12, 0], [21, 13, 72]>) : !temp to !field
  %k2_low_from = stencil.load %k : !field -> !temp
  %k2_low = stencil.apply(%x = %k2_low_from : !temp) -> (!temp) {
    %cell = stencil.access %x[0, 0, 72] : !temp
    stencil.return %cell : f32
  }
  stencil.store %k2_low to %k(<[-1, -1, -1], [21, 13, 0]>) : !temp to !field
  %k2_high_from = stencil.load %k : !field -> !temp
  %k2_high = stencil.apply(%x = %k2_high_from : !temp) -> (!temp) {
    %cell = stencil.access %x[0, 0, -72] : !temp
    stencil.return %cell : f32
  }
  stencil.store %k2_high to %k(<[-1, -1, 72], [21, 13, 73]>) : !temp to !field
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!field, !field) {
    %u0_low_from = stencil.load %now : !field -> !temp
    %u0_low = stencil.apply(%x = %u0_low_from : !temp) -> (!temp) {
      %cell = stencil.access %x[20, 0, 0] : !temp
      stencil.return %cell : f32
    }
    stencil.store %u0_low to %now(<[-1, 0, 0], [0, 12, 72]>) : !temp to !field
    %u0_high_from = stencil.load %now : !field -> !temp
    %u0_high = stencil.apply(%x = %u0_high_from : !temp) -> (!temp) {
      %cell = stencil.access %x[-20, 0, 0] : !temp
      stencil.return %cell : f32
    }
    stencil.store %u0_high to %now(<[20, 0, 0], [21, 12, 72]>) : !temp to !field
    %u1_low_from = stencil.load %now : !field -> !temp
    %u1_low = stencil.apply(%x = %u1_low_from : !temp) -> (!temp) {
      %cell = stencil.access %x[0, 12, 0] : !temp
      stencil.return %cell : f32
    }
    stencil.store %u1_low to %now(<[-1, -1, 0], [21, 0, 72]>) : !temp to !field
    %u1_high_from = stencil.load %now : !field -> !temp
    %u1_high = stencil.apply(%x = %u1_high_from : !temp) -> (!temp) {
      %cell = stencil.access %x[0, -12, 0] : !temp
      stencil.return %cell : f32
    }
    stencil.store %u1_high to %now(<[-1, 12, 0], [21, 13, 72]>) : !temp to !field
    %u2_low_from = stencil.load %now : !field -> !temp
    %u2_low = stencil.apply(%x = %u2_low_from : !temp) -> (!temp) {
      %cell = stencil.access %x[0, 0, 72] : !temp
      stencil.return %cell : f32
    }
    stencil.store %u2_low to %now(<[-1, -1, -1], [21, 13, 0]>) : !temp to !field
    %u2_high_from = stencil.load %now : !field -> !temp
    %u2_high = stencil.apply(%x = %u2_high_from : !temp) -> (!temp) {
      %cell = stencil.access %x[0, 0, -72] : !temp
      stencil.return %cell : f32
    }
    stencil.store %u2_high to %now(<[-1, -1, 72], [21, 13, 73]>) : !temp to !field
    %values = stencil.load %now : !field -> !temp
    %weights = stencil.load %k : !field -> !temp
    %new = stencil.apply(%x = %values : !temp, %w = %weights : !temp) -> (!temp) {
      %x0 = stencil.access %x[0, 0, -1] : !temp
      %w0 = stencil.access %w[0, 0, 1] : !temp
      %term0 = arith.mulf %x0, %w0 : f32
      %x1 = stencil.access %x[0, 1, 0] : !temp
      %w1 = stencil.access %w[0, -1, 0] : !temp
      %term1 = arith.mulf %x1, %w1 : f32
      %x2 = stencil.access %x[-1, 0, 0] : !temp
      %w2 = stencil.access %w[1, 0, 0] : !temp
      %term2 = arith.mulf %x2, %w2 : f32
      %x3 = stencil.access %x[1, 0, 0] : !temp
      %w3 = stencil.access %w[-1, 0, 0] : !temp
      %term3 = arith.mulf %x3, %w3 : f32
      %sum1 = arith.addf %term0, %term1 : f32
      %sum2 = arith.addf %sum1, %term2 : f32
      %sum3 = arith.addf %sum2, %term3 : f32
      %quarter = arith.constant 0.25 : f32
      %mean = arith.mulf %sum3, %quarter : f32
      stencil.return %mean : f32
    }
    stencil.store %new to %next(<[0, 0, 0], [20, 12, 72]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
