// A C program runs a package that was compiled for several devices, on arrays of the host: it gets
// the bits of one device, also in arrays with gaps, and messages for what cannot be meant.
//
// REQUIRES: cc
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --keep-ir -o %t/one.spk
// RUN: stencilc compile %s --keep-ir --devices=2 -o %t/two.spk
// RUN: cc -O2 -std=c99 -Wall -Wextra -Wpedantic -Werror %S/Inputs/several.c -o %t/several %library -lstencil
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/one.spk:%t/two.spk STENCIL_EMULATED_DEVICES=2 %t/several %t/one.spk %t/two.spk | FileCheck %s
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/one.spk:%t/two.spk not %t/several %t/one.spk %t/two.spk 2>&1 | FileCheck %s --check-prefix=FEW
//
// CHECK:      devices 1 2
// CHECK-NEXT: argument 0 'u': [-1,65] [0,48]
// CHECK-NEXT: the first ones: 0 cells differ
// CHECK-NEXT: one twice, with gaps: 0 cells differ
// CHECK-NEXT: {"function":"heat",{{.*}}"shared":{"devices":[{"ordinal":0,{{.*}}},{"ordinal":0,{{.*}}"planes":64,
// CHECK-NEXT: verified 2 fields
// CHECK-NEXT: timed
// CHECK-NEXT: one device: 3: function 'heat' was compiled for 2 devices, each of which computes a window of its domain; name as many devices, or compile it without --devices
// CHECK-NEXT: three devices: 3: function 'heat' was compiled for 2 devices, 3 are given; name as many, of which one may occur several times, or compile it with --devices=3
// CHECK-NEXT: on a device: 2: argument 0 'u' is in memory of a device; function 'heat' was compiled for several devices, each of which gets its part of an array on the host: pass one
// CHECK-NEXT: stream: 2: runs on several devices are on streams of their own; leave the stream out
//
// FEW: function 'heat' was compiled for 2 devices, this machine has 1; compile it with --devices=1, or name as many devices, of which one may occur several times, as 0,0

!field = !stencil.field<[-1,65]x[0,48]xf32>

func.func @heat(%u: !field, %v: !field, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %zero to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!field, !field) {
    %t = stencil.load %now : !field -> !stencil.temp<?x?xf32>
    %r = stencil.apply(%x = %t : !stencil.temp<?x?xf32>) -> (!stencil.temp<?x?xf32>) {
      %n = stencil.access %x[-1, 0] : !stencil.temp<?x?xf32>
      %s = stencil.access %x[1, 0] : !stencil.temp<?x?xf32>
      %sum = arith.addf %n, %s : f32
      %half = arith.constant 5.0e-01 : f32
      %mean = arith.mulf %sum, %half : f32
      stencil.return %mean : f32
    }
    stencil.store %r to %next(<[0, 0], [64, 48]>) : !stencil.temp<?x?xf32> to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
