// Quotients by all numbers of one exponent, in single precision.
//
// The reciprocal is an estimate and a Newton step on a GPU and in the emulator, and a division in
// the interpreter. Each of the 2^23 numbers occurs once; all other exponents repeat them.
//
// RUN: stencilc run %s --on=emulator --verify --seed=1 | FileCheck %s
//
// CHECK: verified: bit-identical

!field = !stencil.field<[0,2048]x[0,4096]xf32>
!temp = !stencil.temp<?x?xf32>

func.func @quotients(%out: !field) {
  %r = stencil.apply() -> (!temp) {
    %row = stencil.index 0 <[0, 0]>
    %column = stencil.index 1 <[0, 0]>
    %columns = arith.constant 4096 : index
    %place = arith.muli %row, %columns : index
    %number = arith.addi %place, %column : index
    %digits = arith.index_cast %number : index to i32
    %one_bits = arith.constant 0x3F800000 : i32
    %bits = arith.addi %digits, %one_bits : i32
    %x = arith.bitcast %bits : i32 to f32
    %a = arith.constant 0.7 : f32
    %q = arith.divf %a, %x fastmath<arcp,afn> : f32
    stencil.return %q : f32
  }
  stencil.store %r to %out(<[0, 0], [2048, 4096]>) : !temp to !field
  return
}
