// A sweep that reads the field it stores, at the point itself, beside one with neighbours: each
// thread loaded that cell for all points that it computes, also for those that other threads store.
// Nothing used such values, but the loads raced with the stores.
//
// DEFINE: %{keys} =
// DEFINE: %{kernel} = stencilc compile %s --emit=gpu --plan=step:steps=1,points=1x1,chunks=1,%{keys} -o - | FileCheck %s
// DEFINE: %{run} = stencilc run %s --on=emulator --verify --seed=1 --plan=step:steps=1,points=1x1,chunks=1,%{keys} | FileCheck %s --check-prefix=SAME
// REDEFINE: %{keys} = mapping=warp,threads=1x64
// RUN: %{kernel}
// RUN: %{run}
// REDEFINE: %{keys} = mapping=warp,threads=1x64,form=scatter
// RUN: %{kernel}
// RUN: %{run}
// REDEFINE: %{keys} = mapping=block,threads=2x32
// RUN: %{kernel}
// RUN: %{run}
// REDEFINE: %{keys} = mapping=warp,threads=1x64,reads=queue
// RUN: %{run}
//
// SAME: verified: bit-identical

!field = !stencil.field<[-1,5]x[-1,44]xf32>
!temp = !stencil.temp<?x?xf32>

// CHECK:       gpu.func @in_place_step({{.*}}, %[[U:arg1]]: memref<270xf32>
// CHECK-NOT:   memref.load %[[U]]
// CHECK:       %[[PLANE:.*]] = arith.cmpi ult, %{{.*}}, %c4_i32
// CHECK-NEXT:  %[[OWN:.*]] = arith.andi %[[PLANE]], %{{.*}} : i1
// CHECK-NEXT:  scf.if %[[OWN]] -> (f32) {
// CHECK-NEXT:    memref.load %[[U]]
func.func @in_place(%u: !field, %k: !field) {
  %now = stencil.load %u : !field -> !temp
  %c = stencil.load %k : !field -> !temp
  %s = stencil.apply(%x0 = %now : !temp, %x1 = %c : !temp) -> (!temp)
      attributes {stencil.stage = "step"} {
    %here = stencil.access %x0[0, 0] : !temp
    %behind = stencil.access %x1[-1, 0] : !temp
    %side = stencil.access %x1[0, 1] : !temp
    %sum = arith.addf %behind, %side : f32
    %new = arith.subf %here, %sum : f32
    stencil.return %new : f32
  }
  stencil.store %s to %u(<[0, 0], [4, 40]>) : !temp to !field
  return
}
