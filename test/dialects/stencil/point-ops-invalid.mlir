// Operations at one point that do not verify.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

func.func @access_without_apply(%t: !stencil.temp<?xf64>) {
  // expected-error@+1 {{'stencil.access' op must be inside the region of a 'stencil.apply', at any depth}}
  %0 = stencil.access %t[0] : !stencil.temp<?xf64>
  return
}

// -----

func.func @access_rank(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?x?xf64>) {
    // expected-error@+2 {{'stencil.access' op operand has rank 1, its apply has rank 2}}
    // expected-note@+1 {{write '_' in the offset for each dimension that the operand does not have}}
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

func.func @access_rank_too_high(%t: !stencil.temp<?x?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?xf64>) {
    // expected-error@+1 {{'stencil.access' op operand has rank 2, its apply has rank 1}}
    %v = stencil.access %a[0, 0] : !stencil.temp<?x?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

// The buffer form has the rank of its bounds.
func.func @access_rank_of_buffer_form(%f: !stencil.field<[0,8]x[0,8]xf64>,
                                      %g: !stencil.field<[0,8]xf64>) {
  stencil.apply(%a = %f : !stencil.field<[0,8]x[0,8]xf64>) outs (%g : !stencil.field<[0,8]xf64>) {
    // expected-error@+1 {{'stencil.access' op operand has rank 2, its apply has rank 1}}
    %v = stencil.access %a[0, 0] : !stencil.field<[0,8]x[0,8]xf64>
    stencil.return %v : f64
  } to <[0], [8]>
  return
}

// -----

func.func @access_offset_rank(%t: !stencil.temp<?x?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    // expected-error@+1 {{'stencil.access' op offset must have the rank of the operand, got 1 and 2}}
    %v = stencil.access %a[0] : !stencil.temp<?x?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

func.func @access_offset_rank_with_mapping(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?x?x?xf64>) {
    // expected-error@+1 {{'stencil.access' op offset must have the rank of the operand, got 2 and 1}}
    %v = stencil.access %a[0, _, 0] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

func.func @access_mapping_beyond_rank(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?x?xf64>) {
    // expected-error@+1 {{'stencil.access' op offset mapping must be within the rank of the apply, got dimension 2 for rank 2}}
    %v = stencil.access %a[_, _, 0] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

// Without a mapping that says so: '_' after the last number.
func.func @access_offset_beyond_rank(%t: !stencil.temp<?x?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    // expected-error@+1 {{offset has a number or '_' for each of 3 dimensions, its apply has rank 2: remove the '_' of dimensions that the apply does not have}}
    %v = stencil.access %a[0, 0, _] : !stencil.temp<?x?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

func.func @access_offset_beyond_rank_of_buffer_form(%f: !stencil.field<[0,8]xf64>,
                                                    %g: !stencil.field<[0,8]x[0,8]xf64>) {
  stencil.apply(%a = %f : !stencil.field<[0,8]xf64>) outs (%g : !stencil.field<[0,8]x[0,8]xf64>) {
    // expected-error@+1 {{offset has a number or '_' for each of 3 dimensions, its apply has rank 2}}
    %v = stencil.access %a[_, 0, _] : !stencil.field<[0,8]xf64>
    stencil.return %v : f64
  } to <[0, 0], [8, 8]>
  return
}

// -----

func.func @access_mapping_negative(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?x?xf64>) {
    // expected-error@+1 {{'stencil.access' op offset mapping must be within the rank of the apply, got dimension -1 for rank 2}}
    %v = "stencil.access"(%a) {offset = #stencil.index<[0]>, offset_mapping = #stencil.index<[-1]>}
      : (!stencil.temp<?xf64>) -> f64
    stencil.return %v : f64
  }
  return
}

// -----

func.func @access_mapping_not_increasing(%t: !stencil.temp<?x?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?x?xf64>) {
    // expected-error@+1 {{'stencil.access' op offset mapping must be strictly increasing, got 1 after 1}}
    %v = "stencil.access"(%a) {offset = #stencil.index<[0, 0]>,
                                offset_mapping = #stencil.index<[1, 1]>}
      : (!stencil.temp<?x?xf64>) -> f64
    stencil.return %v : f64
  }
  return
}

// -----

func.func @access_mapping_length(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?x?xf64>) {
    // expected-error@+1 {{'stencil.access' op offset mapping must have one value per value of the offset, got 2 and 1}}
    %v = "stencil.access"(%a) {offset = #stencil.index<[0]>, offset_mapping = #stencil.index<[0, 1]>}
      : (!stencil.temp<?xf64>) -> f64
    stencil.return %v : f64
  }
  return
}

// -----

func.func @access_result_type(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf32>) {
    // expected-error@+1 {{'stencil.access' op result must have the operand's element type 'f64', got 'f32'}}
    %v = "stencil.access"(%a) {offset = #stencil.index<[0]>} : (!stencil.temp<?xf64>) -> f32
    stencil.return %v : f32
  }
  return
}

// -----

func.func @access_of_scalar(%x: f64) {
  %0 = stencil.apply(%a = %x : f64) -> (!stencil.temp<?xf64>) {
    // expected-error@+1 {{expected a stencil.field or stencil.temp, got 'f64'}}
    %v = stencil.access %a[0] : f64
    stencil.return %v : f64
  }
  return
}

// -----

func.func @access_without_offset(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    // expected-error@+1 {{expected 1 to 3 values in stencil.index, got 0}}
    %v = stencil.access %a[_] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

func.func @access_attribute_of_the_syntax(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    // expected-error@+1 {{attribute 'offset' is part of the syntax of 'stencil.access' and cannot be given again here}}
    %v = stencil.access %a[0] attributes {offset = #stencil.index<[1]>} : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

func.func @dyn_access_without_apply(%t: !stencil.temp<?xf64>, %i: index) {
  // expected-error@+1 {{'stencil.dyn_access' op must be inside the region of a 'stencil.apply', at any depth}}
  %0 = stencil.dyn_access %t[%i] in <[0]> : <[0]> : !stencil.temp<?xf64>
  return
}

// -----

func.func @dyn_access_rank(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?x?xf64>) {
    %i = stencil.index 0 <[0, 0]>
    // expected-error@+2 {{'stencil.dyn_access' op operand has rank 1, its apply has rank 2}}
    // expected-note@+1 {{an extent around the point needs all of its dimensions; state coordinates, with 'attributes {absolute}'}}
    %v = stencil.dyn_access %a[%i] in <[0]> : <[0]> : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

func.func @dyn_access_coordinates(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %i = stencil.index 0 <[0]>
    // expected-error@+1 {{'stencil.dyn_access' op needs one coordinate per dimension of the operand, got 2 for rank 1}}
    %v = stencil.dyn_access %a[%i, %i] in <[0]> : <[0]> : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

func.func @dyn_access_extent_rank(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %i = stencil.index 0 <[0]>
    // expected-error@+1 {{'stencil.dyn_access' op extent must have the rank of the operand, got 1 and 2 values for rank 1}}
    %v = stencil.dyn_access %a[%i] in <[0]> : <[0, 0]> : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

func.func @dyn_access_absolute_coordinates(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?x?xf64>) {
    %i = stencil.index 0 <[0, 0]>
    // expected-error@+1 {{'stencil.dyn_access' op needs one coordinate per dimension of the operand, got 2 for rank 1}}
    %v = stencil.dyn_access %a[%i, %i] in <[0]> : <[0]> attributes {absolute} : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

func.func @dyn_access_absolute_extent_rank(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?x?xf64>) {
    %i = stencil.index 0 <[0, 0]>
    // expected-error@+1 {{'stencil.dyn_access' op extent must have the rank of the operand, got 2 and 2 values for rank 1}}
    %v = stencil.dyn_access %a[%i] in <[0, 0]> : <[0, 0]> attributes {absolute} : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

func.func @dyn_access_absolute_empty_extent(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?x?xf64>) {
    %i = stencil.index 0 <[0, 0]>
    // expected-error@+1 {{'stencil.dyn_access' op extent of dimension 0 is empty, got 5 to 4}}
    %v = stencil.dyn_access %a[%i] in <[5]> : <[4]> attributes {absolute} : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

func.func @dyn_access_absolute_is_a_flag(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %i = stencil.index 0 <[0]>
    // expected-error@+1 {{attribute 'absolute' failed to satisfy constraint: unit attribute}}
    %v = stencil.dyn_access %a[%i] in <[0]> : <[4]> attributes {absolute = true} : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

func.func @dyn_access_empty_extent(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %i = stencil.index 0 <[0]>
    // expected-error@+1 {{'stencil.dyn_access' op extent of dimension 0 is empty, got 1 to 0}}
    %v = stencil.dyn_access %a[%i] in <[1]> : <[0]> : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  return
}

// -----

func.func @dyn_access_result_type(%t: !stencil.temp<?xf64>) {
  %0 = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf32>) {
    %i = stencil.index 0 <[0]>
    // expected-error@+1 {{'stencil.dyn_access' op result must have the operand's element type 'f64', got 'f32'}}
    %v = "stencil.dyn_access"(%a, %i) <{lb = #stencil.index<[0]>, ub = #stencil.index<[0]>}>
      : (!stencil.temp<?xf64>, index) -> f32
    stencil.return %v : f32
  }
  return
}

// -----

func.func @dyn_access_of_scalar(%x: f64, %i: index) {
  // expected-error@+1 {{expected a stencil.field or stencil.temp, got 'f64'}}
  %0 = stencil.dyn_access %x[%i] in <[0]> : <[0]> : f64
  return
}

// -----

func.func @index_without_apply() {
  // expected-error@+1 {{'stencil.index' op must be inside the region of a 'stencil.apply', at any depth}}
  %0 = stencil.index 0 <[0]>
  return
}

// -----

func.func @index_dimension() {
  %0 = stencil.apply() -> (!stencil.temp<?x?xindex>) {
    // expected-error@+1 {{'stencil.index' op dimension 2 is outside of the apply's rank 2}}
    %i = stencil.index 2 <[0, 0]>
    stencil.return %i : index
  }
  return
}

// -----

func.func @index_negative_dimension() {
  %0 = stencil.apply() -> (!stencil.temp<?xindex>) {
    // expected-error@+1 {{'stencil.index' op dimension -1 is outside of the apply's rank 1}}
    %i = stencil.index -1 <[0]>
    stencil.return %i : index
  }
  return
}

// -----

func.func @index_offset_rank() {
  %0 = stencil.apply() -> (!stencil.temp<?xindex>) {
    // expected-error@+1 {{'stencil.index' op offset must have the rank of the apply, got 2 and 1}}
    %i = stencil.index 0 <[0, 0]>
    stencil.return %i : index
  }
  return
}

// -----

func.func @store_result_without_apply(%x: f64) {
  // expected-error@+1 {{'stencil.store_result' op must be inside the region of a 'stencil.apply', at any depth}}
  %0 = stencil.store_result %x : !stencil.result<f64>
  return
}

// -----

func.func @store_result_type(%x: f64) {
  %0 = stencil.apply(%a = %x : f64) -> (!stencil.temp<?xf32>) {
    // expected-error@+1 {{'stencil.store_result' op result must carry the operand's type 'f64', got 'f32'}}
    %s = "stencil.store_result"(%a) : (f64) -> !stencil.result<f32>
    stencil.return %s : !stencil.result<f32>
  }
  return
}
