// A program as text in the STENCILGEN language; what the language lacks is refused at the op.
//
// RUN: split-file %s %t
// RUN: stencil-translate --export-dsl %t/wave.mlir -o %t/wave.idsl
// RUN: FileCheck %s --input-file=%t/wave.idsl
// RUN: stencilc run %t/wave.mlir --strict --same-as %t/wave.idsl --seed=3 --arg dt=0.25 | FileCheck %s --check-prefix=SAME
// SAME: bit-identical (3 fields
//
// Coordinates begin at -2, iterators at 0. Five iterations of three fields that change places are
// one turn and two iterations more.
// CHECK:      iterator j, i;
// CHECK-NEXT: float u0[20,23];
// CHECK-NEXT: float u1[20,23];
// CHECK-NEXT: float u2[20,23];
// CHECK-NEXT: float dt;
// CHECK-NEXT: copyin u0, u1, u2, dt;
// CHECK:      stencil wave (out0, in0, in1, s2) {
// CHECK-NEXT:   float t;
// CHECK-NEXT:   t = ((in0[j-1][i] + in0[j+1][i]) + (in0[j][i-2] * (-0.5f)));
// CHECK-NEXT:   [2:17][2:19] : out0[j][i] = ((t * (t * s2)) - in1[j][i]);
// CHECK-NEXT: }
// CHECK:      iterate 1 {
// CHECK-NEXT:   wave (u2, u1, u0, dt);
// CHECK-NEXT:   wave (u0, u2, u1, dt);
// CHECK-NEXT:   wave (u1, u0, u2, dt);
// CHECK-NEXT: }
// CHECK-NEXT: wave (u2, u1, u0, dt);
// CHECK-NEXT: wave (u0, u2, u1, dt);
// CHECK-NEXT: copyout u0, u1, u2;
//
// A mirror reads beside the line that it writes: no copy is needed. What is overwritten before it
// is read needs one.
// RUN: stencil-translate --export-dsl %t/mirror.mlir | FileCheck %s --check-prefix=MIRROR
// MIRROR:      [0:0][0:7] : out0[j][i] = in0[j+1][i];
// MIRROR:      {{^}}mirror (u, u);
// MIRROR-NEXT: copyout u;
// RUN: stencil-translate --export-dsl %t/old.mlir | FileCheck %s --check-prefix=OLD
// OLD: double values[
// OLD: (values, u);
// OLD: {{^}}second (v, values);
//
// RUN: not stencil-translate --export-dsl %t/half.mlir 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: half.mlir:1:1: error: 'func.func' op has an array of f16
// HALF: note: types are bool, int, float and double; --element-type converts floats
// RUN: not stencil-translate --export-dsl %t/select.mlir 2>&1 | FileCheck %s --check-prefix=SELECT
// SELECT: select.mlir:8:10: error: 'arith.select' op has no counterpart in the STENCILGEN language
// RUN: not stencil-translate --export-dsl %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: 'builtin.module' op has no function to export

//--- wave.mlir
!field = !stencil.field<[-2,18]x[-2,21]xf32>
func.func @wave(%u0: !field {stencil.name = "u0"}, %u1: !field {stencil.name = "u1"}, %u2: !field {stencil.name = "u2"}, %dt: f32 {stencil.name = "dt"}) {
  %first = arith.constant 0 : index
  %steps = arith.constant 5 : index
  %one = arith.constant 1 : index
  %end:3 = scf.for %n = %first to %steps step %one iter_args(%a = %u0, %b = %u1, %c = %u2) -> (!field, !field, !field) {
    %0 = stencil.load %b : !field -> !stencil.temp<?x?xf32>
    %1 = stencil.load %a : !field -> !stencil.temp<?x?xf32>
    %2 = stencil.apply(%x = %0 : !stencil.temp<?x?xf32>, %y = %1 : !stencil.temp<?x?xf32>, %k = %dt : f32) -> (!stencil.temp<?x?xf32>) attributes {stencil.stage = "wave"} {
      %half = arith.constant -0.5 : f32
      %n0 = stencil.access %x[-1, 0] : !stencil.temp<?x?xf32>
      %n1 = stencil.access %x[1, 0] : !stencil.temp<?x?xf32>
      %n2 = stencil.access %x[0, -2] : !stencil.temp<?x?xf32>
      %old = stencil.access %y[0, 0] : !stencil.temp<?x?xf32>
      %s0 = arith.addf %n0, %n1 : f32
      %s1 = arith.mulf %n2, %half : f32
      %s2 = arith.addf %s0, %s1 : f32
      %s3 = arith.mulf %s2, %k : f32
      %s4 = arith.mulf %s2, %s3 : f32
      %s5 = arith.subf %s4, %old : f32
      stencil.return %s5 : f32
    }
    stencil.store %2 to %c(<[0, 0], [16, 18]>) : !stencil.temp<?x?xf32> to !field
    scf.yield %b, %c, %a : !field, !field, !field
  }
  return
}

//--- mirror.mlir
func.func @mirror(%u: !stencil.field<[0,8]x[0,8]xf64> {stencil.name = "u"}) {
  %0 = stencil.load %u : !stencil.field<[0,8]x[0,8]xf64> -> !stencil.temp<?x?xf64>
  %1 = stencil.apply(%x = %0 : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) attributes {stencil.stage = "mirror"} {
    %v = stencil.access %x[1, 0] : !stencil.temp<?x?xf64>
    stencil.return %v : f64
  }
  stencil.store %1 to %u(<[0, 0], [1, 8]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,8]x[0,8]xf64>
  return
}

//--- old.mlir
func.func @old(%u: !stencil.field<[0,8]xf64> {stencil.name = "u"}, %v: !stencil.field<[0,8]xf64> {stencil.name = "v"}) {
  %0 = stencil.load %u : !stencil.field<[0,8]xf64> -> !stencil.temp<?xf64>
  %1 = stencil.apply(%x = %0 : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) attributes {stencil.stage = "first"} {
    %a = stencil.access %x[0] : !stencil.temp<?xf64>
    %b = arith.addf %a, %a : f64
    stencil.return %b : f64
  }
  stencil.store %1 to %u(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  %2 = stencil.apply(%x = %0 : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) attributes {stencil.stage = "second"} {
    %a = stencil.access %x[1] : !stencil.temp<?xf64>
    stencil.return %a : f64
  }
  stencil.store %2 to %v(<[0], [7]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}

//--- half.mlir
func.func @half(%u: !stencil.field<[0,8]xf16>) {
  return
}

//--- select.mlir
func.func @select(%u: !stencil.field<[0,8]xf64>, %v: !stencil.field<[0,8]xf64>) {
  %0 = stencil.load %u : !stencil.field<[0,8]xf64> -> !stencil.temp<?xf64>
  %1 = stencil.apply(%x = %0 : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %zero = arith.constant 0.0 : f64
    %a = stencil.access %x[0] : !stencil.temp<?xf64>
    %c = arith.cmpf olt, %a, %zero : f64

    %b = arith.select %c, %zero, %a : f64
    stencil.return %b : f64
  }
  stencil.store %1 to %v(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}

//--- none.mlir
module {}
