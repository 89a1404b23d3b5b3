// What is not read is refused at its place in the file, with what can be done.
//
// RUN: stencil-translate --import-xdsl %s --split-input-file --verify-diagnostics

// expected-error@below {{the type says how many cells the field has, and not where they are}}
// expected-note@below {{a 'stencil.cast' to this type says it by its bounds}}
func.func @no_cast(%x: !stencil.field<4x6xf64>) {
  func.return
}

// -----

// Ranks of MPI.
func.func @ranks(%x: !stencil.temp<?xf64>) {
  // expected-error@below {{'stencil.halo_swap' exchanges halos between the ranks of MPI, one GPU has one rank}}
  // expected-note@below {{give the program before 'distribute-stencil' or its older names}}
  "stencil.halo_swap"(%x) : (!stencil.temp<?xf64>) -> ()
  func.return
}

// -----

// What MLIR's parser refuses is at its place too, after a clause that became longer.
func.func @store(%x: !stencil.temp<?xf64>, %f: !stencil.field<[0,9]xf64>) {
  // expected-error@below {{use of undeclared SSA value name}}
  stencil.store %x to %f([0] : [9]) : !stencil.temp<?xf64> to !stencil.field<[0,9]xf64> %0 = arith.addf %nope, %nope : f64
  func.return
}

// -----

// Another dialect's word is none of ours.
func.func @other(%f: !stencil.field<[0,9]xf64>) {
  // expected-error@below {{custom op 'stencil.lod' is unknown}}
  %0 = stencil.lod %f : !stencil.field<[0,9]xf64> -> !stencil.temp<?xf64>
  func.return
}
