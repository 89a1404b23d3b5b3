// Invalid types and attributes: wrong syntax, empty boxes, sizes that overflow.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{stencil types can only be fully dynamic or sized: bounds are known in every dimension, or in none}}
func.func private @mixed(!stencil.field<?x[0,64]xf64>)

// -----

// expected-error@+1 {{stencil types can only be fully dynamic or sized}}
func.func private @mixed_the_other_way(!stencil.temp<[0,64]x?xf64>)

// -----

// expected-error@+1 {{expected '?' or '[lower,upper]' for dimension 0}}
func.func private @no_rank(!stencil.field<f64>)

// -----

// expected-error@+1 {{expected '?' or '[lower,upper]' for dimension 0}}
func.func private @bare_extent(!stencil.field<70x70xf64>)

// -----

// expected-error@+1 {{expected '?' or '[lower,upper]' for dimension 0}}
func.func private @unranked(!stencil.field<*xf64>)

// -----

// expected-error@+1 {{stencil types have rank 1 to 3}}
func.func private @four_dimensions(!stencil.temp<?x?x?x?xf64>)

// -----

// expected-error@+1 {{expected 'x' in dimension list}}
func.func private @no_delimiter(!stencil.temp<? f64>)

// -----

// expected-error@+1 {{expected non-function type}}
func.func private @no_element(!stencil.temp<?x>)

// -----

// expected-error@+1 {{expected ','}}
func.func private @no_upper_bound(!stencil.temp<[0]xf64>)

// -----

// expected-error@+1 {{integer value too large}}
func.func private @number_too_large(!stencil.temp<[0,9223372036854775808]xf64>)

// -----

// expected-error@+1 {{bounds [5,5) of dimension 1 are empty: upper must be greater than lower}}
func.func private @empty_box(!stencil.temp<[0,1]x[5,5]xf64>)

// -----

// expected-error@+1 {{make more points than 64 bits can count}}
func.func private @extent_overflows(!stencil.temp<[-9223372036854775808,9223372036854775807]xi8>)

// -----

// expected-error@+1 {{bounds [0,4294967296) of dimension 1 make more points than 64 bits can count}}
func.func private @points_overflow(!stencil.temp<[0,4294967296]x[0,4294967296]xi8>)

// -----

// expected-error@+1 {{bounds [0,9223372036854775807] of elements of type 'i16' make more bytes than 64 bits can count}}
func.func private @bytes_overflow(!stencil.field<[0,9223372036854775807]xi16>)

// -----

// expected-error@+1 {{bounds [0,8388608] of elements of type 'tensor<1099511627776xf32>' make more bytes than 64 bits can count}}
func.func private @tensor_bytes_overflow(!stencil.field<[0,8388608]xtensor<1099511627776xf32>>)

// -----

// expected-error@+1 {{bounds [0,1152921504606846976] of elements of type 'complex<f32>' make more bytes}}
func.func private @complex_bytes_overflow(!stencil.field<[0,1152921504606846976]xcomplex<f32>>)

// -----

// expected-error@+1 {{an element of a stencil type cannot be a stencil type itself, got '!stencil.temp<?xf64>'}}
func.func private @nested(!stencil.field<?x!stencil.temp<?xf64>>)

// -----

// expected-error@+1 {{an element of a stencil type cannot be a stencil type itself, got '!stencil.result<f64>'}}
func.func private @nested_result(!stencil.result<!stencil.result<f64>>)

// -----

// expected-error@+1 {{expected 1 to 3 values in stencil.index, got 4}}
module attributes {test.index = #stencil.index<[0, 1, 2, 3]>} {}

// -----

// expected-error@+1 {{expected 1 to 3 values in stencil.index, got 0}}
module attributes {test.index = #stencil.index<[]>} {}

// -----

// expected-error@+1 {{expected integer value}}
module attributes {test.index = #stencil.index<[a]>} {}

// -----

// expected-error@+1 {{lower and upper bounds must have the same rank, got 2 and 1}}
module attributes {test.bounds = #stencil.bounds<[0, 0], [1]>} {}

// -----

// expected-error@+1 {{expected bounds of rank 1 to 3, got 4}}
module attributes {test.bounds = #stencil.bounds<[0, 0, 0, 0], [1, 1, 1, 1]>} {}

// -----

// expected-error@+1 {{bounds [3,2) of dimension 0 are empty: upper must be greater than lower}}
module attributes {test.bounds = #stencil.bounds<[3], [2]>} {}
