// LLVM's code generator for x86 makes 0 of the bits of a bf16 masked by 0x8000: the emulator lost
// signs.
//
// RUN: %if numpy %{ %python -c "import numpy as np; np.save('%t.npy', np.array([0x8000, 0xbf80, 0xff80, 0x8001, 0x3f80, 0x0000, 0xc000, 0x4000], dtype=np.uint16))" %}
// RUN: %if numpy %{ stencilc run %s --on=emulator --verify --arg w=%t.npy | FileCheck %s %}
// RUN: %if numpy %{ stencilc run %s --on=emulator --verify --arg u=%t.npy | FileCheck %s %}
// CHECK: verified: bit-identical

!field = !stencil.field<[0,8]xbf16>
!temp = !stencil.temp<?xbf16>

func.func @signs(%u: !field, %w: !field, %v: !field, %m: !field) {
  %t = stencil.load %u : !field -> !temp
  %q = stencil.load %w : !field -> !temp
  %r:2 = stencil.apply(%x = %t : !temp, %y = %q : !temp) -> (!temp, !temp) {
    %n = stencil.access %x[0] : !temp
    %s = stencil.access %y[0] : !temp
    %c = math.copysign %n, %s : bf16
    %sum = arith.addf %n, %s : bf16
    %bits = arith.bitcast %sum : bf16 to i16
    %mask = arith.constant 0x8000 : i16
    %sign = arith.andi %bits, %mask : i16
    %d = arith.bitcast %sign : i16 to bf16
    stencil.return %c, %d : bf16, bf16
  }
  stencil.store %r#0 to %v(<[0], [8]>) : !temp to !field
  stencil.store %r#1 to %m(<[0], [8]>) : !temp to !field
  return
}
