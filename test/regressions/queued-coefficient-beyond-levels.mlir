// A coefficient that is read farther behind than the levels of a sweep is not read from a queue: its
// first plane would not have arrived.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 --plan=step:mapping=warp,threads=1x64,points=1x1,steps=1,reads=queue | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1 --plan=loop:mapping=warp,loop:threads=1x64,loop:points=1x1,loop:steps=2,loop:reads=queue | FileCheck %s
//
// CHECK: verified: bit-identical

!field = !stencil.field<[-4,12]x[-5,56]xf32>
!temp = !stencil.temp<?x?xf32>

func.func @coefficient_behind(%f: !field, %g: !field, %k: !field) {
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %last = arith.constant 6 : index
  %end:2 = scf.for %i = %first to %last step %step
      iter_args(%u = %f, %v = %g) -> (!field, !field) {
    %a = stencil.load %u : !field -> !temp
    %b = stencil.load %k : !field -> !temp
    %s = stencil.apply(%x0 = %a : !temp, %x1 = %b : !temp) -> (!temp)
        attributes {stencil.stage = "step"} {
      %here = stencil.access %x0[0, 0] : !temp
      %behind = stencil.access %x1[-1, 0] : !temp
      %new = arith.subf %here, %behind : f32
      stencil.return %new : f32
    }
    stencil.store %s to %v(<[1, 0], [7, 51]>) : !temp to !field
    scf.yield %v, %u : !field, !field
  }
  return
}
