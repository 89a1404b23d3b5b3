// Applies and returns that do not verify.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

func.func @no_result() {
  // expected-error@+1 {{'stencil.apply' op must have at least 1 result or destination field, got 0}}
  stencil.apply() -> () {
    "stencil.return"() : () -> ()
  }
  return
}

// -----

func.func @neither_results_nor_outs(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{expected '->' and result types, or 'outs' and fields}}
  stencil.apply(%a = %t : !stencil.temp<?xf64>) {
  }
  return
}

// -----

func.func @results_and_destinations(%f: !stencil.field<[0,8]xf64>) {
  // expected-error@+1 {{'stencil.apply' op must have either results or destination fields, got 1 results and 1 destination fields}}
  %0 = "stencil.apply"(%f) <{bounds = #stencil.bounds<[0], [8]>,
                             operandSegmentSizes = array<i32: 0, 1>}> ({
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }) : (!stencil.field<[0,8]xf64>) -> !stencil.temp<?xf64>
  return
}

// -----

func.func @argument_count(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.apply' op region must have one argument per operand, got 0 arguments and 1 operands}}
  %0 = "stencil.apply"(%t) <{operandSegmentSizes = array<i32: 1, 0>}> ({
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }) : (!stencil.temp<?xf64>) -> !stencil.temp<?xf64>
  return
}

// -----

func.func @argument_type(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.apply' op region argument #0 has type '!stencil.temp<?xf32>', its operand has type '!stencil.temp<?xf64>'}}
  %0 = "stencil.apply"(%t) <{operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: !stencil.temp<?xf32>):
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }) : (!stencil.temp<?xf64>) -> !stencil.temp<?xf64>
  return
}

// -----

func.func @result_ranks() {
  // expected-error@+1 {{'stencil.apply' op results must have the same rank, got 1 for result #0 and 2 for result #1}}
  %0, %1 = stencil.apply() -> (!stencil.temp<?xf64>, !stencil.temp<?x?xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c, %c : f64, f64
  }
  return
}

// -----

func.func @result_bounds() {
  // expected-error@+1 {{'stencil.apply' op results must have the same bounds, got bounds [0,8] for result #0 and bounds [0,9] for result #1}}
  %0, %1 = stencil.apply() -> (!stencil.temp<[0,8]xf64>, !stencil.temp<[0,9]xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c, %c : f64, f64
  }
  return
}

// -----

func.func @result_bounds_half_known() {
  // expected-error@+1 {{'stencil.apply' op results must have the same bounds, got unknown bounds for result #0 and bounds [0,9] for result #1}}
  %0, %1 = stencil.apply() -> (!stencil.temp<?xf64>, !stencil.temp<[0,9]xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c, %c : f64, f64
  }
  return
}

// -----

func.func @bounds_rank() {
  // expected-error@+1 {{'stencil.apply' op bounds must have the rank of the results, got 2 and 1}}
  %0 = stencil.apply() -> (!stencil.temp<?xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  } to <[0, 0], [8, 8]>
  return
}

// -----

func.func @bounds_differ() {
  // expected-error@+1 {{'stencil.apply' op computes bounds [0,8], but its results have bounds [0,9]}}
  %0 = stencil.apply() -> (!stencil.temp<[0,9]xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  } to <[0], [8]>
  return
}

// -----

func.func @destinations_without_bounds(%f: !stencil.field<[0,8]xf64>) {
  // expected-error@+2 {{'stencil.apply' op with destination fields must have bounds}}
  // expected-note@+1 {{write the points to compute after the region: 'to <[..], [..]>'}}
  stencil.apply() outs (%f : !stencil.field<[0,8]xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// -----

func.func @destination_rank(%f: !stencil.field<[0,8]xf64>, %g: !stencil.field<[0,8]x[0,8]xf64>) {
  // expected-error@+1 {{'stencil.apply' op bounds must have the rank of the destinations, got 1 and 2 for destination #1}}
  stencil.apply() outs (%f : !stencil.field<[0,8]xf64>, %g : !stencil.field<[0,8]x[0,8]xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c, %c : f64, f64
  } to <[0], [8]>
  return
}

// -----

func.func @destination_too_small(%f: !stencil.field<[0,8]xf64>) {
  // expected-error@+1 {{'stencil.apply' op writes bounds [-1,8], outside of destination #0 with bounds [0,8]}}
  stencil.apply() outs (%f : !stencil.field<[0,8]xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  } to <[-1], [8]>
  return
}

// -----

func.func @destination_is_temp(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.apply' op operand #0 must be variadic of stencil.field (memory with one element per point of a box), but got '!stencil.temp<?xf64>'}}
  stencil.apply() outs (%t : !stencil.temp<?xf64>) {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  } to <[0], [8]>
  return
}

// -----

func.func @other_terminator() {
  // expected-error@+1 {{'stencil.apply' op region must end with 'stencil.return', got 'llvm.unreachable'}}
  %0 = stencil.apply() -> (!stencil.temp<?xf64>) {
    llvm.unreachable
  }
  return
}

// -----

func.func @no_terminator() {
  // expected-error@+2 {{block with no terminator}}
  %0 = stencil.apply() -> (!stencil.temp<?xf64>) {
    %c = arith.constant 1.0 : f64
  }
  return
}

// -----

func.func @empty_region() {
  // expected-error@+1 {{'stencil.apply' op region #0 ('region') failed to verify constraint: region with 1 blocks}}
  %0 = stencil.apply() -> (!stencil.temp<?xf64>) {}
  return
}

// -----

func.func @grid_operation_at_a_point(%f: !stencil.field<[0,8]xf64>) {
  // expected-note@+1 {{the region of this 'stencil.apply' computes one point; whole fields and temps are its operands}}
  %0 = stencil.apply(%a = %f : !stencil.field<[0,8]xf64>) -> (!stencil.temp<?xf64>) {
    // expected-error@+1 {{'stencil.load' op cannot be inside of 'stencil.apply'}}
    %t = stencil.load %a : !stencil.field<[0,8]xf64> -> !stencil.temp<?xf64>
    %v = stencil.access %t[0] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

func.func @not_isolated(%x: f64) {
  %0 = stencil.apply() -> (!stencil.temp<?xf64>) {
    // expected-error@+1 {{use of undeclared SSA value name}}
    stencil.return %x : f64
  }
  return
}

// -----

func.func @attribute_of_the_syntax() {
  // expected-error@+1 {{attribute 'bounds' is part of the syntax of 'stencil.apply' and cannot be given again here}}
  %0 = stencil.apply() -> (!stencil.temp<?xf64>) attributes {bounds = #stencil.bounds<[0], [8]>} {
    %c = arith.constant 1.0 : f64
    stencil.return %c : f64
  }
  return
}

// -----

func.func @return_outside(%x: f64) {
  // expected-error@+1 {{'stencil.return' op expects parent op 'stencil.apply'}}
  stencil.return %x : f64
}

// -----

func.func @return_too_few() {
  %0, %1 = stencil.apply() -> (!stencil.temp<?xf64>, !stencil.temp<?xf64>) {
    %c = arith.constant 1.0 : f64
    // expected-error@+1 {{'stencil.return' op expected 2 operands to match the results of 'stencil.apply', got 1}}
    stencil.return %c : f64
  }
  return
}

// -----

func.func @return_too_few_unrolled() {
  %0 = stencil.apply() -> (!stencil.temp<?x?xf64>) {
    %c = arith.constant 1.0 : f64
    // expected-error@+1 {{'stencil.return' op expected 1 operands for each of 4 unrolled points to match the results of 'stencil.apply', got 2}}
    stencil.return %c, %c unroll <[2, 2]> : f64, f64
  }
  return
}

// -----

func.func @return_type() {
  %0 = stencil.apply() -> (!stencil.temp<?xf64>) {
    %c = arith.constant 1.0 : f32
    // expected-error@+1 {{'stencil.return' op operand #0 has type 'f32', result #0 of 'stencil.apply' has element type 'f64'}}
    stencil.return %c : f32
  }
  return
}

// -----

func.func @return_result_type(%f: !stencil.field<[0,8]xf64>) {
  stencil.apply() outs (%f : !stencil.field<[0,8]xf64>) {
    %c = stencil.store_result : !stencil.result<f32>
    // expected-error@+1 {{'stencil.return' op operand #0 has type 'f32', result #0 of 'stencil.apply' has element type 'f64'}}
    stencil.return %c : !stencil.result<f32>
  } to <[0], [8]>
  return
}

// -----

// Values of the first result come first.
func.func @return_type_unrolled() {
  %0, %1 = stencil.apply() -> (!stencil.temp<?xf64>, !stencil.temp<?xf32>) {
    %c = arith.constant 1.0 : f64
    %d = arith.constant 1.0 : f32
    // expected-error@+1 {{'stencil.return' op operand #1 has type 'f32', result #0 of 'stencil.apply' has element type 'f64'}}
    stencil.return %c, %d, %c, %d unroll <[2]> : f64, f32, f64, f32
  }
  return
}

// -----

func.func @unroll_rank() {
  %0 = stencil.apply() -> (!stencil.temp<?xf64>) {
    %c = arith.constant 1.0 : f64
    // expected-error@+1 {{'stencil.return' op needs one unroll factor per dimension of the apply, got 2 for rank 1}}
    stencil.return %c, %c unroll <[1, 2]> : f64, f64
  }
  return
}

// -----

func.func @unroll_zero() {
  %0 = stencil.apply() -> (!stencil.temp<?xf64>) {
    %c = arith.constant 1.0 : f64
    // expected-error@+1 {{'stencil.return' op unroll factor 0 of dimension 0 must be at least 1}}
    stencil.return %c unroll <[0]> : f64
  }
  return
}

// -----

func.func @unroll_does_not_divide() {
  // expected-note@+1 {{the apply computes bounds [0,64]x[0,49]}}
  %0 = stencil.apply() -> (!stencil.temp<[0,64]x[0,49]xf64>) {
    %c = arith.constant 1.0 : f64
    // expected-error@+1 {{'stencil.return' op unroll factor 2 of dimension 1 does not divide the extent 49}}
    stencil.return %c, %c unroll <[1, 2]> : f64, f64
  }
  return
}

// -----

// The bounds of the buffer form count as well.
func.func @unroll_does_not_divide_bounds(%f: !stencil.field<[0,64]xf64>) {
  // expected-note@+1 {{the apply computes bounds [1,64]}}
  stencil.apply() outs (%f : !stencil.field<[0,64]xf64>) {
    %c = arith.constant 1.0 : f64
    // expected-error@+1 {{'stencil.return' op unroll factor 2 of dimension 0 does not divide the extent 63}}
    stencil.return %c, %c unroll <[2]> : f64, f64
  } to <[1], [64]>
  return
}

// -----

func.func @unroll_overflows() {
  %0 = stencil.apply() -> (!stencil.temp<?x?xf64>) {
    %c = arith.constant 1.0 : f64
    // expected-error@+1 {{'stencil.return' op unroll factors make more points than 64 bits can count}}
    stencil.return %c unroll <[4294967296, 4294967296]> : f64
  }
  return
}
