// What is not read is refused at its place in the file, with what can be done.
//
// RUN: stencil-translate --import-oec %s --split-input-file --verify-diagnostics

// A scan along a dimension.
func @scan(%x: !stencil.field<?x?xf64>) {
  // expected-error@below {{'stencil.apply seq' scans along a dimension, which is not compiled}}
  // expected-note@below {{keep the scan in the host's program, and make functions of the applies before and after it}}
  %0 = stencil.apply seq(dim = 1, range = 0 to 64, dir = 1) (%a = %x : !stencil.field<?x?xf64>) -> !stencil.temp<?x?xf64> {
    // expected-error@below {{'stencil.depend' reads what the point before it returned: a scan along a dimension is not compiled}}
    // expected-note@below {{keep the scan in the host's program}}
    %1 = stencil.depend 0 [0, -1] : f64
    stencil.return %1 : f64
  }
  return
}

// -----

// The same in generic form.
func @generic_scan(%x: f64) {
  // expected-error@below {{'stencil.apply seq' scans along a dimension}}
  // expected-note@below {{keep the scan in the host's program}}
  %0 = "stencil.apply"(%x) ({ ^bb0(%1 : f64): "stencil.return"(%1) : (f64) -> () }) {seq=[2, 0, 60, 1]} : (f64) -> !stencil.temp<?x?xf64>
  return
}

// -----

// The form of 2020.
func @asserted(%x: !stencil.field<?x?xf64>) {
  // expected-error@below {{'stencil.assert' gave a field its bounds until August 2020}}
  // expected-note@below {{replaces it; loads and stores use %1}}
  stencil.assert %x([0, 0] : [4, 4]) : !stencil.field<?x?xf64>
  return
}

// -----

// Similar names.
func @misspelled(%x: !stencil.temp<?x?xf64>, %y: f64) {
  // expected-error@below {{there is no op 'adff'}}
  // expected-note@below {{'addf' is meant?}}
  %0 = adff %y, %y : f64
  // expected-error@below {{there is no op 'stencil.acess'}}
  // expected-note@below {{'stencil.access' is meant?}}
  %1 = stencil.acess %x[0, 0] : (!stencil.temp<?x?xf64>) -> f64
  // expected-error@below {{there is no op 'tensor_reshape'}}
  // expected-note@below {{ops of the Open Earth Compiler of 2021 are read, with those of 'std'}}
  %2 = tensor_reshape %x : f64
  return
}

// -----

// Bounds and shapes of fields.
func @shapes(%x: !stencil.field<?x?xf64>) {
  // expected-error@below {{bounds [0, 5) of dimension 1 have 5 cells, the type has 6}}
  %0 = stencil.cast %x([0, 0] : [4, 5]) : (!stencil.field<?x?xf64>) -> !stencil.field<4x6xf64>
  // expected-error@below {{bounds of a field with 2 dimensions need 2 numbers}}
  %1 = stencil.cast %x([0] : [4]) : (!stencil.field<?x?xf64>) -> !stencil.field<4x6xf64>
  return
}

// -----

// expected-error@below {{the type says how many cells the field has, and not where they are}}
// expected-note@below {{a 'stencil.cast' to this type says it by its bounds; make the argument dynamic}}
func @no_cast(%x: !stencil.field<4x6xf64>) {
  return
}

// -----

// Two casts to one type.
func @ambiguous(%x: !stencil.field<?xf64>, %y: !stencil.field<?xf64>, %c: i1) {
  %0 = stencil.cast %x([0] : [4]) : (!stencil.field<?xf64>) -> !stencil.field<4xf64>
  %1 = stencil.cast %y([1] : [5]) : (!stencil.field<?xf64>) -> !stencil.field<4xf64>
  // expected-error@below {{fields of this type have bounds [1,5] and [0,4]}}
  // expected-note@below {{only one of them can be meant here; use the result of a 'stencil.cast' itself}}
  %2 = select %c, %0, %1 : !stencil.field<4xf64>
  return
}

// -----

// Forms of ops.
func @forms(%x: !stencil.temp<?x?xf64>, %f: !stencil.field<?x?xf64>) {
  // expected-error@below {{'stencil.access' needs one to three integers in brackets here, found '['}}
  // expected-note@below {{it is written '%v = stencil.access %t[0, -1, 0] : (!stencil.temp<?x?x?xf64>) -> f64'}}
  %0 = stencil.access %x [0, a] : (!stencil.temp<?x?xf64>) -> f64
  // expected-error@below {{'stencil.store' needs bounds, '([...] : [...])' here, found ':'}}
  // expected-note@below {{it is written 'stencil.store %t to %f}}
  stencil.store %x to %f : !stencil.temp<?x?xf64> to !stencil.field<?x?xf64>
  // expected-error@below {{3 numbers for 2 dimensions}}
  // expected-note@below {{there is a number for an absent dimension too}}
  stencil.store %x to %f([0, 0, 0] : [4, 4, 4]) : !stencil.temp<?x?xf64> to !stencil.field<?x?xf64>
  return
}

// -----

// Dimensions.
func @dimensions(%t: !stencil.temp<?x?x0xf64>, %u: !stencil.temp<0x?x?xf64>, %i: index) {
  %0 = stencil.apply (%a = %t : !stencil.temp<?x?x0xf64>, %b = %u : !stencil.temp<0x?x?xf64>) -> !stencil.temp<?x?x0xf64> {
    // expected-error@below {{the operand has a dimension that the results of the apply lack}}
    %1 = stencil.access %b[0, 0, 0] : (!stencil.temp<0x?x?xf64>) -> f64
    // expected-error@below {{there is no dimension 2 here}}
    %2 = stencil.index 2 [0, 0, 0] : index
    // expected-error@below {{a field that lacks dimensions is read at a computed place}}
    // expected-note@below {{read it with 'stencil.access', or give the field all dimensions of the apply}}
    %3 = stencil.dyn_access %b(%i, %i, %i) in [0, 0, 0] : [0, 0, 0] : (!stencil.temp<0x?x?xf64>) -> f64
    // expected-error@below {{two dimensions are unrolled: the order of the values is not known}}
    // expected-note@below {{give the program before '--stencil-unrolling'}}
    stencil.return unroll [2, 2, 1] %1, %1, %1, %1 : f64, f64, f64, f64
  }
  return
}

// -----

// What MLIR's parser refuses is at its place too.
func @types(%x: f64, %y: f32) {
  // expected-note@-1 {{prior use here}}
  // expected-error@below {{use of value '%y' expects different type than prior uses: 'f64' vs 'f32'}}
  %0 = cmpf "ogt", %x, %y : f64
  return
}

// -----

// expected-error@below {{'{' has no '}'}}
func @open(%x: f64) {
  return
