// Memory that holds temps between kernels has rows that begin at a multiple of what the function says.
//
// RUN: stencil-opt %s --convert-stencil-to-gpu-threads --canonicalize --cse | FileCheck %s
// RUN: sed 's/stencil.buffer_alignment = 64/stencil.buffer_alignment = 1/' %s | stencil-opt --convert-stencil-to-gpu-threads --canonicalize --cse | FileCheck %s --check-prefix=DENSE
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s --check-prefix=BITS
// BITS: verified: bit-identical
//
// Six rows of 19 cells of 4 bytes; sixteen of them are 64 bytes.
// CHECK: memref.alloc() : memref<192xf32>
// DENSE: memref.alloc() : memref<114xf32>

!field = !stencil.field<[-2,7]x[-2,20]xf32>
!temp = !stencil.temp<[-2,7]x[-2,20]xf32>
!between = !stencil.temp<[-1,5]x[-1,18]xf32>
!inner = !stencil.temp<[0,4]x[0,17]xf32>
func.func @twice(%u: !field, %v: !field) attributes {stencil.buffer_alignment = 64 : i64} {
  %values = stencil.load %u : !field -> !temp
  %first = stencil.apply(%x = %values : !temp) -> (!between)
      attributes {stencil.stage = "first", stencil.plan = #stencil.plan<{threads = array<i64: 1, 32>}>} {
    %0 = stencil.access %x[-1, 1] : !temp
    %1 = stencil.access %x[1, 0] : !temp
    %2 = arith.addf %0, %1 : f32
    stencil.return %2 : f32
  }
  %second = stencil.apply(%x = %first : !between) -> (!inner)
      attributes {stencil.stage = "second", stencil.plan = #stencil.plan<{threads = array<i64: 1, 32>}>} {
    %0 = stencil.access %x[0, -1] : !between
    %1 = stencil.access %x[1, 1] : !between
    %2 = arith.mulf %0, %1 : f32
    stencil.return %2 : f32
  }
  stencil.store %second to %v(<[0, 0], [4, 17]>) : !inner to !field
  return
}
