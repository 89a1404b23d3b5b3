// Numbers that the new type has not, bits, what others define, and words that are no types.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --stencil-convert-element-type
// RUN: not stencil-opt %s --split-input-file --stencil-convert-element-type=to=f80 2>&1 | FileCheck %s
// CHECK: op cannot have elements of type 'f80'
// CHECK: name f16, bf16, f32 or f64

func.func @large() -> f64 {
  // expected-error @below {{'arith.constant' op is 1e39, which would be inf in f32}}
  // expected-note @below {{scale the program's numbers}}
  %c = arith.constant 1.0e+39 : f64
  return %c : f64
}

// -----

func.func @small() -> f64 {
  // expected-error @below {{'arith.constant' op is 1e-60, which would be 0 in f32}}
  // expected-note @below {{scale the program's numbers}}
  %c = arith.constant 1.0e-60 : f64
  return %c : f64
}

// -----

func.func @bits(%x: f64) -> i64 {
  // expected-error @below {{'arith.bitcast' op reads the bits of a number of type f64}}
  // expected-note @below {{change the program by hand}}
  %b = arith.bitcast %x : f64 to i64
  return %b : i64
}

// -----

func.func private @clock() -> f64

func.func @timed(%x: f64) -> f64 {
  %t = func.call @clock() : () -> f64
  // expected-error @below {{'arith.addf' op uses a number of type f64 that keeps its type}}
  // expected-note @below {{functions without a body and the llvm dialect keep their types; change the program by hand}}
  %s = arith.addf %t, %x : f64
  return %s : f64
}
