// A program plan lists the kernels of a function; it is printed as it is read, its keys sorted.
//
// RUN: stencil-opt %s | stencil-opt --mlir-print-op-generic | stencil-opt | FileCheck %s

// CHECK-LABEL: func.func private @nothing()
// CHECK-SAME:    stencil.program_plan = #stencil.program_plan<[]>
func.func private @nothing() attributes {stencil.program_plan = #stencil.program_plan<[]>}

// CHECK-LABEL: func.func private @all_keys()
// CHECK-SAME:    #stencil.program_plan<[{inlined = ["products"], name = "sums", plan = #stencil.plan<{mapping = "warp", steps = 2 : i64}>, stages = ["first", "second"], time_loop}, {stages = ["corners"]}]>
func.func private @all_keys() attributes {stencil.program_plan = #stencil.program_plan<[
  {stages = ["first", "second"], name = "sums", inlined = ["products"], time_loop,
   plan = #stencil.plan<{steps = 2, mapping = "warp"}>},
  {stages = ["corners"]}]>}

// A kernel may have the name of one of its own stages.
// CHECK-LABEL: func.func private @own_stage()
// CHECK-SAME:    #stencil.program_plan<[{name = "sums", stages = ["products", "sums"]}, {stages = ["corners"]}]>
func.func private @own_stage() attributes {stencil.program_plan = #stencil.program_plan<[
  {name = "sums", stages = ["products", "sums"]}, {stages = ["corners"]}]>}
