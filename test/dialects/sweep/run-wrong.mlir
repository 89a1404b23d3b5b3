// In scatter form a value is read when its plane arrives, so a later plane cannot decide whether it
// is read: the interpreter refuses that, at the access.
//
// RUN: not stencilc run %s --on=interpreter 2>&1 | FileCheck %s

// CHECK: run-wrong.mlir:[[#@LINE+11]]:15: error: 'stencil.access' op reads plane -1 where plane 1 decides whether it is read, and arrives later
func.func @f(%a: !stencil.field<[0,10]x[0,4]xf64>, %b: !stencil.field<[0,10]x[0,4]xf64>) {
  sweep.kernel "f.s0" steps 1 over <[1, 0], [9, 4]> form "scatter"
      carried(%u = %a : !stencil.field<[0,10]x[0,4]xf64>)
      boundaries(%a : !stencil.field<[0,10]x[0,4]xf64>)
      outs(%b : !stencil.field<[0,10]x[0,4]xf64>)
      plan <{}> {
    %zero = arith.constant 0.0 : f64
    %next = stencil.access %u[1, 0] : !stencil.field<[0,10]x[0,4]xf64>
    %up = arith.cmpf ogt, %next, %zero : f64
    %v = scf.if %up -> (f64) {
      %last = stencil.access %u[-1, 0] : !stencil.field<[0,10]x[0,4]xf64>
      scf.yield %last : f64
    } else {
      scf.yield %next : f64
    }
    sweep.yield %v : f64
  }
  return
}
