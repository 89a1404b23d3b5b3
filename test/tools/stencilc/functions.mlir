// One function is run; which one must be said where several could be meant. What it does not call
// is not looked at.
//
// RUN: stencilc run %s --function=twice --arg 0=21 --on=interpreter | FileCheck %s --check-prefix=TWICE
// TWICE: 'twice'
// TWICE: result 0: 42
// RUN: stencilc run %s --function=fill --on=emulator --verify | FileCheck %s --check-prefix=FILL
// FILL: verified: bit-identical
//
// RUN: not stencilc run %s 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: the program has several functions, double, twice, fill; name one with --function
// RUN: not stencilc run %s --function=fil 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: function 'fil' does not exist (did you mean 'fill'?); the program has double, twice, fill
//
// A launch gives no results: only the interpreter can run such a function.
// RUN: sh -c 'stencilc run %s --function=twice --arg 0=21 --on=emulator; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: functions.mlir:[[#@LINE + 8]]:1: error: 'func.func' op returns values, which a host program cannot
// RESULT: note: give results through field arguments
// RESULT: code 1

func.func private @double(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32
  return %y : i32
}
func.func @twice(%x: i32) -> i32 {
  %y = func.call @double(%x) : (i32) -> i32
  return %y : i32
}
func.func @fill(%out: !stencil.field<[0,64]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %one = arith.constant 1.0 : f64
    stencil.return %one : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
