// Plans beside each other: a column for each, with what the assembler and the disassembler say.
//
// REQUIRES: ptxas, nvdisasm
//
// DEFINE: %{plans} = --plan points=1,mapping=thread --plan points=2,mapping=thread
// RUN: stencilc compare %s %{plans} | FileCheck %s
// RUN: stencilc compare %s %{plans} --sass | FileCheck %s --check-prefixes=CHECK,SASS
// RUN: stencilc compare %s %{plans} --json | FileCheck %s --check-prefix=JSON
//
// CHECK: {{^}}plan mapping=thread,points=1 mapping=thread,points=2{{$}}
// CHECK: {{^}}predicted cycles {{[0-9]+ [0-9]+$}}
// CHECK: {{^}}kernel copy_stage0 copy_stage0{{$}}
// CHECK: {{^}}points per thread 1 2{{$}}
// CHECK: {{^}}registers {{[0-9]+ [0-9]+$}}
// CHECK: {{^}}spill stores, bytes 0 0{{$}}
// CHECK: {{^}}occupancy, warps {{[0-9]+}} of 64 {{[0-9]+}} of 64{{$}}
// CHECK: {{^}}bound by memory memory{{$}}
// CHECK: {{^}}machine instructions {{[0-9]+ [0-9]+$}}
// CHECK: {{^}}  f64 arithmetic 1 2{{$}}
// CHECK-NOT: unknown
//
// SASS: // copy_stage0 | // copy_stage0
// SASS: LDG.E{{.* \| .*}}
//
// JSON: "plan": "mapping=thread,points=1"
// JSON: "name": "copy_stage0"
// JSON: "f64 arithmetic": 1
// JSON: "plan": "mapping=thread,points=2"
func.func @copy(%in: !stencil.field<[0,4096]xf64>, %out: !stencil.field<[0,4096]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,4096]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[0] : !stencil.temp<?xf64>
    %y = arith.addf %x, %x : f64
    stencil.return %y : f64
  }
  stencil.store %r to %out(<[0], [4096]>) : !stencil.temp<?xf64> to !stencil.field<[0,4096]xf64>
  return
}
