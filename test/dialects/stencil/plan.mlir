// A plan is one dictionary, which may be empty; its keys are checked by the plan schema.
//
// RUN: stencil-opt %s | stencil-opt --mlir-print-op-generic | stencil-opt | FileCheck %s

// CHECK-LABEL: func.func private @empty()
// CHECK-SAME:    plan = #stencil.plan<{}>
func.func private @empty() attributes {plan = #stencil.plan<{}>}
