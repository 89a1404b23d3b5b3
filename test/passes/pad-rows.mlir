// Rows of fields are padded so that the first point that is written of each is aligned; arguments say how much is padding.
//
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-pad-rows))' | FileCheck %s

// Points are written from 0 on. In 16 cells of 8 bytes lie 128: rows begin 16 cells before, and
// have a multiple of them. Fields of the loop, and one that is allocated, are padded alike; a table
// stays.

// CHECK-LABEL: func.func @wave(
// CHECK-SAME:    %{{[a-z0-9]+}}: !stencil.field<[-1,9]x[-1,9]x[-16,48]xf64> {stencil.padding = array<i64: 14, 14>}
// CHECK-SAME:    %{{[a-z0-9]+}}: !stencil.field<[-1,9]x[-1,9]x[-16,48]xf64> {stencil.padding = array<i64: 14, 14>}
// CHECK-SAME:    %{{[a-z0-9]+}}: !stencil.field<[0,4]xf64>
// CHECK-NOT:     row_alignment
// CHECK:         stencil.alloc : !stencil.field<[-1,9]x[-1,9]x[-16,48]xf64>
// CHECK:         scf.for {{.*}} -> (!stencil.field<[-1,9]x[-1,9]x[-16,48]xf64>, !stencil.field<[-1,9]x[-1,9]x[-16,48]xf64>)
// CHECK:           stencil.load %{{.*}} : !stencil.field<[-1,9]x[-1,9]x[-16,48]xf64> -> !stencil.temp<[-1,9]x[-1,9]x[-2,34]xf64>
// CHECK:           stencil.store {{.*}}(<[0, 0, 0], [8, 8, 32]>) : !stencil.temp<[0,8]x[0,8]x[0,32]xf64> to !stencil.field<[-1,9]x[-1,9]x[-16,48]xf64>
!field = !stencil.field<[-1,9]x[-1,9]x[-2,34]xf64>
!all = !stencil.temp<[-1,9]x[-1,9]x[-2,34]xf64>
!inner = !stencil.temp<[0,8]x[0,8]x[0,32]xf64>
func.func @wave(%u: !field, %v: !field, %t: !stencil.field<[0,4]xf64>)
    attributes {stencil.row_alignment = 128 : i64} {
  %first = arith.constant 0 : index
  %steps = arith.constant 4 : index
  %one = arith.constant 1 : index
  %w = stencil.alloc : !field
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %w) -> (!field, !field) {
    %values = stencil.load %now : !field -> !all
    %new = stencil.apply(%x = %values : !all) -> (!inner) {
      %0 = stencil.access %x[0, 1, 2] : !all
      stencil.return %0 : f64
    }
    stencil.store %new to %next(<[0, 0, 0], [8, 8, 32]>) : !inner to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

// Of single precision 8 cells are 32 bytes. What is aligned already stays.

// CHECK-LABEL: func.func @kept(
// CHECK-SAME:    %{{[a-z0-9]+}}: !stencil.field<[0,8]x[-8,40]xf32>,
// CHECK-SAME:    %{{[a-z0-9]+}}: !stencil.field<[0,8]x[-8,40]xf32> {stencil.padding = array<i64: 7, 5>}
!aligned = !stencil.field<[0,8]x[-8,40]xf32>
!odd = !stencil.field<[0,8]x[-1,35]xf32>
func.func @kept(%u: !aligned, %v: !odd) attributes {stencil.row_alignment = 32 : i64} {
  %values = stencil.load %u : !aligned -> !stencil.temp<[0,8]x[0,32]xf32>
  stencil.store %values to %v(<[0, 0], [8, 32]>) : !stencil.temp<[0,8]x[0,32]xf32> to !odd
  return
}

// CHECK-LABEL: func.func @packed(
// CHECK-SAME:    %{{[a-z0-9]+}}: !stencil.field<[0,8]x[-1,35]xf32>) {
func.func @packed(%v: !odd) attributes {stencil.row_alignment = 1 : i64} {
  return
}

// CHECK-LABEL: func.func @unasked(
// CHECK-SAME:    %{{[a-z0-9]+}}: !stencil.field<[0,8]x[-1,35]xf32>) {
func.func @unasked(%v: !odd) {
  return
}
