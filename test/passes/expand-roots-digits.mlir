// Reciprocal roots of all numbers of two exponents, in single precision.
//
// They begin with an estimate that differs from machine to machine, and must not depend on it. Each
// of the 2^24 numbers occurs once; all other exponents repeat them.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
//
// CHECK: verified: bit-identical

!field = !stencil.field<[0,4096]x[0,4096]xf32>
!temp = !stencil.temp<?x?xf32>

func.func @roots(%in: !field, %out: !field) {
  %t = stencil.load %in : !field -> !temp
  %r = stencil.apply(%a = %t : !temp) -> (!temp) {
    %row = stencil.index 0 <[0, 0]>
    %column = stencil.index 1 <[0, 0]>
    %rows = arith.constant 4096 : index
    %place = arith.muli %row, %rows : index
    %number = arith.addi %place, %column : index
    %digits32 = arith.index_cast %number : index to i32
    %one_bits = arith.constant 0x3F800000 : i32
    %bits = arith.addi %digits32, %one_bits : i32
    %x = arith.bitcast %bits : i32 to f32
    %root = math.rsqrt %x fastmath<afn> : f32
    stencil.return %root : f32
  }
  stencil.store %r to %out(<[0, 0], [4096, 4096]>) : !temp to !field
  return
}
