// Loops that no count is known for, and branches with memory of their own, each reason once.
//
// RUN: stencil-opt %s --split-input-file --verify-diagnostics --stencil-lower-branches

// The step shrinks: only running the loop tells how often.
func.func @halving(%u: !stencil.field<[0,8]xf32>, %n: i32) {
  // expected-error @below {{'scf.while' op runs a number of times that is not known when it begins}}
  // expected-note @below {{compare a number that grows or falls by a constant in every iteration with a bound ('slt', 'sle', 'sgt', 'sge'), or write 'scf.for'}}
  %r = scf.while (%i = %n) : (i32) -> i32 {
    %end = arith.constant 0 : i32
    %c = arith.cmpi sgt, %i, %end : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %one = arith.constant 1 : i32
    %next = arith.shrsi %i, %one : i32
    scf.yield %next : i32
  }
  return
}

// -----

// It never ends.
func.func @away_from_the_bound(%u: !stencil.field<[0,8]xf32>, %n: i32) {
  // expected-error @below {{'scf.while' op runs a number of times that is not known when it begins}}
  // expected-note @below {{compare a number}}
  %r = scf.while (%i = %n) : (i32) -> i32 {
    %end = arith.constant 9 : i32
    %c = arith.cmpi slt, %i, %end : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %one = arith.constant -1 : i32
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  return
}

// -----

// Convergence is on the device.
func.func @until_small(%u: !stencil.field<[0,8]xf32>, %residual: memref<1xf32>, %limit: f32) {
  %zero = arith.constant 0 : index
  // expected-error @below {{'scf.while' op has a condition that depends on 'memref.load'}}
  // expected-note @below {{the host computes conditions of numbers; fields are on the device}}
  scf.while : () -> () {
    %now = memref.load %residual[%zero] : memref<1xf32>
    %c = arith.cmpf ogt, %now, %limit : f32
    scf.condition(%c)
  } do {
    scf.yield
  }
  return
}

// -----

func.func @memory_of_its_own(%u: !stencil.field<[0,8]xf32>, %c: i1) -> !stencil.field<[0,8]xf32> {
  // expected-error @below {{'scf.if' op yields memory that each of its branches allocates}}
  // expected-note @below {{allocate before the branches, and store to it in them}}
  %r = scf.if %c -> (!stencil.field<[0,8]xf32>) {
    %a = stencil.alloc : !stencil.field<[0,8]xf32>
    scf.yield %a : !stencil.field<[0,8]xf32>
  } else {
    %b = stencil.alloc : !stencil.field<[0,8]xf32>
    scf.yield %b : !stencil.field<[0,8]xf32>
  }
  return %r : !stencil.field<[0,8]xf32>
}
