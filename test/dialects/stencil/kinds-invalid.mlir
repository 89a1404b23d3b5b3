// Operands, results and properties of the wrong kind, in the generic form, which the parser accepts.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

func.func @load_of_temp(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.load' op operand #0 must be stencil.field (memory with one element per point of a box), but got '!stencil.temp<?xf64>'}}
  %0 = "stencil.load"(%t) : (!stencil.temp<?xf64>) -> !stencil.temp<?xf64>
  return
}

// -----

func.func @load_to_field(%f: !stencil.field<[0,8]xf64>) {
  // expected-error@+1 {{'stencil.load' op result #0 must be stencil.temp (a value on a box of the grid), but got '!stencil.field<[0,8]xf64>'}}
  %0 = "stencil.load"(%f) : (!stencil.field<[0,8]xf64>) -> !stencil.field<[0,8]xf64>
  return
}

// -----

func.func @access_of_scalar(%x: f64) {
  %0 = stencil.apply(%a = %x : f64) -> (!stencil.temp<?xf64>) {
    // expected-error@+1 {{'stencil.access' op operand #0 must be stencil.field or stencil.temp, but got 'f64'}}
    %v = "stencil.access"(%a) {offset = #stencil.index<[0]>} : (f64) -> f64
    stencil.return %v : f64
  }
  return
}

// -----

func.func @store_to_an_index(%t: !stencil.temp<?xf64>, %f: !stencil.field<[0,8]xf64>) {
  // expected-error@+1 {{Invalid attribute `bounds` in property conversion: #stencil.index<[0]>}}
  "stencil.store"(%t, %f) <{bounds = #stencil.index<[0]>}>
    : (!stencil.temp<?xf64>, !stencil.field<[0,8]xf64>) -> ()
  return
}

// -----

func.func @index_of_wrong_type() {
  %0 = stencil.apply() -> (!stencil.temp<?xindex>) {
    // expected-error@+1 {{'stencil.index' op attribute 'dim' failed to satisfy constraint: index attribute}}
    %i = "stencil.index"() <{dim = 0 : i64, offset = #stencil.index<[0]>}> : () -> index
    stencil.return %i : index
  }
  return
}

// -----

func.func @segments_do_not_add_up(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.combine' op operand count (1) does not match with the total size (2) specified in attribute 'operandSegmentSizes'}}
  %0 = "stencil.combine"(%t) <{dim = 0 : index, index = 4 : index}>
    {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (!stencil.temp<?xf64>) -> !stencil.temp<?xf64>
  return
}

// -----

func.func @segments_that_are_missing(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.combine' op requires attribute 'operandSegmentSizes', array<i32> of 4 sizes}}
  %0 = "stencil.combine"(%t, %t) <{dim = 0 : index, index = 4 : index}>
    : (!stencil.temp<?xf64>, !stencil.temp<?xf64>) -> !stencil.temp<?xf64>
  return
}

// -----

func.func @segments_too_few(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.combine' op requires attribute 'operandSegmentSizes', array<i32> of 4 sizes}}
  %0 = "stencil.combine"(%t, %t) <{dim = 0 : index, index = 4 : index}>
    {operandSegmentSizes = array<i32: 1, 1>}
    : (!stencil.temp<?xf64>, !stencil.temp<?xf64>) -> !stencil.temp<?xf64>
  return
}

// -----

func.func @segments_below_zero(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.combine' op attribute 'operandSegmentSizes' must not have negative sizes, got -1}}
  %0 = "stencil.combine"(%t, %t) <{dim = 0 : index, index = 4 : index}>
    {operandSegmentSizes = array<i32: 2, 1, -1, 0>}
    : (!stencil.temp<?xf64>, !stencil.temp<?xf64>) -> !stencil.temp<?xf64>
  return
}

// -----

func.func @access_without_offset(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    // expected-error@+1 {{'stencil.access' op requires attribute 'offset'}}
    %v = "stencil.access"(%a) : (!stencil.temp<?xf64>) -> f64
    stencil.return %v : f64
  }
  return
}

// -----

func.func @access_mapping_of_wrong_kind(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    // expected-error@+1 {{'stencil.access' op attribute 'offset_mapping' must be a stencil.index, got 0 : i64}}
    %v = "stencil.access"(%a) {offset = #stencil.index<[0]>, offset_mapping = 0}
      : (!stencil.temp<?xf64>) -> f64
    stencil.return %v : f64
  }
  return
}

// -----

func.func @segments_negative(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'operandSegmentSizes' attribute cannot have negative elements}}
  %0 = "stencil.apply"(%t) <{operandSegmentSizes = array<i32: 2, -1>}> ({
  ^bb0(%a: !stencil.temp<?xf64>):
    stencil.return %a : !stencil.temp<?xf64>
  }) : (!stencil.temp<?xf64>) -> !stencil.temp<?xf64>
  return
}
