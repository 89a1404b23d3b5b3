// One package holds a program at several sizes: a function for each, with kernels of their own.
// stencil-run takes the one whose fields have the extents of the files that it is given.
//
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --size 16,17 --size 5,3 -o %t/p.spk | FileCheck %s --check-prefix=KERNELS
// KERNELS: kernel shift_stage0:
// KERNELS-NEXT: 64 points
// KERNELS: kernel shift_16_17_stage0:
// KERNELS-NEXT: 272 points
// KERNELS: kernel shift_5_3_stage0:
// KERNELS-NEXT: 15 points
// RUN: stencilc compile %s --size 16,17 --size 5,3 -o %t/again.spk
// RUN: cmp %t/p.spk %t/again.spk
//
// RUN: stencil-run %t/p.spk --print-signature | FileCheck %s --check-prefix=BASE
// BASE: function 'shift', compiled for sm_90a
// BASE: 0 in field [-1,8]x[0,8]xf32
// BASE: the package has these variants, chosen by the fields given:
// BASE-NEXT: shift: in (9, 8), out (8, 8)
// BASE-NEXT: shift_16_17: in (17, 17), out (16, 17)
// BASE-NEXT: shift_5_3: in (6, 3), out (5, 3)
//
// Fields that another run left, as a folder and as a file; a name that is said wins.
// RUN: stencilc run %s --extents 16,17 --on=interpreter --out-dir %t/large
// RUN: stencil-run %t/p.spk --in-dir %t/large --print-signature | FileCheck %s --check-prefix=LARGE
// RUN: stencil-run %t/p.spk --arg out=%t/large/out.npy --print-signature | FileCheck %s --check-prefix=LARGE
// LARGE: function 'shift_16_17', compiled for sm_90a
// RUN: stencil-run %t/p.spk --function=shift_5_3 --in-dir %t/large --print-signature | FileCheck %s --check-prefix=SMALL
// SMALL: function 'shift_5_3', compiled for sm_90a
//
// RUN: stencilc run %s --extents 2,2 --on=interpreter --out-dir %t/none
// RUN: not stencil-run %t/p.spk --in-dir %t/none 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: no variant of 'shift' has fields of the extents given: '{{.*}}in.npy' (3, 2), '{{.*}}out.npy' (2, 2); the package has
// NONE-NEXT: shift: in (9, 8), out (8, 8)
// NONE-NEXT: shift_16_17: in (17, 17), out (16, 17)
// NONE-NEXT: shift_5_3: in (6, 3), out (5, 3)
//
// The base may have another size than the text; a size that is there already says nothing new.
// RUN: stencilc compile %s --extents 4,4 --size 5,3 -o %t/other.spk
// RUN: stencil-run %t/other.spk --print-signature | FileCheck %s --check-prefix=OTHER
// OTHER: shift: in (5, 4), out (4, 4)
// OTHER-NEXT: shift_5_3: in (6, 3), out (5, 3)
// RUN: not stencilc compile %s --size 8,8 -o %t/twice.spk 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not stencilc compile %s --extents 5,5 --size 8,8 --size 8,8 -o %t/twice.spk 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: --size 8,8 gives no function fields of other extents than those it has already; remove it
// RUN: not ls %t/twice.spk
//
// In a text the variants are functions with an attribute.
// RUN: stencilc compile %s --size 5,3 --emit=stencil | FileCheck %s --check-prefix=TEXT
// TEXT: func.func @shift(
// TEXT: func.func @shift_5_3({{.*}} attributes {stencil.variant_of = "shift"}
// TEXT-NOT: func.func
func.func private @store(%r: !stencil.temp<[0,8]x[0,8]xf32>, %out: !stencil.field<[0,8]x[0,8]xf32>) {
  stencil.store %r to %out(<[0, 0], [8, 8]>) : !stencil.temp<[0,8]x[0,8]xf32> to !stencil.field<[0,8]x[0,8]xf32>
  return
}
func.func @shift(%in: !stencil.field<[-1,8]x[0,8]xf32>, %out: !stencil.field<[0,8]x[0,8]xf32>) {
  %t = stencil.load %in : !stencil.field<[-1,8]x[0,8]xf32> -> !stencil.temp<?x?xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<?x?xf32>) -> (!stencil.temp<[0,8]x[0,8]xf32>) {
    %x = stencil.access %a[-1, 0] : !stencil.temp<?x?xf32>
    stencil.return %x : f32
  }
  func.call @store(%r, %out) : (!stencil.temp<[0,8]x[0,8]xf32>, !stencil.field<[0,8]x[0,8]xf32>) -> ()
  return
}
