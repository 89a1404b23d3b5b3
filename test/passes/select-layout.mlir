// Rows are to be padded where a loop writes large 3D fields whose rows begin within sectors, unless something else is said.
//
// RUN: stencil-opt %s --stencil-select-layout --remarks-filter-passed=stencil-select-layout --remarks-filter-missed=stencil-select-layout -o %t 2> %t.remarks
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-select-layout{plain=true}))' | FileCheck %s --check-prefix=PLAIN
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-select-layout{target=sm_90 chip=h100}))' | FileCheck %s

// PLAIN:     @large
// PLAIN-NOT: row_alignment
// PLAIN:     @said
// PLAIN-SAME: row_alignment = 1
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-select-layout{alignment=32}))' | FileCheck %s --check-prefix=ASKED
// ASKED:     @once{{.*}} attributes {stencil.row_alignment = 32 : i64}

// 258 x 260 x 260 cells of 4 bytes, twice, are more than an L2 cache holds, and rows have 1040
// bytes.

// CHECK-LABEL: func.func @large(
// CHECK-SAME:    attributes {stencil.row_alignment = 128 : i64}
// REMARK:      remark: [Passed] stencil-select-layout | {{.*}}writes rows that begin anywhere; they are padded to 128 bytes
!large = !stencil.field<[-1,257]x[-2,258]x[-2,258]xf32>
!all = !stencil.temp<[-1,257]x[-2,258]x[-2,258]xf32>
!inner = !stencil.temp<[0,256]x[0,256]x[0,256]xf32>
func.func @large(%u: !large, %v: !large, %steps: index) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!large, !large) {
    %values = stencil.load %now : !large -> !all
    %new = stencil.apply(%x = %values : !all) -> (!inner) {
      %0 = stencil.access %x[0, 1, 2] : !all
      stencil.return %0 : f32
    }
    stencil.store %new to %next(<[0, 0, 0], [256, 256, 256]>) : !inner to !large
    scf.yield %next, %now : !large, !large
  }
  return
}

// Of two fields that are written, the rows of one begin within sectors.

// CHECK-LABEL: func.func @one_of_two(
// CHECK-SAME:    attributes {stencil.row_alignment = 128 : i64}
// REMARK:      remark: [Passed] stencil-select-layout | {{.*}}writes rows that begin anywhere; they are padded to 128 bytes
!aligned = !stencil.field<[0,256]x[0,256]x[0,256]xf32>
func.func @one_of_two(%u: !large, %v: !large, %r: !aligned, %steps: index) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!large, !large) {
    %values = stencil.load %now : !large -> !all
    %new:2 = stencil.apply(%x = %values : !all) -> (!inner, !inner) {
      %0 = stencil.access %x[0, 1, 2] : !all
      stencil.return %0, %0 : f32, f32
    }
    stencil.store %new#0 to %next(<[0, 0, 0], [256, 256, 256]>) : !inner to !large
    stencil.store %new#1 to %r(<[0, 0, 0], [256, 256, 256]>) : !inner to !aligned
    scf.yield %next, %now : !large, !large
  }
  return
}

// CHECK-LABEL: func.func @few_steps(
// CHECK-NOT:   row_alignment
// REMARK:      remark: [Missed] stencil-select-layout | {{.*}}writes rows that begin anywhere; 7 iterations do not pay for copies of its fields with padded rows
func.func @few_steps(%u: !large, %v: !large) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 7 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!large, !large) {
    %values = stencil.load %now : !large -> !all
    %new = stencil.apply(%x = %values : !all) -> (!inner) {
      %0 = stencil.access %x[0, 1, 2] : !all
      stencil.return %0 : f32
    }
    stencil.store %new to %next(<[0, 0, 0], [256, 256, 256]>) : !inner to !large
    scf.yield %next, %now : !large, !large
  }
  return
}

// Its caller says how rows lie.

// CHECK-LABEL: func.func @said(
// CHECK-SAME:    attributes {stencil.row_alignment = 1 : i64}
func.func @said(%u: !large, %v: !large, %steps: index) attributes {stencil.row_alignment = 1 : i64} {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!large, !large) {
    %values = stencil.load %now : !large -> !all
    %new = stencil.apply(%x = %values : !all) -> (!inner) {
      %0 = stencil.access %x[0, 1, 2] : !all
      stencil.return %0 : f32
    }
    stencil.store %new to %next(<[0, 0, 0], [256, 256, 256]>) : !inner to !large
    scf.yield %next, %now : !large, !large
  }
  return
}

// No loop: who launches it once copies as much as it computes.

// CHECK-LABEL: func.func @once(
// CHECK-NOT:   row_alignment
func.func @once(%u: !large, %v: !large) {
  %values = stencil.load %u : !large -> !inner
  stencil.store %values to %v(<[0, 0, 0], [256, 256, 256]>) : !inner to !large
  return
}

// Fields that the L2 cache holds, and fields whose rows are multiples of sectors.

// CHECK-LABEL: func.func @small(
// CHECK-NOT:   row_alignment
!small = !stencil.field<[0,64]x[0,64]x[-1,65]xf32>
!sixtyfour = !stencil.temp<[0,64]x[0,64]x[0,64]xf32>
func.func @small(%u: !small, %v: !small, %steps: index) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    %values = stencil.load %u : !small -> !sixtyfour
    stencil.store %values to %v(<[0, 0, 0], [64, 64, 64]>) : !sixtyfour to !small
  }
  return
}

// CHECK-LABEL: func.func @aligned(
// CHECK-NOT:   row_alignment
!wide = !stencil.field<[-1,257]x[-2,258]x[-2,262]xf32>
func.func @aligned(%u: !wide, %v: !wide, %steps: index) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    %values = stencil.load %u : !wide -> !inner
    stencil.store %values to %v(<[0, 0, 0], [256, 256, 256]>) : !inner to !wide
  }
  return
}

// In 2D a plane of a sweep is a row.

// CHECK-LABEL: func.func @flat(
// CHECK-NOT:   row_alignment
!flat = !stencil.field<[-1,8193]x[-1,8193]xf32>
!square = !stencil.temp<[0,8192]x[0,8192]xf32>
func.func @flat(%u: !flat, %v: !flat, %steps: index) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    %values = stencil.load %u : !flat -> !square
    stencil.store %values to %v(<[0, 0], [8192, 8192]>) : !square to !flat
  }
  return
}

// Eight fields, which no sweep writes: 32 cells of 8 bytes, though rows are multiples of sectors.

// CHECK-LABEL: func.func @many(
// CHECK-SAME:    attributes {stencil.row_alignment = 256 : i64}
!doubles = !stencil.field<[-1,257]x[-2,258]x[-2,262]xf64>
!middle = !stencil.temp<[0,256]x[0,256]x[0,256]xf64>
func.func @many(%u: !doubles, %f0: !doubles, %f1: !doubles, %f2: !doubles, %f3: !doubles,
    %f4: !doubles, %f5: !doubles, %f6: !doubles, %f7: !doubles, %steps: index) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %step = %first to %steps step %one {
    %values = stencil.load %u : !doubles -> !middle
    stencil.store %values to %f0(<[0, 0, 0], [256, 256, 256]>) : !middle to !doubles
    stencil.store %values to %f1(<[0, 0, 0], [256, 256, 256]>) : !middle to !doubles
    stencil.store %values to %f2(<[0, 0, 0], [256, 256, 256]>) : !middle to !doubles
    stencil.store %values to %f3(<[0, 0, 0], [256, 256, 256]>) : !middle to !doubles
    stencil.store %values to %f4(<[0, 0, 0], [256, 256, 256]>) : !middle to !doubles
    stencil.store %values to %f5(<[0, 0, 0], [256, 256, 256]>) : !middle to !doubles
    stencil.store %values to %f6(<[0, 0, 0], [256, 256, 256]>) : !middle to !doubles
    stencil.store %values to %f7(<[0, 0, 0], [256, 256, 256]>) : !middle to !doubles
  }
  return
}
