// Coefficients whose ghost cells are filled once, before a periodic loop, from the other end of the
// domain: the sweep reads them at neighbours as it reads its own levels.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg 3=7 --plan loop:mapping=warp,loop:steps=2,loop:points=1x2,loop:threads=1x64 | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --arg 3=7 --plan loop:mapping=row,loop:loads=prefetch | FileCheck %s
// RUN: stencilc compile %s --emit=pipeline --plan loop:mapping=warp,loop:steps=2,loop:points=1x2,loop:threads=1x64 | FileCheck %s --check-prefix=DRAWN
//
// CHECK: plan      loop:
// CHECK: verified: bit-identical
//
// DRAWN: sweep "loop", mapping warp, {{.*}}, periodic along 0 1

!field = !stencil.field<[-1,25]x[-1,71]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @turning(%u: !field, %v: !field, %k: !field, %steps: index) {
  %k0_low_from = stencil.load %k : !field -> !temp
  %k0_low = stencil.apply(%x = %k0_low_from : !temp) -> (!temp) {
    %cell = stencil.access %x[24, 0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %k0_low to %k(<[-1, 0], [0, 70]>) : !temp to !field
  %k0_high_from = stencil.load %k : !field -> !temp
  %k0_high = stencil.apply(%x = %k0_high_from : !temp) -> (!temp) {
    %cell = stencil.access %x[-24, 0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %k0_high to %k(<[24, 0], [25, 70]>) : !temp to !field
  %k1_low_from = stencil.load %k : !field -> !temp
  %k1_low = stencil.apply(%x = %k1_low_from : !temp) -> (!temp) {
    %cell = stencil.access %x[0, 70] : !temp
    stencil.return %cell : f64
  }
  stencil.store %k1_low to %k(<[-1, -1], [25, 0]>) : !temp to !field
  %k1_high_from = stencil.load %k : !field -> !temp
  %k1_high = stencil.apply(%x = %k1_high_from : !temp) -> (!temp) {
    %cell = stencil.access %x[0, -70] : !temp
    stencil.return %cell : f64
  }
  stencil.store %k1_high to %k(<[-1, 70], [25, 71]>) : !temp to !field
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!field, !field) {
    %u0_low_from = stencil.load %now : !field -> !temp
    %u0_low = stencil.apply(%x = %u0_low_from : !temp) -> (!temp) {
      %cell = stencil.access %x[24, 0] : !temp
      stencil.return %cell : f64
    }
    stencil.store %u0_low to %now(<[-1, 0], [0, 70]>) : !temp to !field
    %u0_high_from = stencil.load %now : !field -> !temp
    %u0_high = stencil.apply(%x = %u0_high_from : !temp) -> (!temp) {
      %cell = stencil.access %x[-24, 0] : !temp
      stencil.return %cell : f64
    }
    stencil.store %u0_high to %now(<[24, 0], [25, 70]>) : !temp to !field
    %u1_low_from = stencil.load %now : !field -> !temp
    %u1_low = stencil.apply(%x = %u1_low_from : !temp) -> (!temp) {
      %cell = stencil.access %x[0, 70] : !temp
      stencil.return %cell : f64
    }
    stencil.store %u1_low to %now(<[-1, -1], [25, 0]>) : !temp to !field
    %u1_high_from = stencil.load %now : !field -> !temp
    %u1_high = stencil.apply(%x = %u1_high_from : !temp) -> (!temp) {
      %cell = stencil.access %x[0, -70] : !temp
      stencil.return %cell : f64
    }
    stencil.store %u1_high to %now(<[-1, 70], [25, 71]>) : !temp to !field
    %values = stencil.load %now : !field -> !temp
    %weights = stencil.load %k : !field -> !temp
    %new = stencil.apply(%x = %values : !temp, %w = %weights : !temp) -> (!temp) {
      %x0 = stencil.access %x[0, -1] : !temp
      %w0 = stencil.access %w[1, 1] : !temp
      %term0 = arith.mulf %x0, %w0 : f64
      %x1 = stencil.access %x[0, 1] : !temp
      %w1 = stencil.access %w[-1, -1] : !temp
      %term1 = arith.mulf %x1, %w1 : f64
      %x2 = stencil.access %x[-1, 0] : !temp
      %w2 = stencil.access %w[0, 1] : !temp
      %term2 = arith.mulf %x2, %w2 : f64
      %x3 = stencil.access %x[1, 0] : !temp
      %w3 = stencil.access %w[-1, 0] : !temp
      %term3 = arith.mulf %x3, %w3 : f64
      %sum1 = arith.addf %term0, %term1 : f64
      %sum2 = arith.addf %sum1, %term2 : f64
      %sum3 = arith.addf %sum2, %term3 : f64
      %quarter = arith.constant 0.25 : f64
      %mean = arith.mulf %sum3, %quarter : f64
      stencil.return %mean : f64
    }
    stencil.store %new to %next(<[0, 0], [24, 70]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
