// Keys for a kernel that there is not name those that there are; a part of a program may lack it.
//
// RUN: not stencil-opt %s --stencil-select-plan='plan=points=2,step:points=4' 2>&1 | FileCheck %s
// RUN: stencil-opt %s --stencil-select-plan='plan=points=2,step:points=4 part=true' | FileCheck %s --check-prefix=PART
//
// CHECK:      error: 'func.func' op option 'plan' has keys for 'step', which is no kernel
// CHECK:      note: the kernels are fill, line_line
// PART:       points = array<i64: 2>

func.func @line() {
  %r = stencil.apply() -> (!stencil.temp<[0,1000]xf64>) attributes {stencil.stage = "fill"} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  %s = stencil.apply() -> (!stencil.temp<[0,1000]xf64>) attributes {stencil.stage = "line"} {
    %c = arith.constant 2.0 : f64
    stencil.return %c : f64
  }
  return
}
