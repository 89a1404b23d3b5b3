// What an apply outside of a sweep loads of a field that the sweep's first statement stores.
//
// DEFINE: %{passes} = builtin.module(func.func(stencil-infer-bounds,stencil-place-copies,sweep-fuse-statements))
// RUN: stencil-opt %s '--pass-pipeline=%{passes}' | FileCheck %s
// RUN: stencilc run %s --on=interpreter --same-after='%{passes}' --seed=1
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s --check-prefix=SAME
//
// CHECK:     sweep.stages
// CHECK:     sweep.output
// CHECK:     %[[U:.*]] = stencil.load %{{.*}} : !stencil.field<[0,9]xf32>
// CHECK:     stencil.apply(%{{.*}} = %[[U]] :
// SAME: verified: bit-identical

!field = !stencil.field<[0,9]xf32>
!temp = !stencil.temp<?xf32>

func.func @main(%in: !field, %u: !field, %v: !field, %out: !field) {
  %values = stencil.load %in : !field -> !temp
  %doubled = stencil.apply(%t = %values : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "row"}>} {
    %value = stencil.access %t[0] : !temp
    %sum = arith.addf %value, %value : f32
    stencil.return %sum : f32
  }
  stencil.store %doubled to %u(<[0], [9]>) : !temp to !field
  %stored = stencil.load %u : !field -> !temp
  %squared = stencil.apply(%t = %stored : !temp) -> (!temp)
      attributes {stencil.group = "group", stencil.plan = #stencil.plan<{mapping = "row"}>} {
    %value = stencil.access %t[-1] : !temp
    %square = arith.mulf %value, %value : f32
    stencil.return %square : f32
  }
  stencil.store %squared to %v(<[1], [9]>) : !temp to !field
  %halved = stencil.apply(%t = %stored : !temp) -> (!temp) {
    %value = stencil.access %t[1] : !temp
    %half = arith.constant 0.5 : f32
    %product = arith.mulf %value, %half : f32
    stencil.return %product : f32
  }
  stencil.store %halved to %out(<[0], [8]>) : !temp to !field
  return
}
