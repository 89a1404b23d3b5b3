// Operations on whole fields and temps that do not verify.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

func.func @cast_rank(%f: !stencil.field<?xf64>) {
  // expected-error@+1 {{'stencil.cast' op operand and result must have the same rank, got 1 and 2}}
  %0 = stencil.cast %f : !stencil.field<?xf64> -> !stencil.field<[0,1]x[0,1]xf64>
  return
}

// -----

func.func @cast_element(%f: !stencil.field<?xf64>) {
  // expected-error@+1 {{'stencil.cast' op operand and result must have the same element type, got 'f64' and 'f32'}}
  %0 = stencil.cast %f : !stencil.field<?xf64> -> !stencil.field<[0,1]xf32>
  return
}

// -----

func.func @cast_changes_bounds(%f: !stencil.field<[0,8]xf64>) {
  // expected-error@+1 {{'stencil.cast' op operand has bounds [0,8], which the result must keep, got bounds [0,9]}}
  %0 = stencil.cast %f : !stencil.field<[0,8]xf64> -> !stencil.field<[0,9]xf64>
  return
}

// -----

func.func @cast_forgets_bounds(%f: !stencil.field<[0,8]xf64>) {
  // expected-error@+1 {{'stencil.cast' op operand has bounds [0,8], which the result must keep, got unknown bounds}}
  %0 = stencil.cast %f : !stencil.field<[0,8]xf64> -> !stencil.field<?xf64>
  return
}

// -----

func.func @load_rank(%f: !stencil.field<[0,8]xf64>) {
  // expected-error@+1 {{'stencil.load' op field and temp must have the same rank, got 1 and 2}}
  %0 = stencil.load %f : !stencil.field<[0,8]xf64> -> !stencil.temp<?x?xf64>
  return
}

// -----

func.func @load_element(%f: !stencil.field<[0,8]xf64>) {
  // expected-error@+1 {{'stencil.load' op field and temp must have the same element type, got 'f64' and 'f32'}}
  %0 = stencil.load %f : !stencil.field<[0,8]xf64> -> !stencil.temp<?xf32>
  return
}

// -----

// Tensors may differ in their sizes, not in their rank.
func.func @load_tensor_rank(%f: !stencil.field<[0,8]xtensor<4xf64>>) {
  // expected-error@+1 {{'stencil.load' op field and temp must have the same element type, got 'tensor<4xf64>' and 'tensor<4x4xf64>'}}
  %0 = stencil.load %f : !stencil.field<[0,8]xtensor<4xf64>> -> !stencil.temp<?xtensor<4x4xf64>>
  return
}

// -----

func.func @load_unknown_bounds(%f: !stencil.field<?xf64>) {
  // expected-error@+2 {{'stencil.load' op field must have known bounds, got '!stencil.field<?xf64>'}}
  // expected-note@+1 {{a stencil.cast gives a field its bounds}}
  %0 = stencil.load %f : !stencil.field<?xf64> -> !stencil.temp<?xf64>
  return
}

// -----

func.func @load_too_big(%f: !stencil.field<[0,8]x[0,8]xf64>) {
  // expected-error@+1 {{'stencil.load' op is too big for the loaded field: temp has bounds [0,8]x[-1,8], field has bounds [0,8]x[0,8]}}
  %0 = stencil.load %f : !stencil.field<[0,8]x[0,8]xf64> -> !stencil.temp<[0,8]x[-1,8]xf64>
  return
}

// -----

func.func @store_rank(%t: !stencil.temp<?x?xf64>, %f: !stencil.field<[0,8]xf64>) {
  // expected-error@+1 {{'stencil.store' op temp and field must have the same rank, got 2 and 1}}
  stencil.store %t to %f(<[0], [8]>) : !stencil.temp<?x?xf64> to !stencil.field<[0,8]xf64>
  return
}

// -----

func.func @store_element(%t: !stencil.temp<?xf32>, %f: !stencil.field<[0,8]xf64>) {
  // expected-error@+1 {{'stencil.store' op temp and field must have the same element type, got 'f32' and 'f64'}}
  stencil.store %t to %f(<[0], [8]>) : !stencil.temp<?xf32> to !stencil.field<[0,8]xf64>
  return
}

// -----

func.func @store_bounds_rank(%t: !stencil.temp<?xf64>, %f: !stencil.field<[0,8]xf64>) {
  // expected-error@+1 {{'stencil.store' op bounds must have the rank of the field, got 2 and 1}}
  stencil.store %t to %f(<[0, 0], [8, 8]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}

// -----

func.func @store_unknown_bounds(%t: !stencil.temp<?xf64>, %f: !stencil.field<?xf64>) {
  // expected-error@+2 {{'stencil.store' op field must have known bounds, got '!stencil.field<?xf64>'}}
  // expected-note@+1 {{a stencil.cast gives a field its bounds}}
  stencil.store %t to %f(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<?xf64>
  return
}

// -----

func.func @store_outside(%t: !stencil.temp<?xf64>, %f: !stencil.field<[0,8]xf64>) {
  // expected-error@+1 {{'stencil.store' op writes bounds [0,9], outside of the field's bounds [0,8]}}
  stencil.store %t to %f(<[0], [9]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}

// -----

func.func @store_more_than_there_is(%t: !stencil.temp<[1,8]xf64>, %f: !stencil.field<[0,8]xf64>) {
  // expected-error@+1 {{'stencil.store' op writes bounds [0,8], but the temp has values for bounds [1,8] only}}
  stencil.store %t to %f(<[0], [8]>) : !stencil.temp<[1,8]xf64> to !stencil.field<[0,8]xf64>
  return
}

// -----

func.func @store_empty(%t: !stencil.temp<?xf64>, %f: !stencil.field<[0,8]xf64>) {
  // expected-error@+1 {{bounds [4,4) of dimension 0 are empty: upper must be greater than lower}}
  stencil.store %t to %f(<[4], [4]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}

// -----

func.func @store_without_bounds(%t: !stencil.temp<?xf64>, %f: !stencil.field<[0,8]xf64>) {
  // expected-error@+1 {{'stencil.store' op requires attribute 'bounds'}}
  "stencil.store"(%t, %f) : (!stencil.temp<?xf64>, !stencil.field<[0,8]xf64>) -> ()
  return
}

// -----

func.func @buffer_rank(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.buffer' op operand and result must have the same rank, got 1 and 2}}
  %0 = stencil.buffer %t : !stencil.temp<?xf64> -> !stencil.temp<?x?xf64>
  return
}

// -----

func.func @buffer_bounds(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.buffer' op operand and result must have the same bounds, got unknown bounds and bounds [0,8]}}
  %0 = stencil.buffer %t : !stencil.temp<?xf64> -> !stencil.temp<[0,8]xf64>
  return
}

// -----

func.func @buffer_element(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.buffer' op operand and result must have the same element type, got 'f64' and 'f32'}}
  %0 = stencil.buffer %t : !stencil.temp<?xf64> -> !stencil.temp<?xf32>
  return
}

// -----

func.func @buffer_of_block_argument(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.buffer' op operand must be a result of stencil.apply or stencil.combine, got a block argument}}
  %0 = stencil.buffer %t : !stencil.temp<?xf64> -> !stencil.temp<?xf64>
  return
}

// -----

func.func @buffer_of_load(%f: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %f : !stencil.field<[0,8]xf64> -> !stencil.temp<?xf64>
  // expected-error@+1 {{'stencil.buffer' op operand must be a result of stencil.apply or stencil.combine, got one of 'stencil.load'}}
  %0 = stencil.buffer %t : !stencil.temp<?xf64> -> !stencil.temp<?xf64>
  return
}

// -----

func.func @buffer_and_other_use(%a: !stencil.temp<?xf64>, %f: !stencil.field<[0,8]xf64>) {
  %t = stencil.combine 0 at 4 lower = (%a : !stencil.temp<?xf64>)
    upper = (%a : !stencil.temp<?xf64>) : !stencil.temp<?xf64>
  // expected-error@+1 {{'stencil.buffer' op operand must be used by stencil.buffer only, but 'stencil.store' uses it}}
  %0 = stencil.buffer %t : !stencil.temp<?xf64> -> !stencil.temp<?xf64>
  // expected-note@+1 {{use the buffer's result here instead}}
  stencil.store %t to %f(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}

// -----

func.func @combine_pairs(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.combine' op must have as many lower as upper operands, got 1 and 2}}
  %0 = stencil.combine 0 at 4 lower = (%t : !stencil.temp<?xf64>)
    upper = (%t, %t : !stencil.temp<?xf64>, !stencil.temp<?xf64>) : !stencil.temp<?xf64>
  return
}

// -----

func.func @combine_results(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.combine' op expected 2 results (1 of lower and upper, 1 of lowerext, 0 of upperext), got 1}}
  %0 = stencil.combine 0 at 4 lower = (%t : !stencil.temp<?xf64>)
    upper = (%t : !stencil.temp<?xf64>) lowerext = %t : !stencil.temp<?xf64> : !stencil.temp<?xf64>
  return
}

// -----

func.func @combine_nothing() {
  // expected-error@+1 {{'stencil.combine' op must have at least 1 result}}
  "stencil.combine"() <{dim = 0 : index, index = 4 : index}>
    {operandSegmentSizes = array<i32: 0, 0, 0, 0>} : () -> ()
  return
}

// -----

func.func @combine_dimension(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.combine' op dimension 1 is outside of the temps' rank 1}}
  %0 = stencil.combine 1 at 4 lower = (%t : !stencil.temp<?xf64>)
    upper = (%t : !stencil.temp<?xf64>) : !stencil.temp<?xf64>
  return
}

// -----

func.func @combine_negative_dimension(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.combine' op dimension -1 is outside of the temps' rank 1}}
  %0 = stencil.combine -1 at 4 lower = (%t : !stencil.temp<?xf64>)
    upper = (%t : !stencil.temp<?xf64>) : !stencil.temp<?xf64>
  return
}

// -----

func.func @combine_operand_rank(%t: !stencil.temp<?xf64>, %u: !stencil.temp<?x?xf64>) {
  // expected-error@+1 {{'stencil.combine' op upper #0 and result #0 must have the same rank, got 2 and 1}}
  %0 = stencil.combine 0 at 4 lower = (%t : !stencil.temp<?xf64>)
    upper = (%u : !stencil.temp<?x?xf64>) : !stencil.temp<?xf64>
  return
}

// -----

func.func @combine_result_rank(%t: !stencil.temp<?xf64>, %u: !stencil.temp<?x?xf64>) {
  // expected-error@+1 {{'stencil.combine' op result #0 and result #1 must have the same rank, got 1 and 2}}
  %0:2 = stencil.combine 0 at 4 lower = (%t : !stencil.temp<?xf64>)
    upper = (%t : !stencil.temp<?xf64>) lowerext = %u : !stencil.temp<?x?xf64>
    : !stencil.temp<?xf64>, !stencil.temp<?x?xf64>
  return
}

// -----

func.func @combine_element(%t: !stencil.temp<?xf64>, %u: !stencil.temp<?xf32>) {
  // expected-error@+1 {{'stencil.combine' op lower #0 and result #0 must have the same element type, got 'f64' and 'f32'}}
  %0 = stencil.combine 0 at 4 lower = (%t : !stencil.temp<?xf64>)
    upper = (%u : !stencil.temp<?xf32>) : !stencil.temp<?xf32>
  return
}

// -----

func.func @combine_extra_element(%t: !stencil.temp<?xf64>, %u: !stencil.temp<?xf32>) {
  // expected-error@+1 {{'stencil.combine' op upperext #0 and result #2 must have the same element type, got 'f32' and 'f64'}}
  %0:3 = stencil.combine 0 at 4 lower = (%t : !stencil.temp<?xf64>)
    upper = (%t : !stencil.temp<?xf64>) lowerext = %t : !stencil.temp<?xf64>
    upperext = %u : !stencil.temp<?xf32>
    : !stencil.temp<?xf64>, !stencil.temp<?xf64>, !stencil.temp<?xf64>
  return
}

// -----

func.func @external_load_of_temp(%a: memref<64xf64>) {
  // expected-error@+1 {{'stencil.external_load' op result must be a stencil.field or a memref, got '!stencil.temp<?xf64>'}}
  %0 = stencil.external_load %a : memref<64xf64> -> !stencil.temp<?xf64>
  return
}

// -----

func.func @alloc_of_temp() {
  // expected-error@+1 {{invalid kind of type specified}}
  %0 = stencil.alloc : !stencil.temp<?xf64>
  return
}
