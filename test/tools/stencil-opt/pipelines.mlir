// Pipelines of our passes: on their op or on a module, with options checked, and printed as they would be written.
//
// RUN: stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-infer-bounds))' > %t.nested
// RUN: stencil-opt %s --pass-pipeline='builtin.module(stencil-infer-bounds)' | diff - %t.nested
// RUN: stencil-opt %s --stencil-infer-bounds | diff - %t.nested
// RUN: FileCheck %s --input-file=%t.nested
//
// RUN: stencil-opt %s --pass-pipeline='builtin.module(stencil-select-plan{target=sm_80 plan="points=2,max_registers=64"},func.func(stencil-infer-bounds))' --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=DUMP
//
// RUN: not stencil-opt %s --pass-pipeline='builtin.module(stencil-infer-bound)' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not stencil-opt %s --pass-pipeline='builtin.module(stencil-infer-bounds{radius=1})' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not stencil-opt %s --pass-pipeline='builtin.module(stencil-resize-domain{extents=a})' 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not stencil-opt %s --pass-pipeline='builtin.module(func.func(stencil-resize-domain))' 2>&1 | FileCheck %s --check-prefix=PLACE

// CHECK-LABEL: func.func @average
// CHECK:         stencil.load {{.*}} -> !stencil.temp<[-1,65]xf64>

// DUMP:      builtin.module(
// DUMP-NEXT:   stencil-select-plan{chip= part=false plain=false plan=points=2,max_registers=64 target=sm_80}
// DUMP-NEXT:   func.func(
// DUMP-NEXT:     stencil-infer-bounds

// NAME:   'stencil-infer-bound' does not refer to a registered pass or pass pipeline
// OPTION: no such option radius
// NUMBER: for the --extents option: 'a' value invalid
// PLACE:  unable to schedule pass 'stencil-resize-domain' on a PassManager intended to run on 'func.func'

func.func @average(%in: !stencil.field<[-1,65]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %u = stencil.access %x[-1] : !stencil.temp<?xf64>
    %v = stencil.access %x[1] : !stencil.temp<?xf64>
    %two = arith.constant 2.0 : f64
    %s = arith.addf %u, %v : f64
    %a = arith.divf %s, %two : f64
    stencil.return %a : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
