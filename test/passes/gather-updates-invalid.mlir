// Updates that are no sequence of changes to one cell each, each reason once.
//
// RUN: stencil-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --stencil-bind-memrefs --stencil-gather-updates

func.func @other_cell(%m: memref<8xf64>, %n: index) {
  %one = arith.constant 1 : index
  scf.for %i = %one to %n step %one {
    %before = arith.subi %i, %one : index
    // expected-error @below {{'memref.load' op reads another cell of a field that it is stored to}}
    // expected-note @below {{load the cell that is stored, by the same indices, or keep what is read in a field of its own}}
    %old = memref.load %m[%before] : memref<8xf64>
    memref.store %old, %m[%i] : memref<8xf64>
  }
  return
}

// -----

func.func @index_of_the_field(%m: memref<8xindex>, %n: index) {
  %one = arith.constant 1 : index
  scf.for %i = %one to %n step %one {
    %next = memref.load %m[%i] : memref<8xindex>
    // expected-error @below {{'memref.store' op has an index that depends on the field that is stored to}}
    // expected-note @below {{keep what decides which cells change in a field of its own}}
    memref.store %i, %m[%next] : memref<8xindex>
  }
  return
}

// -----

func.func @two_fields(%a: memref<8xf64>, %b: memref<8xf64>, %n: index) {
  %one = arith.constant 1 : index
  scf.for %i = %one to %n step %one {
    // expected-error @below {{'memref.load' op reads a field that the same loop stores to, to compute another one}}
    // expected-note @below {{write a loop for each field that is stored to}}
    %x = memref.load %a[%i] : memref<8xf64>
    memref.store %x, %b[%i] : memref<8xf64>
    memref.store %x, %a[%i] : memref<8xf64>
  }
  return
}

// -----

func.func @carried(%a: memref<8xf64>, %n: index, %x: f64) {
  %one = arith.constant 1 : index
  // expected-error @below {{'scf.for' op carries values of its own beside stores of single cells}}
  // expected-note @below {{compute them in another loop}}
  %last = scf.for %i = %one to %n step %one iter_args(%s = %x) -> (f64) {
    memref.store %s, %a[%i] : memref<8xf64>
    %t = arith.addf %s, %s : f64
    scf.yield %t : f64
  }
  return
}

// -----

func.func @yielded(%a: memref<8xf64>, %i: index, %x: f64, %c: i1) {
  // expected-error @below {{'scf.if' op yields values beside stores of single cells}}
  // expected-note @below {{compute them in another branch}}
  %last = scf.if %c -> (f64) {
    memref.store %x, %a[%i] : memref<8xf64>
    scf.yield %x : f64
  } else {
    scf.yield %x : f64
  }
  return
}

// -----

func.func @foreign(%a: memref<8xf64>, %n: index) {
  %one = arith.constant 1 : index
  scf.for %i = %one to %n step %one {
    // expected-error @below {{'foreign.random' op is no arithmetic on numbers, which is all that computes single cells}}
    // expected-note @below {{compute the value before the loop, or in an apply}}
    %x = "foreign.random"() : () -> f64
    memref.store %x, %a[%i] : memref<8xf64>
  }
  return
}

// -----

func.func @written_between(%f: !stencil.field<[0,8]xf64>, %g: !stencil.field<[0,8]xf64>, %a: memref<8xf64>, %i: index) {
  %x = memref.load %a[%i] : memref<8xf64>
  %t = stencil.load %g : !stencil.field<[0,8]xf64> -> !stencil.temp<[0,8]xf64>
  // expected-error @below {{'stencil.store' op comes between a load of a cell and the store of what is made of it}}
  // expected-note @below {{load the cell right before the store}}
  stencil.store %t to %f(<[0], [8]>) : !stencil.temp<[0,8]xf64> to !stencil.field<[0,8]xf64>
  memref.store %x, %a[%i] : memref<8xf64>
  return
}

// -----

func.func @scalar_memory(%a: memref<f64>, %x: f64, %f: !stencil.field<[0,8]xf64>) {
  // expected-error @below {{'memref.store' op makes a field of memref<f64>}}
  // expected-note @below {{a field has 1 to 3 dimensions}}
  memref.store %x, %a[] : memref<f64>
  return
}
