// The emulator's result is the interpreter's, bit for bit, and the run says so in one screen.
//
// RUN: stencilc run %s --on=emulator --plan mapping=thread --arg steps=3 --seed=7 --verify --report=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: stencilc run %s --on=emulator --plan mapping=thread --arg 2=0 --verify | FileCheck %s --check-prefix=NONE
// RUN: stencilc run %s --on=emulator --plan mapping=thread --target sm_80 --arg 2=3 --verify | FileCheck %s --check-prefix=OLD
// RUN: stencilc run %s --on=interpreter --arg steps=3 --verify | FileCheck %s --check-prefix=ITSELF

// CHECK:      program {{.*}}verify.mlir, 'heat', sm_90a with PTX
// CHECK-NEXT: kernel  {{ *}}heat_stage0: stage stage0 at {{.*}}verify.mlir:[[#@LINE + 36]]:
// CHECK-NEXT: grid {{.*}}, block {{.*}} per thread, 6720 points
// CHECK:      PTX: {{.*}} instructions, {{.*}} ld.global {{.*}} st.global, no local memory
// CHECK-NEXT: FLOP and {{.*}} compulsory bytes per point; memory bounds it to {{.*}} GPt/s on NVIDIA H200
// CHECK:      compiled in ms: parse {{.*}} freeze {{.*}} map {{.*}} nvvm {{.*}} ptx
// CHECK-NEXT: run {{.*}}emulator: 3 launches, 0 copies, 20160 points in
// CHECK-NEXT: compared {{ *}}2 fields, 14448 cells, with the interpreter's
// CHECK-NEXT: {{^}}verified: bit-identical{{$}}

// JSON:     "function": "heat",
// JSON:     "target": "sm_90a",
// JSON:     "name": "heat_stage0",
// JSON:     "points": 6720,
// JSON:     "launches": 3,
// JSON:     "comparison": {
// JSON:       "fields": 2,
// JSON:       "differences": []

// A loop without iterations is a run without launches.
// NONE: emulator: 0 launches
// NONE: {{^}}verified: bit-identical

// OLD: sm_80 with PTX
// OLD: {{^}}verified: bit-identical

// ITSELF:     interpreter: 3 applies, 20160 points
// ITSELF-NOT: verified: bit-identical
// ITSELF:     not verified: the interpreter is what others are compared with

!field = !stencil.field<[-1,83]x[-1,85]xf32>

func.func @heat(%u: !field, %v: !field, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %last:2 = scf.for %t = %zero to %steps step %one iter_args(%a = %u, %b = %v) -> (!field, !field) {
    %old = stencil.load %a : !field -> !stencil.temp<?x?xf32>
    %new = stencil.apply(%x = %old : !stencil.temp<?x?xf32>) -> (!stencil.temp<?x?xf32>) {
      %quarter = arith.constant 0.25 : f32
      %n = stencil.access %x[-1, 0] : !stencil.temp<?x?xf32>
      %s = stencil.access %x[1, 0] : !stencil.temp<?x?xf32>
      %w = stencil.access %x[0, -1] : !stencil.temp<?x?xf32>
      %e = stencil.access %x[0, 1] : !stencil.temp<?x?xf32>
      %ns = arith.addf %n, %s : f32
      %we = arith.addf %w, %e : f32
      %sum = arith.addf %ns, %we : f32
      %mean = arith.mulf %sum, %quarter : f32
      stencil.return %mean : f32
    }
    stencil.store %new to %b(<[0, 0], [80, 84]>) : !stencil.temp<?x?xf32> to !field
    scf.yield %b, %a : !field, !field
  }
  return
}
