// A kernel that compares coordinates near the ends of its domain has a path for threads whose points
// lie far from them: it chooses nothing, and the others compute one point after the other.
//
// RUN: stencil-opt %s --convert-stencil-to-gpu-threads | FileCheck %s
// RUN: stencilc run %s --function=mirrored --on=emulator --verify --seed=1 --plan s0:mapping=thread,s0:points=2x2,s0:threads=2x32 | FileCheck %s --check-prefix=RAN
// RUN: stencilc run %s --function=mirrored --on=emulator --verify --seed=1 --plan s0:mapping=thread,s0:threads=4x32,s0:alignment_offset=3 | FileCheck %s --check-prefix=RAN
// RUN: stencilc run %s --function=mirrored --on=emulator --verify --seed=1 --plan s0:mapping=thread,s0:points=5x3,s0:threads=2x32 | FileCheck %s --check-prefix=RAN
//
// RAN: verified: bit-identical
//
// CHECK-LABEL: gpu.func @mirrored_s0
// Rows 1 to 70 have a row before them, columns from 1 on a column.
// CHECK:       %[[ROW:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK:       arith.cmpi ult, %[[ROW]], %{{.*}} : i32
// CHECK:       scf.if
// CHECK-NOT:   arith.select
// CHECK:       } else {
// CHECK:       scf.for
// CHECK:       arith.select
//
// Where points are far from the comparison's place, or on both sides of it, there is one path.
// CHECK-LABEL: gpu.func @split_s0
// CHECK-NOT:   else
// CHECK:       gpu.return

!field = !stencil.field<[-1,73]x[-1,101]xf32>
!temp = !stencil.temp<[-1,73]x[-1,101]xf32>
!result = !stencil.temp<[0,72]x[0,100]xf32>

func.func @mirrored(%u: !field, %v: !field) {
  %values = stencil.load %u : !field -> !temp
  %r = stencil.apply(%x = %values : !temp) -> (!result)
      attributes {stencil.stage = "s0", stencil.plan = #stencil.plan<{mapping = "thread", points = [2, 1], threads = [2, 32]}>} {
    %row = stencil.index 0 <[0, 0]>
    %column = stencil.index 1 <[0, 0]>
    %one = arith.constant 1 : index
    %last = arith.constant 71 : index
    %is_first_row = arith.cmpi slt, %row, %one : index
    %is_last_row = arith.cmpi sge, %row, %last : index
    %is_first_column = arith.cmpi slt, %column, %one : index
    %here = stencil.access %x[0, 0] : !temp
    %north = stencil.access %x[-1, 0] : !temp
    %south = stencil.access %x[1, 0] : !temp
    %west = stencil.access %x[0, -1] : !temp
    %above = arith.select %is_first_row, %here, %north : f32
    %below = arith.select %is_last_row, %here, %south : f32
    %left = arith.select %is_first_column, %here, %west : f32
    %sum = arith.addf %above, %below : f32
    %all = arith.addf %sum, %left : f32
    stencil.return %all : f32
  }
  stencil.store %r to %v(<[0, 0], [72, 100]>) : !result to !field
  return
}

func.func @split(%u: !field, %v: !field) {
  %values = stencil.load %u : !field -> !temp
  %r = stencil.apply(%x = %values : !temp) -> (!result)
      attributes {stencil.stage = "s0", stencil.plan = #stencil.plan<{mapping = "thread", points = [1, 1], threads = [2, 50]}>} {
    %column = stencil.index 1 <[0, 0]>
    %half = arith.constant 50 : index
    %is_left = arith.cmpi slt, %column, %half : index
    %west = stencil.access %x[0, -1] : !temp
    %east = stencil.access %x[0, 1] : !temp
    %chosen = arith.select %is_left, %west, %east : f32
    stencil.return %chosen : f32
  }
  stencil.store %r to %v(<[0, 0], [72, 100]>) : !result to !field
  return
}
