// Names of kernels are words of PTX: one that began with the digit of its function's name was refused by
// the assembler, after a compilation without a message.
//
// RUN: stencilc compile %s --emit=ptx -o - | FileCheck %s
// RUN: stencilc run %s --on=emulator --verify --seed=1
//
// CHECK: .visible .entry _1d_s(

func.func @"1d"(%a: !stencil.field<[0,8]xf64>, %b: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %a : !stencil.field<[0,8]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>)
      attributes {stencil.stage = "s"} {
    %u = stencil.access %x[1] : !stencil.temp<?xf64>
    stencil.return %u : f64
  }
  stencil.store %r to %b(<[1], [7]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}
