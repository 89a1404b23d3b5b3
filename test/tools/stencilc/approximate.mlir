// A program with functions that no machine computes exactly says so; the emulator needs no library
// for them, a GPU does.
//
// RUN: stencilc run %s --function=wave --on=emulator --verify --report=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: stencilc run %s --function=single --on=emulator --verify | FileCheck %s

// CHECK: compulsory bytes per point, approximate operations
// CHECK: {{^}}verified: bit-identical
// JSON: "approximate": true
func.func @wave(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[0] : !stencil.temp<?xf64>
    %y = math.sin %x : f64
    stencil.return %y : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}

// In f32 both compute in f64 and round once.
func.func @single(%in: !stencil.field<[0,1000]xf32>, %out: !stencil.field<[0,1000]xf32>) {
  %t = stencil.load %in : !stencil.field<[0,1000]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>) {
    %x = stencil.access %a[0] : !stencil.temp<?xf32>
    %e = math.exp %x : f32
    %y = math.powf %e, %x : f32
    %z = math.tanh %y : f32
    stencil.return %z : f32
  }
  stencil.store %r to %out(<[0], [1000]>) : !stencil.temp<?xf32> to !stencil.field<[0,1000]xf32>
  return
}
