// Reductions that do not verify.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

func.func @operand_types(%acc: f64, %zero: f32) {
  // expected-error@+1 {{'stencil.reduce' op accumulator and initial value must have the same type, got 'f64' and 'f32'}}
  "stencil.reduce"(%acc, %zero) ({
  ^bb0(%x: f64, %y: f64):
    stencil.yield %x : f64
  }) : (f64, f32) -> ()
  return
}

// -----

func.func @argument_count(%acc: f64) {
  // expected-error@+1 {{'stencil.reduce' op region must have 2 arguments, got 1}}
  stencil.reduce %acc init %acc {
  ^bb0(%x: f64):
    stencil.yield %x : f64
  } : f64
  return
}

// -----

func.func @argument_type(%acc: f64) {
  // expected-error@+1 {{'stencil.reduce' op region argument #1 must have the accumulator's type 'f64', got 'f32'}}
  stencil.reduce %acc init %acc {
  ^bb0(%x: f64, %y: f32):
    stencil.yield %x : f64
  } : f64
  return
}

// -----

func.func @yielded_type(%acc: f64) {
  // expected-error@+1 {{'stencil.reduce' op yielded value must have the accumulator's type 'f64', got 'f32'}}
  stencil.reduce %acc init %acc {
  ^bb0(%x: f64, %y: f64):
    %s = arith.truncf %x : f64 to f32
    stencil.yield %s : f32
  } : f64
  return
}

// -----

func.func @other_terminator(%acc: f64) {
  // expected-error@+1 {{'stencil.reduce' op region must end with 'stencil.yield', got 'llvm.unreachable'}}
  stencil.reduce %acc init %acc {
  ^bb0(%x: f64, %y: f64):
    llvm.unreachable
  } : f64
  return
}

// -----

func.func @empty_region(%acc: f64) {
  // expected-error@+1 {{'stencil.reduce' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  stencil.reduce %acc init %acc {} : f64
  return
}

// -----

func.func @yield_outside(%x: f64) {
  // expected-error@+1 {{'stencil.yield' op expects parent op 'stencil.reduce'}}
  stencil.yield %x : f64
}
