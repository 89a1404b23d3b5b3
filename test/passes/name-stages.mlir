// Every apply of a function has a name of its own, and keeps the one it has.
//
// RUN: stencil-opt %s --stencil-name-stages | FileCheck %s
// RUN: stencil-opt %s --stencil-name-stages --stencil-name-stages | FileCheck %s
// RUN: stencilc run %s --on=interpreter --function=unnamed --same-after='builtin.module(func.func(stencil-name-stages))' --seed=1

// Without a name: by its place among the applies of the function, loops included.
// CHECK-LABEL: func.func @unnamed
func.func @unnamed(%in: !stencil.field<[0,8]xf64>, %out: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  // CHECK: stencil.apply({{.*}}) attributes {stencil.stage = "stage0"}
  %r = stencil.apply(%a = %t : !stencil.temp<[0,8]xf64>) -> (!stencil.temp<[0,8]xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<[0,8]xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %two step %one {
    // CHECK: outs ({{.*}}) attributes {stencil.stage = "stage1"}
    stencil.apply(%a = %out : !stencil.field<[0,8]xf64>) outs (%out : !stencil.field<[0,8]xf64>) {
      %v = stencil.access %a[0] : !stencil.field<[0,8]xf64>
      %double = arith.addf %v, %v : f64
      stencil.return %double : f64
    } to <[0], [8]>
  }
  return
}

// A name that is there stays; its second holder gets a number, one that is free.
// CHECK-LABEL: func.func @given_names
func.func @given_names() {
  %one = arith.constant 1.0 : f64
  // CHECK: stencil.stage = "flux"
  %r0 = stencil.apply(%c = %one : f64) -> (!stencil.temp<?xf64>) attributes {stencil.stage = "flux"} {
    stencil.return %c : f64
  }
  // CHECK: stencil.stage = "flux_2"
  %r1 = stencil.apply(%c = %one : f64) -> (!stencil.temp<?xf64>) attributes {stencil.stage = "flux"} {
    stencil.return %c : f64
  }
  // CHECK: stencil.stage = "flux_1"
  %r2 = stencil.apply(%c = %one : f64) -> (!stencil.temp<?xf64>) attributes {stencil.stage = "flux_1"} {
    stencil.return %c : f64
  }
  // CHECK: stencil.stage = "stage3_1"
  %r3 = stencil.apply(%c = %one : f64) -> (!stencil.temp<?xf64>) {
    stencil.return %c : f64
  }
  // CHECK: stencil.stage = "stage3"
  %r4 = stencil.apply(%c = %one : f64) -> (!stencil.temp<?xf64>) attributes {stencil.stage = "stage3"} {
    stencil.return %c : f64
  }
  return
}

// Names are unique in a function; another function begins anew.
// CHECK-LABEL: func.func @other_function
func.func @other_function() {
  // CHECK: stencil.stage = "stage0"
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}
