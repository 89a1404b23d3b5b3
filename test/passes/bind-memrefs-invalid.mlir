// Memory that cannot be a field, each reason once.
//
// RUN: stencil-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --stencil-bind-memrefs

// Flang's arrays have a layout that only Flang knows.
func.func @foreign(%a: !fir.ref<!fir.array<8xf64>>) {
  // expected-error @below {{'stencil.external_load' op takes memory of type !fir.ref<!fir.array<8xf64>>, whose layout is unknown}}
  // expected-note @below {{convert it to a memref, or make the field an argument of the function}}
  %0 = stencil.external_load %a : !fir.ref<!fir.array<8xf64>> -> !stencil.field<[0,8]xf64>
  return
}

// -----

func.func @unknown_extents(%a: memref<?x4xf64>) {
  // expected-error @below {{'stencil.external_load' op makes a field of memref<?x4xf64>, whose extents are unknown}}
  // expected-note @below {{give the field bounds, or the memref extents}}
  %0 = stencil.external_load %a : memref<?x4xf64> -> !stencil.field<?x?xf64>
  return
}

// -----

// Rows that are longer than what is computed would need a distance of their own.
func.func @gaps(%a: memref<8x4xf64, strided<[6, 1]>>) {
  // expected-error @below {{'stencil.external_load' op makes a field of memref<8x4xf64, strided<[6, 1]>>, which is not contiguous in row-major order}}
  // expected-note @below {{copy the part that is computed to a memref of identity layout, or pass all of it}}
  %0 = stencil.external_load %a : memref<8x4xf64, strided<[6, 1]>> -> !stencil.field<[0,8]x[0,4]xf64>
  return
}

// -----

func.func @columns_first(%a: memref<8x4xf64, strided<[1, 8]>>) {
  // expected-error @below {{'builtin.unrealized_conversion_cast' op makes a field of memref<8x4xf64, strided<[1, 8]>>, which is not contiguous in row-major order}}
  // expected-note @below {{copy the part that is computed to a memref of identity layout, or pass all of it}}
  %0 = builtin.unrealized_conversion_cast %a : memref<8x4xf64, strided<[1, 8]>> to !stencil.field<[0,8]x[0,4]xf64>
  return
}

// -----

func.func @four_dimensions(%a: memref<2x3x4x5xf64>, %i: index) {
  // expected-error @below {{'memref.load' op makes a field of memref<2x3x4x5xf64>}}
  // expected-note @below {{a field has 1 to 3 dimensions}}
  %0 = memref.load %a[%i, %i, %i, %i] : memref<2x3x4x5xf64>
  return
}

// -----

func.func @other_extents(%a: memref<8x4xf64>) {
  // expected-error @below {{'stencil.external_load' op gives bounds <[0, 0], [8, 5]> to memory of type memref<8x4xf64>}}
  // expected-note @below {{a field has the extents of its memref}}
  %0 = stencil.external_load %a : memref<8x4xf64> -> !stencil.field<[0,8]x[0,5]xf64>
  return
}

// -----

func.func @two_origins(%a: memref<8xf64>) {
  %1 = stencil.external_load %a : memref<8xf64> -> !stencil.field<[1,9]xf64>
  // expected-error @below {{'stencil.external_load' op makes !stencil.field<[0,8]xf64> of memory that is !stencil.field<[1,9]xf64>}}
  // expected-note @below {{one memref is one field, with one origin}}
  %0 = stencil.external_load %a : memref<8xf64> -> !stencil.field<[0,8]xf64>
  return
}

// -----

func.func @carried(%a: memref<8xf64>, %n: index) {
  %0 = stencil.external_load %a : memref<8xf64> -> !stencil.field<?xf64>
  // expected-error @below {{'scf.for' op uses a field of unknown bounds}}
  // expected-note @below {{give the result of the external load bounds}}
  %1 = scf.for %i = %n to %n step %n iter_args(%f = %0) -> (!stencil.field<?xf64>) {
    scf.yield %f : !stencil.field<?xf64>
  }
  return
}

// -----

func.func @shifted_copy(%f: !stencil.field<[1,9]xf64>, %a: memref<8xf64>) {
  // expected-error @below {{'stencil.external_store' op copies !stencil.field<[1,9]xf64> to !stencil.field<[0,8]xf64>}}
  // expected-note @below {{give both fields the same bounds}}
  stencil.external_store %f to %a : !stencil.field<[1,9]xf64> to memref<8xf64>
  return
}
