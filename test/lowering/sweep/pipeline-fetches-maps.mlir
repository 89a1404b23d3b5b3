// Cells that are read at coordinates which their points give are loaded in the iteration before.
//
// DEFINE: %{planes} = stencil-opt %s --stencil-infer-bounds --sweep-fuse-statements --sweep-place-slots --convert-sweep-to-planes
// RUN: %{planes} --sweep-pipeline-fetches | FileCheck %s
// RUN: %{planes} --sweep-pipeline-fetches --sweep-pipeline-fetches | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1

!plane = !stencil.field<[0,18]x[0,70]xf32>
!temp = !stencil.temp<?x?xf32>

// CHECK-LABEL: func.func @mirrored
// CHECK:         %[[FIRST:[a-z0-9]+]] = sweep.map plane 0
// CHECK:           stencil.dyn_access
// CHECK:         sweep.planes {{.*}} iter_args({{.*}}%[[NOW:[a-z0-9]+]] = %[[FIRST]] : !sweep.tile<f32>) {
// CHECK-NEXT:      %[[NEXT:[a-z0-9]+]] = sweep.map plane 1
// CHECK:             stencil.dyn_access
// CHECK-NOT:       stencil.dyn_access
// CHECK:           sweep.shift %[[NOW]] by [0, 1]
// CHECK:           sweep.yield {{.*}}%[[NEXT]] :
func.func @mirrored(%in: !plane, %out: !plane) {
  %cells = stencil.apply(%from = %in : !plane) -> (!temp)
      attributes {stencil.group = "g", stencil.plan = #stencil.plan<{
          mapping = "warp", loads = "prefetch", threads = array<i64: 1, 32>}>} {
    %last = arith.constant 69 : index
    %j = stencil.index 0 <[0, 0]>
    %i = stencil.index 1 <[0, 0]>
    %mirrored = arith.subi %last, %i : index
    %cell = stencil.dyn_access %from[%j, %mirrored] in <[0, 0]> : <[17, 69]>
        attributes {absolute} : !plane
    stencil.return %cell : f32
  }
  %new = stencil.apply(%a = %cells : !temp) -> (!temp)
      attributes {stencil.group = "g", stencil.plan = #stencil.plan<{
          mapping = "warp", loads = "prefetch", threads = array<i64: 1, 32>}>} {
    %above = stencil.access %a[-1, 0] : !temp
    %right = stencil.access %a[0, 1] : !temp
    %sum = arith.addf %above, %right : f32
    stencil.return %sum : f32
  }
  stencil.store %new to %out(<[1, 0], [18, 69]>) : !temp to !plane
  return
}
