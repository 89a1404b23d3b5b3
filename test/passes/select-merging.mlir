// Applies over the same points that read the same fields are one kernel; those that would be swept are not.
//
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-name-stages,stencil-select-merging))' | FileCheck %s
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-name-stages,stencil-select-merging{plain=true}))' | FileCheck %s --check-prefix=PLAIN
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-name-stages,stencil-select-merging{plan=gx:points=2}))' | FileCheck %s --check-prefix=NAMED
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-name-stages,stencil-select-merging{plan=mapping=warp}))' | FileCheck %s --check-prefix=SWEEPS
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds,stencil-name-stages,stencil-select-merging))' --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: stencilc run %s --on=emulator --function=gradient --verify --seed=1 | FileCheck %s --check-prefix=ONE --implicit-check-not='kernel '
// RUN: stencilc run %s --on=emulator --function=gradient --verify --seed=1 --plan gx:points=2 | FileCheck %s --check-prefix=TWO
// RUN: stencilc run %s --on=emulator --function=gradient --verify --seed=1 --plan gy_gx:points=2 | FileCheck %s --check-prefix=GIVEN
// RUN: stencilc run %s --on=emulator --function=swept --verify --seed=1 | FileCheck %s --check-prefix=SWEPT
// RUN: stencilc run %s --on=emulator --function=one_field --verify --seed=1
//
// COUNT: 1 stencil-select-merging num-selected
// PLAIN-NOT: stencil.merge
// NAMED-NOT: stencil.merge
// SWEEPS-NOT: stencil.merge
// ONE: kernel    gradient_gy_gx:
// ONE: computes 'gy' and 'gx' together (33 -> 26 bytes a point)
// TWO: kernel    gradient_gy:
// TWO: kernel    gradient_gx:
// GIVEN: kernel    gradient_gy_gx:
// GIVEN: gy_gx:mapping=thread,{{.*}}points=2x1
// SWEPT: mapping=warp
// SWEPT: mapping=warp

!field = !stencil.field<[-2,34]x[-2,35]xf64>
!temp = !stencil.temp<?x?xf64>
!large = !stencil.field<[-4,516]x[-4,516]xf64>

// CHECK-LABEL: func.func @gradient
// CHECK:       stencil.includes = ["'gy' and 'gx' together (33 -> 26 bytes a point)"], stencil.merge = "gy_gx", stencil.stage = "gy"
// CHECK:       stencil.merge = "gy_gx", stencil.stage = "gx"
func.func @gradient(%u: !field, %a: !field, %b: !field) {
  %t = stencil.load %u : !field -> !temp
  %y = stencil.apply(%x = %t : !temp) -> (!temp) attributes {stencil.stage = "gy"} {
    %1 = stencil.access %x[-1, 0] : !temp
    %2 = stencil.access %x[1, 0] : !temp
    %3 = arith.subf %2, %1 : f64
    stencil.return %3 : f64
  }
  stencil.store %y to %a(<[0, 0], [32, 33]>) : !temp to !field
  %z = stencil.apply(%x = %t : !temp) -> (!temp) attributes {stencil.stage = "gx"} {
    %1 = stencil.access %x[0, -1] : !temp
    %2 = stencil.access %x[0, 1] : !temp
    %3 = arith.subf %2, %1 : f64
    stencil.return %3 : f64
  }
  stencil.store %z to %b(<[0, 0], [32, 33]>) : !temp to !field
  return
}

// The second overwrites what the first reads around its point.
// CHECK-LABEL: func.func @one_field
// CHECK-NOT:   stencil.merge
func.func @one_field(%u: !field, %v: !field, %a: !field) {
  %t = stencil.load %u : !field -> !temp
  %s = stencil.load %v : !field -> !temp
  %y = stencil.apply(%x = %t : !temp, %w = %s : !temp) -> (!temp) {
    %1 = stencil.access %x[-1, 0] : !temp
    %2 = stencil.access %w[1, 0] : !temp
    %3 = arith.subf %2, %1 : f64
    stencil.return %3 : f64
  }
  stencil.store %y to %a(<[0, 0], [32, 33]>) : !temp to !field
  %z = stencil.apply(%w = %s : !temp) -> (!temp) {
    %1 = stencil.access %w[0, -1] : !temp
    stencil.return %1 : f64
  }
  stencil.store %z to %u(<[0, 0], [32, 33]>) : !temp to !field
  return
}

// Wide boxes of one field are sweeps of their own.
// CHECK-LABEL: func.func @swept
// CHECK-NOT:   stencil.merge
func.func @swept(%u: !large, %a: !large, %b: !large) {
  %t = stencil.load %u : !large -> !temp
  %y = stencil.apply(%x = %t : !temp) -> (!temp) {
    %c = arith.constant 0.01 : f64
    %a0 = stencil.access %x[-4, -4] : !temp
    %m0 = arith.mulf %c, %a0 : f64
    %a1 = stencil.access %x[-4, -3] : !temp
    %m1 = arith.mulf %c, %a1 : f64
    %s1 = arith.addf %m0, %m1 : f64
    %a2 = stencil.access %x[-4, -2] : !temp
    %m2 = arith.mulf %c, %a2 : f64
    %s2 = arith.addf %s1, %m2 : f64
    %a3 = stencil.access %x[-4, -1] : !temp
    %m3 = arith.mulf %c, %a3 : f64
    %s3 = arith.addf %s2, %m3 : f64
    %a4 = stencil.access %x[-4, 0] : !temp
    %m4 = arith.mulf %c, %a4 : f64
    %s4 = arith.addf %s3, %m4 : f64
    %a5 = stencil.access %x[-4, 1] : !temp
    %m5 = arith.mulf %c, %a5 : f64
    %s5 = arith.addf %s4, %m5 : f64
    %a6 = stencil.access %x[-4, 2] : !temp
    %m6 = arith.mulf %c, %a6 : f64
    %s6 = arith.addf %s5, %m6 : f64
    %a7 = stencil.access %x[-4, 3] : !temp
    %m7 = arith.mulf %c, %a7 : f64
    %s7 = arith.addf %s6, %m7 : f64
    %a8 = stencil.access %x[-4, 4] : !temp
    %m8 = arith.mulf %c, %a8 : f64
    %s8 = arith.addf %s7, %m8 : f64
    %a9 = stencil.access %x[-3, -4] : !temp
    %m9 = arith.mulf %c, %a9 : f64
    %s9 = arith.addf %s8, %m9 : f64
    %a10 = stencil.access %x[-3, -3] : !temp
    %m10 = arith.mulf %c, %a10 : f64
    %s10 = arith.addf %s9, %m10 : f64
    %a11 = stencil.access %x[-3, -2] : !temp
    %m11 = arith.mulf %c, %a11 : f64
    %s11 = arith.addf %s10, %m11 : f64
    %a12 = stencil.access %x[-3, -1] : !temp
    %m12 = arith.mulf %c, %a12 : f64
    %s12 = arith.addf %s11, %m12 : f64
    %a13 = stencil.access %x[-3, 0] : !temp
    %m13 = arith.mulf %c, %a13 : f64
    %s13 = arith.addf %s12, %m13 : f64
    %a14 = stencil.access %x[-3, 1] : !temp
    %m14 = arith.mulf %c, %a14 : f64
    %s14 = arith.addf %s13, %m14 : f64
    %a15 = stencil.access %x[-3, 2] : !temp
    %m15 = arith.mulf %c, %a15 : f64
    %s15 = arith.addf %s14, %m15 : f64
    %a16 = stencil.access %x[-3, 3] : !temp
    %m16 = arith.mulf %c, %a16 : f64
    %s16 = arith.addf %s15, %m16 : f64
    %a17 = stencil.access %x[-3, 4] : !temp
    %m17 = arith.mulf %c, %a17 : f64
    %s17 = arith.addf %s16, %m17 : f64
    %a18 = stencil.access %x[-2, -4] : !temp
    %m18 = arith.mulf %c, %a18 : f64
    %s18 = arith.addf %s17, %m18 : f64
    %a19 = stencil.access %x[-2, -3] : !temp
    %m19 = arith.mulf %c, %a19 : f64
    %s19 = arith.addf %s18, %m19 : f64
    %a20 = stencil.access %x[-2, -2] : !temp
    %m20 = arith.mulf %c, %a20 : f64
    %s20 = arith.addf %s19, %m20 : f64
    %a21 = stencil.access %x[-2, -1] : !temp
    %m21 = arith.mulf %c, %a21 : f64
    %s21 = arith.addf %s20, %m21 : f64
    %a22 = stencil.access %x[-2, 0] : !temp
    %m22 = arith.mulf %c, %a22 : f64
    %s22 = arith.addf %s21, %m22 : f64
    %a23 = stencil.access %x[-2, 1] : !temp
    %m23 = arith.mulf %c, %a23 : f64
    %s23 = arith.addf %s22, %m23 : f64
    %a24 = stencil.access %x[-2, 2] : !temp
    %m24 = arith.mulf %c, %a24 : f64
    %s24 = arith.addf %s23, %m24 : f64
    %a25 = stencil.access %x[-2, 3] : !temp
    %m25 = arith.mulf %c, %a25 : f64
    %s25 = arith.addf %s24, %m25 : f64
    %a26 = stencil.access %x[-2, 4] : !temp
    %m26 = arith.mulf %c, %a26 : f64
    %s26 = arith.addf %s25, %m26 : f64
    %a27 = stencil.access %x[-1, -4] : !temp
    %m27 = arith.mulf %c, %a27 : f64
    %s27 = arith.addf %s26, %m27 : f64
    %a28 = stencil.access %x[-1, -3] : !temp
    %m28 = arith.mulf %c, %a28 : f64
    %s28 = arith.addf %s27, %m28 : f64
    %a29 = stencil.access %x[-1, -2] : !temp
    %m29 = arith.mulf %c, %a29 : f64
    %s29 = arith.addf %s28, %m29 : f64
    %a30 = stencil.access %x[-1, -1] : !temp
    %m30 = arith.mulf %c, %a30 : f64
    %s30 = arith.addf %s29, %m30 : f64
    %a31 = stencil.access %x[-1, 0] : !temp
    %m31 = arith.mulf %c, %a31 : f64
    %s31 = arith.addf %s30, %m31 : f64
    %a32 = stencil.access %x[-1, 1] : !temp
    %m32 = arith.mulf %c, %a32 : f64
    %s32 = arith.addf %s31, %m32 : f64
    %a33 = stencil.access %x[-1, 2] : !temp
    %m33 = arith.mulf %c, %a33 : f64
    %s33 = arith.addf %s32, %m33 : f64
    %a34 = stencil.access %x[-1, 3] : !temp
    %m34 = arith.mulf %c, %a34 : f64
    %s34 = arith.addf %s33, %m34 : f64
    %a35 = stencil.access %x[-1, 4] : !temp
    %m35 = arith.mulf %c, %a35 : f64
    %s35 = arith.addf %s34, %m35 : f64
    %a36 = stencil.access %x[0, -4] : !temp
    %m36 = arith.mulf %c, %a36 : f64
    %s36 = arith.addf %s35, %m36 : f64
    %a37 = stencil.access %x[0, -3] : !temp
    %m37 = arith.mulf %c, %a37 : f64
    %s37 = arith.addf %s36, %m37 : f64
    %a38 = stencil.access %x[0, -2] : !temp
    %m38 = arith.mulf %c, %a38 : f64
    %s38 = arith.addf %s37, %m38 : f64
    %a39 = stencil.access %x[0, -1] : !temp
    %m39 = arith.mulf %c, %a39 : f64
    %s39 = arith.addf %s38, %m39 : f64
    %a40 = stencil.access %x[0, 0] : !temp
    %m40 = arith.mulf %c, %a40 : f64
    %s40 = arith.addf %s39, %m40 : f64
    %a41 = stencil.access %x[0, 1] : !temp
    %m41 = arith.mulf %c, %a41 : f64
    %s41 = arith.addf %s40, %m41 : f64
    %a42 = stencil.access %x[0, 2] : !temp
    %m42 = arith.mulf %c, %a42 : f64
    %s42 = arith.addf %s41, %m42 : f64
    %a43 = stencil.access %x[0, 3] : !temp
    %m43 = arith.mulf %c, %a43 : f64
    %s43 = arith.addf %s42, %m43 : f64
    %a44 = stencil.access %x[0, 4] : !temp
    %m44 = arith.mulf %c, %a44 : f64
    %s44 = arith.addf %s43, %m44 : f64
    %a45 = stencil.access %x[1, -4] : !temp
    %m45 = arith.mulf %c, %a45 : f64
    %s45 = arith.addf %s44, %m45 : f64
    %a46 = stencil.access %x[1, -3] : !temp
    %m46 = arith.mulf %c, %a46 : f64
    %s46 = arith.addf %s45, %m46 : f64
    %a47 = stencil.access %x[1, -2] : !temp
    %m47 = arith.mulf %c, %a47 : f64
    %s47 = arith.addf %s46, %m47 : f64
    %a48 = stencil.access %x[1, -1] : !temp
    %m48 = arith.mulf %c, %a48 : f64
    %s48 = arith.addf %s47, %m48 : f64
    %a49 = stencil.access %x[1, 0] : !temp
    %m49 = arith.mulf %c, %a49 : f64
    %s49 = arith.addf %s48, %m49 : f64
    %a50 = stencil.access %x[1, 1] : !temp
    %m50 = arith.mulf %c, %a50 : f64
    %s50 = arith.addf %s49, %m50 : f64
    %a51 = stencil.access %x[1, 2] : !temp
    %m51 = arith.mulf %c, %a51 : f64
    %s51 = arith.addf %s50, %m51 : f64
    %a52 = stencil.access %x[1, 3] : !temp
    %m52 = arith.mulf %c, %a52 : f64
    %s52 = arith.addf %s51, %m52 : f64
    %a53 = stencil.access %x[1, 4] : !temp
    %m53 = arith.mulf %c, %a53 : f64
    %s53 = arith.addf %s52, %m53 : f64
    %a54 = stencil.access %x[2, -4] : !temp
    %m54 = arith.mulf %c, %a54 : f64
    %s54 = arith.addf %s53, %m54 : f64
    %a55 = stencil.access %x[2, -3] : !temp
    %m55 = arith.mulf %c, %a55 : f64
    %s55 = arith.addf %s54, %m55 : f64
    %a56 = stencil.access %x[2, -2] : !temp
    %m56 = arith.mulf %c, %a56 : f64
    %s56 = arith.addf %s55, %m56 : f64
    %a57 = stencil.access %x[2, -1] : !temp
    %m57 = arith.mulf %c, %a57 : f64
    %s57 = arith.addf %s56, %m57 : f64
    %a58 = stencil.access %x[2, 0] : !temp
    %m58 = arith.mulf %c, %a58 : f64
    %s58 = arith.addf %s57, %m58 : f64
    %a59 = stencil.access %x[2, 1] : !temp
    %m59 = arith.mulf %c, %a59 : f64
    %s59 = arith.addf %s58, %m59 : f64
    %a60 = stencil.access %x[2, 2] : !temp
    %m60 = arith.mulf %c, %a60 : f64
    %s60 = arith.addf %s59, %m60 : f64
    %a61 = stencil.access %x[2, 3] : !temp
    %m61 = arith.mulf %c, %a61 : f64
    %s61 = arith.addf %s60, %m61 : f64
    %a62 = stencil.access %x[2, 4] : !temp
    %m62 = arith.mulf %c, %a62 : f64
    %s62 = arith.addf %s61, %m62 : f64
    %a63 = stencil.access %x[3, -4] : !temp
    %m63 = arith.mulf %c, %a63 : f64
    %s63 = arith.addf %s62, %m63 : f64
    %a64 = stencil.access %x[3, -3] : !temp
    %m64 = arith.mulf %c, %a64 : f64
    %s64 = arith.addf %s63, %m64 : f64
    %a65 = stencil.access %x[3, -2] : !temp
    %m65 = arith.mulf %c, %a65 : f64
    %s65 = arith.addf %s64, %m65 : f64
    %a66 = stencil.access %x[3, -1] : !temp
    %m66 = arith.mulf %c, %a66 : f64
    %s66 = arith.addf %s65, %m66 : f64
    %a67 = stencil.access %x[3, 0] : !temp
    %m67 = arith.mulf %c, %a67 : f64
    %s67 = arith.addf %s66, %m67 : f64
    %a68 = stencil.access %x[3, 1] : !temp
    %m68 = arith.mulf %c, %a68 : f64
    %s68 = arith.addf %s67, %m68 : f64
    %a69 = stencil.access %x[3, 2] : !temp
    %m69 = arith.mulf %c, %a69 : f64
    %s69 = arith.addf %s68, %m69 : f64
    %a70 = stencil.access %x[3, 3] : !temp
    %m70 = arith.mulf %c, %a70 : f64
    %s70 = arith.addf %s69, %m70 : f64
    %a71 = stencil.access %x[3, 4] : !temp
    %m71 = arith.mulf %c, %a71 : f64
    %s71 = arith.addf %s70, %m71 : f64
    %a72 = stencil.access %x[4, -4] : !temp
    %m72 = arith.mulf %c, %a72 : f64
    %s72 = arith.addf %s71, %m72 : f64
    %a73 = stencil.access %x[4, -3] : !temp
    %m73 = arith.mulf %c, %a73 : f64
    %s73 = arith.addf %s72, %m73 : f64
    %a74 = stencil.access %x[4, -2] : !temp
    %m74 = arith.mulf %c, %a74 : f64
    %s74 = arith.addf %s73, %m74 : f64
    %a75 = stencil.access %x[4, -1] : !temp
    %m75 = arith.mulf %c, %a75 : f64
    %s75 = arith.addf %s74, %m75 : f64
    %a76 = stencil.access %x[4, 0] : !temp
    %m76 = arith.mulf %c, %a76 : f64
    %s76 = arith.addf %s75, %m76 : f64
    %a77 = stencil.access %x[4, 1] : !temp
    %m77 = arith.mulf %c, %a77 : f64
    %s77 = arith.addf %s76, %m77 : f64
    %a78 = stencil.access %x[4, 2] : !temp
    %m78 = arith.mulf %c, %a78 : f64
    %s78 = arith.addf %s77, %m78 : f64
    %a79 = stencil.access %x[4, 3] : !temp
    %m79 = arith.mulf %c, %a79 : f64
    %s79 = arith.addf %s78, %m79 : f64
    %a80 = stencil.access %x[4, 4] : !temp
    %m80 = arith.mulf %c, %a80 : f64
    %s80 = arith.addf %s79, %m80 : f64
    stencil.return %s80 : f64
  }
  stencil.store %y to %a(<[0, 0], [512, 512]>) : !temp to !large
  %z = stencil.apply(%x = %t : !temp) -> (!temp) {
    %c = arith.constant 0.02 : f64
    %a0 = stencil.access %x[-4, -4] : !temp
    %m0 = arith.mulf %c, %a0 : f64
    %a1 = stencil.access %x[-4, -3] : !temp
    %m1 = arith.mulf %c, %a1 : f64
    %s1 = arith.addf %m0, %m1 : f64
    %a2 = stencil.access %x[-4, -2] : !temp
    %m2 = arith.mulf %c, %a2 : f64
    %s2 = arith.addf %s1, %m2 : f64
    %a3 = stencil.access %x[-4, -1] : !temp
    %m3 = arith.mulf %c, %a3 : f64
    %s3 = arith.addf %s2, %m3 : f64
    %a4 = stencil.access %x[-4, 0] : !temp
    %m4 = arith.mulf %c, %a4 : f64
    %s4 = arith.addf %s3, %m4 : f64
    %a5 = stencil.access %x[-4, 1] : !temp
    %m5 = arith.mulf %c, %a5 : f64
    %s5 = arith.addf %s4, %m5 : f64
    %a6 = stencil.access %x[-4, 2] : !temp
    %m6 = arith.mulf %c, %a6 : f64
    %s6 = arith.addf %s5, %m6 : f64
    %a7 = stencil.access %x[-4, 3] : !temp
    %m7 = arith.mulf %c, %a7 : f64
    %s7 = arith.addf %s6, %m7 : f64
    %a8 = stencil.access %x[-4, 4] : !temp
    %m8 = arith.mulf %c, %a8 : f64
    %s8 = arith.addf %s7, %m8 : f64
    %a9 = stencil.access %x[-3, -4] : !temp
    %m9 = arith.mulf %c, %a9 : f64
    %s9 = arith.addf %s8, %m9 : f64
    %a10 = stencil.access %x[-3, -3] : !temp
    %m10 = arith.mulf %c, %a10 : f64
    %s10 = arith.addf %s9, %m10 : f64
    %a11 = stencil.access %x[-3, -2] : !temp
    %m11 = arith.mulf %c, %a11 : f64
    %s11 = arith.addf %s10, %m11 : f64
    %a12 = stencil.access %x[-3, -1] : !temp
    %m12 = arith.mulf %c, %a12 : f64
    %s12 = arith.addf %s11, %m12 : f64
    %a13 = stencil.access %x[-3, 0] : !temp
    %m13 = arith.mulf %c, %a13 : f64
    %s13 = arith.addf %s12, %m13 : f64
    %a14 = stencil.access %x[-3, 1] : !temp
    %m14 = arith.mulf %c, %a14 : f64
    %s14 = arith.addf %s13, %m14 : f64
    %a15 = stencil.access %x[-3, 2] : !temp
    %m15 = arith.mulf %c, %a15 : f64
    %s15 = arith.addf %s14, %m15 : f64
    %a16 = stencil.access %x[-3, 3] : !temp
    %m16 = arith.mulf %c, %a16 : f64
    %s16 = arith.addf %s15, %m16 : f64
    %a17 = stencil.access %x[-3, 4] : !temp
    %m17 = arith.mulf %c, %a17 : f64
    %s17 = arith.addf %s16, %m17 : f64
    %a18 = stencil.access %x[-2, -4] : !temp
    %m18 = arith.mulf %c, %a18 : f64
    %s18 = arith.addf %s17, %m18 : f64
    %a19 = stencil.access %x[-2, -3] : !temp
    %m19 = arith.mulf %c, %a19 : f64
    %s19 = arith.addf %s18, %m19 : f64
    %a20 = stencil.access %x[-2, -2] : !temp
    %m20 = arith.mulf %c, %a20 : f64
    %s20 = arith.addf %s19, %m20 : f64
    %a21 = stencil.access %x[-2, -1] : !temp
    %m21 = arith.mulf %c, %a21 : f64
    %s21 = arith.addf %s20, %m21 : f64
    %a22 = stencil.access %x[-2, 0] : !temp
    %m22 = arith.mulf %c, %a22 : f64
    %s22 = arith.addf %s21, %m22 : f64
    %a23 = stencil.access %x[-2, 1] : !temp
    %m23 = arith.mulf %c, %a23 : f64
    %s23 = arith.addf %s22, %m23 : f64
    %a24 = stencil.access %x[-2, 2] : !temp
    %m24 = arith.mulf %c, %a24 : f64
    %s24 = arith.addf %s23, %m24 : f64
    %a25 = stencil.access %x[-2, 3] : !temp
    %m25 = arith.mulf %c, %a25 : f64
    %s25 = arith.addf %s24, %m25 : f64
    %a26 = stencil.access %x[-2, 4] : !temp
    %m26 = arith.mulf %c, %a26 : f64
    %s26 = arith.addf %s25, %m26 : f64
    %a27 = stencil.access %x[-1, -4] : !temp
    %m27 = arith.mulf %c, %a27 : f64
    %s27 = arith.addf %s26, %m27 : f64
    %a28 = stencil.access %x[-1, -3] : !temp
    %m28 = arith.mulf %c, %a28 : f64
    %s28 = arith.addf %s27, %m28 : f64
    %a29 = stencil.access %x[-1, -2] : !temp
    %m29 = arith.mulf %c, %a29 : f64
    %s29 = arith.addf %s28, %m29 : f64
    %a30 = stencil.access %x[-1, -1] : !temp
    %m30 = arith.mulf %c, %a30 : f64
    %s30 = arith.addf %s29, %m30 : f64
    %a31 = stencil.access %x[-1, 0] : !temp
    %m31 = arith.mulf %c, %a31 : f64
    %s31 = arith.addf %s30, %m31 : f64
    %a32 = stencil.access %x[-1, 1] : !temp
    %m32 = arith.mulf %c, %a32 : f64
    %s32 = arith.addf %s31, %m32 : f64
    %a33 = stencil.access %x[-1, 2] : !temp
    %m33 = arith.mulf %c, %a33 : f64
    %s33 = arith.addf %s32, %m33 : f64
    %a34 = stencil.access %x[-1, 3] : !temp
    %m34 = arith.mulf %c, %a34 : f64
    %s34 = arith.addf %s33, %m34 : f64
    %a35 = stencil.access %x[-1, 4] : !temp
    %m35 = arith.mulf %c, %a35 : f64
    %s35 = arith.addf %s34, %m35 : f64
    %a36 = stencil.access %x[0, -4] : !temp
    %m36 = arith.mulf %c, %a36 : f64
    %s36 = arith.addf %s35, %m36 : f64
    %a37 = stencil.access %x[0, -3] : !temp
    %m37 = arith.mulf %c, %a37 : f64
    %s37 = arith.addf %s36, %m37 : f64
    %a38 = stencil.access %x[0, -2] : !temp
    %m38 = arith.mulf %c, %a38 : f64
    %s38 = arith.addf %s37, %m38 : f64
    %a39 = stencil.access %x[0, -1] : !temp
    %m39 = arith.mulf %c, %a39 : f64
    %s39 = arith.addf %s38, %m39 : f64
    %a40 = stencil.access %x[0, 0] : !temp
    %m40 = arith.mulf %c, %a40 : f64
    %s40 = arith.addf %s39, %m40 : f64
    %a41 = stencil.access %x[0, 1] : !temp
    %m41 = arith.mulf %c, %a41 : f64
    %s41 = arith.addf %s40, %m41 : f64
    %a42 = stencil.access %x[0, 2] : !temp
    %m42 = arith.mulf %c, %a42 : f64
    %s42 = arith.addf %s41, %m42 : f64
    %a43 = stencil.access %x[0, 3] : !temp
    %m43 = arith.mulf %c, %a43 : f64
    %s43 = arith.addf %s42, %m43 : f64
    %a44 = stencil.access %x[0, 4] : !temp
    %m44 = arith.mulf %c, %a44 : f64
    %s44 = arith.addf %s43, %m44 : f64
    %a45 = stencil.access %x[1, -4] : !temp
    %m45 = arith.mulf %c, %a45 : f64
    %s45 = arith.addf %s44, %m45 : f64
    %a46 = stencil.access %x[1, -3] : !temp
    %m46 = arith.mulf %c, %a46 : f64
    %s46 = arith.addf %s45, %m46 : f64
    %a47 = stencil.access %x[1, -2] : !temp
    %m47 = arith.mulf %c, %a47 : f64
    %s47 = arith.addf %s46, %m47 : f64
    %a48 = stencil.access %x[1, -1] : !temp
    %m48 = arith.mulf %c, %a48 : f64
    %s48 = arith.addf %s47, %m48 : f64
    %a49 = stencil.access %x[1, 0] : !temp
    %m49 = arith.mulf %c, %a49 : f64
    %s49 = arith.addf %s48, %m49 : f64
    %a50 = stencil.access %x[1, 1] : !temp
    %m50 = arith.mulf %c, %a50 : f64
    %s50 = arith.addf %s49, %m50 : f64
    %a51 = stencil.access %x[1, 2] : !temp
    %m51 = arith.mulf %c, %a51 : f64
    %s51 = arith.addf %s50, %m51 : f64
    %a52 = stencil.access %x[1, 3] : !temp
    %m52 = arith.mulf %c, %a52 : f64
    %s52 = arith.addf %s51, %m52 : f64
    %a53 = stencil.access %x[1, 4] : !temp
    %m53 = arith.mulf %c, %a53 : f64
    %s53 = arith.addf %s52, %m53 : f64
    %a54 = stencil.access %x[2, -4] : !temp
    %m54 = arith.mulf %c, %a54 : f64
    %s54 = arith.addf %s53, %m54 : f64
    %a55 = stencil.access %x[2, -3] : !temp
    %m55 = arith.mulf %c, %a55 : f64
    %s55 = arith.addf %s54, %m55 : f64
    %a56 = stencil.access %x[2, -2] : !temp
    %m56 = arith.mulf %c, %a56 : f64
    %s56 = arith.addf %s55, %m56 : f64
    %a57 = stencil.access %x[2, -1] : !temp
    %m57 = arith.mulf %c, %a57 : f64
    %s57 = arith.addf %s56, %m57 : f64
    %a58 = stencil.access %x[2, 0] : !temp
    %m58 = arith.mulf %c, %a58 : f64
    %s58 = arith.addf %s57, %m58 : f64
    %a59 = stencil.access %x[2, 1] : !temp
    %m59 = arith.mulf %c, %a59 : f64
    %s59 = arith.addf %s58, %m59 : f64
    %a60 = stencil.access %x[2, 2] : !temp
    %m60 = arith.mulf %c, %a60 : f64
    %s60 = arith.addf %s59, %m60 : f64
    %a61 = stencil.access %x[2, 3] : !temp
    %m61 = arith.mulf %c, %a61 : f64
    %s61 = arith.addf %s60, %m61 : f64
    %a62 = stencil.access %x[2, 4] : !temp
    %m62 = arith.mulf %c, %a62 : f64
    %s62 = arith.addf %s61, %m62 : f64
    %a63 = stencil.access %x[3, -4] : !temp
    %m63 = arith.mulf %c, %a63 : f64
    %s63 = arith.addf %s62, %m63 : f64
    %a64 = stencil.access %x[3, -3] : !temp
    %m64 = arith.mulf %c, %a64 : f64
    %s64 = arith.addf %s63, %m64 : f64
    %a65 = stencil.access %x[3, -2] : !temp
    %m65 = arith.mulf %c, %a65 : f64
    %s65 = arith.addf %s64, %m65 : f64
    %a66 = stencil.access %x[3, -1] : !temp
    %m66 = arith.mulf %c, %a66 : f64
    %s66 = arith.addf %s65, %m66 : f64
    %a67 = stencil.access %x[3, 0] : !temp
    %m67 = arith.mulf %c, %a67 : f64
    %s67 = arith.addf %s66, %m67 : f64
    %a68 = stencil.access %x[3, 1] : !temp
    %m68 = arith.mulf %c, %a68 : f64
    %s68 = arith.addf %s67, %m68 : f64
    %a69 = stencil.access %x[3, 2] : !temp
    %m69 = arith.mulf %c, %a69 : f64
    %s69 = arith.addf %s68, %m69 : f64
    %a70 = stencil.access %x[3, 3] : !temp
    %m70 = arith.mulf %c, %a70 : f64
    %s70 = arith.addf %s69, %m70 : f64
    %a71 = stencil.access %x[3, 4] : !temp
    %m71 = arith.mulf %c, %a71 : f64
    %s71 = arith.addf %s70, %m71 : f64
    %a72 = stencil.access %x[4, -4] : !temp
    %m72 = arith.mulf %c, %a72 : f64
    %s72 = arith.addf %s71, %m72 : f64
    %a73 = stencil.access %x[4, -3] : !temp
    %m73 = arith.mulf %c, %a73 : f64
    %s73 = arith.addf %s72, %m73 : f64
    %a74 = stencil.access %x[4, -2] : !temp
    %m74 = arith.mulf %c, %a74 : f64
    %s74 = arith.addf %s73, %m74 : f64
    %a75 = stencil.access %x[4, -1] : !temp
    %m75 = arith.mulf %c, %a75 : f64
    %s75 = arith.addf %s74, %m75 : f64
    %a76 = stencil.access %x[4, 0] : !temp
    %m76 = arith.mulf %c, %a76 : f64
    %s76 = arith.addf %s75, %m76 : f64
    %a77 = stencil.access %x[4, 1] : !temp
    %m77 = arith.mulf %c, %a77 : f64
    %s77 = arith.addf %s76, %m77 : f64
    %a78 = stencil.access %x[4, 2] : !temp
    %m78 = arith.mulf %c, %a78 : f64
    %s78 = arith.addf %s77, %m78 : f64
    %a79 = stencil.access %x[4, 3] : !temp
    %m79 = arith.mulf %c, %a79 : f64
    %s79 = arith.addf %s78, %m79 : f64
    %a80 = stencil.access %x[4, 4] : !temp
    %m80 = arith.mulf %c, %a80 : f64
    %s80 = arith.addf %s79, %m80 : f64
    stencil.return %s80 : f64
  }
  stencil.store %z to %b(<[0, 0], [512, 512]>) : !temp to !large
  return
}
