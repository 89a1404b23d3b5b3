// Two fused levels equal two applies, with halo cells of two fields.
//
// RUN: split-file %s %t
// RUN: stencilc run %t/applies.mlir --same-as=%t/sweep.mlir --arg f=0.3 | FileCheck %s
// RUN: stencilc run %t/applies.mlir --same-as=%t/gather.mlir --arg f=0.3 | FileCheck %s
// RUN: stencilc run %t/applies.mlir --same-as=%t/scatter.mlir --arg f=0.3 | FileCheck %s
// RUN: stencilc run %t/sweep.mlir --same-as=%t/scatter.mlir --arg f=0.3 | FileCheck %s
// CHECK: bit-identical

//--- applies.mlir
func.func @f(%a: !stencil.field<[-1,17]x[-2,9]xf64>, %b: !stencil.field<[-1,17]x[-2,9]xf64>,
             %out: !stencil.field<[-1,17]x[-2,9]xf64>, %f: f64) {
  %now = stencil.alloc : !stencil.field<[-1,17]x[-2,9]xf64>
  %halo = stencil.load %b : !stencil.field<[-1,17]x[-2,9]xf64> -> !stencil.temp<?x?xf64>
  stencil.store %halo to %now(<[-1, -2], [17, 9]>)
    : !stencil.temp<?x?xf64> to !stencil.field<[-1,17]x[-2,9]xf64>
  %t = stencil.load %a : !stencil.field<[-1,17]x[-2,9]xf64> -> !stencil.temp<?x?xf64>
  %1 = stencil.apply(%u = %t : !stencil.temp<?x?xf64>, %g = %f : f64) -> (!stencil.temp<?x?xf64>) {
    %n = stencil.access %u[-1, 0] : !stencil.temp<?x?xf64>
    %w = stencil.access %u[0, -2] : !stencil.temp<?x?xf64>
    %s = stencil.access %u[1, 1] : !stencil.temp<?x?xf64>
    %nw = arith.addf %n, %w : f64
    %sum = arith.addf %nw, %s : f64
    %v = arith.mulf %sum, %g : f64
    stencil.return %v : f64
  }
  stencil.store %1 to %now(<[0, 0], [16, 8]>)
    : !stencil.temp<?x?xf64> to !stencil.field<[-1,17]x[-2,9]xf64>
  %next = stencil.load %now : !stencil.field<[-1,17]x[-2,9]xf64> -> !stencil.temp<?x?xf64>
  %2 = stencil.apply(%u = %next : !stencil.temp<?x?xf64>, %g = %f : f64)
      -> (!stencil.temp<?x?xf64>) {
    %n = stencil.access %u[-1, 0] : !stencil.temp<?x?xf64>
    %w = stencil.access %u[0, -2] : !stencil.temp<?x?xf64>
    %s = stencil.access %u[1, 1] : !stencil.temp<?x?xf64>
    %nw = arith.addf %n, %w : f64
    %sum = arith.addf %nw, %s : f64
    %v = arith.mulf %sum, %g : f64
    stencil.return %v : f64
  }
  stencil.store %2 to %out(<[0, 0], [16, 8]>)
    : !stencil.temp<?x?xf64> to !stencil.field<[-1,17]x[-2,9]xf64>
  return
}

//--- sweep.mlir
func.func @f(%a: !stencil.field<[-1,17]x[-2,9]xf64>, %b: !stencil.field<[-1,17]x[-2,9]xf64>,
             %out: !stencil.field<[-1,17]x[-2,9]xf64>, %f: f64) {
  sweep.kernel "f.s0" steps 2 over <[0, 0], [16, 8]>
      carried(%u = %a : !stencil.field<[-1,17]x[-2,9]xf64>)
      boundaries(%a : !stencil.field<[-1,17]x[-2,9]xf64>, %b : !stencil.field<[-1,17]x[-2,9]xf64>)
      scalars(%g = %f : f64)
      outs(%out : !stencil.field<[-1,17]x[-2,9]xf64>)
      plan <{}> {
    %n = stencil.access %u[-1, 0] : !stencil.field<[-1,17]x[-2,9]xf64>
    %w = stencil.access %u[0, -2] : !stencil.field<[-1,17]x[-2,9]xf64>
    %s = stencil.access %u[1, 1] : !stencil.field<[-1,17]x[-2,9]xf64>
    %nw = arith.addf %n, %w : f64
    %sum = arith.addf %nw, %s : f64
    %v = arith.mulf %sum, %g : f64
    sweep.yield %v : f64
  }
  return
}

//--- gather.mlir
func.func @f(%a: !stencil.field<[-1,17]x[-2,9]xf64>, %b: !stencil.field<[-1,17]x[-2,9]xf64>,
             %out: !stencil.field<[-1,17]x[-2,9]xf64>, %f: f64) {
  sweep.kernel "f.s0" steps 2 over <[0, 0], [16, 8]>
      form "gather" slots ["shared", "register", "shared", "register", "register"]
      carried(%u = %a : !stencil.field<[-1,17]x[-2,9]xf64>)
      boundaries(%a : !stencil.field<[-1,17]x[-2,9]xf64>, %b : !stencil.field<[-1,17]x[-2,9]xf64>)
      scalars(%g = %f : f64)
      outs(%out : !stencil.field<[-1,17]x[-2,9]xf64>)
      plan <{mapping = "block", chunks = 3, steps = 2}> {
    %n = stencil.access %u[-1, 0] : !stencil.field<[-1,17]x[-2,9]xf64>
    %w = stencil.access %u[0, -2] : !stencil.field<[-1,17]x[-2,9]xf64>
    %s = stencil.access %u[1, 1] : !stencil.field<[-1,17]x[-2,9]xf64>
    %nw = arith.addf %n, %w : f64
    %sum = arith.addf %nw, %s : f64
    %v = arith.mulf %sum, %g : f64
    sweep.yield %v : f64
  }
  return
}

//--- scatter.mlir
func.func @f(%a: !stencil.field<[-1,17]x[-2,9]xf64>, %b: !stencil.field<[-1,17]x[-2,9]xf64>,
             %out: !stencil.field<[-1,17]x[-2,9]xf64>, %f: f64) {
  sweep.kernel "f.s0" steps 2 over <[0, 0], [16, 8]> form "scatter"
      carried(%u = %a : !stencil.field<[-1,17]x[-2,9]xf64>)
      boundaries(%a : !stencil.field<[-1,17]x[-2,9]xf64>, %b : !stencil.field<[-1,17]x[-2,9]xf64>)
      scalars(%g = %f : f64)
      outs(%out : !stencil.field<[-1,17]x[-2,9]xf64>)
      plan <{mapping = "warp", form = "scatter", steps = 2}> {
    %n = stencil.access %u[-1, 0] : !stencil.field<[-1,17]x[-2,9]xf64>
    %w = stencil.access %u[0, -2] : !stencil.field<[-1,17]x[-2,9]xf64>
    %s = stencil.access %u[1, 1] : !stencil.field<[-1,17]x[-2,9]xf64>
    %nw = arith.addf %n, %w : f64
    %sum = arith.addf %nw, %s : f64
    %v = arith.mulf %sum, %g : f64
    sweep.yield %v : f64
  }
  return
}
